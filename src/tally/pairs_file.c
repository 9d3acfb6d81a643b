/* pairs_file.c - a bundle of pairs in files, and what no rows can have given.
 *
 * For each column whose kind is settled, in order: where it has numbers, i32 level, u32 cells and the key of each (u64)
 * in the order of numbers; then the counts of each value or cell under each condition, in a window (window.h). Then for
 * each pair of such columns, the first before the second: a bit for each count, whether it is above zero, from the
 * lowest bit of the first byte on, and a window of those that are. */
#include "tally/pairs_parts.h"

#include "base/error.h"
#include "base/memory.h"
#include "tally/window.h"

#include <math.h>

/* ---- Writing ---- */

/* The values, or cells, of a column in the order of files. */
typedef struct ordered {
    const int32_t *cells;
    size_t count;
} ordered;

static bool is_settled(const crd_i_pairs *pairs, size_t column) {
    return pairs->base.kinds[column] != CRD_KIND_NONE;
}

static bool in_block(const crd_i_counts_block *block, int32_t i, int32_t j, int32_t k) {
    return (size_t)i < block->extents[0] && (size_t)j < block->extents[1] && (size_t)k < block->extents[2];
}

static bool is_some(const crd_i_counts_block *block, int32_t i, int32_t j, int32_t k) {
    return block != NULL && block->sums.width > 0 && in_block(block, i, j, k) &&
           !crd_i_counts_block_is_zero(block, crd_i_counts_block_at(block, (size_t)i, (size_t)j, (size_t)k));
}

static void write_singles(const crd_i_counts_block *block, ordered values, const crd_i_bundle_view *view,
                          crd_i_encoder *encoder) {
    crd_i_window window = crd_i_window_begin(encoder, &block->sums);
    for (size_t i = 0; i < values.count; i++)
        for (size_t k = 0; k < view->condition_count; k++) {
            int32_t value = values.cells[i], condition = view->conditions[k];
            if (in_block(block, value, 0, condition))
                crd_i_window_cell(encoder, window, &block->sums,
                                  crd_i_counts_block_at(block, (size_t)value, 0, (size_t)condition));
            else
                for (uint32_t limb = 0; limb < window.width; limb++) crd_i_encode_u64(encoder, 0);
        }
}

static void write_pair(const crd_i_counts_block *block, ordered a, ordered b, const crd_i_bundle_view *view,
                       crd_i_encoder *encoder) {
    uint8_t byte = 0;
    size_t bits = 0;
    for (size_t i = 0; i < a.count; i++)
        for (size_t j = 0; j < b.count; j++)
            for (size_t k = 0; k < view->condition_count; k++) {
                if (is_some(block, a.cells[i], b.cells[j], view->conditions[k])) byte |= (uint8_t)(1u << bits % 8);
                if (++bits % 8 != 0) continue;
                crd_i_encode_u8(encoder, byte);
                byte = 0;
            }
    if (bits % 8 != 0) crd_i_encode_u8(encoder, byte);
    crd_i_sums none;
    crd_i_sums_init(&none, NULL);
    crd_i_window window = crd_i_window_begin(encoder, block == NULL ? &none : &block->sums);
    for (size_t i = 0; i < a.count; i++)
        for (size_t j = 0; j < b.count; j++)
            for (size_t k = 0; k < view->condition_count; k++)
                if (is_some(block, a.cells[i], b.cells[j], view->conditions[k]))
                    crd_i_window_cell(encoder, window, &block->sums,
                                      crd_i_counts_block_at(block, (size_t)a.cells[i], (size_t)b.cells[j],
                                                            (size_t)view->conditions[k]));
}

void crd_i_pairs_write(const crd_i_bundle *base, const crd_i_bundle_view *view, crd_i_encoder *encoder) {
    const crd_i_pairs *pairs = (const crd_i_pairs *)base;
    size_t columns = base->column_count;
    int32_t(*order)[CRD_I_AXIS_MOST] = crd_i_alloc(base->context, columns, sizeof *order);
    ordered *values = crd_i_alloc_zeroed(base->context, columns, sizeof *values);
    if (order == NULL || values == NULL) encoder->failed = true;
    for (size_t a = 0; !encoder->failed && a < columns; a++) {
        const crd_i_axis *axis = pairs->axes[a];
        if (!is_settled(pairs, a)) continue;
        values[a] = (ordered){view->columns[a].values, view->columns[a].value_count};
        if (axis != NULL) {
            crd_i_axis_order(axis, order[a]);
            values[a] = (ordered){order[a], axis->count};
            crd_i_encode_u32(encoder, (uint32_t)(axis->count == 0 ? CRD_I_GRID_EXACT : axis->level));
            crd_i_encode_u32(encoder, (uint32_t)axis->count);
            for (size_t i = 0; i < axis->count; i++) crd_i_encode_u64(encoder, axis->keys[order[a][i]]);
        }
        write_singles(&pairs->singles[a], values[a], view, encoder);
    }
    for (size_t a = 0; !encoder->failed && a < columns; a++)
        for (size_t b = a + 1; is_settled(pairs, a) && b < columns; b++)
            if (is_settled(pairs, b))
                write_pair(pairs->blocks == NULL ? NULL : pairs->blocks[crd_i_pairs_block_number(pairs, a, b)],
                           values[a], values[b], view, encoder);
    crd_free(base->context, order);
    crd_free(base->context, values);
}

