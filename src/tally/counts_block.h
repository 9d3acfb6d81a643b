/* counts_block.h - exact counts by three numbers: the cell of one column, the cell of another, the condition. */
#ifndef CRD_TALLY_COUNTS_BLOCK_H
#define CRD_TALLY_COUNTS_BLOCK_H

#include "math/sums.h"

/* What is beyond the extents is zero. Where only one column is counted, the second extent is 1. */
typedef struct crd_i_counts_block {
    size_t extents[3];
    crd_i_sums sums;
} crd_i_counts_block;

static inline size_t crd_i_counts_block_at(const crd_i_counts_block *block, size_t i, size_t j, size_t k) {
    return (i * block->extents[1] + j) * block->extents[2] + k;
}

static inline bool crd_i_counts_block_is_zero(const crd_i_counts_block *block, size_t at) {
    const crd_i_sums *sums = &block->sums;
    return sums->width == 1 ? sums->limbs[at] == 0 : crd_i_sums_sign(sums, at) == 0;
}

void crd_i_counts_block_init(crd_i_counts_block *block, crd_context *context);
/* Those that return bool give false when memory ran out, and have changed nothing then. */
CRD_MUST_USE bool crd_i_counts_block_copy(crd_i_counts_block *to, const crd_i_counts_block *from);
/* At least so large. The product of the extents does not overflow. */
CRD_MUST_USE bool crd_i_counts_block_fit(crd_i_counts_block *block, const size_t extents[3]);
/* Cells of the first or the second number are renumbered by the maps, where there are any, which have an entry for each
 * of the extent and lead into it. Those that come together are added up. */
CRD_MUST_USE bool crd_i_counts_block_renumber(crd_i_counts_block *block, const size_t *map_i, const size_t *map_j);
/* Adds (sign 1) or subtracts (sign -1) the counts of another, as far as it is known: the first so many of each number,
 * through the maps; NULL: as they are. On failure a part was added. */
CRD_MUST_USE bool crd_i_counts_block_combine(crd_i_counts_block *to, const crd_i_counts_block *from,
                                             const size_t known[3], const size_t *const maps[3], int sign);
/* Rounded; 0 beyond the extents. */
double crd_i_counts_block_value(const crd_i_counts_block *block, size_t i, size_t j, size_t k);

#endif
