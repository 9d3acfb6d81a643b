/* SPDX-License-Identifier: MIT */
/* sequence_class_evaluation.c - evaluation of classifiers of whole sequences. Sequences are judged like rows. See
 * credence/hmm_answers.h. */
#include "base/error.h"
#include "base/memory.h"
#include "evaluate/evaluation.h"
#include "evaluate/sequence_processes.h"
#include "math/functions/elementary.h"
#include "sequence/data/sequences_internal.h"

#include <credence/hmm_answers.h>
#include <credence/number.h>

#include <math.h>
#include <string.h>

/* Finds the first label of a sequence; -1 if it has none. */
static crd_status class_evaluation_find_label(const crd_sequences *sequences, size_t sequence,
                                              crd_i_observation_room *workspace, int32_t *label, crd_error *error) {
    crd_status status = CRD_OK;
    crd_i_observation_block block = {0};
    *label = -1;
    for (uint64_t source = 0; status == CRD_OK && *label < 0 && source < crd_sequences_length(sequences, sequence);
         source += block.steps) {
        status = crd_i_sequences_block(sequences, sequence, source, CRD_I_BLOCK_STEPS, workspace, &block, error);
        for (size_t t = 0; status == CRD_OK && block.labels != NULL && *label < 0 && t < block.steps; t++)
            *label = block.labels[t];
    }
    return status;
}

/* ---- A classifier ---- */

/* Maps the classes of the classifier to the classes of the evaluation. Returns CRD_ERROR_ARGUMENT if a class is
 * missing there. */
static crd_status place_classes(const crd_sequence_classifier *classifier, const crd_evaluation *evaluation,
                                int32_t *places, crd_error *error) {
    for (size_t c = 0; c < crd_sequence_classifier_class_count(classifier); c++) {
        char quoted[CRD_I_QUOTED_ROOM];
        const crd_text name = crd_sequence_classifier_class(classifier, c);
        places[c] = crd_i_dictionary_find(evaluation->classes, name);
        if (places[c] < 0)
            return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the class '%s' is not among the classes to predict",
                              crd_i_quote(name, quoted));
    }
    return CRD_OK;
}

/* Adds the labeled sequences to the evaluation, and counts the unlabeled ones. */
static crd_status judge_sequences(const crd_sequences *sequences, size_t classes, const double *posteriors,
                                  const int32_t *places, crd_evaluation *evaluation, double *logs, uint64_t *unlabelled,
                                  crd_error *error) {
    crd_i_observation_room workspace = {.context = evaluation->context};
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < crd_sequences_count(sequences); i++) {
        int32_t label;
        status = class_evaluation_find_label(sequences, i, &workspace, &label, error);
        if (status == CRD_OK && label < 0) (*unlabelled)++;
        if (status != CRD_OK || label < 0) continue;
        for (size_t c = 0; c < evaluation->class_count; c++) logs[c] = -INFINITY;
        for (size_t c = 0; c < classes; c++) logs[places[c]] = posteriors[i * classes + c];
        status = crd_evaluation_add(evaluation, logs, crd_sequences_label(sequences, (size_t)label), NULL, error);
    }
    crd_i_observation_room_clear(&workspace);
    return status;
}

/* Classifies and judges all sequences in this process. */
static crd_status evaluate_alone(const crd_sequence_classifier *classifier, const crd_sequences *sequences,
                                 unsigned threads, crd_evaluation *evaluation, uint64_t *unlabelled, crd_error *error) {
    crd_context *context = evaluation->context;
    const size_t classes = crd_sequence_classifier_class_count(classifier), count = crd_sequences_count(sequences);
    double *posteriors = crd_i_alloc(context, count * classes, sizeof *posteriors);
    double *logs = crd_i_alloc(context, evaluation->class_count, sizeof *logs);
    int32_t *places = crd_i_alloc(context, classes, sizeof *places);
    uint64_t without = 0;
    crd_status status = posteriors == NULL || logs == NULL || places == NULL ? crd_i_fail_memory(error) : CRD_OK;
    if (status == CRD_OK) status = place_classes(classifier, evaluation, places, error);
    if (status == CRD_OK)
        status = crd_sequence_classifier_posteriors(classifier, sequences, threads, NULL, posteriors, NULL, error);
    if (status == CRD_OK)
        status = judge_sequences(sequences, classes, posteriors, places, evaluation, logs, &without, error);
    if (status == CRD_OK && unlabelled != NULL) *unlabelled += without;
    crd_free(context, posteriors);
    crd_free(context, logs);
    crd_free(context, places);
    return status;
}

