/* SPDX-License-Identifier: MIT */
/* pair_counts.c - counts each value of each column, and each pair of values of two columns, under each condition.
 * AODE reads them (Webb, Boughton and Wang 2005).
 *
 * Counts are exact sums of weights. A pair is counted in the rows that have a cell in both columns, so missing cells
 * are not counted. The values of a numeric column are at most 128 bins of equal width (pair_counts.h). The bins become
 * coarser as numbers arrive, and the counts of finer bins are added up. So the counts are those that the final bins
 * would have had from the beginning, whatever the order of the rows. Forgetting subtracts counts and leaves the bin
 * width unchanged, until no row is left.
 *
 * Each pair of columns has its own block of counts, and a batch is added pair by pair, so the block stays in the cache.
 * The number of counts is at most columns * columns * values * values * conditions and is limited by
 * CRD_I_PAIRS_MOST_COUNTS. For this limit, a numeric column counts as having the maximum number of bins as soon as its
 * bins are not exact values. So whether the tally is dropped is a function of the set of rows, not of their order.
 *
 * Contents:
 *   1. Blocks of counts
 *   2. Numeric bins
 *   3. Pair counts
 *   4. File format
 *   5. Type table */
#include "stats/pair_counts.h"

#include "base/dictionary.h"
#include "base/error.h"
#include "base/memory.h"
#include "stats/exact_sums_file.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct crd_i_pairs {
    crd_i_joint_tally base;
    size_t most;                 /* maximum number of bins of a numeric column */
    crd_i_axis **axes;           /* for each numeric column; NULL for others */
    crd_i_counts_block *singles; /* one per column */
    /* one per pair of columns, the first before the second; an element NULL: all zero. The array is NULL if no pair
     * has counts */
    crd_i_counts_block **blocks;
} crd_i_pairs;

/* ======== 1. Blocks of counts ========
 *
 * A block contains exact counts indexed by three numbers. */

/* ROOM_OF_ENTRY: a hash table entry needs about four times the memory of a number in an array. FEW: arrays up to this
 * size are always dense. */
enum { ROOM_OF_ENTRY = 4, FEW = 256 };

void crd_i_counts_block_init(crd_i_counts_block *block, crd_context *context) {
    memset(block, 0, sizeof *block);
    crd_i_sums_init(&block->sums, context);
}

void crd_i_counts_block_clear(crd_i_counts_block *block) {
    crd_context *context = block->sums.context;
    crd_free(context, block->keys);
    crd_free(context, block->places);
    crd_i_sums_clear(&block->sums);
    crd_i_counts_block_init(block, context);
}

/* ---- Entries ---- */

/* Returns the place of a key, or the empty place where it belongs. The second multiplication separates neighboring
 * keys, such as the conditions of a value, which would otherwise form long runs of occupied places. */
static uint32_t *pair_counts_block_place(const crd_i_counts_block *block, uint64_t key) {
    size_t mask = ((size_t)1 << block->place_bits) - 1;
    uint64_t hash = key * block->hash_key;
    size_t place = (size_t)((hash ^ hash >> 32) * block->hash_key >> (64 - block->place_bits));
    while (block->places[place] != 0 && block->keys[block->places[place] - 1] != key) place = (place + 1) & mask;
    return &block->places[place];
}

static bool reserve_entries(crd_i_counts_block *block, size_t count) {
    enum { LEAST_BITS = 4 };
    crd_context *context = block->sums.context;
    if (count > UINT32_MAX - 1) return false;
    if (!crd_i_reserve(context, &block->keys, &block->capacity, count, sizeof *block->keys)) return false;
    unsigned bits = block->places == NULL ? LEAST_BITS : block->place_bits;
    while ((size_t)1 << bits < 2 * count) bits++;
    if (block->places != NULL && bits == block->place_bits) return true;
    uint32_t *places = crd_i_alloc_zeroed(context, (size_t)1 << bits, sizeof *places);
    if (places == NULL) return false;
    crd_free(context, block->places);
    block->places = places;
    block->place_bits = bits;
    block->hash_key = crd_i_hash_key(context, places);
    for (size_t cell = 0; cell < block->sums.cells; cell++)
        *pair_counts_block_place(block, block->keys[cell]) = (uint32_t)(cell + 1);
    return true;
}

bool crd_i_counts_block_make(crd_i_counts_block *block, uint64_t index, size_t *cell) {
    if (block->places != NULL) {
        uint32_t place = *pair_counts_block_place(block, index);
        *cell = place - (size_t)1;
        if (place != 0) return true;
    }
    *cell = block->sums.cells;
    if (!reserve_entries(block, *cell + 1) || !crd_i_sums_extend(&block->sums, *cell + 1)) return false;
    block->keys[*cell] = index;
    *pair_counts_block_place(block, index) = (uint32_t)(*cell + 1);
    return true;
}

static bool is_zero(const crd_i_counts_block *block, size_t cell) {
    const crd_i_sums *sums = &block->sums;
    return sums->width == 1 ? sums->limbs[cell] == 0 : crd_i_sums_sign(sums, cell) == 0;
}

bool crd_i_counts_block_next(const crd_i_counts_block *block, crd_i_counts_cursor *cursor) {
    size_t cells = block->sums.width == 0 ? 0 : block->sums.cells;
    while (cursor->next < cells && is_zero(block, cursor->next)) cursor->next++;
    if (cursor->next >= cells) return false;
    cursor->cell = cursor->next++;
    uint64_t index = block->is_dense ? cursor->cell : block->keys[cursor->cell];
    cursor->numbers[2] = (size_t)(index % block->extents[2]);
    cursor->numbers[1] = (size_t)(index / block->extents[2] % block->extents[1]);
    cursor->numbers[0] = (size_t)(index / block->extents[2] / block->extents[1]);
    return true;
}

size_t crd_i_counts_block_count(const crd_i_counts_block *block) {
    size_t count = 0, cells = block->sums.width == 0 ? 0 : block->sums.cells;
    for (size_t cell = 0; cell < cells; cell++) count += !is_zero(block, cell);
    return count;
}

size_t crd_i_counts_block_find(const crd_i_counts_block *block, size_t i, size_t j, size_t k) {
    if (i >= block->extents[0] || j >= block->extents[1] || k >= block->extents[2]) return SIZE_MAX;
    uint64_t index = crd_i_counts_block_index(block, i, j, k);
    if (block->is_dense) return (size_t)index;
    uint32_t place = block->places == NULL ? 0 : *pair_counts_block_place(block, index);
    return place == 0 ? SIZE_MAX : place - (size_t)1;
}

double crd_i_counts_block_value(const crd_i_counts_block *block, size_t i, size_t j, size_t k) {
    if (block->sums.width == 0) return 0;
    size_t cell = crd_i_counts_block_find(block, i, j, k);
    return cell == SIZE_MAX ? 0 : crd_i_sums_value(&block->sums, cell);
}

/* ---- Combining ---- */

/* Works like crd_i_sums_combine, with a fast path for small counts, which are the usual case. */
static bool pair_counts_block_combine_cell(crd_i_sums *target_sums, size_t cell, const crd_i_sums *source_sums,
                                           size_t from_cell, int sign) {
    if (target_sums->width == 1 && source_sums->width == 1 && target_sums->base == 0 && source_sums->base == 0 &&
        (target_sums->limbs[cell] | source_sums->limbs[from_cell]) >> 62 == 0) {
        target_sums->limbs[cell] += sign > 0 ? source_sums->limbs[from_cell] : 0 - source_sums->limbs[from_cell];
        return true;
    }
    return crd_i_sums_combine(target_sums, cell, source_sums, from_cell, sign);
}

