/* SPDX-License-Identifier: MIT */
/* sequence_evaluation.c - evaluation of hidden Markov models and of classifiers of whole sequences. See
 * credence/hmm_answers.h.
 *
 * Contents:
 *   1. Sequence labeling
 *   2. Sequence classification
 *   3. Evaluation by several processes
 *   4. Folds of several processes
 *   5. Cross-validation */
#include "evaluate/evaluation.h"
#include "evaluate/split.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "math/functions/elementary.h"
#include "processes/group.h"
#include "sequence/data/sequences.h"
#include "sequence/hmm_internal.h"

#include <credence/number.h>
#include <math.h>
#include <string.h>

/* ======== 1. Sequence labeling ========
 *
 * Decoded states are compared with labels. */

struct crd_sequence_evaluation {
    crd_context *context;
    crd_sequence_evaluation_options options;
    crd_i_dictionary *classes;
    size_t class_count;
    crd_evaluation *items;
    crd_spans *spans;
    crd_sequence_totals totals;
    double *log_likelihoods; /* log-likelihoods of the possible sequences, which are summed in their order */
    size_t likelihood_count, likelihood_capacity;
    double *logs, *probabilities; /* buffers for one item, with one entry per class */
};

/* Copies the classes and allocates the buffers for one item. `classes` may be NULL. */
static crd_status take_classes(crd_sequence_evaluation *evaluation, const crd_i_dictionary *classes, crd_error *error) {
    evaluation->classes =
        classes == NULL ? crd_i_dictionary_create(evaluation->context) : crd_i_dictionary_clone(classes);
    evaluation->class_count = classes == NULL ? 0 : crd_i_dictionary_size(classes);
    evaluation->logs = crd_i_alloc(evaluation->context, evaluation->class_count, sizeof *evaluation->logs);
    evaluation->probabilities =
        crd_i_alloc(evaluation->context, evaluation->class_count, sizeof *evaluation->probabilities);
    return evaluation->classes != NULL && evaluation->logs != NULL && evaluation->probabilities != NULL
               ? CRD_OK
               : crd_i_fail_memory(error);
}

crd_status crd_sequence_evaluation_create(crd_context *context, const crd_text *classes, size_t class_count,
                                          const crd_sequence_evaluation_options *options, crd_sequence_evaluation **out,
                                          crd_error *error) {
    *out = NULL;
    crd_sequence_evaluation *evaluation = crd_i_alloc_zeroed(context, 1, sizeof *evaluation);
    if (evaluation == NULL) return crd_i_fail_memory(error);
    evaluation->context = context;
    evaluation->options = (crd_sequence_evaluation_options)CRD_SEQUENCE_EVALUATION_OPTIONS_INIT;
    evaluation->totals = (crd_sequence_totals)CRD_SEQUENCE_TOTALS_INIT;
    crd_status status = CRD_OK;
    if (options != NULL && !crd_i_copy_in(options, &evaluation->options, sizeof evaluation->options))
        status = crd_i_fail(error, CRD_ERROR_ARGUMENT, "the options were not initialized");
    if (status == CRD_OK && class_count > 0)
        status = crd_evaluation_create(context, classes, class_count, &evaluation->items, error);
    if (status == CRD_OK) status = crd_i_spans_create(context, evaluation->options.spans, &evaluation->spans, error);
    if (status == CRD_OK)
        status = take_classes(evaluation, evaluation->items == NULL ? NULL : evaluation->items->classes, error);
    if (status == CRD_OK) *out = evaluation;
    else crd_sequence_evaluation_destroy(evaluation);
    return status;
}

void crd_sequence_evaluation_destroy(crd_sequence_evaluation *evaluation) {
    if (evaluation == NULL) return;
    crd_i_dictionary_destroy(evaluation->classes);
    crd_evaluation_destroy(evaluation->items);
    crd_i_spans_destroy(evaluation->spans);
    crd_free(evaluation->context, evaluation->log_likelihoods);
    crd_free(evaluation->context, evaluation->logs);
    crd_free(evaluation->context, evaluation->probabilities);
    crd_free(evaluation->context, evaluation);
}

/* Sets the fold number of sequences that are added later: see crd_i_evaluation_set_fold. */
static void sequence_evaluation_set_fold(crd_sequence_evaluation *evaluation, uint32_t fold) {
    if (evaluation->items != NULL) crd_i_evaluation_set_fold(evaluation->items, fold);
}

/* ---- Sequences ---- */

/* Sequences that are being judged. */
typedef struct evaluation_judgment {
    crd_sequence_evaluation *evaluation;
    const crd_hmm *hmm;
    const crd_sequences *sequences;
    int32_t *classes; /* class of each state */
    bool **is_known;  /* for each categorical column, by code: whether the model contains the value */
    size_t columns;
    crd_i_observation_room workspace;
    bool is_labeled, is_correct; /* state of the current sequence so far */
    uint64_t items; /* items of the current sequence: its steps, except steps that were inserted between rows */
} evaluation_judgment;

static void clear_judgment(evaluation_judgment *j) {
    crd_context *context = j->evaluation->context;
    for (size_t i = 0; j->is_known != NULL && i < j->columns; i++) crd_free(context, j->is_known[i]);
    crd_free(context, j->is_known);
    crd_free(context, j->classes);
    crd_i_observation_room_clear(&j->workspace);
}

