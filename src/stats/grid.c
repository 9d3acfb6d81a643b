/* SPDX-License-Identifier: MIT */
/* grid.c - adaptive histogram of a numeric column: how many numbers under each condition lie in each bin. All bins have
 * the same width, a power of two.
 *
 * Up to 4,096 different values of a column, over all conditions, are stored exactly. If there are more, a bin is an
 * interval of width 2^k, with the smallest k that leaves at most 4,096 nonempty bins. Every double is a multiple of
 * 2^-1074, so exact values are simply the bins of level k = -1074.
 *
 * The key of a number's bin is the nearest multiple of 2^k towards zero, with the number's sign. That is the bits of
 * the number with all bits below 2^k cleared. So nothing overflows, and a bin at one level lies within one bin of the
 * next level. The bins (-2^k, 0) and [0, 2^k) are distinguished by the sign of their zero; the number -0 counts as 0.
 *
 * Numbers only ever add bins, at every level, so k never decreases. It is a function of the set of numbers and does not
 * depend on their order, on batches or on merges. Merging coarsens both histograms to the larger k, and further while
 * there are too many bins. Forgetting subtracts counts but leaves k unchanged, because rounded values cannot be
 * restored. Only an empty histogram starts again; its k has no meaning.
 *
 * An open-addressing hash table maps keys to bins. Empty bins are removed at once, because they would count towards the
 * 4,096.
 *
 * Contents:
 *   1. Keys
 *   2. Hash table
 *   3. Memory
 *   4. Bins
 *   5. Addition
 *   6. Merging
 *   7. File format
 *   8. Access for density families */
#include "stats/grid.h"

#include "base/error.h"
#include "base/memory.h"
#include "stats/exact_sums_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct grid {
    crd_i_tally base;
    int32_t level;       /* k */
    bool was_too_coarse; /* the last subtracted histogram was coarser, so its rows were never part of this one */
    size_t count;        /* number of bins */
    size_t capacity;     /* allocated bins, in the keys, the hash table and the counts */
    uint64_t *keys;      /* for each bin, the bits of its end towards zero */
    uint16_t *places;    /* hash table with at least 2 * (capacity - 1) places: 1 + a bin, or 0 */
    unsigned place_bits;
    /* Indexed by grid_count(condition, bin). The counts of a condition are contiguous, because rows arrive grouped by
     * condition. */
    crd_i_sums counts;
} grid;

static size_t grid_count(const grid *tally, size_t condition, size_t cell) {
    return condition * tally->capacity + cell;
}

/* ======== 1. Keys ======== */

static uint64_t grid_key(const grid *tally, double x) {
    return crd_i_grid_key_of(x, tally->level);
}

/* ======== 2. Hash table ======== */

/* Returns the hash of a key (Fibonacci hashing, Knuth 1973): multiples of the golden ratio distribute equally spaced
 * keys evenly. */
static size_t grid_hash(const grid *tally, uint64_t key) {
    return (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - tally->place_bits));
}

/* Returns the place of a bin that has this key at a level, or the empty place where it belongs. */
static uint16_t *grid_place(const grid *tally, uint64_t key, int32_t level) {
    size_t mask = ((size_t)1 << tally->place_bits) - 1, place = grid_hash(tally, key);
    while (tally->places[place] != 0 && crd_i_grid_key_at(tally->keys[tally->places[place] - 1], level) != key)
        place = (place + 1) & mask;
    return &tally->places[place];
}

static uint16_t *grid_place_of(const grid *tally, uint64_t key) {
    return grid_place(tally, key, CRD_I_GRID_EXACT);
}

static void grid_clear_places(grid *tally) {
    memset(tally->places, 0, sizeof *tally->places << tally->place_bits);
}

static void grid_fill_places(grid *tally) {
    if (tally->places == NULL) return;
    grid_clear_places(tally);
    for (size_t cell = 0; cell < tally->count; cell++) *grid_place_of(tally, tally->keys[cell]) = (uint16_t)(cell + 1);
}

/* ======== 3. Memory ======== */

