/* SPDX-License-Identifier: MIT */
/* counts_rows.c - see counts_rows.h. Entries are sorted by condition, then stably by value. These are two counting
 * sorts, in time proportional to the number of entries, values and conditions. */
#include "stats/counts_rows.h"

#include "base/memory.h"
#include "stats/counts_parts.h"

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
