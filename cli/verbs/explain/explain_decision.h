/* SPDX-License-Identifier: MIT */
/* explain_decision.h - what is decided by a rule and why, and whether the row is like what the model has learned. */
#ifndef CREDENCE_CLI_EXPLAIN_DECISION_H
#define CREDENCE_CLI_EXPLAIN_DECISION_H

#include "core/report.h"

/* Members of the object that is open: "decision" and, with costs, "expected_cost" and "costs". */
void decision_report(report *r, const crd_rule *rule, const crd_classifier *classifier, const double *log_posterior,
                     const double *probabilities);
/* The member "fit". */
void decision_report_fit(report *r, double fit);

#endif
