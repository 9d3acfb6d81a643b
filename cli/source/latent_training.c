/* SPDX-License-Identifier: MIT */
/* latent_training.c - see latent_training.h. */
#include "source/latent_training.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "core/progress.h"
#include "core/report_write.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of EM steps that are listed, at the beginning and at the end. */
enum { FIRST_STEPS = 3, LAST_STEPS = 2 };

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
    options->criterion = criterion == 1 ? CRD_LATENT_HELD_OUT : CRD_LATENT_BIC;
    return ENDED_WELL;
}

/* ---- The result ---- */

static void latent_training_write_note(report *r) {
    output notes = {.stream = stderr, .format = FORMAT_TABLE};
    report_write(r, &notes);
    report_destroy(r);
}

/* Lists the numbers of classes that were tried. */
static void list_choices(const crd_latent *latent) {
    report *r = report_create();
    report_table *t = report_add_table(r, NULL);
    crd_latent_choice first = CRD_LATENT_CHOICE_INIT;
    crd_latent_choice_at(latent, 0, &first);
    const bool has_held_out = !isnan(first.held_out);
    column_add(t, NULL, "classes");
    column_add(t, NULL, "log-likelihood");
    column_add(t, NULL, "parameters");
    column_add(t, NULL, "BIC");
    if (has_held_out) column_add(t, NULL, "held out, mean");
    for (size_t i = 0; i < crd_latent_choices(latent); i++) {
        crd_latent_choice choice = CRD_LATENT_CHOICE_INIT;
        crd_latent_choice_at(latent, i, &choice);
        string tried = {0};
        string_format(&tried, "%zu", choice.tried);
        if (choice.classes < choice.tried) string_format(&tried, ", left %zu", choice.classes);
        cell_words(t, report_format(r, "%s%s", string_text(&tried), i == crd_latent_chosen(latent) ? " (chosen)" : ""));
        string_free(&tried);
        cell_words(t, report_format(r, "%.2f", choice.log_likelihood));
        cell_count(t, choice.parameters);
        cell_words(t, report_format(r, "%.2f", choice.bic));
        if (has_held_out) cell_words(t, report_format(r, "%.4f", choice.held_out));
    }
    latent_training_write_note(r);
}

/* Lists the log-likelihood and the log posterior of the first and the last EM steps. */
static void list_steps(const crd_latent *latent) {
    report *r = report_create();
    report_table *t = report_add_table(r, NULL);
    const size_t steps = crd_latent_steps(latent);
    column_add(t, NULL, "step");
    column_add(t, NULL, "log-likelihood");
    column_add(t, NULL, "log posterior");
    for (size_t i = 0; i < steps; i++) {
        if (i == FIRST_STEPS && steps > FIRST_STEPS + LAST_STEPS + 1) {
            i = steps - LAST_STEPS;
            cell_words(t, "...");
            cell_null(t);
            cell_null(t);
        }
        cell_count(t, (double)i);
        cell_words(t, report_format(r, "%.4f", crd_latent_log_likelihood(latent, i)));
        cell_words(t, report_format(r, "%.4f", crd_latent_objective(latent, i)));
    }
    latent_training_write_note(r);
}

/* Warns of signs that the classes are unreliable: empty classes, a bound that was reached, a single best start, no
 * convergence. */
static void latent_training_warn(const crd_latent *latent, const crd_latent_options *options, size_t steps) {
    const size_t starts = crd_latent_restarts(latent), classes = crd_latent_classes(latent);
    const size_t emptied = crd_latent_emptied(latent);
    if (emptied > 0)
        message_warning("%zu of %zu classes %s left without rows by EM: the model has %zu", emptied, classes + emptied,
                        emptied == 1 ? "was" : "were", classes);
    if (options->classes == 0 && classes + emptied == options->max_classes && classes > 1)
        message_warning("%zu classes is the maximum that was tried: use --max-classes N to try more",
                        classes + emptied);
    if (starts > 1 && crd_latent_restarts_at_best(latent) == 1)
        message_warning("only one of %zu starts reached the best value, and more starts may find a better one: use "
                        "--em-starts N for more starts",
                        starts);
    if (!crd_latent_is_converged(latent) && !crd_latent_is_stopped(latent))
        message_warning("EM did not converge in %zu step%s", steps, steps == 1 ? "" : "s");
}

/* Reports the result: the choice of the number of classes, the EM steps and warnings. */
static void latent_training_report_found(const crd_latent *latent, crd_text name, const crd_latent_options *options) {
    if (message_is_quiet()) return;
    string shown = {0};
    const size_t steps = crd_latent_steps(latent) > 0 ? crd_latent_steps(latent) - 1 : 0;
    const size_t classes = crd_latent_classes(latent), starts = crd_latent_restarts(latent);
    const size_t best = crd_latent_restarts_at_best(latent);
    string_add_shown(&shown, name);
    if (options->classes == 0 && crd_latent_choices(latent) > 0) {
        message_note("number of classes by %s:", options->criterion == CRD_LATENT_BIC
                                                     ? "BIC = log-likelihood - parameters log(n) / 2; larger is better"
                                                     : "the mean log-likelihood of held-out rows, in 5 folds");
        list_choices(latent);
    }
    message_note("%zu latent class%s '%s' by EM, %zu step%s, the best of %zu start%s (%zu reached the same):", classes,
                 classes == 1 ? "" : "es", string_text(&shown), steps, steps == 1 ? "" : "s", starts,
                 starts == 1 ? "" : "s", best);
    list_steps(latent);
    latent_training_warn(latent, options, steps);
    string_free(&shown);
}

/* Finds the classes and creates the model. If interrupted, uses the classes of the last EM step. */
static crd_status latent_training_find(const invocation *call, const data *d, crd_text name,
                                       const crd_settings *settings, const crd_latent_options *options,
                                       crd_latent **latent, crd_model **out, int *ending, crd_error *error) {
    crd_status status = crd_latent_find(d->reader, name, settings, options, latent, error);
    progress_erase();
    if (status == CRD_OK && invocation_interrupted()) {
        *ending = invocation_interrupted_exit();
        crd_context_resume(call->context);
        message_warning("interrupted: the model has the classes that EM reached so far");
    }
    return status == CRD_OK ? crd_latent_model(*latent, out, error) : status;
}

int latent_training_run(const invocation *call, data *d, crd_model **out, crd_read_facts *facts, int *ending) {
    crd_latent_options options = CRD_LATENT_OPTIONS_INIT;
    crd_settings *settings = NULL;
    crd_latent *latent = NULL;
    crd_text name;
    crd_error error;
    *out = NULL;
    int ended = latent_training_read_options(call, &name, &options);
    if (ended != ENDED_WELL) return ended;
    options.threads = crd_reader_threads(d->reader);
    if (crd_settings_create(call->context, &settings, &error) != CRD_OK) return message_error(&error);
    ended = arguments_apply_settings(&call->arguments, settings);
    if (ended == ENDED_WELL &&
        latent_training_find(call, d, name, settings, &options, &latent, out, ending, &error) != CRD_OK)
        ended = data_report_untrained(call, d, &error, call->arguments.operands[0]);
    if (ended == ENDED_WELL) {
        facts->rows = (uint64_t)crd_latent_rows(latent);
        facts->weight = crd_latent_rows(latent);
        latent_training_report_found(latent, name, &options);
    }
    crd_latent_destroy(latent);
    crd_settings_destroy(settings);
    return ended;
}
