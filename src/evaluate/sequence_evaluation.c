/* SPDX-License-Identifier: MIT */
/* sequence_evaluation.c - decoded sequences meet their labels: see credence/hmm_answers.h. */
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
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
    double *logs, *probabilities; /* of the classes, for one item */
};

crd_status crd_sequence_evaluation_create(crd_context *context, const crd_text *classes, size_t class_count,
                                          const crd_sequence_evaluation_options *options, crd_sequence_evaluation **out,
                                          crd_error *error) {
    *out = NULL;
    crd_sequence_evaluation *made = crd_i_alloc_zeroed(context, 1, sizeof *made);
    if (made == NULL) return crd_i_fail_memory(error);
    made->context = context;
    made->options = (crd_sequence_evaluation_options)CRD_SEQUENCE_EVALUATION_OPTIONS_INIT;
    made->totals = (crd_sequence_totals)CRD_SEQUENCE_TOTALS_INIT;
    made->class_count = class_count;
    crd_status status = CRD_OK;
    if (options != NULL && !crd_i_copy_in(options, &made->options, sizeof made->options))
        status = crd_i_fail(error, CRD_ERROR_ARGUMENT, "the options were not initialised");
    if (status == CRD_OK && class_count > 0)
        status = crd_evaluation_create(context, classes, class_count, &made->items, error);
    if (status == CRD_OK) status = crd_spans_create(context, made->options.spans, &made->spans, error);
    if (status != CRD_OK) goto fail;
    made->classes = crd_i_dictionary_create(context);
    made->logs = crd_i_alloc(context, class_count, sizeof *made->logs);
    made->probabilities = crd_i_alloc(context, class_count, sizeof *made->probabilities);
    bool is_made = made->classes != NULL && made->logs != NULL && made->probabilities != NULL;
    for (size_t k = 0; is_made && k < class_count; k++) is_made = crd_i_dictionary_add(made->classes, classes[k]) >= 0;
    if (!is_made) {
        status = crd_i_fail_memory(error);
        goto fail;
    }
    *out = made;
    return CRD_OK;

fail:
    crd_sequence_evaluation_destroy(made);
    return status;
}

void crd_sequence_evaluation_destroy(crd_sequence_evaluation *evaluation) {
    if (evaluation == NULL) return;
    crd_i_dictionary_destroy(evaluation->classes);
    crd_evaluation_destroy(evaluation->items);
    crd_spans_destroy(evaluation->spans);
    crd_free(evaluation->context, evaluation->logs);
    crd_free(evaluation->context, evaluation->probabilities);
    crd_free(evaluation->context, evaluation);
}

void crd_sequence_evaluation_set_fold(crd_sequence_evaluation *evaluation, uint32_t fold) {
    if (evaluation->items != NULL) crd_evaluation_set_fold(evaluation->items, fold);
}

/* ---- Sequences ---- */

/* Sequences that are being judged. */
typedef struct judgement {
    crd_sequence_evaluation *to;
    const crd_hmm *hmm;
    const crd_sequences *sequences;
    int32_t *classes; /* of each state */
    bool **is_known;  /* of each column of categories, by code: whether the model has learned the value */
    size_t columns;
    crd_i_observation_room room;
    bool is_labelled, is_correct; /* the sequence at hand, so far */
    uint64_t items;               /* of it: steps but those inserted between rows */
} judgement;

static void clear_judgement(judgement *j) {
    crd_context *context = j->to->context;
    for (size_t i = 0; j->is_known != NULL && i < j->columns; i++) crd_free(context, j->is_known[i]);
    crd_free(context, j->is_known);
    crd_free(context, j->classes);
    crd_i_observation_room_clear(&j->room);
}

/* Which values of a column the model has learned; none are marked where it does not have the column. */
static crd_status mark_known(judgement *j, size_t column, crd_error *error) {
    const crd_classifier *classifier = crd_hmm_emissions(j->hmm);
    const crd_text name = crd_sequences_column_name(j->sequences, column);
    const size_t count = crd_sequences_value_count(j->sequences, column);
    size_t attribute = 0;
    while (attribute < classifier->attribute_count && !crd_text_equal(classifier->attributes[attribute].name, name))
        attribute++;
    if (attribute == classifier->attribute_count || classifier->attributes[attribute].kind != CRD_KIND_CATEGORY)
        return CRD_OK;
    bool *known = j->is_known[column] = crd_i_alloc(j->to->context, count, sizeof *known);
    if (known == NULL) return crd_i_fail_memory(error);
    const crd_i_dictionary *values = classifier->attributes[attribute].values;
    for (size_t code = 0; code < count; code++)
        known[code] = crd_i_dictionary_find(values, crd_sequences_value(j->sequences, column, code)) >= 0;
    return CRD_OK;
}

