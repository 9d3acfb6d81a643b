/* SPDX-License-Identifier: MIT */
/* explain_network_report.h - what explain found out about a node of a network, as a report. */
#ifndef CREDENCE_CLI_EXPLAIN_NETWORK_REPORT_H
#define CREDENCE_CLI_EXPLAIN_NETWORK_REPORT_H

#include "core/report.h"
#include "core/string_buffer.h"
#include "verbs/explain/explain_what_if.h"

typedef struct explained {
    crd_context *context;
    const crd_network *network;
    const crd_finding *findings;
    size_t count;
    const char *text; /* the evidence, for headings */
    string unseen;    /* cells of a row that are no states, and so left out, in the same way */
    size_t unseen_count;
    size_t node;                    /* which is explained */
    bool has_state;                 /* --of named one */
    size_t state;                   /* whose probability evidence speak for or against */
    crd_evidence_analysis *reasons; /* NULL: the evidence cannot be */
    unsigned level;                 /* of headings in Markdown */
    what_if *what_if;               /* of the model whose target the node is; NULL: it is no classifier's */
} explained;

/* Distribution, evidence, what they do to each other, and how they are joined with the node; or, where there are no
 * reasons, why: `impossible`. */
int explained_report(report *r, const explained *e, bool all, const char *impossible);

#endif
