/* SPDX-License-Identifier: MIT */
/* predict_processes.c - predictions of several processes. Either the first process writes all of them in the order
 * of the
 * rows, or each process writes its own file.
 *
 * Every other process stores its predictions in a temporary file until the first process requests them. So the
 * first one
 * needs memory for only one piece at a time. Before that, all processes agree on an exit code. If some have failed,
 * the
 * message of the lowest rank is printed, and standard output contains the predictions up to those of that process.
 *
 * If the rows of a process are not contiguous, each line is stored after its length and the number of its row, and
 * the first process merges the lines of all. */
#include "verbs/predict/predict.h"

#include "base/os.h"
#include "core/messages.h"
#include "core/operands.h"

#include <credence/temporary_file.h>

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 16, COUNTS = 6 };

static bool has_own_file(const invocation *call) {
    return arguments_have(&call->arguments, "file-per-rank");
}

/* Determines the path of a process's own file: out.csv of process 2 of 4 is out-2-of-4.csv. It must not be an input. */
static int find_own_path(const invocation *call, string *path) {
    const char *named = arguments_value(&call->arguments, "output");
    const char *base = crd_i_os_file_name(named), *dot = strrchr(base, '.');
    const size_t stem = dot == NULL || dot == base ? strlen(named) : (size_t)(dot - named);
    string_add(path, named, stem);
    string_format(path, "-%u-of-%u%s", call->communicator->rank + 1, call->communicator->count, named + stem);
    const char **inputs = NULL;
    const size_t count = inputs_list(call->verb, &call->arguments, &inputs);
    const int ended = output_check_path("output", string_text(path), inputs, count);
    free(inputs);
    return ended;
}

static int open_without_name(output *out) {
    *out = (output){.name = "a temporary file", .stream = crd_temporary_file()};
    return out->stream != NULL ? ENDED_WELL : message_failed("%s cannot be opened: %s", out->name, strerror(errno));
}

int processes_open(prediction *p, const invocation *call) {
    const crd_communicator *group = call->communicator;
    p->messages = message_held().length;
    if (has_own_file(call)) {
        if (group == NULL)
            return message_usage("--file-per-rank needs several processes: mpirun -n N credence-mpi predict ...");
        p->group = group;
        const int ended = find_own_path(call, &p->own_path);
        return ended != ENDED_WELL ? ended : output_open_path(call->context, string_text(&p->own_path), &p->out);
    }
    if (group == NULL || group->count == 1) return output_open(call, &p->out);
    p->group = group;
    p->is_kept = group->rank > 0;
    if (!p->is_kept) return output_open(call, &p->out);
    return open_without_name(&p->out);
}

/* ---- Lines with row numbers ---- */

typedef struct numbered_line {
    uint64_t row;
    size_t length;
} numbered_line;

int processes_number_rows(prediction *p) {
    if (p->group == NULL || has_own_file(p->call)) return ENDED_WELL;
    answers_write(p); /* the header line */
    const int ended = p->is_kept ? ENDED_WELL : open_without_name(&p->own_numbered);
    if (ended == ENDED_WELL) p->numbered = p->is_kept ? &p->out : &p->own_numbered;
    return ended;
}

size_t processes_begin_numbered(prediction *p, uint64_t row) {
    const numbered_line line = {row, 0};
    const size_t begun = p->lines.length;
    if (p->numbered != NULL) string_add(&p->lines, (const char *)&line, sizeof line);
    return begun;
}

void processes_end_numbered(prediction *p, size_t begun) {
    if (p->numbered == NULL) return;
    const size_t length = p->lines.length - begun - sizeof(numbered_line);
    memcpy(p->lines.bytes + begun + offsetof(numbered_line, length), &length, sizeof length);
}

/* ---- The common exit code ---- */

/* The result of a process, without its predictions. */
typedef struct processes_account {
    uint64_t ended, counts[COUNTS];
    size_t message_length, impossible_length;
} processes_account;

