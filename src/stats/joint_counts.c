/* SPDX-License-Identifier: MIT */
/* joint_counts.c - joint counts: how many rows have each combination of categories, under each condition.
 *
 * Only combinations that occur use memory, so the full table may be far larger than memory. Missing cells stay missing:
 * which columns a row needs in order to be complete is unknown before the last row, and need not be known. Numeric
 * columns are ignored. */
#include "stats/joint_tally.h"

#include "base/error.h"
#include "base/memory.h"
#include "stats/kept_rows.h"

#include <string.h>

enum { SPAN = 1, MOST_WORDS = 1 << 26 };

typedef struct counts_cells {
    crd_i_joint_tally base;
    size_t most;
    crd_i_distinct rows;
} counts_cells;

size_t crd_i_cells_most(size_t columns) {
    return columns >= MOST_WORDS ? 1 : MOST_WORDS / (columns + 1);
}

static void joint_counts_destroy(crd_i_joint_tally *base) {
    crd_i_distinct_clear(&((counts_cells *)base)->rows);
    crd_i_joint_tally_free(base);
}

static crd_i_joint_tally *joint_counts_create(crd_context *context, size_t columns) {
    counts_cells *joint_tally = crd_i_alloc_zeroed(context, 1, sizeof *joint_tally);
    if (joint_tally == NULL) return NULL;
    bool done = crd_i_joint_tally_init(&joint_tally->base, &crd_i_joint_counts, context, columns);
    joint_tally->most = crd_i_cells_most(columns);
    crd_i_distinct_init(&joint_tally->rows, context, columns * SPAN + 1);
    if (done) return &joint_tally->base;
    joint_counts_destroy(&joint_tally->base);
    return NULL;
}

static crd_i_joint_tally *joint_counts_clone(const crd_i_joint_tally *base) {
    counts_cells *cells = (counts_cells *)joint_counts_create(base->context, base->column_count);
    if (cells == NULL) return NULL;
    crd_i_distinct_copy_extent(&cells->base, base);
    if (crd_i_distinct_copy(&cells->rows, &((const counts_cells *)base)->rows)) return &cells->base;
    joint_counts_destroy(&cells->base);
    return NULL;
}

static crd_status joint_counts_find_or_add(counts_cells *joint_tally, const uint32_t *words, size_t *row,
                                           crd_error *error) {
    if (joint_tally->rows.count >= joint_tally->most) {
        *row = crd_i_distinct_find(&joint_tally->rows, words);
        return *row != SIZE_MAX ? CRD_OK : CRD_ERROR_LIMIT;
    }
    return crd_i_distinct_find_or_add(&joint_tally->rows, words, row) ? CRD_OK : crd_i_fail_memory(error);
}

static crd_status joint_counts_add(crd_i_joint_tally *base, const crd_i_joint_tally_rows *rows, crd_error *error) {
    counts_cells *joint_tally = (counts_cells *)base;
    size_t columns = base->column_count;
    uint32_t *words = crd_i_alloc(base->context, columns + 1, sizeof *words);
    crd_status status = words == NULL ? crd_i_fail_memory(error) : CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < rows->rows; i++) {
        double weight = rows->weights == NULL ? 1 : rows->weights[i];
        /* A row of weight zero must not add a combination. */
        if (rows->conditions[i] < 0 || weight == 0) continue;
        for (size_t column = 0; column < columns; column++) {
            const int32_t *codes = rows->columns[column].codes;
            words[column] = codes == NULL || codes[i] < 0 ? CRD_I_MISSING_WORD : (uint32_t)codes[i];
        }
        words[columns] = (uint32_t)rows->conditions[i];
        size_t row;
        status = joint_counts_find_or_add(joint_tally, words, &row, error);
        if (status == CRD_OK && !(rows->weights == NULL ? crd_i_sums_count(&joint_tally->rows.weights, row, 1)
                                                        : crd_i_sums_add(&joint_tally->rows.weights, row, weight)))
            status = crd_i_fail_memory(error);
    }
    crd_free(base->context, words);
    return status;
}

