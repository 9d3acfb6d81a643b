/* SPDX-License-Identifier: MIT */
/* Every row is in exactly one shard: the shards of random files, plain and compressed, with quotes that hold line ends
 * and without, merge in any tree into the bytes of one run. */
#include "random_table.h"
#include "sanitizer_support.h"

#include <stdio.h>
#include <unistd.h>
#include <zlib.h>

enum { ROUNDS = FEWER_IF_SANITIZED(400), MOST_FILES = 4, MOST_SHARDS = 17, ROOM = 1 << 16 };

typedef struct text {
    char bytes[ROOM];
    size_t length;
} text;

static void add(text *destination, const char *more) {
    size_t length = strlen(more);
    assert_true(destination->length + length < ROOM);
    memcpy(destination->bytes + destination->length, more, length);
    destination->length += length;
}

#define PICK(list) (list)[table_below(sizeof(list) / sizeof *(list))]

/* A table of a text, a number and a class; `quotes` in ten texts are quoted, and most of these hold what ends rows and
 * cells elsewhere. */
static void draw_file(text *target_text, size_t quotes) {
    static const char *const plain[] = {"a", "b", "zeta", "5\" pipe", "x y", "", "?", " c "};
    static const char *const quoted[] = {"\"two\nlines\"", "\"a,b\"", "\"\"\"\"",   "\"\n\"",         "\"\"\"\n\"\"\"",
                                         "\"x\r\ny\"",     "\"p\"",   " \"q,\n\" ", "\"1,2,u\n3,4\"", "\"\n\n\n\""};
    static const char *const numbers[] = {"1",     "2.5",  "-3e9",          "1e-9",     "NA",
                                          "\"7\"", "\"\"", "123456789.125", "-1.7e308", "1.7976931348623157e308"};
    static const char *const classes[] = {"u", "v", "w", ""};
    static const size_t sizes[] = {0, 1, 2, 10, 100, 500};
    const char *end = table_below(3) == 0 ? "\r\n" : "\n";
    size_t rows = PICK(sizes);
    target_text->length = 0;
    if (table_below(4) == 0) add(target_text, "\xEF\xBB\xBF");
    add(target_text, "text,number,class");
    add(target_text, end);
    for (size_t row = 0; row < rows; row++) {
        add(target_text, table_below(10) < quotes ? PICK(quoted) : PICK(plain));
        add(target_text, ",");
        add(target_text, PICK(numbers));
        add(target_text, ",");
        add(target_text, PICK(classes));
        if (row + 1 < rows || table_below(3) > 0) add(target_text, end);
        if (table_below(20) == 0) add(target_text, "\n");
    }
}

static void write_file(const char *path, const text *content, bool is_compressed) {
    gzFile file = gzopen(path, is_compressed ? "wb" : "wbT");
    assert_non_null(file);
    assert_int_equal(gzwrite(file, content->bytes, (unsigned)content->length), (int)content->length);
    assert_int_equal(gzclose(file), Z_OK);
}

static crd_model *train(crd_context *context, const char *const *paths, size_t count, const crd_reader_options *options,
                        uint64_t *rows) {
    crd_reader *reader;
    crd_model *model;
    crd_error error;
    crd_read_facts facts = CRD_READ_FACTS_INIT;
    assert_done(crd_reader_open(context, paths, count, options, &reader, &error), error);
    assert_done(crd_reader_set_column_type(reader, 0, CRD_TYPE_CATEGORICAL, &error), error);
    assert_done(crd_reader_set_column_type(reader, 1, CRD_TYPE_NUMERIC, &error), error);
    assert_done(crd_reader_set_target(reader, 2, &error), error);
    assert_done(crd_model_train(context, reader, NULL, &model, &facts, &error), error);
    crd_reader_close(reader);
    *rows += facts.rows;
    return model;
}

/* Any two of them become one, until one is left. */
static crd_model *merge(crd_model **models, size_t count) {
    crd_error error;
    for (; count > 1; count--) {
        size_t into = table_below(count), source = table_below(count - 1);
        if (source >= into) source++;
        assert_done(crd_model_merge(models[into], models[source], &error), error);
        crd_model_destroy(models[source]);
        models[source] = models[count - 1];
    }
    return models[0];
}

static void expect_same(crd_context *context, const crd_model *a, const crd_model *b, uint64_t round) {
    model_bytes mine = bytes_of(a, context), theirs = bytes_of(b, context);
    bool is_same = mine.length == theirs.length && memcmp(mine.bytes, theirs.bytes, mine.length) == 0;
    if (!is_same) print_message("round %llu\n", (unsigned long long)round);
    assert_true(is_same);
    free_bytes(mine);
    free_bytes(theirs);
}

/* Shards must agree on how bytes are cut into chunks, but not on the number of threads. */
static size_t check_shards(crd_context *context, const char *const *paths, size_t files, crd_reader_options options,
                           uint64_t round) {
    crd_model *models[MOST_SHARDS];
    uint64_t all_rows = 0, rows = 0;
    size_t empty = 0;
    options.shard = options.shard_count = 1;
    crd_model *whole = train(context, paths, files, &options, &all_rows);
    options.shard = options.shard_count = 0;
    if (all_rows > 0) {
        crd_model *usual = train(context, paths, files, &options, &rows);
        expect_same(context, usual, whole, round);
        crd_model_destroy(usual);
    }
    rows = 0;
    options.shard_count = (unsigned)(1 + table_below(MOST_SHARDS));
    for (options.shard = 1; options.shard <= options.shard_count; options.shard++) {
        uint64_t before = rows;
        options.threads = (unsigned)(1 + table_below(3));
        models[options.shard - 1] = train(context, paths, files, &options, &rows);
        empty += rows == before;
    }
    if (rows != all_rows) print_message("round %llu\n", (unsigned long long)round);
    assert_int_equal(rows, all_rows);
    crd_model *merged = merge(models, options.shard_count);
    expect_same(context, merged, whole, round);
    crd_model_destroy(merged);
    crd_model_destroy(whole);
    return empty;
}

static void shards_merge_into_the_whole(void **state) {
    (void)state;
    static text content;
    static const size_t quotes[] = {0, 1, 5};
    crd_context *context;
    char folder[] = "/tmp/credence-shards-XXXXXX", names[MOST_FILES][64];
    const char *paths[MOST_FILES];
    size_t empty = 0;
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    assert_non_null(mkdtemp(folder));
    for (size_t i = 0; i < MOST_FILES; i++) {
        snprintf(names[i], sizeof names[i], "%s/%zu.csv", folder, i);
        paths[i] = names[i];
    }
    for (uint64_t round = 0; round < ROUNDS; round++) {
        table_random_state = round;
        size_t files = 1 + table_below(MOST_FILES), quoted = PICK(quotes);
        for (size_t i = 0; i < files; i++) {
            draw_file(&content, quoted);
            write_file(paths[i], &content, table_below(4) == 0);
        }
        crd_reader_options options = CRD_READER_OPTIONS_INIT;
        options.header = CRD_CHOICE_YES;
        options.separator = CRD_SEPARATOR_COMMA;
        options.no_multiline_fields = quoted == 0 && table_below(2) == 0;
        options.block_bytes = table_below(2) == 0 ? 0 : 1 + table_below(500);
        empty += check_shards(context, paths, files, options, round);
    }
    for (size_t i = 0; i < MOST_FILES; i++) unlink(paths[i]);
    rmdir(folder);
    assert_true(empty > 0);
    crd_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(shards_merge_into_the_whole)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
