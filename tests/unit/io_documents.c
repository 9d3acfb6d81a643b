/* SPDX-License-Identifier: MIT */
/* Columns of documents: what readers of all formats, and frames, make of their cells. */
#include "io/public_schema.h"
#include "table_support.h"

#include <credence/schema.h>

static const size_t BLOCKS[] = {0, 1, 3, 16, 100};

/* Rows of a table whose columns of these numbers, from 0, are texts, for any cut into blocks. */
static void expect_texts(const char *input, size_t length, const crd_reader_options *given, const size_t *texts,
                         size_t count, const char *expected) {
    for (size_t i = 0; i < sizeof BLOCKS / sizeof *BLOCKS; i++) {
        crd_reader_options options = CRD_READER_OPTIONS_INIT;
        if (given != NULL) options = *given;
        options.block_bytes = BLOCKS[i];
        allocations plan = {0};
        crd_context *context = logged_context(&plan);
        crd_reader *reader = NULL;
        crd_error error;
        transcript output = {NULL, 0, 0};
        assert_int_equal(open_bytes(context, input, length, true, &options, &reader, &error), CRD_OK);
        for (size_t k = 0; k < count; k++)
            assert_int_equal(crd_reader_set_column_type(reader, texts[k], CRD_TYPE_TEXT, &error), CRD_OK);
        say_essence(&output, reader);
        assert_string_equal(output.text, expected);
        free(output.text);
        crd_reader_close(reader);
        crd_context_destroy(context);
        assert_int_equal(plan.live, 0);
    }
}

static void test_plain_cells(void **state) {
    (void)state;
    static const char TABLE[] = "k,t,x\na,one two,1\nb,,2\na, NA ,3\nb,?,NA\r\na,\"q \"\"z\"\", y\",5\nb,\"\",6\n";
    expect_texts(TABLE, strlen(TABLE), NULL, (const size_t[]){1}, 1,
                 "@k ~t #x\n2: 'a' [one two] 1\n3: 'b' _ 2\n4: 'a' [NA] 3\n5: 'b' [?] _\n6: 'a' [q \"z\", y] 5\n"
                 "7: 'b' _ 6\n");
    /* Numbers are texts where they are said to be. */
    expect_texts("a,b\n1,007\n2,1e5\n", 16, NULL, (const size_t[]){0, 1}, 2, "~a ~b\n2: [1] [007]\n3: [2] [1e5]\n");
}

static void test_cells_that_are_not_utf8(void **state) {
    (void)state;
    /* Windows-1252: e with an acute accent, the euro sign, and a byte that means nothing there. */
    static const char TABLE[] = "k,t\na,caf\xE9 \x80\x81\nb,plain\nb,caf\xC3\xA9\n";
    expect_texts(TABLE, strlen(TABLE), NULL, (const size_t[]){1}, 1,
                 "@k ~t\n2: 'a' [caf\xC3\xA9 \xE2\x82\xAC\xC2\x81]\n3: 'b' [plain]\n4: 'b' [caf\xC3\xA9]\n");
    crd_reader_options any = CRD_READER_OPTIONS_INIT;
    any.encoding = "bytes";
    expect_texts("k,t\na,\xE9\n", 8, &any, (const size_t[]){1}, 1, "@k ~t\n2: 'a' [\xE9]\n");
}

static void test_other_formats(void **state) {
    (void)state;
    static const char JSON[] = "{\"t\": \"one\\ttwo\", \"k\": \"a\"}\n{\"k\": \"b\", \"t\": null}\n{\"k\": \"b\"}\n"
                               "{\"k\": \"a\", \"t\": 12}\n{\"k\": \"a\", \"t\": \"NA\"}\n";
    expect_texts(JSON, strlen(JSON), NULL, (const size_t[]){1}, 1,
                 "@k ~t\n1: 'a' [one\ttwo]\n2: 'b' _\n3: 'b' _\n4: 'a' [12]\n5: 'a' [NA]\n");
    static const char ARFF[] = "@relation r\n@attribute k {a,b}\n@attribute t string\n@attribute c {u,v}\n@data\n"
                               "a,'it\\'s','u'\nb,?,v\n{0 b, 1 'x y'}\n{0 b, 2 v}\n";
    expect_texts(ARFF, strlen(ARFF), NULL, (const size_t[]){1, 2}, 2,
                 "@k ~t ~c\n6: 'a' [it's] [u]\n7: 'b' _ [v]\n8: 'b' [x y] [u]\n9: 'b' _ [v]\n");
}