static void predict_processes_list_counts(prediction *p, uint64_t *counts[COUNTS]) {
    uint64_t *const all[COUNTS] = {&p->rows,      &p->rows_with_unseen, &p->unseen_cells,
                                   &p->undecided, &p->poor_fits,        &p->impossible};
    for (size_t i = 0; i < COUNTS; i++) counts[i] = all[i];
}

/* Sends the result of this process to the first one. Returns the common exit code. */
static int send_account(prediction *p, int ended) {
    const crd_text messages = message_held();
    processes_account account = {.ended = (uint64_t)ended,
                                 .message_length = messages.length - p->messages,
                                 .impossible_length = p->first_impossible.length};
    uint64_t *counts[COUNTS], agreed;
    predict_processes_list_counts(p, counts);
    for (size_t i = 0; i < COUNTS; i++) account.counts[i] = *counts[i];
    const char *text = messages.bytes == NULL ? "" : messages.bytes + p->messages;
    if (p->group->send(p->group->user, 0, &account, sizeof account) != 0 ||
        (account.message_length > 0 && p->group->send(p->group->user, 0, text, account.message_length) != 0) ||
        (account.impossible_length > 0 &&
         p->group->send(p->group->user, 0, p->first_impossible.bytes, account.impossible_length) != 0) ||
        p->group->receive(p->group->user, 0, &agreed, sizeof agreed) != 0)
        return invocation_end_unreachable(0);
    return (int)agreed;
}

/* Receives a text from another process. The caller frees it. Returns NULL if the process cannot be reached. */
static char *predict_processes_take_text(const prediction *p, unsigned rank, size_t length) {
    char *text = memory_resize(NULL, length + 1, 1);
    if (length == 0 || p->group->receive(p->group->user, rank, text, length) == 0) return text;
    free(text);
    return NULL;
}

/* Receives the result of another process. If it is the first to have failed, prints its messages and sets *failed
 * to its
 * rank. */
static int take_account(prediction *p, unsigned rank, int ended, uint64_t totals[COUNTS], unsigned *failed) {
    processes_account theirs;
    if (p->group->receive(p->group->user, rank, &theirs, sizeof theirs) != 0) return invocation_end_unreachable(rank);
    char *text = predict_processes_take_text(p, rank, theirs.message_length),
         *impossible = text == NULL ? NULL : predict_processes_take_text(p, rank, theirs.impossible_length);
    if (impossible == NULL) {
        free(text);
        return invocation_end_unreachable(rank);
    }
    if (ended == ENDED_WELL && theirs.ended != ENDED_WELL) {
        message_pass_on((crd_text){text, theirs.message_length});
        ended = (int)theirs.ended;
        *failed = rank;
    }
    if (p->first_impossible.length == 0) string_add(&p->first_impossible, impossible, theirs.impossible_length);
    free(impossible);
    free(text);
    for (size_t i = 0; i < COUNTS; i++) totals[i] += theirs.counts[i];
    return ended;
}

/* ---- Predictions ---- */

/* Marks a piece that could not be read. */
static const size_t IS_LOST = SIZE_MAX;

/* Sends the stored predictions to the first process, piece by piece, if it requests them. */
static int send_answers(const prediction *p) {
    const crd_communicator *group = p->group;
    char *bytes = memory_resize(NULL, PIECE, 1);
    uint64_t is_wanted = 0;
    size_t length = 0;
    bool is_well = group->receive(group->user, 0, &is_wanted, sizeof is_wanted) == 0, is_read = true;
    rewind(p->out.stream);
    while (is_well && is_wanted != 0) {
        length = fread(bytes, 1, PIECE, p->out.stream);
        is_read = ferror(p->out.stream) == 0;
        if (!is_read) length = IS_LOST;
        is_well = group->send(group->user, 0, &length, sizeof length) == 0;
        if (length == 0 || !is_read) break;
        is_well = is_well && group->send(group->user, 0, bytes, length) == 0;
    }
    free(bytes);
    if (!is_read) return message_failed("%s: cannot be read", p->out.name);
    return is_well ? ENDED_WELL : invocation_end_unreachable(0);
}

