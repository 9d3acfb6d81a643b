/* SPDX-License-Identifier: MIT */
/* factor_blocks.h - cliques whose tables are too large to store.
 *
 * Such a table is computed block by block, used while it is in the cache, and discarded. This is done once for the
 * message to the parent, and again, with the message from the parent, for the messages to the children. It only
 * needs memory for the messages, and takes less time than writing and rereading a large table. A block fixes some
 * variables: as many of the slowest as necessary, starting with variables shared with the parent. A block is skipped
 * if the product of the terms that depend only on fixed variables is 0. This is common when nodes are functions of
 * their parents.
 *
 * Blocks are distributed to threads in groups. Group sums are added in group order. The groups do not depend on the
 * number of threads, so all results are bit-identical. */
#ifndef CRD_INFER_EXACT_FACTOR_BLOCKS_H
#define CRD_INFER_EXACT_FACTOR_BLOCKS_H

#include "infer/exact/junction_types.h"

/* A clique with more cells is not stored, unless all cliques must be. A clique with as many cells is worth several
 * threads. */
enum { CRD_I_KEPT_CELLS = 1 << 15, CRD_I_BLOCK_CELLS = 1 << 14, CRD_I_CELLS_FOR_THREADS = 1 << 19 };

/* Return the workspace that a clique needs: operands, and cells in addition to the messages. */
size_t crd_i_operand_size(void);
size_t crd_i_blocks_operands(const crd_i_junction *junction, const crd_i_clique *clique);
double crd_i_blocks_room(const crd_i_junction_work *work, size_t clique);

/* Writes the unscaled message from a clique to its parent, by sums or by maxima. */
CRD_MUST_USE crd_status crd_i_blocks_up(crd_i_junction_work *work, size_t clique, bool by_most);

/* Uses the message from the parent, which is already divided. Computes unnormalized sums for the messages to the
 * children that need one, for the posteriors of the clique's own variables (at their starts), and for its joint
 * tables. */
CRD_MUST_USE crd_status crd_i_blocks_down(crd_i_junction_work *work, size_t clique, double *posteriors,
                                          const crd_i_joint_posterior *joints);

/* Returns the first row that contains the largest cell, among rows consistent with `states` (by node) of the
 * variables shared with the parent. */
CRD_MUST_USE crd_status crd_i_blocks_best_row(crd_i_junction_work *work, size_t clique, const int32_t *states,
                                              size_t *row);

#endif
