/* counts.c - how often each value was seen under each condition: a matrix of exact sums of weights.
 *
 * Cell (value, condition) is sums cell value * stride + condition. A file brings new values by the million and new
 * conditions by the thousand, one at a time, so both the rows of the matrix (in the sums' own capacity) and the stride
 * grow by doubling. The totals under each condition are kept beside it: they are asked for more often than the cells,
 * and adding a million cells up at each question would not do. */
#include "stats/tally.h"

#include "base/error.h"
#include "base/memory.h"
#include "stats/exact_sums_file.h"

#include <string.h>

typedef struct counts {
    crd_i_tally base;
    size_t stride;     /* conditions that there is room for */
    crd_i_sums cells;  /* base.values * stride of them in use */
    crd_i_sums totals; /* of each condition over all values */
} counts;

static size_t cell_of(const counts *tally, size_t value, size_t condition) {
    return value * tally->stride + condition;
}

static crd_i_tally *create(crd_context *context) {
    counts *tally = crd_i_alloc_zeroed(context, 1, sizeof *tally);
    if (tally == NULL) return NULL;
    tally->base.type = &crd_i_counts;
    tally->base.context = context;
    crd_i_sums_init(&tally->cells, context);
    crd_i_sums_init(&tally->totals, context);
    return &tally->base;
}

static void destroy(crd_i_tally *base) {
    counts *tally = (counts *)base;
    crd_i_sums_clear(&tally->cells);
    crd_i_sums_clear(&tally->totals);
    crd_free(base->context, tally);
}

/* Lays the matrix out anew with room for more conditions. */
static bool widen(counts *tally, size_t conditions) {
    size_t stride = tally->stride == 0 ? 1 : tally->stride;
    while (stride < conditions) {
        if (stride > SIZE_MAX / 2) return false;
        stride *= 2;
    }
    size_t rows = tally->base.values;
    if (rows > 0 && stride > SIZE_MAX / rows) return false;
    crd_i_sums wider;
    crd_i_sums_init(&wider, tally->base.context);
    size_t used = rows * tally->stride;
    size_t *map = crd_i_alloc(tally->base.context, tally->cells.cells, sizeof *map);
    if (map == NULL || !crd_i_sums_extend(&wider, rows * stride)) goto fail;
    for (size_t cell = 0; cell < used; cell++) map[cell] = cell / tally->stride * stride + cell % tally->stride;
    if (used > 0 && !crd_i_sums_combine_all(&wider, &tally->cells, map, 1)) goto fail;
    crd_free(tally->base.context, map);
    crd_i_sums_clear(&tally->cells);
    tally->cells = wider;
    tally->stride = stride;
    return true;

fail:
    crd_free(tally->base.context, map);
    crd_i_sums_clear(&wider);
    return false;
}

static bool extend(crd_i_tally *base, size_t conditions, size_t values) {
    counts *tally = (counts *)base;
    /* The totals first: cells that are there are in use, and widening relies on it. */
    if (!crd_i_sums_extend(&tally->totals, conditions)) return false;
    if (conditions > tally->stride && !widen(tally, conditions)) return false;
    if (values > base->values) {
        if (tally->stride > 0 && values > SIZE_MAX / tally->stride) return false;
        if (!crd_i_sums_extend(&tally->cells, values * tally->stride)) return false;
    }
    if (values > base->values) base->values = values;
    if (conditions > base->conditions) base->conditions = conditions;
    return true;
}

/* For groups that are small beside the number of values. */
static bool add_one_by_one(counts *tally, const crd_i_cells *cells, const crd_i_group *group, size_t *total) {
    const int32_t *codes = cells->codes + group->origin;
    for (size_t i = 0; i < group->count; i++) {
        int32_t value = codes[group->rows[i]];
        if (value < 0) continue;
        if (!crd_i_sums_count(&tally->cells, cell_of(tally, (size_t)value, group->condition), 1)) return false;
        (*total)++;
    }
    return true;
}

/* Others are counted in small integers first, with a count for missing cells too, so that nothing depends on what a
 * cell says but where it is counted. Cells in a row are often the same, and adding to a number that was just added to
 * has to wait for it: so they are counted in turns. */
enum { MOST_VALUES = 256, TURNS = 4, CELLS_PER_VALUE = 4 };