/* Adds received cells to the table. Each cell ends with a zero byte. An incomplete cell remains in the buffer. */
static void predict_processes_add_cells(prediction *p, string *other_string, uint64_t *row) {
    size_t begin = 0;
    for (size_t index = 0; index < other_string->length; index++) {
        if (other_string->bytes[index] != '\0') continue;
        const bool is_whole = table_add_written(p->table, other_string->bytes + begin);
        begin = index + 1;
        if (is_whole) answers_flush_table(p, ++*row);
    }
    memmove(other_string->bytes, other_string->bytes + begin, other_string->length - begin);
    other_string->length -= begin;
}

/* Requests the predictions of a process and writes them. If `are_wanted` is false, requests none. */
static int take_answers(prediction *p, unsigned rank, bool are_wanted, uint64_t *row) {
    const crd_communicator *group = p->group;
    const uint64_t is_wanted = are_wanted && !output_broken(&p->out);
    size_t length = 0;
    string cells = {0};
    char *bytes = memory_resize(NULL, PIECE, 1);
    bool is_well = group->send(group->user, rank, &is_wanted, sizeof is_wanted) == 0;
    while (is_well && is_wanted) {
        is_well =
            group->receive(group->user, rank, &length, sizeof length) == 0 && (length <= PIECE || length == IS_LOST);
        if (length == IS_LOST) break;
        if (is_well && length > 0) is_well = group->receive(group->user, rank, bytes, length) == 0;
        if (!is_well || length == 0) break;
        if (p->table == NULL) {
            output_write(&p->out, bytes, length);
        } else {
            string_add(&cells, bytes, length);
            predict_processes_add_cells(p, &cells, row);
        }
    }
    string_free(&cells);
    free(bytes);
    if (is_well && length == IS_LOST) return message_failed("process %u cannot read its predictions", rank);
    return is_well ? ENDED_WELL : invocation_end_unreachable(rank);
}

/* ---- Predictions in the order of the rows ---- */

/* The lines of one process, as far as they were received. */
typedef struct line_source {
    unsigned rank;
    FILE *file; /* the file of this process; NULL: the lines are received */
    string bytes;
    size_t index;
    numbered_line next; /* its row is UINT64_MAX after the last line */
} line_source;

/* Fills the buffer until it has `wanted` bytes, or all that remain. Returns false if the process cannot be reached. */
static bool predict_processes_fetch(const prediction *p, line_source *source, size_t wanted) {
    const crd_communicator *group = p->group;
    size_t length = PIECE;
    while (source->bytes.length - source->index < wanted && length > 0) {
        if (source->file == NULL &&
            (group->receive(group->user, source->rank, &length, sizeof length) != 0 || length > PIECE))
            return false;
        const size_t left = source->bytes.length - source->index;
        if (left > 0) memmove(source->bytes.bytes, source->bytes.bytes + source->index, left);
        source->bytes.length = left;
        source->index = 0;
        char *destination = string_reserve(&source->bytes, PIECE);
        if (source->file != NULL) length = fread(destination, 1, PIECE, source->file);
        else if (length > 0 && group->receive(group->user, source->rank, destination, length) != 0) return false;
        string_end_at(&source->bytes, destination + length);
    }
    return true;
}

/* Moves to the next line, and reads it completely. */
static bool move_on(const prediction *p, line_source *source) {
    source->next = (numbered_line){UINT64_MAX, 0};
    if (!predict_processes_fetch(p, source, sizeof source->next)) return false;
    if (source->bytes.length - source->index < sizeof source->next) return true;
    memcpy(&source->next, source->bytes.bytes + source->index, sizeof source->next);
    source->index += sizeof source->next;
    return predict_processes_fetch(p, source, source->next.length);
}

/* Writes lines of a process up to the next row of another process. */
static bool write_until(prediction *p, line_source *source, uint64_t row) {
    bool is_well = true;
    while (is_well && source->next.row < row) {
        output_write(&p->out, source->bytes.bytes + source->index, source->next.length);
        source->index += source->next.length;
        is_well = move_on(p, source);
    }
    return is_well;
}

