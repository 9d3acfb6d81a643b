/* SPDX-License-Identifier: MIT */
/* cell_conversion.c - cells into numbers and codes, and what kind a column is. See reader_internal.h.
 *
 * A kind that was not given is guessed from the first cell that is present. A cell that proves the guess wrong turns
 * the column over at once as long as no frame has gone out with it: the cells of the frame at hand are all still
 * there. Later than that the input has to be read again. */
#include "table/read/reader_internal.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/utf8.h"

#include "table/forms/amount.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

bool crd_i_worker_is_missing(const crd_worker *lane, crd_i_cell cell) {
    if (cell.form >= CRD_I_CELL_MISSING) return cell.form == CRD_I_CELL_MISSING;
    return crd_i_missing_has(&lane->reader->missing, crd_i_slow_parse_text(&lane->records, cell),
                             cell.form != CRD_I_CELL_PLAIN);
}

/* The same of a cell of a column of this kind. */
static bool is_missing_of(const crd_worker *lane, crd_kind kind, crd_i_cell cell) {
    if (kind != CRD_KIND_CATEGORY || cell.form >= CRD_I_CELL_MISSING) return crd_i_worker_is_missing(lane, cell);
    return crd_i_missing_has_category(&lane->reader->missing, crd_i_slow_parse_text(&lane->records, cell),
                                      cell.form != CRD_I_CELL_PLAIN);
}

static crd_number_class parse_number(const crd_worker *lane, crd_i_cell cell, double *number) {
    if (cell.form == CRD_I_CELL_TEXT) return CRD_NUMBER_NONE;
    return crd_i_decimal_parse(crd_i_worker_cell_text(lane, cell), lane->entry->heading.decimal, number);
}

/* The same of a column whose kind is guessed: digits that are a code are no number. */
static crd_number_class guess_number(const crd_worker *lane, crd_i_cell cell, double *number) {
    if (crd_i_is_code(crd_i_worker_cell_text(lane, cell))) return CRD_NUMBER_NONE;
    return parse_number(lane, cell, number);
}

crd_kind crd_i_worker_kind_with(const crd_worker *lane, crd_kind kind, crd_i_cell cell) {
    double number;
    if (kind == CRD_KIND_CATEGORY || guess_number(lane, cell, &number) == CRD_NUMBER_NONE) return CRD_KIND_CATEGORY;
    return CRD_KIND_NUMBER;
}

/* The subject is the name that files and options have: NAME of NAME.month. */
static void place_cell(const crd_worker *lane, size_t row, size_t index, crd_error *error) {
    const crd_i_reader_column *column = &lane->reader->columns[index];
    crd_i_error_place(error, NULL, lane->lines[row], lane->entry->fields[index] + 1);
    crd_i_error_subject(error, column->source.bytes != NULL ? column->source : column->name);
}

static const char NOT_A_NUMBER[] = "is not a number";
static const char IS_TEXT[] = "is a text, not a number";
static const char IS_NEGATIVE[] = "is below zero: a weight is the number of rows a row stands for";
static const char NO_WEIGHT[] = "a row has no weight: 0 leaves a row out, 1 is a row that stands for itself";
static const char IS_INFINITE[] = "is infinite: numbers must be finite";

/* Hints at the other decimal mark if the cell is a number by it. */
static void hint_at_mark(const crd_worker *lane, size_t index, crd_text text, crd_error *error) {
    const crd_i_form form = crd_i_worker_form(lane, index);
    const bool is_plain = crd_i_form_is_plain(form);
    if (form.reading > CRD_I_READING_PERCENT_COMMA || lane->entry->heading.format->code != CRD_FORMAT_DELIMITED) return;
    const bool has_comma = is_plain ? lane->entry->heading.decimal == ',' : crd_i_form_has_comma(form);
    const crd_i_amount other = crd_i_amount_parse(text, has_comma ? '.' : ',');
    if (other.class != CRD_NUMBER_FINITE || (is_plain && other.is_percent)) return;
    crd_i_error_hint(error, "if the file has decimal %s, use decimal=%s", has_comma ? "points" : "commas",
                     has_comma ? "." : ",");
}