static void test_roles_that_are_no_text(void **state) {
    (void)state;
    allocations plan = {0};
    crd_context *context = logged_context(&plan);
    crd_reader *reader = NULL;
    crd_error error;
    assert_int_equal(open_bytes(context, "k,t,w\na,b,1\n", 12, true, NULL, &reader, &error), CRD_OK);
    assert_int_equal(crd_reader_set_column_type(reader, 1, CRD_TYPE_TEXT, &error), CRD_OK);
    assert_int_equal(crd_reader_set_target(reader, 1, &error), CRD_ERROR_COLUMN);
    assert_string_equal(error.message, "the target 't' must be a category, not a text");
    assert_int_equal(crd_reader_set_weight(reader, 1, &error), CRD_ERROR_COLUMN);
    assert_int_equal(crd_reader_set_target(reader, 0, &error), CRD_OK);
    assert_int_equal(crd_reader_set_column_type(reader, 0, CRD_TYPE_TEXT, &error), CRD_ERROR_COLUMN);
    assert_int_equal(crd_reader_set_weight(reader, 2, &error), CRD_OK);
    assert_int_equal(crd_reader_set_column_type(reader, 2, CRD_TYPE_TEXT, &error), CRD_ERROR_COLUMN);
    crd_reader_close(reader);
    crd_context_destroy(context);
}

/* A schema brings a file's columns what they were, by name; so does its file. */
static void test_schemas(void **state) {
    (void)state;
    allocations plan = {0};
    crd_context *context = logged_context(&plan);
    crd_reader *reader = NULL;
    crd_schema *schema = NULL, *again = NULL;
    crd_error error;
    char *text = NULL;
    size_t length;
    transcript output = {NULL, 0, 0};
    assert_int_equal(open_bytes(context, "k,t\na,one\n", 10, true, NULL, &reader, &error), CRD_OK);
    assert_int_equal(crd_reader_set_column_type(reader, 1, CRD_TYPE_TEXT, &error), CRD_OK);
    assert_int_equal(crd_reader_set_target(reader, 0, &error), CRD_OK);
    assert_int_equal(crd_schema_from_reader(reader, 1, &schema, &error), CRD_OK);
    crd_reader_close(reader);
    assert_int_equal(crd_schema_encode(schema, &text, &length, &error), CRD_OK);
    assert_non_null(strstr(text, "{\"name\": \"t\", \"type\": \"text\"}"));
    assert_int_equal(crd_schema_decode(context, text, length, &again, &error), CRD_OK);
    assert_true(crd_i_schema_equal(schema, again));
    assert_int_equal(crd_schema_set_target(again, crd_text_of("t"), &error), CRD_ERROR_COLUMN);
    assert_int_equal(open_bytes(context, "t,k\n1,a\nNA,b\n", 13, true, NULL, &reader, &error), CRD_OK);
    assert_int_equal(crd_schema_apply(again, reader, &error), CRD_OK);
    say_essence(&output, reader);
    assert_string_equal(output.text, "@k ~t\n2: 'a' [1]\n3: 'b' [NA]\n");
    free(output.text);
    crd_reader_close(reader);
    crd_free(context, text);
    crd_schema_destroy(schema);
    crd_schema_destroy(again);
    crd_context_destroy(context);
    assert_int_equal(plan.live, 0);
}

