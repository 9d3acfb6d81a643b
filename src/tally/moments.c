/* moments.c - the exact sums of weights w, of w x and of w x^2 under each condition.
 *
 * From these a normal density is derived; they say no more of the numbers, and no less is enough. */
#include "tally/tally.h"

#include "base/error.h"
#include "base/memory.h"
#include "tally/window.h"

#include <math.h>

enum { POWERS = 3 };

typedef struct moments {
    crd_i_tally base;
    crd_i_sums sums[POWERS]; /* of w, w x, w x^2; a cell for each condition */
} moments;

static crd_i_tally *create(crd_context *context) {
    moments *tally = crd_i_alloc_zeroed(context, 1, sizeof *tally);
    if (tally == NULL) return NULL;
    tally->base.type = &crd_i_moments;
    tally->base.context = context;
    for (int power = 0; power < POWERS; power++) crd_i_sums_init(&tally->sums[power], context);
    return &tally->base;
}

static void destroy(crd_i_tally *base) {
    moments *tally = (moments *)base;
    for (int power = 0; power < POWERS; power++) crd_i_sums_clear(&tally->sums[power]);
    crd_free(base->context, tally);
}

static bool extend(crd_i_tally *base, size_t conditions, size_t values) {
    moments *tally = (moments *)base;
    (void)values; /* numbers are not numbered */
    for (int power = 0; power < POWERS; power++)
        if (!crd_i_sums_extend(&tally->sums[power], conditions)) return false;
    if (conditions > base->conditions) base->conditions = conditions;
    return true;
}

/* Of up to CRD_I_BLOCK rows, those whose validity bit is set; returns how many they are. */
static size_t valid_rows(const uint8_t *validity, size_t origin, const uint16_t *rows, size_t count, uint16_t *valid) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        size_t row = origin + rows[i];
        valid[kept] = rows[i];
        kept += validity[row >> 3] >> (row & 7) & 1;
    }
    return kept;
}

static bool add_group(moments *tally, const crd_i_cells *cells, const crd_i_group *group, const crd_i_slicer *slicer) {
    const double *numbers = cells->numbers + group->origin;
    uint16_t valid[CRD_I_BLOCK];
    size_t total = 0;
    for (size_t begin = 0; begin < group->count; begin += CRD_I_BLOCK) {
        const uint16_t *rows = group->rows + begin;
        size_t count = group->count - begin < CRD_I_BLOCK ? group->count - begin : CRD_I_BLOCK;
        if (cells->validity != NULL) {
            count = valid_rows(cells->validity, group->origin, rows, count, valid);
            rows = valid;
        }
        if (!crd_i_slices_add(slicer, numbers, rows, &count, &tally->sums[1], &tally->sums[2], group->condition))
            return false;
        total += count;
    }
    return crd_i_sums_add_integer(&tally->sums[0], group->condition, (int64_t)total);
}

bool crd_i_moments_add(crd_i_tally *base, const crd_i_cells *cells, const crd_i_groups *groups,
                       const crd_i_slicer *slicer) {
    for (size_t i = 0; i < groups->count; i++)
        if (!add_group((moments *)base, cells, &groups->groups[i], slicer)) return false;
    return true;
}

static bool add_weighted(moments *tally, const crd_i_cells *cells, const crd_i_group *group, const double *weights) {
    for (size_t i = 0; i < group->count; i++) {
        size_t row = group->origin + group->rows[i];
        if (!crd_i_number_present(cells, row)) continue;
        double x = cells->numbers[row], weight = weights[row];
        if (!crd_i_sums_add(&tally->sums[0], group->condition, weight) ||
            !crd_i_sums_add_product(&tally->sums[1], group->condition, weight, x) ||
            !crd_i_sums_add_product3(&tally->sums[2], group->condition, weight, x, x))
            return false;
    }
    return true;
}

static bool add(crd_i_tally *base, const crd_i_cells *cells, const crd_i_groups *groups, const double *weights) {
    if (weights == NULL) return crd_i_moments_add(base, cells, groups, crd_i_slicer_best());
    for (size_t i = 0; i < groups->count; i++)
        if (!add_weighted((moments *)base, cells, &groups->groups[i], weights)) return false;
    return true;
}