static crd_status fail_number(const crd_worker *lane, size_t row, size_t index, crd_text text, const char *what,
                              crd_error *error) {
    char shown[CRD_I_QUOTED_ROOM];
    crd_status status = index == lane->reader->weight ? CRD_ERROR_WEIGHT : CRD_ERROR_NUMBER;
    crd_i_fail(error, status, "'%s' %s", crd_i_quote(text, shown), what);
    place_cell(lane, row, index, error);
    double number;
    if (what == IS_TEXT && crd_number_parse(text, &number) == CRD_NUMBER_FINITE && !crd_i_is_code(text))
        crd_i_error_hint(error, "write the number without quotes: with quotes it is a text");
    if (what != IS_INFINITE && what != IS_NEGATIVE && what != IS_TEXT) hint_at_mark(lane, index, text, error);
    /* Of a part of the rows, the others may have words there. */
    if (what == IS_INFINITE && lane->reader->collects && lane->reader->columns[index].is_open) {
        crd_i_quote(lane->reader->columns[index].name, shown);
        crd_i_error_hint(error,
                         "if '%s' holds names, train every shard with schema=FILE, that of all rows, or with "
                         "category=%s",
                         shown, shown);
    }
    return status;
}

static crd_status fail_undeclared(const crd_worker *lane, size_t row, size_t index, crd_text text, crd_error *error) {
    char shown[CRD_I_QUOTED_ROOM], name[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, CRD_ERROR_SYNTAX, "'%s' is none of the values that the file declares for '%s'",
               crd_i_quote(text, shown), crd_i_quote(lane->reader->columns[index].name, name));
    place_cell(lane, row, index, error);
    return CRD_ERROR_SYNTAX;
}

static crd_status fail_encoding(const crd_worker *lane, size_t row, size_t index, crd_text text, crd_error *error) {
    char name[CRD_I_QUOTED_ROOM], what[CRD_I_QUOTED_ROOM + 32];
    snprintf(what, sizeof what, "the cell of column '%s'", crd_i_quote(lane->reader->columns[index].name, name));
    crd_status status = crd_i_reader_fail_encoding(lane->reader, what, text, error);
    place_cell(lane, row, index, error);
    return status;
}

static crd_status store_code(crd_worker *lane, size_t row, size_t index, crd_text text, crd_error *error) {
    const crd_i_declared *declared = lane->entry->heading.declared;
    const crd_i_dictionary *values = declared == NULL ? NULL : declared[lane->entry->fields[index]].values;
    if (values != NULL && crd_i_dictionary_find(values, text) < 0) {
        return fail_undeclared(lane, row, index, text, error);
    }
    crd_i_dictionary *dictionary = lane->columns[index].dictionary;
    int32_t code = crd_i_dictionary_find(dictionary, text);
    if (code < 0 && lane->reader->columns[index].truth.is_exact) {
        text = crd_i_truth_words_match(&lane->reader->columns[index].truth, text);
        code = crd_i_dictionary_find(dictionary, text);
    }
    if (code < 0) {
        if (!lane->reader->takes_any_bytes && !crd_i_utf8_is_valid(text))
            return fail_encoding(lane, row, index, text, error);
        code = crd_i_dictionary_add(dictionary, text);
    }
    if (code < 0) return crd_i_fail_memory(error);
    crd_i_worker_codes(lane, index)[row] = code;
    size_t most = crd_i_reader_most_categories(lane->reader, index);
    if ((size_t)code < most) return CRD_OK;
    crd_i_fail(error, CRD_ERROR_LIMIT, "more than %zu different values in one column: is it an identifier?", most);
    place_cell(lane, row, index, error);
    return CRD_ERROR_LIMIT;
}

bool crd_i_worker_open_dictionary(crd_worker *lane, size_t index) {
    crd_i_worker_column *column = &lane->columns[index];
    if (column->dictionary == NULL) column->dictionary = crd_i_dictionary_create(lane->reader->context);
    return column->dictionary != NULL;
}

/* The code of a cell that was taken for a number, or was not there. */
static crd_status encode_again(crd_worker *lane, size_t index, size_t row, crd_i_cell cell, crd_error *error) {
    if (is_missing_of(lane, CRD_KIND_CATEGORY, cell)) return CRD_OK;
    return store_code(lane, row, index, crd_i_worker_cell_text(lane, cell), error);
}