/* Merges the lines of all processes in the order of their rows. */
static int merge_lines(prediction *p) {
    const unsigned count = p->group->count;
    line_source *all = memory_resize(NULL, count, sizeof *all);
    unsigned lost = count;
    rewind(p->own_numbered.stream);
    for (unsigned i = 0; i < count; i++) {
        all[i] = (line_source){.rank = i, .file = i == 0 ? p->own_numbered.stream : NULL};
        if (lost == count && !move_on(p, &all[i])) lost = i;
    }
    while (lost == count) {
        unsigned first = 0;
        uint64_t row = UINT64_MAX; /* the smallest next row of the others */
        for (unsigned i = 1; i < count; i++) {
            const bool is_less = all[i].next.row < all[first].next.row;
            const uint64_t greater = all[is_less ? first : i].next.row;
            if (is_less) first = i;
            if (greater < row) row = greater;
        }
        if (all[first].next.row == UINT64_MAX) break;
        if (!write_until(p, &all[first], row)) lost = first;
    }
    for (unsigned i = 0; i < count; i++) string_free(&all[i].bytes);
    free(all);
    return lost == count ? ENDED_WELL : invocation_end_unreachable(lost);
}

/* Requests and merges the lines of all processes. If one has failed, no lines are requested, because the first row
 * without a
 * prediction is unknown. */
static int collect_lines(prediction *p, int ended) {
    const crd_communicator *group = p->group;
    const uint64_t are_wanted = ended == ENDED_WELL && !output_broken(&p->out);
    for (unsigned rank = 1; rank < group->count; rank++)
        if (group->send(group->user, rank, &are_wanted, sizeof are_wanted) != 0)
            return invocation_end_unreachable(rank);
    const int merged = are_wanted ? merge_lines(p) : ENDED_WELL;
    p->numbered = NULL;
    fclose(p->own_numbered.stream);
    return ended == ENDED_WELL ? merged : ended;
}

/* Collects the results of all processes in the first one. Writes their predictions after its own. Returns the
 * common exit code. */
static int predict_processes_collect(prediction *p, int ended) {
    const crd_communicator *group = p->group;
    uint64_t totals[COUNTS] = {0}, *entries[COUNTS], row = p->rows;
    unsigned failed = ended == ENDED_WELL ? group->count : 0;
    for (unsigned rank = 1; rank < group->count; rank++) ended = take_account(p, rank, ended, totals, &failed);
    const uint64_t agreed = (uint64_t)ended;
    for (unsigned rank = 1; rank < group->count; rank++)
        if (group->send(group->user, rank, &agreed, sizeof agreed) != 0) return invocation_end_unreachable(rank);
    const bool is_merged = p->numbered != NULL;
    if (is_merged) ended = collect_lines(p, ended);
    for (unsigned rank = 1; !is_merged && !has_own_file(p->call) && rank < group->count; rank++) {
        const int taken = take_answers(p, rank, rank <= failed && (ended == ENDED_WELL || p->out.file == NULL), &row);
        if (taken != ENDED_WELL) return taken;
    }
    predict_processes_list_counts(p, entries);
    for (size_t i = 0; i < COUNTS; i++) *entries[i] += totals[i];
    return ended;
}

int processes_collect(prediction *p, int ended) {
    const output *file = p->numbered != NULL ? p->numbered : p->is_kept || has_own_file(p->call) ? &p->out : NULL;
    if (file != NULL && ended == ENDED_WELL && (fflush(file->stream) != 0 || ferror(file->stream) != 0))
        ended = message_failed("%s: cannot be written: %s", file->name, strerror(errno));
    if (p->group->rank == 0) return predict_processes_collect(p, ended);
    const int agreed = send_account(p, ended);
    const int sent = p->is_kept ? send_answers(p) : ENDED_WELL;
    return agreed == ENDED_WELL ? sent : agreed;
}
