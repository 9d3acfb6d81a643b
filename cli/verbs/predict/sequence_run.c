/* SPDX-License-Identifier: MIT */
/* sequence_run.c - see sequence_run.h. */
#include "verbs/predict/sequence_run.h"

#include "core/messages.h"
#include "source/input_file.h"

#include <math.h>
#include <stdlib.h>

/* The names of the columns that identify an item. */
static const char *const places[PLACES] = {"sequence", "step"};

/* Chooses the columns that identify an item: sequence and step, unless --with-input copies the id from the input. */
static void choose_places(sequence_run *run) {
    const bool has_ids = run->input.has_ids;
    if (run->p->kept > 0 && has_ids) return;
    run->p->places = places;
    run->p->place_count = PLACES;
    run->p->place_is_number[0] = !has_ids;
    run->p->place_is_number[1] = true;
}

int sequence_run_open(sequence_run *run, const crd_model *model) {
    const arguments *words = &run->call->arguments;
    const bool keep = arguments_have(words, "with-input");
    prediction *p = run->p;
    const int ended = sequence_input_open_divided(run->call, model, words->operands + 1, words->operand_count - 1, keep,
                                                  true, &run->input);
    if (ended != ENDED_WELL) return ended;
    p->reader = run->input.rows.reader;
    p->is_shared = true;
    p->is_prompt = input_file_reads_once(words->operands[1]);
    if (keep) p->kept = crd_reader_column_count(p->reader);
    choose_places(run);
    const size_t actions = p->rule == NULL ? 0 : p->rule->action_count;
    run->cells = memory_resize(NULL, p->kept, sizeof *run->cells);
    run->logs = memory_resize(NULL, p->class_count, sizeof *run->logs);
    run->none = memory_resize(NULL, p->class_count, sizeof *run->none);
    for (size_t c = 0; c < p->class_count; c++) run->none[c] = 0;
    run->expected = memory_resize(NULL, actions, sizeof *run->expected);
    return ENDED_WELL;
}

void sequence_run_leave(sequence_run *run) {
    ordered_items_destroy(run->ordered);
    crd_sequence_cursor_destroy(run->cursor);
    run->ordered = NULL;
    run->cursor = NULL;
    run->batch = NULL;
}

crd_status sequence_run_take(sequence_run *run, const crd_sequences *batch, uint64_t before, crd_error *error) {
    run->batch = batch;
    run->before = before;
    if (run->unseen == NULL) run->unseen = unseen_values_create(run->p->classifier, batch);
    return crd_sequence_cursor_create(batch, &run->cursor, error);
}

/* The callback for batches, and its argument. */
typedef struct answered_batches {
    sequence_run *run;
    void *user;
    sequence_run_answer *answer;
} answered_batches;

static crd_status sequence_run_take_batch(void *user, const crd_sequences *batch, crd_error *error) {
    const answered_batches *batches = user;
    crd_status status = sequence_run_take(batches->run, batch, batches->run->input.before, error);
    if (status == CRD_OK) status = batches->answer(batches->run, batches->user, error);
    sequence_run_leave(batches->run);
    return status;
}

crd_status sequence_run_each(sequence_run *run, void *user, sequence_run_answer *answer, crd_error *error) {
    answered_batches batches = {run, user, answer};
    return sequence_input_each(&run->input, sequence_run_take_batch, &batches, error);
}

void sequence_run_note_impossible(sequence_run *run, size_t sequence, uint64_t step) {
    if (run->p->impossible++ > 0) return;
    string_add_shown(&run->p->first_impossible, sequence_run_name(run, sequence));
    if (step == UINT64_MAX) return;
    if (step >= crd_sequences_length(run->batch, sequence)) {
        string_format(&run->p->first_impossible, ", which cannot end in any state");
        return;
    }
    string_format(&run->p->first_impossible, " at step %llu", (unsigned long long)step + 1);
    if (crd_sequence_cursor_move(run->cursor, sequence, step, NULL) == CRD_OK &&
        crd_sequence_cursor_line(run->cursor) > 0)
        string_format(&run->p->first_impossible, " (%s:%llu)", input_file_name(crd_sequence_cursor_place(run->cursor)),
                      (unsigned long long)crd_sequence_cursor_line(run->cursor));
}

