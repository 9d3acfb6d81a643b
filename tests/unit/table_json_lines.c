/* SPDX-License-Identifier: MIT */
/* data_json_lines.c - JSON lines: what values become, keys that come and go, and every way of being malformed. */
#include "table_support.h"

static void test_values(void **state) {
    (void)state;
    expect("{\"n\": 1.5, \"t\": \"x\", \"b\": true, \"m\": null}\n{\"n\": -2e-1,\"t\":\"7\",\"b\":false,\"m\":3}",
           "? header\n@b #m #n @t\n1: 'true' _ 1.5 'x'\n2: 'false' 3 -0.2 '7'\n");
    /* A text is a text though it looks like a number; mixed with numbers the column is a category. */
    expect("{\"a\": \"1\", \"b\": 1}\n{\"a\": \"2\", \"b\": \"x\"}\n", "? header\n@a @b\n1: '1' '1'\n2: '2' 'x'\n");
    expect("{\"a\": \"NA\", \"b\": \"\", \"c\": \"null\"}\n{\"a\":0,\"b\":0,\"c\":0}\n",
           "? header\n@a #b @c\n1: 'NA' _ 'null'\n2: '0' 0 '0'\n");
    expect(" \t{ \"a\" : 0 , \"b\" : -0.0E+2 } \r\n\n  \n{\"b\":10,\"a\":5}\n", "? header\n#a #b\n1: 0 -0\n4: 5 10\n");
}

static void test_escapes(void **state) {
    (void)state;
    expect("{\"\\u0061\": \"\\\"\\\\\\/\\b\\f\\n\\r\\t\"}\n", "? header\n@a\n1: '\"\\/\b\f\n\r\t'\n");
    expect("{\"a\": \"\\u00e9\\u20AC\\ud83d\\uDE00\\u007f\"}\n",
           "? header\n@a\n1: '\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\x7f'\n");
    expect("{\"a\": \"\xc3\xa9\"}\n", "? header\n@a\n1: '\xc3\xa9'\n");
}

static void test_keys_come_and_go(void **state) {
    (void)state;
    static const char TEXT[] = "{\"a\": 1, \"b\": 2}\n{\"b\": 3, \"z\": {}}\n{\"never\": 1}\n";
    expect("{\"b\": 2, \"a\": 1}\n{\"b\": 3}\n{}\n{\"z\": 1, \"b\": 4, \"a\": 5}\n{\"Y\": 1}\n",
           "? header\n#Y #a #b #z\n1: _ 1 2 _\n2: _ _ 3 _\n3: _ _ _ _\n4: _ 5 4 1\n5: 1 _ _ _\n");
    /* Rows before a fault come before it; keys behind it are columns only if the fault depends on which columns are used. */
    expect(TEXT, "? header\n#a #b ?never ?z\n1: 1 2 _ _\nsyntax t:2:0 [] the key 'z' holds an object, but must be a "
                 "number, a text, true, false or null, at byte 15\n");
    expect("{}\n{\"a\": 1}\n", "? header\n#a\n1: _\n2: 1\n");
    /* Keys with escapes are read twice, and the mark at the beginning skipped twice. */
    expect("\xef\xbb\xbf{\"\\u0062\\n\": \"\\t\"}\r\n\r\n{\"\\u0061\": 2}", "? header\n#a @b\n\n1: _ '\t'\n3: 2 _\n");
}

/* As expect, for input that can be read once only. */
static void expect_of_pipe(const char *text, size_t length, const char *expected) {
    static const size_t BLOCKS[] = {1, 3, 16, 100, 5000};
    char *output = transcribe(text, length, false, NULL), *whole = essence(text, length, false, NULL);
    assert_non_null(strstr(output, expected));
    free(output);
    for (size_t i = 0; i < sizeof BLOCKS / sizeof BLOCKS[0]; i++) {
        crd_reader_options options = CRD_READER_OPTIONS_INIT;
        options.block_bytes = BLOCKS[i];
        output = essence(text, length, false, &options);
        assert_string_equal(output, whole);
        free(output);
    }
    free(whole);
}

