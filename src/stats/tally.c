/* SPDX-License-Identifier: MIT */
/* tally.c - the table of tally types, and the functions common to all types.
 *
 * Contents:
 *   1. Tally types
 *   2. Rows grouped by condition */
#include "stats/tally.h"

#include "base/memory.h"

#include <string.h>

/* ======== 1. Tally types ======== */

static const crd_i_tally_type *const types[] = {&crd_i_counts, &crd_i_moments,  &crd_i_terms, &crd_i_signs,
                                                &crd_i_logs,   &crd_i_extremes, &crd_i_grid};

enum { TYPE_COUNT = sizeof types / sizeof *types, MAIN_COUNT = 3 };

/* The main types come first. Each extra type has a bit in crd_i_extras. */
_Static_assert(TYPE_COUNT - MAIN_COUNT <= CRD_I_MOST_EXTRAS, "CRD_I_MOST_EXTRAS is too small for all extra types");

const crd_i_tally_type *crd_i_tally_type_for(crd_column_type type) {
    for (size_t i = 0; i < MAIN_COUNT; i++)
        if (types[i]->type == type) return types[i];
    return NULL;
}

const crd_i_tally_type *crd_i_tally_type_named(crd_text name) {
    for (size_t i = 0; i < TYPE_COUNT; i++)
        if (crd_text_equal(name, crd_text_of(types[i]->name)) ||
            (types[i]->former_name != NULL && crd_text_equal(name, crd_text_of(types[i]->former_name))))
            return types[i];
    return NULL;
}

/* ---- Sets of extra types ---- */

size_t crd_i_extra_type_count(void) {
    return TYPE_COUNT - MAIN_COUNT;
}

const crd_i_tally_type *crd_i_extra_type(size_t i) {
    return types[MAIN_COUNT + i];
}

crd_i_extras crd_i_extras_of(const crd_i_tally_type *type) {
    for (size_t i = 0; i < TYPE_COUNT - MAIN_COUNT; i++)
        if (types[MAIN_COUNT + i] == type) return (crd_i_extras)1 << i;
    return 0;
}

/* ---- Tallies ---- */

void crd_i_tally_destroy(crd_i_tally *tally) {
    if (tally != NULL) tally->type->destroy(tally);
}

double crd_i_tally_total(const crd_i_tally *tally, size_t condition) {
    size_t cell;
    const crd_i_sums *totals = tally->type->total(tally, condition, &cell);
    return totals == NULL ? 0 : crd_i_sums_value(totals, cell);
}

bool crd_i_tally_is_empty(const crd_i_tally *tally) {
    crd_i_total_cursor cursor = {0};
    return !tally->type->next_total(tally, &cursor);
}

/* ======== 2. Rows grouped by condition ========
 *
 * Rows are grouped by one counting sort for each range of rows. */

/* Number of rows in a range. The values of a column in the shortest range need 32 kB. With many conditions, ranges are
 * longer, up to the limit of 16-bit row numbers, so that groups are not too small. */
enum { SHORTEST_STRETCH = 4096, LONGEST_STRETCH = 65536, ROWS_PER_CONDITION = 64 };

static size_t stretch_for(size_t conditions) {
    size_t stretch = SHORTEST_STRETCH;
    while (stretch < LONGEST_STRETCH && stretch / ROWS_PER_CONDITION < conditions) stretch *= 2;
    return stretch;
}

static bool row_groups_append(crd_i_groups *groups, size_t condition, size_t origin, const uint16_t *rows,
                              size_t count) {
    if (!crd_i_reserve(groups->context, &groups->groups, &groups->capacity, groups->count + 1, sizeof *groups->groups))
        return false;
    crd_i_row_group group = {condition, origin, rows, count, NULL};
    groups->groups[groups->count++] = group;
    return true;
}

/* Groups a range of rows by condition. `ends` is scratch memory with one element per condition. */
static bool sort_stretch(crd_i_groups *groups, const int32_t *conditions, size_t origin, size_t count, size_t *ends,
                         size_t condition_count) {
    memset(ends, 0, condition_count * sizeof *ends);
    for (size_t row = 0; row < count; row++)
        if (conditions[origin + row] >= 0) ends[conditions[origin + row]]++;
    uint16_t *rows = groups->rows + origin;
    for (size_t condition = 0, used = 0; condition < condition_count; condition++) {
        size_t size = ends[condition];
        if (size > 0 && !row_groups_append(groups, condition, origin, rows + used, size)) return false;
        ends[condition] = used;
        used += size;
    }
    for (size_t row = 0; row < count; row++)
        if (conditions[origin + row] >= 0) rows[ends[conditions[origin + row]]++] = (uint16_t)row;
    return true;
}

