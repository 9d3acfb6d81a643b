/* SPDX-License-Identifier: MIT */
/* explain_worksheet.h - the working of one answer on paper: for each class the product of its terms, the evidence, the
 * posterior, and what each attribute weighs for one class against another. */
#ifndef CREDENCE_CLI_EXPLAIN_WORKSHEET_H
#define CREDENCE_CLI_EXPLAIN_WORKSHEET_H

#include "verbs/explain/explain_parts.h"

/* All of it, as members of the object that is open: "settings", "classes", "log_evidence", "prediction", "unseen". */
int worksheet_report(report *out, const reasons *r);
/* The line of the class that is decided for, alone. */
void worksheet_report_decision(report *out, const reasons *r);

#endif
