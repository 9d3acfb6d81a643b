/* SPDX-License-Identifier: MIT */
/* cell_conversion.c - converts cells to numbers and codes, and determines column types. See reader_internal.h.
 *
 * A type that was not given is guessed from the first present cell. If a later cell contradicts the guess before any
 * frame was delivered, the column changes at once, because all cells of the current frame are still in memory. After
 * a frame was delivered, the input must be read again.
 *
 * Contents:
 *   1. Intervals
 *   2. Documents
 *   3. Numbers and codes
 *   4. Sparse rows
 *   5. Rows of either type */
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "table/read/reader_internal.h"
#include "table/values/column_format.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ======== 1. Intervals ========
 *
 * Numbers of a frame are converted to intervals between cut points. */

static void find_codes(const crd_i_intervals *intervals, const crd_i_column *column, size_t rows, int32_t *codes) {
    for (size_t row = 0; row < rows; row++)
        codes[row] = crd_i_column_present(column, row) ? crd_i_intervals_find(intervals, column->numbers[row]) : -1;
}

static bool make_column(crd_worker *worker, size_t index, crd_i_column *into) {
    crd_context *context = worker->reader->context;
    const crd_i_intervals *intervals = &worker->reader->columns[index].intervals;
    crd_i_worker_column *column = &worker->columns[index];
    size_t rows = worker->frame->rows;
    if (column->dictionary == NULL) column->dictionary = crd_i_dictionary_create(context);
    if (column->dictionary == NULL) return false;
    /* The dictionary is emptied when rows are read again. */
    bool is_filled = crd_i_dictionary_size(column->dictionary) == intervals->cut_count + 1;
    if (!is_filled && !crd_i_intervals_add_labels(intervals, column->dictionary)) return false;
    if (!crd_i_reserve(context, &column->interval_codes, &column->interval_capacity, rows + 1,
                       sizeof *column->interval_codes))
        return false;
    find_codes(intervals, into, rows, column->interval_codes);
    into->type = CRD_TYPE_CATEGORICAL;
    into->validity = NULL;
    into->numbers = NULL;
    into->codes = column->interval_codes;
    into->dictionary = column->dictionary;
    into->declared = worker->reader->columns[index].declared;
    return true;
}

crd_status crd_i_worker_make_intervals(crd_worker *worker, crd_error *error) {
    const crd_reader *reader = worker->reader;
    for (size_t i = 0; i < reader->column_count; i++) {
        crd_i_column *into = &worker->frame->columns[i];
        if (!crd_i_intervals_are(&reader->columns[i].intervals) || into->type != CRD_TYPE_NUMERIC) continue;
        if (!make_column(worker, i, into)) return crd_i_fail_memory(error);
    }
    return CRD_OK;
}

/* ======== 2. Documents ========
 *
 * Texts borrow the bytes of the chunk, so a document costs nothing until its terms are counted. Texts that mean
 * missing in other columns are words in a document: only an empty text is missing. Texts come from many sources, so a
 * text that is not valid UTF-8 does not make the table invalid: it is read as Windows-1252. */

/* Reserves memory for the current cells of a TEXT column and sets all of them to the default of omitted cells. */
static bool worker_open_texts(crd_worker *worker, size_t index) {
    crd_i_worker_column *column = &worker->columns[index];
    if (!crd_i_reserve(worker->reader->context, &column->texts, &column->texts_capacity, worker->rows,
                       sizeof *column->texts))
        return false;
    size_t field = worker->entry->fields[index];
    crd_text left_out = {NULL, 0};
    if (field != SIZE_MAX && crd_i_file_header_left_out(&worker->entry->header, field).form == CRD_I_CELL_DEFAULT)
        left_out = crd_i_file_header_default(&worker->entry->header, field);
    for (size_t row = 0; row < worker->rows; row++) column->texts[row] = left_out;
    return true;
}

/* Stores a cell of a TEXT column. It borrows the chunk's bytes. */
static void worker_store_text(crd_worker *worker, size_t row, size_t index, crd_i_cell cell) {
    static const crd_text none = {NULL, 0};
    crd_text text = cell.form == CRD_I_CELL_MISSING ? none : crd_i_worker_cell_text(worker, cell);
    worker->columns[index].texts[row] = text.length > 0 ? text : none;
}

/* Returns an upper bound on the bytes needed to convert the column's texts that are not UTF-8. */
static size_t count_invalid(const crd_text *texts, size_t rows) {
    size_t bytes = 0;
    for (size_t row = 0; row < rows; row++)
        if (!crd_i_utf8_is_valid(texts[row])) bytes += texts[row].length * CRD_I_ENCODING_WESTERN_GROWTH;
    return bytes;
}

/* Converts the texts into memory that has room for all of them. */
static void text_conversion_convert(crd_text *texts, size_t rows, crd_i_buffer *buffer) {
    for (size_t row = 0; row < rows; row++) {
        if (crd_i_utf8_is_valid(texts[row])) continue;
        char *begin = (char *)buffer->bytes + buffer->length;
        texts[row].length = crd_i_encoding_read_western(texts[row], begin);
        texts[row].bytes = begin;
        buffer->length += texts[row].length;
    }
}

crd_status crd_i_worker_make_texts_valid(crd_worker *worker, crd_error *error) {
    const crd_reader *reader = worker->reader;
    if (reader->dialect.takes_any_bytes || worker->batch != NULL) return CRD_OK;
    size_t bytes = 0;
    for (size_t i = 0; i < reader->column_count; i++)
        if (worker->columns[i].type == CRD_TYPE_TEXT) bytes += count_invalid(worker->columns[i].texts, worker->rows);
    worker->converted.length = 0;
    if (bytes == 0) return CRD_OK;
    if (crd_i_buffer_room(&worker->converted, bytes) == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < reader->column_count; i++)
        if (worker->columns[i].type == CRD_TYPE_TEXT)
            text_conversion_convert(worker->columns[i].texts, worker->rows, &worker->converted);
    return CRD_OK;
}

