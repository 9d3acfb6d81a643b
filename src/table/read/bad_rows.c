/* SPDX-License-Identifier: MIT */
/* bad_rows.c - rows that are at fault and left out, where a caller takes them (bad_row of crd_reader_options).
 *
 * A worker sets aside what is wrong with the rows of its chunk, and tells of them when it is the chunk's turn, so that they
 * come in the order of the file whatever the number of threads. Whether a row is at fault depends on the row alone, and on
 * what was declared: a cell that is guessed to be a number turns its column over, as it does in any other row. */
#include "table/read/reader_internal.h"

#include "base/collective.h"
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

/* For process 0 of a group: the fault, how long the row is, and its bytes. */
static bool keep_for_others(crd_reader *reader, const crd_error *fault, crd_text row) {
    return crd_i_buffer_append(&reader->shared_bad, fault, sizeof *fault) &&
           crd_i_buffer_append(&reader->shared_bad, &row.length, sizeof row.length) &&
           crd_i_buffer_append(&reader->shared_bad, row.bytes, row.length);
}

/* CRD_OK, or what to fail with: the fault of the last row if no more may be skipped. */
static crd_status report_kept(const crd_reader_options *options, crd_i_received from, crd_error *error) {
    while (from.length > 0) {
        crd_error fault;
        crd_text row = {NULL, 0};
        if (!crd_i_received_take(&from, &fault, sizeof fault) ||
            !crd_i_received_take(&from, &row.length, sizeof row.length))
            return crd_i_fail_received(error);
        row.bytes = (const char *)crd_i_received_pass(&from, row.length);
        if (row.bytes == NULL || fault.status == CRD_OK) return crd_i_fail_received(error);
        fault.message[sizeof fault.message - 1] = fault.place[sizeof fault.place - 1] = '\0';
        fault.hint[sizeof fault.hint - 1] = '\0';
        if (options->bad_row(options->bad_row_user, &fault, row)) continue;
        *error = fault;
        return fault.status;
    }
    return CRD_OK;
}

crd_status crd_i_bad_rows_share(crd_reader *reader, crd_error *error) {
    crd_context *context = reader->context;
    crd_i_gathered parts;
    if (!reader->is_pass_shared || !crd_i_reader_skips(reader)) return CRD_OK;
    crd_status status =
        crd_i_gather(context, CRD_OK, reader->shared_bad.bytes, reader->shared_bad.length, &parts, error);
    if (status != CRD_OK) return status;
    for (unsigned rank = 0; crd_i_process_rank(context) == 0 && rank < crd_i_process_count(context); rank++)
        if (status == CRD_OK)
            status = report_kept(&reader->options, (crd_i_received){parts.bytes[rank], parts.lengths[rank]}, error);
    crd_i_gathered_clear(&parts);
    crd_i_buffer_clear(&reader->shared_bad);
    return crd_i_agree(context, status, error);
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
        if (lane->reader->is_pass_shared) {
            if (!keep_for_others(lane->reader, error, (crd_text){texts + row->text, row->length})) {
                (void)crd_i_fail_memory(error);
                return false;
            }
            continue;
        }
        if (!options->bad_row(options->bad_row_user, error, (crd_text){texts + row->text, row->length})) return false;
    }
    crd_i_bad_rows_clear(lane);
    return true;
}

void crd_i_bad_rows_clear(crd_worker *lane) {
    lane->bad_count = lane->bad_used = 0;
}

void crd_i_bad_rows_restart(crd_reader *reader) {
    const crd_text none = {"", 0};
    reader->shared_bad.length = 0;
    if (crd_i_reader_skips(reader)) (void)reader->options.bad_row(reader->options.bad_row_user, NULL, none);
}
