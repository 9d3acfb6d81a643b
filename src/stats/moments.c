/* SPDX-License-Identifier: MIT */
/* moments.c - the sufficient statistics of a normal density, as exact sums under each condition:
 *
 *   n = sum of w     s = sum of w x     q = sum of w x^2
 *
 * The maximum-likelihood mean is s / n, and the variance is (q - s^2 / n) / n.
 *
 * Contents:
 *   1. Moments tally
 *   2. Buffers */
#include "stats/moments.h"

#include "base/error.h"
#include "base/memory.h"
#include "stats/exact_sums_file.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* ======== 1. Moments tally ======== */

static crd_i_tally *moments_create(crd_context *context) {
    crd_i_moments_tally *tally = crd_i_alloc_zeroed(context, 1, sizeof *tally);
    if (tally == NULL) return NULL;
    tally->base.type = &crd_i_moments;
    tally->base.context = context;
    for (int power = 0; power < CRD_I_POWERS; power++) crd_i_sums_init(&tally->sums[power], context);
    return &tally->base;
}

static void moments_destroy(crd_i_tally *base) {
    crd_i_moments_tally *tally = (crd_i_moments_tally *)base;
    for (int power = 0; power < CRD_I_POWERS; power++) crd_i_sums_clear(&tally->sums[power]);
    crd_free(base->context, tally);
}

static bool moments_extend(crd_i_tally *base, size_t conditions, size_t values) {
    crd_i_moments_tally *tally = (crd_i_moments_tally *)base;
    (void)values; /* numbers have no value codes */
    for (int power = 0; power < CRD_I_POWERS; power++)
        if (!crd_i_sums_extend(&tally->sums[power], conditions)) return false;
    if (conditions > base->conditions) base->conditions = conditions;
    return true;
}

bool crd_i_moments_add_value(crd_i_moments_tally *tally, size_t condition, double value) {
    return crd_i_sums_count(&tally->sums[0], condition, 1) && crd_i_sums_add(&tally->sums[1], condition, value) &&
           crd_i_sums_add_product(&tally->sums[2], condition, value, value);
}

bool crd_i_moments_add_weighted(crd_i_moments_tally *tally, size_t condition, double value, double weight) {
    return crd_i_sums_add(&tally->sums[0], condition, weight) &&
           crd_i_sums_add_product(&tally->sums[1], condition, weight, value) &&
           crd_i_sums_add_product3(&tally->sums[2], condition, weight, value, value);
}

static bool moments_add_group(crd_i_moments_tally *tally, const crd_i_cells *cells, const crd_i_row_group *group) {
    for (size_t i = 0; i < group->count; i++) {
        const size_t row = group->origin + group->rows[i];
        if (crd_i_number_present(cells, row) && !crd_i_moments_add_value(tally, group->condition, cells->numbers[row]))
            return false;
    }
    return true;
}

/* ---- Weights ---- */

static bool moments_add_weighted_singly(crd_i_moments_tally *tally, const crd_i_cells *cells,
                                        const crd_i_row_group *group) {
    for (size_t i = 0; i < group->count; i++) {
        const size_t row = group->origin + group->rows[i];
        if (crd_i_number_present(cells, row) &&
            !crd_i_moments_add_weighted(tally, group->condition, cells->numbers[row], group->weights[i]))
            return false;
    }
    return true;
}

/* Chooses the scale of weighted numbers from the first few, because a suboptimal scale costs only time. */
static void choose_exponent(crd_i_moments_tally *tally, const double *numbers, size_t count) {
    enum { SAMPLE = 64 };
    if (!crd_i_scales_choose(numbers, 1, count < SAMPLE ? count : SAMPLE, &tally->exponent)) tally->exponent = 0;
    tally->has_exponent = true;
}

static void moments_copy_numbers(const crd_i_cells *cells, const crd_i_row_group *part, double *destination) {
    const double *source = cells->numbers + part->origin;
#pragma GCC unroll 8
    for (size_t i = 0; i < part->count; i++) destination[i] = source[part->rows[i]];
    for (size_t i = 0; cells->validity != NULL && i < part->count; i++)
        if (!crd_i_number_present(cells, part->origin + part->rows[i])) destination[i] = NAN;
}

/* Adds at most CRD_I_MOST_WEIGHTED rows. If many numbers do not fit the scale, a new scale is chosen for the next
 * rows. */
static bool add_weighted_part(crd_i_moments_tally *tally, const crd_i_cells *cells, const crd_i_row_group *part,
                              const crd_i_sliced_weights *weights) {
    enum { FEW_PART = 16 };
    crd_i_weighted_scales scales;
    crd_i_weighted_parts parts = {0};
    double numbers[CRD_I_MOST_WEIGHTED];
    uint16_t left[CRD_I_MOST_WEIGHTED];
    size_t misfits = 0;
    moments_copy_numbers(cells, part, numbers);
    if (!tally->has_exponent) choose_exponent(tally, numbers, part->count);
    if (!crd_i_weighted_scales_set(&scales, tally->exponent, weights->exponent))
        return moments_add_weighted_singly(tally, cells, part);
    const size_t count = crd_i_slicer_best()->add_weighted(&scales, numbers, weights, part->count, &parts, left);
    for (size_t i = 0; i < count; i++) {
        const double number = numbers[left[i]];
        if (number != number) continue;
        misfits++;
        if (!crd_i_moments_add_weighted(tally, part->condition, number, part->weights[left[i]])) return false;
    }
    if (misfits > part->count / FEW_PART) tally->has_exponent = false;
    return crd_i_weighted_pour(&scales, &parts, tally->sums, part->condition);
}

