/* SPDX-License-Identifier: MIT */
/* first_rows.c - see detect_dialect.h. */
#include "table/read/detect_dialect.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/decimal/decimal.h"

#include <string.h>

/* Limits on the bytes inspected after the first record, enough for some rows of a thousand columns, and on the
 * cells. */
enum { MOST_BYTES = 256 * 1024, MOST_CELLS = 2 * 1024 * 1024 };

void crd_i_first_rows_clear(crd_i_first_rows *rows) {
    crd_context *context = rows->copy.context;
    crd_i_slow_parse_clear(&rows->copy);
    crd_free(context, rows->cells);
    crd_free(context, rows->widths);
    memset(rows, 0, sizeof *rows);
    rows->copy.context = context;
}

crd_status crd_i_first_rows_find_lines(crd_i_slow_parse *records, size_t lines, size_t *length, crd_error *error) {
    size_t ended = records->next - records->start, searched = ended;
    *length = ended;
    for (size_t found = 0; found < lines;) {
        size_t held = records->end - records->start;
        const unsigned char *bytes = records->bytes + records->start;
        const unsigned char *end = held <= searched ? NULL : memchr(bytes + searched, '\n', held - searched);
        /* Whether a line counts depends on its end, not on the number of bytes in memory. */
        size_t line_end = end != NULL ? (size_t)(end - bytes) + 1 : held;
        if (line_end - ended > MOST_BYTES) break;
        if (end != NULL || records->at_end) *length = searched = line_end;
        if (end == NULL && records->at_end) break;
        if (end != NULL) {
            found++;
            continue;
        }
        searched = held;
        crd_status status = crd_i_slow_parse_peek(records, records->end - records->kept + 1, error);
        if (status != CRD_OK) return status;
    }
    return CRD_OK;
}

/* Adds the next record of the copy as a row. *is_found is false after the last record, or if a record cannot be
 * split. */
static crd_status first_rows_add(crd_i_first_rows *rows, bool *is_found, crd_error *error) {
    crd_context *context = rows->copy.context;
    crd_status status = crd_i_slow_parse_next(&rows->copy, is_found, NULL);
    if (status != CRD_OK) *is_found = false;
    if (!*is_found) return status == CRD_ERROR_MEMORY ? crd_i_fail_memory(error) : CRD_OK;
    /* Fields beyond the width of the first row plus one are counted, but not stored. */
    if (rows->rows == 0) rows->stride = crd_i_slow_parse_most_fields(&rows->copy);
    *is_found = rows->stride <= MOST_CELLS / (rows->rows + 1);
    if (!*is_found) return CRD_OK;
    if (!crd_i_reserve(context, &rows->widths, &rows->widths_capacity, rows->rows + 1, sizeof *rows->widths) ||
        !crd_i_reserve(context, &rows->cells, &rows->cells_capacity, (rows->rows + 1) * rows->stride,
                       sizeof *rows->cells))
        return crd_i_fail_memory(error);
    crd_i_cell *cells = rows->cells + rows->rows * rows->stride;
    *is_found = crd_i_slow_parse_split(&rows->copy, cells, rows->stride, &rows->widths[rows->rows], NULL) == CRD_OK;
    if (!*is_found) return CRD_OK;
    if (rows->rows == 0) rows->stride = rows->widths[0] + 1;
    rows->rows++;
    return CRD_OK;
}

crd_status crd_i_first_rows_read(crd_i_first_rows *rows, crd_i_slow_parse *records, size_t lines, crd_error *error) {
    size_t length;
    crd_i_slow_parse *copy = &rows->copy;
    rows->rows = rows->stride = 0;
    crd_status status = crd_i_first_rows_find_lines(records, lines, &length, error);
    if (status != CRD_OK) return status;
    if (!crd_i_reserve(copy->context, &copy->bytes, &copy->capacity, length + 1, 1)) return crd_i_fail_memory(error);
    memcpy(copy->bytes, records->bytes + records->start, length);
    crd_i_slow_parse_begin_held(copy, length, records);
    for (bool is_found = true; is_found && status == CRD_OK;) status = first_rows_add(rows, &is_found, error);
    return status;
}

bool crd_i_first_rows_are_even(const crd_i_first_rows *rows, size_t more) {
    for (size_t row = 1; row < rows->rows; row++)
        if (rows->widths[row] != rows->widths[0] + more) return false;
    return rows->rows > 1;
}

bool crd_i_first_rows_are_numbers(const crd_i_first_rows *rows, size_t field, const crd_i_missing *missing,
                                  char decimal) {
    size_t numbers = 0;
    for (size_t row = 1; row < rows->rows; row++) {
        double number;
        crd_text text = crd_i_first_rows_text(rows, row, field);
        if (crd_i_missing_has(missing, text, false)) continue;
        if (crd_i_decimal_parse(text, decimal, &number) == CRD_NUMBER_NONE) return false;
        numbers++;
    }
    return numbers > 0;
}
