/* SPDX-License-Identifier: MIT */
/* factor_blocks.h - cliques whose tables are too large to be kept.
 *
 * Such a table is made block by block and read while it is in the cache, then forgotten: for the message to the parent,
 * and once more, with the message from the parent, for those to the children. That takes the memory of messages alone,
 * and less time than to write a large table and to read it again. In a block some variables are fixed: as many of the
 * slowest as it takes, of those shared with the parent first. A block is skipped where what depends on fixed variables
 * alone is 0, as it often is where nodes are functions of their parents.
 *
 * Blocks are split to threads in groups. What several groups add up to is added in the order of the groups, which are
 * the same for any number of threads; so are all bits. */
#ifndef CRD_INFER_EXACT_FACTOR_BLOCKS_H
#define CRD_INFER_EXACT_FACTOR_BLOCKS_H

#include "infer/exact/junction_types.h"

/* A clique with more cells is not kept, unless all have to be; one with as many is worth several threads. */
enum { CRD_I_KEPT_CELLS = 1 << 15, CRD_I_BLOCK_CELLS = 1 << 14, CRD_I_CELLS_FOR_THREADS = 1 << 19 };

/* What has to be there before the clique can be gone through: operands, and cells beside the messages. */
size_t crd_i_operand_size(void);
size_t crd_i_blocks_operands(const crd_i_junction *junction, const crd_i_clique *clique);
double crd_i_blocks_room(const crd_i_junction_work *work, size_t clique);

/* Writes the message of a clique to its parent, not scaled yet, by sums or by the greatest. */
CRD_MUST_USE crd_status crd_i_blocks_up(crd_i_junction_work *work, size_t clique, bool by_most);

/* With the message from its parent, which is divided already: sums for the messages to those children that need one,
 * for posteriors of own variables whose source the clique is, at their starts, and for its joint tables; all of them in
 * proportion to what they are. */
CRD_MUST_USE crd_status crd_i_blocks_down(crd_i_junction_work *work, size_t clique, double *posteriors,
                                          const crd_i_joint_posterior *joints);

/* The first row with the greatest cell among those that go with the states, by node, of what is shared with the
 * parent. */
CRD_MUST_USE crd_status crd_i_blocks_best_row(crd_i_junction_work *work, size_t clique, const int32_t *states,
                                              size_t *row);

#endif