static crd_i_tally *grid_create(crd_context *context) {
    grid *tally = crd_i_alloc_zeroed(context, 1, sizeof *tally);
    if (tally == NULL) return NULL;
    tally->base.type = &crd_i_grid;
    tally->base.context = context;
    tally->level = CRD_I_GRID_EXACT;
    crd_i_sums_init(&tally->counts, context);
    return &tally->base;
}

static void grid_destroy(crd_i_tally *base) {
    grid *tally = (grid *)base;
    crd_free(base->context, tally->keys);
    crd_free(base->context, tally->places);
    crd_i_sums_clear(&tally->counts);
    crd_free(base->context, tally);
}

/* Copies the counts to a layout with `capacity` bins per condition. Unused entries are zero. */
static bool grid_lay_out(const grid *tally, size_t capacity, crd_i_sums *out) {
    size_t conditions = tally->base.conditions, width = tally->counts.width;
    crd_i_sums_init(out, tally->base.context);
    if (conditions > 0 && capacity > SIZE_MAX / conditions) return false;
    if (!crd_i_sums_extend(out, conditions * capacity) ||
        !crd_i_sums_set_window(out, tally->counts.base, tally->counts.width)) {
        crd_i_sums_clear(out);
        return false;
    }
    size_t length = tally->count * width * sizeof(uint64_t);
    for (size_t condition = 0; length > 0 && condition < conditions; condition++)
        memcpy(out->limbs + condition * capacity * width, tally->counts.limbs + grid_count(tally, condition, 0) * width,
               length);
    return true;
}

/* Allocates memory for at least this many bins. */
static bool reserve_cells(grid *tally, size_t cells) {
    enum { LEAST = 16, FASTER = 4 };
    crd_context *context = tally->base.context;
    if (cells <= tally->capacity) return true;
    size_t capacity = tally->capacity == 0 ? LEAST : tally->capacity * FASTER;
    if (capacity > CRD_I_GRID_MOST) capacity = CRD_I_GRID_MOST + 1;
    if (capacity < cells) capacity = cells;
    unsigned bits = 1;
    while ((size_t)1 << bits < 2 * (capacity - 1)) bits++;
    crd_i_sums counts;
    uint64_t *keys = crd_i_alloc(context, capacity, sizeof *keys);
    uint16_t *places = crd_i_alloc(context, (size_t)1 << bits, sizeof *places);
    if (keys == NULL || places == NULL || !grid_lay_out(tally, capacity, &counts)) {
        crd_free(context, keys);
        crd_free(context, places);
        return false;
    }
    if (tally->count > 0) memcpy(keys, tally->keys, tally->count * sizeof *keys);
    crd_free(context, tally->keys);
    crd_free(context, tally->places);
    crd_i_sums_clear(&tally->counts);
    tally->keys = keys;
    tally->places = places;
    tally->place_bits = bits;
    tally->counts = counts;
    tally->capacity = capacity;
    grid_fill_places(tally);
    return true;
}

static bool grid_extend(crd_i_tally *base, size_t conditions, size_t values) {
    grid *tally = (grid *)base;
    (void)values; /* numbers have no value codes */
    if (conditions <= base->conditions) return true;
    if (tally->capacity > 0 && conditions > SIZE_MAX / tally->capacity) return false;
    if (!crd_i_sums_extend(&tally->counts, conditions * tally->capacity)) return false;
    base->conditions = conditions;
    return true;
}

/* ======== 4. Bins ======== */

static bool grid_is_empty(const grid *tally, size_t cell) {
    for (size_t condition = 0; condition < tally->base.conditions; condition++)
        if (crd_i_sums_sign(&tally->counts, grid_count(tally, condition, cell)) != 0) return false;
    return true;
}

static void move_counts(grid *tally, size_t limit, size_t first) {
    size_t width = tally->counts.width;
    if (limit == first || width == 0) return;
    for (size_t condition = 0; condition < tally->base.conditions; condition++) {
        uint64_t *limbs = tally->counts.limbs + grid_count(tally, condition, 0) * width;
        memcpy(limbs + limit * width, limbs + first * width, width * sizeof *limbs);
        memset(limbs + first * width, 0, width * sizeof *limbs);
    }
}