static bool add_at_once(counts *tally, const crd_i_cells *cells, const crd_i_group *group, size_t *total) {
    uint32_t found[MOST_VALUES + 1][TURNS]; /* of missing cells, then of each value */
    size_t values = tally->base.values;
    memset(found, 0, (values + 1) * sizeof *found);
    const int32_t *codes = cells->codes + group->origin;
    const uint16_t *rows = group->rows;
    size_t i = 0;
#define COUNT(turn, at) found[codes[rows[at]] < 0 ? 0 : codes[rows[at]] + 1][turn]++
    for (; i + TURNS <= group->count; i += TURNS) {
        COUNT(0, i);
        COUNT(1, i + 1);
        COUNT(2, i + 2);
        COUNT(3, i + 3);
    }
    for (; i < group->count; i++) COUNT(0, i);
#undef COUNT
    for (size_t value = 0; value < values; value++) {
        const uint32_t *turns = found[value + 1];
        uint32_t count = turns[0] + turns[1] + turns[2] + turns[3];
        if (count == 0) continue;
        if (!crd_i_sums_count(&tally->cells, cell_of(tally, value, group->condition), count)) return false;
        *total += count;
    }
    return true;
}

static bool add_group(counts *tally, const crd_i_cells *cells, const crd_i_group *group) {
    size_t values = tally->base.values, total = 0;
    bool is_large = values <= MOST_VALUES && group->count / CELLS_PER_VALUE >= values;
    if (!(is_large ? add_at_once : add_one_by_one)(tally, cells, group, &total)) return false;
    return crd_i_sums_add_integer(&tally->totals, group->condition, (int64_t)total);
}

static bool add_weighted(counts *tally, const crd_i_cells *cells, const crd_i_group *group, const double *weights) {
    for (size_t i = 0; i < group->count; i++) {
        size_t row = group->origin + group->rows[i];
        if (cells->codes[row] < 0) continue;
        size_t cell = cell_of(tally, (size_t)cells->codes[row], group->condition);
        if (!crd_i_sums_add(&tally->cells, cell, weights[row])) return false;
        if (!crd_i_sums_add(&tally->totals, group->condition, weights[row])) return false;
    }
    return true;
}

static bool add(crd_i_tally *base, const crd_i_cells *cells, const crd_i_groups *groups, const double *weights) {
    counts *tally = (counts *)base;
    for (size_t i = 0; i < groups->count; i++) {
        const crd_i_group *group = &groups->groups[i];
        if (!(weights == NULL ? add_group(tally, cells, group) : add_weighted(tally, cells, group, weights)))
            return false;
    }
    return true;
}

static bool prepare(crd_i_tally *base, const crd_i_tally *other_base, const crd_i_tally_map *map) {
    counts *tally = (counts *)base;
    const counts *other = (const counts *)other_base;
    size_t conditions = 0, values = 0;
    for (size_t i = 0; i < map->condition_count; i++)
        if (map->conditions[i] >= conditions) conditions = map->conditions[i] + 1;
    for (size_t i = 0; i < map->value_count; i++)
        if (map->values[i] >= values) values = map->values[i] + 1;
    if (!extend(base, conditions, values)) return false;

    for (size_t condition = 0; condition < other->base.conditions; condition++) {
        size_t to = map->conditions[condition];
        if (!crd_i_sums_reserve(&tally->totals, to, &other->totals, condition)) return false;
        for (size_t value = 0; value < other->base.values; value++)
            if (!crd_i_sums_reserve(&tally->cells, cell_of(tally, map->values[value], to), &other->cells,
                                    cell_of(other, value, condition)))
                return false;
    }
    return true;
}

static bool combine(crd_i_tally *base, const crd_i_tally *other_base, const crd_i_tally_map *map, int sign) {
    counts *tally = (counts *)base;
    const counts *other = (const counts *)other_base;
    for (size_t condition = 0; condition < other->base.conditions; condition++) {
        size_t to = map->conditions[condition];
        if (!crd_i_sums_combine(&tally->totals, to, &other->totals, condition, sign)) return false;
        for (size_t value = 0; value < other->base.values; value++)
            if (!crd_i_sums_combine(&tally->cells, cell_of(tally, map->values[value], to), &other->cells,
                                    cell_of(other, value, condition), sign))
                return false;
    }
    return true;
}