/* Marks the values of a column that the model contains. Does nothing if the column is not an attribute of the model. */
static crd_status mark_known(evaluation_judgment *j, size_t column, crd_error *error) {
    const crd_classifier *classifier = crd_hmm_facts_of(j->hmm)->emissions;
    const crd_text name = crd_sequences_column_name(j->sequences, column);
    const size_t count = crd_sequences_value_count(j->sequences, column);
    size_t attribute = 0;
    while (attribute < classifier->attribute_count && !crd_text_equal(classifier->attributes[attribute].name, name))
        attribute++;
    if (attribute == classifier->attribute_count || classifier->attributes[attribute].type != CRD_TYPE_CATEGORICAL)
        return CRD_OK;
    bool *known = j->is_known[column] = crd_i_alloc(j->evaluation->context, count, sizeof *known);
    if (known == NULL) return crd_i_fail_memory(error);
    const crd_i_dictionary *values = classifier->attributes[attribute].values;
    for (size_t code = 0; code < count; code++)
        known[code] = crd_i_dictionary_find(values, crd_sequences_value(j->sequences, column, code)) >= 0;
    return CRD_OK;
}

/* Maps states to classes and marks known values. Returns CRD_ERROR_ARGUMENT if a state is not a class. */
static crd_status begin_judgment(evaluation_judgment *j, crd_error *error) {
    crd_context *context = j->evaluation->context;
    const size_t states = crd_hmm_state_count(j->hmm);
    j->columns = crd_sequences_column_count(j->sequences);
    j->workspace.context = context;
    j->classes = crd_i_alloc(context, states, sizeof *j->classes);
    j->is_known = crd_i_alloc_zeroed(context, j->columns, sizeof *j->is_known);
    if (j->classes == NULL || j->is_known == NULL) return crd_i_fail_memory(error);
    for (size_t k = 0; k < states; k++) {
        char quoted[CRD_I_QUOTED_ROOM];
        j->classes[k] = crd_i_dictionary_find(j->evaluation->classes, crd_hmm_state(j->hmm, k));
        if (j->classes[k] < 0 && j->evaluation->class_count > 0)
            return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the state '%s' is not among the labels to predict",
                              crd_i_quote(crd_hmm_state(j->hmm, k), quoted));
    }
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < j->columns; i++) status = mark_known(j, i, error);
    return status;
}

/* Returns whether a step has a value that the model does not contain. */
static bool has_unknown(const evaluation_judgment *j, const crd_i_observation_block *block, size_t index) {
    for (size_t i = 0; i < j->columns; i++)
        if (block->codes[i] != NULL && block->codes[i][index] >= 0 && j->is_known[i] != NULL &&
            !j->is_known[i][block->codes[i][index]])
            return true;
    return false;
}

/* Judges one step. `state` is -1 if the sequence is impossible. */
static crd_status judge_step(evaluation_judgment *j, const crd_i_observation_block *block, size_t index, int32_t state,
                             const double *posteriors, crd_error *error) {
    crd_sequence_evaluation *evaluation = j->evaluation;
    const crd_text none = {NULL, 0};
    const int32_t label = block->labels == NULL ? -1 : block->labels[index];
    const crd_text truth = label < 0 ? none : crd_sequences_label(j->sequences, (size_t)label);
    const crd_text named = state < 0 ? none : crd_hmm_state(j->hmm, (size_t)state);
    j->items += block->is_inserted == NULL || !block->is_inserted[index];
    crd_status status = crd_i_spans_add(evaluation->spans, truth, named, error);
    if (status != CRD_OK || label < 0) return status;
    for (size_t c = 0; c < evaluation->class_count; c++)
        evaluation->logs[c] = -INFINITY, evaluation->probabilities[c] = 0;
    for (size_t k = 0; state >= 0 && k < crd_hmm_state_count(j->hmm); k++) {
        evaluation->probabilities[j->classes[k]] = fmin(posteriors[k], 1);
        evaluation->logs[j->classes[k]] = crd_log(evaluation->probabilities[j->classes[k]]);
    }
    const bool is_right = state >= 0 && crd_text_equal(truth, named);
    j->is_labeled = true;
    j->is_correct = j->is_correct && is_right;
    if (has_unknown(j, block, index)) evaluation->totals.unseen_items++, evaluation->totals.unseen_correct += is_right;
    else evaluation->totals.seen_items++, evaluation->totals.seen_correct += is_right;
    return crd_i_evaluation_add_decided(evaluation->items, evaluation->logs, evaluation->probabilities,
                                        state < 0 ? -1 : j->classes[state], truth, 1, NULL, error);
}

/* Stores the log-likelihood of a sequence. The sum is computed in sequence order, so merging parts gives the same
 * sum. */
static crd_status add_log_likelihood(crd_sequence_evaluation *evaluation, double log_likelihood, crd_error *error) {
    if (!crd_i_reserve(evaluation->context, &evaluation->log_likelihoods, &evaluation->likelihood_capacity,
                       evaluation->likelihood_count + 1, sizeof *evaluation->log_likelihoods))
        return crd_i_fail_memory(error);
    evaluation->log_likelihoods[evaluation->likelihood_count++] = log_likelihood;
    evaluation->totals.log_likelihood += log_likelihood;
    return CRD_OK;
}

/* Adds the totals of a sequence that ended with this piece. */
static crd_status sequence_evaluation_end(evaluation_judgment *j, const crd_decoded *piece, crd_error *error) {
    crd_sequence_totals *totals = &j->evaluation->totals;
    crd_i_spans_end_sequence(j->evaluation->spans);
    totals->sequences++;
    totals->items += j->items;
    totals->labeled += j->is_labeled;
    totals->correct += j->is_labeled && j->is_correct;
    totals->impossible += piece->is_impossible != 0;
    if (piece->is_impossible) return CRD_OK;
    totals->possible_items += j->items;
    return add_log_likelihood(j->evaluation, piece->log_likelihood, error);
}

