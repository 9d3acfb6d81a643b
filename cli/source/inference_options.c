/* SPDX-License-Identifier: MIT */
/* inference_options.c - see inference_options.h. */
#include "source/inference_options.h"

#include "core/error_messages.h"
#include "core/messages.h"

#include <math.h>
#include <string.h>

/* Names of crd_approximation values, without the first, exact inference. */
static const char METHODS[] = "weighting|gibbs|loopy|weighting,always|gibbs,always|loopy,always";
static const char *const METHOD_NAMES[] = {[CRD_APPROXIMATION_WEIGHTING] = "weighting",
                                           [CRD_APPROXIMATION_GIBBS] = "gibbs",
                                           [CRD_APPROXIMATION_LOOPY] = "loopy"};
static const char *const METHOD_TITLES[] = {[CRD_APPROXIMATION_WEIGHTING] = "likelihood weighting",
                                            [CRD_APPROXIMATION_GIBBS] = "Gibbs sampling",
                                            [CRD_APPROXIMATION_LOOPY] = "loopy belief propagation"};

/* With fewer independent draws, the standard error itself is a rough estimate. */
enum { FEW_DRAWS = 100 };

/* Parses a size in bytes, with an optional unit that is a power of 1024: 500M, 1.5G, 2GiB, 64kB. */
static bool parse_size(crd_text text, double *bytes) {
    static const char letters[] = "KMGT";
    static const char *const endings[] = {"iB", "B"};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        size_t length = strlen(endings[i]);
        if (text.length <= length || memcmp(text.bytes + text.length - length, endings[i], length) != 0) continue;
        text.length -= length;
        break;
    }
    double unit = 1;
    char last = text.length == 0 ? '\0' : text.bytes[text.length - 1];
    if (last >= 'a' && last <= 'z') last = (char)(last - 'a' + 'A');
    const char *letter = last == '\0' ? NULL : strchr(letters, last);
    if (letter != NULL) {
        for (const char *l = letters; l <= letter; l++) unit *= 1024;
        text.length--;
    }
    while (text.length > 0 && text.bytes[text.length - 1] == ' ') text.length--;
    if (crd_number_parse(text, bytes) != CRD_NUMBER_FINITE || !(*bytes >= 0)) return false;
    *bytes *= unit;
    return isfinite(*bytes) != 0;
}

static int read_memory(const invocation *call, crd_inference_options *out) {
    const char *text = arguments_value(&call->arguments, "memory");
    if (text == NULL) return ENDED_WELL;
    if (!parse_size(crd_text_of(text), &out->memory))
        return message_usage("--memory: expected a size such as 500M, 2G or bytes, got '%s'", text);
    /* For the library 0 means the default. Here 0 means no memory for any table. */
    if (out->memory < 1) out->memory = 1;
    return ENDED_WELL;
}

static int read_approximation(const invocation *call, crd_inference_options *out) {
    const char *text = arguments_value(&call->arguments, "approximate");
    enum { METHOD_COUNT = 3 };
    size_t choice = 0;
    if (text == NULL) return ENDED_WELL;
    int ended = text[0] == '\0' ? ENDED_WELL : arguments_choice(&call->arguments, "approximate", METHODS, &choice);
    out->approximation = (crd_approximation)(choice % METHOD_COUNT + 1);
    out->is_always_approximate = choice >= METHOD_COUNT;
    return ended;
}

int inference_options_read(const invocation *call, crd_inference_options *out) {
    enum { MOST_THREADS = 256 };
    const crd_inference_options defaults = CRD_INFERENCE_OPTIONS_INIT;
    uint64_t threads = 0;
    *out = defaults;
    int ended = read_memory(call, out);
    if (ended == ENDED_WELL) ended = read_approximation(call, out);
    if (ended == ENDED_WELL) ended = arguments_whole(&call->arguments, "seed", &out->seed);
    if (ended == ENDED_WELL) ended = arguments_whole(&call->arguments, "draws", &out->draws);
    if (ended == ENDED_WELL) ended = arguments_whole(&call->arguments, "threads", &threads);
    if (ended != ENDED_WELL) return ended;
    if (arguments_have(&call->arguments, "draws") && out->draws == 0)
        return message_usage("--draws must be at least 1");
    if (threads > MOST_THREADS) return message_usage("--threads must be at most %d", MOST_THREADS);
    out->threads = (unsigned)threads;
    return ENDED_WELL;
}

/* Returns whether exact inference would fit into the memory of a large machine. */
static bool is_within_reach(const crd_inference_result *result) {
    static const double MOST_BYTES = 0x1p40;
    return result == NULL || !(result->bytes > MOST_BYTES);
}

int inference_failed(const invocation *call, const crd_error *error, const crd_inference_result *result) {
    int ended = message_error(error);
    if (error->status == CRD_ERROR_LIMIT && message_offers("memory")) {
        const arguments *words = &call->arguments;
        bool is_of_rows = words->operand_count > 1;
        bool is_exact = arguments_have(words, "mpe") || arguments_have(words, "map") ||
                        arguments_have(words, "decide") || is_of_rows;
        bool helps = message_offers("approximate") && !is_exact && !arguments_have(words, "approximate") &&
                     error->hint[0] == '\0';
        if (is_within_reach(result))
            message_hint("use --memory SIZE to allow more%s", helps ? ", or --approximate to estimate the result" : "");
        else if (helps) message_hint("use --approximate to estimate the result");
    }
    /* A column error with a name concerns a decision that is still open. */
    if (error->status == CRD_ERROR_COLUMN && error->subject[0] != '\0')
        message_hint("use --given to set the decision%s",
                     message_offers("decide") ? ", or --decide to find the best one" : "");
    return ended;
}

void inference_report_estimate(crd_result *r, const crd_inference_result *result) {
    char draws[CRD_NUMBER_ROOM], effective[CRD_NUMBER_ROOM];
    if (result->approximation == CRD_APPROXIMATION_NEVER) return;
    const char *title = METHOD_TITLES[result->approximation];
    crd_result_words(r, "approximation", METHOD_NAMES[result->approximation]);
    crd_result_number(r, "log_evidence_error", result->log_evidence_error);
    if (result->approximation == CRD_APPROXIMATION_LOOPY) {
        crd_result_line(r, CRD_PARAGRAPH, "Estimated by %s; its error is unknown.", title);
        return;
    }
    crd_result_number(r, "draws", result->draws);
    crd_result_number(r, "effective_draws", result->effective_draws);
    crd_result_line(
        r, CRD_PARAGRAPH, "Estimated by %s: %s draws, equivalent to %s independent ones. Errors are standard errors.",
        title, crd_number_count(result->draws, draws), crd_number_round(floor(result->effective_draws), effective));
    if (result->effective_draws < FEW_DRAWS)
        crd_result_line(r, CRD_PARAGRAPH,
                        "With so few draws, results and errors can be misleading: try more --draws, or another "
                        "method of --approximate.");
}
