/* SPDX-License-Identifier: MIT */
/* signs.c - how many cells under each condition are negative, zero, one, larger integers, or positive fractions.
 *
 * Moments do not show whether numbers are counts, flags or amounts. These counts do. A density family uses them to
 * report how many numbers of a column are outside its support. They are exact sums of weights, so they can be merged
 * and forgotten. */
#include "stats/tally.h"

#include "base/error.h"
#include "base/memory.h"
#include "stats/exact_sums_file.h"

#include <math.h>

typedef struct signs {
    crd_i_tally base;
    crd_i_sums cells; /* for each condition, one sum per sign */
} signs;

static size_t signs_cell(size_t condition, crd_i_sign sign) {
    return condition * CRD_I_SIGN_COUNT + (size_t)sign;
}

static crd_i_tally *signs_create(crd_context *context) {
    signs *tally = crd_i_alloc_zeroed(context, 1, sizeof *tally);
    if (tally == NULL) return NULL;
    tally->base.type = &crd_i_signs;
    tally->base.context = context;
    crd_i_sums_init(&tally->cells, context);
    return &tally->base;
}

static void signs_destroy(crd_i_tally *base) {
    crd_i_sums_clear(&((signs *)base)->cells);
    crd_free(base->context, base);
}

static bool signs_extend(crd_i_tally *base, size_t conditions, size_t values) {
    (void)values; /* numbers have no value codes */
    if (conditions <= base->conditions) return true;
    if (conditions > SIZE_MAX / CRD_I_SIGN_COUNT) return false;
    if (!crd_i_sums_extend(&((signs *)base)->cells, conditions * CRD_I_SIGN_COUNT)) return false;
    base->conditions = conditions;
    return true;
}

static crd_i_sign sign_of(double x) {
    if (x < 0) return CRD_I_NEGATIVE;
    if (x == 0) return CRD_I_ZERO;
    if (x == 1) return CRD_I_ONE;
    return x == floor(x) ? CRD_I_WHOLE : CRD_I_FRACTION;
}

static bool signs_add_group(signs *tally, const crd_i_cells *cells, const crd_i_row_group *group) {
    uint32_t result[CRD_I_SIGN_COUNT] = {0};
    for (size_t i = 0; i < group->count; i++) {
        size_t row = group->origin + group->rows[i];
        if (crd_i_number_present(cells, row)) result[sign_of(cells->numbers[row])]++;
    }
    for (int sign = 0; sign < CRD_I_SIGN_COUNT; sign++)
        if (result[sign] > 0 &&
            !crd_i_sums_count(&tally->cells, signs_cell(group->condition, (crd_i_sign)sign), result[sign]))
            return false;
    return true;
}

static bool signs_add_weighted(signs *tally, const crd_i_cells *cells, const crd_i_row_group *group) {
    for (size_t i = 0; i < group->count; i++) {
        size_t row = group->origin + group->rows[i];
        if (!crd_i_number_present(cells, row)) continue;
        size_t cell = signs_cell(group->condition, sign_of(cells->numbers[row]));
        if (!crd_i_sums_add(&tally->cells, cell, group->weights[i])) return false;
    }
    return true;
}

static bool signs_add(crd_i_tally *base, const crd_i_cells *cells, const crd_i_groups *groups) {
    signs *tally = (signs *)base;
    for (size_t i = 0; i < groups->count; i++) {
        const crd_i_row_group *group = &groups->groups[i];
        if (!(group->weights == NULL ? signs_add_group : signs_add_weighted)(tally, cells, group)) return false;
    }
    return true;
}

static bool signs_prepare(crd_i_tally *base, const crd_i_tally *other, const crd_i_tally_map *map) {
    size_t conditions = 0;
    for (size_t i = 0; i < map->condition_count; i++)
        if (map->conditions[i] >= conditions) conditions = map->conditions[i] + 1;
    if (!signs_extend(base, conditions, 0)) return false;
    for (size_t condition = 0; condition < other->conditions; condition++)
        for (int sign = 0; sign < CRD_I_SIGN_COUNT; sign++)
            if (!crd_i_sums_reserve(&((signs *)base)->cells, signs_cell(map->conditions[condition], (crd_i_sign)sign),
                                    &((const signs *)other)->cells, signs_cell(condition, (crd_i_sign)sign)))
                return false;
    return true;
}