/* Adds a group of weighted rows, in parts of at most CRD_I_MOST_WEIGHTED rows. Adds small groups, and groups without
 * sliced weights, one number at a time. */
static bool add_weighted_group(crd_i_moments_tally *tally, const crd_i_cells *cells, const crd_i_groups *groups,
                               const crd_i_row_group *group) {
    enum { FEW_ROWS = 16 };
    if (!groups->is_sliced || group->count < FEW_ROWS) return moments_add_weighted_singly(tally, cells, group);
    crd_i_row_group part = *group;
    for (size_t begin = 0; begin < group->count; begin += part.count) {
        crd_i_sliced_weights weights = groups->sliced;
        part.rows = group->rows + begin;
        part.weights = group->weights + begin;
        part.count = group->count - begin < CRD_I_MOST_WEIGHTED ? group->count - begin : CRD_I_MOST_WEIGHTED;
        for (int i = 0; i < CRD_I_SLICES; i++) weights.slices[i] += part.weights - groups->weights;
        if (!add_weighted_part(tally, cells, &part, &weights)) return false;
    }
    return true;
}

/* Adds rows. Unweighted rows are added one by one here; moments.h adds them faster. */
static bool moments_add(crd_i_tally *base, const crd_i_cells *cells, const crd_i_groups *groups) {
    crd_i_moments_tally *tally = (crd_i_moments_tally *)base;
    for (size_t i = 0; i < groups->count; i++) {
        const crd_i_row_group *group = &groups->groups[i];
        if (!(group->weights == NULL ? moments_add_group(tally, cells, group)
                                     : add_weighted_group(tally, cells, groups, group)))
            return false;
    }
    return true;
}

static bool moments_prepare(crd_i_tally *base, const crd_i_tally *other_base, const crd_i_tally_map *map) {
    crd_i_moments_tally *tally = (crd_i_moments_tally *)base;
    const crd_i_moments_tally *other = (const crd_i_moments_tally *)other_base;
    size_t conditions = 0;
    for (size_t i = 0; i < map->condition_count; i++)
        if (map->conditions[i] >= conditions) conditions = map->conditions[i] + 1;
    if (!moments_extend(base, conditions, 0)) return false;
    for (int power = 0; power < CRD_I_POWERS; power++)
        for (size_t condition = 0; condition < other_base->conditions; condition++)
            if (!crd_i_sums_reserve(&tally->sums[power], map->conditions[condition], &other->sums[power], condition))
                return false;
    return true;
}

static bool moments_combine(crd_i_tally *base, const crd_i_tally *other_base, const crd_i_tally_map *map, int sign) {
    crd_i_moments_tally *tally = (crd_i_moments_tally *)base;
    const crd_i_moments_tally *other = (const crd_i_moments_tally *)other_base;
    for (int power = 0; power < CRD_I_POWERS; power++)
        for (size_t condition = 0; condition < other_base->conditions; condition++)
            if (!crd_i_sums_combine(&tally->sums[power], map->conditions[condition], &other->sums[power], condition,
                                    sign))
                return false;
    return true;
}

static bool moments_find_impossible(const crd_i_tally *base, const crd_i_tally *other, const crd_i_tally_map *map,
                                    crd_i_impossible *out) {
    (void)other;
    out->found = false;
    for (size_t i = 0; i < map->condition_count; i++) {
        bool possible;
        if (!crd_i_moments_possible(crd_i_moments_cell(base, map->conditions[i]), &possible)) return false;
        if (possible) continue;
        crd_i_impossible impossible = {
            true, false, map->conditions[i], 0, crd_i_tally_total(base, map->conditions[i]), false, 0, NULL};
        *out = impossible;
        return true;
    }
    return true;
}

static uint64_t moments_size(const crd_i_tally *base) {
    return (uint64_t)CRD_I_POWERS * base->conditions;
}

static const crd_i_sums *moments_total(const crd_i_tally *base, size_t condition, size_t *cell) {
    *cell = condition;
    return condition < base->conditions ? &((const crd_i_moments_tally *)base)->sums[0] : NULL;
}

static bool moments_next_total(const crd_i_tally *base, crd_i_total_cursor *cursor) {
    const crd_i_sums *totals = &((const crd_i_moments_tally *)base)->sums[0];
    while (cursor->next < base->conditions && crd_i_sums_sign(totals, cursor->next) == 0) cursor->next++;
    cursor->condition = cursor->next++;
    return cursor->condition < base->conditions;
}