static bool join_counts(grid *tally, size_t limit, size_t first) {
    crd_i_sums *counts = &tally->counts;
    for (size_t condition = 0; condition < tally->base.conditions; condition++) {
        size_t here = grid_count(tally, condition, first);
        if (!crd_i_sums_combine(counts, grid_count(tally, condition, limit), counts, here, 1)) return false;
        if (counts->width > 0) memset(counts->limbs + here * counts->width, 0, counts->width * sizeof(uint64_t));
    }
    return true;
}

/* Returns how many bins there would be at a level. Overwrites the hash table. */
static size_t grid_count_at(grid *tally, int32_t level) {
    size_t cells = 0;
    grid_clear_places(tally);
    for (size_t cell = 0; cell < tally->count; cell++) {
        uint16_t *place = grid_place(tally, crd_i_grid_key_at(tally->keys[cell], level), level);
        cells += *place == 0;
        if (*place == 0) *place = (uint16_t)(cell + 1);
    }
    return cells;
}

/* Joins the bins into bins of a higher level. */
static bool coarsen_to(grid *tally, int32_t level) {
    size_t count = tally->count, kept = 0;
    bool done = true;
    tally->level = level;
    if (count == 0) return true;
    grid_clear_places(tally);
    for (size_t cell = 0; cell < count; cell++) {
        uint64_t key = crd_i_grid_key_at(tally->keys[cell], level);
        uint16_t *place = grid_place_of(tally, key);
        if (*place != 0) {
            done = join_counts(tally, *place - (size_t)1, cell) && done;
            continue;
        }
        move_counts(tally, kept, cell);
        tally->keys[kept++] = key;
        *place = (uint16_t)kept;
    }
    tally->count = kept;
    return done;
}

/* If there are too many bins, coarsens to the lowest level with few enough. Levels up to the lowest set bit of any key
 * change nothing and are skipped. From there, an exponential search passes the wanted level and a binary search finds
 * it. */
static bool grid_coarsen(grid *tally) {
    if (tally->count <= CRD_I_GRID_MOST) return true;
    int32_t highest = crd_i_grid_highest(CRD_I_GRID_MOST), low = highest;
    for (size_t cell = 0; cell < tally->count && low > tally->level; cell++) {
        int32_t here = crd_i_grid_key_lowest_bit(tally->keys[cell]);
        if (here < low) low = here;
    }
    if (low < tally->level) low = tally->level;
    int32_t high = low + 1;
    for (int32_t step = 2; high < highest && grid_count_at(tally, high) > CRD_I_GRID_MOST; step *= 2) {
        low = high;
        high = high + step < highest ? high + step : highest;
    }
    while (high - low > 1) {
        int32_t middle = low + (high - low) / 2;
        if (grid_count_at(tally, middle) > CRD_I_GRID_MOST) low = middle;
        else high = middle;
    }
    return coarsen_to(tally, high);
}

/* Finds the bin of a number, or adds it. */
static bool find_or_make(grid *tally, double x, size_t *cell) {
    if (tally->count == 0) tally->level = CRD_I_GRID_EXACT;
    if (tally->count > 0) {
        *cell = *grid_place_of(tally, grid_key(tally, x)) - (size_t)1;
        if (*cell < tally->count) return true;
    }
    if (!reserve_cells(tally, tally->count + 1)) return false;
    uint64_t key = grid_key(tally, x);
    tally->keys[tally->count++] = key;
    *grid_place_of(tally, key) = (uint16_t)tally->count;
    if (!grid_coarsen(tally)) return false;
    *cell = *grid_place_of(tally, grid_key(tally, x)) - (size_t)1;
    return true;
}

/* ======== 5. Addition ======== */

static bool add_one(grid *tally, double number, size_t condition) {
    size_t cell;
    return find_or_make(tally, number, &cell) &&
           crd_i_sums_count(&tally->counts, grid_count(tally, condition, cell), 1);
}

/* Adds up to TOGETHER numbers and returns how many were added: it stops at the first number without a bin. With many
 * columns, a histogram does not fit in the cache. So all numbers go through each step together, and their cache misses
 * overlap. */
enum { TOGETHER = 64 };