/* Between all kinds, in frames and by readers of them. */
static void test_frames(void **state) {
    (void)state;
    allocations plan = {0};
    crd_context *context = logged_context(&plan);
    crd_frame *frame = NULL;
    crd_reader *reader = NULL;
    crd_error error;
    const crd_text documents[] = {crd_text_of("one two"), {NULL, 0}, crd_text_of(""), crd_text_of("7")};
    const crd_text names[] = {crd_text_of("a"), crd_text_of(""), {NULL, 0}, crd_text_of("8")};
    const double numbers[] = {1, 2.5, 0.0 / 0.0, 4};
    assert_int_equal(crd_frame_create(context, 4, &frame, &error), CRD_OK);
    assert_int_equal(crd_frame_add_documents(frame, crd_text_of("d"), documents, &error), CRD_OK);
    assert_int_equal(crd_frame_add_texts(frame, crd_text_of("c"), names, &error), CRD_OK);
    assert_int_equal(crd_frame_add_numbers(frame, crd_text_of("x"), numbers, NULL, &error), CRD_OK);
    const crd_frame *frames[] = {frame};
    assert_int_equal(crd_reader_open_frames(context, frames, 1, NULL, NULL, &reader, &error), CRD_OK);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(crd_reader_set_column_type(reader, i, CRD_TYPE_TEXT, &error), CRD_OK);
    static const char EXPECTED[] = "~d ~c ~x\n1: [one two] [a] [1]\n2: _ _ [2.5]\n3: _ _ _\n4: [7] [8] [4]\n";
    transcript output = {NULL, 0, 0};
    say_essence(&output, reader);
    assert_string_equal(output.text, EXPECTED);
    crd_reader_close(reader);
    for (size_t i = 0; i < 3; i++) assert_int_equal(crd_frame_set_column_type(frame, i, CRD_TYPE_TEXT, &error), CRD_OK);
    assert_int_equal(crd_reader_open_frames(context, frames, 1, NULL, NULL, &reader, &error), CRD_OK);
    output.length = 0;
    say_essence(&output, reader);
    assert_string_equal(output.text, EXPECTED);
    crd_reader_close(reader);
    assert_int_equal(crd_frame_set_column_type(frame, 0, CRD_TYPE_NUMERIC, &error), CRD_ERROR_NUMBER);
    assert_int_equal(crd_frame_set_column_type(frame, 0, CRD_TYPE_CATEGORICAL, &error), CRD_OK);
    assert_int_equal(crd_frame_set_column_type(frame, 1, CRD_TYPE_CATEGORICAL, &error), CRD_OK);
    assert_int_equal(crd_frame_set_column_type(frame, 2, CRD_TYPE_NUMERIC, &error), CRD_OK);
    assert_true(crd_text_equal(crd_frame_value(frame, 0, 0).text, crd_text_of("one two")));
    assert_true(crd_frame_value(frame, 1, 2).number == 2.5);
    free(output.text);
    crd_frame_destroy(frame);
    crd_context_destroy(context);
    assert_int_equal(plan.live, 0);
}

/* A text that is converted, one that is borrowed, and a frame's numbers made texts. */
static crd_status live(crd_context *context) {
    static const char TABLE[] = "k,t\na,\xE9\nb,x\n";
    const double numbers[] = {1};
    crd_error error;
    crd_reader *reader = NULL;
    crd_frame *new_frame = NULL;
    crd_status status = open_bytes(context, TABLE, strlen(TABLE), true, NULL, &reader, &error);
    if (status == CRD_OK) status = crd_reader_set_column_type(reader, 1, CRD_TYPE_TEXT, &error);
    for (const crd_frame *frame = NULL; status == CRD_OK;) {
        status = crd_reader_next(reader, &frame, &error);
        if (frame == NULL) break;
    }
    if (status == CRD_OK) status = crd_frame_create(context, 1, &new_frame, &error);
    if (status == CRD_OK) status = crd_frame_add_numbers(new_frame, crd_text_of("x"), numbers, NULL, &error);
    if (status == CRD_OK) status = crd_frame_set_column_type(new_frame, 0, CRD_TYPE_TEXT, &error);
    crd_frame_destroy(new_frame);
    crd_reader_close(reader);
    return status;
}

static void test_each_allocation_failing(void **state) {
    (void)state;
    for (size_t index = 1;; index++) {
        allocations plan = {0};
        crd_context *context = logged_context(&plan);
        plan.calls = 0;
        plan.fail_at = index;
        crd_status status = live(context);
        bool reached = plan.calls >= index;
        crd_context_destroy(context);
        assert_int_equal(plan.live, 0);
        assert_int_equal(status, reached ? CRD_ERROR_MEMORY : CRD_OK);
        if (!reached) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain_cells),
        cmocka_unit_test(test_cells_that_are_not_utf8),
        cmocka_unit_test(test_other_formats),
        cmocka_unit_test(test_roles_that_are_no_text),
        cmocka_unit_test(test_schemas),
        cmocka_unit_test(test_frames),
        cmocka_unit_test(test_each_allocation_failing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
