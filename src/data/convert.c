/* convert.c - cells into numbers and codes, and what kind a column is. See reader_parts.h.
 *
 * A kind that was not given is guessed from the first cell that is present. A cell that proves the guess wrong turns
 * the column over at once as long as no frame has gone out with it: the cells of the frame at hand are all still
 * there. Later than that the input has to be read again. */
#include "data/reader_parts.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>

static double *numbers_of(const crd_reader *reader, size_t column) {
    return reader->numbers + column * reader->row_capacity;
}

/* The same room as the numbers: a column is one or the other. */
static int32_t *codes_of(const crd_reader *reader, size_t column) {
    return (int32_t *)(void *)numbers_of(reader, column);
}

static bool is_missing(const crd_reader *reader, const crd_i_cell *cells, size_t field) {
    if (field == SIZE_MAX) return true;
    crd_i_cell cell = cells[field];
    if (cell.form >= CRD_I_CELL_MISSING) return cell.form == CRD_I_CELL_MISSING;
    return crd_i_missing_has(&reader->missing, crd_i_records_text(&reader->records, cell),
                             cell.form != CRD_I_CELL_PLAIN);
}

static bool is_text(const crd_reader *reader, size_t row, size_t field) {
    return reader->cells[row * reader->heading.width + field].form == CRD_I_CELL_TEXT;
}

static crd_number_class parse_number(const crd_reader *reader, size_t row, size_t field, crd_text text,
                                     double *number) {
    if (is_text(reader, row, field)) return CRD_NUMBER_NONE;
    return crd_i_decimal_parse(text, reader->heading.decimal, number);
}

static void place_cell(const crd_reader *reader, size_t row, const crd_i_reader_column *column, crd_error *error) {
    crd_i_error_place(error, reader->inputs[reader->current].place, reader->lines[row], column->field + 1);
    crd_i_error_subject(error, column->name);
}

static crd_status fail_number(const crd_reader *reader, size_t row, const crd_i_reader_column *column, const char *what,
                              crd_error *error) {
    char shown[CRD_I_QUOTED_ROOM];
    bool is_weight = reader->weight != SIZE_MAX && column == &reader->columns[reader->weight];
    crd_status status = is_weight ? CRD_ERROR_WEIGHT : CRD_ERROR_NUMBER;
    crd_i_fail(error, status, "'%s' %s", crd_i_quote(crd_i_reader_text(reader, row, column->field), shown), what);
    place_cell(reader, row, column, error);
    return status;
}

static const char NOT_A_NUMBER[] = "is not a number";
static const char IS_TEXT[] = "is a text, not a number";
static const char IS_NEGATIVE[] = "is below zero: a weight says how many rows a row stands for";
static const char NO_WEIGHT[] = "a row has no weight: 0 leaves a row out, 1 is a row that stands for itself";
static const char IS_INFINITE[] = "is infinite: numbers must be finite";

static crd_status fail_undeclared(const crd_reader *reader, size_t row, const crd_i_reader_column *column,
                                  crd_text text, crd_error *error) {
    char shown[CRD_I_QUOTED_ROOM], name[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, CRD_ERROR_SYNTAX, "'%s' is none of the values that the file declares for '%s'",
               crd_i_quote(text, shown), crd_i_quote(column->name, name));
    place_cell(reader, row, column, error);
    return CRD_ERROR_SYNTAX;
}

static crd_status store_code(crd_reader *reader, size_t row, size_t index, crd_text text, crd_error *error) {
    crd_i_reader_column *column = &reader->columns[index];
    const crd_i_declared *declared = reader->heading.declared;
    if (declared != NULL && declared[column->field].values != NULL &&
        crd_i_dictionary_find(declared[column->field].values, text) < 0) {
        return fail_undeclared(reader, row, column, text, error);
    }
    int32_t code = crd_i_dictionary_add(column->dictionary, text);
    if (code < 0) return crd_i_fail_memory(error);
    codes_of(reader, index)[row] = code;
    if ((size_t)code < reader->options.max_categories) return CRD_OK;
    crd_i_fail(error, CRD_ERROR_LIMIT, "more than %zu different values in one column: is it an identifier?",
               reader->options.max_categories);
    place_cell(reader, row, column, error);
    return CRD_ERROR_LIMIT;
}