/* Judges a decoded piece of a sequence. This is the callback of crd_hmm_decode. */
static crd_status judge_piece(void *user, const crd_decoded *piece, crd_error *error) {
    evaluation_judgment *j = user;
    const size_t states = crd_hmm_state_count(j->hmm);
    crd_status status = CRD_OK;
    if (piece->from == 0) {
        j->is_labeled = false;
        j->is_correct = true;
        j->items = 0;
    }
    for (size_t done = 0; status == CRD_OK && done < piece->steps;) {
        crd_i_observation_block block;
        status = crd_i_sequences_block(j->sequences, piece->sequence, piece->from + done, piece->steps - done,
                                       &j->workspace, &block, error);
        /* If states are hidden, labels are not state names. */
        if (j->evaluation->class_count == 0) block.labels = NULL;
        for (size_t t = 0; status == CRD_OK && t < block.steps; t++)
            status = judge_step(j, &block, t, piece->is_impossible ? -1 : piece->states[done + t],
                                piece->posteriors + (done + t) * states, error);
        done += block.steps;
    }
    if (status == CRD_OK && piece->from + piece->steps == piece->length)
        status = sequence_evaluation_end(j, piece, error);
    return status;
}

/* Decodes and judges all sequences in this process. */
static crd_status judge_labels(crd_sequence_evaluation *evaluation, const crd_hmm *hmm, const crd_sequences *sequences,
                               crd_error *error) {
    crd_decode_options options = CRD_DECODE_OPTIONS_INIT;
    evaluation_judgment j = {.evaluation = evaluation, .hmm = hmm, .sequences = sequences};
    options.decoding = evaluation->options.decoding;
    options.threads = evaluation->options.threads;
    options.with_probabilities = 1;
    crd_status status = begin_judgment(&j, error);
    if (status == CRD_OK) status = crd_hmm_decode(hmm, sequences, &options, judge_piece, &j, error);
    clear_judgment(&j);
    return status;
}

/* ---- Parts ---- */

/* Lists the integer members of the totals, in the order of the encoding. */
enum { COUNTS = 10 };

static void sequence_evaluation_list_counts(crd_sequence_totals *totals, uint64_t *counts[COUNTS]) {
    uint64_t *const all[COUNTS] = {&totals->sequences,    &totals->labeled,        &totals->correct,
                                   &totals->impossible,   &totals->items,          &totals->possible_items,
                                   &totals->unseen_items, &totals->unseen_correct, &totals->seen_items,
                                   &totals->seen_correct};
    for (size_t i = 0; i < COUNTS; i++) counts[i] = all[i];
}

/* Merges items and spans. The span types are added first, so merging the spans cannot run out of memory
 * after the items were merged. */
static crd_status merge_labels(crd_sequence_evaluation *evaluation, const crd_sequence_evaluation *other,
                               crd_error *error) {
    crd_status status = crd_i_spans_add_types(evaluation->spans, other->spans, error);
    if (status == CRD_OK && other->items != NULL) status = crd_evaluation_merge(evaluation->items, other->items, error);
    return status == CRD_OK ? crd_i_spans_merge(evaluation->spans, other->spans, error) : status;
}

crd_status crd_sequence_evaluation_merge(crd_sequence_evaluation *evaluation, const crd_sequence_evaluation *other,
                                         crd_error *error) {
    crd_sequence_totals sequence = other->totals;
    uint64_t *to_counts[COUNTS], *from_counts[COUNTS];
    const size_t count = other->likelihood_count;
    if (evaluation->options.spans != other->options.spans)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "evaluations with different span schemes cannot be merged");
    if ((evaluation->items == NULL) != (other->items == NULL))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT,
                          "cannot merge an evaluation with labels and an evaluation without labels");
    if (!crd_i_reserve(evaluation->context, &evaluation->log_likelihoods, &evaluation->likelihood_capacity,
                       evaluation->likelihood_count + count, sizeof *evaluation->log_likelihoods))
        return crd_i_fail_memory(error);
    crd_status status = merge_labels(evaluation, other, error);
    if (status != CRD_OK) return status;
    sequence_evaluation_list_counts(&evaluation->totals, to_counts);
    sequence_evaluation_list_counts(&sequence, from_counts);
    for (size_t i = 0; i < COUNTS; i++) *to_counts[i] += *from_counts[i];
    for (size_t i = 0; i < count; i++) {
        evaluation->log_likelihoods[evaluation->likelihood_count++] = other->log_likelihoods[i];
        evaluation->totals.log_likelihood += other->log_likelihoods[i];
    }
    return CRD_OK;
}

static const char tag_of_sequences[] = {'S', 'E', 'Q', 'S'};

