/* SPDX-License-Identifier: MIT */
/* explain_what_if.h - reports counterfactuals, which are changes of one value that flip the prediction, and the
 * expected
 * information gain of missing values. */
#ifndef CREDENCE_CLI_EXPLAIN_WHAT_IF_H
#define CREDENCE_CLI_EXPLAIN_WHAT_IF_H

#include "core/report.h"

typedef struct what_if {
    const crd_classifier *classifier;
    const crd_rule *rule; /* NULL: no rule */
    bool all;             /* search all values, and list everything */
    crd_what_if *what_if;
    crd_counterfactual *changes; /* results for the latest row */
    crd_counterfactual_search change_search;
    size_t change_count;
    crd_information_gain *gain;
    crd_information_gain_search told_search;
    size_t told_count;
} what_if;

/* Creates the searches for a classifier. Call what_if_close even if this fails. */
int what_if_open(const crd_model *model, const crd_classifier *classifier, const crd_rule *rule, bool all,
                 what_if *out);
void what_if_close(what_if *w);

/* Computes the results for a row and adds them to the open object: "changes", "changes_tried", "uncertainty",
 * "missing". */
int what_if_report(crd_result *r, what_if *w, const crd_value *values);

#endif
