/* SPDX-License-Identifier: MIT */
/* viterbi_run.h - the most likely path, window after window, for what goes along with it step by step. */
#ifndef CRD_SEQUENCE_CHAIN_VITERBI_RUN_H
#define CRD_SEQUENCE_CHAIN_VITERBI_RUN_H

#include "sequence/chain/chain_internal.h"

typedef struct crd_i_viterbi_run {
    crd_i_chain_workspace *work;
    const crd_i_chain *chain;
    const crd_i_emissions *emissions;
    crd_i_windows windows;
    size_t window; /* the next one */
    size_t node;   /* of the step before */
    crd_i_careful_sum total;
} crd_i_viterbi_run;

/* The backward pass. At least one step. */
crd_status crd_i_viterbi_begin(crd_i_viterbi_run *run, const crd_i_emissions *emissions,
                               crd_i_chain_workspace *workspace, crd_error *error);
/* The next window: the path of steps workspace->from .. + workspace->steps - 1 is in workspace->path. After the last one the answer has
 * its log probability. A sequence that is impossible is found to be so by the first call, and there is no other then. */
crd_status crd_i_viterbi_next(crd_i_viterbi_run *run, crd_i_chain_answer *answer, crd_error *error);

#endif