/* Finds or creates the entry for the other block's count at the cursor, through the maps. */
static bool cell_for(crd_i_counts_block *counts, const crd_i_counts_cursor *cursor, const size_t *const maps[3],
                     size_t *cell) {
    size_t numbers[3];
    for (int i = 0; i < 3; i++) numbers[i] = maps[i] == NULL ? cursor->numbers[i] : maps[i][cursor->numbers[i]];
    return crd_i_counts_block_cell(counts, numbers[0], numbers[1], numbers[2], cell);
}

bool crd_i_counts_block_reserve(crd_i_counts_block *counts, const crd_i_counts_block *counts_block,
                                const size_t *const maps[3]) {
    size_t cell;
    for (crd_i_counts_cursor cursor = {0}; crd_i_counts_block_next(counts_block, &cursor);)
        if (!cell_for(counts, &cursor, maps, &cell) ||
            !crd_i_sums_reserve(&counts->sums, cell, &counts_block->sums, cursor.cell))
            return false;
    return true;
}

bool crd_i_counts_block_combine(crd_i_counts_block *counts, const crd_i_counts_block *counts_block,
                                const size_t *const maps[3], int sign) {
    size_t cell;
    for (crd_i_counts_cursor cursor = {0}; crd_i_counts_block_next(counts_block, &cursor);)
        if (!cell_for(counts, &cursor, maps, &cell) ||
            !pair_counts_block_combine_cell(&counts->sums, cell, &counts_block->sums, cursor.cell, sign))
            return false;
    return true;
}

/* ---- Layout ---- */

/* Copies the counts, through the maps, to a block with these extents and representation. false: out of memory, nothing
 * changed. */
static bool pair_counts_block_lay_out(crd_i_counts_block *block, const size_t extents[3], bool is_dense,
                                      const size_t *const maps[3]) {
    crd_i_counts_block next;
    crd_i_counts_block_init(&next, block->sums.context);
    memcpy(next.extents, extents, sizeof next.extents);
    next.dense_up_to = block->dense_up_to;
    next.is_dense = is_dense;
    size_t cells = is_dense ? extents[0] * extents[1] * extents[2] : 0;
    if (!crd_i_sums_extend(&next.sums, cells) ||
        !crd_i_sums_set_window(&next.sums, block->sums.base, block->sums.width) ||
        !crd_i_counts_block_combine(&next, block, maps, 1)) {
        crd_i_counts_block_clear(&next);
        return false;
    }
    crd_i_counts_block_clear(block);
    *block = next;
    return true;
}

/* Functions that return bool return false if memory ran out. Unless noted, nothing has changed then. */
static bool counts_block_copy(crd_i_counts_block *counts, const crd_i_counts_block *counts_block) {
    crd_context *context = counts_block->sums.context;
    size_t cells = counts_block->sums.cells, limbs = cells * counts_block->sums.width;
    crd_i_counts_block_init(counts, context);
    memcpy(counts->extents, counts_block->extents, sizeof counts->extents);
    counts->dense_up_to = counts_block->dense_up_to;
    counts->is_dense = counts_block->is_dense;
    if (!crd_i_sums_extend(&counts->sums, cells) ||
        !crd_i_sums_set_window(&counts->sums, counts_block->sums.base, counts_block->sums.width))
        goto fail;
    if (limbs > 0) memcpy(counts->sums.limbs, counts_block->sums.limbs, limbs * sizeof *counts->sums.limbs);
    if (counts_block->places == NULL) return true;
    size_t places = (size_t)1 << counts_block->place_bits;
    counts->keys = crd_i_alloc(context, cells, sizeof *counts->keys);
    counts->places = crd_i_alloc(context, places, sizeof *counts->places);
    if (counts->keys == NULL || counts->places == NULL) goto fail;
    if (cells > 0) memcpy(counts->keys, counts_block->keys, cells * sizeof *counts->keys);
    memcpy(counts->places, counts_block->places, places * sizeof *counts->places);
    counts->capacity = cells;
    counts->place_bits = counts_block->place_bits;
    counts->hash_key = counts_block->hash_key;
    return true;

fail:
    crd_i_counts_block_clear(counts);
    return false;
}

bool crd_i_counts_block_suits_array(uint64_t all, size_t above_zero) {
    return all <= FEW || (all <= SIZE_MAX && above_zero > all / ROOM_OF_ENTRY);
}

static bool prefers_dense(const crd_i_counts_block *block, const size_t extents[3], size_t entries) {
    uint64_t all = (uint64_t)extents[0] * extents[1] * extents[2];
    return all <= block->dense_up_to || crd_i_counts_block_suits_array(all, entries);
}

/* Returns an extent with spare capacity if it must grow: half of the current extent in addition for arrays. In a hash
 * table spare extents need no memory, but growing recomputes all keys, so it is three times the current extent in
 * addition. */
static size_t pair_counts_block_roomy(size_t extent, size_t has, bool is_dense) {
    if (extent <= has) return has;
    size_t more = is_dense ? has / 2 : extent < INT32_MAX / 4 ? 3 * has : 0;
    return extent < has + more ? has + more : extent;
}

bool crd_i_counts_block_fit(crd_i_counts_block *block, const size_t extents[3], size_t more) {
    static const size_t *const as_they_are[3] = {NULL, NULL, NULL};
    size_t dense[3], sparse[3];
    bool fits = true;
    for (int i = 0; i < 3; i++) {
        size_t has = block->extents[i];
        fits = fits && extents[i] <= has;
        dense[i] = block->is_dense ? pair_counts_block_roomy(extents[i], has, true) : extents[i];
        sparse[i] = pair_counts_block_roomy(extents[i], has, false);
    }
    if (fits && (block->is_dense || !prefers_dense(block, extents, block->sums.cells + more))) return true;
    bool is_dense = prefers_dense(block, extents, crd_i_counts_block_count(block) + more);
    return pair_counts_block_lay_out(block, is_dense ? dense : sparse, is_dense, as_they_are);
}

/* Renumbers the first or second index with the maps that are not NULL; mapped indices are within the extents. Counts
 * that coincide are added. */
static bool counts_block_renumber(crd_i_counts_block *block, const size_t *map_i, const size_t *map_j) {
    const size_t *const maps[3] = {map_i, map_j, NULL};
    const size_t extents[3] = {block->extents[0], block->extents[1], block->extents[2]};
    return pair_counts_block_lay_out(block, extents, block->is_dense, maps);
}

/* ======== 2. Numeric bins ======== */

void crd_i_axis_init(crd_i_axis *axis) {
    memset(axis, 0, sizeof *axis);
    axis->level = CRD_I_GRID_EXACT;
}

/* ---- Hash table ---- */

/* Returns the place in the hash table `places` of a bin that has this key at a level, or the empty place where it
 * belongs. */
static size_t pair_axis_place(const crd_i_axis *axis, const uint8_t places[CRD_I_AXIS_PLACES], uint64_t key,
                              int32_t level) {
    enum { BITS = 9 };
    _Static_assert(1 << BITS == CRD_I_AXIS_PLACES, "the places are as many as hashes");
    size_t place = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - BITS));
    while (places[place] != 0 && crd_i_grid_key_at(axis->keys[places[place] - 1], level) != key)
        place = (place + 1) % CRD_I_AXIS_PLACES;
    return place;
}

size_t crd_i_axis_find(const crd_i_axis *axis, uint64_t key) {
    uint8_t place = axis->places[pair_axis_place(axis, axis->places, key, CRD_I_GRID_EXACT)];
    return place == 0 ? axis->count : place - (size_t)1;
}

