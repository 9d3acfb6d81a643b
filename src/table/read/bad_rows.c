/* SPDX-License-Identifier: MIT */
/* bad_rows.c - invalid rows, which are skipped if the caller accepts them (bad_row of crd_reader_options).
 *
 * A worker stores the errors of its chunk's rows and reports them when it is the chunk's turn. Therefore errors come
 * in file order for any number of threads. Whether a row is invalid depends only on the row and on declarations. A
 * cell that contradicts a guessed numeric type is not an error: it makes its column categorical, as in any other
 * row. */
#include "table/read/reader_internal.h"

#include "base/error.h"
#include "base/memory.h"
#include "processes/group.h"

#include <string.h>

bool crd_i_bad_rows_remember(crd_worker *worker) {
    const crd_i_slow_parse *records = &worker->records;
    worker->bad_texts.length = worker->bad_used;
    return crd_i_buffer_append(&worker->bad_texts, records->bytes + records->start, records->length);
}

/* Returns whether an error concerns only its row. */
static bool is_of_row(crd_status status) {
    return status == CRD_ERROR_SYNTAX || status == CRD_ERROR_NUMBER || status == CRD_ERROR_WEIGHT;
}

crd_status crd_i_bad_rows_add(crd_worker *worker, crd_status status, crd_error *error) {
    if (!crd_i_reader_skips(worker->reader) || !is_of_row(status)) return status;
    crd_i_bad_row row = {.status = status, .line = error->line, .field = error->field};
    row.text = worker->bad_used;
    row.length = worker->bad_texts.length - row.text;
    row.message = worker->bad_texts.length;
    if (!crd_i_buffer_append(&worker->bad_texts, error->message, strlen(error->message) + 1) ||
        !crd_i_reserve(worker->reader->context, &worker->bad, &worker->bad_capacity, worker->bad_count + 1,
                       sizeof *worker->bad))
        return crd_i_fail_memory(error);
    worker->bad[worker->bad_count++] = row;
    worker->bad_used = worker->bad_texts.length;
    return CRD_OK;
}

/* Stores a skipped row for process 0 of a group: the error, the length of the row, and its bytes. */
static bool keep_for_others(crd_reader *reader, const crd_error *fault, crd_text row) {
    return crd_i_buffer_append(&reader->pass.shared_bad, fault, sizeof *fault) &&
           crd_i_buffer_append(&reader->pass.shared_bad, &row.length, sizeof row.length) &&
           crd_i_buffer_append(&reader->pass.shared_bad, row.bytes, row.length);
}

static crd_status encode_kept(void *object, crd_i_encoder *encoder, crd_error *error) {
    const crd_reader *reader = object;
    (void)error;
    crd_i_encode_bytes(encoder, reader->pass.shared_bad.bytes, reader->pass.shared_bad.length);
    return CRD_OK;
}

/* Reports stored rows. Returns CRD_OK, or the error of the last row if no more rows may be skipped. */
static crd_status report_kept(void *object, unsigned rank, crd_i_cursor *part, crd_error *error) {
    const crd_reader_options *options = &((const crd_reader *)object)->options;
    (void)rank;
    while (crd_i_cursor_left(part) > 0) {
        crd_error fault;
        crd_text row;
        crd_i_decode_bytes(part, &fault, sizeof fault);
        crd_i_decode_bytes(part, &row.length, sizeof row.length);
        row.bytes = (const char *)crd_i_decode_part(part, row.length).at;
        if (part->failed || fault.status == CRD_OK) return crd_i_fail_received(error);
        fault.message[sizeof fault.message - 1] = fault.place[sizeof fault.place - 1] = '\0';
        fault.hint[sizeof fault.hint - 1] = '\0';
        if (options->bad_row(options->bad_row_user, &fault, row)) continue;
        *error = fault;
        return fault.status;
    }
    return CRD_OK;
}

crd_status crd_i_bad_rows_share(crd_reader *reader, crd_error *error) {
    static const crd_i_merging reporting = {encode_kept, report_kept};
    if (!reader->pass.is_shared || !crd_i_reader_skips(reader)) return CRD_OK;
    const crd_status status = crd_i_group_merge_first(crd_i_reader_group(reader), &reporting, reader, error);
    if (status == CRD_OK) crd_i_buffer_clear(&reader->pass.shared_bad);
    return status;
}

bool crd_i_bad_rows_report(crd_worker *worker, void (*place)(const crd_worker *worker, crd_error *error),
                           crd_error *error) {
    const crd_reader_options *options = &worker->reader->options;
    for (size_t i = 0; i < worker->bad_count; i++) {
        const crd_i_bad_row *row = &worker->bad[i];
        const char *texts = (const char *)worker->bad_texts.bytes;
        crd_i_fail(error, row->status, "%s", texts + row->message);
        crd_i_error_place(error, NULL, row->line, row->field);
        place(worker, error);
        if (worker->reader->pass.is_shared) {
            if (!keep_for_others(worker->reader, error, (crd_text){texts + row->text, row->length})) {
                (void)crd_i_fail_memory(error);
                return false;
            }
            continue;
        }
        if (!options->bad_row(options->bad_row_user, error, (crd_text){texts + row->text, row->length})) return false;
    }
    crd_i_bad_rows_clear(worker);
    return true;
}

void crd_i_bad_rows_clear(crd_worker *worker) {
    worker->bad_count = worker->bad_used = 0;
}

void crd_i_bad_rows_restart(crd_reader *reader) {
    const crd_text none = {"", 0};
    reader->pass.shared_bad.length = 0;
    if (crd_i_reader_skips(reader)) (void)reader->options.bad_row(reader->options.bad_row_user, NULL, none);
}