/* ======== 3. Numbers and codes ======== */

bool crd_i_worker_is_missing(const crd_worker *worker, crd_i_cell cell) {
    if (cell.form >= CRD_I_CELL_MISSING) return cell.form == CRD_I_CELL_MISSING;
    return crd_i_missing_has(&worker->reader->missing, crd_i_slow_parse_text(&worker->records, cell),
                             cell.form != CRD_I_CELL_PLAIN);
}

/* Returns whether a cell of a column of this type is missing. */
static bool is_missing_of(const crd_worker *worker, crd_column_type type, crd_i_cell cell) {
    if (type != CRD_TYPE_CATEGORICAL || cell.form >= CRD_I_CELL_MISSING) return crd_i_worker_is_missing(worker, cell);
    return crd_i_missing_has_category(&worker->reader->missing, crd_i_slow_parse_text(&worker->records, cell),
                                      cell.form != CRD_I_CELL_PLAIN);
}

static crd_number_class cell_conversion_parse_number(const crd_worker *worker, crd_i_cell cell, double *number) {
    if (cell.form == CRD_I_CELL_TEXT) return CRD_NUMBER_NONE;
    return crd_i_decimal_parse(crd_i_worker_cell_text(worker, cell), worker->entry->header.decimal, number);
}

/* Parses a number in a column whose type is guessed. Digits that form a code are not a number. */
static crd_number_class guess_number(const crd_worker *worker, crd_i_cell cell, double *number) {
    if (crd_i_is_code(crd_i_worker_cell_text(worker, cell))) return CRD_NUMBER_NONE;
    return cell_conversion_parse_number(worker, cell, number);
}

/* Returns the type that a column of this type has after it has read a cell that is not missing. */
static crd_column_type worker_type_with(const crd_worker *worker, crd_column_type type, crd_i_cell cell) {
    double number;
    if (type == CRD_TYPE_CATEGORICAL || guess_number(worker, cell, &number) == CRD_NUMBER_NONE)
        return CRD_TYPE_CATEGORICAL;
    return CRD_TYPE_NUMERIC;
}

/* Adds the location of a cell to an error. The subject is the name used in files and options: NAME for the column
 * NAME.month. */
static void place_cell(const crd_worker *worker, size_t row, size_t index, crd_error *error) {
    const crd_i_reader_column *column = &worker->reader->columns[index];
    crd_i_error_place(error, NULL, worker->lines[row], worker->entry->fields[index] + 1);
    crd_i_error_subject(error, column->source.bytes != NULL ? column->source : column->name);
}

static const char NOT_A_NUMBER[] = "is not a number";
static const char IS_TEXT[] = "is a text, not a number";
static const char IS_NEGATIVE[] = "is negative: a weight is the number of rows that a row counts as";
static const char NO_WEIGHT[] = "the weight of a row is missing: use 0 to ignore the row, or 1 to count it once";
static const char IS_INFINITE[] = "is infinite: numbers must be finite";

/* Adds a hint about the other decimal mark if the cell is a number with it. */
static void hint_at_mark(const crd_worker *worker, size_t index, crd_text text, crd_error *error) {
    const crd_i_column_format format = crd_i_worker_column_format(worker, index);
    const bool is_plain = crd_i_column_format_is_plain(format);
    if (format.reading > CRD_I_READING_PERCENT_COMMA || worker->entry->header.format->code != CRD_FORMAT_DELIMITED)
        return;
    const bool has_comma = is_plain ? worker->entry->header.decimal == ',' : crd_i_column_format_has_comma(format);
    const crd_i_amount other = crd_i_amount_parse(text, has_comma ? '.' : ',');
    if (other.class != CRD_NUMBER_FINITE || (is_plain && other.is_percent)) return;
    crd_i_error_hint(error, "if the file has decimal %s, use decimal=%s", has_comma ? "points" : "commas",
                     has_comma ? "." : ",");
}

static crd_status cell_conversion_fail_number(const crd_worker *worker, size_t row, size_t index, crd_text text,
                                              const char *description, crd_error *error) {
    char shown[CRD_I_QUOTED_ROOM];
    crd_status status = index == worker->reader->weight ? CRD_ERROR_WEIGHT : CRD_ERROR_NUMBER;
    crd_i_fail(error, status, "'%s' %s", crd_i_quote(text, shown), description);
    place_cell(worker, row, index, error);
    double number;
    if (description == IS_TEXT && crd_number_parse(text, &number) == CRD_NUMBER_FINITE && !crd_i_is_code(text))
        crd_i_error_hint(error, "write the number without quotes: in quotes it is a text");
    if (description != IS_INFINITE && description != IS_NEGATIVE && description != IS_TEXT)
        hint_at_mark(worker, index, text, error);
    /* If only a part of the rows is read, other parts may have words in this column. */
    if (description == IS_INFINITE && worker->reader->inspection.collects && worker->reader->columns[index].is_open) {
        crd_i_quote(worker->reader->columns[index].name, shown);
        crd_i_error_hint(error,
                         "if '%s' contains names, train every shard with schema=FILE, the schema of all rows, or with "
                         "categorical=%s",
                         shown, shown);
    }
    return status;
}

static crd_status fail_undeclared(const crd_worker *worker, size_t row, size_t index, crd_text text, crd_error *error) {
    char shown[CRD_I_QUOTED_ROOM], name[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, CRD_ERROR_SYNTAX, "'%s' is not among the values that the file declares for '%s'",
               crd_i_quote(text, shown), crd_i_quote(worker->reader->columns[index].name, name));
    place_cell(worker, row, index, error);
    return CRD_ERROR_SYNTAX;
}