/* Adds a bin of the axis's level, unless it exists; there must be room. */
static void axis_append(crd_i_axis *axis, uint64_t key) {
    uint8_t *place = &axis->places[pair_axis_place(axis, axis->places, key, CRD_I_GRID_EXACT)];
    if (*place != 0) return;
    axis->keys[axis->count++] = key;
    *place = (uint8_t)axis->count;
}

/* ---- Levels ---- */

void crd_i_axis_coarsen(crd_i_axis *axis, int32_t level) {
    if (level <= axis->level) return;
    size_t count = axis->count;
    axis->level = level;
    axis->count = 0;
    memset(axis->places, 0, sizeof axis->places);
    /* This works in place, because no bin is written before it was read. */
    for (size_t cell = 0; cell < count; cell++) axis_append(axis, crd_i_grid_key_at(axis->keys[cell], level));
}

/* Returns how many bins there would be at a level. */
static size_t pair_axis_count(const crd_i_axis *axis, int32_t level) {
    uint8_t places[CRD_I_AXIS_PLACES] = {0};
    size_t cells = 0;
    for (size_t cell = 0; cell < axis->count; cell++) {
        uint8_t *place = &places[pair_axis_place(axis, places, crd_i_grid_key_at(axis->keys[cell], level), level)];
        cells += *place == 0;
        if (*place == 0) *place = (uint8_t)(cell + 1);
    }
    return cells;
}

/* Returns the lowest level that leaves at most `most` bins, if there are more now. Levels up to the lowest set bit of
 * any key change nothing. From there, an exponential search passes the wanted level and a binary search finds it. */
static int32_t level_for(const crd_i_axis *axis, size_t most) {
    int32_t highest = crd_i_grid_highest(most), low = highest;
    for (size_t cell = 0; cell < axis->count; cell++) {
        int32_t here = crd_i_grid_key_lowest_bit(axis->keys[cell]);
        if (here < low) low = here;
    }
    if (low < axis->level) low = axis->level;
    int32_t high = low + 1;
    for (int32_t step = 2; high < highest && pair_axis_count(axis, high) > most; step *= 2) {
        low = high;
        high = high + step < highest ? high + step : highest;
    }
    while (high - low > 1) {
        int32_t middle = low + (high - low) / 2;
        if (pair_axis_count(axis, middle) > most) low = middle;
        else high = middle;
    }
    return high;
}

void crd_i_axis_meet(crd_i_axis *axis, uint64_t bits, size_t most) {
    if (axis->count == 0) axis->level = CRD_I_GRID_EXACT;
    axis_append(axis, crd_i_grid_key_at(bits, axis->level));
    if (axis->count > most) crd_i_axis_coarsen(axis, level_for(axis, most));
}

/* Keeps only the marked bins, renumbered in the same order. If none remains, the level is meaningless. */
static void axis_keep(crd_i_axis *axis, const bool *marked) {
    size_t count = axis->count;
    axis->count = 0;
    memset(axis->places, 0, sizeof axis->places);
    for (size_t cell = 0; cell < count; cell++)
        if (marked[cell]) axis_append(axis, axis->keys[cell]);
    if (axis->count == 0) axis->level = CRD_I_GRID_EXACT;
}

/* ---- Order ---- */

void crd_i_axis_order(const crd_i_axis *axis, int32_t order[CRD_I_AXIS_MOST]) {
    for (size_t i = 0; i < axis->count; i++) {
        size_t index = i;
        uint64_t rank = crd_i_grid_key_rank(axis->keys[i]);
        for (; index > 0 && crd_i_grid_key_rank(axis->keys[order[index - 1]]) > rank; index--)
            order[index] = order[index - 1];
        order[index] = (int32_t)i;
    }
}

void crd_i_axis_ends(const crd_i_axis *axis, size_t cell, double *least, double *greatest) {
    double end = crd_i_double_of(axis->keys[cell]);
    *least = *greatest = end;
    if (axis->level == CRD_I_GRID_EXACT) return;
    /* A bin contains its end towards zero, but not the other end. Far from zero, doubles are farther apart than the
     * width of a bin; then the bin contains only that end. */
    double width = ldexp(1, axis->level), other = (axis->keys[cell] & CRD_I_SIGN_BIT) == 0 ? end + width : end - width;
    if (other > end) *greatest = nextafter(other, -DBL_MAX);
    if (other < end) *least = nextafter(other, DBL_MAX);
}

/* ======== 3. Pair counts ======== */

/* Returns the maximum number of bins of a numeric column. It is CRD_I_AXIS_MOST if the pairs of all columns, were they
 * all numeric, had at most 2^21 counts under a condition; this holds up to 16 columns. Otherwise it is half of that. */
static size_t most_cells(size_t columns) {
    enum { LEAST = CRD_I_AXIS_MOST / 2 };
    double counts = (double)columns * ((double)columns - 1) / 2 * CRD_I_AXIS_MOST * CRD_I_AXIS_MOST;
    return counts <= 0x1p21 ? CRD_I_AXIS_MOST : LEAST;
}

/* ---- Blocks ---- */

/* Returns the number of known values, or of bins. */
static size_t pairs_cell_count(const crd_i_pairs *pairs, size_t column) {
    return pairs->axes[column] != NULL ? pairs->axes[column]->count : pairs->base.value_counts[column];
}

/* Returns the number of a pair of columns, a < b. */
static size_t pairs_block_number(const crd_i_pairs *pairs, size_t a, size_t b) {
    return a * (2 * pairs->base.column_count - a - 1) / 2 + (b - a - 1);
}

static size_t pair_block_count(const crd_i_pairs *pairs) {
    size_t columns = pairs->base.column_count;
    return columns == 0 ? 0 : columns % 2 == 0 ? columns / 2 * (columns - 1) : (columns - 1) / 2 * columns;
}

/* Finds or creates the block of a pair, with sufficient extents. NULL: out of memory. */
static crd_i_counts_block *pairs_block(crd_i_pairs *pairs, size_t a, size_t b) {
    crd_context *context = pairs->base.context;
    if (pairs->blocks == NULL) {
        pairs->blocks = crd_i_alloc_zeroed(context, pair_block_count(pairs), sizeof *pairs->blocks);
        if (pairs->blocks == NULL) return NULL;
    }
    crd_i_counts_block **block = &pairs->blocks[pairs_block_number(pairs, a, b)];
    if (*block == NULL) {
        *block = crd_i_alloc(context, 1, sizeof **block);
        if (*block == NULL) return NULL;
        crd_i_counts_block_init(*block, context);
    }
    const size_t extents[3] = {pairs_cell_count(pairs, a), pairs_cell_count(pairs, b), pairs->base.conditions};
    return crd_i_counts_block_fit(*block, extents, 0) ? *block : NULL;
}

static bool fit_singles(crd_i_pairs *pairs, size_t column) {
    const size_t extents[3] = {pairs_cell_count(pairs, column), 1, pairs->base.conditions};
    return crd_i_counts_block_fit(&pairs->singles[column], extents, 0);
}

static void free_block(crd_i_pairs *pairs, size_t number) {
    if (pairs->blocks == NULL || pairs->blocks[number] == NULL) return;
    crd_i_counts_block_clear(pairs->blocks[number]);
    crd_free(pairs->base.context, pairs->blocks[number]);
    pairs->blocks[number] = NULL;
}

/* ---- The joint tally ---- */

