/* SPDX-License-Identifier: MIT */
/* counts.c - contingency table of one column: how often each value occurs under each condition, as exact sums of
 * weights.
 *
 *     n(v, c) = sum of w_i over the rows i with value v and condition c;   n(c) = sum of n(v, c) over v
 *
 * A file can add millions of values and thousands of conditions, one at a time, and most pairs never occur. So the
 * matrix is a block (pair_counts_block.h). It is a dense array while there are few conditions or a large part of the
 * entries is nonzero; otherwise it stores only the pairs that occurred. Either way its memory is proportional to the
 * number of values plus the number of nonzero counts. The totals n(c) are stored separately, because they are read more
 * often than the entries and adding up a million entries for each read would be too slow. */
#include "stats/counts_parts.h"
#include "stats/counts_rows.h"

#include "base/memory.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Up to this many conditions, the matrix is dense, however few pairs occurred. */
enum { CONDITIONS_AT_ONCE = 8 };

static crd_i_tally *counts_create(crd_context *context) {
    crd_i_counts_tally *tally = crd_i_alloc_zeroed(context, 1, sizeof *tally);
    if (tally == NULL) return NULL;
    tally->base.type = &crd_i_counts;
    tally->base.context = context;
    crd_i_counts_block_init(&tally->cells, context);
    crd_i_counts_block_init(&tally->totals, context);
    return &tally->base;
}

static void counts_destroy(crd_i_tally *base) {
    crd_i_counts_tally *tally = (crd_i_counts_tally *)base;
    crd_i_counts_block_clear(&tally->cells);
    crd_i_counts_block_clear(&tally->totals);
    crd_free(base->context, tally);
}

bool crd_i_counts_make_room(crd_i_counts_tally *tally, size_t conditions, size_t values, size_t more) {
    crd_i_tally *base = &tally->base;
    const size_t extents[3] = {values > base->values ? values : base->values, 1,
                               conditions > base->conditions ? conditions : base->conditions};
    const size_t alone[3] = {1, 1, extents[2]};
    if (extents[0] > INT32_MAX || extents[2] > INT32_MAX) return false;
    uint64_t at_once = (uint64_t)CONDITIONS_AT_ONCE * extents[0];
    if (tally->cells.dense_up_to < at_once) tally->cells.dense_up_to = tally->totals.dense_up_to = at_once;
    if (!crd_i_counts_block_fit(&tally->totals, alone, more) || !crd_i_counts_block_fit(&tally->cells, extents, more))
        return false;
    base->values = extents[0];
    base->conditions = extents[2];
    return true;
}

static bool counts_extend(crd_i_tally *base, size_t conditions, size_t values) {
    return crd_i_counts_make_room((crd_i_counts_tally *)base, conditions, values, 0);
}

/* Adds a group of unweighted rows that is small compared with the number of values. Adds the number of present cells to
 * *total. */
static bool add_one_by_one(crd_i_counts_tally *tally, const crd_i_cells *cells, const crd_i_group *group,
                           size_t *total) {
    const int32_t *codes = cells->codes + group->origin;
    for (size_t i = 0; i < group->count; i++) {
        int32_t value = codes[group->rows[i]];
        size_t cell;
        if (value < 0) continue;
        if (!crd_i_counts_block_cell(&tally->cells, (size_t)value, 0, group->condition, &cell) ||
            !crd_i_sums_count(&tally->cells.sums, cell, 1))
            return false;
        (*total)++;
    }
    return true;
}

/* Larger groups are first counted in small integers. Missing cells have a counter too, so the loop has no branch that
 * depends on the data. Neighboring rows often have the same value, and an increment has to wait for the previous
 * increment of the same counter. So TURNS counters per value are used in turn. */
enum { MOST_VALUES = 256, TURNS = 4, CELLS_PER_VALUE = 4 };

/* Adds a group of unweighted rows that is large compared with the number of values, which is at most MOST_VALUES. Adds
 * the number of present cells to *total. */
