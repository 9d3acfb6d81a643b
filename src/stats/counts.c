/* SPDX-License-Identifier: MIT */
/* counts.c - contingency table of one column: how often each value occurs under each condition, as exact sums of
 * weights.
 *
 *     n(v, c) = sum of w_i over the rows i with value v and condition c;   n(c) = sum of n(v, c) over v
 *
 * A file can add millions of values and thousands of conditions, one at a time, and most pairs never occur. So the
 * matrix is a block (pair_counts.h). It is a dense array while there are few conditions or a large part of the
 * entries is nonzero; otherwise it stores only the pairs that occurred. Either way its memory is proportional to the
 * number of values plus the number of nonzero counts. The totals n(c) are stored separately, because they are read more
 * often than the entries and adding up a million entries for each read would be too slow.
 *
 * Contents:
 *   1. Contingency table
 *   2. Iteration over nonzero counts
 *   3. File format
 *   4. Type table */
#include "stats/counts.h"

#include "base/error.h"
#include "base/memory.h"
#include "stats/exact_sums_file.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ======== 1. Contingency table ======== */

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

/* Extends the tally to at least this many conditions and values, and reserves memory for up to `more` new counts.
 * false: out of memory, nothing changed. */
static bool counts_make_room(crd_i_counts_tally *tally, size_t conditions, size_t values, size_t more) {
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
    return counts_make_room((crd_i_counts_tally *)base, conditions, values, 0);
}

/* Adds a group of unweighted rows that is small compared with the number of values. Adds the number of present cells to
 * *total. */
