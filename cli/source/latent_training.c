/* SPDX-License-Identifier: MIT */
/* latent_training.c - see latent_training.h. */
#include "source/latent_training.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "core/progress.h"
#include "source/fit_text.h"

#include <stdlib.h>
#include <string.h>

/* ---- Options ---- */

/* Parses NAME or NAME:K. The last colon separates them. */
static int read_hidden(const invocation *call, crd_text *name, crd_latent_options *options) {
    const char *value = arguments_value(&call->arguments, "latent-class"), *colon = strrchr(value, ':');
    *name = crd_text_of(value);
    const char *first = strchr(value, ':');
    if (first != NULL && strchr(first, ',') != NULL)
        return message_usage("--latent-class: expected one name of latent classes, NAME:K, got '%s'", value);
    if (colon != NULL) {
        char *end;
        const unsigned long count = strtoul(colon + 1, &end, 10);
        if (colon[1] < '0' || colon[1] > '9' || *end != '\0' || count == 0 || count > 1000)
            return message_usage("--latent-class NAME:K: expected a number of classes K from 1 to 1000, got '%s'",
                                 colon + 1);
        options->classes = count;
        name->length = (size_t)(colon - value);
    }
    if (name->length == 0) return message_usage("--latent-class needs a name for the classes: --latent-class NAME:K");
    return ENDED_WELL;
}

/* Rejects options that have no meaning for latent classes. */
static int latent_training_check_options(const invocation *call) {
    static const char *const others[] = {"target", "shard", "keep-statistics", "unlabeled", "latent-nodes"};
    const char *method = arguments_value(&call->arguments, "method");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (arguments_have(&call->arguments, others[i]))
            return message_usage("--latent-class and --%s cannot be combined", others[i]);
    if (method != NULL && strcmp(method, "naive") != 0)
        return message_usage("--latent-class trains naive Bayes: it cannot be combined with --method %s", method);
    return ENDED_WELL;
}

static int latent_training_read_options(const invocation *call, crd_text *name, crd_latent_options *options) {
    size_t criterion = 0;
    uint64_t most = options->max_classes;
    int ended = latent_training_check_options(call);
    if (ended == ENDED_WELL) ended = read_hidden(call, name, options);
    if (ended == ENDED_WELL) ended = arguments_choice(&call->arguments, "select-classes", "bic|held-out", &criterion);
    if (ended == ENDED_WELL) ended = arguments_whole(&call->arguments, "max-classes", &most);
    if (ended == ENDED_WELL) ended = arguments_whole(&call->arguments, "seed", &options->seed);
    if (ended != ENDED_WELL) return ended;
    if (most == 0 || most > 1000) return message_usage("--max-classes must be from 1 to 1000");
    options->max_classes = (size_t)most;
    options->criterion = criterion == 1 ? CRD_FIT_HELD_OUT : CRD_FIT_BIC;
    return ENDED_WELL;
}

/* ---- The result ---- */

/* Warns of signs that the classes are unreliable: empty classes, a bound that was reached, a single best start, no
 * convergence. */
static void latent_training_warn(const crd_fit_facts *facts, const crd_latent_options *options, size_t steps) {
    const size_t classes = facts->components, empty = facts->empty;
    if (empty > 0)
        message_warning("%zu of %zu classes %s left without rows by EM: the model has %zu", empty, classes + empty,
                        empty == 1 ? "was" : "were", classes);
    if (options->classes == 0 && classes + empty == options->max_classes && classes > 1)
        message_warning("%zu classes is the maximum that was tried: use --max-classes N to try more", classes + empty);
    if (facts->start_count > 1 && facts->starts_at_best == 1)
        message_warning("only one of %zu starts reached the best value, and more starts may find a better one: use "
                        "--em-starts N for more starts",
                        facts->start_count);
    if (!facts->is_converged && !facts->is_stopped)
        message_warning("EM did not converge in %zu step%s", steps, steps == 1 ? "" : "s");
}

/* Reports the result: the choice of the number of classes, the EM steps and warnings. */
static void latent_training_report_found(const crd_fit *fit, crd_text name, const crd_latent_options *options) {
    if (message_is_quiet()) return;
    string shown = {0};
    const crd_fit_facts facts = fit_text_facts(fit);
    const size_t steps = facts.step_count > 0 ? facts.step_count - 1 : 0;
    string_add_shown(&shown, name);
    if (options->classes == 0 && facts.choice_count > 0) {
        message_note("number of classes by %s:", options->criterion == CRD_FIT_BIC
                                                     ? "BIC = log-likelihood - parameters log(n) / 2; larger is better"
                                                     : "the mean log-likelihood of held-out rows, in 5 folds");
        fit_text_note_choices(fit, "classes");
    }
    message_note("%zu latent class%s '%s' by EM, %zu step%s, the best of %zu start%s (%zu reached the same):",
                 facts.components, facts.components == 1 ? "" : "es", string_text(&shown), steps, steps == 1 ? "" : "s",
                 facts.start_count, facts.start_count == 1 ? "" : "s", facts.starts_at_best);
    fit_text_note_steps(fit);
    latent_training_warn(&facts, options, steps);
    string_free(&shown);
}

/* Finds the classes and creates the model. If interrupted, uses the classes of the last EM step. */
static crd_status latent_training_find(const invocation *call, const data *d, crd_text name,
                                       const crd_settings *settings, const crd_latent_options *options, crd_fit **fit,
                                       crd_model **out, int *ending, crd_error *error) {
    crd_status status = crd_latent_find(d->reader, name, settings, options, fit, error);
    progress_erase();
    if (status == CRD_OK && invocation_interrupted()) {
        *ending = invocation_interrupted_exit();
        crd_context_resume(call->context);
        message_warning("interrupted: the model has the classes that EM reached so far");
    }
    return status == CRD_OK ? crd_fit_model(*fit, out, error) : status;
}

int latent_training_run(const invocation *call, data *d, crd_model **out, crd_read_facts *facts, int *ending) {
    crd_latent_options options = CRD_LATENT_OPTIONS_INIT;
    crd_settings *settings = NULL;
    crd_fit *fit = NULL;
    crd_text name;
    crd_error error;
    *out = NULL;
    int ended = latent_training_read_options(call, &name, &options);
    if (ended != ENDED_WELL) return ended;
    options.threads = crd_reader_threads(d->reader);
    if (crd_settings_create(call->context, &settings, &error) != CRD_OK) return message_error(&error);
    ended = arguments_apply_settings(&call->arguments, settings);
    if (ended == ENDED_WELL &&
        latent_training_find(call, d, name, settings, &options, &fit, out, ending, &error) != CRD_OK)
        ended = data_report_untrained(call, d, &error, call->arguments.operands[0]);
    if (ended == ENDED_WELL) {
        facts->weight = fit_text_facts(fit).rows;
        facts->rows = (uint64_t)facts->weight;
        latent_training_report_found(fit, name, &options);
    }
    crd_fit_destroy(fit);
    crd_settings_destroy(settings);
    return ended;
}