/* Content: spans, totals, log-likelihoods, and the items if there are labels. */
crd_status crd_sequence_evaluation_encode(const crd_sequence_evaluation *evaluation, unsigned char **bytes,
                                          size_t *length, crd_error *error) {
    crd_sequence_totals totals = evaluation->totals;
    uint64_t *counts[COUNTS];
    crd_i_encoder encoder;
    crd_i_evaluation_bytes_begin(&encoder, evaluation->context, tag_of_sequences);
    crd_i_spans_write(evaluation->spans, &encoder);
    sequence_evaluation_list_counts(&totals, counts);
    for (size_t i = 0; i < COUNTS; i++) crd_i_encode_u64(&encoder, *counts[i]);
    crd_i_encode_u64(&encoder, evaluation->likelihood_count);
    for (size_t i = 0; i < evaluation->likelihood_count; i++)
        crd_i_encode_double(&encoder, evaluation->log_likelihoods[i]);
    crd_i_encode_u8(&encoder, evaluation->items != NULL);
    if (evaluation->items != NULL) crd_i_evaluation_write(evaluation->items, &encoder);
    return crd_i_evaluation_bytes_end(&encoder, bytes, length, error);
}

static crd_status read_likelihoods(crd_sequence_evaluation *evaluation, crd_i_cursor *cursor, crd_error *error) {
    const uint64_t count = crd_i_decode_u64(cursor);
    crd_status status = CRD_OK;
    if (!crd_i_cursor_holds(cursor, count, sizeof(double))) return crd_i_evaluation_bytes_damaged(error);
    for (uint64_t i = 0; status == CRD_OK && i < count; i++) {
        const double value = crd_i_decode_double(cursor);
        status = isfinite(value) ? add_log_likelihood(evaluation, value, error) : crd_i_evaluation_bytes_damaged(error);
    }
    return status;
}

/* Decodes the content in the order of crd_sequence_evaluation_encode. */
static crd_status sequence_evaluation_read_content(crd_sequence_evaluation *evaluation, crd_i_cursor *cursor,
                                                   crd_error *error) {
    uint64_t *counts[COUNTS];
    crd_status status =
        crd_i_spans_read(evaluation->context, cursor, &evaluation->spans, &evaluation->options.spans, error);
    sequence_evaluation_list_counts(&evaluation->totals, counts);
    for (size_t i = 0; i < COUNTS; i++) *counts[i] = crd_i_decode_u64(cursor);
    if (status == CRD_OK) status = read_likelihoods(evaluation, cursor, error);
    if (status == CRD_OK && crd_i_decode_flag(cursor))
        status = crd_i_evaluation_read(evaluation->context, cursor, &evaluation->items, error);
    return status;
}

crd_status crd_sequence_evaluation_decode(crd_context *context, const unsigned char *bytes, size_t length,
                                          crd_sequence_evaluation **out, crd_error *error) {
    crd_i_cursor cursor;
    *out = NULL;
    crd_sequence_evaluation *evaluation = crd_i_alloc_zeroed(context, 1, sizeof *evaluation);
    if (evaluation == NULL) return crd_i_fail_memory(error);
    evaluation->context = context;
    evaluation->options = (crd_sequence_evaluation_options)CRD_SEQUENCE_EVALUATION_OPTIONS_INIT;
    evaluation->totals = (crd_sequence_totals)CRD_SEQUENCE_TOTALS_INIT;
    crd_status status = crd_i_evaluation_bytes_open(bytes, length, tag_of_sequences, &cursor, error);
    if (status == CRD_OK) status = sequence_evaluation_read_content(evaluation, &cursor, error);
    status = crd_i_evaluation_bytes_close(&cursor, status, error);
    if (status == CRD_OK)
        status = take_classes(evaluation, evaluation->items == NULL ? NULL : evaluation->items->classes, error);
    if (status == CRD_OK) *out = evaluation;
    else crd_sequence_evaluation_destroy(evaluation);
    return status;
}

void crd_sequence_evaluation_totals(const crd_sequence_evaluation *evaluation, crd_sequence_totals *out) {
    crd_i_copy_out(&evaluation->totals, sizeof evaluation->totals, out);
}

const crd_evaluation *crd_sequence_evaluation_items(const crd_sequence_evaluation *evaluation) {
    return evaluation->items;
}

const crd_spans *crd_sequence_evaluation_spans(const crd_sequence_evaluation *evaluation) {
    return evaluation->spans;
}

/* ======== 2. Sequence classification ========
 *
 * Sequences are judged like rows. */

/* Finds the first label of a sequence; -1 if it has none. */
static crd_status find_class_label(const crd_sequences *sequences, size_t sequence, crd_i_observation_room *workspace,
                                   int32_t *label, crd_error *error) {
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

/* ---- Judging sequences ---- */

/* Maps the classes of the classifier to the classes of the evaluation. Returns CRD_ERROR_ARGUMENT if a class is
 * missing there. */
static crd_status place_classes(const crd_sequence_classifier *classifier, const crd_evaluation *evaluation,
                                int32_t *places, crd_error *error) {
    for (size_t c = 0; c < classifier->classes->count; c++) {
        char quoted[CRD_I_QUOTED_ROOM];
        const crd_text name = classifier->classes->names[c];
        places[c] = crd_i_dictionary_find(evaluation->classes, name);
        if (places[c] < 0)
            return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the class '%s' is not among the classes to predict",
                              crd_i_quote(name, quoted));
    }
    return CRD_OK;
}

