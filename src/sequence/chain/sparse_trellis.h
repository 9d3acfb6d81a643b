/* SPDX-License-Identifier: MIT */
/* sparse_trellis.h - passes over the steps of a sparse chain, where observations leave few nodes possible: a step takes as long as there are
 * transitions between nodes that are. */
#ifndef CRD_SEQUENCE_CHAIN_SPARSE_TRELLIS_H
#define CRD_SEQUENCE_CHAIN_SPARSE_TRELLIS_H

#include "sequence/chain/chain_internal.h"

/* The backward pass over the window at hand, whose rows of states have scaled emissions, or, for maxima, log emissions. The row of its
 * step t becomes row steps - 1 - t of workspace->sparse_tails. The window before follows the checkpoint that is kept then:
 *     u_t = e_t (A u_{t+1}) / (sum of u_{t+1}),   or   v_t = log e_t + max (log A + v_{t+1}) - (the greatest of v_{t+1}). */
crd_status crd_i_sparse_backward(crd_i_chain_workspace *workspace, const crd_i_windows *windows, size_t window,
                                 bool is_max, crd_error *error);
crd_status crd_i_sparse_checkpoint(crd_i_chain_workspace *workspace, crd_error *error);

/* Nodes that can be reached, and their number, between steps of the forward pass; its equations are those of crd_i_forward_pass. */
typedef struct crd_i_sparse_pass {
    size_t active_count;
    double sum, least, overlap;
} crd_i_sparse_pass;

/* The forward pass over the window. `is_final`: rows of states become posteriors, and counts, unless NULL, are added to. Scales
 * go to workspace->sums. */
void crd_i_sparse_forward(crd_i_chain_workspace *workspace, crd_i_sparse_pass *pass, bool is_final,
                          const crd_i_chain_counts *counts);
/* After the last window, or for a pass that is given up. */
void crd_i_sparse_forward_end(crd_i_chain_workspace *workspace, crd_i_sparse_pass *pass);

/* Row `row` of sparse rows into a row of all nodes, and `empty` there again. */
void crd_i_sparse_scatter(const crd_i_node_lists *rows, size_t row, double *destination);
void crd_i_sparse_unscatter(const crd_i_node_lists *rows, size_t row, double empty, double *destination);

#endif
