/* SPDX-License-Identifier: MIT */
/* sequence_evaluation.c - evaluation of sequence labeling: decoded states are compared with labels. See
 * credence/hmm_answers.h. */
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "evaluate/evaluation.h"
#include "evaluate/evaluation_bytes.h"
#include "evaluate/sequence_processes.h"
#include "math/functions/elementary.h"
#include "sequence/data/sequences_internal.h"
#include "sequence/hmm_internal.h"

#include <credence/hmm_answers.h>

#include <math.h>

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
    if (status == CRD_OK) status = crd_spans_create(context, evaluation->options.spans, &evaluation->spans, error);
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
    crd_spans_destroy(evaluation->spans);
    crd_free(evaluation->context, evaluation->log_likelihoods);
    crd_free(evaluation->context, evaluation->logs);
    crd_free(evaluation->context, evaluation->probabilities);
    crd_free(evaluation->context, evaluation);
}

void crd_sequence_evaluation_set_fold(crd_sequence_evaluation *evaluation, uint32_t fold) {
    if (evaluation->items != NULL) crd_evaluation_set_fold(evaluation->items, fold);
}

/* ---- Sequences ---- */

/* Sequences that are being judged. */
typedef struct evaluation_judgement {
    crd_sequence_evaluation *evaluation;
    const crd_hmm *hmm;
    const crd_sequences *sequences;
    int32_t *classes; /* class of each state */
    bool **is_known;  /* for each categorical column, by code: whether the model contains the value */
    size_t columns;
    crd_i_observation_room workspace;
    bool is_labelled, is_correct; /* state of the current sequence so far */
    uint64_t items; /* items of the current sequence: its steps, except steps that were inserted between rows */
} evaluation_judgement;

static void clear_judgement(evaluation_judgement *j) {
    crd_context *context = j->evaluation->context;
    for (size_t i = 0; j->is_known != NULL && i < j->columns; i++) crd_free(context, j->is_known[i]);
    crd_free(context, j->is_known);
    crd_free(context, j->classes);
    crd_i_observation_room_clear(&j->workspace);
}

/* Marks the values of a column that the model contains. Does nothing if the column is not an attribute of the model. */
static crd_status mark_known(evaluation_judgement *j, size_t column, crd_error *error) {
    const crd_classifier *classifier = crd_hmm_emissions(j->hmm);
    const crd_text name = crd_sequences_column_name(j->sequences, column);
    const size_t count = crd_sequences_value_count(j->sequences, column);
    size_t attribute = 0;
    while (attribute < classifier->attribute_count && !crd_text_equal(classifier->attributes[attribute].name, name))
        attribute++;
    if (attribute == classifier->attribute_count || classifier->attributes[attribute].kind != CRD_KIND_CATEGORY)
        return CRD_OK;
    bool *known = j->is_known[column] = crd_i_alloc(j->evaluation->context, count, sizeof *known);
    if (known == NULL) return crd_i_fail_memory(error);
    const crd_i_dictionary *values = classifier->attributes[attribute].values;
    for (size_t code = 0; code < count; code++)
        known[code] = crd_i_dictionary_find(values, crd_sequences_value(j->sequences, column, code)) >= 0;
    return CRD_OK;
}