/* ---- Checking ---- */

/* Adds up the counts of a pair over one of its columns, and holds the sums against those of the other alone. */
static bool check_margin(const crd_i_counts_block *block, const crd_i_counts_block *singles, bool over_first,
                         bool *agrees) {
    size_t ends[2] = {block->extents[over_first ? 1 : 0], block->extents[over_first ? 0 : 1]};
    crd_i_sums left;
    crd_i_sums_init(&left, block->sums.context);
    bool done = crd_i_sums_extend(&left, block->extents[2]);
    for (size_t i = 0; done && *agrees && i < ends[0]; i++) {
        for (size_t k = 0; k < block->extents[2]; k++) {
            /* What is left of the count of a value once its pairs are taken out; at the end of the round, nothing. */
            done = done && crd_i_sums_combine(&left, k, &left, k, -1);
            if (done && i < singles->extents[0] && k < singles->extents[2])
                done = crd_i_sums_combine(&left, k, &singles->sums, crd_i_counts_block_at(singles, i, 0, k), 1);
        }
        for (size_t j = 0; done && j < ends[1]; j++)
            for (size_t k = 0; done && k < block->extents[2]; k++) {
                size_t at = crd_i_counts_block_at(block, over_first ? j : i, over_first ? i : j, k);
                if (crd_i_counts_block_is_zero(block, at)) continue;
                if (crd_i_sums_sign(&block->sums, at) < 0) *agrees = false;
                done = crd_i_sums_combine(&left, k, &block->sums, at, -1);
            }
        for (size_t k = 0; done && k < block->extents[2]; k++)
            if (crd_i_sums_sign(&left, k) < 0) *agrees = false;
    }
    crd_i_sums_clear(&left);
    return done;
}

bool crd_i_pairs_check_counts(const crd_i_pairs *pairs, bool *agrees) {
    size_t columns = pairs->base.column_count;
    *agrees = true;
    for (size_t a = 0; *agrees && a < columns; a++) {
        const crd_i_sums *singles = &pairs->singles[a].sums;
        for (size_t i = 0; singles->width > 0 && i < singles->cells; i++)
            if (crd_i_sums_sign(singles, i) < 0) *agrees = false;
        for (size_t b = a + 1; *agrees && pairs->blocks != NULL && b < columns; b++) {
            const crd_i_counts_block *block = pairs->blocks[crd_i_pairs_block_number(pairs, a, b)];
            if (block == NULL || block->sums.width == 0) continue;
            if (!check_margin(block, &pairs->singles[a], false, agrees) ||
                !check_margin(block, &pairs->singles[b], true, agrees))
                return false;
        }
    }
    return true;
}

/* ---- Reading ---- */

static crd_status read_axis(crd_i_axis *axis, size_t most, crd_i_cursor *cursor, crd_error *error) {
    int32_t level = (int32_t)crd_i_decode_u32(cursor);
    uint32_t count = crd_i_decode_u32(cursor);
    if (cursor->failed || level < CRD_I_GRID_EXACT || level > CRD_I_GRID_HIGHEST || count > most ||
        (count == 0 && level != CRD_I_GRID_EXACT))
        return crd_i_fail(error, CRD_ERROR_DAMAGED, "pairs have a level or a number of cells that none can have");
    axis->level = level;
    uint64_t before = 0;
    for (size_t cell = 0; cell < count; cell++) {
        uint64_t key = crd_i_decode_u64(cursor);
        bool is_key = !cursor->failed && isfinite(crd_i_double_of(key)) && crd_i_grid_key_at(key, level) == key &&
                      (key != CRD_I_SIGN_BIT || level > CRD_I_GRID_EXACT) &&
                      (cell == 0 || crd_i_grid_key_rank(before) < crd_i_grid_key_rank(key));
        if (!is_key) return crd_i_fail(error, CRD_ERROR_DAMAGED, "the cells of pairs are not those of their level");
        crd_i_axis_append(axis, key);
        before = key;
    }
    return CRD_OK;
}

