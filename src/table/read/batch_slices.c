/* SPDX-License-Identifier: MIT */
/* batch_slices.c - converts slices of batches to frames. See row_batches.h and reader_internal.h.
 *
 * A chunk is a slice of one batch, and its line numbers are row numbers. */
#include "table/read/reader_internal.h"

#include "base/error.h"
#include "base/memory.h"

#include <credence/number.h>

#include <math.h>

/* ---- Entering ---- */

/* This format never splits records, because there are no bytes. */
static const crd_i_format columns_format = {.code = CRD_FORMAT_COLUMNS};

/* Only texts that the caller lists mean missing, unless columns are to be read like a file. NULL: none. */
const crd_i_missing *crd_i_batches_missing(const crd_reader *reader) {
    if (reader->missing_given || reader->options.like_file) return &reader->missing;
    return reader->added.texts != NULL ? &reader->added : NULL;
}

bool crd_i_batches_values(const crd_reader *reader, size_t field, crd_i_dictionary **out) {
    const crd_i_batch_source *source = reader->batches;
    const crd_i_dictionary *values = source->values(source, field);
    *out = NULL;
    if (values == NULL) return true;
    crd_i_dictionary *dictionary = crd_i_dictionary_create(reader->context);
    for (size_t code = 0; dictionary != NULL && code < crd_i_dictionary_size(values); code++) {
        crd_text text = crd_i_dictionary_text(values, code);
        if (crd_i_batches_missing(reader) != NULL &&
            crd_i_missing_has_category(crd_i_batches_missing(reader), text, false))
            continue;
        if (crd_i_dictionary_add(dictionary, text) >= 0) continue;
        crd_i_dictionary_destroy(dictionary);
        dictionary = NULL;
    }
    *out = dictionary;
    return dictionary != NULL;
}

static crd_status batch_slices_declare_values(const crd_reader *reader, size_t field, crd_i_declared *declared,
                                              crd_error *error) {
    size_t most = reader->options.max_categories;
    if (declared->kind != CRD_KIND_CATEGORY) return CRD_OK;
    if (!crd_i_batches_values(reader, field, &declared->values)) return crd_i_fail_memory(error);
    if (declared->values == NULL || crd_i_dictionary_size(declared->values) <= most) return CRD_OK;
    crd_text name = reader->batches->name(reader->batches, field);
    char shown[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, CRD_ERROR_LIMIT,
               "column '%s' has a dictionary of %zu values, more than %zu: is it an identifier?",
               crd_i_quote(name, shown), crd_i_dictionary_size(declared->values), most);
    crd_i_error_subject(error, name);
    return CRD_ERROR_LIMIT;
}

crd_status crd_i_batches_enter(crd_reader *reader, bool is_again, crd_error *error) {
    crd_i_batch_source *source = reader->batches;
    crd_i_file_header *file = &reader->entry->header;
    if (is_again) {
        if (source->rewind == NULL) return crd_i_fail(error, CRD_ERROR_KIND, "cannot be read again");
        crd_status status = source->rewind(source, error);
        if (status != CRD_OK) return status;
    }
    crd_i_batch_leave(reader->batch);
    reader->batch = NULL;
    reader->batch_row = reader->rows_before = 0;
    file->format = &columns_format;
    file->decimal = '.';
    file->has_header = !reader->options.like_file || reader->options.header != CRD_CHOICE_NO;
    file->width = source->column_count;
    file->has_row_names = source->has_row_names;
    file->is_named = source->has_row_names;
    if (source->column_count == 0) return crd_i_fail(error, CRD_ERROR_EMPTY, "the table has no columns");
    for (size_t i = 0; i < source->column_count; i++) {
        crd_status status = crd_i_file_header_add_name(reader, source->name(source, i), 0, error);
        if (status != CRD_OK) return status;
        crd_i_declared *declared = crd_i_file_header_declare(reader);
        if (declared == NULL) return crd_i_fail_memory(error);
        declared->kind = source->kind(source, i);
        declared->foreign = source->foreign(source, i);
        status = batch_slices_declare_values(reader, i, declared, error);
        if (status != CRD_OK) return status;
    }
    return CRD_OK;
}

crd_status crd_i_batches_settle_kinds(crd_reader *reader, crd_error *error) {
    for (size_t i = 0; i < reader->column_count; i++) {
        crd_i_reader_column *column = &reader->columns[i];
        if (column->field == SIZE_MAX) continue;
        const char *foreign = reader->batches->foreign(reader->batches, column->field);
        if (foreign != NULL) {
            char shown[CRD_I_QUOTED_ROOM];
            crd_i_fail(error, CRD_ERROR_COLUMN,
                       "column '%s' is %s, neither a number nor a category: ignore it, or convert it to columns of "
                       "numbers or texts",
                       crd_i_quote(column->name, shown), foreign);
            crd_i_reader_place_error(reader, error);
            crd_i_error_subject(error, column->name);
            return CRD_ERROR_COLUMN;
        }
        crd_kind own_kind = reader->batches->kind(reader->batches, column->field);
        bool has_labels = crd_i_intervals_are(&column->intervals) && own_kind == CRD_KIND_CATEGORY;
        if (has_labels) column->kind = own_kind;
        column->is_found = reader->options.like_file && !column->is_fixed;
        if (column->kind == CRD_KIND_NONE) column->kind = reader->batches->kind(reader->batches, column->field);
        column->is_fixed = true;
    }
    return CRD_OK;
}

