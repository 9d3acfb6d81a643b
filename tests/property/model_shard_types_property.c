/* SPDX-License-Identifier: MIT */
/* Models of shards that were trained without a schema, each by what its own cells show, merge in any tree into the bytes of one run, or are
 * refused by a message that names the column and a schema as what helps; they never become another model. A group of processes reads
 * again where its parts differ, and is never refused. */
#include "collective_support.h"
#include "hostile_rows.h"
#include "sanitizer_support.h"

#include "base/context.h"

#include <unistd.h>

enum { ROUNDS = FEWER_IF_SANITIZED(600), MOST_SHARDS = 8 };

/* *out is NULL where that failed. */
static crd_status train(crd_context *context, const char *path, const crd_reader_options *options, crd_model **out,
                        crd_error *error) {
    crd_reader *reader;
    *out = NULL;
    memset(error, 0, sizeof *error);
    crd_status status = crd_reader_open(context, &path, 1, options, &reader, error);
    if (status != CRD_OK) return status;
    status = crd_reader_set_target(reader, HOSTILE_COLUMNS, error);
    if (status == CRD_OK) status = crd_reader_detect_column_formats(reader, 1, error);
    if (status == CRD_OK) status = crd_model_train(context, reader, NULL, out, NULL, error);
    crd_reader_close(reader);
    return status;
}

static void expect_refusal(const crd_error *error, uint64_t round) {
    const bool is_well = (error->status == CRD_ERROR_SCHEMA_DIFFERS || error->status == CRD_ERROR_NUMBER) &&
                         error->subject[0] != '\0' && strstr(error->hint, "schema=") != NULL;
    if (!is_well) print_message("round %llu: %s (%s)\n", (unsigned long long)round, error->message, error->hint);
    assert_true(is_well);
}

static bool have_same_bytes(model_bytes a, model_bytes b) {
    return a.length == b.length && memcmp(a.bytes, b.bytes, a.length) == 0;
}

/* Any two of them become one, sometimes by way of their bytes, until one is left; NULL: refused, and none is left. */
static crd_model *merge(crd_context *context, crd_model **models, size_t count, uint64_t round) {
    bool is_refused = false;
    crd_error error;
    for (; count > 1; count--) {
        size_t into = table_below(count), first = table_below(count - 1);
        if (first >= into) first++;
        const model_bytes before = bytes_of(models[into], context), bytes = bytes_of(models[first], context);
        if (!is_refused) {
            memset(&error, 0, sizeof error);
            is_refused = (table_below(2) == 0
                              ? crd_model_merge(models[into], models[first], &error)
                              : crd_model_merge_bytes(models[into], bytes.bytes, bytes.length, &error)) != CRD_OK;
            if (is_refused) {
                expect_refusal(&error, round);
                const model_bytes after = bytes_of(models[into], context);
                assert_true(have_same_bytes(before, after));
                free_bytes(after);
            }
        }
        free_bytes(before);
        free_bytes(bytes);
        crd_model_destroy(models[first]);
        models[first] = models[count - 1];
    }
    if (!is_refused) return models[0];
    crd_model_destroy(models[0]);
    return NULL;
}

typedef struct group_run {
    const char *path;
    crd_reader_options options;
    crd_status status; /* of one process, and what it made */
    model_bytes whole;
} group_run;

static bool train_in_group(crd_context *context, void *state) {
    const group_run *run = state;
    crd_reader_options options = run->options;
    crd_model *model;
    crd_error error;
    options.shard = context->processes.communicator.rank + 1;
    options.shard_count = context->processes.communicator.count;
    options.threads = 1;
    if (train(context, run->path, &options, &model, &error) != run->status) return false;
    if (model == NULL) return true;
    unsigned char *bytes;
    size_t length;
    return crd_model_encode(model, &bytes, &length, &error) == CRD_OK && length == run->whole.length &&
           memcmp(bytes, run->whole.bytes, length) == 0;
}

static void check_group(const char *path, const crd_reader_options *options, crd_status status, model_bytes whole,
                        uint64_t round) {
    group_run run = {path, *options, status, whole};
    const bool is_same = run_group((unsigned)(2 + table_below(3)), train_in_group, &run);
    if (!is_same) print_message("round %llu: a group of processes\n", (unsigned long long)round);
    assert_true(is_same);
}

/* How many rounds ended how. */
typedef struct kinds_outcomes {
    size_t merged, refused;
} kinds_outcomes;

static void check_round(crd_context *context, const char *path, uint64_t round, kinds_outcomes *outcomes) {
    static char content[HOSTILE_ROOM];
    static const size_t sizes[] = {1, 2, 5, 20, 60};
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    crd_model *whole, *parts[MOST_SHARDS];
    crd_error error;
    bool is_refused = false;
    table_random_state = round;
    draw_hostile_rows(content, PICK(sizes));
    write_rows(path, content);
    options.header = CRD_CHOICE_YES;
    if (table_below(6) == 0) options.decimal = ',';
    const crd_status status = train(context, path, &options, &whole, &error);
    model_bytes expected = {context, NULL, 0};
    if (status == CRD_OK) expected = bytes_of(whole, context);
    options.shard_count = (unsigned)(1 + table_below(MOST_SHARDS));
    size_t count = 0;
    for (options.shard = 1; !is_refused && options.shard <= options.shard_count; options.shard++) {
        options.threads = (unsigned)(1 + table_below(2));
        is_refused = train(context, path, &options, &parts[count], &error) != CRD_OK;
        if (!is_refused) count++;
        else if (status == CRD_OK) expect_refusal(&error, round);
    }
    if (is_refused)
        for (size_t i = 0; i < count; i++) crd_model_destroy(parts[i]);
    crd_model *merged = is_refused ? NULL : merge(context, parts, count, round);
    outcomes->refused += merged == NULL && status == CRD_OK;
    /* A table without a row that has a target is no failure of its shards. */
    if (merged != NULL && status == CRD_OK) {
        const model_bytes bytes = bytes_of(merged, context);
        const bool is_same = have_same_bytes(bytes, expected);
        if (!is_same) print_message("round %llu: other bytes of\n%s", (unsigned long long)round, content);
        assert_true(is_same);
        free_bytes(bytes);
        outcomes->merged++;
    }
    crd_model_destroy(merged);
    if (round % 4 == 0) check_group(path, &options, status, expected, round);
    if (status == CRD_OK) free_bytes(expected);
    crd_model_destroy(whole);
}

static void shards_merge_into_the_whole_or_are_refused(void **state) {
    (void)state;
    crd_context *context;
    kinds_outcomes outcomes = {0, 0};
    char folder[] = "/tmp/credence-kinds-XXXXXX", path[64];
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/rows.csv", folder);
    for (uint64_t round = 0; round < ROUNDS; round++) check_round(context, path, round, &outcomes);
    print_message("%zu merged, %zu refused\n", outcomes.merged, outcomes.refused);
    assert_true(outcomes.merged > ROUNDS / 2 && outcomes.refused > 0);
    unlink(path);
    rmdir(folder);
    crd_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(shards_merge_into_the_whole_or_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
