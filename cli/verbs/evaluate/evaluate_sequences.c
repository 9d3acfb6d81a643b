/* SPDX-License-Identifier: MIT */
/* evaluate_sequences.c - evaluates hidden Markov models on labeled sequences: a trained model on other sequences,
 * cross-validation and holdout by whole sequences, and the comparison of hidden states with a known labeling. */
#include "verbs/evaluate/evaluate_verb.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "core/report_write.h"
#include "source/model_operand.h"
#include "source/option_scope.h"
#include "source/sequence_input.h"
#include "source/sequence_options.h"

#include <stdlib.h>
#include <string.h>

int evaluate_refuse_row_options(const invocation *call) {
    static const char *const row_options[] = {"cost", "reject", "threshold", "weight", "unlabeled"};
    for (size_t i = 0; i < sizeof row_options / sizeof *row_options; i++)
        if (arguments_have(&call->arguments, row_options[i]))
            return message_usage("--%s is for models of rows, not for sequences", row_options[i]);
    return ENDED_WELL;
}

static int sequences_read_options(const invocation *call, crd_sequence_evaluation_options *options) {
    enum { DECODE_PATH, DECODE_POSTERIOR };
    size_t decoding = DECODE_PATH;
    int ended = evaluate_refuse_row_options(call);
    if (ended == ENDED_WELL) ended = arguments_choice(&call->arguments, "decoding", "viterbi|posterior", &decoding);
    options->decoding = decoding == DECODE_PATH ? CRD_DECODING_VITERBI : CRD_DECODING_POSTERIOR;
    return ended == ENDED_WELL ? sequence_input_threads(call, &options->threads) : ended;
}

/* ---- The report ---- */

enum { MOST_TOPS = 3 };

static int sequences_find_tops(const invocation *call, const crd_evaluation *items, size_t classes, top_accuracy *tops,
                               size_t *count) {
    uint64_t requested = 0;
    crd_error error;
    int ended = arguments_whole(&call->arguments, "top-k", &requested);
    *count = 0;
    if (ended != ENDED_WELL || requested == 0) return ended;
    tops[0] = (top_accuracy){.k = requested < classes ? (size_t)requested : classes, .is_shown = true};
    if (crd_evaluation_top_accuracy(items, tops[0].k, &tops[0].accuracy, &error) != CRD_OK)
        return message_error(&error);
    *count = 1;
    return ENDED_WELL;
}

/* Writes only how probable the sequences are. This is all that can be evaluated if the states are hidden. */
static int write_likelihood(const ran *source_ran, const crd_sequence_evaluation *evaluation, const char *heading) {
    crd_sequence_totals totals = CRD_SEQUENCE_TOTALS_INIT;
    const evaluated e = {.heading = heading, .sequences = evaluation, .ran = source_ran};
    crd_sequence_evaluation_totals(evaluation, &totals);
    crd_result *r = report_create(source_ran->call->context);
    crd_result_prose(r, CRD_TOP_HEADING, 1, "", "", heading);
    crd_result_begin(r, CRD_OBJECT, NULL);
    evaluate_report_sequences(r, evaluate_add_lines(r), &e);
    evaluate_report_run(r, source_ran, totals.items);
    crd_result_end(r);
    return report_finish(r, source_ran->call, FORMATS, ENDED_WELL);
}

/* Writes the scores of items and of the sequences that contain them. `sequences` may be NULL. */
static int sequences_write_scores(const ran *source_ran, const crd_evaluation *items,
                                  const crd_sequence_evaluation *sequences, const crd_scores *scores,
                                  const crd_fold_scores *folds, const char *heading) {
    crd_totals totals = CRD_TOTALS_INIT;
    top_accuracy tops[MOST_TOPS];
    sweep no_sweep = {.is_asked = false};
    const columns_importance no_importance = {.importance = NULL};
    evaluated e = {.heading = heading,
                   .all_classes = arguments_have(&source_ran->call->arguments, "all-classes"),
                   .scores = scores,
                   .totals = &totals,
                   .folds = folds,
                   .ran = source_ran,
                   .tops = tops,
                   .sweep = &no_sweep,
                   .importance = &no_importance,
                   .sequences = sequences};
    crd_scores_totals(scores, &totals);
    if (totals.rows == 0) return message_failed("no sequence to evaluate has a label");
    int ended = sequences_find_tops(source_ran->call, items, scores->class_count, tops, &e.top_count);
    if (ended != ENDED_WELL) return ended;
    crd_result *r = report_create_drawn(source_ran->call);
    evaluate_report(r, &e);
    return report_finish(r, source_ran->call, FORMATS, evaluate_draw(r, &e, items));
}

