/* SPDX-License-Identifier: MIT */
/* evaluate_sequence_classes.c - evaluates sequence classification. Each whole sequence counts like a row, with a
 * trained model or in folds. */
#include "verbs/evaluate/evaluate_verb.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "source/model_operand.h"
#include "source/sequence_input.h"

#include <stdlib.h>

typedef struct class_exam {
    const invocation *call;
    const crd_sequence_classifier *classifier;
    unsigned threads;
    crd_evaluation *evaluation;
    uint64_t unlabeled;
} class_exam;

static crd_status sequence_classes_begin_exam(class_exam *t, crd_error *error) {
    size_t count = t->classifier->classes->count;
    crd_text *classes = memory_resize(NULL, count, sizeof *classes);
    for (size_t c = 0; c < count; c++) classes[c] = t->classifier->classes->names[c];
    crd_status status = crd_evaluation_create(t->call->context, classes, count, &t->evaluation, error);
    free(classes);
    return status;
}

static crd_status sequence_classes_add_batch(void *user, const crd_sequences *batch, crd_error *error) {
    class_exam *t = user;
    crd_status status = t->evaluation == NULL ? sequence_classes_begin_exam(t, error) : CRD_OK;
    if (status != CRD_OK) return status;
    return crd_sequence_classifier_evaluate(t->classifier, batch, t->threads, t->evaluation, &t->unlabeled, error);
}

/* Predicts the class of each sequence of DATA and writes the scores. */
static int sequence_classes_run_exam(class_exam *t, const crd_model *model, const crd_settings *settings) {
    const arguments *words = &t->call->arguments;
    const ran source_ran = {.call = t->call, .target = crd_model_target(model), .settings = settings};
    char buffer[ROWS_ROOM];
    sequence_input input;
    int ended = sequence_input_open(t->call, model, words->operands + 1, words->operand_count - 1, false, &input);
    if (ended != ENDED_WELL) return ended;
    ended = sequence_input_take(&input, sequence_classes_add_batch, t);
    sequence_input_close(&input);
    if (ended == ENDED_WELL && t->evaluation == NULL) ended = message_failed("the input has no sequence to evaluate");
    if (ended == ENDED_WELL)
        ended = evaluate_write_items(&source_ran, t->evaluation, NULL, false,
                                     "The model on these sequences (one row per sequence)");
    if (ended == ENDED_WELL && t->unlabeled > 0)
        message_note("skipped %s without a class", crd_number_count((double)t->unlabeled, buffer));
    return ended;
}

/* Evaluates a model that has one HMM per class on the sequences of DATA. */
int evaluate_sequence_classes(const invocation *call, const crd_model *model) {
    class_exam t = {.call = call};
    crd_settings *settings = NULL;
    crd_sequence_classifier *classifier = NULL;
    crd_error error;
    int ended = evaluate_refuse_row_options(call);
    if (ended == ENDED_WELL) ended = sequence_input_threads(call, &t.threads);
    if (ended == ENDED_WELL) ended = model_operand_settings(call, model, &settings);
    if (ended == ENDED_WELL && crd_sequence_classifier_create(model, settings, &classifier, &error) != CRD_OK)
        ended = message_error_in(&error, call->arguments.operands[0]);
    t.classifier = classifier;
    if (ended == ENDED_WELL) ended = sequence_classes_run_exam(&t, model, settings);
    crd_evaluation_destroy(t.evaluation);
    crd_sequence_classifier_destroy(classifier);
    crd_settings_destroy(settings);
    return ended;
}

/* Evaluates sequence classification by cross-validation or holdout. Whole sequences are in one fold. */
int evaluate_sequence_class_folds(const invocation *call, const crd_sequences *sequences, const crd_settings *settings,
                                  unsigned threads, const crd_split_options *split, const char *heading) {
    const ran source_ran = {.call = call, .target = crd_sequences_target(sequences), .settings = settings};
    crd_hmm_train_options training = CRD_HMM_TRAIN_OPTIONS_INIT;
    crd_evaluation *evaluation = NULL;
    crd_error error;
    uint32_t *folds = memory_resize(NULL, crd_sequences_count(sequences), sizeof *folds);
    int ended = ENDED_WELL;
    training.threads = threads;
    if (crd_sequence_classes_validate(sequences, settings, &training, split, threads, folds, &evaluation, &error) !=
        CRD_OK)
        ended = message_error_in(&error, call->arguments.operands[0]);
    if (ended == ENDED_WELL) ended = evaluate_write_folds(call, split, sequences, folds);
    if (ended == ENDED_WELL) ended = evaluate_write_items(&source_ran, evaluation, NULL, split->held_out == 0, heading);
    crd_evaluation_destroy(evaluation);
    free(folds);
    return ended;
}