static void moments_write(const crd_i_tally *base, const crd_i_view *view, crd_i_encoder *encoder) {
    const crd_i_moments_tally *tally = (const crd_i_moments_tally *)base;
    for (int power = 0; power < CRD_I_POWERS; power++) {
        crd_i_window window = crd_i_window_begin(encoder, &tally->sums[power]);
        for (size_t i = 0; i < view->condition_count; i++) {
            size_t condition = (size_t)view->conditions[i];
            /* The class may have appeared after the last cell of this column. */
            if (condition < base->conditions) crd_i_window_cell(encoder, window, &tally->sums[power], condition);
            else
                for (uint32_t limb = 0; limb < window.width; limb++) crd_i_encode_u64(encoder, 0);
        }
    }
}

/* Checks that some numbers can produce these sums, and that no total exceeds CRD_I_MOST_ROWS. */
static crd_status moments_check(const crd_i_tally *base, crd_error *error) {
    for (size_t condition = 0; condition < base->conditions; condition++) {
        crd_i_moment_cell cell = crd_i_moments_cell(base, condition);
        bool possible, defined;
        if (!crd_i_moments_possible(cell, &possible)) return crd_i_fail_memory(error);
        double mean = 0;
        if (possible && crd_i_sums_sign(cell.n, condition) > 0 && !crd_i_moments_mean(cell, &mean, NULL, &defined))
            return crd_i_fail_memory(error);
        if (!possible || !isfinite(mean))
            return crd_i_fail(error, CRD_ERROR_DAMAGED, "the sums of a numeric column are impossible");
        if (crd_i_tally_total(base, condition) > CRD_I_MOST_ROWS)
            return crd_i_fail(error, CRD_ERROR_DAMAGED, "a count is too large");
    }
    return CRD_OK;
}

static crd_status moments_read(crd_i_tally *base, size_t conditions, size_t values, crd_i_cursor *cursor,
                               crd_error *error) {
    crd_i_moments_tally *tally = (crd_i_moments_tally *)base;
    if (values != 0) return crd_i_fail(error, CRD_ERROR_DAMAGED, "a numeric column has a list of values");
    for (int power = 0; power < CRD_I_POWERS; power++) {
        crd_status status = crd_i_window_read(cursor, &tally->sums[power], conditions, error);
        if (status != CRD_OK) return status;
    }
    base->conditions = conditions;
    return moments_check(base, error);
}

const crd_i_tally_type crd_i_moments = {
    .name = "moments",
    .type = CRD_TYPE_NUMERIC,
    .is_main = true,
    .create = moments_create,
    .destroy = moments_destroy,
    .extend = moments_extend,
    .add = moments_add,
    .prepare = moments_prepare,
    .combine = moments_combine,
    .find_impossible = moments_find_impossible,
    .size = moments_size,
    .total = moments_total,
    .next_total = moments_next_total,
    .write = moments_write,
    .read = moments_read,
};

crd_i_moment_cell crd_i_moments_cell(const crd_i_tally *base, size_t condition) {
    const crd_i_moments_tally *tally = (const crd_i_moments_tally *)base;
    crd_i_moment_cell cell = {&tally->sums[0], &tally->sums[1], &tally->sums[2], condition};
    return cell;
}

/* ======== 2. Buffers ========
 *
 * Buffers collect numbers for moments tallies. Columns are in panels of eight. A panel has a row of sums for each
 * slot: slot 0 is for skipped rows and is never read, slot k + 1 is for condition k.
 *
 * Rows are added tile by tile. A tile ends before a row whose condition has as many buffered rows as its sums can
 * hold; then the slot of this condition is poured in all panels. If there are few conditions, tiles are longer, and
 * their rows are grouped by condition. Then the sums are loaded and stored once per group; the rows themselves are
 * not moved.
 *
 * The scale of a column is chosen from its first values. Values that do not fit the scale are added to the tally one
 * by one. A new scale is chosen only if there are many of them, because all sums under the old scale must be poured
 * then. */

/* Maximum memory for buffered sums, in bytes. */
static const size_t MOST_BYTES = (size_t)64 << 20;

/* SHORT_TILE, NEAR_BYTES: rows stay in the cache from one panel to the next only if a tile is small. COPIED_TILE: rows
 * per tile if columns are copied. */
enum { CACHE_LINE = 64, HALF_PANEL = CRD_I_PANEL / 2, SHORT_TILE = 16, NEAR_BYTES = 128 << 10, COPIED_TILE = 256 };

/* With at least this many columns, and this many rows per condition on average, grouping the rows of a tile saves more
 * than it costs. */
enum { LEAST_COLUMNS = 12, LEAST_GROUP = 12, MOST_GROUPS = CRD_I_MOST_TILE / LEAST_GROUP };

typedef struct batch_panel {
    crd_i_scales scales;
    bool has_scale[CRD_I_PANEL];
    bool has_gaps[CRD_I_PANEL]; /* numbers are missing in many rows */
    bool is_ready, is_gapless;  /* is_ready: all columns have scales; is_gapless: no column has gaps */
    /* Counters since the last moments_batch_look: rows, and for each column the numbers that did not fit its scale and
     * the missing numbers. */
    size_t rows, misfits[CRD_I_PANEL], gaps[CRD_I_PANEL];
    crd_i_parts_row *parts;           /* one per slot, within `block` */
    uint16_t (*missing)[CRD_I_PANEL]; /* for each slot and column: buffered rows without a number */
    void *block;
} batch_panel;

