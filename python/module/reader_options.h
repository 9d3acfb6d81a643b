/* SPDX-License-Identifier: MIT */
/* reader_options.h - options of reading, out of a dict of Python's. */
#ifndef CREDENCE_PYTHON_READER_OPTIONS_H
#define CREDENCE_PYTHON_READER_OPTIONS_H

#include "module.h"

/* Options, and what they borrow. */
typedef struct read_options {
    crd_reader_options options;
    bad_row_list *bad_rows; /* NULL: the first is an error. A reader takes it over */
    PyObject *kept;         /* the dict */
    crd_text *missing, *selectors;
    PyObject *missing_owner, *selectors_owner;
} read_options;

/* Out of a dict, or None: see the names in reader_options.c. Returns 0, or -1 with an exception. */
int read_options_begin(module_state *state, PyObject *given, read_options *out);
void read_options_end(read_options *options);

/* From now on rows that cannot be read are left out, `most` of them, or any number where it is below 0; and written to a file of that
 * path, or NULL. Returns 0, or -1 with an exception. */
int bad_rows_begin(module_state *state, long long most, const char *path, read_options *options);
/* A list of dicts: file, line, fault, row. */
PyObject *bad_rows_of(const bad_row_list *rows);

/* Functions that open readers, for add_reader. */
int add_reader_open(PyObject *module);

#endif
