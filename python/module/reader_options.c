/* SPDX-License-Identifier: MIT */
/* reader_options.c - see reader_options.h. */
#include "reader_options.h"

#include <stdlib.h>
#include <string.h>

/* ---- Options ---- */

/* Sets options from the model that the rows are for: whether its files had a header, and how they used quotes. */
static int expect_model(module_state *state, PyObject *object, crd_reader_options *options) {
    if (object == Py_None) return 0;
    if (!check_type(state, object, CORE_MODEL, "model")) return -1;
    model_object *model = (model_object *)object;
    if (model_share(model) < 0) return -1;
    if (options->header == CRD_CHOICE_AUTO && options->header_line == 0 && !crd_model_has_header(model->model))
        options->header = CRD_CHOICE_NO;
    options->literal_quotes_between_tabs = crd_model_has_literal_quotes(model->model);
    model_unlock(model);
    return 0;
}

/* Returns a character as a byte; NUL if the text is NULL. */
static char byte_of(const char *text) {
    return text == NULL ? '\0' : text[0];
}

int read_options_begin(module_state *state, PyObject *given, read_options *out) {
    static char *names[] = {
        "header",        "separator",           "separator_byte", "quote",     "no_quotes", "missing",
        "missing_rule",  "max_categories",      "format",         "decimal",   "threads",   "shard",
        "shard_count",   "no_multiline_fields", "encoding",       "strict",    "bad_rows",  "tagged_text",
        "declare",       "keep_text",           "max_record",     "prompt",    "model",     "like_file",
        "bad_rows_path", "header_line",         "skip_lines",     "selectors", NULL};
    *out = (read_options){.options = CRD_READER_OPTIONS_INIT};
    crd_reader_options *options = &out->options;
    const char *separator_byte = NULL, *quote = NULL, *decimal = NULL;
    PyObject *missing = Py_None, *model = Py_None, *selectors = Py_None;
    unsigned long long header_line = 0, skip_lines = 0;
    int header = 0, separator = 0, rule = 0, format = 0;
    Py_ssize_t max_categories = 0, max_record = 0;
    long long bad_rows = 0;
    const char *bad_rows_path = NULL;
    if (given == Py_None) return 0;
    PyObject *nothing = PyTuple_New(0);
    if (nothing == NULL) return -1;
    int parsed = PyArg_ParseTupleAndKeywords(
        nothing, given,
        "|$iizzpOiniz"
        "IIIpzpLpppnpOpzKKO",
        names, &header, &separator, &separator_byte, &quote, &options->no_quotes, &missing, &rule, &max_categories,
        &format, &decimal, &options->threads, &options->shard, &options->shard_count, &options->no_multiline_fields,
        &options->encoding, &options->strict, &bad_rows, &options->tagged_text, &options->declare_dictionaries,
        &options->keep_text, &max_record, &options->prompt, &model, &options->like_file, &bad_rows_path, &header_line,
        &skip_lines, &selectors);
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
    options->header_line = header_line;
    options->skip_lines = skip_lines;
    if (selectors != Py_None &&
        texts_of(selectors, "selectors", &out->selectors, &options->selector_count, &out->selectors_owner) < 0)
        goto fail;
    options->selectors = out->selectors;
    if ((bad_rows != 0 && bad_rows_begin(state, bad_rows, bad_rows_path, out) < 0) ||
        expect_model(state, model, options) < 0)
        goto fail;
    return 0;
fail:
    read_options_end(out);
    return -1;
}

void read_options_end(read_options *options) {
    bad_rows_free(options->bad_rows);
    PyMem_Free(options->missing);
    PyMem_Free(options->selectors);
    Py_CLEAR(options->missing_owner);
    Py_CLEAR(options->selectors_owner);
    Py_CLEAR(options->kept);
    options->bad_rows = NULL;
    options->missing = options->selectors = NULL;
}