static bool find_impossible(const crd_i_tally *base, const crd_i_tally_map *map, crd_i_impossible *out) {
    const counts *tally = (const counts *)base;
    out->found = false;
    for (size_t i = 0; i < map->value_count; i++) {
        for (size_t k = 0; k < map->condition_count; k++) {
            size_t cell = cell_of(tally, map->values[i], map->conditions[k]);
            if (crd_i_sums_sign(&tally->cells, cell) >= 0) continue;
            crd_i_impossible impossible = {
                true, true, map->conditions[k], map->values[i], crd_i_sums_value(&tally->cells, cell), false, 0};
            *out = impossible;
            return true;
        }
    }
    return true;
}

static const crd_i_sums *totals(const crd_i_tally *base) {
    return &((const counts *)base)->totals;
}

static void write(const crd_i_tally *base, const crd_i_view *view, crd_i_encoder *encoder) {
    const counts *tally = (const counts *)base;
    crd_i_window window = crd_i_window_begin(encoder, &tally->cells);
    for (size_t i = 0; i < view->value_count; i++)
        for (size_t k = 0; k < view->condition_count; k++) {
            size_t value = (size_t)view->values[i], condition = (size_t)view->conditions[k];
            /* A class may be newer than the last cell of this column. */
            if (condition < base->conditions)
                crd_i_window_cell(encoder, window, &tally->cells, cell_of(tally, value, condition));
            else
                for (uint32_t limb = 0; limb < window.width; limb++) crd_i_encode_u64(encoder, 0);
        }
}

/* Adds the totals up and refuses what no rows can have given. */
static crd_status check(counts *tally, crd_error *error) {
    for (size_t value = 0; value < tally->base.values; value++) {
        bool live = false;
        for (size_t condition = 0; condition < tally->base.conditions; condition++) {
            size_t cell = cell_of(tally, value, condition);
            int sign = crd_i_sums_sign(&tally->cells, cell);
            if (sign < 0) return crd_i_fail(error, CRD_ERROR_DAMAGED, "a count is below zero");
            if (sign == 0) continue;
            live = true;
            if (!crd_i_sums_combine(&tally->totals, condition, &tally->cells, cell, 1)) return crd_i_fail_memory(error);
        }
        if (!live) return crd_i_fail(error, CRD_ERROR_DAMAGED, "a value was never counted");
    }
    for (size_t condition = 0; condition < tally->base.conditions; condition++)
        if (crd_i_sums_value(&tally->totals, condition) > CRD_I_MOST_ROWS)
            return crd_i_fail(error, CRD_ERROR_DAMAGED, "a count is larger than any number of rows");
    return CRD_OK;
}

static crd_status read(crd_i_tally *base, size_t conditions, size_t values, crd_i_cursor *cursor, crd_error *error) {
    counts *tally = (counts *)base;
    if (conditions > UINT32_MAX || values > UINT32_MAX)
        return crd_i_fail(error, CRD_ERROR_DAMAGED, "there are more values than a file can hold");
    crd_status status = crd_i_window_read(cursor, &tally->cells, (uint64_t)conditions * values, error);
    if (status != CRD_OK) return status;
    if (!crd_i_sums_extend(&tally->totals, conditions)) return crd_i_fail_memory(error);
    tally->stride = conditions;
    base->conditions = conditions;
    base->values = values;
    return check(tally, error);
}

const crd_i_tally_type crd_i_counts = {
    .name = "counts",
    .kind = CRD_KIND_CATEGORY,
    .is_main = true,
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

double crd_i_counts_value(const crd_i_tally *base, size_t value, size_t condition) {
    const counts *tally = (const counts *)base;
    if (value >= base->values || condition >= base->conditions) return 0;
    return crd_i_sums_value(&tally->cells, cell_of(tally, value, condition));
}

bool crd_i_counts_value_is_live(const crd_i_tally *base, size_t value) {
    const counts *tally = (const counts *)base;
    if (value >= base->values) return false;
    for (size_t condition = 0; condition < base->conditions; condition++)
        if (crd_i_sums_sign(&tally->cells, cell_of(tally, value, condition)) != 0) return true;
    return false;
}
