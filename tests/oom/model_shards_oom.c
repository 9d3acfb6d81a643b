/* SPDX-License-Identifier: MIT */
/* Each allocation of training two shards without a schema, of writing, reading and merging them fails in turn: an error every time, and no
 * leak. */
#include "model_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char ROWS[] = "n,d,a,b,y\n1,2024-02-29,\"1,5\",true,u\n2,2024-03-01,\"2,5\",true,v\n"
                           "none,2024-03-02,\"3,5\",false,u\n4.5,2024-03-03,\"7,5\",false,w\n";

static crd_status train_shard(crd_context *context, const char *path, unsigned shard, crd_model **out,
                              crd_error *error) {
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    crd_reader *reader;
    options.threads = 1;
    options.shard = shard;
    options.shard_count = 2;
    crd_status status = crd_reader_open(context, &path, 1, &options, &reader, error);
    if (status != CRD_OK) return status;
    status = crd_reader_set_target(reader, 4, error);
    if (status == CRD_OK) status = crd_reader_detect_column_formats(reader, 1, error);
    if (status == CRD_OK) status = crd_model_train(context, reader, NULL, out, NULL, error);
    crd_reader_close(reader);
    return status;
}

static crd_status merge_shards(crd_context *context, const char *path, crd_error *error) {
    crd_model *shards[2] = {NULL, NULL};
    unsigned char *bytes = NULL;
    size_t length = 0;
    crd_status status = train_shard(context, path, 1, &shards[0], error);
    if (status == CRD_OK) status = train_shard(context, path, 2, &shards[1], error);
    if (status == CRD_OK) status = crd_model_encode(shards[1], &bytes, &length, error);
    if (status == CRD_OK) status = crd_model_merge_bytes(shards[0], bytes, length, error);
    crd_free(context, bytes);
    crd_model_destroy(shards[0]);
    crd_model_destroy(shards[1]);
    return status;
}

static void every_allocation(void **state) {
    (void)state;
    char path[] = "/tmp/credence-shards-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, ROWS, sizeof ROWS - 1), (int)(sizeof ROWS - 1));
    close(file);
    for (allocation_trial trial = {0}; allocation_trial_next(&trial);) {
        crd_error error = {0};
        assert_allocation_fails(&trial, merge_shards(trial.context, path, &error), CRD_OK, error);
    }
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
