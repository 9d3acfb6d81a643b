/* SPDX-License-Identifier: MIT */
/* reader_options.h - converts a Python dict to reading options. */
#ifndef CREDENCE_PYTHON_READER_OPTIONS_H
#define CREDENCE_PYTHON_READER_OPTIONS_H

#include "module.h"

/* Reading options, and the objects that they borrow from. */
typedef struct read_options {
    crd_reader_options options;
    bad_row_list *bad_rows; /* NULL: the first bad row is an error. The reader takes ownership */
    PyObject *kept;         /* the dict */
    crd_text *missing, *selectors;
    PyObject *missing_owner, *selectors_owner;
} read_options;

/* Reads the options from a dict or None. reader_options.c lists the names. Returns 0, or -1 with an exception. */
int read_options_begin(module_state *state, PyObject *given, read_options *out);
void read_options_end(read_options *options);

/* Sets the options to skip rows that cannot be read: at most `most` of them, or any number if `most` is below 0. If `path` is not NULL, the
 * skipped rows are written to that file. Returns 0, or -1 with an exception. */
int bad_rows_begin(module_state *state, long long most, const char *path, read_options *options);
/* Returns the skipped rows as a list of dicts: file, line, fault, row. */
PyObject *bad_rows_of(const bad_row_list *rows);

#endif
