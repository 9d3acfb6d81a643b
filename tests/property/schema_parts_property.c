/* SPDX-License-Identifier: MIT */
/* The schemas of the parts of random files, of any split and merged in any tree, are the schema of the whole to the byte: kinds,
 * forms, decimal marks and values. An infinite number is an error of the whole, once all parts are known. */
#include "hostile_rows.h"
#include "io/public_schema.h"
#include "sanitizer_support.h"

#include <credence/schema.h>

#include <unistd.h>

enum { ROUNDS = FEWER_IF_SANITIZED(500), MOST_SHARDS = 9 };

static crd_status read_schema(crd_context *context, const char *path, const crd_reader_options *options,
                              int with_values, crd_schema **out, crd_error *error) {
    crd_reader *reader;
    *out = NULL;
    crd_status status = crd_reader_open(context, &path, 1, options, &reader, error);
    if (status != CRD_OK) return status;
    status = crd_reader_set_target(reader, HOSTILE_COLUMNS, error);
    if (status == CRD_OK) status = crd_reader_detect_column_formats(reader, 1, error);
    if (status == CRD_OK) status = crd_schema_from_rows(reader, with_values, out, error);
    crd_reader_close(reader);
    return status;
}

/* As its file has it, read back. */
static crd_schema *write_and_read(crd_context *context, crd_schema *schema) {
    char *text;
    size_t length;
    crd_schema *again;
    crd_error error;
    assert_done(crd_schema_encode(schema, &text, &length, &error), error);
    assert_done(crd_schema_decode(context, text, length, &again, &error), error);
    assert_int_equal(crd_i_schema_is_part(again), crd_i_schema_is_part(schema));
    crd_free(context, text);
    crd_schema_destroy(schema);
    return again;
}

static crd_schema *merge(crd_context *context, crd_schema **schemas, size_t count) {
    crd_error error;
    for (; count > 1; count--) {
        size_t into = table_below(count), source = table_below(count - 1);
        if (source >= into) source++;
        assert_done(crd_schema_merge(schemas[into], schemas[source], &error), error);
        if (table_below(2) == 0) schemas[into] = write_and_read(context, schemas[into]);
        crd_schema_destroy(schemas[source]);
        schemas[source] = schemas[count - 1];
    }
    return schemas[0];
}

static void expect_same(crd_context *context, const crd_schema *a, const crd_schema *b, uint64_t round) {
    char *mine, *theirs;
    size_t length, other;
    crd_error error;
    assert_done(crd_schema_encode(a, &mine, &length, &error), error);
    assert_done(crd_schema_encode(b, &theirs, &other, &error), error);
    bool is_same = length == other && memcmp(mine, theirs, length) == 0;
    if (!is_same)
        print_message("round %llu:\n%.*s%.*s", (unsigned long long)round, (int)length, mine, (int)other, theirs);
    assert_true(is_same);
    crd_free(context, mine);
    crd_free(context, theirs);
}

static void parts_merge_into_the_whole(void **state) {
    (void)state;
    static char content[HOSTILE_ROOM];
    static const size_t sizes[] = {0, 1, 2, 20, 60};
    crd_context *context;
    char folder[] = "/tmp/credence-schemas-XXXXXX", name[64];
    const char *path = name;
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    assert_non_null(mkdtemp(folder));
    snprintf(name, sizeof name, "%s/rows.csv", folder);
    for (uint64_t round = 0; round < ROUNDS; round++) {
        table_random_state = round;
        crd_reader_options options = CRD_READER_OPTIONS_INIT;
        crd_schema *parts[MOST_SHARDS], *whole;
        crd_error error;
        const int with_values = table_below(2) == 0;
        options.header = CRD_CHOICE_YES;
        draw_hostile_rows(content, PICK(sizes));
        write_rows(path, content);
        if (table_below(6) == 0) options.decimal = ',';
        const crd_status status = read_schema(context, path, &options, with_values, &whole, &error);
        assert_true(status == CRD_OK ? !crd_i_schema_is_part(whole) : status == CRD_ERROR_NUMBER);
        options.shard_count = (unsigned)(1 + table_below(MOST_SHARDS));
        for (options.shard = 1; options.shard <= options.shard_count; options.shard++) {
            options.threads = (unsigned)(1 + table_below(2));
            crd_schema **part = &parts[options.shard - 1];
            assert_done(read_schema(context, path, &options, with_values, part, &error), error);
            assert_true(crd_i_schema_is_part(*part));
            *part = write_and_read(context, *part);
        }
        crd_schema *merged = merge(context, parts, options.shard_count);
        assert_int_equal(crd_schema_complete(merged, &error), status);
        if (status == CRD_OK) expect_same(context, whole, merged, round);
        crd_schema_destroy(merged);
        crd_schema_destroy(whole);
    }
    unlink(path);
    rmdir(folder);
    crd_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(parts_merge_into_the_whole)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
