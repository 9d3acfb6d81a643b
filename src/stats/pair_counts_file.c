/* SPDX-License-Identifier: MIT */
/* pair_counts_file.c - the file format of pair counts, and checks for counts that no rows can produce.
 *
 * For each column whose kind is settled, in order: if it is numeric, i32 level, u32 bin count and the key of each bin
 * (u64) in numeric order; then the counts of each value or bin under each condition, in a window (exact_sums_file.h).
 * Then for each pair of such columns, the first before the second: one bit per count, 1 if it is above zero, starting
 * at the lowest bit of the first byte, and a window with the nonzero counts. */
#include "stats/pair_counts_internal.h"

#include "base/error.h"
#include "base/memory.h"
#include "stats/exact_sums_file.h"

#include <math.h>

static bool pair_counts_file_is_settled(const crd_i_pairs *pairs, size_t column) {
    return pairs->base.kinds[column] != CRD_KIND_NONE;
}

/* ---- Writing ---- */

/* File positions of the values or bins of a column, or of the conditions. values[i] is the position of i, negative if
 * it is not written; count is the number of written ones. */
typedef struct file_places {
    int32_t *values;
    size_t count;
} file_places;

/* Computes file positions. order[0 .. count) lists the codes to write; `known` is the number of codes. */
static bool pair_counts_file_find_places(crd_context *context, const int32_t *order, size_t count, size_t known,
                                         file_places *out) {
    out->count = count;
    out->values = crd_i_alloc(context, known, sizeof *out->values);
    if (out->values == NULL) return false;
    for (size_t i = 0; i < known; i++) out->values[i] = -1;
    for (size_t i = 0; i < count; i++)
        if ((size_t)order[i] < known) out->values[order[i]] = (int32_t)i;
    return true;
}

/* Returns 1 + the entry in the sums for each position in file order, or 0 if the count is zero; free it with crd_free.
 * NULL: out of memory. */
static uint32_t *cells_in_order(const crd_i_counts_block *block, file_places a, file_places b, file_places conditions) {
    uint32_t *cells = crd_i_alloc_zeroed(block->sums.context, a.count * b.count * conditions.count, sizeof *cells);
    for (crd_i_counts_cursor cursor = {0}; cells != NULL && crd_i_counts_block_next(block, &cursor);) {
        int32_t i = a.values[cursor.numbers[0]], j = b.values[cursor.numbers[1]],
                k = conditions.values[cursor.numbers[2]];
        if (i >= 0 && j >= 0 && k >= 0)
            cells[((size_t)i * b.count + (size_t)j) * conditions.count + (size_t)k] = (uint32_t)(cursor.cell + 1);
    }
    return cells;
}

static void write_singles(const crd_i_counts_block *block, file_places values, file_places conditions,
                          crd_i_encoder *encoder) {
    int32_t first = 0;
    const file_places alone = {&first, 1};
    uint32_t *cells = cells_in_order(block, values, alone, conditions);
    if (cells == NULL) encoder->failed = true;
    crd_i_window window = crd_i_window_begin(encoder, &block->sums);
    for (size_t i = 0; cells != NULL && i < values.count * conditions.count; i++) {
        if (cells[i] != 0) crd_i_window_cell(encoder, window, &block->sums, cells[i] - (size_t)1);
        else
            for (uint32_t limb = 0; limb < window.width; limb++) crd_i_encode_u64(encoder, 0);
    }
    crd_free(block->sums.context, cells);
}

