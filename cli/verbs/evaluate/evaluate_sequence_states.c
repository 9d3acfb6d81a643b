/* SPDX-License-Identifier: MIT */
/* evaluate_sequence_states.c - --true-labels COL for a hidden Markov model: compares the states of the most probable
 * path with known labels, whose names may differ from the names of the hidden states. */
#include "verbs/evaluate/evaluate_verb.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "source/model_operand.h"
#include "source/sequence_input.h"

#include <stdlib.h>

typedef struct state_comparison {
    labeling_report report;
    const crd_hmm *hmm;
    crd_decode_options options;
    missing_texts missing;
    crd_sequence_cursor *cursor; /* over the current batch */
} state_comparison;

static crd_status add_piece(void *user, const crd_decoded *piece, crd_error *error) {
    state_comparison *c = user;
    crd_status status = CRD_OK;
    for (size_t t = 0; status == CRD_OK && !piece->is_impossible && t < piece->steps; t++) {
        status = crd_sequence_cursor_move(c->cursor, piece->sequence, piece->from + t, error);
        if (status != CRD_OK || crd_sequence_cursor_is_inserted(c->cursor)) continue;
        const crd_text known = crd_sequence_cursor_cell(c->cursor, c->report.column);
        if (data_means_missing(&c->missing, known)) c->report.unlabeled++;
        else status = crd_labeling_add(c->report.labeling, c->report.classes[piece->states[t]], known, 1, error);
    }
    return status;
}

static crd_status sequence_states_add_batch(void *user, const crd_sequences *batch, crd_error *error) {
    state_comparison *c = user;
    crd_status status = c->report.labeling == NULL ? labeling_begin(&c->report, error) : CRD_OK;
    if (status == CRD_OK) status = crd_sequence_cursor_create(batch, &c->cursor, error);
    if (status == CRD_OK) status = crd_hmm_decode(c->hmm, batch, &c->options, add_piece, c, error);
    crd_sequence_cursor_destroy(c->cursor);
    c->cursor = NULL;
    return status;
}

/* Reads the sequences of DATA in batches, compares their states with the labels, and writes the report. */
static int compare_files(state_comparison *c) {
    const arguments *words = &c->report.call->arguments;
    sequence_input input;
    int ended = sequence_input_open(c->report.call, c->report.model, words->operands + 1, words->operand_count - 1,
                                    true, &input);
    if (ended != ENDED_WELL) return ended;
    ended = labeling_find_column(&c->report, input.rows.reader);
    if (ended == ENDED_WELL) ended = sequence_input_take(&input, sequence_states_add_batch, c);
    if (ended == ENDED_WELL && c->report.labeling == NULL)
        ended = message_failed("the input has no sequence to compare");
    if (ended == ENDED_WELL) ended = labeling_write(&c->report);
    sequence_input_close(&input);
    return ended;
}

/* Decodes the sequences of DATA with an HMM, and compares the state of each item with its label. */
int evaluate_sequence_labeling(const invocation *call, const crd_model *model) {
    state_comparison c = {.report = {.call = call, .model = model}, .options = CRD_DECODE_OPTIONS_INIT};
    crd_settings *settings = NULL;
    crd_summary *summary = NULL;
    crd_hmm *hmm = NULL;
    crd_error error;
    int ended = model_operand_settings(call, model, &settings);
    if (ended == ENDED_WELL) ended = sequence_input_threads(call, &c.options.threads);
    if (ended == ENDED_WELL && (crd_hmm_create(model, settings, &hmm, &error) != CRD_OK ||
                                crd_summary_create(model, &summary, &error) != CRD_OK))
        ended = message_error_in(&error, call->arguments.operands[0]);
    if (ended == ENDED_WELL) ended = data_missing_texts(call, summary, &c.missing);
    if (ended == ENDED_WELL) {
        c.hmm = hmm;
        c.report.target = summary->target;
        c.report.settings = crd_hmm_facts_of(hmm)->settings;
        c.report.class_count = crd_hmm_state_count(hmm);
        c.report.classes = memory_resize(NULL, c.report.class_count, sizeof *c.report.classes);
        for (size_t k = 0; k < c.report.class_count; k++) c.report.classes[k] = crd_hmm_state(hmm, k);
        ended = compare_files(&c);
    }
    crd_labeling_destroy(c.report.labeling);
    free(c.report.classes);
    crd_summary_destroy(summary);
    crd_hmm_destroy(hmm);
    crd_settings_destroy(settings);
    return ended;
}
