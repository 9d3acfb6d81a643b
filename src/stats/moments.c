/* SPDX-License-Identifier: MIT */
/* moments.c - the sufficient statistics of a normal density, as exact sums under each condition:
 *
 *   n = sum of w     s = sum of w x     q = sum of w x^2
 *
 * The maximum-likelihood mean is s / n, and the variance is (q - s^2 / n) / n. */
#include "stats/moments.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/exact/slices.h"
#include "stats/exact_sums_file.h"

#include <math.h>

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

static bool moments_add_group(crd_i_moments_tally *tally, const crd_i_cells *cells, const crd_i_group *group) {
    for (size_t i = 0; i < group->count; i++) {
        const size_t row = group->origin + group->rows[i];
        if (crd_i_number_present(cells, row) && !crd_i_moments_add_value(tally, group->condition, cells->numbers[row]))
            return false;
    }
    return true;
}

/* ---- Weights ---- */

static bool moments_add_weighted_singly(crd_i_moments_tally *tally, const crd_i_cells *cells,
                                        const crd_i_group *group) {
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

static void moments_copy_numbers(const crd_i_cells *cells, const crd_i_group *part, double *destination) {
    const double *source = cells->numbers + part->origin;
#pragma GCC unroll 8
    for (size_t i = 0; i < part->count; i++) destination[i] = source[part->rows[i]];
    for (size_t i = 0; cells->validity != NULL && i < part->count; i++)
        if (!crd_i_number_present(cells, part->origin + part->rows[i])) destination[i] = NAN;
}

/* Adds at most CRD_I_MOST_WEIGHTED rows. If many numbers do not fit the scale, a new scale is chosen for the next
 * rows. */
static bool add_weighted_part(crd_i_moments_tally *tally, const crd_i_cells *cells, const crd_i_group *part,
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
                               const crd_i_group *group) {
    enum { FEW_ROWS = 16 };
    if (!groups->is_sliced || group->count < FEW_ROWS) return moments_add_weighted_singly(tally, cells, group);
    crd_i_group part = *group;
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

/* Adds rows. Unweighted rows are added one by one here; moments_batch.h adds them faster. */
static bool moments_add(crd_i_tally *base, const crd_i_cells *cells, const crd_i_groups *groups) {
    crd_i_moments_tally *tally = (crd_i_moments_tally *)base;
    for (size_t i = 0; i < groups->count; i++) {
        const crd_i_group *group = &groups->groups[i];
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
            return crd_i_fail(error, CRD_ERROR_DAMAGED, "the sums of a number column are impossible");
        if (crd_i_tally_total(base, condition) > CRD_I_MOST_ROWS)
            return crd_i_fail(error, CRD_ERROR_DAMAGED, "a count is too large");
    }
    return CRD_OK;
}

static crd_status moments_read(crd_i_tally *base, size_t conditions, size_t values, crd_i_cursor *cursor,
                               crd_error *error) {
    crd_i_moments_tally *tally = (crd_i_moments_tally *)base;
    if (values != 0) return crd_i_fail(error, CRD_ERROR_DAMAGED, "a number column has a list of values");
    for (int power = 0; power < CRD_I_POWERS; power++) {
        crd_status status = crd_i_window_read(cursor, &tally->sums[power], conditions, error);
        if (status != CRD_OK) return status;
    }
    base->conditions = conditions;
    return moments_check(base, error);
}

const crd_i_tally_type crd_i_moments = {
    .name = "moments",
    .kind = CRD_KIND_NUMBER,
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
