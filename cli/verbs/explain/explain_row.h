/* SPDX-License-Identifier: MIT */
/* explain_row.h - one row and its answer, which explain takes apart. */
#ifndef CREDENCE_CLI_EXPLAIN_ROW_H
#define CREDENCE_CLI_EXPLAIN_ROW_H

#include "core/invocation.h"
#include "core/report.h"

/* One row and its answer. Terms are asked for again where they are written: the classifier gives the same ones. */
typedef struct reasons {
    const crd_classifier *classifier;
    const crd_value *values;                     /* one an attribute */
    const double *log_posterior, *probabilities; /* one a class */
    const crd_answer *answer;
    /* Before calibration; the same where there is none. */
    const double *found_log_posterior, *result;
    bool all;      /* long lists in full */
    size_t top;    /* as many of the terms that weigh most are listed; SIZE_MAX: all */
    bool only_top; /* the working of each class, and machines, have these alone, too */
    bool paired;   /* whether two classes are weighed against each other */
    size_t pair[2];
} reasons;

/* The term of an attribute, and the prior, of a class. */
int explain_term(const reasons *r, size_t attribute, size_t class_index, crd_term *term);
int explain_prior(const reasons *r, size_t class_index, crd_term *term);
bool explain_is_calibrated(const reasons *r);

/* Adds a cell as it is named: the category, the number in full, the beginning of a text, or "?" where it is missing. */
void explain_add_value(string *out, const crd_value *value);

/* Which rows of DATA are explained, and how far reading has come. */
typedef struct row_choice {
    uint64_t only;    /* the row of --row, from 1; 0: all */
    uint64_t seen;    /* rows since reading began, or began again */
    uint64_t written; /* the last row explained; 0: none yet */
} row_choice;

int row_choice_read(const invocation *call, row_choice *out);
/* Moves on to the next row, and returns whether it is to be explained. What was written before the reader began again
 * is not written twice. */
bool row_choice_next(row_choice *rows);
/* Whether it is the first that is explained. */
bool row_choice_is_first(const row_choice *rows);
/* Whether no further row is to be read. */
bool row_choice_is_done(const row_choice *rows);
/* At the end of DATA: fails where it has fewer rows than --row names. */
int row_choice_finish(const row_choice *rows, const invocation *call);

/* "Row 3 (file.csv:4)", as a heading. */
void explain_report_place(report *r, const crd_reader *reader, size_t row, uint64_t number);

#endif