static bool prepare(crd_i_tally *base, const crd_i_tally *other_base, const crd_i_tally_map *map) {
    moments *tally = (moments *)base;
    const moments *other = (const moments *)other_base;
    size_t conditions = 0;
    for (size_t i = 0; i < map->condition_count; i++)
        if (map->conditions[i] >= conditions) conditions = map->conditions[i] + 1;
    if (!extend(base, conditions, 0)) return false;
    for (int power = 0; power < POWERS; power++)
        for (size_t condition = 0; condition < other_base->conditions; condition++)
            if (!crd_i_sums_reserve(&tally->sums[power], map->conditions[condition], &other->sums[power], condition))
                return false;
    return true;
}

static bool combine(crd_i_tally *base, const crd_i_tally *other_base, const crd_i_tally_map *map, int sign) {
    moments *tally = (moments *)base;
    const moments *other = (const moments *)other_base;
    for (int power = 0; power < POWERS; power++)
        for (size_t condition = 0; condition < other_base->conditions; condition++)
            if (!crd_i_sums_combine(&tally->sums[power], map->conditions[condition], &other->sums[power], condition,
                                    sign))
                return false;
    return true;
}

static bool find_impossible(const crd_i_tally *base, const crd_i_tally_map *map, crd_i_impossible *out) {
    out->found = false;
    for (size_t i = 0; i < map->condition_count; i++) {
        bool possible;
        if (!crd_i_moments_possible(crd_i_moments_cell(base, map->conditions[i]), &possible)) return false;
        if (possible) continue;
        crd_i_impossible impossible = {true, false, map->conditions[i], 0, crd_i_tally_total(base, map->conditions[i])};
        *out = impossible;
        return true;
    }
    return true;
}

static const crd_i_sums *totals(const crd_i_tally *base) {
    return &((const moments *)base)->sums[0];
}

static void write(const crd_i_tally *base, const crd_i_view *view, crd_i_encoder *encoder) {
    const moments *tally = (const moments *)base;
    for (int power = 0; power < POWERS; power++) {
        crd_i_window window = crd_i_window_begin(encoder, &tally->sums[power]);
        for (size_t i = 0; i < view->condition_count; i++) {
            size_t condition = (size_t)view->conditions[i];
            /* A class may be newer than the last cell of this column. */
            if (condition < base->conditions) crd_i_window_cell(encoder, window, &tally->sums[power], condition);
            else
                for (uint32_t limb = 0; limb < window.width; limb++) crd_i_encode_u64(encoder, 0);
        }
    }
}

static crd_status check(const crd_i_tally *base, crd_error *error) {
    for (size_t condition = 0; condition < base->conditions; condition++) {
        crd_i_moment_cell cell = crd_i_moments_cell(base, condition);
        bool possible, defined;
        if (!crd_i_moments_possible(cell, &possible)) return crd_i_fail_memory(error);
        double mean = 0;
        if (possible && crd_i_sums_sign(cell.n, condition) > 0 && !crd_i_moments_mean(cell, &mean, NULL, &defined))
            return crd_i_fail_memory(error);
        if (!possible || !isfinite(mean)) return crd_i_fail(error, CRD_ERROR_DAMAGED, "no numbers have these sums");
        if (crd_i_tally_total(base, condition) > CRD_I_MOST_ROWS)
            return crd_i_fail(error, CRD_ERROR_DAMAGED, "a count is larger than any number of rows");
    }
    return CRD_OK;
}

static crd_status read(crd_i_tally *base, size_t conditions, size_t values, crd_i_cursor *cursor, crd_error *error) {
    moments *tally = (moments *)base;
    if (values != 0) return crd_i_fail(error, CRD_ERROR_DAMAGED, "a number column has a list of values");
    for (int power = 0; power < POWERS; power++) {
        crd_status status = crd_i_window_read(cursor, &tally->sums[power], conditions, error);
        if (status != CRD_OK) return status;
    }
    base->conditions = conditions;
    return check(base, error);
}

const crd_i_tally_type crd_i_moments = {
    .name = "moments",
    .kind = CRD_KIND_NUMBER,
    .create = create,
    .destroy = destroy,
    .extend = extend,
    .add = add,
    .prepare = prepare,
    .combine = combine,
    .find_impossible = find_impossible,
    .totals = totals,
    .write = write,
    .read = read,
};

crd_i_moment_cell crd_i_moments_cell(const crd_i_tally *base, size_t condition) {
    const moments *tally = (const moments *)base;
    crd_i_moment_cell cell = {&tally->sums[0], &tally->sums[1], &tally->sums[2], condition};
    return cell;
}
