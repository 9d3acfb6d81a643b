/* SPDX-License-Identifier: MIT */
/* unlabeled_rows.c - rows without a target that are not learned. See reader_internal.h and crd_reader_skip_unlabeled.
 *
 * A line of units below the header, or a line of totals at the end, has no target. Its values must not decide the types of the
 * columns: they count as missing. If the caller names the class of all rows, rows without a target are learned. The fast path does the same (crd_i_fast_parse_rules). */
#include "table/read/reader_internal.h"

#include "base/memory.h"

crd_status crd_reader_skip_unlabeled(crd_reader *reader, crd_error *error) {
    if (reader->has_begun) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the reader has begun already");
    reader->skips_unlabeled = true;
    return CRD_OK;
}

/* The field of a column in the file of the rows at hand. Before the first frame nobody else reads the columns. */
static size_t field_of(const crd_worker *lane, size_t column) {
    return lane->entry->fields != NULL ? lane->entry->fields[column] : lane->reader->columns[column].field;
}

bool crd_i_worker_skips_unlabeled(const crd_worker *lane) {
    const crd_reader *reader = lane->reader;
    return reader->skips_unlabeled && reader->row_class.bytes == NULL && reader->target < reader->column_count &&
           lane->batch == NULL && lane->entry->heading.declared == NULL && field_of(lane, reader->target) != SIZE_MAX;
}

static bool is_missing(const crd_worker *lane, crd_text text, bool is_quoted) {
    const crd_reader *reader = lane->reader;
    return crd_i_form_is_plain(reader->columns[reader->target].form)
               ? crd_i_missing_has_category(&reader->missing, text, is_quoted)
               : crd_i_missing_has(&reader->missing, text, is_quoted);
}

static bool is_missing_cell(const crd_worker *lane, crd_i_cell cell) {
    if (cell.form >= CRD_I_CELL_MISSING) return cell.form == CRD_I_CELL_MISSING;
    return is_missing(lane, crd_i_slow_parse_text(&lane->records, cell), cell.form != CRD_I_CELL_PLAIN);
}

/* Whether values of the column count as missing: those of documents and keys do not decide types. */
static bool is_cleared(const crd_reader *reader, size_t index) {
    const crd_i_reader_column *column = &reader->columns[index];
    const bool is_text = column->is_fixed && column->kind == CRD_KIND_TEXT;
    return index != reader->target && index != reader->weight && !is_text && column->key == CRD_I_KEY_NONE;
}

void crd_i_worker_clear_unlabeled(const crd_worker *lane, crd_i_cell *cells) {
    static const crd_i_cell MISSING = {0, 0, CRD_I_CELL_MISSING};
    const crd_reader *reader = lane->reader;
    if (!crd_i_worker_skips_unlabeled(lane)) return;
    if (!is_missing_cell(lane, cells[field_of(lane, reader->target)])) return;
    for (size_t i = 0; i < reader->column_count; i++)
        if (is_cleared(reader, i) && field_of(lane, i) != SIZE_MAX) cells[field_of(lane, i)] = MISSING;
}

void crd_i_worker_clear_unlabeled_sparse(crd_worker *lane) {
    const crd_reader *reader = lane->reader;
    crd_i_sparse_rows *rows = &lane->sparse;
    if (!crd_i_worker_skips_unlabeled(lane)) return;
    const size_t target = field_of(lane, reader->target);
    for (size_t i = rows->begun; i < rows->count; i++)
        if (rows->cells[i].field == target && !is_missing_cell(lane, rows->cells[i].cell)) return;
    for (size_t i = 0; i < reader->column_count; i++) {
        if (!is_cleared(reader, i)) continue;
        const size_t field = field_of(lane, i);
        for (size_t k = rows->begun; k < rows->count; k++)
            if (rows->cells[k].field == field) rows->cells[k].cell = (crd_i_cell){0, 0, CRD_I_CELL_MISSING};
    }
}

static bool is_unlabeled(const crd_worker *lane, size_t row, size_t field) {
    bool is_quoted;
    const crd_text text = crd_i_fast_parse_cell(&lane->swift, lane->first_row + row, field, &is_quoted);
    return is_missing(lane, text, is_quoted);
}

bool crd_i_worker_mark_unlabeled(crd_worker *lane) {
    lane->has_unlabeled = false;
    if (!lane->is_swift || !crd_i_worker_skips_unlabeled(lane)) return true;
    const size_t field = field_of(lane, lane->reader->target);
    if (!crd_i_reserve(lane->reader->context, &lane->unlabeled, &lane->unlabeled_capacity, lane->rows, 1)) return false;
    for (size_t row = 0; row < lane->rows; row++) {
        lane->unlabeled[row] = is_unlabeled(lane, row, field);
        lane->has_unlabeled = lane->has_unlabeled || lane->unlabeled[row];
    }
    return true;
}
