/* SPDX-License-Identifier: MIT */
/* policy.h - open decisions, the information available at each, and their solution one by one.
 *
 * Decisions are solved from the last to the first (Lauritzen and Nilsson 2001). First, information is dropped if it
 * is d-separated from the utilities that the decision affects, given the rest of the information. Then the expected
 * utility of each choice is computed for each combination of the remaining information. The best choices become a
 * table of the decision, and the decision is from then on an ordinary node. Because information is never forgotten,
 * this policy is optimal.
 *
 *   influence_diagram.c  finds the open decisions, their order, and the relevant information
 *   expected_utility.c   computes expected utilities by eliminating all other nodes
 *   policy.c             implements the functions of credence/network.h */
#ifndef CRD_INFER_POLICY_H
#define CRD_INFER_POLICY_H

#include "infer/exact/evidence_query.h"

typedef struct crd_i_decision {
    uint32_t node;
    uint32_t *known; /* ascending: everything observed before the decision; after solving, only the relevant part */
    size_t known_count;
    bool is_solved;
    size_t combinations, states;
    double *utilities; /* by combination and choice; NaN if the combination is impossible */
    uint32_t *choices; /* by combination; UINT32_MAX if it is impossible */
} crd_i_decision;

typedef struct crd_i_diagram {
    crd_i_arena *arena;
    const crd_i_evidence_query *query;
    crd_i_decision *decisions; /* open decisions in the order in which they are taken */
    size_t count;
    uint32_t *decision_at; /* by node: its index in `decisions`; UINT32_MAX if it is not an open decision */
    /* Current arcs, by node. Arcs into a solved decision come from its relevant information. An unsolved decision
     * has no incoming arcs. */
    size_t *child_starts;
    uint32_t *children;
    size_t child_room;
    bool *utilities; /* by node: the utilities in use */
    bool *needed;    /* by node: true for nodes that the utilities and the evidence depend on, including themselves */
    /* Scratch space for graph traversal. */
    bool *conditions;
    unsigned char *marks;
    uint64_t *visits;
} crd_i_diagram;

/* Checks that nothing observed before the first open decision, as a finding or in `observed`, depends on an open
 * decision. Returns CRD_ERROR_SCHEMA_DIFFERS if it does. Other mistakes in the evidence are reported by
 * crd_i_evidence_query_open. */
CRD_MUST_USE crd_status crd_i_diagram_check(const crd_network *network, const crd_finding *findings, size_t count,
                                            const size_t *observed, size_t observed_count, crd_error *error);
/* Finds the open decisions and the information available at each. */
CRD_MUST_USE crd_status crd_i_diagram_open(const crd_i_evidence_query *query, const size_t *observed,
                                           size_t observed_count, crd_i_diagram *out, crd_error *error);
/* Frees a diagram, which may be only partly initialized. */
void crd_i_diagram_close(crd_i_diagram *diagram);

/* Reduces a decision's information to the relevant part. Marks the utilities that it affects and the nodes needed
 * for their expectations. SIZE_MAX marks all utilities. All later decisions must be solved. */
CRD_MUST_USE crd_status crd_i_diagram_focus(crd_i_diagram *diagram, size_t decision, crd_error *error);

/* Computes the expected sum of the marked utilities for each combination of a decision's information and choices;
 * choices vary fastest. Impossible combinations are NaN. For SIZE_MAX, computes a single number. Unsolved decisions
 * are taken at random. Returns CRD_ERROR_LIMIT before allocating anything if memory would not suffice. Free the
 * numbers with crd_free. */
CRD_MUST_USE crd_status crd_i_expectation(const crd_i_diagram *diagram, size_t decision, double **expected,
                                          crd_error *error);

#endif
