/* SPDX-License-Identifier: MIT */
/* evidence_analysis_internal.h - what is kept of an analysis of evidence. */
#ifndef CRD_INFER_QUERY_EVIDENCE_ANALYSIS_INTERNAL_H
#define CRD_INFER_QUERY_EVIDENCE_ANALYSIS_INTERNAL_H

#include <credence/network.h>
#include <stdbool.h>

struct crd_evidence_analysis {
    crd_context *context;
    size_t count;  /* of evidence */
    size_t states; /* of the node */
    bool *is_premise;
    bool *is_of_note; /* whether a finding is looked at in pairs */
    /* Distributions one after the other: before, after, alone of each, without each, then without each pair, and given
     * each pair alone. */
    double *answers;
    bool has_pairs;
    size_t **paths, *lengths;
    /* Where pairs are looked at: [k * count + i], the path between the node and k that meets at or above i, where k is
     * not below the node. */
    size_t **meetings, *meeting_lengths;
    double log_evidence;
    double error; /* the largest of any answer */
    crd_approximation approximation;
};

#endif
