/* SPDX-License-Identifier: MIT */
/* reader_options.c - see reader_options.h. */
#include "reader_options.h"

#include <stdlib.h>
#include <string.h>

/* ---- Rows that cannot be read ---- */

static void clear_bad_rows(bad_row_list *rows) {
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
    clear_bad_rows(rows);
    free(rows);
}

static int on_bad_row(void *user, const crd_error *fault, crd_text text) {
    bad_row_list *rows = user;
    if (fault == NULL) {
        clear_bad_rows(rows);
        return 1;
    }
    if (rows->count == rows->most) return 0;
    bad_row *row = calloc(1, sizeof *row);
    if (row == NULL) return 0;
    row->place = strdup(fault->place);
    row->message = strdup(fault->message);
    row->text = malloc(text.length + 1);
    row->line = fault->line;
    if (row->text != NULL && text.length > 0) memcpy(row->text, text.bytes, text.length);
    row->length = row->text == NULL ? 0 : text.length;
    *rows->last = row;
    rows->last = &row->next;
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
        if (record == NULL || PyList_Append(list, record) < 0) Py_CLEAR(list);
        Py_XDECREF(record);
    }
    return list;
}

/* ---- Options ---- */

/* What a model that the rows are for knows of its files before they are opened. */
static int expect_model(module_state *state, PyObject *object, crd_reader_options *options) {
    if (object == Py_None) return 0;
    if (!check_type(state, object, CORE_MODEL, "model")) return -1;
    model_object *model = (model_object *)object;
    core_call call;
    call_begin(&call, state);
    pthread_rwlock_rdlock(&model->lock);
    if (options->header == CRD_CHOICE_AUTO && !crd_model_has_header(model->model)) options->header = CRD_CHOICE_NO;
    options->literal_quotes_between_tabs = crd_model_has_literal_quotes(model->model);
    pthread_rwlock_unlock(&model->lock);
    return call_end(&call, CRD_OK);
}

static int count_bad_rows(long long most, read_options *out) {
    if (most == 0) return 0;
    out->bad_rows = calloc(1, sizeof *out->bad_rows);
    if (out->bad_rows == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    out->bad_rows->last = &out->bad_rows->first;
    out->bad_rows->most = most < 0 ? UINT64_MAX : (uint64_t)most;
    out->options.bad_row = on_bad_row;
    out->options.bad_row_user = out->bad_rows;
    return 0;
}

/* A character as a byte; NUL where there is none. */
static char byte_of(const char *text) {
    return text == NULL ? '\0' : text[0];
}

int read_options_begin(module_state *state, PyObject *given, read_options *out) {
    static char *names[] = {"header",     "separator",    "separator_byte", "quote",     "no_quotes",
                            "missing",    "missing_rule", "max_categories", "format",    "decimal",
                            "threads",    "shard",        "shard_count",    "line_rows", "encoding",
                            "strict",     "bad_rows",     "tagged_text",    "declare",   "keep_text",
                            "max_record", "prompt",       "model",          "like_file", NULL};
    *out = (read_options){.options = CRD_READER_OPTIONS_INIT};
    crd_reader_options *options = &out->options;
    const char *separator_byte = NULL, *quote = NULL, *decimal = NULL;
    PyObject *missing = Py_None, *model = Py_None;
    int header = 0, separator = 0, rule = 0, format = 0;
    Py_ssize_t max_categories = 0, max_record = 0;
    long long bad_rows = 0;
    if (given == Py_None) return 0;
    PyObject *nothing = PyTuple_New(0);
    if (nothing == NULL) return -1;
    int parsed = PyArg_ParseTupleAndKeywords(
        nothing, given,
        "|$iizzpOiniz"
        "IIIpzpLpppnpOp",
        names, &header, &separator, &separator_byte, &quote, &options->no_quotes, &missing, &rule, &max_categories,
        &format, &decimal, &options->threads, &options->shard, &options->shard_count, &options->line_rows,
        &options->encoding, &options->strict, &bad_rows, &options->tagged_text, &options->declare_dictionaries,
        &options->keep_text, &max_record, &options->prompt, &model, &options->like_file);
    Py_DECREF(nothing);
    if (!parsed) return -1;
    out->kept = Py_NewRef(given);
    options->header = (crd_choice)header;
    options->separator = (crd_separator)separator;
    options->separator_byte = byte_of(separator_byte);
    options->quote = byte_of(quote);
    options->decimal = byte_of(decimal);
    options->format = (crd_format)format;
    options->missing_rule = (crd_missing_rule)rule;
    options->max_categories = (size_t)max_categories;
    options->max_record = (size_t)max_record;
    if (missing != Py_None &&
        texts_of(missing, "missing", &out->missing, &options->missing_count, &out->missing_owner) < 0)
        goto fail;
    options->missing = out->missing;
    if (count_bad_rows(bad_rows, out) < 0 || expect_model(state, model, options) < 0) goto fail;
    return 0;
fail:
    read_options_end(out);
    return -1;
}

void read_options_end(read_options *options) {
    bad_rows_free(options->bad_rows);
    PyMem_Free(options->missing);
    Py_CLEAR(options->missing_owner);
    Py_CLEAR(options->kept);
    options->bad_rows = NULL;
    options->missing = NULL;
}
