/* SPDX-License-Identifier: MIT */
/* bad_rows.c - rows that are at fault and left out, where a caller takes them (bad_row of crd_reader_options).
 *
 * A worker sets aside what is wrong with the rows of its chunk, and tells of them when it is the chunk's turn, so that they
 * come in the order of the file whatever the number of threads. Whether a row is at fault depends on the row alone, and on
 * what was declared: a cell that is guessed to be a number turns its column over, as it does in any other row. */
#include "table/read/reader_internal.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

bool crd_i_bad_rows_remember(crd_worker *lane) {
    const crd_i_slow_parse *records = &lane->records;
    lane->bad_texts.length = lane->bad_used;
    return crd_i_buffer_append(&lane->bad_texts, records->bytes + records->start, records->length);
}

/* What concerns the row alone. */
static bool is_of_row(crd_status status) {
    return status == CRD_ERROR_SYNTAX || status == CRD_ERROR_NUMBER || status == CRD_ERROR_WEIGHT;
}

crd_status crd_i_bad_rows_add(crd_worker *lane, crd_status status, crd_error *error) {
    if (!crd_i_reader_skips(lane->reader) || !is_of_row(status)) return status;
    crd_i_bad_row row = {.status = status, .line = error->line, .field = error->field};
    row.text = lane->bad_used;
    row.length = lane->bad_texts.length - row.text;
    row.message = lane->bad_texts.length;
    if (!crd_i_buffer_append(&lane->bad_texts, error->message, strlen(error->message) + 1) ||
        !crd_i_reserve(lane->reader->context, &lane->bad, &lane->bad_capacity, lane->bad_count + 1, sizeof *lane->bad))
        return crd_i_fail_memory(error);
    lane->bad[lane->bad_count++] = row;
    lane->bad_used = lane->bad_texts.length;
    return CRD_OK;
}

bool crd_i_bad_rows_report(crd_worker *lane, void (*place)(const crd_worker *lane, crd_error *error),
                           crd_error *error) {
    const crd_reader_options *options = &lane->reader->options;
    for (size_t i = 0; i < lane->bad_count; i++) {
        const crd_i_bad_row *row = &lane->bad[i];
        const char *texts = (const char *)lane->bad_texts.bytes;
        crd_i_fail(error, row->status, "%s", texts + row->message);
        crd_i_error_place(error, NULL, row->line, row->field);
        place(lane, error);
        if (!options->bad_row(options->bad_row_user, error, (crd_text){texts + row->text, row->length})) return false;
    }
    crd_i_bad_rows_clear(lane);
    return true;
}

void crd_i_bad_rows_clear(crd_worker *lane) {
    lane->bad_count = lane->bad_used = 0;
}

void crd_i_bad_rows_restart(const crd_reader *reader) {
    const crd_text none = {"", 0};
    if (crd_i_reader_skips(reader)) (void)reader->options.bad_row(reader->options.bad_row_user, NULL, none);
}
