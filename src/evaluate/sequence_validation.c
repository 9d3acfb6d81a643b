/* SPDX-License-Identifier: MIT */
/* sequence_validation.c - cross-validation of hidden Markov models. See credence/hmm_answers.h. */
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "evaluate/sequence_processes.h"
#include "sequence/data/sequences_internal.h"

#include <credence/hmm_answers.h>
#include <credence/number.h>

/* The state of a cross-validation. */
typedef struct sequence_folds {
    crd_context *context;
    const crd_sequences *sequences;
    crd_text target;
    const crd_settings *settings;
    const crd_hmm_train_options *training;
    const crd_sequence_evaluation_options *options;
    crd_sequence_evaluation *evaluation;
    uint32_t *folds; /* fold of each sequence */
    size_t *chosen;  /* buffer for sequence numbers */
} sequence_folds;

/* ---- Folds ---- */

/* Draws the folds. Sequences are not stratified. */
static crd_status sequence_folds_draw(sequence_folds *f, const crd_split_options *split, crd_error *error) {
    const crd_text all = {"", 0};
    crd_folds *folds = NULL;
    crd_status status = crd_folds_create(f->context, split->folds, split->seed, &folds, error);
    for (size_t i = 0; status == CRD_OK && i < crd_sequences_count(f->sequences); i++) {
        status = crd_folds_next(folds, all, &f->folds[i], error);
        if (status == CRD_OK && split->held_out > 0) f->folds[i] = f->folds[i] < split->held_out;
    }
    crd_folds_destroy(folds);
    return status;
}

/* Creates a view of the sequences of a fold (is_in), or of all other sequences. */
static crd_status sequence_folds_select(const sequence_folds *f, uint32_t fold, bool is_in, crd_sequences **out,
                                        crd_error *error) {
    size_t count = 0;
    for (size_t i = 0; i < crd_sequences_count(f->sequences); i++)
        if ((f->folds[i] == fold) == is_in) f->chosen[count++] = i;
    return crd_sequences_select(f->sequences, f->chosen, count, out, error);
}

/* Trains on all other folds and evaluates one fold. See crd_i_fold_tests. */
static crd_status sequence_folds_test(void *user, uint32_t fold, crd_error *error) {
    const sequence_folds *f = user;
    crd_sequences *learned = NULL, *tested = NULL;
    crd_model *model = NULL;
    crd_hmm *hmm = NULL;
    /* Processes that work on a fold together must have the same status before each collective step. */
    crd_status status = crd_i_agree(f->context, sequence_folds_select(f, fold, true, &tested, error), error);
    if (status == CRD_OK && crd_sequences_count(tested) > 0) {
        status = sequence_folds_select(f, fold, false, &learned, error);
        if (status == CRD_OK && crd_sequences_count(learned) == 0)
            status =
                crd_i_fail(error, CRD_ERROR_EMPTY, "all sequences are in one fold, so there are none to learn from");
        status = crd_i_agree(f->context, status, error);
        if (status == CRD_OK) status = crd_hmm_train(learned, f->target, f->settings, f->training, &model, NULL, error);
        if (status == CRD_OK) status = crd_hmm_create(model, NULL, &hmm, error);
        status = crd_i_agree(f->context, status, error);
        crd_sequence_evaluation_set_fold(f->evaluation, fold);
        if (status == CRD_OK) status = crd_sequence_evaluation_add(f->evaluation, hmm, tested, error);
    }
    status = crd_i_agree(f->context, status, error);
    crd_hmm_destroy(hmm);
    crd_model_destroy(model);
    crd_sequences_destroy(learned);
    crd_sequences_destroy(tested);
    return status;
}

/* ---- Classes ---- */

static bool sequence_folds_is_number(crd_text text, double *value) {
    return crd_number_parse(text, value) == CRD_NUMBER_FINITE;
}