/* Makes the column a category with the codes of all rows before `row`. */
static crd_status become_category(crd_reader *reader, size_t index, size_t row, crd_error *error) {
    crd_i_reader_column *column = &reader->columns[index];
    if (column->dictionary == NULL) {
        column->dictionary = crd_i_dictionary_create(reader->context);
        if (column->dictionary == NULL) return crd_i_fail_memory(error);
    }
    column->kind = CRD_KIND_CATEGORY;
    column->infinite = SIZE_MAX;
    for (size_t before = 0; before < row; before++) {
        codes_of(reader, index)[before] = -1;
        const crd_i_cell *cells = reader->cells + before * reader->heading.width;
        if (is_missing(reader, cells, column->field)) continue;
        crd_text text = crd_i_reader_text(reader, before, column->field);
        crd_status status = store_code(reader, before, index, text, error);
        if (status != CRD_OK) return status;
    }
    return CRD_OK;
}

static void become_number(crd_reader *reader, size_t index, size_t row) {
    reader->columns[index].kind = CRD_KIND_NUMBER;
    double *numbers = numbers_of(reader, index);
    for (size_t before = 0; before < row; before++) numbers[before] = NAN;
}

static crd_status fail_late(const crd_reader *reader, size_t row, const crd_i_reader_column *column, crd_error *error) {
    char shown[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, CRD_ERROR_KIND,
               "'%s' is not a number, and comes after %llu number%s: the column must be said to be a category, because "
               "the input cannot be read a second time",
               crd_i_quote(crd_i_reader_text(reader, row, column->field), shown), (unsigned long long)column->numbers,
               column->numbers == 1 ? "" : "s");
    place_cell(reader, row, column, error);
    return CRD_RESTART;
}

/* A present cell of a column that is a number, or nothing yet. CRD_RESTART: it is not, but went out as one. */
static crd_status convert_number(crd_reader *reader, size_t row, size_t index, crd_text text, crd_error *suspect,
                                 crd_error *error) {
    crd_i_reader_column *column = &reader->columns[index];
    double number;
    crd_number_class class = parse_number(reader, row, column->field, text, &number);
    if (class == CRD_NUMBER_NONE) {
        const char *why = is_text(reader, row, column->field) ? IS_TEXT : NOT_A_NUMBER;
        if (column->is_fixed) return fail_number(reader, row, column, why, error);
        if (column->handed_over) return fail_late(reader, row, column, suspect);
        crd_status status = become_category(reader, index, row, error);
        return status == CRD_OK ? store_code(reader, row, index, text, error) : status;
    }
    if (column->kind == CRD_KIND_NONE) become_number(reader, index, row);
    if (class == CRD_NUMBER_INFINITE) {
        if (column->is_fixed) return fail_number(reader, row, column, IS_INFINITE, error);
        if (column->infinite == SIZE_MAX) column->infinite = row;
    }
    if (index == reader->weight && number < 0) return fail_number(reader, row, column, IS_NEGATIVE, error);
    numbers_of(reader, index)[row] = number;
    column->numbers++;
    return CRD_OK;
}

static crd_status fail_weightless(const crd_reader *reader, size_t row, crd_error *error) {
    crd_i_fail(error, CRD_ERROR_WEIGHT, "%s", NO_WEIGHT);
    place_cell(reader, row, &reader->columns[reader->weight], error);
    return CRD_ERROR_WEIGHT;
}

