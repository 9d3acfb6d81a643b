/* SPDX-License-Identifier: MIT */
/* Each allocation of reading the schemas of two parts, of writing, reading and merging them, and of reading the whole table behind a part,
 * fails in turn: an error every time, and no leak. */
#include "io/public_schema.h"
#include "model_support.h"

#include <credence/schema.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char ROWS[] = "n,d,a,b,y\n1,2024-02-29,\"1,5\",TRUE,u\n2,2024-03-01,\"2,5\",true,v\n"
                           "x,none,\"$3,5\",maybe,u\n4.5,word,7,FALSE,w\n";

static crd_status open_part(crd_context *context, const char *path, unsigned part, crd_reader **out, crd_error *error) {
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    options.threads = 1;
    options.shard = part;
    options.shard_count = 2;
    return crd_reader_open(context, &path, 1, &options, out, error);
}

static crd_status read_part(crd_context *context, const char *path, unsigned part, crd_schema **out, crd_error *error) {
    crd_reader *reader;
    crd_status status = open_part(context, path, part, &reader, error);
    if (status != CRD_OK) return status;
    status = crd_reader_set_target(reader, 4, error);
    if (status == CRD_OK) status = crd_reader_detect_column_formats(reader, 1, error);
    if (status == CRD_OK) status = crd_schema_from_rows(reader, 1, out, error);
    crd_reader_close(reader);
    return status;
}

static crd_status merge_parts(crd_context *context, const char *path, crd_error *error) {
    crd_schema *parts[2] = {NULL, NULL}, *again = NULL;
    char *text = NULL;
    size_t length = 0;
    crd_status status = read_part(context, path, 1, &parts[0], error);
    if (status == CRD_OK) status = read_part(context, path, 2, &parts[1], error);
    if (status == CRD_OK) status = crd_schema_encode(parts[1], &text, &length, error);
    if (status == CRD_OK) status = crd_schema_decode(context, text, length, &again, error);
    if (status == CRD_OK) status = crd_schema_merge(parts[0], again, error);
    if (status == CRD_OK) {
        assert_true(crd_i_schema_is_part(parts[0]));
        assert_int_equal(crd_schema_complete(parts[0], error), CRD_OK);
        assert_false(crd_i_schema_is_part(parts[0]));
        assert_int_equal(crd_schema_column_type(parts[0], 0), CRD_TYPE_CATEGORICAL);
        assert_int_equal(crd_schema_value_count(parts[0], 0), 4);
    }
    crd_free(context, text);
    crd_schema_destroy(parts[0]);
    crd_schema_destroy(parts[1]);
    crd_schema_destroy(again);
    return status;
}

static crd_status count_rows(crd_reader *reader, size_t *rows, crd_error *error) {
    const crd_frame *frame = NULL;
    crd_status status;
    *rows = 0;
    do {
        status = crd_reader_next(reader, &frame, error);
        if (status == CRD_OK && frame != NULL) *rows += crd_frame_rows(frame);
    } while (status == CRD_OK && frame != NULL);
    return status;
}

/* A part of the rows, and then all of them, as a process alone reads them. */
static crd_status read_whole(crd_context *context, const char *path, crd_error *error) {
    crd_reader *reader;
    size_t part = 0, all = 0;
    crd_status status = open_part(context, path, 1, &reader, error);
    if (status != CRD_OK) return status;
    status = count_rows(reader, &part, error);
    crd_context_leave_group(context);
    if (status == CRD_OK) status = crd_reader_begin_whole(reader, error);
    if (status == CRD_OK) status = count_rows(reader, &all, error);
    if (status == CRD_OK) assert_true(part < all && all == 4);
    crd_reader_close(reader);
    return status;
}

static void fail_each(crd_status (*work)(crd_context *context, const char *path, crd_error *error)) {
    char path[] = "/tmp/credence-parts-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, ROWS, sizeof ROWS - 1), (int)(sizeof ROWS - 1));
    close(file);
    for (allocation_trial trial = {0}; allocation_trial_next(&trial);) {
        crd_error error = {0};
        assert_allocation_fails(&trial, work(trial.context, path, &error), CRD_OK, error);
    }
    unlink(path);
}

static void every_allocation_of_parts(void **state) {
    (void)state;
    fail_each(merge_parts);
}

static void every_allocation_of_the_whole(void **state) {
    (void)state;
    fail_each(read_whole);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_of_parts),
                                       cmocka_unit_test(every_allocation_of_the_whole)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
