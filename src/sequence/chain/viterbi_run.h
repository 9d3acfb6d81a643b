/* SPDX-License-Identifier: MIT */
/* viterbi_run.h - the most likely path, window by window, for callers that process it step by step. */
#ifndef CRD_SEQUENCE_CHAIN_VITERBI_RUN_H
#define CRD_SEQUENCE_CHAIN_VITERBI_RUN_H

#include "sequence/chain/chain.h"

typedef struct crd_i_viterbi_run {
    crd_i_chain_workspace *work;
    const crd_i_chain *chain;
    const crd_i_emissions *emissions;
    crd_i_windows windows;
    size_t window; /* index of the next window */
    size_t node;   /* node of the previous step */
    crd_i_careful_sum total;
} crd_i_viterbi_run;

/* Runs the backward pass. The sequence must have at least one step. */
crd_status crd_i_viterbi_begin(crd_i_viterbi_run *run, const crd_i_emissions *emissions,
                               crd_i_chain_workspace *workspace, crd_error *error);
/* Finds the path in the next window. The path of the steps workspace->source .. workspace->source + workspace->steps -
 * 1 is in workspace->path. After the last window, `answer` contains the log probability. If the sequence is impossible,
 * the first call reports it, and there must be no further call. */
crd_status crd_i_viterbi_next(crd_i_viterbi_run *run, crd_i_chain_answer *answer, crd_error *error);

#endif