static crd_status encode_sparse_again(crd_worker *lane, size_t index, size_t row, crd_error *error) {
    size_t field = lane->entry->fields[index];
    crd_status status = CRD_OK;
    crd_i_sparse_rows_turn(&lane->sparse, field);
    for (size_t at = lane->sparse.latest[field]; status == CRD_OK && at != 0;) {
        const crd_i_sparse_cell *cell = &lane->sparse.cells[at - 1];
        if (cell->row >= row) break;
        status = encode_again(lane, index, cell->row, cell->cell, error);
        at = cell->before;
    }
    crd_i_sparse_rows_turn(&lane->sparse, field);
    return status;
}

/* Makes the column a category with the codes of all rows before `row`. What sparse rows leave out is missing. */
static crd_status become_category(crd_worker *lane, size_t index, size_t row, crd_error *error) {
    size_t field = lane->entry->fields[index], filled = lane->is_sparse ? lane->rows : row;
    if (!crd_i_worker_open_dictionary(lane, index)) return crd_i_fail_memory(error);
    lane->columns[index].kind = CRD_KIND_CATEGORY;
    lane->columns[index].infinite = SIZE_MAX;
    for (size_t before = 0; before < filled; before++) crd_i_worker_codes(lane, index)[before] = -1;
    if (lane->is_sparse) return encode_sparse_again(lane, index, row, error);
    crd_status status = CRD_OK;
    for (size_t before = 0; status == CRD_OK && before < row; before++)
        status = encode_again(lane, index, before, crd_i_worker_cell(lane, before, field), error);
    return status;
}

/* Whether the cell, which means missing as a number, is a word among categories. */
static bool may_be_word(const crd_worker *lane, crd_i_cell cell) {
    return cell.form < CRD_I_CELL_MISSING && !is_missing_of(lane, CRD_KIND_CATEGORY, cell);
}

static void become_number(crd_worker *lane, size_t index, size_t row) {
    size_t filled = lane->is_sparse ? lane->rows : row;
    lane->columns[index].kind = CRD_KIND_NUMBER;
    double *numbers = crd_i_worker_numbers(lane, index);
    for (size_t before = 0; before < filled; before++) numbers[before] = NAN;
}

static crd_status fail_late(const crd_worker *lane, size_t row, size_t index, crd_error *error) {
    char shown[CRD_I_QUOTED_ROOM];
    crd_text text = crd_i_worker_text(lane, row, lane->entry->fields[index]);
    crd_i_fail(error, CRD_ERROR_KIND,
               "'%s' is not a number, and comes after numbers: the column must be said to be a category, because the "
               "input cannot be read a second time",
               crd_i_quote(text, shown));
    place_cell(lane, row, index, error);
    return CRD_RESTART;
}

/* Whether an infinite cell may yet be a word, of a category that another part of the rows shows the column to be. */
static bool lets_infinite_pass(const crd_worker *lane, size_t index) {
    const crd_reader *reader = lane->reader;
    return reader->collects && !reader->collects_beside && reader->columns[index].is_open;
}

/* A present cell of a column that is a number, or nothing yet. CRD_RESTART: it is not, but went out as one. */
static crd_status convert_number(crd_worker *lane, size_t row, size_t index, crd_i_cell cell, crd_error *suspect,
                                 crd_error *error) {
    crd_i_worker_column *column = &lane->columns[index];
    bool is_fixed = lane->reader->columns[index].is_fixed;
    double number;
    crd_number_class class = is_fixed ? parse_number(lane, cell, &number) : guess_number(lane, cell, &number);
    if (class == CRD_NUMBER_NONE) {
        const char *why = cell.form == CRD_I_CELL_TEXT ? IS_TEXT : NOT_A_NUMBER;
        if (is_fixed) return fail_number(lane, row, index, crd_i_worker_cell_text(lane, cell), why, error);
        bool may_have_form =
            column->kind == CRD_KIND_NUMBER && lane->reader->finds_forms && !lane->reader->columns[index].is_settled;
        if (column->known == CRD_KIND_NUMBER || may_have_form) return fail_late(lane, row, index, suspect);
        crd_status status = become_category(lane, index, row, error);
        return status == CRD_OK ? store_code(lane, row, index, crd_i_worker_cell_text(lane, cell), error) : status;
    }
    if (column->kind == CRD_KIND_NONE) become_number(lane, index, row);
    if (class == CRD_NUMBER_INFINITE && lets_infinite_pass(lane, index)) column->has_infinite = true;
    else if (class == CRD_NUMBER_INFINITE) {
        if (is_fixed) return fail_number(lane, row, index, crd_i_worker_cell_text(lane, cell), IS_INFINITE, error);
        if (column->infinite == SIZE_MAX) column->infinite = row;
    }
    if (index == lane->reader->weight && number < 0) {
        return fail_number(lane, row, index, crd_i_worker_cell_text(lane, cell), IS_NEGATIVE, error);
    }
    crd_i_worker_numbers(lane, index)[row] = number;
    return CRD_OK;
}