static size_t add_together(grid *tally, const double *numbers, size_t count, size_t condition) {
    uint64_t keys[TOGETHER];
    size_t cells[TOGETHER], found = 0;
    if (tally->count == 0 || tally->counts.width != 1 || tally->counts.base != 0) return 0;
    for (size_t i = 0; i < count; i++) keys[i] = grid_key(tally, numbers[i]);
    for (size_t i = 0; i < count; i++) cells[i] = tally->places[grid_hash(tally, keys[i])] - (size_t)1;
    for (; found < count; found++) {
        /* Most keys are at their first place. */
        if (cells[found] < tally->count && tally->keys[cells[found]] == keys[found]) continue;
        cells[found] = *grid_place_of(tally, keys[found]) - (size_t)1;
        if (cells[found] >= tally->count) break;
    }
    uint64_t *counts = tally->counts.limbs + grid_count(tally, condition, 0);
    for (size_t i = 0; i < found; i++) {
        if (counts[cells[i]] >> 62 != 0) return i; /* the counter could overflow; the slow path widens it */
        counts[cells[i]]++;
    }
    return found;
}

static bool grid_add_group(grid *tally, const crd_i_cells *cells, const crd_i_row_group *group) {
    for (size_t begin = 0; begin < group->count; begin += TOGETHER) {
        double numbers[TOGETHER];
        size_t count = 0;
        for (size_t i = begin; i < group->count && i < begin + TOGETHER; i++) {
            size_t row = group->origin + group->rows[i];
            if (crd_i_number_present(cells, row)) numbers[count++] = cells->numbers[row];
        }
        for (size_t done = 0; done < count; done++) {
            done += add_together(tally, numbers + done, count - done, group->condition);
            if (done < count && !add_one(tally, numbers[done], group->condition)) return false;
        }
    }
    return true;
}

static bool grid_add_weighted(grid *tally, const crd_i_cells *cells, const crd_i_row_group *group) {
    for (size_t i = 0; i < group->count; i++) {
        size_t row = group->origin + group->rows[i], cell;
        /* A row of weight zero must not add a bin. */
        if (!crd_i_number_present(cells, row) || group->weights[i] == 0) continue;
        if (!find_or_make(tally, cells->numbers[row], &cell) ||
            !crd_i_sums_add(&tally->counts, grid_count(tally, group->condition, cell), group->weights[i]))
            return false;
    }
    return true;
}

static bool grid_add(crd_i_tally *base, const crd_i_cells *cells, const crd_i_groups *groups) {
    grid *tally = (grid *)base;
    for (size_t i = 0; i < groups->count; i++) {
        const crd_i_row_group *group = &groups->groups[i];
        if (!(group->weights == NULL ? grid_add_group : grid_add_weighted)(tally, cells, group)) return false;
    }
    return true;
}

/* ======== 6. Merging ======== */

/* Reserves a window that can hold any sum of counts of both histograms: of single bins and of all bins. */
static bool grid_reserve_counts(grid *tally, const grid *other) {
    crd_i_sums whole;
    crd_i_sums_init(&whole, tally->base.context);
    bool done = crd_i_sums_extend(&whole, 1);
    const grid *both[2] = {tally, other};
    for (int i = 0; i < 2; i++)
        for (size_t cell = 0; done && cell < both[i]->count; cell++)
            for (size_t condition = 0; done && condition < both[i]->base.conditions; condition++) {
                size_t index = grid_count(both[i], condition, cell);
                done = crd_i_sums_combine(&whole, 0, &both[i]->counts, index, 1) &&
                       (i == 0 || crd_i_sums_reserve(&tally->counts, 0, &both[i]->counts, index));
            }
    done = done && (tally->counts.cells == 0 || crd_i_sums_reserve(&tally->counts, 0, &whole, 0));
    crd_i_sums_clear(&whole);
    return done;
}

static bool grid_prepare(crd_i_tally *base, const crd_i_tally *other_base, const crd_i_tally_map *map) {
    grid *tally = (grid *)base;
    const grid *other = (const grid *)other_base;
    size_t conditions = 0;
    for (size_t i = 0; i < map->condition_count; i++)
        if (map->conditions[i] >= conditions) conditions = map->conditions[i] + 1;
    if (tally->count == 0) tally->level = CRD_I_GRID_EXACT;
    return grid_extend(base, conditions, 0) && reserve_cells(tally, tally->count + other->count + 1) &&
           grid_reserve_counts(tally, other);
}

