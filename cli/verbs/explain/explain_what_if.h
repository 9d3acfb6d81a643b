/* SPDX-License-Identifier: MIT */
/* explain_what_if.h - what explain says beyond the answer: the change of one value that flips it, and what missing
 * values would tell. */
#ifndef CREDENCE_CLI_EXPLAIN_WHAT_IF_H
#define CREDENCE_CLI_EXPLAIN_WHAT_IF_H

#include "core/report.h"

typedef struct what_if {
    const crd_classifier *classifier;
    const crd_rule *rule; /* NULL: none */
    bool all;             /* everything is looked at and shown */
    crd_what_if *what_if;
    crd_counterfactual *changes; /* of the latest row, and what goes with them */
    crd_counterfactual_search change_search;
    size_t change_count;
    crd_information_gain *gain;
    crd_information_gain_search told_search;
    size_t told_count;
} what_if;

/* `out` may be closed also where this failed. */
int what_if_open(const crd_model *model, const crd_classifier *classifier, const crd_rule *rule, bool all,
                 what_if *out);
void what_if_close(what_if *w);

/* Asks about a row, and adds the answers to the object that is open: "changes", "changes_tried", "uncertainty",
 * "missing". */
int what_if_report(report *r, what_if *w, const crd_value *values);

#endif