static crd_status fail_encoding(const crd_worker *worker, size_t row, size_t index, crd_text text, crd_error *error) {
    char name[CRD_I_QUOTED_ROOM], what[CRD_I_QUOTED_ROOM + 32];
    snprintf(what, sizeof what, "the cell of column '%s'", crd_i_quote(worker->reader->columns[index].name, name));
    crd_status status = crd_i_reader_fail_encoding(worker->reader, what, text, error);
    place_cell(worker, row, index, error);
    return status;
}

static crd_status store_code(crd_worker *worker, size_t row, size_t index, crd_text text, crd_error *error) {
    const crd_i_declared *declared = worker->entry->header.declared;
    const crd_i_dictionary *values = declared == NULL ? NULL : declared[worker->entry->fields[index]].values;
    if (values != NULL && crd_i_dictionary_find(values, text) < 0) {
        return fail_undeclared(worker, row, index, text, error);
    }
    crd_i_dictionary *dictionary = worker->columns[index].dictionary;
    int32_t code = crd_i_dictionary_find(dictionary, text);
    if (code < 0 && worker->reader->columns[index].truth.is_exact) {
        text = crd_i_truth_words_match(&worker->reader->columns[index].truth, text);
        code = crd_i_dictionary_find(dictionary, text);
    }
    if (code < 0) {
        if (!worker->reader->dialect.takes_any_bytes && !crd_i_utf8_is_valid(text))
            return fail_encoding(worker, row, index, text, error);
        code = crd_i_dictionary_add(dictionary, text);
    }
    if (code < 0) return crd_i_fail_memory(error);
    crd_i_worker_codes(worker, index)[row] = code;
    size_t most = crd_i_reader_most_categories(worker->reader, index);
    if ((size_t)code < most) return CRD_OK;
    crd_i_fail(error, CRD_ERROR_LIMIT, "more than %zu different values in one column: is it an identifier?", most);
    place_cell(worker, row, index, error);
    return CRD_ERROR_LIMIT;
}

/* Ensures that the column has a dictionary; false: out of memory. */
static bool worker_open_dictionary(crd_worker *worker, size_t index) {
    crd_i_worker_column *column = &worker->columns[index];
    if (column->dictionary == NULL) column->dictionary = crd_i_dictionary_create(worker->reader->context);
    return column->dictionary != NULL;
}

/* Stores the code of a cell that was read as a number or was missing. */
static crd_status encode_again(crd_worker *worker, size_t index, size_t row, crd_i_cell cell, crd_error *error) {
    if (is_missing_of(worker, CRD_TYPE_CATEGORICAL, cell)) return CRD_OK;
    return store_code(worker, row, index, crd_i_worker_cell_text(worker, cell), error);
}

static crd_status encode_sparse_again(crd_worker *worker, size_t index, size_t row, crd_error *error) {
    size_t field = worker->entry->fields[index];
    crd_status status = CRD_OK;
    crd_i_sparse_rows_turn(&worker->sparse, field);
    for (size_t position = worker->sparse.latest[field]; status == CRD_OK && position != 0;) {
        const crd_i_sparse_cell *cell = &worker->sparse.cells[position - 1];
        if (cell->row >= row) break;
        status = encode_again(worker, index, cell->row, cell->cell, error);
        position = cell->before;
    }
    crd_i_sparse_rows_turn(&worker->sparse, field);
    return status;
}

/* Makes the column categorical and stores the codes of all rows before `row`. Cells that sparse rows omit are
 * missing. */
static crd_status become_category(crd_worker *worker, size_t index, size_t row, crd_error *error) {
    size_t field = worker->entry->fields[index], filled = worker->is_sparse ? worker->rows : row;
    if (!worker_open_dictionary(worker, index)) return crd_i_fail_memory(error);
    worker->columns[index].type = CRD_TYPE_CATEGORICAL;
    worker->columns[index].infinite = SIZE_MAX;
    for (size_t before = 0; before < filled; before++) crd_i_worker_codes(worker, index)[before] = -1;
    if (worker->is_sparse) return encode_sparse_again(worker, index, row, error);
    crd_status status = CRD_OK;
    for (size_t before = 0; status == CRD_OK && before < row; before++)
        status = encode_again(worker, index, before, crd_i_worker_cell(worker, before, field), error);
    return status;
}

/* Returns whether a cell that means missing in a numeric column is a value in a categorical one. */
static bool may_be_word(const crd_worker *worker, crd_i_cell cell) {
    return cell.form < CRD_I_CELL_MISSING && !is_missing_of(worker, CRD_TYPE_CATEGORICAL, cell);
}

static void become_number(crd_worker *worker, size_t index, size_t row) {
    size_t filled = worker->is_sparse ? worker->rows : row;
    worker->columns[index].type = CRD_TYPE_NUMERIC;
    double *numbers = crd_i_worker_numbers(worker, index);
    for (size_t before = 0; before < filled; before++) numbers[before] = NAN;
}

static crd_status fail_late(const crd_worker *worker, size_t row, size_t index, crd_error *error) {
    char shown[CRD_I_QUOTED_ROOM];
    crd_text text = crd_i_worker_text(worker, row, worker->entry->fields[index]);
    crd_i_fail(error, CRD_ERROR_TYPE,
               "'%s' is not a number, but comes after numbers: declare the column as a category, because the input "
               "cannot be read twice",
               crd_i_quote(text, shown));
    place_cell(worker, row, index, error);
    return CRD_I_READ_AGAIN;
}

/* Returns whether an infinite cell is accepted because another part of the rows may show that the column is
 * categorical. */
static bool lets_infinite_pass(const crd_worker *worker, size_t index) {
    const crd_reader *reader = worker->reader;
    return reader->inspection.collects && !reader->inspection.collects_beside && reader->columns[index].is_open;
}

