/* SPDX-License-Identifier: MIT */
/* show_attributes.h - what a classifier has of each attribute: probabilities of its values, or its densities, the
 * families that they were chosen from, and the points where the decision by it alone changes. */
#ifndef CREDENCE_CLI_SHOW_ATTRIBUTES_H
#define CREDENCE_CLI_SHOW_ATTRIBUTES_H

#include "core/report.h"

typedef struct attribute_view {
    const crd_classifier *classifier;
    const crd_summary *summary;
    size_t attribute;
    bool all;          /* long tables in full */
    bool plots;        /* draw densities even where there is no terminal */
    bool is_single;    /* the only one that is shown: people see its cut points */
    bool ranks_values; /* of a long table of values, people see the most probable ones of each class */
} attribute_view;

/* An object. The view has to live until the report is written. */
int attribute_report(report *r, const attribute_view *v);

/* A term as its fraction and its number. */
void attribute_add_term(report_table *t, const crd_term *term);

#endif
