/* SPDX-License-Identifier: MIT */
/* counts_file.c - reads and writes counts tallies, in one of two layouts.
 *
 * dense: one block of sums (exact_sums_file.h), which lists for each value in turn the counts under all conditions.
 *
 * sparse: for each value the number of its nonzero counts (u32); for each nonzero count its condition (u32), ascending
 * within a value; one block of sums with the nonzero counts.
 *
 * Large matrices that are mostly zero use the sparse layout. The choice depends only on the counts, so equal tallies
 * are equal bytes. The reader accepts dense matrices of any content, because earlier versions wrote only the dense
 * layout. */
#include "stats/counts_parts.h"

#include "base/error.h"
#include "base/memory.h"
#include "stats/counts_rows.h"
#include "stats/exact_sums_file.h"

/* Returns whether a matrix is written in the sparse layout. Matrices with at most MOST_DENSE entries, or with more than
 * half of their entries nonzero, are dense. */
static bool counts_file_is_sparse(size_t conditions, size_t values, size_t above_zero) {
    const uint64_t MOST_DENSE = 65536;
    uint64_t cells = (uint64_t)conditions * values;
    return cells > MOST_DENSE && above_zero <= cells / 2;
}

bool crd_i_counts_is_sparse(const crd_i_tally *tally, const crd_i_view *view) {
    return counts_file_is_sparse(view->condition_count, view->value_count,
                                 crd_i_counts_block_count(crd_i_counts_cells(tally)));
}

/* ---- Writing ---- */

void crd_i_counts_write(const crd_i_tally *tally, const crd_i_view *view, crd_i_encoder *encoder) {
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

void crd_i_counts_write_sparse(const crd_i_tally *tally, const crd_i_view *view, crd_i_encoder *encoder) {
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

crd_status crd_i_counts_read(crd_i_tally *base, size_t conditions, size_t values, crd_i_cursor *cursor,
                             crd_error *error) {
    crd_i_counts_tally *tally = (crd_i_counts_tally *)base;
    crd_status status = check_extents(conditions, values, error);
    if (status == CRD_OK) status = crd_i_window_read(cursor, &tally->cells.sums, (uint64_t)conditions * values, error);
    if (status != CRD_OK) return status;
    tally->cells.extents[0] = values;
    tally->cells.extents[1] = 1;
    tally->cells.extents[2] = conditions;
    tally->cells.is_dense = true;
    if (!crd_i_counts_make_room(tally, conditions, values, 0)) return crd_i_fail_memory(error);
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

crd_status crd_i_counts_read_sparse(crd_i_tally *base, size_t conditions, size_t values, crd_i_cursor *cursor,
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
    if (status == CRD_OK && !crd_i_counts_make_room(tally, conditions, values, (size_t)count))
        status = crd_i_fail_memory(error);
    if (status == CRD_OK) status = read_entries(tally, lengths, entries, &counts, error);
    crd_i_sums_clear(&counts);
    return status == CRD_OK ? counts_file_check(tally, error) : status;
}