/* Creates the evaluation. Its classes are the labels of all sequences in order; none if states are hidden. */
static crd_status sequence_folds_create_evaluation(sequence_folds *f, crd_error *error) {
    const crd_i_dictionary *labels =
        crd_sequences_has_target(f->sequences) ? crd_i_sequences_labels(f->sequences) : NULL;
    size_t count = labels == NULL ? 0 : crd_i_dictionary_size(labels);
    if (f->training != NULL && f->training->ignore_labels) count = 0;
    int32_t *codes = crd_i_alloc(f->context, count, sizeof *codes);
    crd_text *classes = crd_i_alloc(f->context, count, sizeof *classes);
    crd_status status = codes == NULL || classes == NULL ? crd_i_fail_memory(error) : CRD_OK;
    if (status == CRD_OK && count > 0 &&
        crd_i_dictionary_order(labels, NULL, sequence_folds_is_number, codes) == SIZE_MAX)
        status = crd_i_fail_memory(error);
    for (size_t i = 0; status == CRD_OK && i < count; i++) classes[i] = crd_i_dictionary_text(labels, (size_t)codes[i]);
    if (status == CRD_OK)
        status = crd_sequence_evaluation_create(f->context, classes, count, f->options, &f->evaluation, error);
    crd_free(f->context, codes);
    crd_free(f->context, classes);
    return status;
}

/* ---- Processes ---- */

/* Evaluates one fold and encodes the result. See crd_i_fold_tests. */
static crd_status sequence_folds_test_apart(void *user, uint32_t fold, unsigned char **bytes, size_t *length,
                                            crd_error *error) {
    sequence_folds alone = *(const sequence_folds *)user;
    alone.evaluation = NULL;
    crd_status status = sequence_folds_create_evaluation(&alone, error);
    if (status == CRD_OK) status = sequence_folds_test(&alone, fold, error);
    if (status == CRD_OK) status = crd_sequence_evaluation_encode(alone.evaluation, bytes, length, error);
    crd_sequence_evaluation_destroy(alone.evaluation);
    return status;
}

static crd_status sequence_folds_merge(void *user, const unsigned char *bytes, size_t length, crd_error *error) {
    const sequence_folds *f = user;
    return crd_i_sequence_evaluation_merge_bytes(f->evaluation, bytes, length, error);
}

crd_status crd_sequence_validate(const crd_sequences *sequences, crd_text target, const crd_settings *settings,
                                 const crd_hmm_train_options *training, const crd_split_options *split,
                                 const crd_sequence_evaluation_options *options, uint32_t *folds,
                                 crd_sequence_evaluation **out, crd_error *error) {
    crd_split_options split_options = CRD_SPLIT_OPTIONS_INIT;
    const size_t count = crd_sequences_count(sequences);
    crd_context *context = crd_i_sequences_context(sequences);
    sequence_folds f = {.context = context,
                        .sequences = sequences,
                        .target = target,
                        .settings = settings,
                        .training = training,
                        .options = options};
    *out = NULL;
    if (split != NULL && !crd_i_copy_in(split, &split_options, sizeof split_options))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the options were not initialized");
    if (count < 2) {
        const crd_status status =
            crd_i_fail(error, CRD_ERROR_EMPTY, "at least two sequences are needed to hold one out");
        crd_i_error_hint(error, "train on the first part of a long sequence, and evaluate the model on the rest");
        return status;
    }
    f.folds = crd_i_alloc(context, count, sizeof *f.folds);
    f.chosen = crd_i_alloc(context, count, sizeof *f.chosen);
    crd_status status = f.folds == NULL || f.chosen == NULL ? crd_i_fail_memory(error) : CRD_OK;
    if (status == CRD_OK) status = sequence_folds_draw(&f, &split_options, error);
    if (status == CRD_OK) status = sequence_folds_create_evaluation(&f, error);
    const bool is_holdout = split_options.held_out > 0;
    const crd_i_fold_tests tests = {.user = &f,
                                    .first = is_holdout ? 1 : 0,
                                    .end = is_holdout ? 2 : split_options.folds,
                                    .test = sequence_folds_test,
                                    .test_apart = sequence_folds_test_apart,
                                    .merge = sequence_folds_merge};
    if (status == CRD_OK) status = crd_i_test_folds(context, crd_i_sequences_are_shared(sequences), &tests, error);
    for (size_t i = 0; status == CRD_OK && folds != NULL && i < count; i++) folds[i] = f.folds[i];
    crd_free(context, f.folds);
    crd_free(context, f.chosen);
    if (status == CRD_OK) *out = f.evaluation;
    else crd_sequence_evaluation_destroy(f.evaluation);
    return status;
}