/* Whether the file states that the cell is a number, as JSON does and ARFF for a numeric attribute: it is this number, whatever
 * the column's form. */
static bool is_stated_number(const crd_worker *lane, size_t index, crd_i_cell cell) {
    const crd_i_declared *declared = lane->entry->heading.declared;
    if (cell.form == CRD_I_CELL_TEXT || lane->entry->heading.format->code == CRD_FORMAT_DELIMITED) return false;
    return declared == NULL || declared[lane->entry->fields[index]].kind == CRD_KIND_NUMBER;
}

/* A present cell of a column of numbers that has a form. */
static crd_number_class parse_formed(const crd_worker *lane, size_t index, crd_i_form form, crd_i_cell cell,
                                     double *number) {
    const bool is_stated = is_stated_number(lane, index, cell);
    crd_number_class class = CRD_NUMBER_NONE;
    if (is_stated && form.reading <= CRD_I_READING_PERCENT_COMMA) return parse_number(lane, cell, number);
    class = crd_i_form_number(form, crd_i_worker_cell_text(lane, cell), number);
    return class == CRD_NUMBER_NONE && is_stated ? parse_number(lane, cell, number) : class;
}

/* A present cell of a column that has a form. */
static crd_status convert_formed(crd_worker *lane, size_t row, size_t index, crd_i_cell cell, crd_error *error) {
    crd_i_form form = crd_i_worker_form(lane, index);
    crd_text text = crd_i_worker_cell_text(lane, cell), value = {NULL, 0};
    char why[96];
    snprintf(why, sizeof why, "is not %s", crd_i_form_noun(form));
    if (lane->columns[index].kind == CRD_KIND_CATEGORY) {
        if (!crd_i_form_text(form, text, &value)) {
            if (form.reading != CRD_I_READING_BOOLEAN) return fail_number(lane, row, index, text, why, error);
            value = text; /* a category that was not met in training */
        }
        if (value.bytes != NULL) return store_code(lane, row, index, value, error);
        crd_i_worker_codes(lane, index)[row] = -1;
        return CRD_OK;
    }
    double *number = &crd_i_worker_numbers(lane, index)[row];
    crd_number_class class = parse_formed(lane, index, form, cell, number);
    if (class == CRD_NUMBER_NONE) return fail_number(lane, row, index, text, why, error);
    if (class == CRD_NUMBER_INFINITE && lets_infinite_pass(lane, index)) {
        lane->columns[index].has_infinite = true;
        return CRD_OK;
    }
    return class == CRD_NUMBER_INFINITE ? fail_number(lane, row, index, text, IS_INFINITE, error) : CRD_OK;
}

static crd_status fail_weightless(const crd_worker *lane, size_t row, crd_error *error) {
    crd_i_fail(error, CRD_ERROR_WEIGHT, "%s", NO_WEIGHT);
    place_cell(lane, row, lane->reader->weight, error);
    return CRD_ERROR_WEIGHT;
}

crd_status crd_i_worker_convert_cell(crd_worker *lane, size_t row, size_t index, crd_i_cell cell, crd_error *suspect,
                                     crd_error *error) {
    const crd_i_worker_column *column = &lane->columns[index];
    if (column->kind == CRD_KIND_TEXT) {
        crd_i_worker_store_text(lane, row, index, cell);
        return CRD_OK;
    }
    /* Dates and truth values are categories, but of no other words. */
    const bool is_plain = crd_i_form_is_plain(crd_i_worker_form(lane, index));
    const crd_kind kind = is_plain ? column->kind : CRD_KIND_NUMBER;
    if (is_missing_of(lane, kind, cell)) {
        if (index == lane->reader->weight) return fail_weightless(lane, row, error);
        /* It went out as missing: a column that proves to be a category later is to be read again, as one of numbers is. */
        if (column->kind == CRD_KIND_NONE && may_be_word(lane, cell)) become_number(lane, index, row);
        if (column->kind == CRD_KIND_NUMBER) crd_i_worker_numbers(lane, index)[row] = NAN;
        if (column->kind == CRD_KIND_CATEGORY) crd_i_worker_codes(lane, index)[row] = -1;
        return CRD_OK;
    }
    if (!is_plain) return convert_formed(lane, row, index, cell, error);
    if (column->kind == CRD_KIND_CATEGORY)
        return store_code(lane, row, index, crd_i_worker_cell_text(lane, cell), error);
    return convert_number(lane, row, index, cell, suspect, error);
}