static void pair_counts_destroy(crd_i_joint_tally *base) {
    crd_i_pairs *pairs = (crd_i_pairs *)base;
    crd_context *context = base->context;
    for (size_t i = 0; pairs->blocks != NULL && i < pair_block_count(pairs); i++) free_block(pairs, i);
    for (size_t column = 0; column < base->column_count; column++) {
        if (pairs->axes != NULL) crd_free(context, pairs->axes[column]);
        if (pairs->singles != NULL) crd_i_counts_block_clear(&pairs->singles[column]);
    }
    crd_free(context, pairs->blocks);
    crd_free(context, pairs->axes);
    crd_free(context, pairs->singles);
    crd_i_joint_tally_free(base);
}

static crd_i_joint_tally *pair_counts_create(crd_context *context, size_t columns) {
    crd_i_pairs *pairs = crd_i_alloc_zeroed(context, 1, sizeof *pairs);
    if (pairs == NULL) return NULL;
    bool done = crd_i_joint_tally_init(&pairs->base, &crd_i_pair_counts, context, columns);
    pairs->most = most_cells(columns);
    pairs->axes = crd_i_alloc_zeroed(context, columns, sizeof(crd_i_axis *));
    pairs->singles = crd_i_alloc_zeroed(context, columns, sizeof *pairs->singles);
    for (size_t column = 0; pairs->singles != NULL && column < columns; column++)
        crd_i_counts_block_init(&pairs->singles[column], context);
    if (done && pairs->axes != NULL && pairs->singles != NULL) return &pairs->base;
    pair_counts_destroy(&pairs->base);
    return NULL;
}

static bool pair_counts_settle(crd_i_joint_tally *base, size_t column, crd_column_type type) {
    crd_i_pairs *pairs = (crd_i_pairs *)base;
    if (type == CRD_TYPE_NUMERIC) {
        pairs->axes[column] = crd_i_alloc(base->context, 1, sizeof(crd_i_axis));
        if (pairs->axes[column] == NULL) return false;
        crd_i_axis_init(pairs->axes[column]);
    }
    base->types[column] = type;
    return true;
}

static bool pair_counts_unsettle(crd_i_joint_tally *base, size_t column) {
    crd_i_pairs *pairs = (crd_i_pairs *)base;
    for (size_t other = 0; other < base->column_count; other++)
        if (other != column)
            free_block(pairs,
                       pairs_block_number(pairs, other < column ? other : column, other < column ? column : other));
    crd_free(base->context, pairs->axes[column]);
    pairs->axes[column] = NULL;
    crd_i_counts_block_clear(&pairs->singles[column]);
    base->types[column] = CRD_TYPE_NONE;
    base->value_counts[column] = 0;
    return true;
}

/* Stores the extents only. Memory is allocated when rows arrive, after the limit was checked. */
static bool pair_counts_extend(crd_i_joint_tally *base, size_t conditions, const size_t *value_counts) {
    if (conditions > base->conditions) base->conditions = conditions;
    for (size_t column = 0; column < base->column_count; column++)
        if (base->types[column] == CRD_TYPE_CATEGORICAL && value_counts[column] > base->value_counts[column])
            base->value_counts[column] = value_counts[column];
    return true;
}

static crd_i_joint_tally *pair_counts_clone(const crd_i_joint_tally *base) {
    const crd_i_pairs *pairs = (const crd_i_pairs *)base;
    crd_i_pairs *copy = (crd_i_pairs *)pair_counts_create(base->context, base->column_count);
    if (copy == NULL) return NULL;
    for (size_t column = 0; column < base->column_count; column++) {
        if (base->types[column] != CRD_TYPE_NONE && !pair_counts_settle(&copy->base, column, base->types[column]))
            goto fail;
        if (pairs->axes[column] != NULL) *copy->axes[column] = *pairs->axes[column];
        if (!counts_block_copy(&copy->singles[column], &pairs->singles[column])) goto fail;
    }
    (void)pair_counts_extend(&copy->base, base->conditions, base->value_counts);
    if (pairs->blocks == NULL) return &copy->base;
    copy->blocks = crd_i_alloc_zeroed(base->context, pair_block_count(pairs), sizeof *copy->blocks);
    if (copy->blocks == NULL) goto fail;
    for (size_t i = 0; i < pair_block_count(pairs); i++) {
        if (pairs->blocks[i] == NULL) continue;
        copy->blocks[i] = crd_i_alloc(base->context, 1, sizeof **copy->blocks);
        if (copy->blocks[i] == NULL) goto fail;
        if (!counts_block_copy(copy->blocks[i], pairs->blocks[i])) goto fail;
    }
    return &copy->base;

fail:
    pair_counts_destroy(&copy->base);
    return NULL;
}

/* Returns the number of counts, including zeros. */
static double count_pair_counts(const crd_i_joint_tally *base) {
    const crd_i_pairs *pairs = (const crd_i_pairs *)base;
    double sum = 0, squares = 0;
    for (size_t column = 0; column < base->column_count; column++) {
        const crd_i_axis *axis = pairs->axes[column];
        size_t cells = axis != NULL && axis->level > CRD_I_GRID_EXACT ? pairs->most : pairs_cell_count(pairs, column);
        double count = cells == 0 ? 1 : (double)cells; /* a column without values yet counts as one value */
        sum += count;
        squares += count * count;
    }
    return ((sum * sum - squares) / 2 + sum) * (double)base->conditions;
}

/* Returns whether there are too many counts. */
static bool pairs_are_too_many(const crd_i_pairs *pairs) {
    return count_pair_counts(&pairs->base) > CRD_I_PAIRS_MOST_COUNTS;
}

static crd_status pair_counts_refuse(const crd_i_joint_tally *base, const crd_i_joint_tally_view *view,
                                     crd_error *error) {
    size_t most = 0;
    for (size_t column = 0; column < base->column_count; column++)
        if (view->columns[column].value_count > most) most = view->columns[column].value_count;
    char hint[64] = "";
    if (most > CRD_I_AXIS_MOST) snprintf(hint, sizeof hint, " with very many values (one has %zu)", most);
    return crd_i_fail(error, CRD_ERROR_LIMIT,
                      "the pairs of values of %zu columns in %zu classes need more than %.3g counts, the maximum: "
                      "ignore columns%s, or train without pairs",
                      base->column_count, view->condition_count, CRD_I_PAIRS_MOST_COUNTS, hint);
}

/* ---- Bins of numeric columns ---- */

/* Replaces the bins of a column. Bin i becomes bin map[i]. */
static bool pair_counts_adopt(crd_i_pairs *pairs, size_t column, const crd_i_axis *next, const size_t *map) {
    *pairs->axes[column] = *next;
    if (!counts_block_renumber(&pairs->singles[column], map, NULL)) return false;
    for (size_t other = 0; pairs->blocks != NULL && other < pairs->base.column_count; other++) {
        if (other == column) continue;
        bool is_first = column < other;
        crd_i_counts_block *block =
            pairs->blocks[pairs_block_number(pairs, is_first ? column : other, is_first ? other : column)];
        if (block == NULL || block->sums.width == 0) continue;
        if (!counts_block_renumber(block, is_first ? map : NULL, is_first ? NULL : map)) return false;
    }
    return true;
}

/* Replaces the bins of a column by coarser bins, or by the same bins and more. */
static bool adopt_coarser(crd_i_pairs *pairs, size_t column, const crd_i_axis *next) {
    crd_i_axis *axis = pairs->axes[column];
    size_t map[CRD_I_AXIS_MOST];
    if (axis->count == 0 || axis->level == next->level) {
        *axis = *next; /* existing bins have kept their numbers */
        return true;
    }
    for (size_t i = 0; i < axis->count; i++)
        map[i] = crd_i_axis_find(next, crd_i_grid_key_at(axis->keys[i], next->level));
    return pair_counts_adopt(pairs, column, next, map);
}

