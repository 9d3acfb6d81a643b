/* SPDX-License-Identifier: MIT */
/* show_values.h - the conditional probabilities of a category's values.
 *
 * A column can have values by the million and a target classes by the thousand, of which few pairs were ever seen. So
 * people see the most frequent values and classes, and where the whole table is asked for and is too large to be read
 * or held, it lists the pairs that were seen. */
#ifndef CREDENCE_CLI_SHOW_VALUES_H
#define CREDENCE_CLI_SHOW_VALUES_H

#include "core/report.h"

/* An attribute to be shown. */
typedef struct attribute_view {
    const crd_classifier *classifier;
    const crd_summary *summary;
    size_t attribute;
    const size_t *classes; /* to show, ascending */
    size_t class_count;
    size_t words;      /* of texts: telling ones of each class */
    bool all;          /* long tables in full */
    bool plots;        /* draw densities even where there is no terminal */
    bool curves;       /* the points of densities, and decision regions, for machines */
    bool is_single;    /* the only one that is shown: people see its cut points */
    bool ranks_values; /* of a long table of values, people see the most probable ones of each class */
} attribute_view;

/* Where there are many classes and not all are to be shown, the most frequent ones, ascending, else all; the list is
 * the caller's. */
size_t *values_choose_classes(const crd_summary *summary, bool all, size_t *count);

/* A term as its fraction and its number. */
void attribute_add_term(report_table *t, const crd_term *term);

int values_report(report *r, const attribute_view *v);

#endif