static crd_status joint_counts_refuse(const crd_i_joint_tally *base, const crd_i_joint_tally_view *view,
                                      crd_error *error) {
    (void)view;
    return crd_i_fail(error, CRD_ERROR_LIMIT,
                      "there are more than %zu different combinations of categories: combine fewer columns, or use "
                      "naive Bayes or aode",
                      crd_i_cells_most(base->column_count));
}

/* ---- Combining ---- */

/* Adds (sign 1) or subtracts (sign -1) the weight of the second tally's row `first`, whose renumbered words are
 * `words`. CRD_ERROR_NOT_LEARNED: the result would be negative. */
static crd_status combine_row(counts_cells *cells, const counts_cells *second, size_t first, const uint32_t *words,
                              int sign, crd_error *error) {
    size_t row = SIZE_MAX;
    if (sign > 0) {
        crd_status status = joint_counts_find_or_add(cells, words, &row, error);
        if (status != CRD_OK) return status;
    } else {
        row = crd_i_distinct_find(&cells->rows, words);
    }
    if (row != SIZE_MAX && !crd_i_sums_combine(&cells->rows.weights, row, &second->rows.weights, first, sign))
        return crd_i_fail_memory(error);
    if (row == SIZE_MAX || crd_i_sums_sign(&cells->rows.weights, row) < 0)
        return crd_i_fail(error, CRD_ERROR_NOT_LEARNED, "a row to forget is not among the learned rows");
    return CRD_OK;
}

static crd_i_joint_tally *joint_counts_combined(const crd_i_joint_tally *first, const crd_i_joint_tally *second_base,
                                                const crd_i_joint_tally_map *map, int sign, crd_status *why,
                                                crd_error *error) {
    const counts_cells *second = (const counts_cells *)second_base;
    crd_context *context = first->context;
    counts_cells *cells = (counts_cells *)joint_counts_clone(first);
    crd_i_renumbering numbers = {.context = context};
    uint32_t *words = crd_i_alloc(context, second->rows.width, sizeof *words);
    bool *stays = NULL;
    bool done = cells != NULL && words != NULL && crd_i_renumbering_by_map(&numbers, second_base, map) &&
                crd_i_distinct_take_extent(&cells->base, &second->base, map);
    for (size_t i = 0; done && i < second->rows.count; i++) {
        crd_i_renumber(&numbers, SPAN, crd_i_distinct_row(&second->rows, i), words);
        crd_status status = combine_row(cells, second, i, words, sign, error);
        if (status != CRD_OK && status != CRD_ERROR_MEMORY) *why = status;
        done = status == CRD_OK;
    }
    if (done && sign < 0) {
        stays = crd_i_alloc(context, cells->rows.count, sizeof *stays);
        done = stays != NULL;
        if (done) crd_i_distinct_drop_empty(&cells->rows, stays);
    }
    crd_free(context, stays);
    crd_free(context, words);
    crd_i_renumbering_clear(&numbers);
    if (done) return &cells->base;
    crd_i_joint_tally_destroy(cells == NULL ? NULL : &cells->base);
    return NULL;
}

/* ---- Files: the rows, in the format of kept_rows.h, in lexicographic order of their words ---- */

static void joint_counts_write(const crd_i_joint_tally *base, const crd_i_joint_tally_view *view,
                               crd_i_encoder *encoder) {
    const counts_cells *joint_tally = (const counts_cells *)base;
    crd_i_arranged arranged;
    if (!crd_i_arranged_init(&arranged, base, &joint_tally->rows, SPAN, view, NULL, NULL)) {
        encoder->failed = true;
        return;
    }
    crd_i_arranged_write(&arranged, base, &joint_tally->rows, SPAN, encoder);
    crd_i_arranged_clear(&arranged);
}

