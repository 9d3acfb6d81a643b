/* SPDX-License-Identifier: MIT */
/* key_columns.c - columns that identify the sequence and the time of a row, and empty lines between rows. See
 * reader.h.
 *
 * A key is a frame column, so it is read like all others in every file format. It is not in schemas. There may be as
 * many ids as rows, so their dictionary holds the ids of one frame only.
 *
 * Contents:
 *   1. Keys and empty lines
 *   2. Rows without a target */
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "table/read/reader_internal.h"

#include <stdio.h>
#include <string.h>

/* ======== 1. Keys and empty lines ======== */

static const char *role_of(crd_i_key key) {
    return key == CRD_I_KEY_SEQUENCE ? "the sequence id" : "the time";
}

/* ---- Making a column a key ---- */

static crd_status key_columns_fail(const crd_reader *reader, crd_text name, crd_i_key key, const char *why,
                                   crd_error *error) {
    char shown[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, CRD_ERROR_COLUMN, "'%s' cannot be %s: it is %s", crd_i_quote(name, shown), role_of(key), why);
    crd_i_error_place(error, reader->inputs[0].place, 0, 0);
    crd_i_error_subject(error, name);
    return CRD_ERROR_COLUMN;
}

/* Returns the position of the target if the current file has no names and lacks the target; otherwise SIZE_MAX. */
static size_t lacking_position(const crd_reader *reader) {
    bool by_name = reader->binding.has_header && reader->position.entry->header.has_header;
    bool lacks = reader->binding.is_bound && !by_name && reader->target != SIZE_MAX &&
                 reader->position.entry->header.width + 1 == reader->binding.width;
    return lacks ? reader->columns[reader->target].position : SIZE_MAX;
}

/* Finds the one column of the first file that the selector matches. */
static crd_status select_one(const crd_reader *reader, crd_text selector, crd_i_key key, size_t *field,
                             crd_error *error) {
    size_t count = 0;
    size_t *result = crd_i_alloc(reader->context, crd_reader_column_count(reader), sizeof *result);
    if (result == NULL) return crd_i_fail_memory(error);
    crd_status status = crd_reader_select(reader, selector, result, &count, error);
    if (status == CRD_OK && count != 1) {
        char shown[CRD_I_QUOTED_ROOM];
        status = crd_i_fail(error, CRD_ERROR_COLUMN, "'%s' selects %zu columns, but only one can be %s",
                            crd_i_quote(selector, shown), count, role_of(key));
        crd_i_error_subject(error, selector);
        crd_i_error_place(error, reader->inputs[0].place, 0, 0);
    }
    if (status == CRD_OK) *field = result[0];
    crd_free(reader->context, result);
    return status;
}

/* Parses c1, c2, ... These are columns of the training files, if this file lacks the target among them. */
static bool is_position(crd_text selector, size_t *position) {
    size_t number = 0;
    if (selector.length < 2 || selector.length > 8 || selector.bytes[0] != 'c') return false;
    for (size_t i = 1; i < selector.length; i++) {
        if (selector.bytes[i] < '0' || selector.bytes[i] > '9') return false;
        number = number * 10 + (size_t)(selector.bytes[i] - '0');
    }
    *position = number - 1;
    return number > 0;
}

static crd_status key_columns_find_field(const crd_reader *reader, crd_text selector, crd_i_key key, size_t *field,
                                         crd_error *error) {
    size_t lacking = lacking_position(reader), position;
    if (lacking != SIZE_MAX && is_position(selector, &position) && position < reader->binding.width) {
        if (position == lacking) return key_columns_fail(reader, selector, key, "the target", error);
        *field = position - (position > lacking);
        return CRD_OK;
    }
    return select_one(reader, selector, key, field, error);
}

static bool key_columns_is_taken(const crd_reader *reader, crd_text name) {
    size_t i = 0;
    while (i < reader->column_count && !crd_text_equal(reader->columns[i].name, name)) i++;
    return i < reader->column_count;
}

/* Returns the name of a new column: the field's name, or its position's name if columns are matched by position.
 * Owned by the caller. */
static crd_text key_columns_name(const crd_reader *reader, size_t field, size_t position) {
    bool by_name = reader->binding.has_header && reader->position.entry->header.has_header;
    char text[32];
    snprintf(text, sizeof text, "c%zu", position + 1);
    crd_text name = by_name ? crd_i_dictionary_text(reader->position.entry->header.names, field) : crd_text_of(text);
    if (key_columns_is_taken(reader, name)) snprintf(text, sizeof text, "c%zu of the file", position + 1);
    return crd_i_text_copy(reader->context, key_columns_is_taken(reader, name) ? crd_text_of(text) : name);
}