static void write_pair(const crd_i_counts_block *block, file_places a, file_places b, file_places conditions,
                       crd_i_encoder *encoder) {
    uint32_t *cells = cells_in_order(block, a, b, conditions);
    size_t count = a.count * b.count * conditions.count;
    if (cells == NULL) encoder->failed = true;
    for (size_t i = 0; cells != NULL && i < count; i += 8) {
        uint8_t byte = 0;
        for (size_t bit = 0; bit < 8 && i + bit < count; bit++)
            if (cells[i + bit] != 0) byte |= (uint8_t)(1u << bit);
        crd_i_encode_u8(encoder, byte);
    }
    crd_i_window window = crd_i_window_begin(encoder, &block->sums);
    for (size_t i = 0; cells != NULL && i < count; i++)
        if (cells[i] != 0) crd_i_window_cell(encoder, window, &block->sums, cells[i] - (size_t)1);
    crd_free(block->sums.context, cells);
}

static void pair_counts_file_write_column(const crd_i_pairs *pairs, size_t column, const crd_i_view *view,
                                          file_places *values, file_places conditions, crd_i_encoder *encoder) {
    const crd_i_axis *axis = pairs->axes[column];
    int32_t order[CRD_I_AXIS_MOST];
    if (axis != NULL) {
        crd_i_axis_order(axis, order);
        crd_i_encode_u32(encoder, (uint32_t)(axis->count == 0 ? CRD_I_GRID_EXACT : axis->level));
        crd_i_encode_u32(encoder, (uint32_t)axis->count);
        for (size_t i = 0; i < axis->count; i++) crd_i_encode_u64(encoder, axis->keys[order[i]]);
    }
    if (!pair_counts_file_find_places(pairs->base.context, axis != NULL ? order : view->values,
                                      axis != NULL ? axis->count : view->value_count,
                                      crd_i_pairs_cell_count(pairs, column), values))
        encoder->failed = true;
    else write_singles(&pairs->singles[column], *values, conditions, encoder);
}

void crd_i_pairs_write(const crd_i_joint_tally *base, const crd_i_joint_tally_view *view, crd_i_encoder *encoder) {
    const crd_i_pairs *pairs = (const crd_i_pairs *)base;
    size_t columns = base->column_count;
    crd_i_counts_block none;
    crd_i_counts_block_init(&none, base->context);
    file_places conditions = {NULL, 0}, *values = crd_i_alloc_zeroed(base->context, columns, sizeof *values);
    if (values == NULL || !pair_counts_file_find_places(base->context, view->conditions, view->condition_count,
                                                        base->conditions, &conditions))
        encoder->failed = true;
    for (size_t a = 0; !encoder->failed && a < columns; a++)
        if (pair_counts_file_is_settled(pairs, a))
            pair_counts_file_write_column(pairs, a, &view->columns[a], &values[a], conditions, encoder);
    for (size_t a = 0; !encoder->failed && a < columns; a++)
        for (size_t b = a + 1; pair_counts_file_is_settled(pairs, a) && !encoder->failed && b < columns; b++) {
            if (!pair_counts_file_is_settled(pairs, b)) continue;
            const crd_i_counts_block *block =
                pairs->blocks == NULL ? NULL : pairs->blocks[crd_i_pairs_block_number(pairs, a, b)];
            write_pair(block == NULL ? &none : block, values[a], values[b], conditions, encoder);
        }
    for (size_t column = 0; values != NULL && column < columns; column++)
        crd_free(base->context, values[column].values);
    crd_free(base->context, values);
    crd_free(base->context, conditions.values);
}

/* ---- Checking ---- */

/* Subtracts the counts of a pair from the counts of one of its columns (`of`: 0 or 1). *agrees becomes false if a
 * result is negative. false: out of memory. */
