/* SPDX-License-Identifier: MIT */
/* sparse_trellis.h - forward and backward passes over the steps of a sparse chain. If observations leave few nodes
 * possible, a step takes time proportional to the number of transitions between possible nodes. */
#ifndef CRD_SEQUENCE_CHAIN_SPARSE_TRELLIS_H
#define CRD_SEQUENCE_CHAIN_SPARSE_TRELLIS_H

#include "sequence/chain/chain.h"

/* Runs the backward pass over the current window:
 *
 *   u_t = e_t (A u_{t+1}) / (sum of u_{t+1}), or if `is_max`
 *   v_t = log e_t + max (log A + v_{t+1}) - (maximum of v_{t+1})
 *
 * The rows of states must contain scaled emissions, or log emissions if `is_max`. The row of step t becomes row steps -
 * 1 - t of workspace->sparse_tails. Before the previous window is processed, crd_i_sparse_checkpoint must store the
 * last row. */
crd_status crd_i_sparse_backward(crd_i_chain_workspace *workspace, const crd_i_windows *windows, size_t window,
                                 bool is_max, crd_error *error);
crd_status crd_i_sparse_checkpoint(crd_i_chain_workspace *workspace, crd_error *error);

/* State of the forward pass between steps: the number of reachable nodes, and scales. The equations are those that
 * crd_i_forward_pass states. */
typedef struct crd_i_sparse_pass {
    size_t active_count;
    double sum, least, overlap;
} crd_i_sparse_pass;

/* Runs the forward pass over the window. If `is_final` is true, the rows of states become posteriors, and `counts`,
 * unless NULL, are increased. The scales are stored in workspace->sums. */
void crd_i_sparse_forward(crd_i_chain_workspace *workspace, crd_i_sparse_pass *pass, bool is_final,
                          const crd_i_chain_counts *counts);
/* Cleans up after the last window, or after an abandoned pass. */
void crd_i_sparse_forward_end(crd_i_chain_workspace *workspace, crd_i_sparse_pass *pass);

/* Writes a sparse row into a row of all nodes, and resets these entries to `empty`. */
void crd_i_sparse_scatter(const crd_i_node_lists *rows, size_t row, double *destination);
void crd_i_sparse_unscatter(const crd_i_node_lists *rows, size_t row, double empty, double *destination);

#endif