/* Converts a present cell of a column that is numeric or has no type yet. CRD_I_READ_AGAIN: the cell is not a number, but
 * the column was already delivered as numeric. */
static crd_status convert_number(crd_worker *worker, size_t row, size_t index, crd_i_cell cell, crd_error *suspect,
                                 crd_error *error) {
    crd_i_worker_column *column = &worker->columns[index];
    bool is_fixed = worker->reader->columns[index].is_fixed;
    double number;
    crd_number_class class =
        is_fixed ? cell_conversion_parse_number(worker, cell, &number) : guess_number(worker, cell, &number);
    if (class == CRD_NUMBER_NONE) {
        const char *why = cell.form == CRD_I_CELL_TEXT ? IS_TEXT : NOT_A_NUMBER;
        if (is_fixed)
            return cell_conversion_fail_number(worker, row, index, crd_i_worker_cell_text(worker, cell), why, error);
        bool may_have_format = column->type == CRD_TYPE_NUMERIC && worker->reader->inspection.finds_formats &&
                               !worker->reader->columns[index].is_settled;
        if (column->known == CRD_TYPE_NUMERIC || may_have_format) return fail_late(worker, row, index, suspect);
        crd_status status = become_category(worker, index, row, error);
        return status == CRD_OK ? store_code(worker, row, index, crd_i_worker_cell_text(worker, cell), error) : status;
    }
    if (column->type == CRD_TYPE_NONE) become_number(worker, index, row);
    if (class == CRD_NUMBER_INFINITE && lets_infinite_pass(worker, index)) column->has_infinite = true;
    else if (class == CRD_NUMBER_INFINITE) {
        if (is_fixed)
            return cell_conversion_fail_number(worker, row, index, crd_i_worker_cell_text(worker, cell), IS_INFINITE,
                                               error);
        if (column->infinite == SIZE_MAX) column->infinite = row;
    }
    if (index == worker->reader->weight && number < 0) {
        return cell_conversion_fail_number(worker, row, index, crd_i_worker_cell_text(worker, cell), IS_NEGATIVE,
                                           error);
    }
    crd_i_worker_numbers(worker, index)[row] = number;
    return CRD_OK;
}

/* Returns whether the file marks the cell as a number, as JSON does, and ARFF for a numeric attribute. Such a cell
 * is read as this number, whatever the column's format. */
static bool is_stated_number(const crd_worker *worker, size_t index, crd_i_cell cell) {
    const crd_i_declared *declared = worker->entry->header.declared;
    if (cell.form == CRD_I_CELL_TEXT || worker->entry->header.format->code == CRD_FORMAT_DELIMITED) return false;
    return declared == NULL || declared[worker->entry->fields[index]].type == CRD_TYPE_NUMERIC;
}

/* Parses a present cell of a numeric column that has a format. */
static crd_number_class parse_formed(const crd_worker *worker, size_t index, crd_i_column_format format,
                                     crd_i_cell cell, double *number) {
    const bool is_stated = is_stated_number(worker, index, cell);
    crd_number_class class = CRD_NUMBER_NONE;
    if (is_stated && format.reading <= CRD_I_READING_PERCENT_COMMA)
        return cell_conversion_parse_number(worker, cell, number);
    class = crd_i_column_format_number(format, crd_i_worker_cell_text(worker, cell), number);
    return class == CRD_NUMBER_NONE && is_stated ? cell_conversion_parse_number(worker, cell, number) : class;
}

/* Converts a present cell of a column that has a format. */
static crd_status convert_formed(crd_worker *worker, size_t row, size_t index, crd_i_cell cell, crd_error *error) {
    crd_i_column_format format = crd_i_worker_column_format(worker, index);
    crd_text text = crd_i_worker_cell_text(worker, cell), value = {NULL, 0};
    char why[96];
    snprintf(why, sizeof why, "is not %s", crd_i_column_format_noun(format));
    if (worker->columns[index].type == CRD_TYPE_CATEGORICAL) {
        if (!crd_i_column_format_text(format, text, &value)) {
            if (format.reading != CRD_I_READING_BOOLEAN)
                return cell_conversion_fail_number(worker, row, index, text, why, error);
            value = text; /* a category that did not occur in training */
        }
        if (value.bytes != NULL) return store_code(worker, row, index, value, error);
        crd_i_worker_codes(worker, index)[row] = -1;
        return CRD_OK;
    }
    double *number = &crd_i_worker_numbers(worker, index)[row];
    crd_number_class class = parse_formed(worker, index, format, cell, number);
    if (class == CRD_NUMBER_NONE) return cell_conversion_fail_number(worker, row, index, text, why, error);
    if (class == CRD_NUMBER_INFINITE && lets_infinite_pass(worker, index)) {
        worker->columns[index].has_infinite = true;
        return CRD_OK;
    }
    return class == CRD_NUMBER_INFINITE ? cell_conversion_fail_number(worker, row, index, text, IS_INFINITE, error)
                                        : CRD_OK;
}

static crd_status fail_weightless(const crd_worker *worker, size_t row, crd_error *error) {
    crd_i_fail(error, CRD_ERROR_WEIGHT, "%s", NO_WEIGHT);
    place_cell(worker, row, worker->reader->weight, error);
    return CRD_ERROR_WEIGHT;
}