int evaluate_write_items(const ran *source_ran, const crd_evaluation *items, const crd_sequence_evaluation *sequences,
                         bool has_folds, const char *heading) {
    crd_scores *scores = NULL;
    crd_fold_scores *folds = NULL;
    crd_error error;
    int ended = ENDED_WELL;
    if (crd_scores_create(items, &scores, &error) != CRD_OK ||
        (has_folds && crd_fold_scores_create(items, &folds, &error) != CRD_OK))
        ended = message_error(&error);
    if (ended == ENDED_WELL) ended = sequences_write_scores(source_ran, items, sequences, scores, folds, heading);
    crd_scores_destroy(scores);
    crd_fold_scores_destroy(folds);
    return ended;
}

/* Writes the report. is_labeled: the states are labels, which items may have; otherwise they are hidden. */
static int sequences_write_report(const ran *source_ran, const crd_sequence_evaluation *evaluation, bool is_labeled,
                                  bool has_folds, const char *heading) {
    crd_sequence_totals totals = CRD_SEQUENCE_TOTALS_INIT;
    crd_sequence_evaluation_totals(evaluation, &totals);
    if (totals.sequences == 0) return message_failed("the input has no sequence to evaluate");
    if (totals.labeled == 0 && is_labeled) {
        string shown = {0};
        string_add_shown(&shown, source_ran->target);
        message_warning("no item has a label (%s) to compare with: only the log-likelihood is reported",
                        string_text(&shown));
        string_free(&shown);
    }
    if (totals.labeled == 0) return write_likelihood(source_ran, evaluation, heading);
    return evaluate_write_items(source_ran, crd_sequence_evaluation_items(evaluation), evaluation, has_folds, heading);
}

/* ---- A model on other sequences ---- */

typedef struct sequence_exam {
    const invocation *call;
    const crd_hmm *hmm;
    crd_sequence_evaluation_options options;
    crd_sequence_evaluation *evaluation;
    crd_text *classes;
    size_t class_count;
} sequence_exam;

static crd_status sequences_begin_exam(sequence_exam *t, crd_error *error) {
    crd_sequence_evaluation_destroy(t->evaluation);
    return crd_sequence_evaluation_create(t->call->context, t->classes, t->class_count, &t->options, &t->evaluation,
                                          error);
}

static crd_status sequences_add_batch(void *user, const crd_sequences *batch, crd_error *error) {
    sequence_exam *t = user;
    crd_status status = t->evaluation == NULL ? sequences_begin_exam(t, error) : CRD_OK;
    return status == CRD_OK ? crd_sequence_evaluation_add(t->evaluation, t->hmm, batch, error) : status;
}

static int sequences_run_exam(sequence_exam *t, const crd_model *model) {
    const arguments *words = &t->call->arguments;
    const ran source_ran = {
        .call = t->call, .target = crd_model_target(model), .settings = crd_hmm_facts_of(t->hmm)->settings};
    sequence_input input;
    int ended = sequence_input_open(t->call, model, words->operands + 1, words->operand_count - 1, false, &input);
    if (ended != ENDED_WELL) return ended;
    ended = sequence_input_take(&input, sequences_add_batch, t);
    sequence_input_close(&input);
    if (ended == ENDED_WELL && t->evaluation == NULL) ended = message_failed("the input has no sequence to evaluate");
    return ended == ENDED_WELL ? sequences_write_report(&source_ran, t->evaluation, t->class_count > 0, false,
                                                        "The model on these sequences")
                               : ended;
}

/* Evaluates a trained HMM on the sequences of DATA. */
int evaluate_sequence_model(const invocation *call, const crd_model *model) {
    sequence_exam t = {.call = call, .options = CRD_SEQUENCE_EVALUATION_OPTIONS_INIT};
    crd_settings *settings = NULL;
    crd_hmm *hmm = NULL;
    crd_error error;
    int ended = sequences_read_options(call, &t.options);
    if (ended == ENDED_WELL) ended = model_operand_settings(call, model, &settings);
    if (ended == ENDED_WELL && crd_hmm_create(model, settings, &hmm, &error) != CRD_OK)
        ended = message_error_in(&error, call->arguments.operands[0]);
    if (ended == ENDED_WELL) {
        t.hmm = hmm;
        t.class_count = crd_hmm_facts_of(hmm)->is_hidden ? 0 : crd_hmm_state_count(hmm);
        t.classes = memory_resize(NULL, t.class_count, sizeof *t.classes);
        for (size_t k = 0; k < t.class_count; k++) t.classes[k] = crd_hmm_state(hmm, k);
        ended = sequences_run_exam(&t, model);
    }
    crd_sequence_evaluation_destroy(t.evaluation);
    free(t.classes);
    crd_hmm_destroy(hmm);
    crd_settings_destroy(settings);
    return ended;
}

/* ---- Folds of whole sequences ---- */

static int sequences_read(const invocation *call, data *d, crd_sequences **out) {
    const arguments *words = &call->arguments;
    crd_sequence_options options = CRD_SEQUENCE_OPTIONS_INIT;
    crd_error error;
    int ended = sequence_options_read(call, &options);
    if (ended == ENDED_WELL) ended = data_open(call, words->operands, words->operand_count, false, d);
    if (ended == ENDED_WELL) ended = data_choose_columns(call, d, words->operands[0], true);
    if (ended == ENDED_WELL && crd_sequences_read(d->reader, &options, out, &error) != CRD_OK)
        ended = message_error(&error);
    return ended;
}