static void grid_remove_empty(grid *tally) {
    size_t kept = 0;
    for (size_t cell = 0; cell < tally->count; cell++) {
        if (grid_is_empty(tally, cell)) continue;
        move_counts(tally, kept, cell);
        tally->keys[kept++] = tally->keys[cell];
    }
    if (kept == tally->count) return;
    tally->count = kept;
    grid_fill_places(tally);
}

static bool grid_combine_cell(grid *tally, const grid *other, size_t first, const crd_i_tally_map *map, int sign) {
    uint64_t key = crd_i_grid_key_at(other->keys[first], tally->level);
    uint16_t *place = grid_place_of(tally, key);
    if (*place == 0) {
        tally->keys[tally->count++] = key;
        *place = (uint16_t)tally->count;
    }
    size_t limit = *place - 1u;
    for (size_t condition = 0; condition < other->base.conditions; condition++)
        if (!crd_i_sums_combine(&tally->counts, grid_count(tally, map->conditions[condition], limit), &other->counts,
                                grid_count(other, condition, first), sign))
            return false;
    return true;
}

/* Adds or subtracts a histogram. Subtracting leaves the level unchanged, even if the result has impossible bins, so
 * that it can be undone. */
static bool grid_combine(crd_i_tally *base, const crd_i_tally *other_base, const crd_i_tally_map *map, int sign) {
    grid *tally = (grid *)base;
    const grid *other = (const grid *)other_base;
    bool is_undone = sign > 0 && tally->was_too_coarse;
    tally->was_too_coarse = sign < 0 && other->count > 0 && other->level > tally->level;
    if (sign > 0 && !is_undone && other->count > 0 && other->level > tally->level && !coarsen_to(tally, other->level))
        return false;
    for (size_t cell = 0; cell < other->count; cell++)
        if (!grid_combine_cell(tally, other, cell, map, sign)) return false;
    grid_remove_empty(tally);
    return sign < 0 || grid_coarsen(tally);
}

static bool grid_find_impossible(const crd_i_tally *base, const crd_i_tally *other, const crd_i_tally_map *map,
                                 crd_i_impossible *out) {
    (void)other;
    const grid *tally = (const grid *)base;
    const crd_i_impossible too_coarse = {tally->was_too_coarse, false, map->conditions[0], 0, 0, false, 0, NULL};
    *out = too_coarse;
    for (size_t cell = 0; cell < tally->count; cell++)
        for (size_t i = 0; i < map->condition_count; i++) {
            size_t condition = map->conditions[i], index = grid_count(tally, condition, cell);
            if (crd_i_sums_sign(&tally->counts, index) >= 0) continue;
            double left = crd_i_sums_value(&tally->counts, index), number = crd_i_double_of(tally->keys[cell]);
            const crd_i_impossible below_zero = {true, false, condition, 0, left, true, number, NULL};
            *out = below_zero;
            return true;
        }
    return true;
}

/* ======== 7. File format ========
 *
 * i32 level, u32 bin count, the key of each bin (u64) in numeric order, then the counts in a window. */

typedef struct grid_ranking {
    uint64_t rank;
    size_t cell;
} grid_ranking;

static int compare_ranks(const void *a, const void *b) {
    uint64_t x = ((const grid_ranking *)a)->rank, y = ((const grid_ranking *)b)->rank;
    return (x > y) - (x < y);
}

/* Returns the bins in numeric order, to be freed with crd_free. NULL: out of memory. */
static grid_ranking *rank_cells(crd_context *context, const grid *tally) {
    grid_ranking *order = crd_i_alloc(context, tally->count, sizeof *order);
    if (order == NULL) return NULL;
    for (size_t cell = 0; cell < tally->count; cell++) {
        grid_ranking ranking = {crd_i_grid_key_rank(tally->keys[cell]), cell};
        order[cell] = ranking;
    }
    qsort(order, tally->count, sizeof *order, compare_ranks);
    return order;
}

static uint64_t grid_size(const crd_i_tally *base) {
    return (uint64_t)((const grid *)base)->capacity * base->conditions;
}