/* Adds the labeled sequences to the evaluation, and counts the unlabeled ones. */
static crd_status judge_sequences(const crd_sequences *sequences, size_t classes, const double *posteriors,
                                  const int32_t *places, crd_evaluation *evaluation, double *logs, uint64_t *unlabeled,
                                  crd_error *error) {
    crd_i_observation_room workspace = {.context = evaluation->context};
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < crd_sequences_count(sequences); i++) {
        int32_t label;
        status = find_class_label(sequences, i, &workspace, &label, error);
        if (status == CRD_OK && label < 0) (*unlabeled)++;
        if (status != CRD_OK || label < 0) continue;
        for (size_t c = 0; c < evaluation->class_count; c++) logs[c] = -INFINITY;
        for (size_t c = 0; c < classes; c++) logs[places[c]] = posteriors[i * classes + c];
        status = crd_evaluation_add(evaluation, logs, crd_sequences_label(sequences, (size_t)label), 1, NULL, error);
    }
    crd_i_observation_room_clear(&workspace);
    return status;
}

/* Classifies and judges all sequences in this process. */
static crd_status judge_classes(const crd_sequence_classifier *classifier, const crd_sequences *sequences,
                                unsigned threads, crd_evaluation *evaluation, uint64_t *unlabeled, crd_error *error) {
    crd_context *context = evaluation->context;
    const size_t classes = classifier->classes->count, count = crd_sequences_count(sequences);
    double *posteriors = crd_i_alloc(context, count * classes, sizeof *posteriors);
    double *logs = crd_i_alloc(context, evaluation->class_count, sizeof *logs);
    int32_t *places = crd_i_alloc(context, classes, sizeof *places);
    crd_status status = posteriors == NULL || logs == NULL || places == NULL ? crd_i_fail_memory(error) : CRD_OK;
    if (status == CRD_OK) status = place_classes(classifier, evaluation, places, error);
    if (status == CRD_OK)
        status = crd_sequence_classifier_posteriors(classifier, sequences, threads, NULL, posteriors, NULL, error);
    if (status == CRD_OK)
        status = judge_sequences(sequences, classes, posteriors, places, evaluation, logs, unlabeled, error);
    crd_free(context, posteriors);
    crd_free(context, logs);
    crd_free(context, places);
    return status;
}

/* ======== 3. Evaluation by several processes ========
 *
 * Each process judges some sequences, and the results are merged in every process. */

/* The evaluation of labels or of classes; the other pointer is NULL. */
typedef struct sequence_scores {
    crd_sequence_evaluation *labels;
    crd_evaluation *classes;
    uint64_t unlabeled; /* number of sequences without a class */
} sequence_scores;

/* The model that is evaluated. */
typedef struct judged_model {
    const crd_hmm *hmm;                        /* for labels */
    const crd_sequence_classifier *classifier; /* for classes */
    unsigned threads;
} judged_model;

static void sequence_scores_destroy(sequence_scores *scores) {
    crd_sequence_evaluation_destroy(scores->labels);
    crd_evaluation_destroy(scores->classes);
}

static void sequence_scores_set_fold(sequence_scores *scores, uint32_t fold) {
    if (scores->labels != NULL) sequence_evaluation_set_fold(scores->labels, fold);
    else crd_i_evaluation_set_fold(scores->classes, fold);
}

/* Creates an empty evaluation with the same classes, options and fold. */
static crd_status sequence_scores_create_like(const sequence_scores *scores, sequence_scores *out, crd_error *error) {
    const crd_sequence_evaluation *labels = scores->labels;
    const crd_evaluation *items = labels != NULL ? labels->items : scores->classes;
    crd_context *context = labels != NULL ? labels->context : items->context;
    const size_t count = items == NULL ? 0 : items->class_count;
    crd_text *classes = crd_i_alloc(context, count, sizeof *classes);
    if (classes == NULL) return crd_i_fail_memory(error);
    for (size_t k = 0; k < count; k++) classes[k] = crd_i_dictionary_text(items->classes, k);
    const crd_status status =
        labels != NULL ? crd_sequence_evaluation_create(context, classes, count, &labels->options, &out->labels, error)
                       : crd_evaluation_create(context, classes, count, &out->classes, error);
    if (status == CRD_OK && items != NULL) sequence_scores_set_fold(out, items->fold);
    crd_free(context, classes);
    return status;
}

static crd_status sequence_scores_encode(const sequence_scores *scores, unsigned char **bytes, size_t *length,
                                         crd_error *error) {
    return scores->labels != NULL ? crd_sequence_evaluation_encode(scores->labels, bytes, length, error)
                                  : crd_evaluation_encode(scores->classes, bytes, length, error);
}

/* Decodes an evaluation and merges it into another one. */
static crd_status sequence_scores_merge_bytes(sequence_scores *scores, const unsigned char *bytes, size_t length,
                                              crd_error *error) {
    sequence_scores part = {.labels = NULL};
    crd_status status;
    if (scores->labels != NULL) {
        status = crd_sequence_evaluation_decode(scores->labels->context, bytes, length, &part.labels, error);
        if (status == CRD_OK) status = crd_sequence_evaluation_merge(scores->labels, part.labels, error);
    } else {
        status = crd_evaluation_decode(scores->classes->context, bytes, length, &part.classes, error);
        if (status == CRD_OK) status = crd_evaluation_merge(scores->classes, part.classes, error);
    }
    sequence_scores_destroy(&part);
    return status;
}

static crd_status sequence_scores_add_alone(sequence_scores *scores, const judged_model *model,
                                            const crd_sequences *sequences, crd_error *error) {
    return scores->labels != NULL ? judge_labels(scores->labels, model->hmm, sequences, error)
                                  : judge_classes(model->classifier, sequences, model->threads, scores->classes,
                                                  &scores->unlabeled, error);
}

/* Sequences that the processes judge together. Each judges a part of them. */
typedef struct judged_sequences {
    crd_context *context;
    sequence_scores *scores; /* of all processes */
    const judged_model *model;
    const crd_sequences *sequences;
} judged_sequences;

