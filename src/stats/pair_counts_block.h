/* SPDX-License-Identifier: MIT */
/* pair_counts_block.h - exact counts by three numbers: the cell of one column, the cell of another, the condition.
 *
 * As long as few of them are above zero they are kept one by one, found by hash, so that the room is that of what was
 * met; then all of them, as an array. */
#ifndef CRD_STATS_PAIR_COUNTS_BLOCK_H
#define CRD_STATS_PAIR_COUNTS_BLOCK_H

#include "math/exact/exact_sums.h"

/* Where only one column is counted, the second extent is 1. The product of the extents is below 2^63. */
typedef struct crd_i_counts_block {
    size_t extents[3];
    uint64_t dense_up_to; /* an array of up to so many numbers is taken however few are above zero */
    bool is_dense;
    crd_i_sums sums;  /* dense: of all numbers, the last fastest; else of each that was met */
    uint64_t *keys;   /* of each that was met: where it were in an array */
    size_t capacity;  /* of keys that there is room for */
    uint32_t *places; /* by hash of the key, at least twice as many: 1 + a cell of the sums, or 0 */
    unsigned place_bits;
    uint64_t hash_key;
} crd_i_counts_block;

static inline uint64_t crd_i_counts_block_index(const crd_i_counts_block *block, size_t i, size_t j, size_t k) {
    return ((uint64_t)i * block->extents[1] + j) * block->extents[2] + k;
}

void crd_i_counts_block_init(crd_i_counts_block *block, crd_context *context);
void crd_i_counts_block_clear(crd_i_counts_block *block);

/* Those that return bool give false when memory ran out, and have changed nothing then unless it is said. */
CRD_MUST_USE bool crd_i_counts_block_copy(crd_i_counts_block *to, const crd_i_counts_block *from);
/* At least so large, and dense once that takes less room, when up to `more` counts come in. A block that had no extents
 * has exactly these. */
CRD_MUST_USE bool crd_i_counts_block_fit(crd_i_counts_block *block, const size_t extents[3], size_t more);
/* Cells of the first or the second number are renumbered by the maps, where there are any, which lead into the extents.
 * Those that come together are added up. */
CRD_MUST_USE bool crd_i_counts_block_renumber(crd_i_counts_block *block, const size_t *map_i, const size_t *map_j);

/* The cell of the sums for numbers within the extents, made where it is not there. */
CRD_MUST_USE bool crd_i_counts_block_make(crd_i_counts_block *block, uint64_t index, size_t *cell);
CRD_MUST_USE static inline bool crd_i_counts_block_cell(crd_i_counts_block *block, size_t i, size_t j, size_t k,
                                                        size_t *cell) {
    uint64_t index = crd_i_counts_block_index(block, i, j, k);
    *cell = (size_t)index;
    return block->is_dense || crd_i_counts_block_make(block, index, cell);
}

/* The cell of the sums for these numbers; SIZE_MAX where there is none: beyond the extents, or never met. */
size_t crd_i_counts_block_find(const crd_i_counts_block *block, size_t i, size_t j, size_t k);
/* Rounded; 0 beyond the extents. */
double crd_i_counts_block_value(const crd_i_counts_block *block, size_t i, size_t j, size_t k);

/* Whether an array of `all` numbers, of which so many are above zero, takes no more room than these one by one. */
bool crd_i_counts_block_suits_array(uint64_t all, size_t above_zero);

/* The counts that are not zero, one after the other, in no order that means anything: begins as {0}. */
typedef struct crd_i_counts_cursor {
    size_t next;
    size_t cell, numbers[3]; /* of the count that was come to */
} crd_i_counts_cursor;
bool crd_i_counts_block_next(const crd_i_counts_block *block, crd_i_counts_cursor *cursor);
/* How many that are. */
size_t crd_i_counts_block_count(const crd_i_counts_block *block);

/* Makes the room for combining: afterwards that, with either sign, and undoing it need no memory. On failure cells may
 * have been made. */
CRD_MUST_USE bool crd_i_counts_block_reserve(crd_i_counts_block *to, const crd_i_counts_block *from,
                                             const size_t *const maps[3]);
/* Adds (sign 1) or subtracts (sign -1) the counts of another through the maps; NULL: as they are. On failure a part was
 * added. */
CRD_MUST_USE bool crd_i_counts_block_combine(crd_i_counts_block *to, const crd_i_counts_block *from,
                                             const size_t *const maps[3], int sign);

#endif