static void grid_write(const crd_i_tally *base, const crd_i_view *view, crd_i_encoder *encoder) {
    const grid *tally = (const grid *)base;
    grid_ranking *order = rank_cells(base->context, tally);
    if (order == NULL) {
        encoder->failed = true;
        return;
    }
    crd_i_encode_u32(encoder, (uint32_t)(tally->count == 0 ? CRD_I_GRID_EXACT : tally->level));
    crd_i_encode_u32(encoder, (uint32_t)tally->count);
    for (size_t i = 0; i < tally->count; i++) crd_i_encode_u64(encoder, tally->keys[order[i].cell]);
    crd_i_window window = crd_i_window_begin(encoder, &tally->counts);
    for (size_t i = 0; i < tally->count; i++)
        for (size_t k = 0; k < view->condition_count; k++) {
            size_t condition = (size_t)view->conditions[k];
            /* The class may have appeared after the last cell of this column. */
            if (condition < base->conditions)
                crd_i_window_cell(encoder, window, &tally->counts, grid_count(tally, condition, order[i].cell));
            else
                for (uint32_t limb = 0; limb < window.width; limb++) crd_i_encode_u64(encoder, 0);
        }
    crd_free(base->context, order);
}

static crd_status grid_read_keys(grid *tally, size_t count, crd_i_cursor *cursor, crd_error *error) {
    if (!reserve_cells(tally, count)) return crd_i_fail_memory(error);
    for (size_t cell = 0; cell < count; cell++) {
        uint64_t key = crd_i_decode_u64(cursor);
        bool is_key = isfinite(crd_i_double_of(key)) && crd_i_grid_key_at(key, tally->level) == key &&
                      (key != CRD_I_SIGN_BIT || tally->level > CRD_I_GRID_EXACT) &&
                      (cell == 0 || crd_i_grid_key_rank(tally->keys[cell - 1]) < crd_i_grid_key_rank(key));
        if (!is_key) return crd_i_fail(error, CRD_ERROR_DAMAGED, "the bins of a grid do not fit its level");
        tally->keys[cell] = key;
    }
    tally->count = count;
    grid_fill_places(tally);
    return CRD_OK;
}

static crd_status check_counts(const grid *tally, crd_error *error) {
    for (size_t cell = 0; cell < tally->count; cell++) {
        for (size_t condition = 0; condition < tally->base.conditions; condition++)
            if (crd_i_sums_sign(&tally->counts, grid_count(tally, condition, cell)) < 0)
                return crd_i_fail(error, CRD_ERROR_DAMAGED, "a count is negative");
        if (grid_is_empty(tally, cell)) return crd_i_fail(error, CRD_ERROR_DAMAGED, "a bin of a grid has no count");
    }
    return CRD_OK;
}

static crd_status grid_read(crd_i_tally *base, size_t conditions, size_t values, crd_i_cursor *cursor,
                            crd_error *error) {
    grid *tally = (grid *)base;
    (void)values;
    int32_t level = (int32_t)crd_i_decode_u32(cursor);
    uint32_t count = crd_i_decode_u32(cursor);
    if (cursor->failed || level < CRD_I_GRID_EXACT || level > crd_i_grid_highest(CRD_I_GRID_MOST) ||
        count > CRD_I_GRID_MOST || (count == 0 && level != CRD_I_GRID_EXACT))
        return crd_i_fail(error, CRD_ERROR_DAMAGED, "the level of a grid, or its number of bins, is invalid");
    if (!crd_i_cursor_holds(cursor, count, sizeof(uint64_t)))
        return crd_i_fail(error, CRD_ERROR_DAMAGED, "a grid is truncated");
    tally->level = level;
    crd_status status = grid_read_keys(tally, count, cursor, error);
    if (status != CRD_OK) return status;
    /* Read the counts as they are in the file, without gaps; then copy them to the layout with spare capacity. */
    crd_i_sums read_counts;
    crd_i_sums_init(&read_counts, base->context);
    status = crd_i_window_read(cursor, &read_counts, (uint64_t)conditions * count, error);
    if (status == CRD_OK && (!grid_extend(base, conditions, 0) ||
                             !crd_i_sums_set_window(&tally->counts, read_counts.base, read_counts.width)))
        status = crd_i_fail_memory(error);
    for (size_t cell = 0; status == CRD_OK && read_counts.width > 0 && cell < count; cell++)
        for (size_t condition = 0; condition < conditions; condition++)
            memcpy(tally->counts.limbs + grid_count(tally, condition, cell) * read_counts.width,
                   read_counts.limbs + (cell * conditions + condition) * read_counts.width,
                   read_counts.width * sizeof(uint64_t));
    crd_i_sums_clear(&read_counts);
    return status == CRD_OK ? check_counts(tally, error) : status;
}