/* Converts a cell of a column into its slot. */
static crd_status worker_convert_cell(crd_worker *worker, size_t row, size_t index, crd_i_cell cell, crd_error *suspect,
                                      crd_error *error) {
    const crd_i_worker_column *column = &worker->columns[index];
    if (column->type == CRD_TYPE_TEXT) {
        worker_store_text(worker, row, index, cell);
        return CRD_OK;
    }
    /* Dates and truth values are categories, but they accept no other words. */
    const bool is_plain = crd_i_column_format_is_plain(crd_i_worker_column_format(worker, index));
    const crd_column_type type = is_plain ? column->type : CRD_TYPE_NUMERIC;
    if (is_missing_of(worker, type, cell)) {
        if (index == worker->reader->weight) return fail_weightless(worker, row, error);
        /* The cell is delivered as missing. If the column proves to be categorical later, it must be read again,
         * like a numeric column. */
        if (column->type == CRD_TYPE_NONE && may_be_word(worker, cell)) become_number(worker, index, row);
        if (column->type == CRD_TYPE_NUMERIC) crd_i_worker_numbers(worker, index)[row] = NAN;
        if (column->type == CRD_TYPE_CATEGORICAL) crd_i_worker_codes(worker, index)[row] = -1;
        return CRD_OK;
    }
    if (!is_plain) return convert_formed(worker, row, index, cell, error);
    if (column->type == CRD_TYPE_CATEGORICAL)
        return store_code(worker, row, index, crd_i_worker_cell_text(worker, cell), error);
    return convert_number(worker, row, index, cell, suspect, error);
}

static crd_status cell_conversion_check_number(const crd_worker *worker, size_t index, crd_i_cell cell, bool is_fixed,
                                               crd_error *error) {
    double number;
    crd_number_class class = cell_conversion_parse_number(worker, cell, &number);
    const char *description = NULL;
    if (is_fixed && class == CRD_NUMBER_NONE) description = cell.form == CRD_I_CELL_TEXT ? IS_TEXT : NOT_A_NUMBER;
    else if (class == CRD_NUMBER_INFINITE) description = IS_INFINITE;
    else if (class == CRD_NUMBER_FINITE && index == worker->reader->weight && number < 0) description = IS_NEGATIVE;
    if (description == NULL) return CRD_OK;
    return cell_conversion_fail_number(worker, worker->rows, index, crd_i_worker_cell_text(worker, cell), description,
                                       error);
}

/* Checks a present cell of a column that has a format. */
static crd_status check_formed(const crd_worker *worker, size_t index, crd_i_cell cell, crd_error *error) {
    crd_i_column_format format = crd_i_worker_column_format(worker, index);
    crd_text text = crd_i_worker_cell_text(worker, cell), value;
    double number;
    char why[96];
    snprintf(why, sizeof why, "is not %s", crd_i_column_format_noun(format));
    if (worker->columns[index].known == CRD_TYPE_CATEGORICAL) {
        if (!crd_i_column_format_text(format, text, &value) && format.reading != CRD_I_READING_BOOLEAN)
            return cell_conversion_fail_number(worker, worker->rows, index, text, why, error);
        if (worker->reader->dialect.takes_any_bytes || crd_i_utf8_is_valid(text)) return CRD_OK;
        return fail_encoding(worker, worker->rows, index, text, error);
    }
    crd_number_class class = parse_formed(worker, index, format, cell, &number);
    if (class == CRD_NUMBER_FINITE) return CRD_OK;
    return cell_conversion_fail_number(worker, worker->rows, index, text,
                                       class == CRD_NUMBER_INFINITE ? IS_INFINITE : why, error);
}

/* Checks a cell of the row after the current ones for errors that do not depend on guessed column types. */
static crd_status worker_check_cell(const crd_worker *worker, size_t index, crd_i_cell cell, crd_error *error) {
    const crd_i_reader_column *column = &worker->reader->columns[index];
    if (column->type == CRD_TYPE_TEXT) return CRD_OK;
    if (crd_i_worker_is_missing(worker, cell))
        return index == worker->reader->weight ? fail_weightless(worker, worker->rows, error) : CRD_OK;
    if (!crd_i_column_format_is_plain(crd_i_worker_column_format(worker, index)))
        return check_formed(worker, index, cell, error);
    bool is_number = column->is_fixed && column->type == CRD_TYPE_NUMERIC;
    if (is_number || column->refuses_infinite) {
        crd_status status = cell_conversion_check_number(worker, index, cell, is_number, error);
        if (is_number || status != CRD_OK) return status;
    }
    crd_text text = crd_i_worker_cell_text(worker, cell);
    const crd_i_declared *declared = worker->entry->header.declared;
    const crd_i_dictionary *values = declared == NULL ? NULL : declared[worker->entry->fields[index]].values;
    if (values != NULL && crd_i_dictionary_find(values, text) < 0)
        return fail_undeclared(worker, worker->rows, index, text, error);
    if (worker->reader->dialect.takes_any_bytes || crd_i_utf8_is_valid(text)) return CRD_OK;
    return fail_encoding(worker, worker->rows, index, text, error);
}

static crd_status cell_conversion_convert_row(crd_worker *worker, size_t row, crd_error *suspect,
                                              size_t *suspect_column, crd_error *error) {
    static const crd_i_cell ABSENT = {0, 0, CRD_I_CELL_MISSING};
    const crd_i_cell *cells = worker->cells + row * worker->entry->header.width;
    for (size_t index = 0; index < worker->reader->column_count; index++) {
        size_t field = worker->entry->fields[index];
        crd_status status =
            worker_convert_cell(worker, row, index, field == SIZE_MAX ? ABSENT : cells[field], suspect, error);
        if (status == CRD_OK) continue;
        *suspect_column = index;
        return status;
    }
    return CRD_OK;
}

/* Returns an error if the current rows have an infinite cell in a numeric column. If the type is guessed, only the
 * rest of the input can decide. */