static crd_status joint_counts_read(crd_i_joint_tally *base, crd_i_cursor *cursor, crd_error *error) {
    counts_cells *joint_tally = (counts_cells *)base;
    size_t width = joint_tally->rows.width;
    crd_status status = crd_i_distinct_read(&joint_tally->rows, base, SPAN, joint_tally->most, cursor, error);
    for (size_t row = 1; status == CRD_OK && row < joint_tally->rows.count; row++) {
        const uint32_t *words = crd_i_distinct_row(&joint_tally->rows, row), *before = words - width;
        size_t i = 0;
        while (words[i] == before[i]) i++; /* ends, because no two rows are equal */
        if (words[i] < before[i])
            status = crd_i_fail(error, CRD_ERROR_DAMAGED, "combinations of categories are not in order");
    }
    return status;
}

const crd_i_joint_tally_type crd_i_joint_counts = {
    .name = "joint-counts",
    .former_name = "cells",
    .summary = "counts of combinations of categories",
    .create = joint_counts_create,
    .destroy = joint_counts_destroy,
    .clone = joint_counts_clone,
    .settle = crd_i_distinct_settle,
    .unsettle = crd_i_distinct_unsettle,
    .extend = crd_i_distinct_extend,
    .add = joint_counts_add,
    .combined = joint_counts_combined,
    .write = joint_counts_write,
    .read = joint_counts_read,
    .refuse = joint_counts_refuse,
};

/* ---- Access ---- */

bool crd_i_combinations_init(crd_i_combinations *combinations, crd_context *context, const crd_i_joint_tally *base,
                             const crd_i_joint_tally_view *view) {
    const counts_cells *joint_tally = (const counts_cells *)base;
    size_t columns = base->column_count, entries = joint_tally->rows.count;
    crd_i_arranged arranged;
    memset(combinations, 0, sizeof *combinations);
    combinations->context = context;
    combinations->column_count = columns;
    if (!crd_i_arranged_init(&arranged, base, &joint_tally->rows, SPAN, view, NULL, NULL)) return false;
    combinations->codes = crd_i_alloc(context, entries * columns, sizeof *combinations->codes);
    combinations->begins = crd_i_alloc_zeroed(context, entries + 1, sizeof *combinations->begins);
    combinations->conditions = crd_i_alloc(context, entries, sizeof *combinations->conditions);
    combinations->counts = crd_i_alloc(context, entries, sizeof *combinations->counts);
    bool done = combinations->codes != NULL && combinations->begins != NULL && combinations->conditions != NULL &&
                combinations->counts != NULL;
    const uint32_t *before = NULL;
    for (size_t i = 0; done && i < entries; i++) {
        const uint32_t *words = arranged.words + arranged.order[i] * arranged.width;
        if (before == NULL || memcmp(words, before, columns * sizeof *words) != 0) {
            for (size_t column = 0; column < columns; column++)
                combinations->codes[combinations->count * columns + column] =
                    words[column] == CRD_I_MISSING_WORD ? -1 : (int32_t)words[column];
            combinations->begins[combinations->count++] = i;
        }
        combinations->conditions[i] = (int32_t)words[columns];
        combinations->counts[i] = crd_i_sums_value(&joint_tally->rows.weights, arranged.order[i]);
        before = words;
    }
    if (done) combinations->begins[combinations->count] = entries;
    crd_i_arranged_clear(&arranged);
    if (!done) crd_i_combinations_clear(combinations);
    return done;
}

void crd_i_combinations_clear(crd_i_combinations *combinations) {
    crd_free(combinations->context, combinations->codes);
    crd_free(combinations->context, combinations->begins);
    crd_free(combinations->context, combinations->conditions);
    crd_free(combinations->context, combinations->counts);
    crd_context *context = combinations->context;
    memset(combinations, 0, sizeof *combinations);
    combinations->context = context;
}
