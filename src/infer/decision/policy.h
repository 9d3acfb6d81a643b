/* SPDX-License-Identifier: MIT */
/* policy.h - decisions that are still open, what is known at each, and how they are solved one after the other.
 *
 * Decisions are solved from the last to the first (Lauritzen and Nilsson 2001). Of what is known at a decision, what is
 * d-separated from the utilities that the decision has an effect on, given all the rest, is dropped. Then the expected
 * utility of each choice is found for each combination of what is left, the best choices become a table of the
 * decision, and from there on the decision is a node like any other. Since what was known stays known, this is the best
 * there is.
 *
 *   influence_diagram.c      which decisions are open, their order, what is known, what of that matters
 *   expected_utility.c  expected utilities, by eliminating all other nodes
 *   policy.c       the calls of credence/network.h */
#ifndef CRD_INFER_DECISION_POLICY_H
#define CRD_INFER_DECISION_POLICY_H

#include "infer/evidence_query.h"

typedef struct crd_i_decision {
    uint32_t node;
    uint32_t *known; /* ascending: all that is known when it is taken; once it is solved, what of that matters */
    size_t known_count;
    bool is_solved;
    size_t combinations, states;
    double *utilities; /* by combination and choice; NaN where the combination cannot be */
    uint32_t *choices; /* by combination; UINT32_MAX where it cannot be */
} crd_i_decision;

typedef struct crd_i_diagram {
    const crd_i_evidence_query *question;
    crd_i_decision *decisions; /* that are open, in the order in which they are taken */
    size_t count;
    uint32_t *decision_at; /* by node, which of these it is; UINT32_MAX: none */
    /* Arcs as they are now, by node: those into decisions come from what is known and matters, or from nowhere where
     * they are not solved yet. */
    size_t *child_starts;
    uint32_t *children;
    size_t child_room;
    bool *utilities; /* by node: the utilities that count */
    bool *needed;    /* by node: what they and the evidence depend on, themselves included */
    /* Room to go through nodes. */
    bool *conditions;
    unsigned char *marks;
    uint64_t *visits;
} crd_i_diagram;

/* Checks that nothing which is known before the first decision that is open, as a finding or as `observed`, depends on
 * one that is: that is CRD_ERROR_SCHEMA_DIFFERS. Other mistakes in evidence are left to crd_i_evidence_query_open. */
CRD_MUST_USE crd_status crd_i_diagram_check(const crd_network *network, const crd_finding *findings, size_t count,
                                            const size_t *observed, size_t observed_count, crd_error *error);
/* The decisions that are open, with all that is known at each. */
CRD_MUST_USE crd_status crd_i_diagram_open(const crd_i_evidence_query *question, const size_t *observed,
                                           size_t observed_count, crd_i_diagram *out, crd_error *error);
/* Takes one that is half made. */
void crd_i_diagram_close(crd_i_diagram *diagram);

/* Leaves to a decision what matters for it, marks the utilities that it has an effect on, and what is needed to know
 * their expectations; with SIZE_MAX marks all utilities. Decisions after it are solved. */
CRD_MUST_USE crd_status crd_i_diagram_focus(crd_i_diagram *diagram, size_t decision, crd_error *error);

/* The sum of the utilities that count, expected for each combination of what is known at a decision and of its choices,
 * which vary fastest, by what is needed; NaN where a combination cannot be. For SIZE_MAX, one number. Decisions that
 * are not solved are taken at random. Beyond the memory it is CRD_ERROR_LIMIT, before any of it is allocated. The
 * numbers are for crd_free. */
CRD_MUST_USE crd_status crd_i_expectation(const crd_i_diagram *diagram, size_t decision, double **expected,
                                          crd_error *error);

#endif
