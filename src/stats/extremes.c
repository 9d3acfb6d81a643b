/* SPDX-License-Identifier: MIT */
/* extremes.c - the minimum and maximum of a column under each condition.
 *
 * They can be merged, but rows cannot be forgotten: after the minimum is removed, the minimum of the other rows is
 * unknown. */
#include "stats/tally.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/exact/ieee754.h"

#include <math.h>

/* A range of numbers. least > greatest: no number was present. */
typedef struct extremes_range {
    double least, greatest;
} extremes_range;

static const extremes_range NOTHING = {INFINITY, -INFINITY};

typedef struct extremes {
    crd_i_tally base;
    extremes_range *ranges; /* one per condition */
    size_t capacity;
} extremes;

static crd_i_tally *extremes_create(crd_context *context) {
    extremes *tally = crd_i_alloc_zeroed(context, 1, sizeof *tally);
    if (tally == NULL) return NULL;
    tally->base.type = &crd_i_extremes;
    tally->base.context = context;
    return &tally->base;
}

static void extremes_destroy(crd_i_tally *base) {
    crd_free(base->context, ((extremes *)base)->ranges);
    crd_free(base->context, base);
}

static bool extremes_extend(crd_i_tally *base, size_t conditions, size_t values) {
    extremes *tally = (extremes *)base;
    (void)values; /* numbers have no value codes */
    if (!crd_i_reserve(base->context, &tally->ranges, &tally->capacity, conditions, sizeof *tally->ranges))
        return false;
    for (; base->conditions < conditions; base->conditions++) tally->ranges[base->conditions] = NOTHING;
    return true;
}

static void extremes_widen(extremes_range *range, const extremes_range *given_range) {
    if (given_range->least < range->least) range->least = given_range->least;
    if (given_range->greatest > range->greatest) range->greatest = given_range->greatest;
}

/* Adds rows. Weights do not matter, because any weight above zero counts as an occurrence. */
static bool extremes_add(crd_i_tally *base, const crd_i_cells *cells, const crd_i_groups *groups) {
    for (size_t g = 0; g < groups->count; g++) {
        const crd_i_row_group *group = &groups->groups[g];
        extremes_range range = NOTHING;
        for (size_t i = 0; i < group->count; i++) {
            size_t row = group->origin + group->rows[i];
            if (!crd_i_number_present(cells, row)) continue;
            double x = cells->numbers[row] + 0.0; /* -0 becomes 0 */
            const extremes_range here = {x, x};
            extremes_widen(&range, &here);
        }
        extremes_widen(&((extremes *)base)->ranges[group->condition], &range);
    }
    return true;
}

static bool extremes_prepare(crd_i_tally *base, const crd_i_tally *other, const crd_i_tally_map *map) {
    size_t conditions = 0;
    (void)other;
    for (size_t i = 0; i < map->condition_count; i++)
        if (map->conditions[i] >= conditions) conditions = map->conditions[i] + 1;
    return extremes_extend(base, conditions, 0);
}

static bool extremes_combine(crd_i_tally *base, const crd_i_tally *other, const crd_i_tally_map *map, int sign) {
    (void)sign; /* always 1, because extremes cannot forget */
    for (size_t condition = 0; condition < other->conditions; condition++)
        extremes_widen(&((extremes *)base)->ranges[map->conditions[condition]],
                       &((const extremes *)other)->ranges[condition]);
    return true;
}

static uint64_t extremes_size(const crd_i_tally *base) {
    return 2 * (uint64_t)base->conditions;
}

static void extremes_write(const crd_i_tally *base, const crd_i_view *view, crd_i_encoder *encoder) {
    for (size_t i = 0; i < view->condition_count; i++) {
        size_t condition = (size_t)view->conditions[i];
        /* The class may have appeared after the last cell of this column. */
        extremes_range range = condition < base->conditions ? ((const extremes *)base)->ranges[condition] : NOTHING;
        crd_i_encode_u64(encoder, crd_i_bits_of(range.least));
        crd_i_encode_u64(encoder, crd_i_bits_of(range.greatest));
    }
}

static bool extremes_is_plain(double x) {
    return isfinite(x) && !(x == 0 && signbit(x));
}

static crd_status extremes_read(crd_i_tally *base, size_t conditions, size_t values, crd_i_cursor *cursor,
                                crd_error *error) {
    (void)values;
    if (!crd_i_cursor_holds(cursor, conditions, sizeof(extremes_range)))
        return crd_i_fail(error, CRD_ERROR_DAMAGED, "the extremes are truncated");
    if (!extremes_extend(base, conditions, 0)) return crd_i_fail_memory(error);
    for (size_t condition = 0; condition < conditions; condition++) {
        extremes_range *range = &((extremes *)base)->ranges[condition];
        range->least = crd_i_double_of(crd_i_decode_u64(cursor));
        range->greatest = crd_i_double_of(crd_i_decode_u64(cursor));
        bool is_nothing = range->least == NOTHING.least && range->greatest == NOTHING.greatest;
        bool is_something =
            extremes_is_plain(range->least) && extremes_is_plain(range->greatest) && range->least <= range->greatest;
        if (!is_nothing && !is_something) return crd_i_fail(error, CRD_ERROR_DAMAGED, "the extremes are impossible");
    }
    return CRD_OK;
}

static bool extremes_check(const crd_i_tally *base, const crd_i_tally *main, bool *agrees) {
    *agrees = true;
    for (size_t condition = 0; condition < base->conditions; condition++) {
        const extremes_range *range = &((const extremes *)base)->ranges[condition];
        if ((range->least <= range->greatest) != (crd_i_tally_total(main, condition) > 0)) *agrees = false;
    }
    return true;
}

const crd_i_tally_type crd_i_extremes = {
    .name = "min-max",
    .former_name = "extremes",
    .type = CRD_TYPE_NUMERIC,
    .cannot_forget = "the minimum and maximum of a column are unknown after one of them is removed",
    .create = extremes_create,
    .destroy = extremes_destroy,
    .extend = extremes_extend,
    .add = extremes_add,
    .prepare = extremes_prepare,
    .combine = extremes_combine,
    .size = extremes_size,
    .write = extremes_write,
    .read = extremes_read,
    .check = extremes_check,
};

bool crd_i_extremes_value(const crd_i_tally *base, size_t condition, double *least, double *greatest) {
    const extremes_range range = condition < base->conditions ? ((const extremes *)base)->ranges[condition] : NOTHING;
    *least = range.least;
    *greatest = range.greatest;
    return range.least <= range.greatest;
}
