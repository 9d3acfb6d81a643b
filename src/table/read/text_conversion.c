/* SPDX-License-Identifier: MIT */
/* text_conversion.c - cells that are documents. See reader_internal.h.
 *
 * Texts borrow the bytes of the chunk, so a document costs nothing until its terms are counted. Texts that mean
 * missing in other columns are words in a document: only an empty text is missing. Texts come from many sources, so
 * a text that is not valid UTF-8 does not make the table invalid: it is read as Windows-1252. */
#include "table/read/reader_internal.h"

#include "base/memory.h"
#include "base/utf8.h"

#include <string.h>

bool crd_i_worker_open_texts(crd_worker *worker, size_t index) {
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

void crd_i_worker_store_text(crd_worker *worker, size_t row, size_t index, crd_i_cell cell) {
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
    if (reader->takes_any_bytes || worker->batch != NULL) return CRD_OK;
    size_t bytes = 0;
    for (size_t i = 0; i < reader->column_count; i++)
        if (worker->columns[i].kind == CRD_KIND_TEXT) bytes += count_invalid(worker->columns[i].texts, worker->rows);
    worker->converted.length = 0;
    if (bytes == 0) return CRD_OK;
    if (crd_i_buffer_room(&worker->converted, bytes) == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < reader->column_count; i++)
        if (worker->columns[i].kind == CRD_KIND_TEXT)
            text_conversion_convert(worker->columns[i].texts, worker->rows, &worker->converted);
    return CRD_OK;
}