static void test_keys_of_a_pipe(void **state) {
    (void)state;
    static const char EARLY[] = "\xef\xbb\xbf\n{\"\\u0062\": \"\\n\"}\r\n \r\n{\"a\": \"\\\"\"}\n";
    expect_of_pipe(EARLY, strlen(EARLY), "? header\n@a @b\n2: _ '\n'\n4: '\"' _\n");
    expect_of_pipe("{\"a\": 1}", 8, "? header\n#a\n1: 1\n");
    expect_of_pipe("{}\n\n", 4, "syntax t:1:0 [] no object has keys, and keys are the column names\n");
    expect_of_pipe("{\"a\":1}\n{\"b\":[]}\n", 17,
                   "? header\n#a ?b\n1: 1 _\nsyntax t:2:0 [] the key 'b' holds an array");
    transcript text = {NULL, 0, 0};
    for (size_t i = 0; i < 4095; i++) say(&text, "{\"a\": %zu}\n", i % 3);
    say(&text, "{\"late\": 1}\n");
    expect_of_pipe(text.text, text.length, "? header\n#a #late\n1: 0 _\n");
    say(&text, "{\"later\": 1}\n");
    expect_of_pipe(text.text, text.length,
                   "column t:4097:0 [later] the key 'later' first occurs here, too late for a new column: input that "
                   "cannot be read twice needs its columns in advance\n");
    char *output = essence(text.text, text.length, true, NULL);
    assert_non_null(strstr(output, "? header\n#a #late #later\n"));
    free(output);
    free(text.text);
}

/* Columns that are known from elsewhere may first show up anywhere in a pipe; others are left out there. */
static void test_keys_of_a_pipe_with_schema(void **state) {
    (void)state;
    allocations plan = {0};
    crd_context *context = logged_context(&plan);
    crd_i_schema *schema = crd_i_schema_create(context);
    assert_true(crd_i_schema_add(schema, crd_text_of("late"), CRD_TYPE_NUMERIC, 0));
    assert_true(crd_i_schema_add(schema, crd_text_of("a"), CRD_TYPE_NUMERIC, 1));
    schema->has_header = true;
    schema->width = 2;
    transcript text = {NULL, 0, 0}, output = {NULL, 0, 0};
    for (size_t i = 0; i < 4096; i++) say(&text, "{\"a\": 1, \"b\": 2}\n");
    say(&text, "{\"x\": 5, \"late\": 7, \"y\": 6, \"a\": 8}\n{\"x\": 1, \"late\": 2, \"x\": 3}\n");
    crd_reader *reader = NULL;
    crd_error error;
    assert_int_equal(open_bytes(context, text.text, text.length, false, NULL, &reader, &error), CRD_OK);
    assert_int_equal(crd_i_reader_adopt(reader, schema, &error), CRD_OK);
    assert_int_equal(say_rest(&output, reader, true), CRD_ERROR_SYNTAX);
    assert_non_null(strstr(output.text, "\n4096: _ 1\n4097: 7 8\nsyntax t:4098:0 [] the key 'x' occurs twice"));
    crd_reader_close(reader);
    crd_i_schema_destroy(schema);
    crd_context_destroy(context);
    assert_int_equal(plan.live, 0);
    free(text.text);
    free(output.text);
}

/* Rows in any order are the same table. */
static void test_order_of_rows(void **state) {
    (void)state;
    expect("{\"y\": 1, \"b\": 2}\n{\"a\": 3, \"y\": 4}\n", "? header\n#a #b #y\n1: _ 2 1\n2: 3 _ 4\n");
    expect("{\"a\": 3, \"y\": 4}\n{\"y\": 1, \"b\": 2}\n", "? header\n#a #b #y\n1: 3 _ 4\n2: _ 2 1\n");
}

static void test_kinds_turn_over(void **state) {
    (void)state;
    /* A later frame decides the type. */
    transcript text = {NULL, 0, 0};
    for (size_t i = 0; i < 5000; i++) say(&text, "{\"a\": %zu}\n", i % 3);
    say(&text, "{\"a\": \"x\"}\n");
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    options.block_bytes = 20000;
    char *output = transcribe(text.text, text.length, true, &options);
    assert_non_null(strstr(output, "@a\n1: '0'\n"));
    free(output);
    output = transcribe(text.text, text.length, false, &options);
    assert_non_null(strstr(output, "type t:5001:1 [a] 'x' is not a number, but comes after numbers"));
    free(output);
    free(text.text);
}