static bool add_at_once(crd_i_counts_tally *tally, const crd_i_cells *cells, const crd_i_group *group, size_t *total) {
    uint32_t found[MOST_VALUES + 1][TURNS]; /* element 0: missing cells; element v + 1: value v */
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
        size_t cell;
        if (count == 0) continue;
        if (!crd_i_counts_block_cell(&tally->cells, value, 0, group->condition, &cell) ||
            !crd_i_sums_count(&tally->cells.sums, cell, count))
            return false;
        *total += count;
    }
    return true;
}

static bool counts_add_group(crd_i_counts_tally *tally, const crd_i_cells *cells, const crd_i_group *group) {
    size_t values = tally->base.values, total = 0;
    bool is_large = values <= MOST_VALUES && group->count / CELLS_PER_VALUE >= values;
    if (!(is_large ? add_at_once : add_one_by_one)(tally, cells, group, &total)) return false;
    size_t cell;
    return crd_i_counts_block_cell(&tally->totals, 0, 0, group->condition, &cell) &&
           crd_i_sums_add_integer(&tally->totals.sums, cell, (int64_t)total);
}

/* Adds the weighted rows begin .. end - 1 of a group, one exact addition per row. */
static bool counts_add_weighted_singly(crd_i_counts_tally *tally, const crd_i_cells *cells, const crd_i_group *group,
                                       size_t begin, size_t end) {
    size_t total, cell;
    if (!crd_i_counts_block_cell(&tally->totals, 0, 0, group->condition, &total)) return false;
    for (size_t i = begin; i < end; i++) {
        const int32_t code = cells->codes[group->origin + group->rows[i]];
        if (code < 0) continue;
        if (!crd_i_counts_block_cell(&tally->cells, (size_t)code, 0, group->condition, &cell) ||
            !crd_i_sums_add(&tally->cells.sums, cell, group->weights[i]) ||
            !crd_i_sums_add(&tally->totals.sums, total, group->weights[i]))
            return false;
    }
    return true;
}

/* Constants of the exact summation of weights. If all weights are below 2^e, each weight is split without error into a
 * multiple of 2^(e - 42) and a remainder of at most half that unit (Rump, Ogita and Oishi 2008). A thousand multiples
 * have a sum of at most 52 bits. So do the remainders, unless a weight has bits below 2^(e - 84). Therefore both parts
 * are summed in doubles, for each value, and nothing is rounded. */
enum { MOST_WEIGHTED = 1024, WEIGHT_BITS = 42 };

typedef struct weight_sum {
    double high, low;
} weight_sum;

/* Returns 1.5 * 2^52 units, where the unit is 2^exponent. Adding this constant to a number and subtracting it again
 * rounds the number to a multiple of the unit. */
static double rounding_constant(int exponent) {
    return ldexp(1.5, exponent + 52);
}

/* Returns whether the weights begin .. end - 1 can be summed in two doubles without rounding. *high and *low become the
 * rounding constants of the two units. */
static bool counts_find_units(const crd_i_group *group, size_t begin, size_t end, double *high, double *low) {
    double greatest = 0;
    for (size_t i = begin; i < end; i++) greatest = group->weights[i] > greatest ? group->weights[i] : greatest;
    int exponent;
    frexp(greatest, &exponent);
    if (FLT_EVAL_METHOD != 0 || exponent < -800 || exponent > 900) return false;
    *high = rounding_constant(exponent - WEIGHT_BITS);
    *low = rounding_constant(exponent - 2 * WEIGHT_BITS);
    bool fits = true;
    for (size_t i = begin; i < end; i++) {
        const double remainder = group->weights[i] - ((group->weights[i] + *high) - *high);
        fits &= (remainder + *low) - *low == remainder;
    }
    return fits;
}

static bool add_weight_sum(crd_i_counts_block *block, size_t value, size_t condition, const weight_sum *sum) {
    size_t cell;
    return crd_i_counts_block_cell(block, value, 0, condition, &cell) &&
           crd_i_sums_add(&block->sums, cell, sum->high) && crd_i_sums_add(&block->sums, cell, sum->low);
}

