/* SPDX-License-Identifier: MIT */
/* unlabeled_rows.c - rows without a target, which are not learned. See reader_internal.h and
 * crd_reader_skip_unlabeled.
 *
 * A line of units below the header, or a line of totals at the end, has no target. Its values must not decide the
 * column types, so they count as missing. If the caller sets the class of all rows, rows without a target are
 * learned. The fast path applies the same rule (crd_i_fast_parse_rules). */
#include "table/read/reader_internal.h"

#include "base/memory.h"

crd_status crd_reader_skip_unlabeled(crd_reader *reader, crd_error *error) {
    if (reader->has_begun) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the reader has already started");
    reader->skips_unlabeled = true;
    return CRD_OK;
}

/* Returns the field of a column in the file of the current rows. Before the first frame, no other thread reads the
 * columns. */
static size_t unlabeled_rows_field(const crd_worker *worker, size_t column) {
    return worker->entry->fields != NULL ? worker->entry->fields[column] : worker->reader->columns[column].field;
}

bool crd_i_worker_skips_unlabeled(const crd_worker *worker) {
    const crd_reader *reader = worker->reader;
    return reader->skips_unlabeled && reader->row_class.bytes == NULL && reader->target < reader->column_count &&
           worker->batch == NULL && worker->entry->header.declared == NULL &&
           unlabeled_rows_field(worker, reader->target) != SIZE_MAX;
}

static bool unlabeled_rows_is_missing(const crd_worker *worker, crd_text text, bool is_quoted) {
    const crd_reader *reader = worker->reader;
    return crd_i_form_is_plain(reader->columns[reader->target].form)
               ? crd_i_missing_has_category(&reader->missing, text, is_quoted)
               : crd_i_missing_has(&reader->missing, text, is_quoted);
}

static bool is_missing_cell(const crd_worker *worker, crd_i_cell cell) {
    if (cell.form >= CRD_I_CELL_MISSING) return cell.form == CRD_I_CELL_MISSING;
    return unlabeled_rows_is_missing(worker, crd_i_slow_parse_text(&worker->records, cell),
                                     cell.form != CRD_I_CELL_PLAIN);
}

/* Returns whether values of the column count as missing. Documents and keys are excluded, because they do not decide
 * types. */
static bool is_cleared(const crd_reader *reader, size_t index) {
    const crd_i_reader_column *column = &reader->columns[index];
    const bool is_text = column->is_fixed && column->kind == CRD_KIND_TEXT;
    return index != reader->target && index != reader->weight && !is_text && column->key == CRD_I_KEY_NONE;
}

void crd_i_worker_clear_unlabeled(const crd_worker *worker, crd_i_cell *cells) {
    static const crd_i_cell MISSING = {0, 0, CRD_I_CELL_MISSING};
    const crd_reader *reader = worker->reader;
    if (!crd_i_worker_skips_unlabeled(worker)) return;
    if (!is_missing_cell(worker, cells[unlabeled_rows_field(worker, reader->target)])) return;
    for (size_t i = 0; i < reader->column_count; i++)
        if (is_cleared(reader, i) && unlabeled_rows_field(worker, i) != SIZE_MAX)
            cells[unlabeled_rows_field(worker, i)] = MISSING;
}

void crd_i_worker_clear_unlabeled_sparse(crd_worker *worker) {
    const crd_reader *reader = worker->reader;
    crd_i_sparse_rows *rows = &worker->sparse;
    if (!crd_i_worker_skips_unlabeled(worker)) return;
    const size_t target = unlabeled_rows_field(worker, reader->target);
    for (size_t i = rows->begun; i < rows->count; i++)
        if (rows->cells[i].field == target && !is_missing_cell(worker, rows->cells[i].cell)) return;
    for (size_t i = 0; i < reader->column_count; i++) {
        if (!is_cleared(reader, i)) continue;
        const size_t field = unlabeled_rows_field(worker, i);
        for (size_t k = rows->begun; k < rows->count; k++)
            if (rows->cells[k].field == field) rows->cells[k].cell = (crd_i_cell){0, 0, CRD_I_CELL_MISSING};
    }
}

static bool unlabeled_rows_is_unlabeled(const crd_worker *worker, size_t row, size_t field) {
    bool is_quoted;
    const crd_text text = crd_i_fast_parse_cell(&worker->fast, worker->first_row + row, field, &is_quoted);
    return unlabeled_rows_is_missing(worker, text, is_quoted);
}

bool crd_i_worker_mark_unlabeled(crd_worker *worker) {
    worker->has_unlabeled = false;
    if (!worker->is_swift || !crd_i_worker_skips_unlabeled(worker)) return true;
    const size_t field = unlabeled_rows_field(worker, worker->reader->target);
    if (!crd_i_reserve(worker->reader->context, &worker->unlabeled, &worker->unlabeled_capacity, worker->rows, 1))
        return false;
    for (size_t row = 0; row < worker->rows; row++) {
        worker->unlabeled[row] = unlabeled_rows_is_unlabeled(worker, row, field);
        worker->has_unlabeled = worker->has_unlabeled || worker->unlabeled[row];
    }
    return true;
}