static crd_status worker_find_infinite(const crd_worker *worker, crd_error *suspect, size_t *suspect_column) {
    size_t first = SIZE_MAX;
    for (size_t index = 0; index < worker->reader->column_count; index++) {
        if (worker->columns[index].infinite < first) {
            first = worker->columns[index].infinite;
            *suspect_column = index;
        }
    }
    if (first == SIZE_MAX) return CRD_OK;
    crd_text text = crd_i_worker_text(worker, first, worker->entry->fields[*suspect_column]);
    (void)cell_conversion_fail_number(worker, first, *suspect_column, text, IS_INFINITE, suspect);
    return CRD_I_READ_AGAIN;
}

/* Reserves memory for the current rows and sets the columns to the types known so far. */
static crd_status cell_conversion_begin_columns(crd_worker *worker, crd_error *error) {
    size_t count = worker->reader->column_count;
    if (count > 0 && worker->rows > SIZE_MAX / count) return crd_i_fail_memory(error);
    if (!crd_i_reserve(worker->reader->context, &worker->numbers, &worker->numbers_capacity, count * worker->rows,
                       sizeof *worker->numbers)) {
        return crd_i_fail_memory(error);
    }
    for (size_t index = 0; index < count; index++) {
        crd_i_worker_column *column = &worker->columns[index];
        column->type = column->known;
        column->infinite = SIZE_MAX;
        column->slot = index;
        if (column->type == CRD_TYPE_CATEGORICAL && !worker_open_dictionary(worker, index))
            return crd_i_fail_memory(error);
        if (column->type == CRD_TYPE_TEXT && !worker_open_texts(worker, index)) return crd_i_fail_memory(error);
        crd_i_worker_forget_ids(worker, index);
    }
    return CRD_OK;
}

static int cell_conversion_by_field(const void *left, const void *right) {
    size_t a = ((const crd_i_fast_parse_column *)left)->field, b = ((const crd_i_fast_parse_column *)right)->field;
    return (a > b) - (a < b);
}

/* Fills in the list of columns that the file has; absent columns are missing. Returns their number. */
static size_t cell_conversion_want_columns(crd_worker *worker) {
    size_t count = 0;
    for (size_t index = 0; index < worker->reader->column_count; index++) {
        crd_i_worker_column *column = &worker->columns[index];
        size_t field = worker->entry->fields[index];
        if (field == SIZE_MAX) {
            for (size_t row = 0; column->type == CRD_TYPE_NUMERIC && row < worker->rows; row++) {
                crd_i_worker_numbers(worker, index)[row] = NAN;
            }
            for (size_t row = 0; column->type == CRD_TYPE_CATEGORICAL && row < worker->rows; row++) {
                crd_i_worker_codes(worker, index)[row] = -1;
            }
            continue;
        }
        const crd_i_reader_column *reader_column = &worker->reader->columns[index];
        crd_i_fast_parse_column wanted = {.field = field,
                                          .type = column->type,
                                          .format = crd_i_worker_column_format(worker, index),
                                          .truth = &reader_column->truth,
                                          .takes_codes = reader_column->is_fixed,
                                          .dictionary = column->dictionary,
                                          .checked = &column->checked};
        wanted.numbers = column->type == CRD_TYPE_NUMERIC ? crd_i_worker_numbers(worker, index) : NULL;
        wanted.codes = column->type == CRD_TYPE_CATEGORICAL ? crd_i_worker_codes(worker, index) : NULL;
        wanted.texts = column->texts;
        worker->wanted[count++] = wanted;
    }
    qsort(worker->wanted, count, sizeof *worker->wanted, cell_conversion_by_field);
    return count;
}

/* Returns whether every row has a weight and no weight is negative. */
static bool cell_conversion_weights_fit(const crd_worker *worker) {
    if (worker->reader->weight == SIZE_MAX) return true;
    const double *weights = crd_i_worker_numbers(worker, worker->reader->weight);
    for (size_t row = 0; row < worker->rows; row++) {
        if (!(weights[row] >= 0)) return false;
    }
    return true;
}

crd_status crd_i_worker_convert_fast(crd_worker *worker, bool *done, crd_error *error) {
    const crd_reader *reader = worker->reader;
    *done = false;
    crd_status status = cell_conversion_begin_columns(worker, error);
    if (status != CRD_OK) return status;
    crd_i_fast_parse_rules rules = {&reader->missing, worker->entry->header.decimal, reader->options.max_categories,
                                    reader->dialect.takes_any_bytes, SIZE_MAX};
    size_t count = cell_conversion_want_columns(worker);
    if (crd_i_worker_skips_unlabeled(worker))
        for (size_t i = 0; i < count; i++)
            if (worker->wanted[i].field == worker->entry->fields[reader->target]) rules.target = i;
    *done = crd_i_fast_parse_fill(&worker->fast, &rules, worker->first_row, worker->rows, worker->wanted, count) &&
            cell_conversion_weights_fit(worker);
    for (size_t i = 0; !*done && i < count; i++) {
        if (worker->wanted[i].ran_out) return crd_i_fail_memory(error);
    }
    return CRD_OK;
}

/* ======== 4. Sparse rows ========
 *
 * Only columns with a cell in the current rows get their own memory, which is first filled with the default of
 * omitted cells. All other columns share constant arrays. If the default is zero, or the first value, all bytes are
 * 0, both as numbers and as codes. If the default is missing, all bits are set: a NaN as a number, -1 as a code. */

/* Returns the first column derived from a field, or SIZE_MAX. Columns of a field are adjacent: none, one, or one per
 * part. */
static size_t first_column(const crd_worker *worker, size_t field) {
    int32_t index = worker->entry->columns[field];
    return index < 0 ? SIZE_MAX : (size_t)index;
}

static bool is_of_field(const crd_worker *worker, size_t index, size_t field) {
    return index < worker->reader->column_count && worker->entry->fields[index] == field;
}

/* Returns whether omitted cells of the column are missing. */
static bool lacks_default(const crd_worker *worker, size_t index) {
    size_t field = worker->entry->fields[index];
    return field == SIZE_MAX || crd_i_file_header_left_out(&worker->entry->header, field).form == CRD_I_CELL_MISSING;
}