static crd_status check_number(const crd_worker *lane, size_t index, crd_i_cell cell, bool is_fixed, crd_error *error) {
    double number;
    crd_number_class class = parse_number(lane, cell, &number);
    const char *what = NULL;
    if (is_fixed && class == CRD_NUMBER_NONE) what = cell.form == CRD_I_CELL_TEXT ? IS_TEXT : NOT_A_NUMBER;
    else if (class == CRD_NUMBER_INFINITE) what = IS_INFINITE;
    else if (class == CRD_NUMBER_FINITE && index == lane->reader->weight && number < 0) what = IS_NEGATIVE;
    if (what == NULL) return CRD_OK;
    return fail_number(lane, lane->rows, index, crd_i_worker_cell_text(lane, cell), what, error);
}

/* A present cell of a column that has a form. */
static crd_status check_formed(const crd_worker *lane, size_t index, crd_i_cell cell, crd_error *error) {
    crd_i_form form = crd_i_worker_form(lane, index);
    crd_text text = crd_i_worker_cell_text(lane, cell), value;
    double number;
    char why[96];
    snprintf(why, sizeof why, "is not %s", crd_i_form_noun(form));
    if (lane->columns[index].known == CRD_KIND_CATEGORY) {
        if (!crd_i_form_text(form, text, &value) && form.reading != CRD_I_READING_BOOLEAN)
            return fail_number(lane, lane->rows, index, text, why, error);
        if (lane->reader->takes_any_bytes || crd_i_utf8_is_valid(text)) return CRD_OK;
        return fail_encoding(lane, lane->rows, index, text, error);
    }
    crd_number_class class = parse_formed(lane, index, form, cell, &number);
    if (class == CRD_NUMBER_FINITE) return CRD_OK;
    return fail_number(lane, lane->rows, index, text, class == CRD_NUMBER_INFINITE ? IS_INFINITE : why, error);
}

crd_status crd_i_worker_check_cell(const crd_worker *lane, size_t index, crd_i_cell cell, crd_error *error) {
    const crd_i_reader_column *column = &lane->reader->columns[index];
    if (column->kind == CRD_KIND_TEXT) return CRD_OK;
    if (crd_i_worker_is_missing(lane, cell))
        return index == lane->reader->weight ? fail_weightless(lane, lane->rows, error) : CRD_OK;
    if (!crd_i_form_is_plain(crd_i_worker_form(lane, index))) return check_formed(lane, index, cell, error);
    bool is_number = column->is_fixed && column->kind == CRD_KIND_NUMBER;
    if (is_number || column->refuses_infinite) {
        crd_status status = check_number(lane, index, cell, is_number, error);
        if (is_number || status != CRD_OK) return status;
    }
    crd_text text = crd_i_worker_cell_text(lane, cell);
    const crd_i_declared *declared = lane->entry->heading.declared;
    const crd_i_dictionary *values = declared == NULL ? NULL : declared[lane->entry->fields[index]].values;
    if (values != NULL && crd_i_dictionary_find(values, text) < 0)
        return fail_undeclared(lane, lane->rows, index, text, error);
    if (lane->reader->takes_any_bytes || crd_i_utf8_is_valid(text)) return CRD_OK;
    return fail_encoding(lane, lane->rows, index, text, error);
}

crd_status crd_i_worker_check_row(const crd_worker *lane, crd_error *error) {
    if (lane->is_sparse) return crd_i_sparse_check_row(lane, error);
    const crd_i_cell *cells = lane->cells + lane->rows * lane->entry->heading.width;
    crd_status status = CRD_OK;
    for (size_t index = 0; index < lane->reader->column_count && status == CRD_OK; index++) {
        size_t field = lane->entry->fields[index];
        if (field != SIZE_MAX) status = crd_i_worker_check_cell(lane, index, cells[field], error);
    }
    return status;
}

