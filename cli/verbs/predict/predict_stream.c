/* SPDX-License-Identifier: MIT */
/* predict_stream.c - predicts items when they arrive: by filtering, P(s_t | x_1 .. x_t), or L steps later by
 * fixed-lag
 * smoothing, P(s_t | x_1 .. x_(t+L)) (Rabiner 1989; Murphy 2012). At the end of a sequence the remaining items are
 * predicted.
 * Needs memory for L steps and the rows that arrived together. See sequence_run.h. */
#include "verbs/predict/sequence_run.h"

#include "core/error_messages.h"
#include "core/messages.h"

#include <math.h>
#include <stdlib.h>

/* An item that waits for later items, with a copy of the cells of its row. */
typedef struct stream_waiting {
    item item;
    string *cells;
    bool is_inserted;
} stream_waiting;

typedef struct stream {
    sequence_run *run;
    size_t lag;
    stream_waiting *items; /* ring buffer of the last lag + 1 steps: step t is at t % (lag + 1) */
    string name;           /* of the sequence */
    uint64_t steps;        /* of the sequence so far */
    double *probabilities;
} stream;

static int32_t most_likely(const double *probabilities, size_t count) {
    size_t best = 0;
    for (size_t k = 1; k < count; k++)
        if (probabilities[k] > probabilities[best]) best = k;
    return isnan(probabilities[best]) ? -1 : (int32_t)best;
}

/* Predicts the item `back` steps before the last one. */
static crd_status predict_stream_answer(stream *s, size_t back, bool is_ended, crd_error *error) {
    sequence_run *run = s->run;
    stream_waiting *w = &s->items[(s->steps - 1 - back) % (s->lag + 1)];
    const crd_status status = crd_hmm_filter_posterior(run->filter, back, is_ended, s->probabilities, error);
    if (status != CRD_OK || w->is_inserted) return status;
    w->item.state = most_likely(s->probabilities, run->p->class_count);
    for (size_t c = 0; c < run->p->kept; c++) run->cells[c] = (crd_text){w->cells[c].bytes, w->cells[c].length};
    sequence_run_put(run, &w->item, s->probabilities, (crd_text){s->name.bytes, s->name.length});
    return CRD_OK;
}

/* Ends the sequence: predicts the items that still wait. */
static crd_status predict_stream_end_sequence(stream *s, crd_error *error) {
    crd_status status = CRD_OK;
    const size_t left = s->steps < s->lag ? (size_t)s->steps : s->lag;
    for (size_t back = left; back-- > 0 && status == CRD_OK;) status = predict_stream_answer(s, back, true, error);
    crd_hmm_filter_begin(s->run->filter);
    s->steps = 0;
    return status;
}

/* Adds a step to the filter. Predicts the item that is `lag` steps earlier. */
static crd_status predict_stream_take_step(stream *s, size_t sequence, uint64_t step, crd_error *error) {
    sequence_run *run = s->run;
    stream_waiting *w = &s->items[s->steps % (s->lag + 1)];
    w->item = (item){sequence, s->steps, -1, 0, 0};
    crd_status status = crd_sequence_cursor_move(run->cursor, sequence, step, error);
    if (status == CRD_OK)
        status = crd_hmm_filter_push(run->filter, run->batch, sequence, step, &w->item.log_evidence, error);
    if (status != CRD_OK) return status;
    if (w->item.log_evidence == -INFINITY) sequence_run_note_impossible(run, sequence, step);
    w->item.unseen = unseen_values_count(run->unseen, run->batch, run->cursor);
    w->is_inserted = crd_sequence_cursor_is_inserted(run->cursor) != 0;
    for (size_t c = 0; c < run->p->kept; c++) {
        const crd_text cell = crd_sequence_cursor_cell(run->cursor, c);
        string_clear(&w->cells[c]);
        string_add(&w->cells[c], cell.bytes, cell.length);
    }
    s->steps++;
    return s->steps > s->lag ? predict_stream_answer(s, s->lag, false, error) : CRD_OK;
}

/* Processes the rows of a batch. `continues`: its first sequence continues the previous one. */
static crd_status predict_stream_take_batch(stream *s, bool continues, crd_error *error) {
    sequence_run *run = s->run;
    crd_status status = CRD_OK;
    for (size_t i = 0; i < crd_sequences_count(run->batch) && status == CRD_OK; i++) {
        if (i > 0 || !continues) {
            status = predict_stream_end_sequence(s, error);
            const crd_text name = sequence_run_name(run, i);
            string_clear(&s->name);
            string_add(&s->name, name.bytes, name.length);
        }
        const uint64_t length = crd_sequences_length(run->batch, i);
        for (uint64_t t = 0; t < length && status == CRD_OK; t++) status = predict_stream_take_step(s, i, t, error);
    }
    return status;
}

static void write_out(prediction *p) {
    if (p->table != NULL) table_flush(p->table, p->out.stream);
    answers_write(p);
    fflush(p->out.stream);
}

/* Reads rows as they arrive, and writes the predictions. */
static crd_status predict_stream_take_all(stream *s, crd_error *error) {
    sequence_run *run = s->run;
    crd_sequences *batch = NULL;
    crd_status status;
    uint64_t before = 0;
    int continues = 0;
    for (;;) {
        status = crd_sequence_reader_next_rows(run->input.reader, &batch, &continues, error);
        if (status != CRD_OK || batch == NULL) break;
        /* A sequence that continues is counted once. */
        if (continues && before > 0) before--;
        status = sequence_run_take(run, batch, before, error);
        if (status == CRD_OK) status = predict_stream_take_batch(s, continues != 0, error);
        before += crd_sequences_count(batch);
        sequence_run_leave(run);
        crd_sequences_destroy(batch);
        write_out(run->p);
        if (status == CRD_OK && output_broken(&run->p->out)) status = sequence_run_stop(run, error);
        if (status != CRD_OK) break;
    }
    if (status == CRD_OK) status = predict_stream_end_sequence(s, error);
    write_out(run->p);
    return status;
}

int predict_stream(sequence_run *run, size_t lag) {
    const prediction *p = run->p;
    stream s = {.run = run, .lag = lag, .items = memory_resize(NULL, lag + 1, sizeof *s.items)};
    crd_error error;
    run->is_stream = true;
    s.probabilities = memory_resize(NULL, p->class_count, sizeof *s.probabilities);
    for (size_t i = 0; i <= lag; i++) {
        s.items[i] = (stream_waiting){.cells = memory_resize(NULL, p->kept, sizeof *s.items[i].cells)};
        for (size_t c = 0; c < p->kept; c++) s.items[i].cells[c] = (string){0};
    }
    const crd_status status = predict_stream_take_all(&s, &error);
    for (size_t i = 0; i <= lag; i++) {
        for (size_t c = 0; c < p->kept; c++) string_free(&s.items[i].cells[c]);
        free(s.items[i].cells);
    }
    free(s.items);
    free(s.probabilities);
    string_free(&s.name);
    if (status == CRD_OK || output_broken(&p->out)) return ENDED_WELL;
    return run->is_stopped ? ENDED_FAILED : message_error(&error);
}
