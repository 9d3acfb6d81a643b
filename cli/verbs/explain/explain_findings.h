/* SPDX-License-Identifier: MIT */
/* explain_findings.h - what evidence do to the posterior of a node of a network, and to each other. */
#ifndef CREDENCE_CLI_EXPLAIN_FINDINGS_H
#define CREDENCE_CLI_EXPLAIN_FINDINGS_H

#include "core/string_buffer.h"

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
} explained;

/* A decision: it is taken in all that is compared. */
bool explained_is_premise(const explained *e, size_t finding);
/* Whether an answer differs from another by more than what chance makes of estimates: two standard errors. */
bool explained_differ(const explained *e, double from, double to);
/* The finding that moved the answer most; SIZE_MAX where none is seen to. */
size_t explained_most(const explained *e);

/* What finding k does to finding i, and of which state that is told: of the one explained, but explaining away of one
 * that finding i makes more probable. */
crd_interaction explained_interplay(const explained *e, size_t i, size_t k, size_t *state);

#endif