/* Removes empty bins of numeric columns. */
static bool pair_counts_remove_empty(crd_i_pairs *pairs) {
    for (size_t column = 0; column < pairs->base.column_count; column++) {
        if (pairs->axes[column] == NULL) continue;
        crd_i_axis next = *pairs->axes[column];
        bool some[CRD_I_AXIS_MOST];
        size_t map[CRD_I_AXIS_MOST], kept = 0;
        for (size_t i = 0; i < next.count; i++) {
            some[i] = false;
            for (size_t k = 0; !some[i] && k < pairs->base.conditions; k++)
                some[i] = crd_i_pairs_single(&pairs->base, column, i, k) != 0;
            map[i] = some[i] ? kept++ : 0; /* an empty bin has no counts to move */
        }
        if (kept == next.count) continue;
        axis_keep(&next, some);
        if (!pair_counts_adopt(pairs, column, &next, map)) return false;
    }
    return true;
}

/* ---- Adding ---- */

/* Rows that go through each step together. */
enum { STRETCH = 1024 };

typedef struct counts_stretch {
    size_t first, count;
    const crd_i_joint_tally_rows *rows;
    int32_t *codes; /* [column][row]: value or bin; negative: missing */
    bool *some;     /* for each column, whether any row has a cell */
} counts_stretch;

static bool counts_row(const crd_i_joint_tally_rows *rows, size_t row) {
    /* A row of weight zero must not add bins. */
    return rows->conditions[row] >= 0 && (rows->weights == NULL || rows->weights[row] != 0);
}

/* Adds the rows' numbers to the bins of a column, and sets codes[i] to the bin of row i. */
static bool meet_numbers(crd_i_pairs *pairs, size_t column, const counts_stretch *part, int32_t *codes) {
    const crd_i_cells *cells = &part->rows->columns[column];
    crd_i_axis next = *pairs->axes[column];
    for (size_t i = 0; i < part->count; i++) {
        size_t row = part->first + i;
        if (!counts_row(part->rows, row) || !crd_i_number_present(cells, row)) continue;
        if (next.count > 0 && crd_i_axis_find(&next, crd_i_grid_key_of(cells->numbers[row], next.level)) < next.count)
            continue;
        crd_i_axis_meet(&next, crd_i_grid_key_of(cells->numbers[row], CRD_I_GRID_EXACT), pairs->most);
    }
    if (!adopt_coarser(pairs, column, &next)) return false;
    for (size_t i = 0; i < part->count; i++) {
        size_t row = part->first + i;
        bool has = counts_row(part->rows, row) && crd_i_number_present(cells, row);
        codes[i] = has ? (int32_t)crd_i_axis_find(&next, crd_i_grid_key_of(cells->numbers[row], next.level)) : -1;
    }
    return true;
}

/* Sets the codes of all cells of the rows. */
static bool pair_counts_meet(crd_i_pairs *pairs, counts_stretch *part) {
    for (size_t column = 0; column < pairs->base.column_count; column++) {
        const crd_i_cells *cells = &part->rows->columns[column];
        int32_t *codes = part->codes + column * STRETCH;
        part->some[column] = false;
        if (pairs->axes[column] != NULL ? cells->numbers == NULL : cells->codes == NULL) continue;
        if (pairs->axes[column] != NULL) {
            if (!meet_numbers(pairs, column, part, codes)) return false;
        } else
            for (size_t i = 0; i < part->count; i++)
                codes[i] = counts_row(part->rows, part->first + i) ? cells->codes[part->first + i] : -1;
        for (size_t i = 0; i < part->count; i++) part->some[column] = part->some[column] || codes[i] >= 0;
    }
    return true;
}

/* Adds rows to a block. b NULL: counts of a single column. */
static bool pair_counts_add_block(crd_i_counts_block *block, const counts_stretch *part, const int32_t *a,
                                  const int32_t *b) {
    const int32_t *conditions = part->rows->conditions + part->first;
    const double *weights = part->rows->weights == NULL ? NULL : part->rows->weights + part->first;
    for (size_t i = 0; i < part->count; i++) {
        int32_t other = b == NULL ? 0 : b[i];
        size_t cell;
        if ((a[i] | other) < 0) continue;
        if (!crd_i_counts_block_cell(block, (size_t)a[i], (size_t)other, (size_t)conditions[i], &cell)) return false;
        if (weights == NULL ? !crd_i_sums_count(&block->sums, cell, 1)
                            : !crd_i_sums_add(&block->sums, cell, weights[i]))
            return false;
    }
    return true;
}

static crd_status add_stretch(crd_i_pairs *pairs, counts_stretch *part, crd_error *error) {
    if (!pair_counts_meet(pairs, part)) return crd_i_fail_memory(error);
    if (pairs_are_too_many(pairs)) return CRD_ERROR_LIMIT;
    for (size_t a = 0; a < pairs->base.column_count; a++) {
        if (!part->some[a]) continue;
        const int32_t *codes = part->codes + a * STRETCH;
        if (!fit_singles(pairs, a) || !pair_counts_add_block(&pairs->singles[a], part, codes, NULL))
            return crd_i_fail_memory(error);
        for (size_t b = a + 1; b < pairs->base.column_count; b++) {
            if (!part->some[b]) continue;
            crd_i_counts_block *block = pairs_block(pairs, a, b);
            if (block == NULL || !pair_counts_add_block(block, part, codes, part->codes + b * STRETCH))
                return crd_i_fail_memory(error);
        }
    }
    return CRD_OK;
}

static crd_status pair_counts_add(crd_i_joint_tally *base, const crd_i_joint_tally_rows *rows, crd_error *error) {
    crd_i_pairs *pairs = (crd_i_pairs *)base;
    /* checked before memory for the columns is allocated */
    if (pairs_are_too_many(pairs)) return CRD_ERROR_LIMIT;
    crd_status status = CRD_OK;
    counts_stretch part = {.rows = rows};
    part.codes = crd_i_alloc(base->context, base->column_count * STRETCH, sizeof *part.codes);
    part.some = crd_i_alloc(base->context, base->column_count, sizeof *part.some);
    if (part.codes == NULL || part.some == NULL) status = crd_i_fail_memory(error);
    for (; status == CRD_OK && part.first < rows->rows; part.first += part.count) {
        part.count = rows->rows - part.first < STRETCH ? rows->rows - part.first : STRETCH;
        status = add_stretch(pairs, &part, error);
    }
    crd_free(base->context, part.codes);
    crd_free(base->context, part.some);
    return status;
}

/* ---- Checking ---- */

/* Subtracts the counts of a pair from the counts of one of its columns (`of`: 0 or 1). *agrees becomes false if a
 * result is negative. false: out of memory. */
static bool check_margin(const crd_i_counts_block *block, const crd_i_counts_block *singles, int of, bool *agrees) {
    crd_i_counts_block left;
    if (!counts_block_copy(&left, singles)) return false;
    bool done = true;
    for (crd_i_counts_cursor cursor = {0}; done && *agrees && crd_i_counts_block_next(block, &cursor);) {
        size_t value = cursor.numbers[of], condition = cursor.numbers[2], cell;
        *agrees =
            crd_i_sums_sign(&block->sums, cursor.cell) > 0 && value < left.extents[0] && condition < left.extents[2];
        done = !*agrees || (crd_i_counts_block_cell(&left, value, 0, condition, &cell) &&
                            crd_i_sums_combine(&left.sums, cell, &block->sums, cursor.cell, -1));
    }
    for (crd_i_counts_cursor cursor = {0}; done && crd_i_counts_block_next(&left, &cursor);)
        if (crd_i_sums_sign(&left.sums, cursor.cell) < 0) *agrees = false;
    crd_i_counts_block_clear(&left);
    return done;
}