static void test_malformed(void **state) {
    (void)state;
    static const char *const LINES[][2] = {
        {"{\"a\": 1", "found the end, expected a comma or }, at byte 8"},
        {"{\"a\": ", "found the end, expected a value, at byte 7"},
        {"{\"a\"", "found the end, expected a colon, at byte 5"},
        {"{", "found the end, expected a whole object on one line, at byte 2"},
        {"{\"a\": 1,}", "found }, expected a key in quotes, at byte 9"},
        {"{\"a\": 1,", "found the end, expected a whole object on one line, at byte 9"},
        {"{,}", "found a comma, expected a key in quotes, at byte 2"},
        {"{\"a\": 1 \"b\": 2}", "found a text, expected a comma or }, at byte 9"},
        {"{\"a\" 1}", "found a number, expected a colon, at byte 6"},
        {"{a: 1}", "an unknown word: expected true, false or null, at byte 2"},
        {"{\"a\": 1} {\"a\": 2}", "found {, expected the end of the line, at byte 10"},
        {"[1, 2]", "found [, expected an object (one per line, not an array), at byte 1"},
        {"1", "found a number, expected an object, at byte 1"},
        {"x", "an unknown word: expected true, false or null, at byte 1"},
        {"{\"a\": [1]}", "the key 'a' holds an array, but must be a number, a text, true, false or null, at byte 7"},
        {"{\"a\": {}}", "the key 'a' holds an object, but must be a number, a text, true, false or null, at byte 7"},
        {"{\"a\": 1, \"a\": 2}", "the key 'a' occurs twice in one object, at byte 10"},
        {"{\"a\": null, \"a\": 2}", "the key 'a' occurs twice in one object, at byte 13"},
        {"{\"\": 1}", "the key '' is empty: it must name a column, at byte 2"},
        {"{\"a\": \"x}", "a text opens here and is never closed, at byte 7"},
        {"{\"a\": \"x\\\"}", "a text opens here and is never closed, at byte 7"},
        {"{\"a\": \"x\\", "a text is not closed, at byte 9"},
        {"{\"a\": \"\\x\"}", "an escape that JSON does not have, at byte 8"},
        {"{\"a\": \"\\u12\"}", "expected four hexadecimal digits after \\u, at byte 8"},
        {"{\"a\": \"\\u12g4\"}", "expected four hexadecimal digits after \\u, at byte 8"},
        {"{\"a\": \"\\u0000\"}", "a NUL character, at byte 8"},
        {"{\"a\": \"\\ud83d\"}", "half of a surrogate pair, at byte 8"},
        {"{\"a\": \"\\ud83d\\u0041\"}", "half of a surrogate pair, at byte 8"},
        {"{\"a\": \"\\ude00\"}", "half of a surrogate pair, at byte 8"},
        {"{\"a\": \"\t\"}", "a control character, which must be escaped, at byte 8"},
        {"{\"a\": 01}", "a number that is not valid JSON, at byte 7"},
        {"{\"a\": 1.}", "a number that is not valid JSON, at byte 7"},
        {"{\"a\": .5}", "a character that is not valid JSON, at byte 7"},
        {"{\"a\": +1}", "a character that is not valid JSON, at byte 7"},
        {"{\"a\": -}", "a number that is not valid JSON, at byte 7"},
        {"{\"a\": 1e}", "a number that is not valid JSON, at byte 7"},
        {"{\"a\": NaN}", "a number that is not valid JSON: use null for a missing number, at byte 7"},
        {"{\"a\": Infinity}", "a number that is not valid JSON: use null for a missing number, at byte 7"},
        {"{\"a\": True}", "an unknown word: expected true, false or null, at byte 7"},
        {"{\"a\": 'x'}", "a character that is not valid JSON, at byte 7"},
    };
    for (size_t i = 0; i < sizeof LINES / sizeof LINES[0]; i++) {
        char input[128], expected[256];
        snprintf(input, sizeof input, "{\"a\": 0}\n%s\n", LINES[i][0]);
        snprintf(expected, sizeof expected, "? header\n#a\n1: 0\nsyntax t:2:0 [] %s\n", LINES[i][1]);
        expect(input, expected);
    }
}

