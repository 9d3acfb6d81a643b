/* SPDX-License-Identifier: MIT */
/* predict_paths.c - the N most likely paths of each sequence, one after the other. See sequence_run.h. */
#include "verbs/predict/sequence_run.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "core/row_stream.h"

#include <math.h>
#include <stdlib.h>

/* The output columns after the input columns of --with-input: the item, the path and its state there, then P(path | x) of
 * the
 * whole path and its logarithm. P(path | x) may be too small for a double. */
static const char *const columns[] = {
    "sequence", "step", "path", "prediction", "path_probability", "path_log_probability"};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

/* The paths of one sequence. */
typedef struct path_list {
    size_t most, count;
    int32_t *states; /* state of path n at step t: states[n * length + t] */
    double *logs;    /* log P(path, x) */
    double log_likelihood;
} path_list;

/* Writes one step of a path. */
static crd_status write_step(sequence_run *run, row_stream *s, const path_list *paths, size_t path, size_t sequence,
                             uint64_t step, crd_error *error) {
    prediction *p = run->p;
    const uint64_t length = crd_sequences_length(run->batch, sequence);
    const crd_status status = crd_sequence_cursor_move(run->cursor, sequence, step, error);
    if (status != CRD_OK || crd_sequence_cursor_is_inserted(run->cursor)) return status;
    p->rows++;
    for (size_t c = 0; c < p->kept; c++) row_stream_text(s, crd_sequence_cursor_cell(run->cursor, c));
    if (run->input.has_ids) row_stream_text(s, sequence_run_name(run, sequence));
    else row_stream_count(s, (double)(run->before + sequence + 1));
    row_stream_count(s, (double)(step + 1));
    if (paths->count == 0) {
        for (size_t i = 2; i < COLUMNS; i++) row_stream_missing(s);
        return CRD_OK;
    }
    const double log_probability = paths->logs[path] - paths->log_likelihood;
    row_stream_count(s, (double)(path + 1));
    row_stream_text(s, p->classes[paths->states[path * length + step]]);
    row_stream_number(s, crd_exp(log_probability));
    row_stream_number(s, log_probability);
    return row_stream_goes_on(s) ? CRD_OK : sequence_run_stop(run, error);
}

/* Writes all paths of a sequence. An impossible sequence has one block of lines, with empty fields. */
static crd_status predict_paths_write_sequence(sequence_run *run, row_stream *s, path_list *paths, size_t sequence,
                                               crd_error *error) {
    const uint64_t length = crd_sequences_length(run->batch, sequence);
    if (length > SIZE_MAX / paths->most / sizeof(int32_t)) {
        message_failed("--n-best %zu: the sequence is too long to store its paths", paths->most);
        return sequence_run_stop(run, error);
    }
    paths->states = memory_resize(paths->states, paths->most * (size_t)length, sizeof *paths->states);
    crd_status status = crd_hmm_best_paths(run->hmm, run->batch, sequence, paths->most, paths->states, paths->logs,
                                           &paths->count, error);
    for (size_t n = 0; status == CRD_OK && n < (paths->count == 0 ? 1 : paths->count); n++)
        for (uint64_t t = 0; t < length && status == CRD_OK; t++)
            status = write_step(run, s, paths, n, sequence, t, error);
    return status;
}

/* The output stream and the current paths. */
typedef struct path_output {
    row_stream stream;
    path_list paths;
} path_output;

static crd_status write_batch(sequence_run *run, void *user, crd_error *error) {
    path_output *path = user;
    path_list *paths = &path->paths;
    const size_t count = crd_sequences_count(run->batch);
    double *logs = memory_resize(NULL, count, sizeof *logs);
    crd_status status = crd_hmm_log_likelihoods(run->hmm, run->batch, run->decoding.threads, logs, error);
    for (size_t i = 0; i < count && status == CRD_OK; i++) {
        paths->log_likelihood = logs[i];
        if (logs[i] == -INFINITY) sequence_run_note_impossible(run, i, UINT64_MAX);
        status = predict_paths_write_sequence(run, &path->stream, paths, i, error);
    }
    free(logs);
    return status;
}

/* Writes the paths of all sequences. With several processes, the first one collects and writes the lines of the
 * others. */
static int predict_paths_write_all(sequence_run *run, path_output *path) {
    prediction *p = run->p;
    crd_error error;
    int ended = ENDED_WELL;
    const crd_status status = sequence_run_each(run, path, write_batch, &error);
    if (status != CRD_OK && row_stream_goes_on(&path->stream))
        ended = run->is_stopped ? ENDED_FAILED : message_error(&error);
    ended = bad_row_list_share(run->input.rows.bad, ended);
    if (p->group == NULL) return ended;
    if (p->is_kept && ended == ENDED_WELL) row_stream_flush(&path->stream);
    p->out = path->stream.out;
    p->table = path->stream.table;
    ended = processes_collect(p, ended);
    path->stream.out = p->out;
    return ended;
}

int predict_paths(sequence_run *run, size_t count) {
    prediction *p = run->p;
    path_output path = {.paths = {.most = count, .logs = memory_resize(NULL, count, sizeof(double))}};
    crd_text *names = memory_resize(NULL, p->kept + COLUMNS, sizeof *names);
    bool *left = memory_resize(NULL, p->kept + COLUMNS, sizeof *left);
    for (size_t i = 0; i < p->kept + COLUMNS; i++) {
        names[i] = i < p->kept ? crd_reader_column_name(p->reader, i) : crd_text_of(columns[i - p->kept]);
        left[i] = i < p->kept || i == p->kept + 3 || (i == p->kept && run->input.has_ids);
    }
    p->call = run->call;
    int ended = processes_open(p, run->call);
    path.stream.out = p->out;
    path.stream.is_kept = p->is_kept;
    if (ended == ENDED_WELL) ended = row_stream_open_on(run->call, &path.stream);
    if (ended == ENDED_WELL) {
        row_stream_begin(&path.stream, names, left, p->kept + COLUMNS);
        ended = row_stream_close(&path.stream, predict_paths_write_all(run, &path));
    }
    free(path.paths.states);
    free(path.paths.logs);
    string_free(&p->own_path);
    free(names);
    free(left);
    return ended;
}