/* The position of a tile's rows within a panel, and of the sample from which scales are chosen. */
typedef struct batch_stretch {
    const double *rows;
    size_t stride;
    size_t ahead; /* distance from a row to the row that is needed one tile later, in doubles; for prefetching */
    const double *sample;
    size_t sample_stride, sample_rows;
} batch_stretch;

struct crd_i_batch {
    crd_context *context;
    const crd_i_slicer *slicer;
    crd_i_moments_tally **tallies; /* one per column */
    crd_i_cells *offered;          /* one per column; numbers is NULL if no cells are offered */
    size_t columns, tallies_capacity, offered_capacity;
    batch_panel *panels;
    size_t panel_count, panels_capacity;
    size_t slots;      /* number of slots in each panel */
    uint16_t *waiting; /* for each slot, the buffered rows */
    size_t waiting_capacity;

    /* The current tile. */
    size_t tile_rows;
    size_t tile_groups; /* number of slots if the rows are grouped, otherwise 0 */
    uint32_t tile_slots[CRD_I_MOST_TILE];
    uint16_t tile_order[CRD_I_MOST_TILE]; /* the row numbers, sorted by slot */
    uint16_t group_ends[MOST_GROUPS];     /* for each slot, the end of its rows in `tile_order` */
    uint16_t left[CRD_I_MOST_TILE * CRD_I_PANEL];
    double *copy; /* the tile's rows in one panel, aligned to a cache line within `copy_room` */
    double copy_room[CRD_I_MOST_TILE * CRD_I_PANEL + CACHE_LINE / sizeof(double)];
};