/* ---- Taking slices, under the reader's lock ---- */

enum { SLICE_CELLS = 1 << 17, LEAST_SLICE = 1024, STEP = 64 };

/* Returns the number of rows in a slice, a multiple of 8 for validity bitmaps. It depends only on the options and
 * the number of columns. */
static size_t slice_rows(const crd_reader *reader) {
    size_t columns = reader->column_count + 1, least = LEAST_SLICE, step = STEP;
    size_t cells = SLICE_CELLS;
    if (reader->options.block_bytes > 0) {
        cells = reader->options.block_bytes / sizeof(double);
        least = step = 8;
    }
    size_t rows = cells / columns / step * step;
    return rows < least ? least : rows;
}

void crd_i_batch_leave(crd_i_row_batch *batch) {
    if (batch != NULL && --batch->users == 0) batch->destroy(batch);
}

/* Finds the next slice of any batch; *rows is 0 at the end. */
static crd_status cut_slice(crd_reader *reader, size_t *rows, crd_error *error) {
    *rows = 0;
    while (reader->batch == NULL || reader->batch_row == reader->batch->rows) {
        crd_i_batch_leave(reader->batch);
        reader->batch = NULL;
        reader->batch_row = 0;
        if (crd_i_context_cancelled(reader->context)) return crd_i_fail_cancelled(error);
        crd_status status = reader->batches->next(reader->batches, &reader->batch, error);
        if (status != CRD_OK || reader->batch == NULL) return status;
    }
    size_t left = reader->batch->rows - reader->batch_row, most = slice_rows(reader);
    *rows = left < most ? left : most;
    return CRD_OK;
}

crd_status crd_i_batches_take(crd_worker *worker, size_t *rows, crd_error *error) {
    crd_reader *reader = worker->reader;
    crd_i_batch_leave(worker->batch);
    worker->batch = NULL;
    for (;;) {
        if (reader->is_drained) {
            *rows = 0;
            return CRD_OK;
        }
        crd_status status = cut_slice(reader, rows, error);
        if (status != CRD_OK && error->place[0] == '\0') crd_i_reader_place_error(reader, error);
        if (status != CRD_OK || *rows == 0) {
            reader->is_drained = true;
            return status;
        }
        bool is_own = true;
        if (crd_i_reader_is_shard(reader) && reader->shard.division == CRD_I_DIVIDE_ROWS) {
            is_own = crd_i_shard_is_dealt_chunk(reader, reader->shard.chunk++);
            reader->entry_is_fresh = true; /* rows before it may have been skipped */
        }
        reader->records.next_line = reader->rows_before + 1;
        worker->batch_from = reader->batch_row;
        reader->batch_row += *rows;
        reader->rows_before += *rows;
        if (!is_own) continue;
        worker->batch = reader->batch;
        worker->batch->users++;
        worker->batch_rows = *rows;
        return CRD_OK;
    }
}

/* ---- Converting a slice, in each worker ---- */

static crd_status batch_slices_fail_cell(const crd_worker *worker, size_t index, const crd_i_cell_fault *fault,
                                         crd_error *error) {
    if (fault->status == CRD_ERROR_MEMORY) return crd_i_fail_memory(error);
    if (crd_i_is_cancelled(fault->status)) return crd_i_fail_cancelled(error);
    const crd_i_reader_column *column = &worker->reader->columns[index];
    const crd_text name =
        column->source.bytes != NULL ? column->source : column->name; /* for a part of a date, name the field */
    char shown[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, fault->status, "%s '%s' %s", fault->row == SIZE_MAX ? "column" : "the cell of column",
               crd_i_quote(name, shown), fault->what);
    crd_i_error_subject(error, name);
    crd_i_error_place(error, NULL, fault->row == SIZE_MAX ? 0 : fault->row + 1, worker->entry->fields[index] + 1);
    return fault->status;
}

/* Checks that every row has a weight and that no weight is negative. */
static crd_status batch_slices_check_weights(const crd_i_column *weights, size_t rows, crd_i_cell_fault *fault) {
    for (size_t row = 0; row < rows; row++) {
        if (!crd_i_column_present(weights, row))
            return crd_i_cell_fail(fault, CRD_ERROR_WEIGHT, row,
                                   "is missing: use 0 to ignore the row, or 1 to count it once");
        if (weights->numbers[row] < 0)
            return crd_i_cell_fail(fault, CRD_ERROR_WEIGHT, row,
                                   "is negative: a weight is the number of rows that a row counts as");
    }
    return CRD_OK;
}

