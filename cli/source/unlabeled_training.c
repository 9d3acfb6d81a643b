/* SPDX-License-Identifier: MIT */
/* unlabeled_training.c - see unlabeled_training.h. */
#include "source/unlabeled_training.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "core/progress.h"
#include "core/report_write.h"
#include "source/document_operand.h"

#include <math.h>
#include <string.h>

int unlabeled_training_read(const invocation *call, bool *is_given, crd_unlabeled_options *options) {
    const char *value = arguments_value(&call->arguments, "unlabeled");
    double weight;
    *is_given = value != NULL && strncmp(value, "use", 3) == 0 && (value[3] == '\0' || value[3] == ':');
    if (value == NULL || (*is_given && value[3] == '\0') || strcmp(value, "drop") == 0) return ENDED_WELL;
    const bool is_number = *is_given && crd_number_parse(crd_text_of(value + 4), &weight) == CRD_NUMBER_FINITE;
    if (!is_number || weight < 0 || weight > 1)
        return message_usage("--unlabeled: expected drop, use, or use:W with a weight W from 0 to 1, got '%s'", value);
    options->weight = weight;
    return ENDED_WELL;
}

/* Returns the best trial among those with the smallest weight above `above`; NULL: there is none. */
static const crd_unlabeled_trial *next_weight(const crd_unlabeled_facts *facts, double above) {
    const crd_unlabeled_trial *trial = NULL;
    for (size_t i = 0; i < facts->trial_count; i++) {
        const crd_unlabeled_trial *unlabeled = &facts->trials[i];
        if (!(unlabeled->weight > above)) continue;
        if (trial == NULL || unlabeled->weight < trial->weight ||
            (unlabeled->weight == trial->weight && unlabeled->log_loss < trial->log_loss))
            trial = unlabeled;
    }
    return trial;
}

/* Lists the weights that were tried, each with its best inverse temperature. */
static void list_trials(const crd_unlabeled_facts *facts) {
    output notes = {.stream = stderr, .format = FORMAT_TABLE};
    crd_result *r = report_create(NULL);
    crd_result_table *t = crd_result_add_table(r, NULL);
    crd_result_add_column(t, NULL, "weight");
    crd_result_add_column(t, NULL, "inverse temperature");
    crd_result_add_column(t, NULL, "log loss, held out");
    for (const crd_unlabeled_trial *trial = next_weight(facts, -1); trial != NULL;
         trial = next_weight(facts, trial->weight)) {
        const bool is_chosen = trial->weight == facts->weight;
        crd_cell_words(t, crd_result_format(r, "%g%s", trial->weight, is_chosen ? " (chosen)" : ""));
        if (trial->weight > 0) crd_cell_number(t, trial->inverse_temperature);
        else crd_cell_null(t);
        crd_cell_number(t, trial->log_loss);
    }
    report_write(r, &notes);
    crd_result_destroy(r);
}

/* Reports the weight of the rows without a label, and the gain in held-out log loss. */
static void report_weight(const crd_unlabeled_facts *facts, bool is_stated) {
    char labeled[ROWS_ROOM], unlabeled[ROWS_ROOM], held[ROWS_ROOM], gain[CRD_NUMBER_ROOM], error[CRD_NUMBER_ROOM];
    if (message_is_quiet()) return;
    output_rows((uint64_t)facts->labeled, labeled);
    output_rows((uint64_t)facts->unlabeled, unlabeled);
    output_rows((uint64_t)facts->held_out, held);
    if (facts->trial_count > 1) {
        message_note(
            "%s with a label, %s without; the weight of the unlabeled rows is chosen by the log loss of %s held out:",
            labeled, unlabeled, held);
        list_trials(facts);
    }
    if (isnan(facts->gain) && facts->weight > 0)
        message_note("%s with a label, %s without, which count %g each", labeled, unlabeled, facts->weight);
    else if (facts->weight > 0)
        message_note(
            "rows without a label count %g each, with inverse temperature %g: log loss falls by %s (standard error %s)",
            facts->weight, facts->inverse_temperature, crd_number_round(facts->gain, gain),
            crd_number_round(facts->gain_error, error));
    else if (facts->trial_count > 1) message_note("rows without a label are not used: no weight is better than 0");
    else if (facts->unlabeled > 0 && is_stated)
        message_note("%s with a label, %s without, which are not used", labeled, unlabeled);
    else if (facts->unlabeled > 0)
        message_note("rows without a label are not used: there are too few labels to choose their weight");
    else message_note("all rows have a label");
}

bool unlabeled_training_is_given(const invocation *call) {
    const char *value = arguments_value(&call->arguments, "unlabeled");
    return value != NULL && strcmp(value, "drop") != 0;
}

int unlabeled_training_run(const invocation *call, data *d, crd_model **out, crd_read_facts *facts, int *ending) {
    (void)ending;
    crd_unlabeled_options options = CRD_UNLABELED_OPTIONS_INIT;
    crd_unlabeled_facts unlabeled_facts = CRD_UNLABELED_FACTS_INIT;
    if (arguments_have(&call->arguments, "shard"))
        return message_usage("--unlabeled use and --shard cannot be combined: EM needs all rows at once");
    if (arguments_have(&call->arguments, "part"))
        return message_usage("--unlabeled use and --part cannot be combined: EM needs all rows at once");
    crd_settings *settings = NULL;
    crd_error error;
    *out = NULL;
    bool is_given;
    int ended = unlabeled_training_read(call, &is_given, &options);
    if (ended != ENDED_WELL) return ended;
    options.threads = crd_reader_threads(d->reader);
    if (crd_settings_create(call->context, &settings, &error) != CRD_OK) return message_error(&error);
    ended = document_operand_settings(call, settings);
    if (ended == ENDED_WELL) {
        const crd_status status = crd_unlabeled_train(d->reader, settings, &options, out, &unlabeled_facts, &error);
        progress_erase();
        if (status != CRD_OK) ended = data_report_untrained(call, d, &error, call->arguments.operands[0]);
    }
    if (ended == ENDED_WELL) {
        facts->rows = (uint64_t)(unlabeled_facts.labeled + unlabeled_facts.unlabeled);
        facts->weight = unlabeled_facts.labeled + unlabeled_facts.unlabeled;
        report_weight(&unlabeled_facts, options.weight >= 0);
    }
    crd_settings_destroy(settings);
    return ended;
}