/* Adds a column for a field that is not in the schema. */
static crd_status append_column(crd_reader *reader, size_t field, crd_error *error) {
    size_t count = reader->column_count, lacking = lacking_position(reader);
    size_t position = lacking != SIZE_MAX && field >= lacking ? field + 1 : field;
    crd_text name = key_columns_name(reader, field, position);
    crd_i_reader_column *columns = crd_i_alloc_zeroed(reader->context, count + 1, sizeof *columns);
    if (name.bytes == NULL || columns == NULL) {
        crd_free(reader->context, (void *)name.bytes);
        crd_free(reader->context, columns);
        return crd_i_fail_memory(error);
    }
    if (count > 0) memcpy(columns, reader->columns, count * sizeof *columns);
    columns[count].name = name;
    columns[count].field = field;
    columns[count].position = position;
    crd_free(reader->context, reader->columns);
    reader->columns = columns;
    reader->column_count++;
    return CRD_OK;
}

/* Finds the column of a field, or adds one. */
static crd_status key_columns_find(crd_reader *reader, size_t field, crd_i_key key, size_t *out, crd_error *error) {
    size_t i = 0;
    while (i < reader->column_count && reader->columns[i].field != field) i++;
    *out = i;
    if (i == reader->column_count) return append_column(reader, field, error);
    const crd_i_reader_column *column = &reader->columns[i];
    if (i == reader->target) return key_columns_fail(reader, column->name, key, "the target", error);
    if (i == reader->weight) return key_columns_fail(reader, column->name, key, "the weight", error);
    if (column->key != CRD_I_KEY_NONE) return key_columns_fail(reader, column->name, key, role_of(column->key), error);
    if (reader->binding.is_bound || column->source.bytes != NULL)
        return key_columns_fail(reader, column->name, key, "an observation", error);
    return CRD_OK;
}

crd_status crd_i_reader_set_key(crd_reader *reader, crd_text selector, crd_i_key key, crd_i_column_format likely,
                                crd_error *error) {
    if (reader->has_begun) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the reader has already started");
    size_t field, index;
    crd_status status = key_columns_find_field(reader, selector, key, &field, error);
    if (status == CRD_OK) status = key_columns_find(reader, field, key, &index, error);
    if (status != CRD_OK) return status;
    crd_i_reader_column *column = &reader->columns[index];
    crd_i_intervals_clear(reader->context, &column->intervals);
    crd_i_dictionary_destroy(column->declared);
    column->declared = NULL;
    column->key = key;
    column->is_ignored = false;
    column->is_fixed = column->is_settled = true;
    column->type = key == CRD_I_KEY_SEQUENCE ? CRD_TYPE_CATEGORICAL : CRD_TYPE_NUMERIC;
    if (key == CRD_I_KEY_TIME) return crd_i_reader_find_time_format(reader, index, likely, error);
    column->format = (crd_i_column_format){CRD_I_READING_PLAIN, CRD_I_PART_WHOLE};
    return CRD_OK;
}

crd_status crd_i_reader_need_keys(const crd_reader *reader, crd_error *error) {
    for (size_t i = 0; i < reader->column_count; i++) {
        const crd_i_reader_column *column = &reader->columns[i];
        if (column->key == CRD_I_KEY_NONE || column->field != SIZE_MAX) continue;
        char shown[CRD_I_QUOTED_ROOM];
        crd_i_fail(error, CRD_ERROR_COLUMN, "%s '%s' is not among the columns", role_of(column->key),
                   crd_i_quote(column->name, shown));
        crd_i_error_place(error, NULL, reader->position.entry->header.line, 0);
        crd_i_error_subject(error, column->name);
        return CRD_ERROR_COLUMN;
    }
    return CRD_OK;
}

size_t crd_i_reader_key(const crd_reader *reader, crd_i_key key) {
    size_t i = 0;
    while (i < reader->column_count && reader->columns[i].key != key) i++;
    return i < reader->column_count ? i : SIZE_MAX;
}

crd_text crd_i_reader_key_name(const crd_reader *reader, crd_i_key key) {
    size_t column = crd_i_reader_key(reader, key);
    const crd_text none = {NULL, 0};
    return column == SIZE_MAX ? none : reader->columns[column].name;
}

bool crd_i_reader_key_is_date(const crd_reader *reader, crd_i_key key) {
    size_t column = crd_i_reader_key(reader, key);
    return column != SIZE_MAX && crd_i_reading_is_date(reader->columns[column].format.reading);
}

bool crd_i_reader_is_bound(const crd_reader *reader) {
    return reader->binding.is_bound;
}

crd_text crd_i_reader_time_format(const crd_reader *reader) {
    const crd_text none = {NULL, 0};
    size_t column = crd_i_reader_key(reader, CRD_I_KEY_TIME);
    return column == SIZE_MAX ? none : crd_i_column_format_time_name(reader->columns[column].format);
}

size_t crd_i_reader_target(const crd_reader *reader) {
    return reader->target;
}

void crd_i_worker_forget_ids(crd_worker *worker, size_t index) {
    crd_i_worker_column *column = &worker->columns[index];
    if (worker->reader->columns[index].key != CRD_I_KEY_SEQUENCE || column->dictionary == NULL) return;
    crd_i_dictionary_empty(column->dictionary);
    column->checked = (crd_i_fast_parse_checked){0, false};
    column->workspace.map_of = 0;
}

