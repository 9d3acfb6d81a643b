/* SPDX-License-Identifier: MIT */
/* kept_rows_view.c - the stored rows as arrays, for code that reads them: see kept_rows.h. */
#include "stats/kept_rows_internal.h"

#include "base/memory.h"
#include "math/exact/ieee754.h"

#include <math.h>
#include <string.h>

/* Fills in a text column. The texts point into bytes that the sample owns. */
static bool kept_rows_view_fill_texts(crd_i_sample *target_sample, size_t column, const crd_i_rows *joint_tally,
                                      const crd_i_arranged *arranged) {
    crd_text *texts = crd_i_alloc_zeroed(target_sample->context, target_sample->rows, sizeof *texts);
    target_sample->columns[column].texts = texts;
    target_sample->columns[column].are_bags = true;
    if (texts == NULL) return false;
    for (size_t i = 0; i < target_sample->rows; i++) {
        const uint32_t *cell = arranged->words + arranged->order[i] * arranged->width + column * CRD_I_SAMPLE_SPAN;
        const crd_text bag = crd_i_kept_bags_find(&joint_tally->bags, crd_i_sample_bits(cell));
        if (crd_i_sample_bits(cell) == UINT64_MAX || bag.bytes == NULL) continue;
        texts[i].bytes = target_sample->bags + (bag.bytes - (const char *)joint_tally->bags.bytes.bytes);
        texts[i].length = bag.length;
    }
    return true;
}

static bool kept_rows_view_fill_column(crd_i_sample *target_sample, size_t column, crd_kind kind,
                                       const crd_i_arranged *arranged) {
    double *numbers = NULL;
    int32_t *codes = NULL;
    if (kind == CRD_KIND_NUMBER) numbers = crd_i_alloc(target_sample->context, target_sample->rows, sizeof *numbers);
    if (kind == CRD_KIND_CATEGORY) codes = crd_i_alloc(target_sample->context, target_sample->rows, sizeof *codes);
    const crd_i_cells cells = {.rows = target_sample->rows, .numbers = numbers, .codes = codes};
    target_sample->columns[column] = cells;
    if (kind != CRD_KIND_NONE && numbers == NULL && codes == NULL) return false;
    for (size_t i = 0; i < target_sample->rows && kind != CRD_KIND_NONE; i++) {
        const uint32_t *cell = arranged->words + arranged->order[i] * arranged->width + column * CRD_I_SAMPLE_SPAN;
        uint64_t bits = (uint64_t)cell[1] << 32 | cell[0];
        if (numbers != NULL) numbers[i] = bits == UINT64_MAX ? (double)NAN : crd_i_double_of(bits);
        else codes[i] = cell[0] == CRD_I_MISSING_WORD ? -1 : (int32_t)cell[0];
    }
    return true;
}

/* Copies the stored rows, in the order of `arranged`, into the arrays of the sample. false: out of memory; the caller
 * clears the sample. */
static bool fill_sample(crd_i_sample *target_sample, const crd_i_rows *joint_tally, const crd_i_joint_tally_view *view,
                        const crd_i_arranged *arranged) {
    crd_context *context = target_sample->context;
    target_sample->rows = arranged->count;
    target_sample->columns = crd_i_alloc_zeroed(context, target_sample->column_count, sizeof *target_sample->columns);
    target_sample->conditions = crd_i_alloc(context, target_sample->rows, sizeof *target_sample->conditions);
    target_sample->weights = crd_i_alloc(context, target_sample->rows, sizeof *target_sample->weights);
    target_sample->hashes = crd_i_alloc(context, target_sample->rows, sizeof *target_sample->hashes);
    target_sample->seen = crd_i_alloc_zeroed(context, target_sample->condition_count, sizeof *target_sample->seen);
    if (target_sample->columns == NULL || target_sample->conditions == NULL || target_sample->weights == NULL ||
        target_sample->hashes == NULL || target_sample->seen == NULL)
        return false;
    for (size_t i = 0; i < target_sample->rows; i++) {
        size_t row = arranged->order[i];
        target_sample->conditions[i] = (int32_t)arranged->words[(row + 1) * arranged->width - 1];
        target_sample->weights[i] = crd_i_sums_value(&joint_tally->rows.weights, row);
        target_sample->hashes[i] = joint_tally->row_hashes.each[row];
    }
    for (size_t i = 0; i < target_sample->condition_count; i++)
        if ((size_t)view->conditions[i] < joint_tally->base.conditions)
            target_sample->seen[i] = crd_i_sums_value(&joint_tally->seen, (size_t)view->conditions[i]);
    const crd_i_buffer *bytes = &joint_tally->bags.bytes;
    target_sample->bags = crd_i_alloc(context, bytes->length, 1);
    if (target_sample->bags == NULL) return false;
    if (bytes->length > 0) memcpy(target_sample->bags, bytes->bytes, bytes->length);
    for (size_t column = 0; column < target_sample->column_count; column++) {
        const crd_kind kind = joint_tally->base.kinds[column];
        target_sample->columns[column].rows = target_sample->rows;
        if (kind == CRD_KIND_TEXT ? !kept_rows_view_fill_texts(target_sample, column, joint_tally, arranged)
                                  : !kept_rows_view_fill_column(target_sample, column, kind, arranged))
            return false;
    }
    return true;
}

bool crd_i_sample_init(crd_i_sample *target_sample, crd_context *context, const crd_i_joint_tally *rows,
                       const crd_i_joint_tally_view *view) {
    const crd_i_rows *joint_tally = (const crd_i_rows *)rows;
    bool is_bounded;
    uint64_t bound;
    crd_i_arranged arranged;
    memset(target_sample, 0, sizeof *target_sample);
    target_sample->context = context;
    target_sample->column_count = rows->column_count;
    target_sample->condition_count = view->condition_count;
    bool *stays = crd_i_rows_staying(joint_tally, &is_bounded, &bound);
    bool done = stays != NULL && crd_i_arranged_init(&arranged, rows, &joint_tally->rows, CRD_I_SAMPLE_SPAN, view,
                                                     joint_tally->row_hashes.each, stays);
    if (done) {
        target_sample->is_complete = !is_bounded;
        done = fill_sample(target_sample, joint_tally, view, &arranged);
        crd_i_arranged_clear(&arranged);
    }
    crd_free(rows->context, stays);
    if (!done) crd_i_sample_clear(target_sample);
    return done;
}

void crd_i_sample_clear(crd_i_sample *sample) {
    crd_context *context = sample->context;
    for (size_t column = 0; sample->columns != NULL && column < sample->column_count; column++) {
        crd_free(context, (void *)sample->columns[column].numbers);
        crd_free(context, (void *)sample->columns[column].codes);
        crd_free(context, (void *)sample->columns[column].texts);
    }
    crd_free(context, sample->columns);
    crd_free(context, sample->bags);
    crd_free(context, sample->conditions);
    crd_free(context, sample->weights);
    crd_free(context, sample->hashes);
    crd_free(context, sample->seen);
    memset(sample, 0, sizeof *sample);
    sample->context = context;
}