static void fill_with_left_out(const crd_worker *worker, size_t index) {
    bool is_missing = lacks_default(worker, index);
    crd_column_type type = worker->columns[index].type;
    double *numbers = crd_i_worker_numbers(worker, index);
    int32_t *codes = crd_i_worker_codes(worker, index);
    for (size_t row = 0; type == CRD_TYPE_NUMERIC && row < worker->rows; row++) numbers[row] = is_missing ? NAN : 0;
    for (size_t row = 0; type == CRD_TYPE_CATEGORICAL && row < worker->rows; row++) codes[row] = is_missing ? -1 : 0;
}

/* Opens the dictionary. Its first value is the first declared value, which omitted cells have. */
static bool open_dictionary(crd_worker *worker, size_t index) {
    if (!worker_open_dictionary(worker, index)) return false;
    if (lacks_default(worker, index) || crd_i_dictionary_size(worker->columns[index].dictionary) > 0) return true;
    crd_text value = crd_i_file_header_default(&worker->entry->header, worker->entry->fields[index]);
    return crd_i_dictionary_add(worker->columns[index].dictionary, value) >= 0;
}

/* Fills an array for the current rows with one byte value. */
static bool make_alike(crd_worker *worker, unsigned char **bytes, size_t *capacity, int value) {
    size_t had = *capacity;
    if (!crd_i_reserve(worker->reader->context, bytes, capacity, worker->rows * sizeof(double), 1)) return false;
    if (*capacity > had) memset(*bytes + had, value, *capacity - had);
    return true;
}

static bool sparse_conversion_begin_columns(crd_worker *worker) {
    const crd_i_sparse_rows *rows = &worker->sparse;
    crd_context *context = worker->reader->context;
    size_t slots = 0;
    for (size_t index = 0; index < worker->reader->column_count; index++) {
        crd_i_worker_column *column = &worker->columns[index];
        column->type = column->known;
        column->infinite = SIZE_MAX;
        column->slot = SIZE_MAX;
        crd_i_worker_forget_ids(worker, index);
        if (column->type == CRD_TYPE_CATEGORICAL && !open_dictionary(worker, index)) return false;
        if (column->type == CRD_TYPE_TEXT && !worker_open_texts(worker, index)) return false;
    }
    for (size_t i = 0; i < rows->field_count; i++) {
        size_t index = first_column(worker, rows->fields[i]);
        for (; is_of_field(worker, index, rows->fields[i]); index++) worker->columns[index].slot = slots++;
    }
    if ((slots > 0 && worker->rows > SIZE_MAX / slots) ||
        !crd_i_reserve(context, &worker->numbers, &worker->numbers_capacity, slots * worker->rows,
                       sizeof *worker->numbers) ||
        !make_alike(worker, &worker->zeros, &worker->zeros_capacity, 0) ||
        !make_alike(worker, &worker->ones, &worker->ones_capacity, 0xFF))
        return false;
    for (size_t i = 0; i < rows->field_count; i++) {
        size_t index = first_column(worker, rows->fields[i]);
        for (; is_of_field(worker, index, rows->fields[i]); index++) fill_with_left_out(worker, index);
    }
    return true;
}

/* The faults of a row. The fault of the first column is reported. */
typedef struct row_faults {
    crd_status status;
    size_t column;
    crd_error suspect, error;               /* of that column */
    crd_error latest_suspect, latest_error; /* of the current cell */
} row_faults;

static void note_fault(row_faults *faults, crd_status status, size_t column) {
    if (faults->status != CRD_OK && faults->column < column) return;
    faults->status = status;
    faults->column = column;
    faults->suspect = faults->latest_suspect;
    faults->error = faults->latest_error;
}

static crd_status sparse_conversion_convert_row(crd_worker *worker, size_t row, row_faults *faults) {
    const crd_i_sparse_rows *rows = &worker->sparse;
    size_t weight = worker->reader->weight;
    bool has_weight = weight == SIZE_MAX || !lacks_default(worker, weight);
    crd_status status = CRD_OK;
    for (size_t i = crd_i_sparse_rows_start(rows, row); i < rows->ends[row]; i++) {
        size_t field = rows->cells[i].field, index = first_column(worker, field);
        for (; is_of_field(worker, index, field); index++) {
            has_weight = has_weight || index == weight;
            status = worker_convert_cell(worker, row, index, rows->cells[i].cell, &faults->latest_suspect,
                                         &faults->latest_error);
            if (status != CRD_OK) note_fault(faults, status, index);
            if (status == CRD_ERROR_MEMORY) return status;
        }
    }
    if (!has_weight) {
        const crd_i_cell missing = {0, 0, CRD_I_CELL_MISSING};
        status = worker_convert_cell(worker, row, weight, missing, &faults->latest_suspect, &faults->latest_error);
        note_fault(faults, status, weight);
    }
    return faults->status;
}

static crd_status sparse_convert(crd_worker *worker, crd_error *suspect, size_t *suspect_column, crd_error *error) {
    row_faults faults = {.status = CRD_OK};
    if (!sparse_conversion_begin_columns(worker)) return crd_i_fail_memory(error);
    crd_status status = CRD_OK;
    for (size_t row = 0; row < worker->rows && status == CRD_OK; row++)
        status = sparse_conversion_convert_row(worker, row, &faults);
    if (status == CRD_ERROR_MEMORY) return crd_i_fail_memory(error);
    if (status != CRD_OK) {
        *error = faults.error;
        *suspect = faults.suspect;
        *suspect_column = faults.column;
    }
    if (status == CRD_I_READ_AGAIN) return status;
    /* An infinite cell takes precedence over errors in later cells. */
    crd_status infinite = worker_find_infinite(worker, suspect, suspect_column);
    return infinite == CRD_OK ? status : infinite;
}