/* Creates an empty evaluation with the same classes and fold. */
static crd_status class_evaluation_create_like(const crd_evaluation *evaluation, crd_evaluation **out,
                                               crd_error *error) {
    crd_context *context = evaluation->context;
    crd_text *classes = crd_i_alloc(context, evaluation->class_count, sizeof *classes);
    *out = NULL;
    if (classes == NULL) return crd_i_fail_memory(error);
    for (size_t k = 0; k < evaluation->class_count; k++) classes[k] = crd_i_dictionary_text(evaluation->classes, k);
    const crd_status status = crd_evaluation_create(context, classes, evaluation->class_count, out, error);
    if (status == CRD_OK) crd_evaluation_set_fold(*out, evaluation->fold);
    crd_free(context, classes);
    return status;
}

/* Decodes an evaluation and merges it. */
static crd_status class_evaluation_merge_bytes(crd_evaluation *evaluation, const unsigned char *bytes, size_t length,
                                               crd_error *error) {
    crd_evaluation *part = NULL;
    crd_status status = crd_evaluation_decode(evaluation->context, bytes, length, &part, error);
    if (status == CRD_OK) status = crd_evaluation_merge(evaluation, part, error);
    crd_evaluation_destroy(part);
    return status;
}

static crd_status class_evaluation_merge_gathered(crd_evaluation *evaluation, const crd_i_gathered *all,
                                                  crd_error *error) {
    crd_status status = CRD_OK;
    for (unsigned i = 0; status == CRD_OK && i < crd_i_process_count(evaluation->context); i++)
        status = class_evaluation_merge_bytes(evaluation, all->bytes[i], all->lengths[i], error);
    return status;
}

/* Evaluates in a group: each process judges some sequences, and the results are merged in every process. */
static crd_status evaluate_shared(const crd_sequence_classifier *classifier, const crd_sequences *sequences,
                                  unsigned threads, crd_evaluation *evaluation, uint64_t *unlabelled,
                                  crd_error *error) {
    crd_context *context = evaluation->context;
    crd_sequences *own_sequences = NULL;
    size_t first;
    crd_evaluation *part = NULL;
    unsigned char *bytes = NULL;
    size_t length = 0;
    uint64_t without = 0;
    crd_i_gathered all, counts;
    crd_status status = crd_sequences_divide(sequences, crd_i_process_rank(context), crd_i_process_count(context),
                                             &first, &own_sequences, error);
    if (status == CRD_OK) status = class_evaluation_create_like(evaluation, &part, error);
    if (status == CRD_OK) status = evaluate_alone(classifier, own_sequences, threads, part, &without, error);
    if (status == CRD_OK) status = crd_evaluation_encode(part, &bytes, &length, error);
    status = crd_i_gather(context, status, bytes, length, &all, error);
    if (status == CRD_OK) {
        status = crd_i_gather(context, status, &without, sizeof without, &counts, error);
        if (status == CRD_OK)
            status = crd_i_agree(context, class_evaluation_merge_gathered(evaluation, &all, error), error);
        for (unsigned i = 0; status == CRD_OK && unlabelled != NULL && i < crd_i_process_count(context); i++) {
            crd_i_received message = {counts.bytes[i], counts.lengths[i]};
            if (!crd_i_received_take(&message, &without, sizeof without)) status = crd_i_fail_received(error);
            else *unlabelled += without;
        }
        crd_i_gathered_clear(&counts);
    }
    crd_i_gathered_clear(&all);
    crd_free(context, bytes);
    crd_evaluation_destroy(part);
    crd_sequences_destroy(own_sequences);
    return status;
}