/* Checks that the counts are possible: none is negative, no bin of a numeric column is empty, and no value has more
 * rows in pairs than in its own count. false: out of memory. */
static bool pairs_check_counts(const crd_i_pairs *pairs, bool *agrees) {
    size_t columns = pairs->base.column_count;
    *agrees = true;
    for (size_t a = 0; a < columns; a++) {
        for (crd_i_counts_cursor cursor = {0}; crd_i_counts_block_next(&pairs->singles[a], &cursor);)
            if (crd_i_sums_sign(&pairs->singles[a].sums, cursor.cell) < 0) *agrees = false;
        for (size_t b = a + 1; *agrees && pairs->blocks != NULL && b < columns; b++) {
            const crd_i_counts_block *block = pairs->blocks[pairs_block_number(pairs, a, b)];
            if (block != NULL && (!check_margin(block, &pairs->singles[a], 0, agrees) ||
                                  !check_margin(block, &pairs->singles[b], 1, agrees)))
                return false;
        }
    }
    return true;
}

/* ---- Combining ---- */

/* Gives each numeric column the bins of both tallies, and sets `cells` to the bins that the second tally's bins become.
 * When subtracting, *known becomes false if the second has bins that this one lacks. */
static bool meet_cells(crd_i_pairs *pairs, const crd_i_pairs *second, int sign, size_t (*cells)[CRD_I_AXIS_MOST],
                       bool *known) {
    for (size_t column = 0; column < pairs->base.column_count; column++) {
        const crd_i_axis *axis = second->axes[column];
        if (axis == NULL || axis->count == 0) continue;
        if (sign > 0) {
            crd_i_axis next = *pairs->axes[column];
            if (next.count == 0) next = *axis;
            crd_i_axis_coarsen(&next, axis->level);
            for (size_t i = 0; i < axis->count; i++) crd_i_axis_meet(&next, axis->keys[i], pairs->most);
            if (!adopt_coarser(pairs, column, &next)) return false;
        }
        const crd_i_axis *target_axis = pairs->axes[column];
        if (target_axis == NULL || axis->level > target_axis->level) *known = false;
        for (size_t i = 0; *known && i < axis->count; i++) {
            cells[column][i] = crd_i_axis_find(target_axis, crd_i_grid_key_at(axis->keys[i], target_axis->level));
            if (cells[column][i] == target_axis->count) *known = false;
        }
    }
    return true;
}

/* Adds (sign 1) or subtracts (sign -1) the second tally's counts. `cells` maps its bins. */
static bool combine_counts(crd_i_pairs *pairs, const crd_i_pairs *second, const crd_i_joint_tally_map *map, int sign,
                           size_t (*cells)[CRD_I_AXIS_MOST]) {
    size_t columns = pairs->base.column_count;
    for (size_t a = 0; a < columns; a++) {
        const size_t *map_a = second->axes[a] != NULL ? cells[a] : map->values[a];
        const size_t *const maps_alone[3] = {map_a, NULL, map->conditions};
        if (pairs_cell_count(second, a) == 0) continue;
        if (!fit_singles(pairs, a) ||
            !crd_i_counts_block_combine(&pairs->singles[a], &second->singles[a], maps_alone, sign))
            return false;
        for (size_t b = a + 1; second->blocks != NULL && b < columns; b++) {
            const crd_i_counts_block *counts = second->blocks[pairs_block_number(second, a, b)];
            if (counts == NULL) continue;
            crd_i_counts_block *counts_block = pairs_block(pairs, a, b);
            const size_t *const maps[3] = {map_a, second->axes[b] != NULL ? cells[b] : map->values[b], map->conditions};
            if (counts_block == NULL || !crd_i_counts_block_combine(counts_block, counts, maps, sign)) return false;
        }
    }
    return true;
}

/* Adds the second tally's types, conditions and values. */
static bool extend_for(crd_i_joint_tally *base, const crd_i_joint_tally *second, const crd_i_joint_tally_map *map) {
    for (size_t i = 0; i < map->condition_count; i++)
        if (map->conditions[i] >= base->conditions) base->conditions = map->conditions[i] + 1;
    for (size_t column = 0; column < base->column_count; column++) {
        if (base->types[column] == CRD_TYPE_NONE && second->types[column] != CRD_TYPE_NONE &&
            !pair_counts_settle(base, column, second->types[column]))
            return false;
        if (second->types[column] != CRD_TYPE_CATEGORICAL) continue;
        for (size_t i = 0; i < map->value_counts[column]; i++)
            if (map->values[column][i] >= base->value_counts[column])
                base->value_counts[column] = map->values[column][i] + 1;
    }
    return true;
}

static crd_i_joint_tally *pair_counts_combined(const crd_i_joint_tally *first, const crd_i_joint_tally *second_base,
                                               const crd_i_joint_tally_map *map, int sign, crd_status *why,
                                               crd_error *error) {
    const crd_i_pairs *second = (const crd_i_pairs *)second_base;
    crd_i_pairs *pairs = (crd_i_pairs *)pair_counts_clone(first);
    if (pairs == NULL) return NULL;
    bool known = true;
    size_t(*cells)[CRD_I_AXIS_MOST] = crd_i_alloc(first->context, first->column_count, sizeof *cells);
    if (cells == NULL || !extend_for(&pairs->base, second_base, map)) goto fail;
    if (!meet_cells(pairs, second, sign, cells, &known)) goto fail;
    if (sign > 0 && pairs_are_too_many(pairs)) *why = CRD_ERROR_LIMIT;
    if (*why != CRD_OK) goto fail;
    if (known && !combine_counts(pairs, second, map, sign, cells)) goto fail;
    if (sign < 0) {
        if (known && !pairs_check_counts(pairs, &known)) goto fail;
        if (!known) *why = crd_i_fail(error, CRD_ERROR_NOT_LEARNED, "some pairs of values were never learned");
        if (!known || !pair_counts_remove_empty(pairs)) goto fail;
    }
    crd_free(first->context, cells);
    return &pairs->base;

fail:
    crd_free(first->context, cells);
    pair_counts_destroy(&pairs->base);
    return NULL;
}

/* ---- Access for densities ---- */

const crd_i_axis *crd_i_pairs_axis(const crd_i_joint_tally *base, size_t column) {
    return ((const crd_i_pairs *)base)->axes[column];
}

double crd_i_pairs_single(const crd_i_joint_tally *base, size_t column, size_t cell, size_t condition) {
    return crd_i_counts_block_value(&((const crd_i_pairs *)base)->singles[column], cell, 0, condition);
}

