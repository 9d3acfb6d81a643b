/* SPDX-License-Identifier: MIT */
/* pair_counts.h - counts of values and value pairs: the interface of the pair-counts joint tally for densities. */
#ifndef CRD_STATS_PAIR_COUNTS_H
#define CRD_STATS_PAIR_COUNTS_H

#include "math/exact/exact_sums.h"
#include "stats/grid.h"
#include "stats/joint_tally.h"

/* ======== Numeric bins ========
 *
 * The bins of a numeric column for pair counts.
 *
 * As in the adaptive histogram (grid.c), all bins have width 2^level, with the smallest level that needs no more than
 * the allowed number of bins. Until then, bins are the values themselves. Therefore the level and the set of bins
 * depend only on the set of numbers. Bins are numbered in order of occurrence. */

enum { CRD_I_AXIS_MOST = 128, CRD_I_AXIS_PLACES = 4 * CRD_I_AXIS_MOST };

typedef struct crd_i_axis {
    int32_t level;
    size_t count;
    uint64_t keys[CRD_I_AXIS_MOST + 1];
    uint8_t places[CRD_I_AXIS_PLACES]; /* hash table: 1 + index of a bin, or 0 */
} crd_i_axis;

void crd_i_axis_init(crd_i_axis *axis);
/* Returns the bin with this key at the axis's level; `count` if there is none. */
size_t crd_i_axis_find(const crd_i_axis *axis, uint64_t key);
/* Adds a number, or a bin of the same or a lower level, using at most `most` bins, CRD_I_AXIS_MOST or fewer. Bin
 * numbers change only when the level changes. */
void crd_i_axis_meet(crd_i_axis *axis, uint64_t bits, size_t most);
/* Raises the level to this one, if it is higher. */
void crd_i_axis_coarsen(crd_i_axis *axis, int32_t level);
/* Returns the bins sorted by their numbers. */
void crd_i_axis_order(const crd_i_axis *axis, int32_t order[CRD_I_AXIS_MOST]);
/* Returns the smallest and the largest double of a bin. */
void crd_i_axis_ends(const crd_i_axis *axis, size_t cell, double *least, double *greatest);

/* Returns the bins of a numeric column; NULL if it has none. */
const crd_i_axis *crd_i_pairs_axis(const crd_i_joint_tally *joint_tally, size_t column);

/* Returns the number of rows under a condition with this value or bin; 0 if it is unknown. */
double crd_i_pairs_single(const crd_i_joint_tally *joint_tally, size_t column, size_t cell, size_t condition);

/* A mapping from the values, or axis bins, of a column to bins; negative: none. */
typedef struct crd_i_pairs_bins {
    size_t column;
    const int32_t *bins;
    size_t bin_count;
} crd_i_pairs_bins;

/* Computes out[bin * conditions + place], the number of rows in the bin, summed exactly and rounded once. `places`
 * maps each condition to its place; negative: none. false: out of memory. */
CRD_MUST_USE bool crd_i_pairs_gather_singles(const crd_i_joint_tally *joint_tally, const crd_i_pairs_bins *column,
                                             const int32_t *places, size_t conditions, double *out);
/* Computes out[(bin of a * b's bins + bin of b) * conditions + place] for two columns, a before b. false: out of
 * memory. */
CRD_MUST_USE bool crd_i_pairs_gather(const crd_i_joint_tally *joint_tally, const crd_i_pairs_bins *a,
                                     const crd_i_pairs_bins *b, const int32_t *places, size_t conditions, double *out);

/* The maximum number of counts in a joint tally, including zeros. */
#define CRD_I_PAIRS_MOST_COUNTS 0x1p26

/* ======== Blocks of counts ========
 *
 * Exact counts indexed by three numbers: the cell of one column, the cell of another, and the condition.
 *
 * While few counts are above zero, they are stored in a hash table, so memory is proportional to the number of
 * nonzero counts. Otherwise they are stored in an array. */

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

/* Enlarges the block to at least these extents, for up to `more` new counts. Makes it dense if that needs less
 * memory. A block without extents gets exactly these. */
CRD_MUST_USE bool crd_i_counts_block_fit(crd_i_counts_block *block, const size_t extents[3], size_t more);

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