/* Adds the weighted rows begin .. end - 1 of a group, at most MOST_WEIGHTED, summing each value's weights in doubles
 * first. Falls back to one exact addition per row if that would round. */
static bool add_weighted_at_once(crd_i_counts_tally *tally, const crd_i_cells *cells, const crd_i_group *group,
                                 size_t begin, size_t end) {
    /* element 0: missing cells; element v + 1: value v */
    weight_sum found_sum[MOST_VALUES + 1] = {{0, 0}}, total = {0, 0};
    const int32_t *codes = cells->codes + group->origin;
    double high, low;
    if (!counts_find_units(group, begin, end, &high, &low))
        return counts_add_weighted_singly(tally, cells, group, begin, end);
    for (size_t i = begin; i < end; i++) {
        const int32_t code = codes[group->rows[i]];
        weight_sum *sum = &found_sum[code < 0 ? 0 : code + 1];
        const double rounded = (group->weights[i] + high) - high;
        sum->high += rounded;
        sum->low += group->weights[i] - rounded;
    }
    for (size_t value = 0; value < tally->base.values; value++) {
        const weight_sum *sum = &found_sum[value + 1];
        total.high += sum->high;
        total.low += sum->low;
        if ((sum->high != 0 || sum->low != 0) && !add_weight_sum(&tally->cells, value, group->condition, sum))
            return false;
    }
    return add_weight_sum(&tally->totals, 0, group->condition, &total);
}

static bool counts_add_weighted(crd_i_counts_tally *tally, const crd_i_cells *cells, const crd_i_group *group) {
    const size_t values = tally->base.values;
    for (size_t begin = 0, end; begin < group->count; begin = end) {
        end = group->count - begin < MOST_WEIGHTED ? group->count : begin + MOST_WEIGHTED;
        const bool is_large = values <= MOST_VALUES && (end - begin) / CELLS_PER_VALUE >= values;
        if (!(is_large ? add_weighted_at_once : counts_add_weighted_singly)(tally, cells, group, begin, end))
            return false;
    }
    return true;
}

static bool counts_add(crd_i_tally *base, const crd_i_cells *cells, const crd_i_groups *groups) {
    crd_i_counts_tally *tally = (crd_i_counts_tally *)base;
    /* With this many new rows, a dense array may become worth its memory. */
    if (!crd_i_counts_make_room(tally, 0, 0, cells->rows)) return false;
    for (size_t i = 0; i < groups->count; i++) {
        const crd_i_group *group = &groups->groups[i];
        if (!(group->weights == NULL ? counts_add_group : counts_add_weighted)(tally, cells, group)) return false;
    }
    return true;
}

static bool counts_prepare(crd_i_tally *base, const crd_i_tally *other_base, const crd_i_tally_map *map) {
    crd_i_counts_tally *tally = (crd_i_counts_tally *)base;
    const crd_i_counts_tally *other = (const crd_i_counts_tally *)other_base;
    size_t conditions = 0, values = 0;
    for (size_t i = 0; i < map->condition_count; i++)
        if (map->conditions[i] >= conditions) conditions = map->conditions[i] + 1;
    for (size_t i = 0; i < map->value_count; i++)
        if (map->values[i] >= values) values = map->values[i] + 1;
    if (!crd_i_counts_make_room(tally, conditions, values, crd_i_counts_block_count(&other->cells))) return false;

    const size_t *const maps[3] = {map->values, NULL, map->conditions}, *const alone[3] = {NULL, NULL, map->conditions};
    return crd_i_counts_block_reserve(&tally->totals, &other->totals, alone) &&
           crd_i_counts_block_reserve(&tally->cells, &other->cells, maps);
}

