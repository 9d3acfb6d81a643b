/* SPDX-License-Identifier: MIT */
/* explain_row.h - one row and its answer, which explain takes apart. */
#ifndef CREDENCE_CLI_EXPLAIN_ROW_H
#define CREDENCE_CLI_EXPLAIN_ROW_H

#include "core/report.h"

/* One row and its answer. Terms are asked for again where they are written: the classifier gives the same ones. */
typedef struct reasons {
    const crd_classifier *classifier;
    const crd_value *values;                     /* one an attribute */
    const double *log_posterior, *probabilities; /* one a class */
    const crd_answer *answer;
    /* Before calibration; the same where there is none. */
    const double *found_log_posterior, *found;
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

/* Adds a cell as it is named: the category, the number in full, or "?" where it is missing. */
void explain_add_value(string *out, const crd_value *value);

/* "Row 3 (file.csv:4)", as a heading. */
void explain_report_place(report *r, const crd_reader *reader, size_t row, uint64_t number);

#endif