crd_status crd_sequence_classifier_evaluate(const crd_sequence_classifier *classifier, const crd_sequences *sequences,
                                            unsigned threads, crd_evaluation *evaluation, uint64_t *unlabelled,
                                            crd_error *error) {
    return crd_i_is_collective(evaluation->context)
               ? evaluate_shared(classifier, sequences, threads, evaluation, unlabelled, error)
               : evaluate_alone(classifier, sequences, threads, evaluation, unlabelled, error);
}

/* ---- Folds ---- */

/* The state of a cross-validation. */
typedef struct class_folds {
    crd_context *context;
    const crd_sequences *sequences;
    const crd_settings *settings;
    const crd_hmm_train_options *training;
    unsigned threads;
    crd_evaluation *evaluation;
    uint32_t *folds;
    size_t *chosen;
} class_folds;

/* Draws folds, stratified by class. Unlabeled sequences are in no fold. */
static crd_status class_evaluation_draw_folds(class_folds *f, const crd_split_options *split, crd_error *error) {
    crd_folds *folds = NULL;
    crd_i_observation_room workspace = {.context = f->context};
    crd_status status = crd_folds_create(f->context, split->folds, split->seed, &folds, error);
    for (size_t i = 0; status == CRD_OK && i < crd_sequences_count(f->sequences); i++) {
        int32_t label;
        f->folds[i] = CRD_NO_FOLD;
        status = class_evaluation_find_label(f->sequences, i, &workspace, &label, error);
        if (status != CRD_OK || label < 0) continue;
        status = crd_folds_next(folds, crd_sequences_label(f->sequences, (size_t)label), &f->folds[i], error);
        if (split->held_out > 0) f->folds[i] = f->folds[i] < split->held_out;
    }
    crd_folds_destroy(folds);
    crd_i_observation_room_clear(&workspace);
    return status;
}

/* Creates a view of the sequences of a fold (is_in), or of the labeled sequences of all other folds. */
static crd_status class_evaluation_select_fold(const class_folds *f, uint32_t fold, bool is_in, crd_sequences **out,
                                               crd_error *error) {
    size_t count = 0;
    for (size_t i = 0; i < crd_sequences_count(f->sequences); i++)
        if (f->folds[i] != CRD_NO_FOLD && (f->folds[i] == fold) == is_in) f->chosen[count++] = i;
    return crd_sequences_select(f->sequences, f->chosen, count, out, error);
}

/* Trains on all other folds and evaluates one fold. See crd_i_fold_tests. */
static crd_status class_evaluation_test_fold(void *user, uint32_t fold, crd_error *error) {
    const class_folds *f = user;
    crd_sequences *learned = NULL, *tested = NULL;
    crd_model *model = NULL;
    crd_sequence_classifier *classifier = NULL;
    /* Processes that work on a fold together must have the same status before each collective step. */
    crd_status status = crd_i_agree(f->context, class_evaluation_select_fold(f, fold, true, &tested, error), error);
    if (status == CRD_OK && crd_sequences_count(tested) > 0) {
        status = class_evaluation_select_fold(f, fold, false, &learned, error);
        status = crd_i_agree(f->context, status, error);
        if (status == CRD_OK) status = crd_sequence_classes_train(learned, f->settings, f->training, &model, error);
        if (status == CRD_OK) status = crd_sequence_classifier_create(model, NULL, &classifier, error);
        status = crd_i_agree(f->context, status, error);
        crd_evaluation_set_fold(f->evaluation, fold);
        if (status == CRD_OK)
            status = crd_sequence_classifier_evaluate(classifier, tested, f->threads, f->evaluation, NULL, error);
    }
    status = crd_i_agree(f->context, status, error);
    crd_sequence_classifier_destroy(classifier);
    crd_model_destroy(model);
    crd_sequences_destroy(learned);
    crd_sequences_destroy(tested);
    return status;
}

static bool class_evaluation_is_number(crd_text text, double *value) {
    return crd_number_parse(text, value) == CRD_NUMBER_FINITE;
}