static crd_status read_column(crd_i_pairs *pairs, size_t column, crd_i_cursor *cursor, crd_error *error) {
    crd_i_axis *axis = pairs->axes[column];
    crd_status status = axis == NULL ? CRD_OK : read_axis(axis, pairs->most, cursor, error);
    if (status == CRD_OK && crd_i_pairs_check_size(pairs, NULL) != CRD_OK)
        status = crd_i_fail(error, CRD_ERROR_DAMAGED, "there are more pairs than are ever kept");
    if (status != CRD_OK) return status;
    size_t cells = crd_i_pairs_cell_count(pairs, column), conditions = pairs->base.conditions;
    crd_i_counts_block *singles = &pairs->singles[column];
    status = crd_i_window_read(cursor, &singles->sums, (uint64_t)cells * conditions, error);
    if (status != CRD_OK) return status;
    singles->extents[0] = cells;
    singles->extents[1] = 1;
    singles->extents[2] = conditions;
    for (size_t i = 0; axis != NULL && i < cells; i++) {
        bool some = false;
        for (size_t k = 0; k < conditions; k++)
            some = some || crd_i_sums_sign(&singles->sums, crd_i_counts_block_at(singles, i, 0, k)) != 0;
        if (!some) return crd_i_fail(error, CRD_ERROR_DAMAGED, "a cell of pairs was never counted");
    }
    for (size_t i = 0; i < singles->sums.cells; i++)
        if (crd_i_sums_value(&singles->sums, i) > CRD_I_MOST_ROWS)
            return crd_i_fail(error, CRD_ERROR_DAMAGED, "a count is larger than any number of rows");
    return CRD_OK;
}

static crd_status read_pair(crd_i_pairs *pairs, size_t a, size_t b, crd_i_cursor *cursor, crd_error *error) {
    size_t bits = crd_i_pairs_cell_count(pairs, a) * crd_i_pairs_cell_count(pairs, b) * pairs->base.conditions;
    size_t bytes = (bits + 7) / 8, some = 0;
    if (!crd_i_cursor_holds(cursor, bytes, 1)) return crd_i_fail(error, CRD_ERROR_DAMAGED, "pairs end too early");
    const unsigned char *marks = cursor->at;
    cursor->at += bytes;
    for (size_t i = 0; i < 8 * bytes; i++) {
        bool is_marked = (marks[i / 8] >> i % 8 & 1) != 0;
        if (is_marked && i >= bits) return crd_i_fail(error, CRD_ERROR_DAMAGED, "pairs are marked that cannot be");
        some += is_marked;
    }
    crd_i_sums counts;
    crd_i_sums_init(&counts, pairs->base.context);
    crd_status status = crd_i_window_read(cursor, &counts, some, error);
    if (status == CRD_OK && some > 0 && counts.width == 0)
        status = crd_i_fail(error, CRD_ERROR_DAMAGED, "a pair was never counted");
    if (status == CRD_OK && some > 0) {
        crd_i_counts_block *block = crd_i_pairs_block(pairs, a, b);
        bool done = block != NULL && crd_i_sums_set_window(&block->sums, counts.base, counts.width);
        for (size_t i = 0, from = 0; done && i < bits; i++) {
            if ((marks[i / 8] >> i % 8 & 1) == 0) continue;
            if (crd_i_sums_sign(&counts, from) <= 0)
                status = crd_i_fail(error, CRD_ERROR_DAMAGED, "a pair was never counted");
            done = crd_i_sums_combine(&block->sums, i, &counts, from++, 1);
        }
        if (!done) status = crd_i_fail_memory(error);
    }
    crd_i_sums_clear(&counts);
    return status;
}

crd_status crd_i_pairs_read(crd_i_bundle *base, crd_i_cursor *cursor, crd_error *error) {
    crd_i_pairs *pairs = (crd_i_pairs *)base;
    crd_status status = CRD_OK;
    for (size_t a = 0; status == CRD_OK && a < base->column_count; a++)
        if (is_settled(pairs, a)) status = read_column(pairs, a, cursor, error);
    for (size_t a = 0; status == CRD_OK && a < base->column_count; a++)
        for (size_t b = a + 1; status == CRD_OK && is_settled(pairs, a) && b < base->column_count; b++)
            if (is_settled(pairs, b)) status = read_pair(pairs, a, b, cursor, error);
    if (status != CRD_OK) return status;
    bool agrees;
    if (!crd_i_pairs_check_counts(pairs, &agrees)) return crd_i_fail_memory(error);
    if (!agrees) return crd_i_fail(error, CRD_ERROR_DAMAGED, "pairs have rows that their values do not have");
    return CRD_OK;
}
