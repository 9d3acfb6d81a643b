/* SPDX-License-Identifier: MIT */
/* Models of shards that were trained without a schema remember which they are until all are merged: none is counted twice, none is
 * mixed with other rows, and what they remember survives their files. */
#include "model_support.h"

#include "base/memory.h"
#include "model/model_internal.h"

#include <stdio.h>
#include <unistd.h>

static const char ROWS[] = "n,d,a,t,y\n1,2024-02-29,$1.50,yes,u\n2,2024-03-01,$2,no,v\n"
                           "3,2024-03-02,$3,no,u\n4.5,2024-03-03,$7,yes,v\n";

static crd_context *context;
static char path[] = "/tmp/credence-shards-XXXXXX";

static int setup(void **state) {
    (void)state;
    const int file = mkstemp(path);
    if (file < 0 || write(file, ROWS, sizeof ROWS - 1) != (ssize_t)(sizeof ROWS - 1)) return -1;
    close(file);
    return crd_context_create(NULL, &context) == CRD_OK ? 0 : -1;
}

static int teardown(void **state) {
    (void)state;
    unlink(path);
    crd_context_destroy(context);
    return 0;
}

/* Shard 0 of 0: all rows. */
static crd_model *train_shard(unsigned shard, unsigned count) {
    const char *const paths[] = {path};
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    crd_reader *reader;
    crd_model *model;
    crd_error error;
    options.shard = shard;
    options.shard_count = count;
    assert_done(crd_reader_open(context, paths, 1, &options, &reader, &error), error);
    assert_done(crd_reader_set_target(reader, 4, &error), error);
    assert_done(crd_reader_detect_column_formats(reader, 1, &error), error);
    assert_done(crd_model_train(context, reader, NULL, &model, NULL, &error), error);
    crd_reader_close(reader);
    return model;
}

static void assert_same_models(const crd_model *a, const crd_model *b) {
    const model_bytes one = bytes_of(a, context), other = bytes_of(b, context);
    assert_same_bytes(one, other);
    free_bytes(one);
    free_bytes(other);
}

static crd_model *decoded(const crd_model *model) {
    crd_model *again;
    crd_error error;
    const model_bytes bytes = bytes_of(model, context);
    assert_done(crd_model_decode(context, bytes.bytes, bytes.length, &again, &error), error);
    free_bytes(bytes);
    return again;
}

static void test_remembered_until_all_are_there(void **state) {
    (void)state;
    crd_error error;
    crd_model *whole = train_shard(0, 0), *alone = train_shard(1, 1), *one = train_shard(1, 3),
              *two = train_shard(2, 3), *three = train_shard(3, 3);
    assert_null(whole->shards);
    assert_same_models(whole, alone);
    assert_non_null(one->shards);
    crd_model *sum = decoded(three);
    assert_same_models(sum, three);
    assert_done(crd_model_merge(sum, one, &error), error);
    assert_non_null(sum->shards);
    crd_model *again = decoded(sum);
    assert_same_models(sum, again);
    assert_done(crd_model_merge(again, two, &error), error);
    assert_null(again->shards);
    assert_same_models(again, whole);
    /* One of them can be taken out of all. */
    assert_done(crd_model_retract(again, two, &error), error);
    assert_null(again->shards);
    crd_model *const models[] = {whole, alone, one, two, three, sum, again};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) crd_model_destroy(models[i]);
}

static void test_refused(void **state) {
    (void)state;
    crd_error error;
    crd_model *whole = train_shard(0, 0), *one = train_shard(1, 3), *two = train_shard(2, 3), *half = train_shard(1, 2);
    crd_model *both = decoded(one);
    assert_done(crd_model_merge(both, two, &error), error);
    const model_bytes before = bytes_of(both, context);
    assert_int_equal(crd_model_merge(both, one, &error), CRD_ERROR_DUPLICATE);
    assert_string_equal(error.message, "the model contains shard 1 of 3 already");
    assert_int_equal(crd_model_merge(both, both, &error), CRD_ERROR_DUPLICATE);
    assert_int_equal(crd_model_merge(two, both, &error), CRD_ERROR_OVERLAP);
    assert_int_equal(crd_model_merge(both, half, &error), CRD_ERROR_SCHEMA_DIFFERS);
    assert_int_equal(crd_model_merge(both, whole, &error), CRD_ERROR_SCHEMA_DIFFERS);
    assert_int_equal(crd_model_merge(whole, both, &error), CRD_ERROR_SCHEMA_DIFFERS);
    assert_non_null(strstr(error.hint, "schema=FILE"));
    assert_int_equal(crd_model_retract(both, one, &error), CRD_ERROR_SCHEMA_DIFFERS);
    const model_bytes after = bytes_of(both, context);
    assert_same_bytes(before, after);
    free_bytes(before);
    free_bytes(after);
    crd_model *const models[] = {whole, one, two, half, both};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) crd_model_destroy(models[i]);
}

/* Whatever bytes are taken for a list of shards are those that a copy of it is written as. */
static void test_hostile_bytes(void **state) {
    (void)state;
    crd_error error;
    crd_model *model = train_shard(2, 70);
    crd_i_encoder encoder = {.buffer = {.context = context}};
    crd_i_shards_write(model->shards, &encoder);
    assert_false(encoder.failed);
    unsigned char *bytes = encoder.buffer.bytes;
    const size_t length = encoder.buffer.length;
    size_t taken = 0;
    for (size_t index = 0; index < length; index++) {
        const unsigned char kept = bytes[index];
        for (unsigned value = 0; value < 256; value++) {
            bytes[index] = (unsigned char)value;
            crd_i_cursor cursor = {bytes, bytes + length, false};
            crd_i_shards *shards;
            const crd_status status = crd_i_shards_read(context, &cursor, &shards, &error);
            assert_true(status == CRD_OK || status == CRD_ERROR_DAMAGED);
            if (status != CRD_OK) continue;
            crd_i_encoder again = {.buffer = {.context = context}};
            crd_i_shards *copy;
            assert_done(crd_i_shards_clone(shards, &copy, &error), error);
            crd_i_shards_write(copy, &again);
            crd_i_shards_destroy(copy);
            assert_int_equal(again.buffer.length, (size_t)(cursor.at - bytes));
            assert_memory_equal(again.buffer.bytes, bytes, again.buffer.length);
            crd_i_buffer_clear(&again.buffer);
            crd_i_shards_destroy(shards);
            taken++;
        }
        bytes[index] = kept;
        crd_i_cursor cut = {bytes, bytes + index, false};
        crd_i_shards *none;
        assert_int_equal(crd_i_shards_read(context, &cut, &none, &error), CRD_ERROR_DAMAGED);
        assert_null(none);
    }
    assert_true(taken > length);
    crd_i_buffer_clear(&encoder.buffer);
    crd_model_destroy(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_remembered_until_all_are_there),
                                       cmocka_unit_test(test_refused), cmocka_unit_test(test_hostile_bytes)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