/* Judges the sequences of this process. Encodes the number of unlabeled ones and the evaluation. */
static crd_status judged_sequences_encode(void *object, crd_i_encoder *encoder, crd_error *error) {
    const judged_sequences *judged = object;
    const crd_i_group *group = judged->context->group;
    sequence_scores part = {.labels = NULL};
    crd_sequences *own_sequences = NULL;
    unsigned char *bytes = NULL;
    size_t first, length = 0;
    crd_status status = crd_sequences_divide(judged->sequences, crd_i_group_rank(group), crd_i_group_count(group),
                                             &first, &own_sequences, error);
    if (status == CRD_OK) status = sequence_scores_create_like(judged->scores, &part, error);
    if (status == CRD_OK) status = sequence_scores_add_alone(&part, judged->model, own_sequences, error);
    if (status == CRD_OK) status = sequence_scores_encode(&part, &bytes, &length, error);
    if (status == CRD_OK) {
        crd_i_encode_u64(encoder, part.unlabeled);
        crd_i_encode_bytes(encoder, bytes, length);
    }
    crd_free(judged->context, bytes);
    sequence_scores_destroy(&part);
    crd_sequences_destroy(own_sequences);
    return status;
}

static crd_status judged_sequences_add(void *object, unsigned rank, crd_i_cursor *part, crd_error *error) {
    const judged_sequences *judged = object;
    (void)rank;
    judged->scores->unlabeled += crd_i_decode_u64(part);
    const crd_i_cursor bytes = crd_i_decode_rest(part);
    return sequence_scores_merge_bytes(judged->scores, bytes.at, crd_i_cursor_left(&bytes), error);
}

static crd_status sequence_scores_add(sequence_scores *scores, const judged_model *model,
                                      const crd_sequences *sequences, crd_error *error) {
    static const crd_i_merging merging = {judged_sequences_encode, judged_sequences_add};
    crd_context *context = scores->labels != NULL ? scores->labels->context : scores->classes->context;
    judged_sequences judged = {context, scores, model, sequences};
    return context->group == NULL ? sequence_scores_add_alone(scores, model, sequences, error)
                                  : crd_i_group_merge(context->group, &merging, &judged, error);
}

crd_status crd_sequence_evaluation_add(crd_sequence_evaluation *evaluation, const crd_hmm *hmm,
                                       const crd_sequences *sequences, crd_error *error) {
    sequence_scores scores = {.labels = evaluation};
    const judged_model model = {.hmm = hmm};
    return sequence_scores_add(&scores, &model, sequences, error);
}

crd_status crd_sequence_classifier_evaluate(const crd_sequence_classifier *classifier, const crd_sequences *sequences,
                                            unsigned threads, crd_evaluation *evaluation, uint64_t *unlabeled,
                                            crd_error *error) {
    sequence_scores scores = {.classes = evaluation};
    const judged_model model = {.classifier = classifier, .threads = threads};
    const crd_status status = sequence_scores_add(&scores, &model, sequences, error);
    if (status == CRD_OK && unlabeled != NULL) *unlabeled += scores.unlabeled;
    return status;
}

/* ======== 4. Folds of several processes ========
 *
 * See evaluation.h. */

static crd_status test_together(const crd_i_fold_tests *tests, crd_error *error) {
    crd_status status = CRD_OK;
    for (uint32_t fold = tests->first; status == CRD_OK && fold < tests->end; fold++)
        status = tests->test(tests->user, fold, error);
    return status;
}

/* Tests the folds of this process. Encodes the length and the bytes of each evaluation. */
static crd_status test_own(crd_i_group *group, const crd_i_fold_tests *tests, crd_i_encoder *encoder,
                           crd_error *error) {
    crd_context *context = encoder->buffer.context;
    crd_status status = CRD_OK;
    crd_i_group_leave(context);
    for (uint32_t fold = tests->first; status == CRD_OK && fold < tests->end; fold++) {
        if (!crd_i_group_has_item(group, fold)) continue;
        unsigned char *bytes = NULL;
        size_t length = 0;
        status = tests->test_apart(tests->user, fold, &bytes, &length, error);
        if (status == CRD_OK) {
            crd_i_encode_u64(encoder, length);
            crd_i_encode_bytes(encoder, bytes, length);
            if (encoder->failed) status = crd_i_fail_memory(error);
        }
        crd_free(context, bytes);
    }
    crd_i_group_join(context, group);
    return status;
}

/* Tests the folds of this process, exchanges the results and merges them in ascending order of folds. */
static crd_status test_divided(crd_context *context, crd_i_group *group, const crd_i_fold_tests *tests,
                               crd_error *error) {
    crd_i_encoder encoder = {.buffer = {.context = context}};
    crd_i_gathered gathered = {.buffer = {.context = context}};
    crd_status status = test_own(group, tests, &encoder, error);
    if (status == CRD_OK)
        status = crd_i_group_gather(group, encoder.buffer.bytes, encoder.buffer.length, &gathered, error);
    crd_i_buffer_clear(&encoder.buffer);
    for (uint32_t fold = tests->first; status == CRD_OK && fold < tests->end; fold++) {
        crd_i_cursor *part = &gathered.parts[fold % crd_i_group_count(group)];
        const crd_i_cursor bytes = crd_i_decode_part(part, crd_i_decode_u64(part));
        status = bytes.failed ? crd_i_fail_received(error)
                              : tests->merge(tests->user, bytes.at, crd_i_cursor_left(&bytes), error);
    }
    crd_i_gathered_clear(&gathered);
    return status;
}