/* Adds up counts by bin. Sums are exact, because counts are in unspecified order. b NULL: a single column. */
static bool pair_counts_gather(const crd_i_counts_block *block, const crd_i_pairs_bins *a, const crd_i_pairs_bins *b,
                               const int32_t *places, size_t conditions, double *out) {
    size_t second = b == NULL ? 1 : b->bin_count, cells = a->bin_count * second * conditions;
    memset(out, 0, cells * sizeof *out);
    if (block == NULL || block->sums.width == 0) return true;
    crd_i_sums sums;
    crd_i_sums_init(&sums, block->sums.context);
    bool done = crd_i_sums_extend(&sums, cells) && crd_i_sums_set_window(&sums, block->sums.base, block->sums.width);
    for (crd_i_counts_cursor cursor = {0}; done && crd_i_counts_block_next(block, &cursor);) {
        int32_t i = a->bins[cursor.numbers[0]], j = b == NULL ? 0 : b->bins[cursor.numbers[1]],
                k = places[cursor.numbers[2]];
        if (i < 0 || j < 0 || k < 0) continue;
        size_t limit = ((size_t)i * second + (size_t)j) * conditions + (size_t)k;
        done = crd_i_sums_combine(&sums, limit, &block->sums, cursor.cell, 1);
    }
    for (size_t i = 0; done && i < cells; i++) out[i] = crd_i_sums_value(&sums, i);
    crd_i_sums_clear(&sums);
    return done;
}

bool crd_i_pairs_gather_singles(const crd_i_joint_tally *base, const crd_i_pairs_bins *column, const int32_t *places,
                                size_t conditions, double *out) {
    const crd_i_pairs *pairs = (const crd_i_pairs *)base;
    return pair_counts_gather(&pairs->singles[column->column], column, NULL, places, conditions, out);
}

bool crd_i_pairs_gather(const crd_i_joint_tally *base, const crd_i_pairs_bins *a, const crd_i_pairs_bins *b,
                        const int32_t *places, size_t conditions, double *out) {
    const crd_i_pairs *pairs = (const crd_i_pairs *)base;
    const crd_i_counts_block *block =
        pairs->blocks == NULL ? NULL : pairs->blocks[pairs_block_number(pairs, a->column, b->column)];
    return pair_counts_gather(block, a, b, places, conditions, out);
}

/* ======== 4. File format ========
 *
 * For each column whose type is settled, in order: if it is numeric, i32 level, u32 bin count and the key of each bin
 * (u64) in numeric order; then the counts of each value or bin under each condition, in a window (exact_sums_file.h).
 *
 * Then for each pair of such columns, the first before the second: one bit per count, 1 if it is above zero, starting
 * at the lowest bit of the first byte, and a window with the nonzero counts.
 *
 * The reader rejects counts that no rows can produce. */

static bool pair_counts_file_is_settled(const crd_i_pairs *pairs, size_t column) {
    return pairs->base.types[column] != CRD_TYPE_NONE;
}

/* ---- Writing ---- */

/* File positions of the values or bins of a column, or of the conditions. values[i] is the position of i, negative if
 * it is not written; count is the number of written ones. */
typedef struct file_places {
    int32_t *values;
    size_t count;
} file_places;

/* Computes file positions. order[0 .. count) lists the codes to write; `known` is the number of codes. */
static bool pair_counts_file_find_places(crd_context *context, const int32_t *order, size_t count, size_t known,
                                         file_places *out) {
    out->count = count;
    out->values = crd_i_alloc(context, known, sizeof *out->values);
    if (out->values == NULL) return false;
    for (size_t i = 0; i < known; i++) out->values[i] = -1;
    for (size_t i = 0; i < count; i++)
        if ((size_t)order[i] < known) out->values[order[i]] = (int32_t)i;
    return true;
}

/* Returns 1 + the entry in the sums for each position in file order, or 0 if the count is zero; free it with crd_free.
 * NULL: out of memory. */
static uint32_t *cells_in_order(const crd_i_counts_block *block, file_places a, file_places b, file_places conditions) {
    uint32_t *cells = crd_i_alloc_zeroed(block->sums.context, a.count * b.count * conditions.count, sizeof *cells);
    for (crd_i_counts_cursor cursor = {0}; cells != NULL && crd_i_counts_block_next(block, &cursor);) {
        int32_t i = a.values[cursor.numbers[0]], j = b.values[cursor.numbers[1]],
                k = conditions.values[cursor.numbers[2]];
        if (i >= 0 && j >= 0 && k >= 0)
            cells[((size_t)i * b.count + (size_t)j) * conditions.count + (size_t)k] = (uint32_t)(cursor.cell + 1);
    }
    return cells;
}

static void write_singles(const crd_i_counts_block *block, file_places values, file_places conditions,
                          crd_i_encoder *encoder) {
    int32_t first = 0;
    const file_places alone = {&first, 1};
    uint32_t *cells = cells_in_order(block, values, alone, conditions);
    if (cells == NULL) encoder->failed = true;
    crd_i_window window = crd_i_window_begin(encoder, &block->sums);
    for (size_t i = 0; cells != NULL && i < values.count * conditions.count; i++) {
        if (cells[i] != 0) crd_i_window_cell(encoder, window, &block->sums, cells[i] - (size_t)1);
        else
            for (uint32_t limb = 0; limb < window.width; limb++) crd_i_encode_u64(encoder, 0);
    }
    crd_free(block->sums.context, cells);
}

static void write_pair(const crd_i_counts_block *block, file_places a, file_places b, file_places conditions,
                       crd_i_encoder *encoder) {
    uint32_t *cells = cells_in_order(block, a, b, conditions);
    size_t count = a.count * b.count * conditions.count;
    if (cells == NULL) encoder->failed = true;
    for (size_t i = 0; cells != NULL && i < count; i += 8) {
        uint8_t byte = 0;
        for (size_t bit = 0; bit < 8 && i + bit < count; bit++)
            if (cells[i + bit] != 0) byte |= (uint8_t)(1u << bit);
        crd_i_encode_u8(encoder, byte);
    }
    crd_i_window window = crd_i_window_begin(encoder, &block->sums);
    for (size_t i = 0; cells != NULL && i < count; i++)
        if (cells[i] != 0) crd_i_window_cell(encoder, window, &block->sums, cells[i] - (size_t)1);
    crd_free(block->sums.context, cells);
}

static void pair_counts_file_write_column(const crd_i_pairs *pairs, size_t column, const crd_i_view *view,
                                          file_places *values, file_places conditions, crd_i_encoder *encoder) {
    const crd_i_axis *axis = pairs->axes[column];
    int32_t order[CRD_I_AXIS_MOST];
    if (axis != NULL) {
        crd_i_axis_order(axis, order);
        crd_i_encode_u32(encoder, (uint32_t)(axis->count == 0 ? CRD_I_GRID_EXACT : axis->level));
        crd_i_encode_u32(encoder, (uint32_t)axis->count);
        for (size_t i = 0; i < axis->count; i++) crd_i_encode_u64(encoder, axis->keys[order[i]]);
    }
    if (!pair_counts_file_find_places(pairs->base.context, axis != NULL ? order : view->values,
                                      axis != NULL ? axis->count : view->value_count, pairs_cell_count(pairs, column),
                                      values))
        encoder->failed = true;
    else write_singles(&pairs->singles[column], *values, conditions, encoder);
}