static bool check_margin(const crd_i_counts_block *block, const crd_i_counts_block *singles, int of, bool *agrees) {
    crd_i_counts_block left;
    if (!crd_i_counts_block_copy(&left, singles)) return false;
    bool done = true;
    for (crd_i_counts_cursor cursor = {0}; done && *agrees && crd_i_counts_block_next(block, &cursor);) {
        size_t value = cursor.numbers[of], condition = cursor.numbers[2], cell;
        *agrees =
            crd_i_sums_sign(&block->sums, cursor.cell) > 0 && value < left.extents[0] && condition < left.extents[2];
        done = !*agrees || (crd_i_counts_block_cell(&left, value, 0, condition, &cell) &&
                            crd_i_sums_combine(&left.sums, cell, &block->sums, cursor.cell, -1));
    }
    for (crd_i_counts_cursor cursor = {0}; done && crd_i_counts_block_next(&left, &cursor);)
        if (crd_i_sums_sign(&left.sums, cursor.cell) < 0) *agrees = false;
    crd_i_counts_block_clear(&left);
    return done;
}

bool crd_i_pairs_check_counts(const crd_i_pairs *pairs, bool *agrees) {
    size_t columns = pairs->base.column_count;
    *agrees = true;
    for (size_t a = 0; a < columns; a++) {
        for (crd_i_counts_cursor cursor = {0}; crd_i_counts_block_next(&pairs->singles[a], &cursor);)
            if (crd_i_sums_sign(&pairs->singles[a].sums, cursor.cell) < 0) *agrees = false;
        for (size_t b = a + 1; *agrees && pairs->blocks != NULL && b < columns; b++) {
            const crd_i_counts_block *block = pairs->blocks[crd_i_pairs_block_number(pairs, a, b)];
            if (block != NULL && (!check_margin(block, &pairs->singles[a], 0, agrees) ||
                                  !check_margin(block, &pairs->singles[b], 1, agrees)))
                return false;
        }
    }
    return true;
}

/* ---- Reading ---- */

static crd_status read_axis(crd_i_axis *axis, size_t most, crd_i_cursor *cursor, crd_error *error) {
    int32_t level = (int32_t)crd_i_decode_u32(cursor);
    uint32_t count = crd_i_decode_u32(cursor);
    if (cursor->failed || level < CRD_I_GRID_EXACT || level > crd_i_grid_highest(most) || count > most ||
        (count == 0 && level != CRD_I_GRID_EXACT))
        return crd_i_fail(error, CRD_ERROR_DAMAGED, "pairs have an invalid level or number of bins");
    axis->level = level;
    uint64_t before = 0;
    for (size_t cell = 0; cell < count; cell++) {
        uint64_t key = crd_i_decode_u64(cursor);
        bool is_key = !cursor->failed && isfinite(crd_i_double_of(key)) && crd_i_grid_key_at(key, level) == key &&
                      (key != CRD_I_SIGN_BIT || level > CRD_I_GRID_EXACT) &&
                      (cell == 0 || crd_i_grid_key_rank(before) < crd_i_grid_key_rank(key));
        if (!is_key) return crd_i_fail(error, CRD_ERROR_DAMAGED, "the bins of pairs do not fit their level");
        crd_i_axis_append(axis, key);
        before = key;
    }
    return CRD_OK;
}

/* Reads the bins of a numeric column, and the counts of each value or bin. */
static crd_status pair_counts_file_read_column(crd_i_pairs *pairs, size_t column, crd_i_cursor *cursor,
                                               crd_error *error) {
    crd_i_axis *axis = pairs->axes[column];
    crd_status status = axis == NULL ? CRD_OK : read_axis(axis, pairs->most, cursor, error);
    if (status == CRD_OK && crd_i_pairs_are_too_many(pairs))
        status = crd_i_fail(error, CRD_ERROR_DAMAGED, "there are too many pairs");
    if (status != CRD_OK) return status;
    size_t cells = crd_i_pairs_cell_count(pairs, column), conditions = pairs->base.conditions;
    crd_i_counts_block *singles = &pairs->singles[column];
    status = crd_i_window_read(cursor, &singles->sums, (uint64_t)cells * conditions, error);
    if (status != CRD_OK) return status;
    singles->extents[0] = cells;
    singles->extents[1] = 1;
    singles->extents[2] = conditions;
    singles->is_dense = true;
    for (size_t i = 0; axis != NULL && i < cells; i++) {
        bool some = false;
        for (size_t k = 0; k < conditions; k++) some = some || crd_i_counts_block_value(singles, i, 0, k) != 0;
        if (!some) return crd_i_fail(error, CRD_ERROR_DAMAGED, "a bin of pairs has no count");
    }
    for (crd_i_counts_cursor counts = {0}; crd_i_counts_block_next(singles, &counts);)
        if (crd_i_sums_value(&singles->sums, counts.cell) > CRD_I_MOST_ROWS)
            return crd_i_fail(error, CRD_ERROR_DAMAGED, "a count is too large");
    return CRD_OK;
}