static crd_status sparse_check_row(const crd_worker *worker, crd_error *error) {
    const crd_i_sparse_rows *rows = &worker->sparse;
    const crd_i_cell missing = {0, 0, CRD_I_CELL_MISSING};
    size_t weight = worker->reader->weight;
    bool has_weight = weight == SIZE_MAX || !lacks_default(worker, weight);
    crd_status status = CRD_OK;
    for (size_t i = rows->begun; i < rows->count && status == CRD_OK; i++) {
        int32_t index = worker->entry->columns[rows->cells[i].field];
        if (index < 0) continue;
        has_weight = has_weight || (size_t)index == weight;
        status = worker_check_cell(worker, (size_t)index, rows->cells[i].cell, error);
    }
    if (status != CRD_OK || has_weight) return status;
    return worker_check_cell(worker, weight, missing, error);
}

static void sparse_check_types(crd_worker *worker) {
    const crd_i_sparse_rows *rows = &worker->sparse;
    for (size_t index = 0; index < worker->reader->column_count; index++)
        worker->columns[index].type = worker->columns[index].known;
    for (size_t i = 0; i < rows->count; i++) {
        int32_t index = worker->entry->columns[rows->cells[i].field];
        if (index < 0 || worker->reader->columns[index].is_fixed) continue;
        crd_i_worker_column *column = &worker->columns[index];
        if (column->type != CRD_TYPE_CATEGORICAL && !crd_i_worker_is_missing(worker, rows->cells[i].cell))
            column->type = worker_type_with(worker, column->type, rows->cells[i].cell);
    }
}

/* Fills in a column that does not occur in the current rows. */
static void sparse_fill_column(const crd_worker *worker, size_t index, crd_i_column *into) {
    const crd_i_worker_column *column = &worker->columns[index];
    const void *cells = lacks_default(worker, index) ? worker->ones : worker->zeros;
    bool is_category = column->type == CRD_TYPE_CATEGORICAL;
    into->type = column->type;
    into->is_constant = true;
    into->numbers = column->type == CRD_TYPE_NUMERIC ? cells : NULL;
    into->codes = is_category ? cells : NULL;
    into->texts = column->type == CRD_TYPE_TEXT ? column->texts : NULL;
    into->dictionary = is_category ? column->dictionary : NULL;
    into->declared = !is_category                      ? NULL
                     : worker->entry->declared != NULL ? worker->entry->declared[index]
                                                       : worker->reader->columns[index].declared;
}

/* ======== 5. Rows of either type ======== */

crd_status crd_i_worker_check_row(const crd_worker *worker, crd_error *error) {
    if (worker->is_sparse) return sparse_check_row(worker, error);
    const crd_i_cell *cells = worker->cells + worker->rows * worker->entry->header.width;
    crd_status status = CRD_OK;
    for (size_t index = 0; index < worker->reader->column_count && status == CRD_OK; index++) {
        size_t field = worker->entry->fields[index];
        if (field != SIZE_MAX) status = worker_check_cell(worker, index, cells[field], error);
    }
    return status;
}

void crd_i_worker_fill_frame(crd_worker *worker) {
    crd_frame *frame = worker->frame;
    const crd_reader *reader = worker->reader;
    frame->rows = worker->rows;
    for (size_t index = 0; index < reader->column_count; index++) {
        const crd_i_worker_column *column = &worker->columns[index];
        crd_i_column *into = &frame->columns[index];
        bool is_category = column->type == CRD_TYPE_CATEGORICAL;
        into->is_constant = false;
        if (column->slot == SIZE_MAX) {
            sparse_fill_column(worker, index, into);
            continue;
        }
        into->type = column->type;
        into->numbers = column->type == CRD_TYPE_NUMERIC ? crd_i_worker_numbers(worker, index) : NULL;
        into->codes = is_category ? crd_i_worker_codes(worker, index) : NULL;
        into->texts = column->type == CRD_TYPE_TEXT ? column->texts : NULL;
        into->dictionary = is_category ? column->dictionary : NULL;
        into->declared = !is_category                      ? NULL
                         : worker->entry->declared != NULL ? worker->entry->declared[index]
                                                           : reader->columns[index].declared;
    }
}

crd_status crd_i_worker_convert(crd_worker *worker, crd_error *suspect, size_t *suspect_column, crd_error *error) {
    if (worker->is_sparse) return sparse_convert(worker, suspect, suspect_column, error);
    crd_status status = cell_conversion_begin_columns(worker, error);
    for (size_t row = 0; row < worker->rows && status == CRD_OK; row++) {
        status = cell_conversion_convert_row(worker, row, suspect, suspect_column, error);
    }
    /* An infinite cell takes precedence over errors in later cells. */
    if (status == CRD_ERROR_MEMORY || status == CRD_I_READ_AGAIN) return status;
    crd_status infinite = worker_find_infinite(worker, suspect, suspect_column);
    return infinite == CRD_OK ? status : infinite;
}

void crd_i_worker_check_types(crd_worker *worker) {
    const crd_reader *reader = worker->reader;
    if (worker->is_sparse) {
        sparse_check_types(worker);
        return;
    }
    for (size_t index = 0; index < reader->column_count; index++) {
        crd_i_worker_column *column = &worker->columns[index];
        size_t field = worker->entry->fields[index];
        column->type = column->known;
        if (reader->columns[index].is_fixed || field == SIZE_MAX) continue;
        for (size_t row = 0; row < worker->rows && column->type != CRD_TYPE_CATEGORICAL; row++) {
            crd_i_cell cell = crd_i_worker_cell(worker, row, field);
            if (!crd_i_worker_is_missing(worker, cell)) column->type = worker_type_with(worker, column->type, cell);
        }
    }
}
