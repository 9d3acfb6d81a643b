/* SPDX-License-Identifier: MIT */
/* text_conversion.c - cells that are documents. See reader_internal.h.
 *
 * Texts borrow the bytes of the chunk, so that a document costs nothing until its terms are counted. The texts that mean missing
 * in other columns are words of a document: only an empty text is missing. Texts come from many hands, and one that is not UTF-8 is no
 * reason to refuse a table: it is taken for Windows-1252. */
#include "table/read/reader_internal.h"

#include "base/memory.h"
#include "base/utf8.h"

#include <string.h>

bool crd_i_worker_open_texts(crd_worker *lane, size_t index) {
    crd_i_worker_column *column = &lane->columns[index];
    if (!crd_i_reserve(lane->reader->context, &column->texts, &column->texts_capacity, lane->rows,
                       sizeof *column->texts))
        return false;
    size_t field = lane->entry->fields[index];
    crd_text left_out = {NULL, 0};
    if (field != SIZE_MAX && crd_i_file_header_left_out(&lane->entry->heading, field).form == CRD_I_CELL_DEFAULT)
        left_out = crd_i_file_header_default(&lane->entry->heading, field);
    for (size_t row = 0; row < lane->rows; row++) column->texts[row] = left_out;
    return true;
}

void crd_i_worker_store_text(crd_worker *lane, size_t row, size_t index, crd_i_cell cell) {
    static const crd_text none = {NULL, 0};
    crd_text text = cell.form == CRD_I_CELL_MISSING ? none : crd_i_worker_cell_text(lane, cell);
    lane->columns[index].texts[row] = text.length > 0 ? text : none;
}

/* The bytes that the texts of a column need which are not UTF-8, at most. */
static size_t count_invalid(const crd_text *texts, size_t rows) {
    size_t bytes = 0;
    for (size_t row = 0; row < rows; row++)
        if (!crd_i_utf8_is_valid(texts[row])) bytes += texts[row].length * CRD_I_ENCODING_WESTERN_GROWTH;
    return bytes;
}

/* Into memory that has room for all of them. */
static void convert(crd_text *texts, size_t rows, crd_i_buffer *to) {
    for (size_t row = 0; row < rows; row++) {
        if (crd_i_utf8_is_valid(texts[row])) continue;
        char *begin = (char *)to->bytes + to->length;
        texts[row].length = crd_i_encoding_read_western(texts[row], begin);
        texts[row].bytes = begin;
        to->length += texts[row].length;
    }
}

crd_status crd_i_worker_make_texts_valid(crd_worker *lane, crd_error *error) {
    const crd_reader *reader = lane->reader;
    if (reader->takes_any_bytes || lane->batch != NULL) return CRD_OK;
    size_t bytes = 0;
    for (size_t i = 0; i < reader->column_count; i++)
        if (lane->columns[i].kind == CRD_KIND_TEXT) bytes += count_invalid(lane->columns[i].texts, lane->rows);
    lane->converted.length = 0;
    if (bytes == 0) return CRD_OK;
    if (crd_i_buffer_room(&lane->converted, bytes) == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < reader->column_count; i++)
        if (lane->columns[i].kind == CRD_KIND_TEXT) convert(lane->columns[i].texts, lane->rows, &lane->converted);
    return CRD_OK;
}
