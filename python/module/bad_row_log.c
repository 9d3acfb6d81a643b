/* SPDX-License-Identifier: MIT */
/* bad_row_log.c - handles rows that cannot be read and are skipped: keeps them, writes them to a file, and warns about them. */
#include "reader_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEPT = 100000, WARNED = 5 }; /* rows that are kept, and rows that get their own warning; all are counted */

typedef struct bad_row {
    struct bad_row *next;
    char *place, *message, *text;
    size_t length;
    uint64_t line;
} bad_row;

/* Filled without the GIL, by one thread at a time. */
struct bad_row_list {
    module_state *state;
    bad_row *first, **last;
    uint64_t count, most;
    FILE *file; /* NULL: rows are not written to a file */
    char *path;
    long begin; /* file offset of the first row */
};

/* Opens a file for writing; its path is UTF-8 on every system. */
static FILE *open_file(const char *path) {
#ifdef _WIN32
    PyObject *name = PyUnicode_FromString(path);
    wchar_t *wide = name != NULL ? PyUnicode_AsWideCharString(name, NULL) : NULL;
    FILE *file = wide != NULL ? _wfopen(wide, L"wb") : NULL;
    PyMem_Free(wide);
    Py_XDECREF(name);
    return file;
#else
    return fopen(path, "w");
#endif
}

static void clear(bad_row_list *rows) {
    for (bad_row *row = rows->first, *next; row != NULL; row = next) {
        next = row->next;
        free(row->place);
        free(row->message);
        free(row->text);
        free(row);
    }
    rows->first = NULL;
    rows->last = &rows->first;
    rows->count = 0;
}

void bad_rows_free(bad_row_list *rows) {
    if (rows == NULL) return;
    clear(rows);
    if (rows->file != NULL) fclose(rows->file);
    free(rows->path);
    free(rows);
}

static void write_field(FILE *file, crd_text text, char end) {
    bool is_quoted = false;
    for (size_t i = 0; i < text.length; i++) is_quoted = is_quoted || strchr(",\"\r\n", text.bytes[i]) != NULL;
    if (is_quoted) fputc('"', file);
    for (size_t i = 0; i < text.length; i++) {
        if (text.bytes[i] == '"') fputc('"', file);
        fputc(text.bytes[i], file);
    }
    if (is_quoted) fputc('"', file);
    fputc(end, file);
}

static void write_row(const bad_row_list *rows, const crd_error *fault, crd_text text) {
    write_field(rows->file, crd_text_of(fault->place), ',');
    fprintf(rows->file, "%llu,", (unsigned long long)fault->line);
    write_field(rows->file, crd_text_of(fault->message), ',');
    write_field(rows->file, text, '\n');
    fflush(rows->file);
}

static void warn(const bad_row_list *rows, const crd_error *fault) {
    char message[1024];
    if (rows->count > WARNED || (rows->file != NULL && rows->count > 0)) return;
    if (rows->file != NULL)
        snprintf(message, sizeof message, "rows that cannot be read are skipped: see %s", rows->path);
    else if (rows->count == WARNED)
        snprintf(message, sizeof message, "more rows that cannot be read are skipped; bad_rows=FILE writes all");
    else
        snprintf(message, sizeof message, "%s:%llu: %s; the row is skipped", fault->place,
                 (unsigned long long)fault->line, fault->message);
    log_message(rows->state, CRD_LOG_WARNING, 0, "", message);
}

static bool keep(bad_row_list *rows, const crd_error *fault, crd_text text) {
    bad_row *row = calloc(1, sizeof *row);
    if (row == NULL) return false;
    row->place = strdup(fault->place);
    row->message = strdup(fault->message);
    row->text = malloc(text.length + 1);
    row->line = fault->line;
    if (row->text != NULL && text.length > 0) memcpy(row->text, text.bytes, text.length);
    row->length = row->text == NULL ? 0 : text.length;
    *rows->last = row;
    rows->last = &row->next;
    return true;
}

static int on_bad_row(void *user, const crd_error *fault, crd_text text) {
    bad_row_list *rows = user;
    if (fault == NULL) {
        clear(rows);
        if (rows->file != NULL && ftruncate(fileno(rows->file), rows->begin) == 0)
            fseek(rows->file, rows->begin, SEEK_SET);
        return 1;
    }
    if (rows->count == rows->most) return 0;
    if (rows->count < KEPT && !keep(rows, fault, text)) return 0;
    if (rows->file != NULL) write_row(rows, fault, text);
    warn(rows, fault);
    rows->count++;
    return 1;
}

PyObject *bad_rows_of(const bad_row_list *rows) {
    PyObject *list = PyList_New(0);
    for (const bad_row *row = rows == NULL ? NULL : rows->first; list != NULL && row != NULL; row = row->next) {
        crd_text text = {row->text, row->length};
        PyObject *record =
            Py_BuildValue("{s:N,s:K,s:N,s:N}", "file", str_of_c(row->place), "line", (unsigned long long)row->line,
                          "fault", str_of_c(row->message), "row", str_of(text));
        if (append_item(list, record) < 0) Py_CLEAR(list);
    }
    return list;
}

int bad_rows_begin(module_state *state, long long most, const char *path, read_options *options) {
    bad_row_list *rows = options->bad_rows = calloc(1, sizeof *rows);
    if (rows == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    rows->state = state;
    rows->last = &rows->first;
    rows->most = most < 0 ? UINT64_MAX : (uint64_t)most;
    options->options.bad_row = on_bad_row;
    options->options.bad_row_user = rows;
    if (path == NULL) return 0;
    rows->path = strdup(path);
    rows->file = open_file(path);
    if (rows->file == NULL) {
        if (!PyErr_Occurred()) PyErr_SetFromErrnoWithFilename(PyExc_OSError, path);
        return -1;
    }
    fputs("file,line,fault,row\n", rows->file);
    fflush(rows->file);
    rows->begin = ftell(rows->file);
    return 0;
}