static crd_status begin_judgement(judgement *j, crd_error *error) {
    crd_context *context = j->to->context;
    const size_t states = crd_hmm_state_count(j->hmm);
    j->columns = crd_sequences_column_count(j->sequences);
    j->room.context = context;
    j->classes = crd_i_alloc(context, states, sizeof *j->classes);
    j->is_known = crd_i_alloc_zeroed(context, j->columns, sizeof *j->is_known);
    if (j->classes == NULL || j->is_known == NULL) return crd_i_fail_memory(error);
    for (size_t k = 0; k < states; k++) {
        char quoted[CRD_I_QUOTED_ROOM];
        j->classes[k] = crd_i_dictionary_find(j->to->classes, crd_hmm_state(j->hmm, k));
        if (j->classes[k] < 0 && j->to->class_count > 0)
            return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the state '%s' is none of the labels to predict",
                              crd_i_quote(crd_hmm_state(j->hmm, k), quoted));
    }
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < j->columns; i++) status = mark_known(j, i, error);
    return status;
}

static bool has_unknown(const judgement *j, const crd_i_observation_block *block, size_t at) {
    for (size_t i = 0; i < j->columns; i++)
        if (block->codes[i] != NULL && block->codes[i][at] >= 0 && j->is_known[i] != NULL &&
            !j->is_known[i][block->codes[i][at]])
            return true;
    return false;
}

/* One step: its state, -1 where there is none, and its posteriors. */
static crd_status judge_step(judgement *j, const crd_i_observation_block *block, size_t at, int32_t state,
                             const double *posteriors, crd_error *error) {
    crd_sequence_evaluation *to = j->to;
    const crd_text none = {NULL, 0};
    const int32_t label = block->labels == NULL ? -1 : block->labels[at];
    const crd_text truth = label < 0 ? none : crd_sequences_label(j->sequences, (size_t)label);
    const crd_text named = state < 0 ? none : crd_hmm_state(j->hmm, (size_t)state);
    j->items += block->is_inserted == NULL || !block->is_inserted[at];
    crd_status status = crd_spans_add(to->spans, truth, named, error);
    if (status != CRD_OK || label < 0) return status;
    for (size_t c = 0; c < to->class_count; c++) to->logs[c] = -INFINITY, to->probabilities[c] = 0;
    for (size_t k = 0; state >= 0 && k < crd_hmm_state_count(j->hmm); k++) {
        to->probabilities[j->classes[k]] = fmin(posteriors[k], 1);
        to->logs[j->classes[k]] = crd_log(to->probabilities[j->classes[k]]);
    }
    const bool is_right = state >= 0 && crd_text_equal(truth, named);
    j->is_labelled = true;
    j->is_correct = j->is_correct && is_right;
    if (has_unknown(j, block, at)) to->totals.unseen_items++, to->totals.unseen_correct += is_right;
    else to->totals.seen_items++, to->totals.seen_correct += is_right;
    return crd_evaluation_add_decided(to->items, to->logs, to->probabilities, state < 0 ? -1 : j->classes[state], truth,
                                      1, NULL, error);
}

static void end_sequence(judgement *j, const crd_decoded *piece) {
    crd_sequence_totals *totals = &j->to->totals;
    crd_spans_end_sequence(j->to->spans);
    totals->sequences++;
    totals->items += j->items;
    totals->labelled += j->is_labelled;
    totals->correct += j->is_labelled && j->is_correct;
    totals->impossible += piece->is_impossible != 0;
    if (piece->is_impossible) return;
    totals->log_likelihood += piece->log_likelihood;
    totals->possible_items += j->items;
}

static crd_status judge_piece(void *user, const crd_decoded *piece, crd_error *error) {
    judgement *j = user;
    const size_t states = crd_hmm_state_count(j->hmm);
    crd_status status = CRD_OK;
    if (piece->from == 0) {
        j->is_labelled = false;
        j->is_correct = true;
        j->items = 0;
    }
    for (size_t done = 0; status == CRD_OK && done < piece->steps;) {
        crd_i_observation_block block;
        status = crd_i_sequences_block(j->sequences, piece->sequence, piece->from + done, piece->steps - done, &j->room,
                                       &block, error);
        /* Where states are hidden, labels are none of theirs. */
        if (j->to->class_count == 0) block.labels = NULL;
        for (size_t t = 0; status == CRD_OK && t < block.steps; t++)
            status = judge_step(j, &block, t, piece->is_impossible ? -1 : piece->states[done + t],
                                piece->posteriors + (done + t) * states, error);
        done += block.steps;
    }
    if (status == CRD_OK && piece->from + piece->steps == piece->length) end_sequence(j, piece);
    return status;
}

crd_status crd_sequence_evaluation_add(crd_sequence_evaluation *evaluation, const crd_hmm *hmm,
                                       const crd_sequences *sequences, crd_error *error) {
    crd_decode_options options = CRD_DECODE_OPTIONS_INIT;
    judgement j = {.to = evaluation, .hmm = hmm, .sequences = sequences};
    options.decoding = evaluation->options.decoding;
    options.threads = evaluation->options.threads;
    options.with_probabilities = 1;
    crd_status status = begin_judgement(&j, error);
    if (status == CRD_OK) status = crd_hmm_decode(hmm, sequences, &options, judge_piece, &j, error);
    clear_judgement(&j);
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