static crd_status convert_row(crd_reader *reader, size_t row, crd_error *suspect, size_t *suspect_column,
                              crd_error *error) {
    const crd_i_cell *cells = reader->cells + row * reader->heading.width;
    for (size_t index = 0; index < reader->column_count; index++) {
        crd_i_reader_column *column = &reader->columns[index];
        crd_status status = CRD_OK;
        if (is_missing(reader, cells, column->field)) {
            if (index == reader->weight) status = fail_weightless(reader, row, error);
            if (column->kind == CRD_KIND_NUMBER) numbers_of(reader, index)[row] = NAN;
            if (column->kind == CRD_KIND_CATEGORY) codes_of(reader, index)[row] = -1;
        } else if (column->kind == CRD_KIND_CATEGORY) {
            status = store_code(reader, row, index, crd_i_reader_text(reader, row, column->field), error);
        } else {
            crd_text text = crd_i_reader_text(reader, row, column->field);
            status = convert_number(reader, row, index, text, suspect, error);
        }
        if (status != CRD_OK) {
            *suspect_column = index;
            return status;
        }
    }
    return CRD_OK;
}

/* An infinite cell is refused if its column is a number, which for a guess only the rest of the input can tell. */
static crd_status find_infinite(crd_reader *reader, crd_error *suspect, size_t *suspect_column) {
    size_t first = SIZE_MAX;
    for (size_t index = 0; index < reader->column_count; index++) {
        if (reader->columns[index].infinite < first) {
            first = reader->columns[index].infinite;
            *suspect_column = index;
        }
    }
    if (first == SIZE_MAX) return CRD_OK;
    (void)fail_number(reader, first, &reader->columns[*suspect_column], IS_INFINITE, suspect);
    return CRD_RESTART;
}

static void fill_frame(crd_reader *reader) {
    crd_frame *frame = reader->frame;
    frame->rows = reader->rows;
    for (size_t index = 0; index < reader->column_count; index++) {
        crd_i_reader_column *column = &reader->columns[index];
        crd_i_column *into = &frame->columns[index];
        into->kind = column->kind;
        into->numbers = column->kind == CRD_KIND_NUMBER ? numbers_of(reader, index) : NULL;
        into->codes = column->kind == CRD_KIND_CATEGORY ? codes_of(reader, index) : NULL;
        into->dictionary = column->kind == CRD_KIND_CATEGORY ? column->dictionary : NULL;
        into->declared = column->kind == CRD_KIND_CATEGORY ? column->declared : NULL;
        column->handed_over = column->kind == CRD_KIND_NUMBER;
    }
}

crd_status crd_i_reader_convert(crd_reader *reader, crd_error *suspect, size_t *suspect_column, crd_error *error) {
    for (size_t index = 0; index < reader->column_count; index++) reader->columns[index].infinite = SIZE_MAX;
    for (size_t row = 0; row < reader->rows; row++) {
        crd_status status = convert_row(reader, row, suspect, suspect_column, error);
        if (status != CRD_OK) return status;
    }
    crd_status status = find_infinite(reader, suspect, suspect_column);
    if (status == CRD_OK) fill_frame(reader);
    return status;
}

void crd_i_reader_check_kinds(crd_reader *reader) {
    for (size_t row = 0; row < reader->rows; row++) {
        const crd_i_cell *cells = reader->cells + row * reader->heading.width;
        for (size_t index = 0; index < reader->column_count; index++) {
            crd_i_reader_column *column = &reader->columns[index];
            if (column->is_fixed || column->kind == CRD_KIND_CATEGORY) continue;
            if (is_missing(reader, cells, column->field)) continue;
            double number;
            crd_text text = crd_i_reader_text(reader, row, column->field);
            bool is_number = parse_number(reader, row, column->field, text, &number) != CRD_NUMBER_NONE;
            column->kind = is_number ? CRD_KIND_NUMBER : CRD_KIND_CATEGORY;
        }
    }
}

crd_status crd_i_reader_forget_cells(crd_reader *reader, crd_error *error) {
    for (size_t index = 0; index < reader->column_count; index++) {
        crd_i_reader_column *column = &reader->columns[index];
        column->handed_over = false;
        column->numbers = 0;
        if (column->kind != CRD_KIND_CATEGORY) continue;
        if (column->dictionary == NULL) {
            column->dictionary = crd_i_dictionary_create(reader->context);
            if (column->dictionary == NULL) return crd_i_fail_memory(error);
        } else {
            crd_i_dictionary_empty(column->dictionary);
        }
    }
    return CRD_OK;
}