crd_text sequence_run_name(sequence_run *run, size_t sequence) {
    string_clear(&run->name);
    if (run->input.has_ids) return crd_sequences_id(run->batch, sequence);
    string_add_count(&run->name, run->before + sequence + 1);
    return (crd_text){run->name.bytes, run->name.length};
}

void sequence_run_put(sequence_run *run, const item *given_item, const double *probabilities, crd_text name) {
    prediction *p = run->p;
    const crd_answer answer = {given_item->state, given_item->state >= 0, given_item->unseen, given_item->log_evidence};
    answered a = {.probabilities = probabilities,
                  .log_posterior = run->logs,
                  .answer = &answer,
                  .fit = NAN,
                  .expected = run->expected,
                  .cells = run->cells};
    for (size_t c = 0; p->rule != NULL && c < p->class_count; c++) run->logs[c] = crd_log(probabilities[c]);
    if (p->place_count > 0) {
        string_clear(&run->step);
        string_add_count(&run->step, given_item->step + 1);
        a.place[0] = name;
        a.place[1] = (crd_text){run->step.bytes, run->step.length};
    }
    answers_count(p, &a);
    if (p->table != NULL) answers_add_to_table(p, &a);
    else answers_add_line(p, &p->lines, &a);
}

crd_status sequence_run_write(sequence_run *run, const item *given_item, const double *probabilities,
                              crd_error *error) {
    enum { WRITTEN_AT_ONCE = 1 << 16 };
    const crd_status status = crd_sequence_cursor_move(run->cursor, given_item->sequence, given_item->step, error);
    if (status != CRD_OK || crd_sequence_cursor_is_inserted(run->cursor)) return status;
    item whole = *given_item;
    whole.unseen = unseen_values_count(run->unseen, run->batch, run->cursor);
    if (run->ordered != NULL) {
        ordered_items_put(run->ordered, crd_sequence_cursor_row(run->cursor), &whole, probabilities);
        return CRD_OK;
    }
    for (size_t c = 0; c < run->p->kept; c++) run->cells[c] = crd_sequence_cursor_cell(run->cursor, c);
    const size_t begun = processes_begin_numbered(run->p, crd_sequence_cursor_row(run->cursor));
    sequence_run_put(run, &whole, probabilities, sequence_run_name(run, given_item->sequence));
    processes_end_numbered(run->p, begun);
    if (run->p->lines.length >= WRITTEN_AT_ONCE) answers_write(run->p);
    return answers_are_broken(run->p) ? sequence_run_stop(run, error) : CRD_OK;
}

crd_status sequence_run_stop(sequence_run *run, crd_error *error) {
    run->is_stopped = true;
    error->status = CRD_ERROR_CANCELLED;
    return CRD_ERROR_CANCELLED;
}

void sequence_run_close(sequence_run *run, int ended) {
    prediction *p = run->p;
    sequence_run_leave(run);
    crd_hmm_filter_destroy(run->filter);
    unseen_values_destroy(run->unseen);
    if (run->input.reader != NULL) sequence_input_close(&run->input);
    free(run->cells);
    free(run->logs);
    free(run->none);
    free(run->expected);
    string_free(&run->name);
    string_free(&run->step);
    const unsigned long long count = p->impossible;
    if (ended == ENDED_WELL && count > 0 && run->is_stream)
        message_warning(
            "%llu row%s impossible given the earlier rows, and treated as missing; the first is in sequence %s", count,
            count == 1 ? " is" : "s are", string_text(&p->first_impossible));
    else if (ended == ENDED_WELL && count > 0)
        message_warning(
            "%llu sequence%s %s impossible and without a prediction: every path of states contains an observation or "
            "transition of probability 0 (--smoothing, --transitions); the first is %s",
            count, count == 1 ? "" : "s", count == 1 ? "is" : "are", string_text(&p->first_impossible));
    string_free(&p->first_impossible);
}
