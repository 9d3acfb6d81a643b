/* SPDX-License-Identifier: MIT */
/* explain_worksheet.h - the computation of one prediction, step by step: for each class the product of its terms,
 * then the
 * evidence, the posterior, and the weight of evidence of each attribute for one class against another. */
#ifndef CREDENCE_CLI_EXPLAIN_WORKSHEET_H
#define CREDENCE_CLI_EXPLAIN_WORKSHEET_H

#include "verbs/explain/explain_parts.h"

/* Reports the worksheet as members of the open object: "settings", "classes", "log_evidence", "prediction", "unseen".
 */
int worksheet_report(crd_result *out, const reasons *r);
/* Reports only the line with the predicted class. */
void worksheet_report_decision(crd_result *out, const reasons *r);

#endif