/* Writes the number and fold of each sequence to the file of --write-folds, if it is given. */
int evaluate_write_folds(const invocation *call, const crd_split_options *split, const crd_sequences *sequences,
                         const uint32_t *folds) {
    const char *path = arguments_value(&call->arguments, "write-folds");
    output out;
    if (path == NULL) return ENDED_WELL;
    int ended = output_open_named(call, path, &out);
    if (ended != ENDED_WELL) return ended;
    fputs("sequence,fold\n", out.stream);
    for (size_t i = 0; i < crd_sequences_count(sequences); i++) {
        crd_text id = crd_sequences_id(sequences, i);
        if (id.length > 0) output_csv_text(&out, id);
        else fprintf(out.stream, "%zu", i + 1);
        if (folds[i] == CRD_NO_FOLD) fputs(",\n", out.stream);
        else if (split->held_out > 0) fprintf(out.stream, ",%s\n", folds[i] == 1 ? "test" : "train");
        else fprintf(out.stream, ",%lu\n", (unsigned long)folds[i] + 1);
    }
    return output_close(&out, ENDED_WELL);
}

static void describe_folds(string *string_options, const crd_split_options *split, size_t sequences) {
    unsigned long long seed = split->seed;
    if (split->held_out > 0)
        string_format(string_options, "Sequences held out of training (%lu of %lu, seed %llu)",
                      (unsigned long)split->held_out, (unsigned long)split->folds, seed);
    else
        string_format(string_options, "Cross-validation of %zu sequences in %zu folds (seed %llu)", sequences,
                      split->folds < sequences ? (size_t)split->folds : sequences, seed);
}

/* Trains and evaluates HMMs by cross-validation or holdout, and writes the report. */
static int sequences_validate(const invocation *call, const crd_sequences *sequences, const crd_settings *settings,
                              const crd_sequence_evaluation_options *options, const crd_split_options *split) {
    const size_t count = crd_sequences_count(sequences);
    crd_hmm_train_options training = CRD_HMM_TRAIN_OPTIONS_INIT;
    crd_sequence_evaluation *evaluation = NULL;
    crd_error error;
    string string_options = {0};
    const bool is_hidden = crd_sequences_has_target(sequences) == 0;
    const crd_text target = is_hidden ? crd_text_of("state") : crd_sequences_target(sequences);
    const ran source_ran = {.call = call, .target = target, .settings = settings};
    uint32_t *folds = memory_resize(NULL, count, sizeof *folds);
    int ended = ENDED_WELL;
    training.threads = options->threads;
    if (crd_sequence_validate(sequences, target, settings, &training, split, options, folds, &evaluation, &error) !=
        CRD_OK)
        ended = message_error_in(&error, call->arguments.operands[0]);
    if (ended == ENDED_WELL) ended = evaluate_write_folds(call, split, sequences, folds);
    describe_folds(&string_options, split, count);
    if (ended == ENDED_WELL)
        ended = sequences_write_report(&source_ran, evaluation, !is_hidden, split->held_out == 0,
                                       string_text(&string_options));
    crd_sequence_evaluation_destroy(evaluation);
    string_free(&string_options);
    free(folds);
    return ended;
}

/* Reads the sequences of DATA, and evaluates them in folds: items with labels, or classes of whole sequences. */
int evaluate_sequence_folds(const invocation *call) {
    crd_sequence_evaluation_options options = CRD_SEQUENCE_EVALUATION_OPTIONS_INIT;
    crd_split_options split = CRD_SPLIT_OPTIONS_INIT;
    crd_settings *settings = NULL;
    crd_sequences *sequences = NULL;
    data d = {0};
    int ended = option_scope_check_sequence_table(call, call->arguments.operands[0]);
    if (ended == ENDED_WELL) ended = sequences_read_options(call, &options);
    if (ended == ENDED_WELL) ended = split_read(call, &split);
    if (ended == ENDED_WELL) ended = evaluate_settings(call, &settings);
    if (ended == ENDED_WELL) ended = sequences_read(call, &d, &sequences);
    /* Labels in addition to hidden states are classes of whole sequences. */
    const bool has_classes = arguments_have(&call->arguments, "states") && d.target.length > 0;
    if (ended == ENDED_WELL && has_classes) {
        string string_options = {0};
        describe_folds(&string_options, &split, crd_sequences_count(sequences));
        ended = evaluate_sequence_class_folds(call, sequences, settings, options.threads, &split,
                                              string_text(&string_options));
        string_free(&string_options);
    } else if (ended == ENDED_WELL) {
        ended = sequences_validate(call, sequences, settings, &options, &split);
    }
    crd_sequences_destroy(sequences);
    crd_settings_destroy(settings);
    data_close(&d);
    return ended;
}
