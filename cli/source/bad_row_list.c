/* SPDX-License-Identifier: MIT */
/* bad_row_list.c - see bad_row_list.h. */
#include "source/bad_row_list.h"

#include "base/os.h"
#include "core/csv.h"
#include "core/messages.h"
#include "core/output.h"
#include "core/system.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LISTED = 5 }; /* rows that are printed; all are counted */

struct bad_row_list {
    uint64_t count, most;
    string listed[LISTED];
    const char *path; /* the file to write to; NULL: none */
    FILE *file;
    long begin;       /* the offset in the file where the rows of this reader begin */
    bool is_silent;   /* an earlier reader read the same files and listed the rows */
    bool is_reported; /* a failure to write the file has been reported */
    bool is_over;     /* there are more bad rows than --bad-rows allows */
    /* If several processes read parts of the rows, each process except rank 0 keeps the lines for the file in memory.
     * Rank 0 writes them. */
    const crd_communicator *group; /* NULL: a single process, or each process has all rows */
    bool is_kept;
    string kept;
};

/* Several readers of one command append to the same file, one after the other. */
static bool file_is_begun;
/* The first path and the number of paths of the previous reader. Verbs that need the column types first read a table
 * twice. */
static char last_path[1024];
static size_t last_count;

/* Discards the recorded rows, because the reader starts again from the first row. */
static void bad_row_list_forget(bad_row_list *rows) {
    rows->count = 0;
    string_clear(&rows->kept);
    if (rows->file == NULL) return;
    (void)system_truncate(rows->file, rows->begin);
}

static void bad_row_list_write(bad_row_list *rows, const crd_error *fault, crd_text row) {
    string line = {0};
    csv_add_text(&line, crd_text_of(fault->place));
    string_format(&line, ",%llu,", (unsigned long long)fault->line);
    csv_add_text(&line, crd_text_of(fault->message));
    string_add_char(&line, ',');
    csv_add_text(&line, row);
    string_add_char(&line, '\n');
    if (rows->is_kept) string_add(&rows->kept, line.bytes, line.length);
    else fwrite(line.bytes, 1, line.length, rows->file);
    string_free(&line);
}

/* Records a bad row. Returns 0 to stop reading, if there are more than allowed. `fault` NULL: the reader starts
 * again. */
static int on_bad_row(void *user, const crd_error *fault, crd_text row) {
    bad_row_list *rows = user;
    if (fault == NULL) {
        bad_row_list_forget(rows);
        return 1;
    }
    rows->is_over = rows->count == rows->most;
    if (rows->is_over) return 0;
    if (rows->file != NULL || (rows->is_kept && rows->path != NULL)) {
        bad_row_list_write(rows, fault, row);
    } else if (rows->count < LISTED) {
        string *line = &rows->listed[rows->count];
        string_clear(line);
        string_format(line, "%s:%llu: %s", fault->place, (unsigned long long)fault->line, fault->message);
    }
    rows->count++;
    return 1;
}

static int bad_row_list_open_file(bad_row_list *rows) {
    rows->file = crd_i_os_stream(rows->path, file_is_begun ? "r+" : "w");
    if (rows->file == NULL) return message_failed("%s: cannot be opened: %s", rows->path, strerror(errno));
    if (!file_is_begun) fputs("file,line,fault,row\n", rows->file);
    file_is_begun = true;
    fseek(rows->file, 0, SEEK_END);
    rows->begin = ftell(rows->file);
    return ENDED_WELL;
}

static bool is_read_again(const char *const *paths, size_t count) {
    bool is = count == last_count && strncmp(paths[0], last_path, sizeof last_path - 1) == 0;
    snprintf(last_path, sizeof last_path, "%s", paths[0]);
    last_count = count;
    return is;
}

/* Parses --bad-rows: stop, skip, skip:MOST or a file. */
int bad_row_list_open(const invocation *call, const char *const *paths, size_t count, crd_reader_options *options,
                      bad_row_list **out) {
    const char *value = arguments_value(&call->arguments, "bad-rows");
    *out = NULL;
    if (value == NULL || strcmp(value, "stop") == 0) return ENDED_WELL;
    bad_row_list *rows = memory_resize(NULL, 1, sizeof *rows);
    *rows = (bad_row_list){.most = UINT64_MAX, .is_silent = is_read_again(paths, count)};
    if (call->communicator != NULL && call->communicator->count > 1 && !call->has_all_rows) {
        rows->group = call->communicator;
        rows->is_kept = call->communicator->rank > 0;
    }
    *out = rows;
    options->bad_row = on_bad_row;
    options->bad_row_user = rows;
    if (strcmp(value, "skip") == 0) return ENDED_WELL;
    if (strncmp(value, "skip:", 5) == 0) {
        double most;
        crd_number_class class = crd_number_parse(crd_text_of(value + 5), &most);
        if (class != CRD_NUMBER_FINITE || most < 0 || most > 1e15 || most != (double)(uint64_t)most)
            return message_usage("--bad-rows skip:MOST: expected a number of rows, got '%s'", value + 5);
        rows->most = (uint64_t)most;
        return ENDED_WELL;
    }
    rows->path = value;
    return rows->is_silent || !invocation_is_root(call) ? ENDED_WELL : bad_row_list_open_file(rows);
}

