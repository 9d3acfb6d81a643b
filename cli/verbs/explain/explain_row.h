/* SPDX-License-Identifier: MIT */
/* explain_row.h - a row and its posterior, as input of the explanation. */
#ifndef CREDENCE_CLI_EXPLAIN_ROW_H
#define CREDENCE_CLI_EXPLAIN_ROW_H

#include "core/invocation.h"
#include "core/report.h"

/* A row and its posterior. Terms are not stored; the classifier computes them again when they are reported. */
typedef struct reasons {
    const crd_classifier *classifier;
    const crd_value *values;                     /* one per attribute */
    const double *log_posterior, *probabilities; /* one per class */
    const crd_answer *answer;
    /* before calibration; equal to the posterior if the model is not calibrated */
    const double *found_log_posterior, *result;
    bool all;      /* list everything */
    size_t top;    /* number of terms to list, largest weight first; SIZE_MAX: all */
    bool only_top; /* restrict also the JSON output and the worksheet of each class to these terms */
    bool paired;   /* whether two classes are compared */
    size_t pair[2];
} reasons;

/* Computes the term of an attribute for a class. */
int explain_term(const reasons *r, size_t attribute, size_t class_index, crd_term *term);
/* Computes the prior of a class. */
int explain_prior(const reasons *r, size_t class_index, crd_term *term);
/* Returns whether the posterior is calibrated. */
bool explain_is_calibrated(const reasons *r);

/* Adds a cell as text: the category, the full number, the beginning of a text, or "?" if it is missing. */
void explain_add_value(string *out, const crd_value *value);

/* The rows of DATA that are explained, and the reading position. */
typedef struct row_choice {
    uint64_t only;    /* the row of --row, from 1; 0: all rows */
    uint64_t seen;    /* number of rows read */
    uint64_t written; /* the last explained row; 0: none */
} row_choice;

/* Reads --row. Returns an exit code. */
int row_choice_read(const invocation *call, row_choice *out);
/* Moves to the next row. Returns whether to explain it. */
bool row_choice_next(row_choice *rows);
/* Returns whether the current row is the first explained row. */
bool row_choice_is_first(const row_choice *rows);
/* Returns whether all chosen rows were explained. */
bool row_choice_is_done(const row_choice *rows);
/* Fails if DATA has fewer rows than --row requires. Call it at the end of DATA. */
int row_choice_finish(const row_choice *rows, const invocation *call);

/* Adds a heading such as "Row 3 (file.csv:4)". */
void explain_report_place(crd_result *r, const crd_reader *reader, size_t row, uint64_t number);

#endif