static bool add_one_by_one(crd_i_counts_tally *tally, const crd_i_cells *cells, const crd_i_row_group *group,
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
static bool add_at_once(crd_i_counts_tally *tally, const crd_i_cells *cells, const crd_i_row_group *group,
                        size_t *total) {
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

static bool counts_add_group(crd_i_counts_tally *tally, const crd_i_cells *cells, const crd_i_row_group *group) {
    size_t values = tally->base.values, total = 0;
    bool is_large = values <= MOST_VALUES && group->count / CELLS_PER_VALUE >= values;
    if (!(is_large ? add_at_once : add_one_by_one)(tally, cells, group, &total)) return false;
    size_t cell;
    return crd_i_counts_block_cell(&tally->totals, 0, 0, group->condition, &cell) &&
           crd_i_sums_add_integer(&tally->totals.sums, cell, (int64_t)total);
}

/* Adds the weighted rows begin .. end - 1 of a group, one exact addition per row. */
static bool counts_add_weighted_singly(crd_i_counts_tally *tally, const crd_i_cells *cells,
                                       const crd_i_row_group *group, size_t begin, size_t end) {
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
static bool counts_find_units(const crd_i_row_group *group, size_t begin, size_t end, double *high, double *low) {
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
static bool add_weighted_at_once(crd_i_counts_tally *tally, const crd_i_cells *cells, const crd_i_row_group *group,
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

static bool counts_add_weighted(crd_i_counts_tally *tally, const crd_i_cells *cells, const crd_i_row_group *group) {
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
    if (!counts_make_room(tally, 0, 0, cells->rows)) return false;
    for (size_t i = 0; i < groups->count; i++) {
        const crd_i_row_group *group = &groups->groups[i];
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
    if (!counts_make_room(tally, conditions, values, crd_i_counts_block_count(&other->cells))) return false;

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

/* ======== 2. Iteration over nonzero counts ========
 *
 * Entries are sorted by condition, then stably by value. These are two counting sorts, in time proportional to the
 * number of entries, values and conditions. */

typedef struct rows_entry {
    uint32_t value, condition; /* positions in the view */
    size_t cell;
} rows_entry;

/* Returns an array with the position in the view of each of `known` numbers, or -1 if the view lacks it. NULL: out of
 * memory. */
static int32_t *counts_rows_places(crd_context *context, const int32_t *order, size_t count, size_t known) {
    int32_t *places = crd_i_alloc(context, known, sizeof *places);
    for (size_t i = 0; places != NULL && i < known; i++) places[i] = -1;
    for (size_t i = 0; places != NULL && i < count; i++)
        if ((size_t)order[i] < known) places[order[i]] = (int32_t)i;
    return places;
}

/* Replaces counts by their exclusive prefix sums: the index of the first entry of each group. */
static void begin_each(size_t *counts, size_t count) {
    for (size_t i = 0, used = 0; i <= count; i++) {
        size_t own = counts[i];
        counts[i] = used;
        used += own;
    }
}

void crd_i_counts_rows_clear(crd_i_counts_rows *rows) {
    crd_free(rows->context, rows->begins);
    crd_free(rows->context, rows->conditions);
    crd_free(rows->context, rows->cells);
    rows->begins = rows->cells = NULL;
    rows->conditions = NULL;
}

/* Memory for sorting. */
typedef struct rows_sorting {
    int32_t *values, *conditions; /* positions in the view, by number */
    size_t *ends;                 /* for each condition, the index after the last entry placed so far */
    rows_entry *sorted;           /* the entries, sorted by condition */
} rows_sorting;

/* Fills in the entry at the cursor. false: its value or condition is not in the view. */
static bool counts_rows_place(const rows_sorting *sorting, const crd_i_counts_cursor *cursor, rows_entry *out) {
    int32_t value = sorting->values[cursor->numbers[0]], condition = sorting->conditions[cursor->numbers[2]];
    const rows_entry entry = {(uint32_t)value, (uint32_t)condition, cursor->cell};
    *out = entry;
    return value >= 0 && condition >= 0;
}

/* Fills `rows` with the entries of the block whose value and condition are in the view. */
static void counts_rows_sort(crd_i_counts_rows *rows, const crd_i_counts_block *block, const crd_i_view *view,
                             rows_sorting *sorting) {
    rows_entry entry;
    for (crd_i_counts_cursor cursor = {0}; crd_i_counts_block_next(block, &cursor);) {
        if (!counts_rows_place(sorting, &cursor, &entry)) continue;
        sorting->ends[entry.condition]++;
        rows->begins[entry.value]++;
    }
    begin_each(sorting->ends, view->condition_count);
    begin_each(rows->begins, view->value_count);
    for (crd_i_counts_cursor cursor = {0}; crd_i_counts_block_next(block, &cursor);)
        if (counts_rows_place(sorting, &cursor, &entry)) sorting->sorted[sorting->ends[entry.condition]++] = entry;
    for (size_t i = 0, count = rows->begins[view->value_count]; i < count; i++) {
        size_t limit = rows->begins[sorting->sorted[i].value]++;
        rows->conditions[limit] = sorting->sorted[i].condition;
        rows->cells[limit] = sorting->sorted[i].cell;
    }
    /* Each begins[i] has advanced to the begin of i + 1. Shift them back. */
    for (size_t i = view->value_count; i > 0; i--) rows->begins[i] = rows->begins[i - 1];
    rows->begins[0] = 0;
}

bool crd_i_counts_rows_init(crd_i_counts_rows *rows, const crd_i_tally *tally, const crd_i_view *view) {
    crd_context *context = tally->context;
    const crd_i_counts_block *block = crd_i_counts_cells(tally);
    size_t count = crd_i_counts_block_count(block);
    rows_sorting sorting = {counts_rows_places(context, view->values, view->value_count, tally->values),
                            counts_rows_places(context, view->conditions, view->condition_count, tally->conditions),
                            crd_i_alloc_zeroed(context, view->condition_count + 1, sizeof *sorting.ends),
                            crd_i_alloc(context, count, sizeof *sorting.sorted)};
    rows->context = context;
    rows->sums = &block->sums;
    rows->begins = crd_i_alloc_zeroed(context, view->value_count + 1, sizeof *rows->begins);
    rows->conditions = crd_i_alloc(context, count, sizeof *rows->conditions);
    rows->cells = crd_i_alloc(context, count, sizeof *rows->cells);
    bool done = sorting.values != NULL && sorting.conditions != NULL && sorting.ends != NULL &&
                sorting.sorted != NULL && rows->begins != NULL && rows->conditions != NULL && rows->cells != NULL;
    if (done) counts_rows_sort(rows, block, view, &sorting);
    crd_free(context, sorting.values);
    crd_free(context, sorting.conditions);
    crd_free(context, sorting.ends);
    crd_free(context, sorting.sorted);
    return done;
}

double crd_i_counts_rows_value(const crd_i_counts_rows *rows, size_t value, size_t condition) {
    size_t begin = rows->begins[value], end = rows->begins[value + 1];
    while (begin < end) {
        size_t middle = begin + (end - begin) / 2;
        if (rows->conditions[middle] < condition) begin = middle + 1;
        else if (rows->conditions[middle] > condition) end = middle;
        else return crd_i_sums_value(rows->sums, rows->cells[middle]);
    }
    return 0;
}

double crd_i_counts_rows_total(const crd_i_counts_rows *rows, size_t value) {
    double sum = 0;
    for (size_t i = rows->begins[value]; i < rows->begins[value + 1]; i++)
        sum += crd_i_sums_value(rows->sums, rows->cells[i]);
    return sum;
}

/* ======== 3. File format ========
 *
 * A tally is written in one of two layouts.
 *
 * Dense: one block of sums (exact_sums_file.h), which lists for each value in turn the counts under all conditions.
 *
 * Sparse: for each value the number of its nonzero counts (u32); for each nonzero count its condition (u32),
 * ascending within a value; one block of sums with the nonzero counts.
 *
 * Large matrices that are mostly zero use the sparse layout. The choice depends only on the counts, so equal tallies
 * are equal bytes. The reader accepts dense matrices of any content, because earlier versions wrote only the dense
 * layout. */

/* Returns whether a matrix is written in the sparse layout. Matrices with at most MOST_DENSE entries, or with more than
 * half of their entries nonzero, are dense. */
static bool counts_file_is_sparse(size_t conditions, size_t values, size_t above_zero) {
    const uint64_t MOST_DENSE = 65536;
    uint64_t cells = (uint64_t)conditions * values;
    return cells > MOST_DENSE && above_zero <= cells / 2;
}

static bool counts_is_sparse(const crd_i_tally *tally, const crd_i_view *view) {
    return counts_file_is_sparse(view->condition_count, view->value_count,
                                 crd_i_counts_block_count(crd_i_counts_cells(tally)));
}

/* ---- Writing ---- */

/* Write and read the dense file layout. Both layouts give the same tally. */
static void counts_write(const crd_i_tally *tally, const crd_i_view *view, crd_i_encoder *encoder) {
    const crd_i_counts_block *block = crd_i_counts_cells(tally);
    crd_i_window window = crd_i_window_begin(encoder, &block->sums);
    for (size_t i = 0; i < view->value_count; i++)
        for (size_t k = 0; k < view->condition_count; k++) {
            /* The class may have appeared after the last cell of this column. */
            size_t cell = crd_i_counts_block_find(block, (size_t)view->values[i], 0, (size_t)view->conditions[k]);
            if (cell != SIZE_MAX) crd_i_window_cell(encoder, window, &block->sums, cell);
            else
                for (uint32_t limb = 0; limb < window.width; limb++) crd_i_encode_u64(encoder, 0);
        }
}

static void counts_write_sparse(const crd_i_tally *tally, const crd_i_view *view, crd_i_encoder *encoder) {
    crd_i_counts_rows rows;
    if (crd_i_counts_rows_init(&rows, tally, view)) {
        size_t count = rows.begins[view->value_count];
        for (size_t i = 0; i < view->value_count; i++)
            crd_i_encode_u32(encoder, (uint32_t)(rows.begins[i + 1] - rows.begins[i]));
        for (size_t i = 0; i < count; i++) crd_i_encode_u32(encoder, rows.conditions[i]);
        crd_i_window window = crd_i_window_begin(encoder, rows.sums);
        for (size_t i = 0; i < count; i++) crd_i_window_cell(encoder, window, rows.sums, rows.cells[i]);
    } else {
        encoder->failed = true;
    }
    crd_i_counts_rows_clear(&rows);
}

/* ---- Reading ---- */

/* Computes the totals and rejects counts that no rows can produce: negative counts, values without a count, and totals
 * above CRD_I_MOST_ROWS. */
static crd_status counts_file_check(crd_i_counts_tally *tally, crd_error *error) {
    crd_context *context = tally->base.context;
    size_t values = tally->base.values, live_values = 0, total;
    bool *live = crd_i_alloc_zeroed(context, values, sizeof *live);
    crd_status status = live == NULL ? crd_i_fail_memory(error) : CRD_OK;
    for (crd_i_counts_cursor cursor = {0}; status == CRD_OK && crd_i_counts_block_next(&tally->cells, &cursor);) {
        if (crd_i_sums_sign(&tally->cells.sums, cursor.cell) < 0)
            status = crd_i_fail(error, CRD_ERROR_DAMAGED, "a count is negative");
        else if (!crd_i_counts_block_cell(&tally->totals, 0, 0, cursor.numbers[2], &total) ||
                 !crd_i_sums_combine(&tally->totals.sums, total, &tally->cells.sums, cursor.cell, 1))
            status = crd_i_fail_memory(error);
        live[cursor.numbers[0]] = true;
    }
    for (size_t value = 0; status == CRD_OK && value < values; value++) live_values += live[value];
    crd_free(context, live);
    if (status != CRD_OK) return status;
    if (live_values < values) return crd_i_fail(error, CRD_ERROR_DAMAGED, "a value has no count");
    for (crd_i_counts_cursor cursor = {0}; crd_i_counts_block_next(&tally->totals, &cursor);)
        if (crd_i_sums_value(&tally->totals.sums, cursor.cell) > CRD_I_MOST_ROWS)
            return crd_i_fail(error, CRD_ERROR_DAMAGED, "a count is too large");
    return CRD_OK;
}

static crd_status check_extents(size_t conditions, size_t values, crd_error *error) {
    if (conditions <= INT32_MAX && values <= INT32_MAX) return CRD_OK;
    return crd_i_fail(error, CRD_ERROR_DAMAGED, "there are more values than a file can contain");
}

static crd_status counts_read(crd_i_tally *base, size_t conditions, size_t values, crd_i_cursor *cursor,
                              crd_error *error) {
    crd_i_counts_tally *tally = (crd_i_counts_tally *)base;
    crd_status status = check_extents(conditions, values, error);
    if (status == CRD_OK) status = crd_i_window_read(cursor, &tally->cells.sums, (uint64_t)conditions * values, error);
    if (status != CRD_OK) return status;
    tally->cells.extents[0] = values;
    tally->cells.extents[1] = 1;
    tally->cells.extents[2] = conditions;
    tally->cells.is_dense = true;
    if (!counts_make_room(tally, conditions, values, 0)) return crd_i_fail_memory(error);
    return counts_file_check(tally, error);
}

/* Reads the nonzero counts of the sparse layout. `lengths` and `conditions` are at the lists of the same name, which
 * are known to be complete. */
static crd_status read_entries(crd_i_counts_tally *tally, crd_i_cursor lengths, crd_i_cursor conditions,
                               const crd_i_sums *counts, crd_error *error) {
    for (size_t value = 0, next = 0; value < tally->base.values; value++) {
        uint32_t length = crd_i_decode_u32(&lengths);
        for (int64_t before = -1; length > 0; length--, next++) {
            uint32_t condition = crd_i_decode_u32(&conditions);
            size_t cell;
            if (condition <= before || condition >= tally->base.conditions)
                return crd_i_fail(error, CRD_ERROR_DAMAGED, "the classes of a value are out of order");
            if (crd_i_sums_sign(counts, next) <= 0)
                return crd_i_fail(error, CRD_ERROR_DAMAGED, "a count must be positive");
            if (!crd_i_counts_block_cell(&tally->cells, value, 0, condition, &cell) ||
                !crd_i_sums_combine(&tally->cells.sums, cell, counts, next, 1))
                return crd_i_fail_memory(error);
            before = condition;
        }
    }
    return CRD_OK;
}

static crd_status counts_read_sparse(crd_i_tally *base, size_t conditions, size_t values, crd_i_cursor *cursor,
                                     crd_error *error) {
    crd_i_counts_tally *tally = (crd_i_counts_tally *)base;
    crd_status status = check_extents(conditions, values, error);
    if (status != CRD_OK) return status;
    crd_i_cursor lengths = *cursor;
    uint64_t count = 0;
    if (crd_i_cursor_holds(cursor, values, sizeof(uint32_t)))
        for (size_t value = 0; value < values; value++) count += crd_i_decode_u32(cursor);
    crd_i_cursor entries = *cursor;
    if (!crd_i_cursor_holds(cursor, count, sizeof(uint32_t)))
        return crd_i_fail(error, CRD_ERROR_DAMAGED, "a list of counts is truncated");
    if (!counts_file_is_sparse(conditions, values, (size_t)count))
        return crd_i_fail(error, CRD_ERROR_DAMAGED,
                          "counts are stored as a sparse list, although they fit a dense table");
    cursor->at += count * sizeof(uint32_t);
    crd_i_sums counts;
    crd_i_sums_init(&counts, base->context);
    status = crd_i_window_read(cursor, &counts, count, error);
    if (status == CRD_OK && !counts_make_room(tally, conditions, values, (size_t)count))
        status = crd_i_fail_memory(error);
    if (status == CRD_OK) status = read_entries(tally, lengths, entries, &counts, error);
    crd_i_sums_clear(&counts);
    return status == CRD_OK ? counts_file_check(tally, error) : status;
}

/* ======== 4. Type table ======== */

const crd_i_tally_type crd_i_counts = {
    .name = "counts",
    .type = CRD_TYPE_CATEGORICAL,
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
    .write = counts_write,
    .read = counts_read,
    .is_sparse = counts_is_sparse,
    .write_sparse = counts_write_sparse,
    .read_sparse = counts_read_sparse,
};
