/* SPDX-License-Identifier: MIT */
/* reader_options.h - options of reading, out of a dict of Python's. */
#ifndef CREDENCE_PYTHON_READER_OPTIONS_H
#define CREDENCE_PYTHON_READER_OPTIONS_H

#include "module.h"

/* Rows that could not be read, in their order; filled without the GIL, by one thread at a time. */
typedef struct bad_row {
    struct bad_row *next;
    char *place, *message, *text;
    size_t length;
    uint64_t line;
} bad_row;

struct bad_row_list {
    bad_row *first, **last;
    uint64_t count, most;
};

/* Options, and what they borrow. */
typedef struct read_options {
    crd_reader_options options;
    bad_row_list *bad_rows; /* NULL: the first is an error. A reader takes it over */
    PyObject *kept;         /* the dict */
    crd_text *missing;
    PyObject *missing_owner;
} read_options;

/* Out of a dict, or None: see the names in reader_options.c. Returns 0, or -1 with an exception. */
int read_options_begin(module_state *state, PyObject *given, read_options *out);
void read_options_end(read_options *options);

/* A list of dicts: place, line, message, row. */
PyObject *bad_rows_of(const bad_row_list *rows);

/* Functions that open readers, for add_reader. */
int add_reader_open(PyObject *module);

#endif