/* Maps states to classes and marks known values. Returns CRD_ERROR_ARGUMENT if a state is not a class. */
static crd_status begin_judgement(evaluation_judgement *j, crd_error *error) {
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
static bool has_unknown(const evaluation_judgement *j, const crd_i_observation_block *block, size_t index) {
    for (size_t i = 0; i < j->columns; i++)
        if (block->codes[i] != NULL && block->codes[i][index] >= 0 && j->is_known[i] != NULL &&
            !j->is_known[i][block->codes[i][index]])
            return true;
    return false;
}

/* Judges one step. `state` is -1 if the sequence is impossible. */
static crd_status judge_step(evaluation_judgement *j, const crd_i_observation_block *block, size_t index, int32_t state,
                             const double *posteriors, crd_error *error) {
    crd_sequence_evaluation *evaluation = j->evaluation;
    const crd_text none = {NULL, 0};
    const int32_t label = block->labels == NULL ? -1 : block->labels[index];
    const crd_text truth = label < 0 ? none : crd_sequences_label(j->sequences, (size_t)label);
    const crd_text named = state < 0 ? none : crd_hmm_state(j->hmm, (size_t)state);
    j->items += block->is_inserted == NULL || !block->is_inserted[index];
    crd_status status = crd_spans_add(evaluation->spans, truth, named, error);
    if (status != CRD_OK || label < 0) return status;
    for (size_t c = 0; c < evaluation->class_count; c++)
        evaluation->logs[c] = -INFINITY, evaluation->probabilities[c] = 0;
    for (size_t k = 0; state >= 0 && k < crd_hmm_state_count(j->hmm); k++) {
        evaluation->probabilities[j->classes[k]] = fmin(posteriors[k], 1);
        evaluation->logs[j->classes[k]] = crd_log(evaluation->probabilities[j->classes[k]]);
    }
    const bool is_right = state >= 0 && crd_text_equal(truth, named);
    j->is_labelled = true;
    j->is_correct = j->is_correct && is_right;
    if (has_unknown(j, block, index)) evaluation->totals.unseen_items++, evaluation->totals.unseen_correct += is_right;
    else evaluation->totals.seen_items++, evaluation->totals.seen_correct += is_right;
    return crd_evaluation_add_decided(evaluation->items, evaluation->logs, evaluation->probabilities,
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
static crd_status sequence_evaluation_end(evaluation_judgement *j, const crd_decoded *piece, crd_error *error) {
    crd_sequence_totals *totals = &j->evaluation->totals;
    crd_spans_end_sequence(j->evaluation->spans);
    totals->sequences++;
    totals->items += j->items;
    totals->labelled += j->is_labelled;
    totals->correct += j->is_labelled && j->is_correct;
    totals->impossible += piece->is_impossible != 0;
    if (piece->is_impossible) return CRD_OK;
    totals->possible_items += j->items;
    return add_log_likelihood(j->evaluation, piece->log_likelihood, error);
}

/* Judges a decoded piece of a sequence. This is the callback of crd_hmm_decode. */
static crd_status judge_piece(void *user, const crd_decoded *piece, crd_error *error) {
    evaluation_judgement *j = user;
    const size_t states = crd_hmm_state_count(j->hmm);
    crd_status status = CRD_OK;
    if (piece->from == 0) {
        j->is_labelled = false;
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
static crd_status add_alone(crd_sequence_evaluation *evaluation, const crd_hmm *hmm, const crd_sequences *sequences,
                            crd_error *error) {
    crd_decode_options options = CRD_DECODE_OPTIONS_INIT;
    evaluation_judgement j = {.evaluation = evaluation, .hmm = hmm, .sequences = sequences};
    options.decoding = evaluation->options.decoding;
    options.threads = evaluation->options.threads;
    options.with_probabilities = 1;
    crd_status status = begin_judgement(&j, error);
    if (status == CRD_OK) status = crd_hmm_decode(hmm, sequences, &options, judge_piece, &j, error);
    clear_judgement(&j);
    return status;
}

/* ---- Parts ---- */

/* Lists the integer members of the totals, in the order of the encoding. */
enum { COUNTS = 10 };

static void sequence_evaluation_list_counts(crd_sequence_totals *totals, uint64_t *counts[COUNTS]) {
    uint64_t *const all[COUNTS] = {&totals->sequences,    &totals->labelled,       &totals->correct,
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
    return status == CRD_OK ? crd_spans_merge(evaluation->spans, other->spans, error) : status;
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

/* ---- Processes ---- */

/* Creates an empty evaluation with the same classes, options and fold. */
static crd_status sequence_evaluation_create_like(const crd_sequence_evaluation *evaluation,
                                                  crd_sequence_evaluation **out, crd_error *error) {
    crd_context *context = evaluation->context;
    const size_t count = evaluation->class_count;
    crd_text *classes = crd_i_alloc(context, count, sizeof *classes);
    *out = NULL;
    if (classes == NULL) return crd_i_fail_memory(error);
    for (size_t k = 0; k < count; k++) classes[k] = crd_i_dictionary_text(evaluation->classes, k);
    const crd_status status = crd_sequence_evaluation_create(context, classes, count, &evaluation->options, out, error);
    if (status == CRD_OK && count > 0) crd_sequence_evaluation_set_fold(*out, evaluation->items->fold);
    crd_free(context, classes);
    return status;
}

crd_status crd_i_sequence_evaluation_merge_bytes(crd_sequence_evaluation *evaluation, const unsigned char *bytes,
                                                 size_t length, crd_error *error) {
    crd_sequence_evaluation *part = NULL;
    crd_status status = crd_sequence_evaluation_decode(evaluation->context, bytes, length, &part, error);
    if (status == CRD_OK) status = crd_sequence_evaluation_merge(evaluation, part, error);
    crd_sequence_evaluation_destroy(part);
    return status;
}

static crd_status sequence_evaluation_merge_gathered(crd_sequence_evaluation *evaluation, const crd_i_gathered *all,
                                                     crd_error *error) {
    crd_status status = CRD_OK;
    for (unsigned i = 0; status == CRD_OK && i < crd_i_process_count(evaluation->context); i++)
        status = crd_i_sequence_evaluation_merge_bytes(evaluation, all->bytes[i], all->lengths[i], error);
    return status;
}

/* Evaluates in a group: each process judges some sequences, and the results are merged in every process. */
static crd_status add_shared(crd_sequence_evaluation *evaluation, const crd_hmm *hmm, const crd_sequences *sequences,
                             crd_error *error) {
    crd_context *context = evaluation->context;
    crd_sequences *own_sequences = NULL;
    size_t first;
    crd_sequence_evaluation *part = NULL;
    unsigned char *bytes = NULL;
    size_t length = 0;
    crd_i_gathered all;
    crd_status status = crd_sequences_divide(sequences, crd_i_process_rank(context), crd_i_process_count(context),
                                             &first, &own_sequences, error);
    if (status == CRD_OK) status = sequence_evaluation_create_like(evaluation, &part, error);
    if (status == CRD_OK) status = add_alone(part, hmm, own_sequences, error);
    if (status == CRD_OK) status = crd_sequence_evaluation_encode(part, &bytes, &length, error);
    status = crd_i_gather(context, status, bytes, length, &all, error);
    if (status == CRD_OK)
        status = crd_i_agree(context, sequence_evaluation_merge_gathered(evaluation, &all, error), error);
    crd_i_gathered_clear(&all);
    crd_free(context, bytes);
    crd_sequence_evaluation_destroy(part);
    crd_sequences_destroy(own_sequences);
    return status;
}

crd_status crd_sequence_evaluation_add(crd_sequence_evaluation *evaluation, const crd_hmm *hmm,
                                       const crd_sequences *sequences, crd_error *error) {
    return crd_i_is_collective(evaluation->context) ? add_shared(evaluation, hmm, sequences, error)
                                                    : add_alone(evaluation, hmm, sequences, error);
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