static crd_status convert_row(crd_worker *lane, size_t row, crd_error *suspect, size_t *suspect_column,
                              crd_error *error) {
    static const crd_i_cell ABSENT = {0, 0, CRD_I_CELL_MISSING};
    const crd_i_cell *cells = lane->cells + row * lane->entry->heading.width;
    for (size_t index = 0; index < lane->reader->column_count; index++) {
        size_t field = lane->entry->fields[index];
        crd_status status =
            crd_i_worker_convert_cell(lane, row, index, field == SIZE_MAX ? ABSENT : cells[field], suspect, error);
        if (status == CRD_OK) continue;
        *suspect_column = index;
        return status;
    }
    return CRD_OK;
}

crd_status crd_i_worker_find_infinite(const crd_worker *lane, crd_error *suspect, size_t *suspect_column) {
    size_t first = SIZE_MAX;
    for (size_t index = 0; index < lane->reader->column_count; index++) {
        if (lane->columns[index].infinite < first) {
            first = lane->columns[index].infinite;
            *suspect_column = index;
        }
    }
    if (first == SIZE_MAX) return CRD_OK;
    crd_text text = crd_i_worker_text(lane, first, lane->entry->fields[*suspect_column]);
    (void)fail_number(lane, first, *suspect_column, text, IS_INFINITE, suspect);
    return CRD_RESTART;
}

void crd_i_worker_fill_frame(crd_worker *lane) {
    crd_frame *frame = lane->frame;
    const crd_reader *reader = lane->reader;
    frame->rows = lane->rows;
    for (size_t index = 0; index < reader->column_count; index++) {
        const crd_i_worker_column *column = &lane->columns[index];
        crd_i_column *into = &frame->columns[index];
        bool is_category = column->kind == CRD_KIND_CATEGORY;
        into->is_constant = false;
        if (column->slot == SIZE_MAX) {
            crd_i_sparse_fill_column(lane, index, into);
            continue;
        }
        into->kind = column->kind;
        into->numbers = column->kind == CRD_KIND_NUMBER ? crd_i_worker_numbers(lane, index) : NULL;
        into->codes = is_category ? crd_i_worker_codes(lane, index) : NULL;
        into->texts = column->kind == CRD_KIND_TEXT ? column->texts : NULL;
        into->dictionary = is_category ? column->dictionary : NULL;
        into->declared = !is_category                    ? NULL
                         : lane->entry->declared != NULL ? lane->entry->declared[index]
                                                         : reader->columns[index].declared;
    }
}

/* Room for the rows at hand, and columns as they are known to be. */
static crd_status begin_columns(crd_worker *lane, crd_error *error) {
    size_t count = lane->reader->column_count;
    if (count > 0 && lane->rows > SIZE_MAX / count) return crd_i_fail_memory(error);
    if (!crd_i_reserve(lane->reader->context, &lane->numbers, &lane->numbers_capacity, count * lane->rows,
                       sizeof *lane->numbers)) {
        return crd_i_fail_memory(error);
    }
    for (size_t index = 0; index < count; index++) {
        crd_i_worker_column *column = &lane->columns[index];
        column->kind = column->known;
        column->infinite = SIZE_MAX;
        column->slot = index;
        if (column->kind == CRD_KIND_CATEGORY && !crd_i_worker_open_dictionary(lane, index))
            return crd_i_fail_memory(error);
        if (column->kind == CRD_KIND_TEXT && !crd_i_worker_open_texts(lane, index)) return crd_i_fail_memory(error);
        crd_i_worker_forget_ids(lane, index);
    }
    return CRD_OK;
}

crd_status crd_i_worker_convert(crd_worker *lane, crd_error *suspect, size_t *suspect_column, crd_error *error) {
    if (lane->is_sparse) return crd_i_sparse_convert(lane, suspect, suspect_column, error);
    crd_status status = begin_columns(lane, error);
    for (size_t row = 0; row < lane->rows && status == CRD_OK; row++) {
        status = convert_row(lane, row, suspect, suspect_column, error);
    }
    /* An infinite cell comes before what is wrong behind it. */
    if (status == CRD_ERROR_MEMORY || status == CRD_RESTART) return status;
    crd_status infinite = crd_i_worker_find_infinite(lane, suspect, suspect_column);
    return infinite == CRD_OK ? status : infinite;
}