static void test_the_first_object(void **state) {
    (void)state;
    expect("\n{}\n{}\n", "syntax t:2:0 [] no object has keys, and keys are the column names\n");
    expect("{\"a\": 1, \"a\": 2}\n", "? header\nsyntax t:1:0 [] the key 'a' occurs twice in one object, at byte 10\n");
    expect("[{\"a\": 1}, {\"a\": 2},\n {\"a\": 3}]\n", "? header\n#a\n1: 1\n2: 2\n3: 3\n");
    expect("[\n  {\n    \"a\": 1,\n    \"b\": \"}\\\"]\"\n  },\n  {\n    \"a\": 2\n  }\n]\n",
           "? header\n#a @b\n2: 1 '}\"]'\n6: 2 _\n");
    expect("{\n\"a\": 1}\n\n{\n\"a\": 2}\n", "? header\n#a\n1: 1\n4: 2\n");
    expect("[]\n", "empty t:0:0 [] the file is empty\n");
    expect("[{\"a\": 1},\n",
           "? header\n#a\n1: 1\nsyntax t:2:0 [] the array is not closed: the file may be truncated\n");
    expect("[{\"a\": 1},\n{\"a\"", "? header\n#a\n1: 1\nsyntax t:2:0 [] found the end, expected a colon, at byte 5\n");
    expect("[{\"a\": 1}\n{\"a\": 2}]",
           "? header\n#a\n1: 1\nsyntax t:2:0 [] expected a comma or the end of the array after an object\n");
    expect(
        "[{\"a\": 1},\n[2]]",
        "? header\n#a\n1: 1\nsyntax t:2:0 [] an array in an array: rows must be objects, such as {\"name\": value}\n");
    expect("[{\"a\": 1}\n]]", "? header\n#a\n1: 1\nsyntax t:2:0 [] text after the end of the array\n");
    expect("[a],b\n1,2\n", ", header\n#[a] #b\n2: 1 2\n");
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    options.format = CRD_FORMAT_JSON_LINES;
    expect_with("a,b\n", &options, "syntax t:1:0 [] an unknown word: expected true, false or null, at byte 1\n");
    expect_with(" \n\n", &options, "empty t:0:0 [] the file is empty\n");
    options.format = CRD_FORMAT_DELIMITED;
    expect_with("{a},b\n1,2\n", &options, ", header\n#{a} #b\n2: 1 2\n");
}

static void fail_each_allocation(bool can_rewind) {
    static const char TEXT[] = "{\"a\": 1, \"b\": \"x\"}\n{\"b\": \"\\u00e9\", \"z\": 1}\n";
    for (size_t index = 1;; index++) {
        allocations plan = {.fail_at = index};
        crd_context *context = logged_context(&plan);
        crd_reader *reader = NULL;
        crd_error error = {0};
        const crd_frame *frame = NULL;
        crd_status status = CRD_ERROR_MEMORY;
        if (context != NULL) status = open_bytes(context, TEXT, strlen(TEXT), can_rewind, NULL, &reader, &error);
        if (status == CRD_OK) status = crd_reader_next(reader, &frame, &error);
        crd_reader_close(reader);
        if (context != NULL) crd_context_destroy(context);
        assert_int_equal(plan.live, 0);
        if (plan.calls < index) break;
        assert_int_equal(status, CRD_ERROR_MEMORY);
    }
}

static void test_memory(void **state) {
    (void)state;
    fail_each_allocation(true);
    fail_each_allocation(false);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_escapes),
        cmocka_unit_test(test_keys_come_and_go),
        cmocka_unit_test(test_kinds_turn_over),
        cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_the_first_object),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_keys_of_a_pipe),
        cmocka_unit_test(test_keys_of_a_pipe_with_schema),
        cmocka_unit_test(test_order_of_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