/* Reads the counts of a pair of columns: the bits, then the nonzero counts. */
static crd_status pair_counts_file_read(crd_i_pairs *pairs, size_t a, size_t b, crd_i_cursor *cursor,
                                        crd_error *error) {
    size_t bits = crd_i_pairs_cell_count(pairs, a) * crd_i_pairs_cell_count(pairs, b) * pairs->base.conditions;
    size_t bytes = (bits + 7) / 8, some = 0;
    if (!crd_i_cursor_holds(cursor, bytes, 1)) return crd_i_fail(error, CRD_ERROR_DAMAGED, "pairs are truncated");
    const unsigned char *marks = cursor->at;
    cursor->at += bytes;
    for (size_t i = 0; i < 8 * bytes; i++) {
        bool is_marked = (marks[i / 8] >> i % 8 & 1) != 0;
        if (is_marked && i >= bits) return crd_i_fail(error, CRD_ERROR_DAMAGED, "pairs have invalid marks");
        some += is_marked;
    }
    crd_i_sums counts;
    crd_i_sums_init(&counts, pairs->base.context);
    crd_status status = crd_i_window_read(cursor, &counts, some, error);
    if (status == CRD_OK && some > 0 && counts.width == 0)
        status = crd_i_fail(error, CRD_ERROR_DAMAGED, "a pair has no count");
    if (status == CRD_OK && some > 0) {
        crd_i_counts_block *block = crd_i_pairs_block(pairs, a, b);
        bool done = block != NULL;
        for (size_t i = 0, first = 0; done && i < bits; i++) {
            if ((marks[i / 8] >> i % 8 & 1) == 0) continue;
            size_t cell = i;
            if (crd_i_sums_sign(&counts, first) <= 0)
                status = crd_i_fail(error, CRD_ERROR_DAMAGED, "a pair has no count");
            done = (block->is_dense || crd_i_counts_block_make(block, i, &cell)) &&
                   crd_i_sums_combine(&block->sums, cell, &counts, first++, 1);
        }
        if (!done) status = crd_i_fail_memory(error);
    }
    crd_i_sums_clear(&counts);
    return status;
}

crd_status crd_i_pairs_read(crd_i_joint_tally *base, crd_i_cursor *cursor, crd_error *error) {
    crd_i_pairs *pairs = (crd_i_pairs *)base;
    crd_status status = CRD_OK;
    for (size_t a = 0; status == CRD_OK && a < base->column_count; a++)
        if (pair_counts_file_is_settled(pairs, a)) status = pair_counts_file_read_column(pairs, a, cursor, error);
    for (size_t a = 0; status == CRD_OK && a < base->column_count; a++)
        for (size_t b = a + 1; status == CRD_OK && pair_counts_file_is_settled(pairs, a) && b < base->column_count; b++)
            if (pair_counts_file_is_settled(pairs, b)) status = pair_counts_file_read(pairs, a, b, cursor, error);
    if (status != CRD_OK) return status;
    bool agrees;
    if (!crd_i_pairs_check_counts(pairs, &agrees)) return crd_i_fail_memory(error);
    if (!agrees) return crd_i_fail(error, CRD_ERROR_DAMAGED, "pairs have rows that their values do not have");
    return CRD_OK;
}
