/* SPDX-License-Identifier: MIT */
/* unlabelled_training.c - see unlabelled_training.h. */
#include "source/unlabelled_training.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "core/progress.h"
#include "core/report_write.h"
#include "source/document_operand.h"

#include <math.h>
#include <string.h>

int unlabelled_training_read(const invocation *call, bool *is_given, crd_unlabelled_options *options) {
    const char *value = arguments_value(&call->arguments, "unlabelled");
    double weight;
    *is_given = value != NULL && strncmp(value, "use", 3) == 0 && (value[3] == '\0' || value[3] == ':');
    if (value == NULL || (*is_given && value[3] == '\0') || strcmp(value, "drop") == 0) return ENDED_WELL;
    const bool is_number = *is_given && crd_number_parse(crd_text_of(value + 4), &weight) == CRD_NUMBER_FINITE;
    if (!is_number || weight < 0 || weight > 1)
        return message_usage("--unlabelled: expected drop, use, or use:W with a weight W from 0 to 1, got '%s'", value);
    options->weight = weight;
    return ENDED_WELL;
}

/* Returns the best trial among those with the smallest weight above `above`; NULL: there is none. */
static const crd_unlabelled_trial *next_weight(const crd_unlabelled_facts *facts, double above) {
    const crd_unlabelled_trial *trial = NULL;
    for (size_t i = 0; i < facts->trial_count; i++) {
        const crd_unlabelled_trial *unlabelled = &facts->trials[i];
        if (!(unlabelled->weight > above)) continue;
        if (trial == NULL || unlabelled->weight < trial->weight ||
            (unlabelled->weight == trial->weight && unlabelled->log_loss < trial->log_loss))
            trial = unlabelled;
    }
    return trial;
}

/* Lists the weights that were tried, each with its best inverse temperature. */
static void list_trials(const crd_unlabelled_facts *facts) {
    output notes = {.stream = stderr, .format = FORMAT_TABLE};
    report *r = report_create();
    report_table *t = report_add_table(r, NULL);
    column_add(t, NULL, "weight");
    column_add(t, NULL, "temper");
    column_add(t, NULL, "log loss, held out");
    for (const crd_unlabelled_trial *trial = next_weight(facts, -1); trial != NULL;
         trial = next_weight(facts, trial->weight)) {
        const bool is_chosen = trial->weight == facts->weight;
        cell_words(t, report_format(r, "%g%s", trial->weight, is_chosen ? " (chosen)" : ""));
        if (trial->weight > 0) cell_number(t, trial->temper);
        else cell_null(t);
        cell_number(t, trial->log_loss);
    }
    report_write(r, &notes);
    report_destroy(r);
}

/* Reports the weight of the rows without a label, and the gain in held-out log loss. */
static void report_weight(const crd_unlabelled_facts *facts, bool is_stated) {
    char labelled[ROWS_ROOM], unlabelled[ROWS_ROOM], held[ROWS_ROOM], gain[ROUNDED_ROOM], error[ROUNDED_ROOM];
    if (message_is_quiet()) return;
    output_rows((uint64_t)facts->labelled, labelled);
    output_rows((uint64_t)facts->unlabelled, unlabelled);
    output_rows((uint64_t)facts->held_out, held);
    if (facts->trial_count > 1) {
        message_note(
            "%s with a label, %s without; the weight of the unlabeled rows is chosen by the log loss of %s held out:",
            labelled, unlabelled, held);
        list_trials(facts);
    }
    if (isnan(facts->gain) && facts->weight > 0)
        message_note("%s with a label, %s without, which count %g each", labelled, unlabelled, facts->weight);
    else if (facts->weight > 0)
        message_note(
            "rows without a label count %g each, with inverse temperature %g: log loss falls by %s (standard error %s)",
            facts->weight, facts->temper, output_round(facts->gain, gain), output_round(facts->gain_error, error));
    else if (facts->trial_count > 1) message_note("rows without a label are not used: no weight is better than 0");
    else if (facts->unlabelled > 0 && is_stated)
        message_note("%s with a label, %s without, which are not used", labelled, unlabelled);
    else if (facts->unlabelled > 0)
        message_note("rows without a label are not used: there are too few labels to choose their weight");
    else message_note("all rows have a label");
}

bool unlabelled_training_is_given(const invocation *call) {
    const char *value = arguments_value(&call->arguments, "unlabelled");
    return value != NULL && strcmp(value, "drop") != 0;
}

int unlabelled_training_run(const invocation *call, data *d, crd_model **out, crd_read_facts *facts, int *ending) {
    (void)ending;
    crd_unlabelled_options options = CRD_UNLABELLED_OPTIONS_INIT;
    crd_unlabelled_facts unlabelled_facts = CRD_UNLABELLED_FACTS_INIT;
    if (arguments_have(&call->arguments, "shard"))
        return message_usage("--unlabelled use and --shard cannot be combined: EM needs all rows at once");
    if (arguments_have(&call->arguments, "part"))
        return message_usage("--unlabelled use and --part cannot be combined: EM needs all rows at once");
    crd_settings *settings = NULL;
    crd_error error;
    *out = NULL;
    bool is_given;
    int ended = unlabelled_training_read(call, &is_given, &options);
    if (ended != ENDED_WELL) return ended;
    options.threads = crd_reader_threads(d->reader);
    if (crd_settings_create(call->context, &settings, &error) != CRD_OK) return message_error(&error);
    ended = document_operand_settings(call, settings);
    if (ended == ENDED_WELL) {
        const crd_status status = crd_unlabelled_train(d->reader, settings, &options, out, &unlabelled_facts, &error);
        progress_erase();
        if (status != CRD_OK) ended = data_report_untrained(call, d, &error, call->arguments.operands[0]);
    }
    if (ended == ENDED_WELL) {
        facts->rows = (uint64_t)(unlabelled_facts.labelled + unlabelled_facts.unlabelled);
        facts->weight = unlabelled_facts.labelled + unlabelled_facts.unlabelled;
        report_weight(&unlabelled_facts, options.weight >= 0);
    }
    crd_settings_destroy(settings);
    return ended;
}
