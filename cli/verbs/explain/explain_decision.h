/* SPDX-License-Identifier: MIT */
/* explain_decision.h - explains the decision of a rule, and whether the row is typical of the model. */
#ifndef CREDENCE_CLI_EXPLAIN_DECISION_H
#define CREDENCE_CLI_EXPLAIN_DECISION_H

#include "core/report.h"

/* Adds members to the open object: "decision" and, for costs, "expected_cost" and "costs". */
void decision_report(crd_result *r, const crd_rule *rule, const crd_classifier *classifier, const double *log_posterior,
                     const double *probabilities);
/* Adds the member "typicality", the typicality p-value of the row. */
void decision_report_fit(crd_result *r, double fit);

#endif