static bool counts_combine(crd_i_tally *base, const crd_i_tally *other_base, const crd_i_tally_map *map, int sign) {
    crd_i_counts_tally *tally = (crd_i_counts_tally *)base;
    const crd_i_counts_tally *other = (const crd_i_counts_tally *)other_base;
    const size_t *const maps[3] = {map->values, NULL, map->conditions}, *const alone[3] = {NULL, NULL, map->conditions};
    return crd_i_counts_block_combine(&tally->totals, &other->totals, alone, sign) &&
           crd_i_counts_block_combine(&tally->cells, &other->cells, maps, sign);
}

/* Finds the first negative count in the order of the other tally's values, then of its conditions. */
static bool counts_find_impossible(const crd_i_tally *base, const crd_i_tally *other, const crd_i_tally_map *map,
                                   crd_i_impossible *out) {
    const crd_i_counts_block *block = crd_i_counts_cells(base), *taken = crd_i_counts_cells(other);
    size_t first_value = SIZE_MAX, first_condition = SIZE_MAX;
    out->found = false;
    for (crd_i_counts_cursor cursor = {0}; crd_i_counts_block_next(taken, &cursor);) {
        size_t value = cursor.numbers[0], condition = cursor.numbers[2];
        if (value > first_value || (value == first_value && condition >= first_condition)) continue;
        size_t cell = crd_i_counts_block_find(block, map->values[value], 0, map->conditions[condition]);
        if (cell == SIZE_MAX || crd_i_sums_sign(&block->sums, cell) >= 0) continue;
        crd_i_impossible impossible = {
            true, true, map->conditions[condition], map->values[value], crd_i_sums_value(&block->sums, cell), false,
            0,    NULL};
        *out = impossible;
        first_value = value;
        first_condition = condition;
    }
    return true;
}

static uint64_t counts_size(const crd_i_tally *base) {
    const crd_i_counts_tally *tally = (const crd_i_counts_tally *)base;
    return (uint64_t)tally->cells.sums.cells + tally->totals.sums.cells;
}

static const crd_i_sums *counts_total(const crd_i_tally *base, size_t condition, size_t *cell) {
    const crd_i_counts_block *totals = &((const crd_i_counts_tally *)base)->totals;
    *cell = crd_i_counts_block_find(totals, 0, 0, condition);
    return *cell == SIZE_MAX ? NULL : &totals->sums;
}

static bool counts_next_total(const crd_i_tally *base, crd_i_total_cursor *cursor) {
    crd_i_counts_cursor counts = {.next = cursor->next};
    if (!crd_i_counts_block_next(&((const crd_i_counts_tally *)base)->totals, &counts)) return false;
    cursor->next = counts.next;
    cursor->condition = counts.numbers[2];
    return true;
}

const crd_i_tally_type crd_i_counts = {
    .name = "counts",
    .kind = CRD_KIND_CATEGORY,
    .is_main = true,
    .create = counts_create,
    .destroy = counts_destroy,
    .extend = counts_extend,
    .add = counts_add,
    .prepare = counts_prepare,
    .combine = counts_combine,
    .find_impossible = counts_find_impossible,
    .size = counts_size,
    .total = counts_total,
    .next_total = counts_next_total,
    .write = crd_i_counts_write,
    .read = crd_i_counts_read,
    .is_sparse = crd_i_counts_is_sparse,
    .write_sparse = crd_i_counts_write_sparse,
    .read_sparse = crd_i_counts_read_sparse,
};

double crd_i_counts_value(const crd_i_tally *base, size_t value, size_t condition) {
    if (value >= base->values || condition >= base->conditions) return 0;
    return crd_i_counts_block_value(crd_i_counts_cells(base), value, 0, condition);
}

void crd_i_counts_mark_live(const crd_i_tally *base, bool *live) {
    for (crd_i_counts_cursor cursor = {0}; crd_i_counts_block_next(crd_i_counts_cells(base), &cursor);)
        live[cursor.numbers[0]] = true;
}

bool crd_i_counts_suit_array(const crd_i_tally *tally, size_t conditions, size_t values) {
    return conditions <= CONDITIONS_AT_ONCE ||
           crd_i_counts_block_suits_array((uint64_t)conditions * values,
                                          crd_i_counts_block_count(crd_i_counts_cells(tally)));
}