static void pairs_write(const crd_i_joint_tally *base, const crd_i_joint_tally_view *view, crd_i_encoder *encoder) {
    const crd_i_pairs *pairs = (const crd_i_pairs *)base;
    size_t columns = base->column_count;
    crd_i_counts_block none;
    crd_i_counts_block_init(&none, base->context);
    file_places conditions = {NULL, 0}, *values = crd_i_alloc_zeroed(base->context, columns, sizeof *values);
    if (values == NULL || !pair_counts_file_find_places(base->context, view->conditions, view->condition_count,
                                                        base->conditions, &conditions))
        encoder->failed = true;
    for (size_t a = 0; !encoder->failed && a < columns; a++)
        if (pair_counts_file_is_settled(pairs, a))
            pair_counts_file_write_column(pairs, a, &view->columns[a], &values[a], conditions, encoder);
    for (size_t a = 0; !encoder->failed && a < columns; a++)
        for (size_t b = a + 1; pair_counts_file_is_settled(pairs, a) && !encoder->failed && b < columns; b++) {
            if (!pair_counts_file_is_settled(pairs, b)) continue;
            const crd_i_counts_block *block =
                pairs->blocks == NULL ? NULL : pairs->blocks[pairs_block_number(pairs, a, b)];
            write_pair(block == NULL ? &none : block, values[a], values[b], conditions, encoder);
        }
    for (size_t column = 0; values != NULL && column < columns; column++)
        crd_free(base->context, values[column].values);
    crd_free(base->context, values);
    crd_free(base->context, conditions.values);
}

/* ---- Reading ---- */

static crd_status read_axis(crd_i_axis *axis, size_t most, crd_i_cursor *cursor, crd_error *error) {
    int32_t level = (int32_t)crd_i_decode_u32(cursor);
    uint32_t count = crd_i_decode_u32(cursor);
    if (cursor->failed || level < CRD_I_GRID_EXACT || level > crd_i_grid_highest(most) || count > most ||
        (count == 0 && level != CRD_I_GRID_EXACT))
        return crd_i_fail(error, CRD_ERROR_DAMAGED, "pairs have an invalid level or number of bins");
    axis->level = level;
    uint64_t before = 0;
    for (size_t cell = 0; cell < count; cell++) {
        uint64_t key = crd_i_decode_u64(cursor);
        bool is_key = !cursor->failed && isfinite(crd_i_double_of(key)) && crd_i_grid_key_at(key, level) == key &&
                      (key != CRD_I_SIGN_BIT || level > CRD_I_GRID_EXACT) &&
                      (cell == 0 || crd_i_grid_key_rank(before) < crd_i_grid_key_rank(key));
        if (!is_key) return crd_i_fail(error, CRD_ERROR_DAMAGED, "the bins of pairs do not fit their level");
        axis_append(axis, key);
        before = key;
    }
    return CRD_OK;
}

/* Reads the bins of a numeric column, and the counts of each value or bin. */
static crd_status pair_counts_file_read_column(crd_i_pairs *pairs, size_t column, crd_i_cursor *cursor,
                                               crd_error *error) {
    crd_i_axis *axis = pairs->axes[column];
    crd_status status = axis == NULL ? CRD_OK : read_axis(axis, pairs->most, cursor, error);
    if (status == CRD_OK && pairs_are_too_many(pairs))
        status = crd_i_fail(error, CRD_ERROR_DAMAGED, "there are too many pairs");
    if (status != CRD_OK) return status;
    size_t cells = pairs_cell_count(pairs, column), conditions = pairs->base.conditions;
    crd_i_counts_block *singles = &pairs->singles[column];
    status = crd_i_window_read(cursor, &singles->sums, (uint64_t)cells * conditions, error);
    if (status != CRD_OK) return status;
    singles->extents[0] = cells;
    singles->extents[1] = 1;
    singles->extents[2] = conditions;
    singles->is_dense = true;
    for (size_t i = 0; axis != NULL && i < cells; i++) {
        bool some = false;
        for (size_t k = 0; k < conditions; k++) some = some || crd_i_counts_block_value(singles, i, 0, k) != 0;
        if (!some) return crd_i_fail(error, CRD_ERROR_DAMAGED, "a bin of pairs has no count");
    }
    for (crd_i_counts_cursor counts = {0}; crd_i_counts_block_next(singles, &counts);)
        if (crd_i_sums_value(&singles->sums, counts.cell) > CRD_I_MOST_ROWS)
            return crd_i_fail(error, CRD_ERROR_DAMAGED, "a count is too large");
    return CRD_OK;
}

/* Reads the counts of a pair of columns: the bits, then the nonzero counts. */
static crd_status pair_counts_file_read(crd_i_pairs *pairs, size_t a, size_t b, crd_i_cursor *cursor,
                                        crd_error *error) {
    size_t bits = pairs_cell_count(pairs, a) * pairs_cell_count(pairs, b) * pairs->base.conditions;
    size_t bytes = (bits + 7) / 8, some = 0;
    if (!crd_i_cursor_holds(cursor, bytes, 1)) return crd_i_fail(error, CRD_ERROR_DAMAGED, "pairs are truncated");
    const unsigned char *marks = cursor->at;
    cursor->at += bytes;
    for (size_t i = 0; i < 8 * bytes; i++) {
        bool is_marked = (marks[i / 8] >> i % 8 & 1) != 0;
        if (is_marked && i >= bits) return crd_i_fail(error, CRD_ERROR_DAMAGED, "pairs have invalid marks");
        some += is_marked;
    }
    crd_i_sums counts;
    crd_i_sums_init(&counts, pairs->base.context);
    crd_status status = crd_i_window_read(cursor, &counts, some, error);
    if (status == CRD_OK && some > 0 && counts.width == 0)
        status = crd_i_fail(error, CRD_ERROR_DAMAGED, "a pair has no count");
    if (status == CRD_OK && some > 0) {
        crd_i_counts_block *block = pairs_block(pairs, a, b);
        bool done = block != NULL;
        for (size_t i = 0, first = 0; done && i < bits; i++) {
            if ((marks[i / 8] >> i % 8 & 1) == 0) continue;
            size_t cell = i;
            if (crd_i_sums_sign(&counts, first) <= 0)
                status = crd_i_fail(error, CRD_ERROR_DAMAGED, "a pair has no count");
            done = (block->is_dense || crd_i_counts_block_make(block, i, &cell)) &&
                   crd_i_sums_combine(&block->sums, cell, &counts, first++, 1);
        }
        if (!done) status = crd_i_fail_memory(error);
    }
    crd_i_sums_clear(&counts);
    return status;
}

static crd_status pairs_read(crd_i_joint_tally *base, crd_i_cursor *cursor, crd_error *error) {
    crd_i_pairs *pairs = (crd_i_pairs *)base;
    crd_status status = CRD_OK;
    for (size_t a = 0; status == CRD_OK && a < base->column_count; a++)
        if (pair_counts_file_is_settled(pairs, a)) status = pair_counts_file_read_column(pairs, a, cursor, error);
    for (size_t a = 0; status == CRD_OK && a < base->column_count; a++)
        for (size_t b = a + 1; status == CRD_OK && pair_counts_file_is_settled(pairs, a) && b < base->column_count; b++)
            if (pair_counts_file_is_settled(pairs, b)) status = pair_counts_file_read(pairs, a, b, cursor, error);
    if (status != CRD_OK) return status;
    bool agrees;
    if (!pairs_check_counts(pairs, &agrees)) return crd_i_fail_memory(error);
    if (!agrees) return crd_i_fail(error, CRD_ERROR_DAMAGED, "pairs have rows that their values do not have");
    return CRD_OK;
}

/* ======== 5. Type table ======== */

const crd_i_joint_tally_type crd_i_pair_counts = {
    .name = "pair-counts",
    .former_name = "pairs",
    .summary = "counts of the value pairs of all attributes, for averaged one-dependence estimators",
    .create = pair_counts_create,
    .destroy = pair_counts_destroy,
    .clone = pair_counts_clone,
    .settle = pair_counts_settle,
    .extend = pair_counts_extend,
    .add = pair_counts_add,
    .combined = pair_counts_combined,
    .write = pairs_write,
    .read = pairs_read,
    .unsettle = pair_counts_unsettle,
    .refuse = pair_counts_refuse,
};
