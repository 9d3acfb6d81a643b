/* SPDX-License-Identifier: MIT */
/* kept_rows_file.c - the file format of stored rows: u8 1 if rows were dropped, u64 bound (0 if none were), the rows
 * (distinct_rows.h), the weight of all rows of each condition in a window, and the bags (kept_bags.h) if there is a
 * text column. */
#include "stats/kept_rows_internal.h"

#include "base/error.h"
#include "base/memory.h"
#include "stats/exact_sums_file.h"

#include <stdlib.h>

static int kept_rows_file_compare_keys(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Returns the distinct keys of the rows' texts in ascending order; free them with crd_free. NULL: out of memory.
 * `stays` marks the rows to use; NULL: all. */
static uint64_t *keys_of(const crd_i_rows *joint_tally, const bool *stays, size_t *count) {
    const size_t columns = joint_tally->base.column_count;
    uint64_t *keys = crd_i_alloc(joint_tally->base.context, joint_tally->rows.count * columns, sizeof *keys);
    size_t found = 0;
    for (size_t row = 0; keys != NULL && row < joint_tally->rows.count; row++)
        for (size_t column = 0; (stays == NULL || stays[row]) && column < columns; column++) {
            const uint32_t *cell = crd_i_distinct_row(&joint_tally->rows, row) + column * CRD_I_SAMPLE_SPAN;
            if (joint_tally->base.kinds[column] == CRD_KIND_TEXT && crd_i_sample_bits(cell) != UINT64_MAX)
                keys[found++] = crd_i_sample_bits(cell);
        }
    if (found > 1) qsort(keys, found, sizeof *keys, kept_rows_file_compare_keys);
    *count = 0;
    for (size_t i = 0; i < found; i++)
        if (i == 0 || keys[i] != keys[i - 1]) keys[(*count)++] = keys[i];
    return keys;
}

static void write_bags(const crd_i_rows *joint_tally, const bool *stays, crd_i_encoder *encoder) {
    size_t count = 0;
    if (!crd_i_rows_have_texts(&joint_tally->base)) return;
    uint64_t *keys = keys_of(joint_tally, stays, &count);
    if (keys == NULL) encoder->failed = true;
    else crd_i_kept_bags_write(&joint_tally->bags, keys, count, encoder);
    crd_free(joint_tally->base.context, keys);
}

static crd_status read_bags(crd_i_rows *joint_tally, crd_i_cursor *cursor, crd_error *error) {
    size_t count = 0;
    if (!crd_i_rows_have_texts(&joint_tally->base)) return CRD_OK;
    uint64_t *keys = keys_of(joint_tally, NULL, &count);
    if (keys == NULL) return crd_i_fail_memory(error);
    crd_status status = crd_i_kept_bags_read(&joint_tally->bags, keys, count, cursor, error);
    crd_free(joint_tally->base.context, keys);
    return status;
}

void crd_i_rows_write(const crd_i_joint_tally *base, const crd_i_joint_tally_view *view, crd_i_encoder *encoder) {
    const crd_i_rows *joint_tally = (const crd_i_rows *)base;
    bool is_bounded;
    uint64_t bound;
    crd_i_arranged arranged;
    bool *stays = crd_i_rows_staying(joint_tally, &is_bounded, &bound);
    if (stays == NULL || !crd_i_arranged_init(&arranged, base, &joint_tally->rows, CRD_I_SAMPLE_SPAN, view,
                                              joint_tally->row_hashes.each, stays)) {
        crd_free(base->context, stays);
        encoder->failed = true;
        return;
    }
    crd_i_encode_u8(encoder, is_bounded);
    crd_i_encode_u64(encoder, is_bounded ? bound : 0);
    crd_i_arranged_write(&arranged, base, &joint_tally->rows, CRD_I_SAMPLE_SPAN, encoder);
    crd_i_window window = crd_i_window_begin(encoder, &joint_tally->seen);
    for (size_t i = 0; i < view->condition_count; i++) {
        if ((size_t)view->conditions[i] < base->conditions)
            crd_i_window_cell(encoder, window, &joint_tally->seen, (size_t)view->conditions[i]);
        else
            for (uint32_t limb = 0; limb < window.width; limb++) crd_i_encode_u64(encoder, 0);
    }
    write_bags(joint_tally, stays, encoder);
    crd_i_arranged_clear(&arranged);
    crd_free(base->context, stays);
}

/* Computes the hashes of the rows, and checks that the rows are sorted by hash and below the bound. */
static crd_status kept_rows_file_check(crd_i_rows *joint_tally, crd_error *error) {
    for (size_t row = 0; row < joint_tally->rows.count; row++) {
        uint64_t hash = crd_i_rows_hash(joint_tally, crd_i_distinct_row(&joint_tally->rows, row));
        if (!crd_i_rows_note_hash(joint_tally->base.context, &joint_tally->row_hashes, row, hash))
            return crd_i_fail_memory(error);
        bool is_right = !joint_tally->is_bounded || hash < joint_tally->bound;
        uint64_t before = row == 0 ? 0 : joint_tally->row_hashes.each[row - 1];
        is_right = is_right && hash >= before;
        if (is_right && row > 0 && hash == before) {
            const uint32_t *words = crd_i_distinct_row(&joint_tally->rows, row);
            const uint32_t *others = crd_i_distinct_row(&joint_tally->rows, row - 1);
            for (size_t i = 0; i < joint_tally->rows.width; i++) {
                if (words[i] == others[i]) continue; /* no two rows are equal */
                is_right = words[i] > others[i];
                break;
            }
        }
        if (!is_right)
            return crd_i_fail(error, CRD_ERROR_DAMAGED, "the rows of a sample are not in the order of their hashes");
    }
    return CRD_OK;
}

/* Checks that the weight of all rows equals the weight of the stored rows, or exceeds it if rows were dropped. */
static crd_status check_seen(const crd_i_rows *joint_tally, crd_error *error) {
    crd_i_sums left;
    crd_i_sums_init(&left, joint_tally->base.context);
    bool done = crd_i_sums_extend(&left, joint_tally->base.conditions) &&
                crd_i_sums_combine_all(&left, &joint_tally->seen, NULL, 1);
    for (size_t row = 0; done && row < joint_tally->rows.count; row++)
        done = crd_i_sums_combine(&left, crd_i_distinct_row(&joint_tally->rows, row)[joint_tally->rows.width - 1],
                                  &joint_tally->rows.weights, row, -1);
    bool is_right = true, is_more = false;
    for (size_t i = 0; done && i < joint_tally->base.conditions; i++) {
        int sign = crd_i_sums_sign(&left, i);
        is_right = is_right && sign >= 0 && crd_i_sums_value(&joint_tally->seen, i) <= CRD_I_MOST_ROWS;
        is_more = is_more || sign > 0;
    }
    crd_i_sums_clear(&left);
    if (!done) return crd_i_fail_memory(error);
    if (is_right && is_more == joint_tally->is_bounded) return CRD_OK;
    return crd_i_fail(error, CRD_ERROR_DAMAGED, "a sample of rows does not have the stated number of rows");
}

crd_status crd_i_rows_read(crd_i_joint_tally *base, crd_i_cursor *cursor, crd_error *error) {
    crd_i_rows *joint_tally = (crd_i_rows *)base;
    uint8_t is_bounded = crd_i_decode_u8(cursor);
    joint_tally->bound = crd_i_decode_u64(cursor);
    joint_tally->is_bounded = is_bounded == 1;
    if (cursor->failed || is_bounded > 1 || (is_bounded == 0 && joint_tally->bound != 0) ||
        (joint_tally->is_table && is_bounded != 0))
        return crd_i_fail(error, CRD_ERROR_DAMAGED, "a sample of rows is inconsistent");
    crd_status status =
        crd_i_distinct_read(&joint_tally->rows, base, CRD_I_SAMPLE_SPAN, joint_tally->most, cursor, error);
    if (status == CRD_OK) status = kept_rows_file_check(joint_tally, error);
    if (status != CRD_OK) return status;
    crd_i_sums seen;
    crd_i_sums_init(&seen, base->context);
    status = crd_i_window_read(cursor, &seen, base->conditions, error);
    if (status == CRD_OK && !crd_i_sums_combine_all(&joint_tally->seen, &seen, NULL, 1))
        status = crd_i_fail_memory(error);
    crd_i_sums_clear(&seen);
    if (status == CRD_OK) status = check_seen(joint_tally, error);
    return status == CRD_OK ? read_bags(joint_tally, cursor, error) : status;
}