/* Stores the numbers that missing-value texts denote, as in files. Returns their count, at most `most`. */
static size_t missing_numbers(const crd_i_missing *missing, double *numbers, size_t most) {
    size_t count = 0;
    for (size_t i = 0; i < crd_i_dictionary_size(missing->texts) && count < most; i++)
        if (crd_number_parse(crd_i_dictionary_text(missing->texts, i), &numbers[count]) == CRD_NUMBER_FINITE) count++;
    return count;
}

/* Replaces numbers that mean missing by NaN. Copies borrowed numbers to the room first. */
static crd_status drop_missing_numbers(const crd_i_conversion *conversion, size_t rows, crd_i_column_room *workspace,
                                       crd_i_column *column, crd_i_cell_fault *fault) {
    enum { MOST = 64 };
    double numbers[MOST];
    const size_t count = missing_numbers(conversion->missing, numbers, MOST);
    if (count == 0) return CRD_OK;
    if (!crd_i_reserve(conversion->context, &workspace->numbers, &workspace->numbers_capacity, rows,
                       sizeof *workspace->numbers))
        return crd_i_cell_fail_memory(fault);
    for (size_t row = 0; row < rows; row++) {
        double number = column->numbers[row];
        for (size_t i = 0; i < count; i++)
            if (number == numbers[i]) number = NAN;
        workspace->numbers[row] = number;
    }
    column->numbers = workspace->numbers;
    return CRD_OK;
}

static bool batch_slices_has_cells(const crd_i_column *column, size_t rows) {
    size_t row = 0;
    while (row < rows && !crd_i_column_present(column, row)) row++;
    return row < rows;
}

/* A "?" in the target column of typed rows is a label. If predictions are compared with labels, it is one only if it is a class of the model. */
static bool keeps_mark(const crd_reader *reader, size_t index) {
    const bool is_compared = reader->is_bound && !reader->needs_target;
    return index == reader->target && (!is_compared || reader->columns[index].has_mark);
}

static crd_status batch_slices_convert_column(crd_worker *worker, size_t index, crd_i_column *into, crd_error *error) {
    const crd_reader *reader = worker->reader;
    const crd_i_reader_column *column = &reader->columns[index];
    crd_i_worker_column *worker_column = &worker->columns[index];
    const crd_i_conversion conversion = {reader->context, crd_i_batches_missing(reader),
                                         crd_i_reader_most_categories(reader, index), &column->truth,
                                         keeps_mark(reader, index)};
    into->kind = CRD_KIND_NONE;
    into->validity = NULL;
    into->declared = NULL;
    into->is_constant = false;
    size_t field = worker->entry->fields[index];
    if (field == SIZE_MAX || column->kind == CRD_KIND_NONE) return CRD_OK;
    if (column->kind == CRD_KIND_CATEGORY && worker_column->dictionary == NULL) {
        worker_column->dictionary = crd_i_dictionary_create(reader->context);
        if (worker_column->dictionary == NULL) return crd_i_fail_memory(error);
    }
    crd_i_worker_forget_ids(worker, index);
    worker_column->workspace.dictionary = worker_column->dictionary;
    into->declared = column->kind == CRD_KIND_CATEGORY ? column->declared : NULL;
    crd_i_cell_fault fault = {.status = CRD_OK};
    crd_status status =
        crd_i_form_is_plain(column->form)
            ? worker->batch->convert(worker->batch, field, column->kind, worker->batch_from, worker->batch_rows,
                                     &conversion, &worker_column->workspace, into, &fault)
            : crd_i_batches_convert_formed(worker, index, &conversion, into, &fault);
    if (status == CRD_OK && into->kind == CRD_KIND_NUMBER && reader->options.like_file && index != reader->weight &&
        conversion.missing->has_number)
        status = drop_missing_numbers(&conversion, worker->batch_rows, &worker_column->workspace, into, &fault);
    if (status == CRD_OK && (column->is_found || index == reader->target)) {
        if (batch_slices_has_cells(into, worker->batch_rows)) worker_column->has_cells = true;
        else if (column->is_found) into->kind = CRD_KIND_NONE;
    }
    if (status == CRD_OK && index == reader->weight)
        status = batch_slices_check_weights(into, worker->batch_rows, &fault);
    return status == CRD_OK ? CRD_OK : batch_slices_fail_cell(worker, index, &fault, error);
}

/* Reports the fault of the first row if there are several. A fault of a whole column precedes faults of rows. */
crd_status crd_i_worker_convert_batch(crd_worker *worker, crd_error *error) {
    crd_status status = CRD_OK;
    worker->frame->rows = worker->batch_rows;
    if (worker->batch->prepare != NULL)
        status = worker->batch->prepare(worker->batch, worker->batch_from, worker->batch_rows, error);
    if (status != CRD_OK) return status;
    for (size_t i = 0; i < worker->reader->column_count; i++) {
        crd_error fault = {.status = CRD_OK};
        crd_status found_status = batch_slices_convert_column(worker, i, &worker->frame->columns[i], &fault);
        if (found_status == CRD_OK || (status != CRD_OK && fault.line >= error->line)) continue;
        status = found_status;
        *error = fault;
    }
    return status;
}
