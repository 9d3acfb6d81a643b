/* SPDX-License-Identifier: MIT */
/* evidence_analysis_internal.h - the results of an evidence analysis. */
#ifndef CRD_INFER_QUERY_EVIDENCE_ANALYSIS_INTERNAL_H
#define CRD_INFER_QUERY_EVIDENCE_ANALYSIS_INTERNAL_H

#include <credence/network.h>
#include <stdbool.h>

struct crd_evidence_analysis {
    crd_context *context;
    size_t count;  /* number of findings */
    size_t states; /* state count of the node */
    bool *is_premise;
    bool *is_of_note; /* whether a finding is analyzed in pairs */
    /* Concatenated distributions: prior, posterior, given each finding only, without each finding, without each
     * pair, and given each pair only. */
    double *answers;
    bool has_pairs;
    size_t **paths, *lengths;
    /* If pairs are analyzed: [k * count + i] is the path between the node and k that converges at or above i. It
     * exists if k is not a descendant of the node. */
    size_t **meetings, *meeting_lengths;
    double log_evidence;
    double error; /* the largest standard error of all results */
    crd_approximation approximation;
};

#endif