static int by_field(const void *left, const void *right) {
    size_t a = ((const crd_i_fast_parse_column *)left)->field, b = ((const crd_i_fast_parse_column *)right)->field;
    return (a > b) - (a < b);
}

/* The columns of the file that are wanted; those that it does not have are missing. Returns how many. */
static size_t want_columns(crd_worker *lane) {
    size_t count = 0;
    for (size_t index = 0; index < lane->reader->column_count; index++) {
        crd_i_worker_column *column = &lane->columns[index];
        size_t field = lane->entry->fields[index];
        if (field == SIZE_MAX) {
            for (size_t row = 0; column->kind == CRD_KIND_NUMBER && row < lane->rows; row++) {
                crd_i_worker_numbers(lane, index)[row] = NAN;
            }
            for (size_t row = 0; column->kind == CRD_KIND_CATEGORY && row < lane->rows; row++) {
                crd_i_worker_codes(lane, index)[row] = -1;
            }
            continue;
        }
        const crd_i_reader_column *of = &lane->reader->columns[index];
        crd_i_fast_parse_column wanted = {.field = field,
                                          .kind = column->kind,
                                          .form = crd_i_worker_form(lane, index),
                                          .truth = &of->truth,
                                          .takes_codes = of->is_fixed,
                                          .dictionary = column->dictionary,
                                          .checked = &column->checked};
        wanted.numbers = column->kind == CRD_KIND_NUMBER ? crd_i_worker_numbers(lane, index) : NULL;
        wanted.codes = column->kind == CRD_KIND_CATEGORY ? crd_i_worker_codes(lane, index) : NULL;
        wanted.texts = column->texts;
        lane->wanted[count++] = wanted;
    }
    qsort(lane->wanted, count, sizeof *lane->wanted, by_field);
    return count;
}

/* Every row has a weight, and none is below zero. */
static bool weights_fit(const crd_worker *lane) {
    if (lane->reader->weight == SIZE_MAX) return true;
    const double *weights = crd_i_worker_numbers(lane, lane->reader->weight);
    for (size_t row = 0; row < lane->rows; row++) {
        if (!(weights[row] >= 0)) return false;
    }
    return true;
}

crd_status crd_i_worker_convert_swiftly(crd_worker *lane, bool *done, crd_error *error) {
    const crd_reader *reader = lane->reader;
    *done = false;
    crd_status status = begin_columns(lane, error);
    if (status != CRD_OK) return status;
    crd_i_fast_parse_rules rules = {&reader->missing, lane->entry->heading.decimal, reader->options.max_categories,
                                    reader->takes_any_bytes, SIZE_MAX};
    size_t count = want_columns(lane);
    if (crd_i_worker_skips_unlabeled(lane))
        for (size_t i = 0; i < count; i++)
            if (lane->wanted[i].field == lane->entry->fields[reader->target]) rules.target = i;
    *done = crd_i_fast_parse_fill(&lane->swift, &rules, lane->first_row, lane->rows, lane->wanted, count) &&
            weights_fit(lane);
    for (size_t i = 0; !*done && i < count; i++) {
        if (lane->wanted[i].ran_out) return crd_i_fail_memory(error);
    }
    return CRD_OK;
}

void crd_i_worker_check_kinds(crd_worker *lane) {
    const crd_reader *reader = lane->reader;
    if (lane->is_sparse) {
        crd_i_sparse_check_kinds(lane);
        return;
    }
    for (size_t index = 0; index < reader->column_count; index++) {
        crd_i_worker_column *column = &lane->columns[index];
        size_t field = lane->entry->fields[index];
        column->kind = column->known;
        if (reader->columns[index].is_fixed || field == SIZE_MAX) continue;
        for (size_t row = 0; row < lane->rows && column->kind != CRD_KIND_CATEGORY; row++) {
            crd_i_cell cell = crd_i_worker_cell(lane, row, field);
            if (!crd_i_worker_is_missing(lane, cell)) column->kind = crd_i_worker_kind_with(lane, column->kind, cell);
        }
    }
}