crd_status crd_i_test_folds(crd_context *context, crd_i_group *group, const crd_i_fold_tests *tests, crd_error *error) {
    if (group == NULL) return test_together(tests, error);
    /* If there are fewer folds than processes, the processes test each fold together: they train its model and
     * decode its sequences in parallel. */
    const bool is_divided = tests->end - tests->first >= crd_i_group_count(group);
    const crd_status status = is_divided ? test_divided(context, group, tests, error) : test_together(tests, error);
    return crd_i_group_end(group, status, error);
}

/* ======== 5. Cross-validation ======== */

/* The state of a cross-validation. */
typedef struct sequence_folds {
    crd_context *context;
    const crd_sequences *sequences;
    const crd_settings *settings;
    const crd_hmm_train_options *training;
    bool is_of_classes;                             /* whole sequences are classified */
    crd_text target;                                /* for labels */
    const crd_sequence_evaluation_options *options; /* for labels */
    unsigned threads;                               /* for classes */
    sequence_scores scores;
    uint32_t *folds; /* fold of each sequence */
    size_t *chosen;  /* buffer for sequence numbers */
} sequence_folds;

/* ---- Folds ---- */

/* Draws the folds. Classes are stratified, and sequences without a class are in no fold. */
static crd_status sequence_folds_draw(sequence_folds *f, const crd_split_options *split, crd_error *error) {
    crd_i_folds *folds = NULL;
    crd_i_observation_room workspace = {.context = f->context};
    crd_status status = crd_i_folds_create(f->context, split->folds, split->seed, &folds, error);
    for (size_t i = 0; status == CRD_OK && i < crd_sequences_count(f->sequences); i++) {
        crd_text stratum = {"", 0};
        int32_t label = -1;
        f->folds[i] = CRD_NO_FOLD;
        if (f->is_of_classes) {
            status = find_class_label(f->sequences, i, &workspace, &label, error);
            if (status != CRD_OK || label < 0) continue;
            stratum = crd_sequences_label(f->sequences, (size_t)label);
        }
        status = crd_i_folds_next(folds, stratum, &f->folds[i], error);
        if (status == CRD_OK && split->held_out > 0) f->folds[i] = f->folds[i] < split->held_out;
    }
    crd_i_folds_destroy(folds);
    crd_i_observation_room_clear(&workspace);
    return status;
}

/* Creates a view of the sequences of a fold (is_in), or of the sequences of all other folds. */
static crd_status sequence_folds_select(const sequence_folds *f, uint32_t fold, bool is_in, crd_sequences **out,
                                        crd_error *error) {
    size_t count = 0;
    for (size_t i = 0; i < crd_sequences_count(f->sequences); i++)
        if (f->folds[i] != CRD_NO_FOLD && (f->folds[i] == fold) == is_in) f->chosen[count++] = i;
    return crd_sequences_select(f->sequences, f->chosen, count, out, error);
}

/* Trains on all other folds and evaluates one fold. See crd_i_fold_tests. */
static crd_status sequence_folds_test(void *user, uint32_t fold, crd_error *error) {
    sequence_folds *f = user;
    crd_sequences *learned = NULL, *tested = NULL;
    crd_model *model = NULL;
    crd_hmm *hmm = NULL;
    crd_sequence_classifier *classifier = NULL;
    /* Processes that work on a fold together must have the same status before each collective step. */
    crd_status status =
        crd_i_group_agree(f->context->group, sequence_folds_select(f, fold, true, &tested, error), error);
    if (status == CRD_OK && crd_sequences_count(tested) > 0) {
        status = sequence_folds_select(f, fold, false, &learned, error);
        if (status == CRD_OK && crd_sequences_count(learned) == 0)
            status =
                crd_i_fail(error, CRD_ERROR_EMPTY, "all sequences are in one fold, so there are none to learn from");
        status = crd_i_group_agree(f->context->group, status, error);
        if (status == CRD_OK)
            status = f->is_of_classes
                         ? crd_sequence_classes_train(learned, f->settings, f->training, &model, error)
                         : crd_hmm_train(learned, f->target, f->settings, f->training, &model, NULL, error);
        if (status == CRD_OK)
            status = f->is_of_classes ? crd_sequence_classifier_create(model, NULL, &classifier, error)
                                      : crd_hmm_create(model, NULL, &hmm, error);
        status = crd_i_group_agree(f->context->group, status, error);
        const judged_model judged = {hmm, classifier, f->threads};
        sequence_scores_set_fold(&f->scores, fold);
        if (status == CRD_OK) status = sequence_scores_add(&f->scores, &judged, tested, error);
    }
    status = crd_i_group_agree(f->context->group, status, error);
    crd_sequence_classifier_destroy(classifier);
    crd_hmm_destroy(hmm);
    crd_model_destroy(model);
    crd_sequences_destroy(learned);
    crd_sequences_destroy(tested);
    return status;
}

/* ---- Classes ---- */

static bool is_number_label(crd_text text, double *value) {
    return crd_number_parse(text, value) == CRD_NUMBER_FINITE;
}

