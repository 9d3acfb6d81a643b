/* SPDX-License-Identifier: MIT */
/* evaluate_sequence_states.c - --against COL of a model of sequences: the states of the most probable path beside a labelling whose
 * names may be others, as those of hidden states are. */
#include "verbs/evaluate/evaluate_verb.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "source/model_or_table.h"
#include "source/sequence_input.h"

#include <stdlib.h>

typedef struct state_comparison {
    labelling_report of;
    const crd_hmm *hmm;
    crd_decode_options options;
    missing_texts missing;
    crd_sequence_cursor *cursor; /* over the batch at hand */
} state_comparison;

static crd_status add_piece(void *user, const crd_decoded *piece, crd_error *error) {
    state_comparison *c = user;
    crd_status status = CRD_OK;
    for (size_t t = 0; status == CRD_OK && !piece->is_impossible && t < piece->steps; t++) {
        status = crd_sequence_cursor_move(c->cursor, piece->sequence, piece->from + t, error);
        if (status != CRD_OK || crd_sequence_cursor_is_inserted(c->cursor)) continue;
        const crd_text known = crd_sequence_cursor_cell(c->cursor, c->of.column);
        if (data_means_missing(&c->missing, known)) c->of.unlabelled++;
        else status = crd_labelling_add(c->of.labelling, c->of.classes[piece->states[t]], known, 1, error);
    }
    return status;
}

static crd_status add_batch(void *user, const crd_sequences *batch, crd_error *error) {
    state_comparison *c = user;
    crd_status status = c->of.labelling == NULL ? labelling_begin(&c->of, error) : CRD_OK;
    if (status == CRD_OK) status = crd_sequence_cursor_create(batch, &c->cursor, error);
    if (status == CRD_OK) status = crd_hmm_decode(c->hmm, batch, &c->options, add_piece, c, error);
    crd_sequence_cursor_destroy(c->cursor);
    c->cursor = NULL;
    return status;
}

static void forget_batches(void *user) {
    state_comparison *c = user;
    crd_labelling_destroy(c->of.labelling);
    c->of.labelling = NULL;
}

static int compare_files(state_comparison *c) {
    const arguments *words = &c->of.call->arguments;
    const sequence_taker taker = {.user = c, .take = add_batch, .forget = forget_batches};
    sequence_input input;
    int ended =
        sequence_input_open(c->of.call, c->of.model, words->operands + 1, words->operand_count - 1, true, &input);
    if (ended != ENDED_WELL) return ended;
    ended = labelling_find_column(&c->of, input.rows.reader);
    if (ended == ENDED_WELL) ended = sequence_input_take(&input, &taker);
    if (ended == ENDED_WELL && c->of.labelling == NULL) ended = message_failed("there is no sequence to compare");
    if (ended == ENDED_WELL) ended = labelling_write(&c->of);
    sequence_input_close(&input);
    return ended;
}

int evaluate_sequence_labelling(const invocation *call, const crd_model *model) {
    state_comparison c = {.of = {.call = call, .model = model}, .options = CRD_DECODE_OPTIONS_INIT};
    crd_settings *settings = NULL;
    crd_summary *summary = NULL;
    crd_hmm *hmm = NULL;
    crd_error error;
    int ended = model_or_table_settings(call, model, &settings);
    if (ended == ENDED_WELL) ended = sequence_input_threads(call, &c.options.threads);
    if (ended == ENDED_WELL && (crd_hmm_create(model, settings, &hmm, &error) != CRD_OK ||
                                crd_summary_create(model, &summary, &error) != CRD_OK))
        ended = message_error_in(&error, call->arguments.operands[0]);
    if (ended == ENDED_WELL) ended = data_missing_texts(call, summary, &c.missing);
    if (ended == ENDED_WELL) {
        c.hmm = hmm;
        c.of.target = crd_summary_target(summary);
        c.of.settings = crd_hmm_settings(hmm);
        c.of.class_count = crd_hmm_state_count(hmm);
        c.of.classes = memory_resize(NULL, c.of.class_count, sizeof *c.of.classes);
        for (size_t k = 0; k < c.of.class_count; k++) c.of.classes[k] = crd_hmm_state(hmm, k);
        ended = compare_files(&c);
    }
    crd_labelling_destroy(c.of.labelling);
    free(c.of.classes);
    crd_summary_destroy(summary);
    crd_hmm_destroy(hmm);
    crd_settings_destroy(settings);
    return ended;
}
