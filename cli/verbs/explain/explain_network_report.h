/* SPDX-License-Identifier: MIT */
/* explain_network_report.h - what explain found out about a node of a network, as a report. */
#ifndef CREDENCE_CLI_EXPLAIN_NETWORK_REPORT_H
#define CREDENCE_CLI_EXPLAIN_NETWORK_REPORT_H

#include "core/report.h"
#include "verbs/explain/explain_findings.h"

/* Distribution, evidence, what they do to each other, and how they are joined with the node; or, where there are no
 * reasons, why: `impossible`. */
int explained_report(report *r, const explained *e, bool all, const char *impossible);

#endif