static void *at_cache_line(void *block) {
    return (void *)(((uintptr_t)block + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE);
}

crd_i_batch *crd_i_batch_create(crd_context *context, const crd_i_slicer *slicer) {
    crd_i_batch *batch = crd_i_alloc(context, 1, sizeof *batch);
    if (batch == NULL) return NULL;
    memset(batch, 0, offsetof(crd_i_batch, tile_slots));
    batch->context = context;
    batch->slicer = slicer;
    batch->copy = at_cache_line(batch->copy_room);
    return batch;
}

void crd_i_batch_destroy(crd_i_batch *batch) {
    if (batch == NULL) return;
    for (size_t i = 0; i < batch->panel_count; i++) {
        crd_free(batch->context, batch->panels[i].block);
        crd_free(batch->context, batch->panels[i].missing);
    }
    crd_free(batch->context, batch->panels);
    crd_free(batch->context, batch->tallies);
    crd_free(batch->context, batch->offered);
    crd_free(batch->context, batch->waiting);
    crd_free(batch->context, batch);
}

/* ---- Columns ---- */

/* Returns whether a tally is a column of this batch. Its column number may come from another batch, so it is
 * verified. */
static bool has_joined(const crd_i_batch *batch, const crd_i_moments_tally *tally) {
    return tally->column < batch->columns && batch->tallies[tally->column] == tally;
}

bool crd_i_batch_join(crd_i_batch *batch, crd_i_tally *base) {
    crd_i_moments_tally *tally = (crd_i_moments_tally *)base;
    if (has_joined(batch, tally)) return true;
    size_t column = batch->columns, index = column / CRD_I_PANEL;
    if (!crd_i_reserve(batch->context, &batch->tallies, &batch->tallies_capacity, column + 1, sizeof *batch->tallies) ||
        !crd_i_reserve(batch->context, &batch->offered, &batch->offered_capacity, column + 1, sizeof *batch->offered))
        return false;
    if (index < batch->panel_count) {
        /* Buffered rows have no number in a new column. */
        for (size_t slot = 0; slot < batch->slots; slot++)
            batch->panels[index].missing[slot][column % CRD_I_PANEL] = batch->waiting[slot];
        batch->panels[index].is_ready = false;
    }
    crd_i_cells none = {0};
    batch->offered[column] = none;
    batch->tallies[column] = tally;
    tally->column = column;
    batch->columns = column + 1;
    return true;
}

static size_t lanes_of(const crd_i_batch *batch, size_t panel_index) {
    size_t left = batch->columns - panel_index * CRD_I_PANEL;
    return left < CRD_I_PANEL ? left : CRD_I_PANEL;
}

static size_t sliced_lanes(size_t lanes) {
    return lanes <= HALF_PANEL ? HALF_PANEL : CRD_I_PANEL;
}

/* ---- Pouring ---- */

/* Adds the buffered sums of one slot to the tallies of all columns. */
static bool pour_slot(crd_i_batch *batch, size_t slot) {
    for (size_t i = 0; i < batch->panel_count; i++) {
        batch_panel *panel = &batch->panels[i];
        for (size_t worker = 0; worker < lanes_of(batch, i); worker++) {
            crd_i_moments_tally *tally = batch->tallies[i * CRD_I_PANEL + worker];
            int64_t rows = batch->waiting[slot] - panel->missing[slot][worker];
            if (!crd_i_sums_add_integer(&tally->sums[0], slot - 1, rows) ||
                !crd_i_slices_pour(&panel->scales, worker, &panel->parts[slot], &tally->sums[1], &tally->sums[2],
                                   slot - 1))
                return false;
            panel->missing[slot][worker] = 0;
        }
    }
    batch->waiting[slot] = 0;
    return true;
}

bool crd_i_batch_pour(crd_i_batch *batch) {
    for (size_t slot = 1; slot < batch->slots; slot++)
        if (batch->waiting[slot] > 0 && !pour_slot(batch, slot)) return false;
    return true;
}

/* ---- Memory ---- */

static bool moments_batch_enlarge(crd_i_batch *batch, batch_panel *panel, size_t old_slots, size_t slots) {
    void *block = crd_i_alloc(batch->context, slots * sizeof *panel->parts + CACHE_LINE, 1);
    void *missing = crd_i_alloc_zeroed(batch->context, slots, sizeof *panel->missing);
    if (block == NULL || missing == NULL) {
        crd_free(batch->context, block);
        crd_free(batch->context, missing);
        return false;
    }
    crd_i_parts_row *parts = at_cache_line(block);
    if (old_slots > 0) {
        memcpy(parts, panel->parts, old_slots * sizeof *parts);
        memcpy(missing, panel->missing, old_slots * sizeof *panel->missing);
    }
    memset(parts + old_slots, 0, (slots - old_slots) * sizeof *parts);
    crd_free(batch->context, panel->block);
    crd_free(batch->context, panel->missing);
    panel->block = block;
    panel->parts = parts;
    panel->missing = missing;
    return true;
}

static bool moments_batch_add_panel(crd_i_batch *batch) {
    if (!crd_i_reserve(batch->context, &batch->panels, &batch->panels_capacity, batch->panel_count + 1,
                       sizeof *batch->panels))
        return false;
    batch_panel *fresh = &batch->panels[batch->panel_count];
    memset(fresh, 0, sizeof *fresh);
    for (size_t worker = 0; worker < CRD_I_PANEL; worker++) crd_i_scales_set(&fresh->scales, worker, 0);
    fresh->is_gapless = true;
    if (!moments_batch_enlarge(batch, fresh, 0, batch->slots)) return false;
    for (size_t slot = 0; slot < batch->slots; slot++)
        for (size_t worker = 0; worker < CRD_I_PANEL; worker++) fresh->missing[slot][worker] = batch->waiting[slot];
    batch->panel_count++;
    return true;
}

static bool add_slots(crd_i_batch *batch, size_t slots) {
    /* Conditions appear one by one, so memory is at least doubled. */
    if (slots < 2 * batch->slots) slots = 2 * batch->slots;
    if (!crd_i_reserve(batch->context, &batch->waiting, &batch->waiting_capacity, slots, sizeof *batch->waiting))
        return false;
    memset(batch->waiting + batch->slots, 0, (slots - batch->slots) * sizeof *batch->waiting);
    for (size_t i = 0; i < batch->panel_count; i++)
        if (!moments_batch_enlarge(batch, &batch->panels[i], batch->slots, slots)) return false;
    batch->slots = slots;
    return true;
}

/* Extends the tallies, and allocates sums for this many conditions. If they would need too much memory, *fits becomes
 * false and the batch is poured. */
static bool moments_batch_make_room(crd_i_batch *batch, size_t condition_count, bool *fits) {
    for (size_t i = 0; i < batch->columns; i++)
        if (!crd_i_moments.extend(&batch->tallies[i]->base, condition_count, 0)) return false;
    size_t panels = (batch->columns + CRD_I_PANEL - 1) / CRD_I_PANEL, slots = condition_count + 1;
    *fits = batch->slicer != NULL && slots <= MOST_BYTES / sizeof(crd_i_parts_row) / (panels + 1);
    if (!*fits) return crd_i_batch_pour(batch);
    if (slots > batch->slots && !add_slots(batch, slots)) return false;
    while (batch->panel_count < panels)
        if (!moments_batch_add_panel(batch)) return false;
    return true;
}

/* ---- Tiles ---- */

static bool worth_grouping(const crd_i_batch *batch, size_t rows, size_t slots) {
    return batch->columns >= LEAST_COLUMNS && slots * LEAST_GROUP <= rows;
}

/* Sorts the tile's rows by slot. `before` contains the buffered rows of each slot without the tile. */
static void group_tile(crd_i_batch *batch, size_t slots, const uint16_t *before) {
    uint16_t *ends = batch->group_ends;
    size_t end = batch->tile_rows;
    for (size_t slot = slots; slot-- > 1;) {
        end -= (size_t)(batch->waiting[slot] - before[slot]);
        ends[slot] = (uint16_t)end;
    }
    ends[0] = 0;
    for (size_t row = 0; row < batch->tile_rows; row++)
        batch->tile_order[ends[batch->tile_slots[row]]++] = (uint16_t)row;
}

/* Starts a tile with the next rows. It ends when the tile is full, or before a row whose slot is full; then *full is
 * that slot, otherwise 0. Groups the rows if that is worth its cost. */
static void begin_tile(crd_i_batch *batch, const int32_t *conditions, size_t rows, size_t most, size_t slots,
                       size_t *full) {
    size_t count = rows < most ? rows : most;
    uint16_t before[MOST_GROUPS];
    bool grouped = worth_grouping(batch, count, slots);
    if (grouped) memcpy(before, batch->waiting, slots * sizeof *before);
    *full = 0;
    for (batch->tile_rows = 0; batch->tile_rows < count; batch->tile_rows++) {
        uint32_t slot = conditions[batch->tile_rows] < 0 ? 0 : (uint32_t)conditions[batch->tile_rows] + 1;
        if (batch->waiting[slot] == CRD_I_MOST_SLICED) {
            *full = slot;
            break;
        }
        batch->waiting[slot] = (uint16_t)(batch->waiting[slot] + (slot > 0));
        batch->tile_slots[batch->tile_rows] = slot;
    }
    batch->tile_groups = grouped ? slots : 0;
    if (grouped) group_tile(batch, slots, before);
}

/* Chooses scales for columns that have none. */
static void moments_batch_choose_scales(batch_panel *panel, size_t lanes, const batch_stretch *stretch) {
    panel->is_ready = true;
    for (size_t worker = 0; worker < lanes; worker++) {
        int exponent;
        if (panel->has_scale[worker]) continue;
        panel->has_scale[worker] =
            crd_i_scales_choose(stretch->sample + worker, stretch->sample_stride, stretch->sample_rows, &exponent);
        if (panel->has_scale[worker]) crd_i_scales_set(&panel->scales, worker, exponent);
        else panel->is_ready = false;
    }
}

/* Chooses a new scale for a column and pours its sums, unless the current scale is the best for the sample. */
static bool change_scale(crd_i_batch *batch, size_t panel_index, size_t worker, const batch_stretch *stretch) {
    batch_panel *panel = &batch->panels[panel_index];
    crd_i_moments_tally *tally = batch->tallies[panel_index * CRD_I_PANEL + worker];
    int exponent;
    bool chosen =
        crd_i_scales_choose(stretch->sample + worker, stretch->sample_stride, stretch->sample_rows, &exponent);
    if (!chosen || exponent == panel->scales.exponents[worker]) return true;
    for (size_t slot = 1; slot < batch->slots; slot++)
        if (batch->waiting[slot] > 0 &&
            !crd_i_slices_pour(&panel->scales, worker, &panel->parts[slot], &tally->sums[1], &tally->sums[2], slot - 1))
            return false;
    for (int i = 0; i < CRD_I_PARTS; i++) panel->parts[0].sums[i][worker] = 0;
    crd_i_scales_set(&panel->scales, worker, exponent);
    return true;
}

/* Every few thousand rows, adjusts columns in which many numbers do not fit the scale or are missing. Pouring a column
 * costs about as much as adding one number per condition directly. */
static bool moments_batch_look(crd_i_batch *batch, size_t panel_index, const batch_stretch *stretch) {
    batch_panel *panel = &batch->panels[panel_index];
    if (panel->rows <= CRD_I_MOST_TILE + batch->slots) return true;
    panel->is_gapless = true;
    for (size_t worker = 0; worker < lanes_of(batch, panel_index); worker++) {
        panel->has_gaps[worker] = panel->gaps[worker] > panel->rows / 32;
        if (panel->has_gaps[worker]) panel->is_gapless = false;
        if (panel->misfits[worker] > panel->rows / 32 && !change_scale(batch, panel_index, worker, stretch))
            return false;
        panel->gaps[worker] = panel->misfits[worker] = 0;
    }
    panel->rows = 0;
    return true;
}

/* Adds the numbers that did not fit the scale directly to the tallies, and counts missing numbers. CRD_ERROR_NUMBER: a
 * number is infinite. */
static crd_status moments_batch_add_left(crd_i_batch *batch, size_t panel_index, const batch_stretch *stretch,
                                         size_t count) {
    batch_panel *panel = &batch->panels[panel_index];
    for (size_t i = 0; i < count; i++) {
        size_t row = batch->left[i] / CRD_I_PANEL, worker = batch->left[i] % CRD_I_PANEL;
        uint32_t slot = batch->tile_slots[row];
        double value = stretch->rows[row * stretch->stride + worker];
        if (value != value) {
            panel->gaps[worker]++;
            panel->missing[slot][worker]++;
            continue;
        }
        if (value - value != 0) return CRD_ERROR_NUMBER;
        panel->misfits[worker]++;
        if (slot == 0) continue;
        crd_i_moments_tally *tally = batch->tallies[panel_index * CRD_I_PANEL + worker];
        if (!crd_i_sums_add(&tally->sums[1], slot - 1, value) ||
            !crd_i_sums_add_product(&tally->sums[2], slot - 1, value, value))
            return CRD_ERROR_MEMORY;
    }
    return CRD_OK;
}

/* Adds the numbers that fit the scale to the buffered sums. Returns how many numbers are left. */
static size_t add_fitting(crd_i_batch *batch, batch_panel *panel, size_t columns, const batch_stretch *stretch) {
    if (batch->tile_groups == 0)
        return batch->slicer->add(&panel->scales, stretch->rows, stretch->stride, batch->tile_rows, columns,
                                  batch->tile_slots, panel->parts, batch->left);
    size_t left = 0;
    for (size_t slot = 0, begin = 0; slot < batch->tile_groups; begin = batch->group_ends[slot++])
        if (batch->group_ends[slot] > begin)
            left += batch->slicer->add_group(&panel->scales, stretch->rows, stretch->stride, stretch->ahead,
                                             batch->tile_order + begin, batch->group_ends[slot] - begin, columns,
                                             &panel->parts[slot], batch->left + left);
    return left;
}

/* Adds the tile's rows to one panel. Rows have at least as many readable columns as the panel, rounded up to half a
 * panel. */
static crd_status add_panel_rows(crd_i_batch *batch, size_t panel_index, const batch_stretch *stretch) {
    batch_panel *panel = &batch->panels[panel_index];
    size_t lanes = lanes_of(batch, panel_index);
    if (!panel->is_ready) moments_batch_choose_scales(panel, lanes, stretch);
    size_t left = add_fitting(batch, panel, sliced_lanes(lanes), stretch);
    panel->rows += batch->tile_rows;
    crd_status status = left == 0 ? CRD_OK : moments_batch_add_left(batch, panel_index, stretch, left);
    return status != CRD_OK || moments_batch_look(batch, panel_index, stretch) ? status : CRD_ERROR_MEMORY;
}

/* Replaces missing numbers in a column of the copy by zero, and counts them. If there are many, this is much faster
 * than handling them one by one. */
static void leave_out_gaps(crd_i_batch *batch, batch_panel *panel, size_t worker) {
    for (size_t row = 0; row < batch->tile_rows; row++) {
        double value = batch->copy[row * CRD_I_PANEL + worker];
        bool is_gap = value != value;
        uint16_t *missing = &panel->missing[batch->tile_slots[row]][worker];
        *missing = (uint16_t)(*missing + is_gap);
        panel->gaps[worker] += is_gap;
        batch->copy[row * CRD_I_PANEL + worker] = is_gap ? 0 : value;
    }
}

/* ---- Rows ---- */

static crd_status add_rows_singly(crd_i_batch *batch, const double *values, size_t stride, size_t rows,
                                  const int32_t *conditions) {
    for (size_t row = 0; row < rows; row++)
        for (size_t column = 0; column < batch->columns; column++) {
            double value = values[row * stride + column];
            if (value != value) continue;
            if (value - value != 0) return CRD_ERROR_NUMBER;
            if (conditions[row] < 0) continue;
            if (!crd_i_moments_add_value(batch->tallies[column], (size_t)conditions[row], value))
                return CRD_ERROR_MEMORY;
        }
    return CRD_OK;
}

static void copy_rows(crd_i_batch *batch, size_t panel_index, const double *rows, size_t stride) {
    batch_panel *panel = &batch->panels[panel_index];
    size_t lanes = lanes_of(batch, panel_index);
    if (lanes < CRD_I_PANEL) memset(batch->copy, 0, batch->tile_rows * CRD_I_PANEL * sizeof *batch->copy);
    for (size_t row = 0; row < batch->tile_rows; row++)
        memcpy(batch->copy + row * CRD_I_PANEL, rows + row * stride, lanes * sizeof *rows);
    for (size_t worker = 0; worker < lanes; worker++)
        if (panel->has_gaps[worker]) leave_out_gaps(batch, panel, worker);
}

/* Adds a tile, the first of the `rows` rows at `values`. `most` is the maximum number of rows in a tile. */
static crd_status add_tile(crd_i_batch *batch, const double *values, size_t stride, size_t rows, size_t most) {
    for (size_t i = 0; i < batch->panel_count; i++) {
        const double *entries = values + i * CRD_I_PANEL;
        size_t ahead = rows > most ? most * stride : 0;
        batch_stretch stretch = {entries, stride, ahead,
                                 entries, stride, rows < CRD_I_MOST_TILE ? rows : CRD_I_MOST_TILE};
        /* Vector loads must not read beyond the last row. */
        if (lanes_of(batch, i) % HALF_PANEL != 0 || !batch->panels[i].is_gapless) {
            copy_rows(batch, i, entries, stride);
            stretch.rows = batch->copy;
            stretch.stride = CRD_I_PANEL;
            stretch.ahead = 0;
        }
        crd_status status = add_panel_rows(batch, i, &stretch);
        if (status != CRD_OK) return status;
    }
    return CRD_OK;
}

/* Returns the number of adjacent rows per tile: as many as stay in the cache, if they can be grouped then. */
static size_t choose_tile(const crd_i_batch *batch, size_t stride, size_t slots) {
    size_t near = NEAR_BYTES / sizeof(double) / (stride + 1), most = near < CRD_I_MOST_TILE ? near : CRD_I_MOST_TILE;
    return worth_grouping(batch, most, slots) ? most : SHORT_TILE;
}

/* Prefetches the first tile. Groups are not read in memory order, so the hardware does not prefetch them. Each row
 * prefetches the row one tile later, but nothing has prefetched the first tile. */
static void fetch_first(const double *values, size_t count) {
    for (size_t i = 0; i < count; i += CACHE_LINE / sizeof *values) crd_i_slices_fetch(values + i);
}

crd_status crd_i_batch_add_rows(crd_i_batch *batch, const double *values, size_t stride, size_t rows,
                                const int32_t *conditions, size_t condition_count) {
    bool fits;
    if (!moments_batch_make_room(batch, condition_count, &fits)) return CRD_ERROR_MEMORY;
    if (!fits) return add_rows_singly(batch, values, stride, rows, conditions);
    size_t most = choose_tile(batch, stride, condition_count + 1);
    if (most > SHORT_TILE) fetch_first(values, (rows < most ? rows : most) * stride);
    for (size_t origin = 0; origin < rows; origin += batch->tile_rows) {
        size_t full;
        begin_tile(batch, conditions + origin, rows - origin, most, condition_count + 1, &full);
        crd_status status = add_tile(batch, values + origin * stride, stride, rows - origin, most);
        if (status != CRD_OK) return status;
        if (full > 0 && !pour_slot(batch, full)) return CRD_ERROR_MEMORY;
    }
    return CRD_OK;
}

/* ---- Offered columns ---- */

bool crd_i_batch_offer(crd_i_batch *batch, crd_i_tally *tally, const crd_i_cells *cells) {
    if (!crd_i_batch_join(batch, tally)) return false;
    batch->offered[((crd_i_moments_tally *)tally)->column] = *cells;
    return true;
}

static bool add_column_singly(crd_i_moments_tally *tally, const crd_i_cells *cells, size_t rows,
                              const int32_t *conditions) {
    for (size_t row = 0; row < rows; row++)
        if (conditions[row] >= 0 && crd_i_number_present(cells, row) &&
            !crd_i_moments_add_value(tally, (size_t)conditions[row], cells->numbers[row]))
            return false;
    return true;
}

/* Returns whether the validity bits of all rows are set. It checks whole bytes, so it may return false although they
 * are. */
static bool all_valid(const uint8_t *validity, size_t origin, size_t rows) {
    if (rows == 0) return true;
    for (size_t byte = origin / 8; byte <= (origin + rows - 1) / 8; byte++)
        if (validity[byte] != 0xff) return false;
    return true;
}

/* Copies two columns at a time. If columns are a power of two apart, more streams would evict each other from the
 * cache. */
static void copy_pair(crd_i_batch *batch, const double *restrict one, const double *restrict two, size_t worker) {
    double *restrict destination = batch->copy + worker;
    for (size_t row = 0; row < batch->tile_rows; row++) {
        destination[row * CRD_I_PANEL] = one[row];
        destination[row * CRD_I_PANEL + 1] = two[row];
    }
}

static void copy_validity(crd_i_batch *batch, const uint8_t *validity, size_t worker, size_t origin) {
    for (size_t row = 0; row < batch->tile_rows; row++)
        if ((validity[(origin + row) >> 3] >> ((origin + row) & 7) & 1) == 0)
            batch->copy[row * CRD_I_PANEL + worker] = NAN;
}

static const double no_numbers[CRD_I_MOST_TILE];

/* Copies the columns of a panel next to each other. */
static void moments_batch_copy_columns(crd_i_batch *batch, size_t panel_index, size_t origin) {
    batch_panel *panel = &batch->panels[panel_index];
    const crd_i_cells *offered = batch->offered + panel_index * CRD_I_PANEL;
    size_t lanes = lanes_of(batch, panel_index);
    const double *columns[CRD_I_PANEL];
    for (size_t worker = 0; worker < CRD_I_PANEL; worker++)
        columns[worker] =
            worker < lanes && offered[worker].numbers != NULL ? offered[worker].numbers + origin : no_numbers;
    for (size_t worker = 0; worker < sliced_lanes(lanes); worker += 2)
        copy_pair(batch, columns[worker], columns[worker + 1], worker);
    for (size_t worker = 0; worker < lanes; worker++) {
        const uint8_t *validity = offered[worker].validity;
        bool has_gaps = panel->has_gaps[worker];
        if (offered[worker].numbers == NULL) {
            for (size_t row = 0; row < batch->tile_rows; row++) panel->missing[batch->tile_slots[row]][worker]++;
            continue;
        }
        if (validity != NULL && !all_valid(validity, origin, batch->tile_rows)) {
            copy_validity(batch, validity, worker, origin);
            has_gaps = true;
        }
        if (has_gaps) leave_out_gaps(batch, panel, worker);
    }
}

static bool add_offered_tile(crd_i_batch *batch, size_t origin) {
    for (size_t i = 0; i < batch->panel_count; i++) {
        moments_batch_copy_columns(batch, i, origin);
        batch_stretch stretch = {batch->copy, CRD_I_PANEL, 0, batch->copy, CRD_I_PANEL, batch->tile_rows};
        if (add_panel_rows(batch, i, &stretch) != CRD_OK) return false;
    }
    return true;
}

bool crd_i_batch_add_offered(crd_i_batch *batch, size_t rows, const int32_t *conditions, size_t condition_count) {
    bool fits, done = moments_batch_make_room(batch, condition_count, &fits);
    for (size_t i = 0; done && !fits && i < batch->columns; i++)
        if (batch->offered[i].numbers != NULL)
            done = add_column_singly(batch->tallies[i], &batch->offered[i], rows, conditions);
    for (size_t origin = 0; done && fits && origin < rows; origin += batch->tile_rows) {
        size_t full;
        begin_tile(batch, conditions + origin, rows - origin, COPIED_TILE, condition_count + 1, &full);
        done = add_offered_tile(batch, origin) && (full == 0 || pour_slot(batch, full));
    }
    for (size_t i = 0; i < batch->columns; i++) batch->offered[i].numbers = NULL;
    return done;
}
