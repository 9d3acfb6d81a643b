/* SPDX-License-Identifier: MIT */
/* explain_network_report.h - the report of explain for a node of a network. */
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
    string unseen;    /* ignored cells of a row, whose values are not states; as text */
    size_t unseen_count;
    size_t node;                    /* the explained node */
    bool has_state;                 /* --of names a state */
    size_t state;                   /* the explained state: weights are for or against it */
    crd_evidence_analysis *reasons; /* NULL: the evidence is impossible */
    unsigned level;                 /* of headings in Markdown */
    what_if *what_if;               /* for the classifier whose target is the node; NULL: there is none */
} explained;

/* Reports the distribution, the findings, their interactions and their paths to the node. If e->reasons is NULL,
 * reports the
 * error message `impossible` instead. Returns an exit code. */
int explained_report(crd_result *r, const explained *e, bool all, const char *impossible);

#endif
