/* SPDX-License-Identifier: MIT */
/* pair_counts_block.h - exact counts indexed by three numbers: the cell of one column, the cell of another, and the
 * condition.
 *
 * While few counts are above zero, they are stored in a hash table, so memory is proportional to the number of
 * nonzero counts. Otherwise they are stored in an array. */
#ifndef CRD_STATS_PAIR_COUNTS_BLOCK_H
#define CRD_STATS_PAIR_COUNTS_BLOCK_H

#include "math/exact/exact_sums.h"

/* If only one column is counted, the second extent is 1. The product of the extents is below 2^63. */
typedef struct crd_i_counts_block {
    size_t extents[3];
    uint64_t dense_up_to; /* use an array of up to this many counts, however few are above zero */
    bool is_dense;
    crd_i_sums sums;  /* dense: all counts, the last index fastest; otherwise only the counts that occurred */
    uint64_t *keys;   /* for each count that occurred: its index in a dense array */
    size_t capacity;  /* allocated keys */
    uint32_t *places; /* hash table, at least twice as large: 1 + cell of the sums, or 0 */
    unsigned place_bits;
    uint64_t hash_key;
} crd_i_counts_block;

static inline uint64_t crd_i_counts_block_index(const crd_i_counts_block *block, size_t i, size_t j, size_t k) {
    return ((uint64_t)i * block->extents[1] + j) * block->extents[2] + k;
}

void crd_i_counts_block_init(crd_i_counts_block *block, crd_context *context);
void crd_i_counts_block_clear(crd_i_counts_block *block);

/* Functions that return bool return false if memory ran out. Unless noted, nothing has changed then. */
CRD_MUST_USE bool crd_i_counts_block_copy(crd_i_counts_block *counts, const crd_i_counts_block *counts_block);
/* Enlarges the block to at least these extents, for up to `more` new counts. Makes it dense if that needs less
 * memory. A block without extents gets exactly these. */
CRD_MUST_USE bool crd_i_counts_block_fit(crd_i_counts_block *block, const size_t extents[3], size_t more);
/* Renumbers the first or second index with the maps that are not NULL; mapped indices are within the extents. Counts
 * that coincide are added. */
CRD_MUST_USE bool crd_i_counts_block_renumber(crd_i_counts_block *block, const size_t *map_i, const size_t *map_j);

/* Finds or creates the cell of the sums for an index within the extents. */
CRD_MUST_USE bool crd_i_counts_block_make(crd_i_counts_block *block, uint64_t index, size_t *cell);
CRD_MUST_USE static inline bool crd_i_counts_block_cell(crd_i_counts_block *block, size_t i, size_t j, size_t k,
                                                        size_t *cell) {
    uint64_t index = crd_i_counts_block_index(block, i, j, k);
    *cell = (size_t)index;
    return block->is_dense || crd_i_counts_block_make(block, index, cell);
}

/* Returns the cell of the sums for these numbers; SIZE_MAX: beyond the extents, or it never occurred. */
size_t crd_i_counts_block_find(const crd_i_counts_block *block, size_t i, size_t j, size_t k);
/* Returns the rounded count; 0 beyond the extents. */
double crd_i_counts_block_value(const crd_i_counts_block *block, size_t i, size_t j, size_t k);

/* Returns whether an array of `all` counts needs no more memory than a hash table with the counts above zero. */
bool crd_i_counts_block_suits_array(uint64_t all, size_t above_zero);

/* Iterates over the nonzero counts, in unspecified order. Initialize it with {0}. */
typedef struct crd_i_counts_cursor {
    size_t next;
    size_t cell, numbers[3]; /* its entry in the sums, and its three indices */
} crd_i_counts_cursor;
bool crd_i_counts_block_next(const crd_i_counts_block *block, crd_i_counts_cursor *cursor);
/* Returns the number of nonzero counts. */
size_t crd_i_counts_block_count(const crd_i_counts_block *block);

/* Reserves memory so that combining, with either sign, and undoing it cannot fail. On failure cells may have been
 * created. */
CRD_MUST_USE bool crd_i_counts_block_reserve(crd_i_counts_block *counts, const crd_i_counts_block *counts_block,
                                             const size_t *const maps[3]);
/* Adds (sign 1) or subtracts (sign -1) the counts of another block through the maps; NULL: identity. On failure some
 * counts were added. */
CRD_MUST_USE bool crd_i_counts_block_combine(crd_i_counts_block *counts, const crd_i_counts_block *counts_block,
                                             const size_t *const maps[3], int sign);

#endif