static bool signs_combine(crd_i_tally *base, const crd_i_tally *other, const crd_i_tally_map *map, int direction) {
    for (size_t condition = 0; condition < other->conditions; condition++)
        for (int sign = 0; sign < CRD_I_SIGN_COUNT; sign++)
            if (!crd_i_sums_combine(&((signs *)base)->cells, signs_cell(map->conditions[condition], (crd_i_sign)sign),
                                    &((const signs *)other)->cells, signs_cell(condition, (crd_i_sign)sign), direction))
                return false;
    return true;
}

static bool signs_find_impossible(const crd_i_tally *base, const crd_i_tally *other, const crd_i_tally_map *map,
                                  crd_i_impossible *out) {
    (void)other;
    const signs *tally = (const signs *)base;
    out->found = false;
    for (size_t i = 0; i < map->condition_count; i++)
        for (int sign = 0; sign < CRD_I_SIGN_COUNT; sign++) {
            size_t cell = signs_cell(map->conditions[i], (crd_i_sign)sign);
            if (crd_i_sums_sign(&tally->cells, cell) >= 0) continue;
            crd_i_impossible impossible = {
                true, false, map->conditions[i], 0, crd_i_sums_value(&tally->cells, cell), false, 0, NULL};
            *out = impossible;
            return true;
        }
    return true;
}

static uint64_t signs_size(const crd_i_tally *base) {
    return (uint64_t)CRD_I_SIGN_COUNT * base->conditions;
}

static void signs_write(const crd_i_tally *base, const crd_i_view *view, crd_i_encoder *encoder) {
    const signs *tally = (const signs *)base;
    crd_i_window window = crd_i_window_begin(encoder, &tally->cells);
    for (size_t i = 0; i < view->condition_count; i++) {
        size_t condition = (size_t)view->conditions[i];
        /* The class may have appeared after the last cell of this column. */
        for (int sign = 0; sign < CRD_I_SIGN_COUNT; sign++)
            if (condition < base->conditions)
                crd_i_window_cell(encoder, window, &tally->cells, signs_cell(condition, (crd_i_sign)sign));
            else
                for (uint32_t limb = 0; limb < window.width; limb++) crd_i_encode_u64(encoder, 0);
    }
}

static crd_status signs_read(crd_i_tally *base, size_t conditions, size_t values, crd_i_cursor *cursor,
                             crd_error *error) {
    signs *tally = (signs *)base;
    (void)values;
    crd_status status = crd_i_window_read(cursor, &tally->cells, (uint64_t)conditions * CRD_I_SIGN_COUNT, error);
    if (status != CRD_OK) return status;
    base->conditions = conditions;
    for (size_t cell = 0; cell < conditions * CRD_I_SIGN_COUNT; cell++)
        if (crd_i_sums_sign(&tally->cells, cell) < 0)
            return crd_i_fail(error, CRD_ERROR_DAMAGED, "a count is negative");
    return CRD_OK;
}

/* Checks that the counts of all signs add up to the number of present cells, under every condition. */
static bool signs_check(const crd_i_tally *base, const crd_i_tally *main, bool *agrees) {
    const signs *tally = (const signs *)base;
    crd_i_sums left;
    crd_i_sums_init(&left, base->context);
    bool done = crd_i_sums_extend(&left, 1);
    *agrees = true;
    for (size_t condition = 0; done && *agrees && condition < base->conditions; condition++) {
        size_t of_main;
        const crd_i_sums *totals = main->type->total(main, condition, &of_main);
        done = totals == NULL || crd_i_sums_combine(&left, 0, totals, of_main, 1);
        for (int sign = 0; done && sign < CRD_I_SIGN_COUNT; sign++)
            done = crd_i_sums_combine(&left, 0, &tally->cells, signs_cell(condition, (crd_i_sign)sign), -1);
        *agrees = crd_i_sums_sign(&left, 0) == 0;
    }
    crd_i_sums_clear(&left);
    return done;
}

const crd_i_tally_type crd_i_signs = {
    .name = "signs",
    .type = CRD_TYPE_NUMERIC,
    .create = signs_create,
    .destroy = signs_destroy,
    .extend = signs_extend,
    .add = signs_add,
    .prepare = signs_prepare,
    .combine = signs_combine,
    .find_impossible = signs_find_impossible,
    .size = signs_size,
    .write = signs_write,
    .read = signs_read,
    .check = signs_check,
};

double crd_i_signs_value(const crd_i_tally *base, size_t condition, crd_i_sign sign) {
    if (condition >= base->conditions) return 0;
    return crd_i_sums_value(&((const signs *)base)->cells, signs_cell(condition, sign));
}