/* ---- Several processes ---- */

/* The header of a message from another process. It has the number of bad rows and the length of the text that follows:
 * the listed rows, or the lines of the file. */
typedef struct rows_account {
    uint64_t count;
    size_t length;
} rows_account;

static bool send_rows(bad_row_list *rows) {
    const crd_communicator *group = rows->group;
    for (size_t i = 0; rows->path == NULL && i < LISTED && i < rows->count; i++)
        string_format(&rows->kept, "%s\n", string_text(&rows->listed[i]));
    const rows_account account = {rows->count, rows->kept.length};
    rows->count = 0;
    return group->send(group->user, 0, &account, sizeof account) == 0 &&
           (account.length == 0 || group->send(group->user, 0, rows->kept.bytes, account.length) == 0);
}

/* Appends the listed rows of another process to this process's list. */
static void list_rows(bad_row_list *rows, const char *text) {
    size_t index = rows->count < LISTED ? (size_t)rows->count : LISTED;
    for (; index < LISTED && *text != '\0'; index++) {
        const size_t length = strcspn(text, "\n");
        string_clear(&rows->listed[index]);
        string_add(&rows->listed[index], text, length);
        text += length + (text[length] == '\n');
    }
}

static bool bad_row_list_take(bad_row_list *rows, unsigned rank) {
    const crd_communicator *group = rows->group;
    rows_account theirs;
    if (group->receive(group->user, rank, &theirs, sizeof theirs) != 0) return false;
    char *text = memory_resize(NULL, theirs.length + 1, 1);
    const bool is_well = theirs.length == 0 || group->receive(group->user, rank, text, theirs.length) == 0;
    text[is_well ? theirs.length : 0] = '\0';
    if (rows->file != NULL) fwrite(text, 1, strlen(text), rows->file);
    else list_rows(rows, text);
    rows->count += theirs.count;
    free(text);
    return is_well;
}

int bad_row_list_share(bad_row_list *rows, int ended) {
    char buffer[ROWS_ROOM];
    if (rows == NULL || rows->group == NULL) return ended;
    bool is_well = rows->group->rank == 0 || send_rows(rows);
    for (unsigned rank = 1; is_well && rows->group->rank == 0 && rank < rows->group->count; rank++)
        is_well = bad_row_list_take(rows, rank);
    if (!is_well) return message_failed("bad rows of other processes cannot be read");
    if (ended != ENDED_WELL || rows->count <= rows->most) return ended;
    rows->is_over = true;
    return message_failed("%s cannot be read", output_rows(rows->count, buffer));
}

static void bad_row_list_print(const bad_row_list *rows, bool is_written) {
    char buffer[ROWS_ROOM];
    if (rows->count == 0) return;
    for (size_t i = 0; rows->path == NULL && i < LISTED && i < rows->count; i++)
        message_warning("%s", string_text(&rows->listed[i]));
    output_rows(rows->count, buffer);
    if (rows->path != NULL && !is_written) message_warning("skipped %s that cannot be read", buffer);
    else if (rows->path != NULL) message_warning("skipped %s that cannot be read: see %s", buffer, rows->path);
    else if (rows->count <= LISTED) message_warning("skipped %s that cannot be read", buffer);
    else
        message_warning("skipped %s that cannot be read (the first are listed); use --bad-rows FILE to write all",
                        buffer);
}

/* Whether a list could not be written. Then the command fails, even if everything else succeeded. */
static bool is_lost;

bool bad_row_list_is_lost(void) {
    return is_lost;
}

int bad_row_list_flush(bad_row_list *rows) {
    if (rows == NULL || rows->file == NULL) return ENDED_WELL;
    if (fflush(rows->file) == 0 && ferror(rows->file) == 0) return ENDED_WELL;
    fclose(rows->file);
    rows->file = NULL;
    rows->is_reported = is_lost = true;
    return message_failed("%s: bad rows cannot be written", rows->path);
}

bool bad_row_list_has_rows(const bad_row_list *rows) {
    return rows != NULL && rows->count > 0;
}

void bad_row_list_close(bad_row_list *rows) {
    if (rows == NULL) return;
    bool is_written = !rows->is_reported && (rows->file == NULL || ferror(rows->file) == 0);
    if (rows->file != NULL && fclose(rows->file) != 0) is_written = false;
    if (!is_written && !rows->is_reported) message_failed("%s: bad rows cannot be written", rows->path);
    is_lost = is_lost || !is_written;
    if (!rows->is_silent) bad_row_list_print(rows, is_written);
    if (rows->is_over)
        message_hint("more than %llu rows cannot be read, the maximum of --bad-rows", (unsigned long long)rows->most);
    for (size_t i = 0; i < LISTED; i++) string_free(&rows->listed[i]);
    string_free(&rows->kept);
    free(rows);
}