size_t crd_i_reader_most_categories(const crd_reader *reader, size_t index) {
    return reader->columns[index].key == CRD_I_KEY_SEQUENCE ? INT32_MAX : reader->options.max_categories;
}

/* ---- Empty lines and row locations ---- */

crd_status crd_i_reader_mark_empty_lines(crd_reader *reader, crd_error *error) {
    if (reader->has_begun) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the reader has already started");
    if (reader->batches.source != NULL || reader->first.format->code != CRD_FORMAT_DELIMITED) {
        crd_i_fail(error, CRD_ERROR_ARGUMENT,
                   "only delimited text can separate sequences by empty lines: use an id column for other formats");
        crd_i_error_place(error, reader->inputs[0].place, 0, 0);
        return CRD_ERROR_ARGUMENT;
    }
    reader->marks_empty_lines = true;
    return CRD_OK;
}

bool crd_i_worker_reserve_breaks(crd_worker *worker, size_t rows) {
    return crd_i_reserve(worker->reader->context, &worker->breaks, &worker->breaks_capacity, rows,
                         sizeof *worker->breaks);
}

const uint8_t *crd_i_reader_breaks(const crd_reader *reader) {
    return reader->lanes[0]->breaks;
}

size_t crd_i_reader_input(const crd_reader *reader) {
    return reader->lanes[0]->entry->input;
}

const char *crd_i_reader_input_place(const crd_reader *reader, size_t input) {
    return reader->inputs[input].place;
}

const crd_frame *crd_i_reader_frame(const crd_reader *reader) {
    return reader->lanes[0]->frame;
}

static uint64_t line_of_chunk(const crd_worker *worker, size_t row) {
    if (worker->batch != NULL) return row;
    return worker->is_fast ? crd_i_fast_parse_lines_before(&worker->fast, worker->first_row + row) : worker->lines[row];
}

void crd_i_reader_lines(const crd_reader *reader, uint64_t *lines) {
    const crd_worker *worker = reader->lanes[0];
    if (worker->rows == 0) return;
    uint64_t first = crd_i_worker_line(worker, 0), before = line_of_chunk(worker, 0);
    for (size_t row = 0; row < worker->rows; row++) lines[row] = first + (line_of_chunk(worker, row) - before);
}

bool crd_i_reader_keeps_text(const crd_reader *reader) {
    return reader->options.keep_text != 0 && reader->batches.source == NULL;
}

crd_context *crd_i_reader_context(const crd_reader *reader) {
    return reader->context;
}

/* ======== 2. Rows without a target ========
 *
 * A line of units below the header, or a line of totals at the end, has no target. Its values must not decide the
 * column types, so they count as missing. If the caller sets the class of all rows, rows without a target are
 * learned. The fast path applies the same rule (crd_i_fast_parse_rules). */

crd_status crd_reader_skip_unlabeled(crd_reader *reader, crd_error *error) {
    if (reader->has_begun) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the reader has already started");
    reader->inspection.skips_unlabeled = true;
    return CRD_OK;
}

/* Returns the field of a column in the file of the current rows. Before the first frame, no other thread reads the
 * columns. */
static size_t unlabeled_rows_field(const crd_worker *worker, size_t column) {
    return worker->entry->fields != NULL ? worker->entry->fields[column] : worker->reader->columns[column].field;
}

bool crd_i_worker_skips_unlabeled(const crd_worker *worker) {
    const crd_reader *reader = worker->reader;
    return reader->inspection.skips_unlabeled && reader->binding.row_class.bytes == NULL &&
           reader->target < reader->column_count && worker->batch == NULL && worker->entry->header.declared == NULL &&
           unlabeled_rows_field(worker, reader->target) != SIZE_MAX;
}

static bool unlabeled_rows_is_missing(const crd_worker *worker, crd_text text, bool is_quoted) {
    const crd_reader *reader = worker->reader;
    return crd_i_column_format_is_plain(reader->columns[reader->target].format)
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
    const bool is_text = column->is_fixed && column->type == CRD_TYPE_TEXT;
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

static bool is_row_unlabeled(const crd_worker *worker, size_t row, size_t field) {
    bool is_quoted;
    const crd_text text = crd_i_fast_parse_cell(&worker->fast, worker->first_row + row, field, &is_quoted);
    return unlabeled_rows_is_missing(worker, text, is_quoted);
}

bool crd_i_worker_mark_unlabeled(crd_worker *worker) {
    worker->has_unlabeled = false;
    if (!worker->is_fast || !crd_i_worker_skips_unlabeled(worker)) return true;
    const size_t field = unlabeled_rows_field(worker, worker->reader->target);
    if (!crd_i_reserve(worker->reader->context, &worker->unlabeled, &worker->unlabeled_capacity, worker->rows, 1))
        return false;
    for (size_t row = 0; row < worker->rows; row++) {
        worker->unlabeled[row] = is_row_unlabeled(worker, row, field);
        worker->has_unlabeled = worker->has_unlabeled || worker->unlabeled[row];
    }
    return true;
}