/* Creates the evaluation, whose classes are the labels in order. */
static crd_status class_evaluation_create(class_folds *f, crd_error *error) {
    const crd_i_dictionary *labels = crd_i_sequences_labels(f->sequences);
    const size_t count = labels == NULL ? 0 : crd_i_dictionary_size(labels);
    int32_t *codes = crd_i_alloc(f->context, count, sizeof *codes);
    crd_text *classes = crd_i_alloc(f->context, count, sizeof *classes);
    crd_status status = codes == NULL || classes == NULL ? crd_i_fail_memory(error) : CRD_OK;
    if (status == CRD_OK && count == 0) status = crd_i_fail(error, CRD_ERROR_EMPTY, "no sequence has a class");
    if (status == CRD_OK && crd_i_dictionary_order(labels, NULL, class_evaluation_is_number, codes) == SIZE_MAX)
        status = crd_i_fail_memory(error);
    for (size_t i = 0; status == CRD_OK && i < count; i++) classes[i] = crd_i_dictionary_text(labels, (size_t)codes[i]);
    if (status == CRD_OK) status = crd_evaluation_create(f->context, classes, count, &f->evaluation, error);
    crd_free(f->context, codes);
    crd_free(f->context, classes);
    return status;
}

/* Evaluates one fold and encodes the result. See crd_i_fold_tests. */
static crd_status class_evaluation_test_apart(void *user, uint32_t fold, unsigned char **bytes, size_t *length,
                                              crd_error *error) {
    class_folds alone = *(const class_folds *)user;
    alone.evaluation = NULL;
    crd_status status = class_evaluation_create(&alone, error);
    if (status == CRD_OK) status = class_evaluation_test_fold(&alone, fold, error);
    if (status == CRD_OK) status = crd_evaluation_encode(alone.evaluation, bytes, length, error);
    crd_evaluation_destroy(alone.evaluation);
    return status;
}

static crd_status class_evaluation_merge_fold(void *user, const unsigned char *bytes, size_t length, crd_error *error) {
    const class_folds *f = user;
    return class_evaluation_merge_bytes(f->evaluation, bytes, length, error);
}

crd_status crd_sequence_classes_validate(const crd_sequences *sequences, const crd_settings *settings,
                                         const crd_hmm_train_options *training, const crd_split_options *split,
                                         unsigned threads, uint32_t *folds, crd_evaluation **out, crd_error *error) {
    crd_split_options options = CRD_SPLIT_OPTIONS_INIT;
    const size_t count = crd_sequences_count(sequences);
    crd_context *context = crd_i_sequences_context(sequences);
    class_folds f = {
        .context = context, .sequences = sequences, .settings = settings, .training = training, .threads = threads};
    *out = NULL;
    if (split != NULL && !crd_i_copy_in(split, &options, sizeof options))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the options were not initialized");
    f.folds = crd_i_alloc(context, count, sizeof *f.folds);
    f.chosen = crd_i_alloc(context, count, sizeof *f.chosen);
    crd_status status = f.folds == NULL || f.chosen == NULL ? crd_i_fail_memory(error) : CRD_OK;
    if (status == CRD_OK) status = class_evaluation_create(&f, error);
    if (status == CRD_OK) status = class_evaluation_draw_folds(&f, &options, error);
    const bool is_holdout = options.held_out > 0;
    const crd_i_fold_tests tests = {.user = &f,
                                    .first = is_holdout ? 1 : 0,
                                    .end = is_holdout ? 2 : options.folds,
                                    .test = class_evaluation_test_fold,
                                    .test_apart = class_evaluation_test_apart,
                                    .merge = class_evaluation_merge_fold};
    if (status == CRD_OK) status = crd_i_test_folds(context, crd_i_sequences_are_shared(sequences), &tests, error);
    for (size_t i = 0; status == CRD_OK && folds != NULL && i < count; i++) folds[i] = f.folds[i];
    crd_free(context, f.folds);
    crd_free(context, f.chosen);
    if (status == CRD_OK) *out = f.evaluation;
    else crd_evaluation_destroy(f.evaluation);
    return status;
}