/* Checks that the bins contain exactly the present cells of the column, under every condition. */
static bool grid_check(const crd_i_tally *base, const crd_i_tally *main, bool *agrees) {
    const grid *tally = (const grid *)base;
    crd_i_sums left;
    crd_i_sums_init(&left, base->context);
    bool done = crd_i_sums_extend(&left, 1);
    *agrees = true;
    for (size_t condition = 0; done && *agrees && condition < base->conditions; condition++) {
        size_t of_main;
        const crd_i_sums *totals = main->type->total(main, condition, &of_main);
        done = totals == NULL || crd_i_sums_combine(&left, 0, totals, of_main, 1);
        for (size_t cell = 0; done && cell < tally->count; cell++)
            done = crd_i_sums_combine(&left, 0, &tally->counts, grid_count(tally, condition, cell), -1);
        *agrees = crd_i_sums_sign(&left, 0) == 0;
    }
    crd_i_sums_clear(&left);
    return done;
}

const crd_i_tally_type crd_i_grid = {
    .name = "histogram",
    .former_name = "grid",
    .type = CRD_TYPE_NUMERIC,
    .create = grid_create,
    .destroy = grid_destroy,
    .extend = grid_extend,
    .add = grid_add,
    .prepare = grid_prepare,
    .combine = grid_combine,
    .find_impossible = grid_find_impossible,
    .size = grid_size,
    .write = grid_write,
    .read = grid_read,
    .check = grid_check,
};

/* ======== 8. Access for density families ======== */

int32_t crd_i_grid_level(const crd_i_tally *base) {
    return ((const grid *)base)->count == 0 ? CRD_I_GRID_EXACT : ((const grid *)base)->level;
}

size_t crd_i_grid_count(const crd_i_tally *base) {
    return ((const grid *)base)->count;
}

bool crd_i_grid_view_init(crd_i_grid_view *cells, crd_context *context, const crd_i_tally *base,
                          const crd_i_view *view) {
    const grid *tally = (const grid *)base;
    memset(cells, 0, sizeof *cells);
    cells->context = context;
    cells->count = tally->count;
    cells->conditions = view->condition_count;
    cells->is_exact = tally->count == 0 || tally->level == CRD_I_GRID_EXACT;
    cells->width = cells->is_exact ? 0 : ldexp(1, tally->level);
    if (cells->conditions > 0 && cells->count > SIZE_MAX / cells->conditions) return false;
    cells->values = crd_i_alloc(context, cells->count, sizeof *cells->values);
    cells->counts = crd_i_alloc_zeroed(context, cells->count * cells->conditions, sizeof *cells->counts);
    grid_ranking *order = rank_cells(context, tally);
    bool done = cells->values != NULL && cells->counts != NULL && order != NULL;
    for (size_t i = 0; done && i < cells->count; i++) {
        uint64_t key = tally->keys[order[i].cell];
        double half = cells->width / 2;
        /* An outermost bin may end beyond the range of doubles; its midpoint does not. */
        cells->values[i] = crd_i_double_of(key) + ((key & CRD_I_SIGN_BIT) != 0 ? -half : half);
        for (size_t k = 0; k < cells->conditions; k++)
            if ((size_t)view->conditions[k] < base->conditions)
                cells->counts[i * cells->conditions + k] =
                    crd_i_sums_value(&tally->counts, grid_count(tally, (size_t)view->conditions[k], order[i].cell));
    }
    crd_free(context, order);
    return done;
}

void crd_i_grid_view_clear(crd_i_grid_view *cells) {
    crd_free(cells->context, cells->values);
    crd_free(cells->context, cells->counts);
}
