/* SPDX-License-Identifier: MIT */
/* show_values.h - reports the conditional probabilities of a category's values.
 *
 * A column can have millions of values and a target thousands of classes, but few pairs of them occur. So the report
 * for people has the most frequent values and classes. If the complete table is requested but is too large to read or
 * to store, it lists the pairs that occur. */
#ifndef CREDENCE_CLI_SHOW_VALUES_H
#define CREDENCE_CLI_SHOW_VALUES_H

#include "core/report.h"

/* An attribute to show. */
typedef struct attribute_view {
    const crd_classifier *classifier;
    const crd_summary *summary;
    size_t attribute;
    const size_t *classes; /* the classes to show, ascending */
    size_t class_count;
    size_t words;      /* for texts: number of informative words listed per class */
    bool all;          /* show long tables in full */
    bool plots;        /* draw densities even without a terminal */
    bool curves;       /* add the points of densities and decision regions to JSON */
    bool is_single;    /* the only attribute shown, so people see its cut points */
    bool ranks_values; /* show only the most probable values of each class to people, if the table is long */
} attribute_view;

/* Returns the shown classes, ascending: all of them if they are few or if `all` is set, else the most frequent. The
 * caller frees the list. */
size_t *values_choose_classes(const crd_summary *summary, bool all, size_t *count);

/* Adds a term as a fraction and as a number. */
void attribute_add_term(crd_result_table *t, const crd_term *term);

int values_report(crd_result *r, const attribute_view *v);

#endif