/* Creates the evaluation. Its classes are the labels of all sequences in order; none if states are hidden. */
static crd_status sequence_folds_create_scores(sequence_folds *f, crd_error *error) {
    const bool has_labels = f->is_of_classes || (crd_sequences_has_target(f->sequences) &&
                                                 (f->training == NULL || !f->training->ignore_labels));
    const crd_i_dictionary *labels = has_labels ? crd_i_sequences_labels(f->sequences) : NULL;
    const size_t count = labels == NULL ? 0 : crd_i_dictionary_size(labels);
    if (f->is_of_classes && count == 0) return crd_i_fail(error, CRD_ERROR_EMPTY, "no sequence has a class");
    int32_t *codes = crd_i_alloc(f->context, count, sizeof *codes);
    crd_text *classes = crd_i_alloc(f->context, count, sizeof *classes);
    crd_status status = codes == NULL || classes == NULL ? crd_i_fail_memory(error) : CRD_OK;
    if (status == CRD_OK && count > 0 && crd_i_dictionary_order(labels, NULL, is_number_label, codes) == SIZE_MAX)
        status = crd_i_fail_memory(error);
    for (size_t i = 0; status == CRD_OK && i < count; i++) classes[i] = crd_i_dictionary_text(labels, (size_t)codes[i]);
    if (status == CRD_OK)
        status = f->is_of_classes
                     ? crd_evaluation_create(f->context, classes, count, &f->scores.classes, error)
                     : crd_sequence_evaluation_create(f->context, classes, count, f->options, &f->scores.labels, error);
    crd_free(f->context, codes);
    crd_free(f->context, classes);
    return status;
}

/* ---- All folds ---- */

/* Evaluates one fold and encodes the result. See crd_i_fold_tests. */
static crd_status sequence_folds_test_apart(void *user, uint32_t fold, unsigned char **bytes, size_t *length,
                                            crd_error *error) {
    const sequence_scores none = {.labels = NULL};
    sequence_folds alone = *(const sequence_folds *)user;
    alone.scores = none;
    crd_status status = sequence_folds_create_scores(&alone, error);
    if (status == CRD_OK) status = sequence_folds_test(&alone, fold, error);
    if (status == CRD_OK) status = sequence_scores_encode(&alone.scores, bytes, length, error);
    sequence_scores_destroy(&alone.scores);
    return status;
}

static crd_status sequence_folds_merge(void *user, const unsigned char *bytes, size_t length, crd_error *error) {
    return sequence_scores_merge_bytes(&((sequence_folds *)user)->scores, bytes, length, error);
}

/* Draws the folds and tests them. f->scores has the result, and is empty on failure. */
static crd_status sequence_folds_run(sequence_folds *f, const crd_split_options *split, uint32_t *folds,
                                     crd_error *error) {
    crd_split_options options = CRD_SPLIT_OPTIONS_INIT;
    const size_t count = crd_sequences_count(f->sequences);
    if (split != NULL && !crd_i_copy_in(split, &options, sizeof options))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the options were not initialized");
    f->context = crd_i_sequences_context(f->sequences);
    f->folds = crd_i_alloc(f->context, count, sizeof *f->folds);
    f->chosen = crd_i_alloc(f->context, count, sizeof *f->chosen);
    crd_status status = f->folds == NULL || f->chosen == NULL ? crd_i_fail_memory(error) : CRD_OK;
    if (status == CRD_OK) status = sequence_folds_create_scores(f, error);
    if (status == CRD_OK) status = sequence_folds_draw(f, &options, error);
    const bool is_holdout = options.held_out > 0;
    const crd_i_fold_tests tests = {.user = f,
                                    .first = is_holdout ? 1 : 0,
                                    .end = is_holdout ? 2 : options.folds,
                                    .test = sequence_folds_test,
                                    .test_apart = sequence_folds_test_apart,
                                    .merge = sequence_folds_merge};
    if (status == CRD_OK) status = crd_i_test_folds(f->context, crd_i_sequences_group(f->sequences), &tests, error);
    for (size_t i = 0; status == CRD_OK && folds != NULL && i < count; i++) folds[i] = f->folds[i];
    crd_free(f->context, f->folds);
    crd_free(f->context, f->chosen);
    if (status == CRD_OK) return CRD_OK;
    sequence_scores_destroy(&f->scores);
    f->scores.labels = NULL;
    f->scores.classes = NULL;
    return status;
}

crd_status crd_sequence_validate(const crd_sequences *sequences, crd_text target, const crd_settings *settings,
                                 const crd_hmm_train_options *training, const crd_split_options *split,
                                 const crd_sequence_evaluation_options *options, uint32_t *folds,
                                 crd_sequence_evaluation **out, crd_error *error) {
    sequence_folds f = {
        .sequences = sequences, .target = target, .settings = settings, .training = training, .options = options};
    *out = NULL;
    if (crd_sequences_count(sequences) < 2) {
        const crd_status status =
            crd_i_fail(error, CRD_ERROR_EMPTY, "at least two sequences are needed to hold one out");
        crd_i_error_hint(error, "train on the first part of a long sequence, and evaluate the model on the rest");
        return status;
    }
    const crd_status status = sequence_folds_run(&f, split, folds, error);
    *out = f.scores.labels;
    return status;
}

crd_status crd_sequence_classes_validate(const crd_sequences *sequences, const crd_settings *settings,
                                         const crd_hmm_train_options *training, const crd_split_options *split,
                                         unsigned threads, uint32_t *folds, crd_evaluation **out, crd_error *error) {
    sequence_folds f = {
        .sequences = sequences, .settings = settings, .training = training, .is_of_classes = true, .threads = threads};
    const crd_status status = sequence_folds_run(&f, split, folds, error);
    *out = f.scores.classes;
    return status;
}