/* Makes each run of rows with the same condition a group. Sorting is not worth it if there are about as many conditions
 * as rows. */
static bool take_runs(crd_i_groups *groups, const int32_t *conditions, size_t origin, size_t count) {
    uint16_t *rows = groups->rows + origin;
    for (size_t begin = 0, end; begin < count; begin = end) {
        int32_t condition = conditions == NULL ? 0 : conditions[origin + begin];
        for (end = begin; end < count && (conditions == NULL || conditions[origin + end] == condition); end++)
            rows[end] = (uint16_t)end;
        if (condition >= 0 && !row_groups_append(groups, (size_t)condition, origin, rows + begin, end - begin))
            return false;
    }
    return true;
}

/* Copies the weights in the order of the sorted rows. Elements of skipped rows are zero. */
static bool sort_weights(crd_i_groups *groups, const double *weights, size_t rows) {
    if (!crd_i_reserve(groups->context, &groups->weights, &groups->weights_capacity, rows, sizeof *groups->weights))
        return false;
    for (size_t row = 0; row < rows; row++) groups->weights[row] = 0;
    for (size_t k = 0; k < groups->count; k++) {
        crd_i_row_group *group = &groups->groups[k];
        double *entries = groups->weights + (group->rows - groups->rows);
        for (size_t i = 0; i < group->count; i++) entries[i] = weights[group->origin + group->rows[i]];
        group->weights = entries;
    }
    return true;
}

/* Groups all rows, range by range, and sorts their weights. */
static bool row_groups_fill(crd_i_groups *groups, const int32_t *conditions, const double *weights, size_t rows) {
    crd_context *context = groups->context;
    int32_t last = -1;
    for (size_t row = 0; conditions != NULL && row < rows; row++)
        last = conditions[row] > last ? conditions[row] : last;
    size_t condition_count = (size_t)(last + (int64_t)1);
    size_t stretch = stretch_for(condition_count);
    bool is_sorted = condition_count > 0 && condition_count <= rows && condition_count <= stretch;
    size_t *ends = is_sorted ? crd_i_alloc(context, condition_count, sizeof *ends) : NULL;
    bool done = crd_i_reserve(context, &groups->rows, &groups->rows_capacity, rows, sizeof *groups->rows) &&
                (ends != NULL || !is_sorted);
    for (size_t origin = 0; done && origin < rows; origin += stretch) {
        size_t count = rows - origin < stretch ? rows - origin : stretch;
        done = is_sorted ? sort_stretch(groups, conditions, origin, count, ends, condition_count)
                         : take_runs(groups, conditions, origin, count);
    }
    crd_free(context, ends);
    return done && (weights == NULL || sort_weights(groups, weights, rows));
}

bool crd_i_groups_init(crd_i_groups *groups, crd_context *context, const int32_t *conditions, const double *weights,
                       size_t rows) {
    memset(groups, 0, sizeof *groups);
    groups->context = context;
    return row_groups_fill(groups, conditions, weights, rows);
}

bool crd_i_groups_make(crd_i_groups *groups, crd_context *context, const int32_t *conditions, const double *weights,
                       size_t rows) {
    groups->context = context;
    groups->count = 0;
    groups->is_sliced = false;
    if (!row_groups_fill(groups, conditions, weights, rows)) return false;
    if (weights == NULL) return true;
    if (!crd_i_reserve(context, &groups->slices, &groups->slices_capacity, CRD_I_SLICES * rows, sizeof *groups->slices))
        return false;
    groups->is_sliced = crd_i_slice_weights(groups->weights, rows, groups->slices, &groups->sliced);
    return true;
}

void crd_i_groups_clear(crd_i_groups *groups) {
    crd_free(groups->context, groups->groups);
    crd_free(groups->context, groups->rows);
    crd_free(groups->context, groups->weights);
    crd_free(groups->context, groups->slices);
    crd_i_groups empty = {.context = groups->context};
    *groups = empty;
}
