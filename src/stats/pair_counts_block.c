/* SPDX-License-Identifier: MIT */
/* pair_counts_block.c - see pair_counts_block.h. */
#include "stats/pair_counts_block.h"

#include "base/hash_key.h"
#include "base/memory.h"

#include <string.h>

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

bool crd_i_counts_block_copy(crd_i_counts_block *counts, const crd_i_counts_block *counts_block) {
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

bool crd_i_counts_block_renumber(crd_i_counts_block *block, const size_t *map_i, const size_t *map_j) {
    const size_t *const maps[3] = {map_i, map_j, NULL};
    const size_t extents[3] = {block->extents[0], block->extents[1], block->extents[2]};
    return pair_counts_block_lay_out(block, extents, block->is_dense, maps);
}
