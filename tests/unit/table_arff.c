/* SPDX-License-Identifier: MIT */
/* data_arff.c - ARFF files: what they declare, quotes and escapes, sparse rows, and every way of being malformed. */
#include "table_support.h"

#define HEAD "@relation r\n@attribute n numeric\n@attribute k {a,b}\n@attribute s string\n@data\n"

static void test_a_whole_file(void **state) {
    (void)state;
    expect("@relation r % a\n@attribute s string % b\n@attribute k {x,y}%c\n@data % d\n50%,x % e\n'%', 'y'% f\n{0 q} % "
           "g\n",
           "? header\n@s @k\n5: '50%' 'x'\n6: '%' 'y'\n7: 'q' 'x'\n");
    expect(
        "% comment\n\n  % another\n@RELATION 'my data'\n\n@Attribute \"the n\" REAL\n@attribute k {a, 'b c' ,\"d'e\"}\n"
        "@attribute\ti integer\n@DATA\n% inside\n1.5, a ,2\n\n?, 'b c', ?\n-1e3,\"d'e\",7",
        "? header\n#the n @k #i\n11: 1.5 'a' 2\n13: _ 'b c' _\n14: -1000 'd'e' 7\n");
    expect("@relation r\n@attribute a {x}\n@attribute a real\n@data\nx,1\n", "? header\n@a #a_2\n5: 'x' 1\n");
    expect("@relation r\r\n@attribute n numeric\r\n@data\r\n1\r\n2\r\n", "? header\n#n\n4: 1\n5: 2\n");
}

static void test_quotes_and_escapes(void **state) {
    (void)state;
    expect("@relation r\n@attribute s string\n@data\n'it\\'s'\n\"say \\\"hi\\\"\"\n'a\\nb\\tc\\\\d'\n'?'\nx'y\n'  "
           "'\n'1'\n",
           "? header\n@s\n4: 'it's'\n5: 'say \"hi\"'\n6: 'a\nb\tc\\d'\n7: '?'\n8: 'x'y'\n9: '  '\n10: '1'\n");
    expect("@relation r\n@attribute n numeric\n@data\n'1'\n", "? header\n#n\n4: 1\n");
    /* The texts that mean missing do where they stand without quotes. */
    expect("@relation r\n@attribute s string\n@data\nNA\n'NA'\n", "? header\n@s\n4: _\n5: 'NA'\n");
}

static void test_sparse_rows(void **state) {
    (void)state;
    expect(HEAD "{0 5, 2 x}\n{1 b}\n{}\n{ 0 ?,1 'b' }\n 3, a, y\n",
           "? header\n#n @k @s\n6: 5 'a' 'x'\n7: 0 'b' _\n8: 0 'a' _\n9: _ 'b' _\n10: 3 'a' 'y'\n");
}

static void test_malformed_rows(void **state) {
    (void)state;
    static const char *const ROWS[][2] = {
        {"1,a", "syntax t:6:0 [] 2 fields instead of 3 as in the header"},
        {"1,a,x,y", "syntax t:6:0 [] 4 fields instead of 3 as in the header"},
        {"1,,x", "syntax t:6:2 [] an empty cell: write ? for a missing value"},
        {"1,a,", "syntax t:6:3 [] an empty cell: write ? for a missing value"},
        {"1,a,'x", "syntax t:6:3 [] a quote opens here and is never closed"},
        {"1,a,'x\\'", "syntax t:6:3 [] a quote opens here and is never closed"},
        {"1,a,'x'y", "syntax t:6:3 [] text after a closing quote"},
        {"1,c,x", "syntax t:6:2 [k] 'c' is not among the values that the file declares for 'k'"},
        {"1, % c", "syntax t:6:2 [] an empty cell: write ? for a missing value"},
        {"1,%c,x", "syntax t:6:2 [] an empty cell: write ? for a missing value"},
        {"1,b% c,x", "syntax t:6:2 [k] 'b% c' is not among the values that the file declares for 'k'"},
        {"x,a,x", "number t:6:1 [n] 'x' is not a number"},
        {"1e999,a,x", "number t:6:1 [n] '1e999' is infinite: numbers must be finite"},
        {"1,a,x,{5}", "syntax t:6:4 [] a weight of a row, which is not supported: remove it"},
        {"{0 1},{5}", "syntax t:6:1 [] a weight of a row, which is not supported: remove it"},
        {"{0 1} 5", "syntax t:6:1 [] text after a sparse row"},
        {"{0 1", "syntax t:6:1 [] a sparse row is not closed by }"},
        {"{0 1 2}", "number t:6:1 [n] '1 2' is not a number"},
        {"{3 1}", "syntax t:6:0 [] invalid column number in a sparse row"},
        {"{99999999999999999999 1}", "syntax t:6:0 [] invalid column number in a sparse row"},
        {"{1 a, 0 1}", "syntax t:6:2 [] the column numbers of a sparse row must ascend"},
        {"{1 a, 1 a}", "syntax t:6:2 [] the column numbers of a sparse row must ascend"},
        {"{x 1}", "syntax t:6:0 [] a sparse row must contain column numbers, from 0, and values"},
        {"{0}", "syntax t:6:0 [] a sparse row must contain column numbers, from 0, and values"},
        {"{0 }", "syntax t:6:1 [] an empty cell: write ? for a missing value"},
        {"{0 1,}", "syntax t:6:1 [] a sparse row must contain column numbers, from 0, and values"},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        char input[256], expected[256];
        snprintf(input, sizeof input, HEAD "%s\n", ROWS[i][0]);
        snprintf(expected, sizeof expected, "? header\n%s\n", ROWS[i][1]);
        expect(input, expected);
    }
}

static void test_malformed_headings(void **state) {
    (void)state;
    static const char *const HEADINGS[][2] = {
        {"@relation r\n@attribute a numeric\n", "syntax t:0:0 [] the file ends before @data"},
        {"@relation r\n", "syntax t:0:0 [] the file ends before @data"},
        {"@relation r\n@data\n1\n", "syntax t:2:0 [] @data needs at least one @attribute before it"},
        {"@relation r\n@attribute a numeric\n@data 1\n",
         "syntax t:3:0 [] text after @data: the rows begin on the next line"},
        {"@relation r\n@atribute a numeric\n", "syntax t:2:0 [] found '@atribute', expected @attribute or @data"},
        {"@relation r\n1,2\n", "syntax t:2:0 [] found '1,2', expected @attribute or @data"},
        {"@relation r\n@attribute\n", "syntax t:2:1 [] an @attribute without a name"},
        {"@relation r\n@attribute {a}\n", "syntax t:2:1 [] an @attribute without a name"},
        {"@relation r\n@attribute a\n", "syntax t:2:1 [] an @attribute without a type"},
        {"@relation r\n@attribute a complex\n", "syntax t:2:1 [] unknown type 'complex': expected numeric, real, "
                                                "integer, string, date, relational or {values}"},
        {"@relation r\n@attribute a numeric {2}\n",
         "syntax t:2:1 [] a weight of an attribute, which is not supported: remove it"},
        {"@relation r\n@attribute a {x,y\n", "syntax t:2:1 [] a list of values opens here and is never closed"},
        {"@relation r\n@attribute a {x,'y}\n", "syntax t:2:1 [] a quote opens here and is never closed"},
        {"@relation r\n@attribute a {x,,y}\n", "syntax t:2:1 [] an empty value in a list of values"},
        {"@relation r\n@attribute a {}\n", "syntax t:2:1 [] an empty value in a list of values"},
        {"@relation r\n@attribute a {x,y,x}\n", "syntax t:2:1 [] the value 'x' is declared twice"},
        {"@relation r\n@attribute a {x} y\n", "syntax t:2:1 [] text after the type of an attribute"},
        {"@relation r\n@attribute 'a numeric\n", "syntax t:2:1 [] a quote opens here and is never closed"},
        {"@relation r\n@attribute b relational\n@attribute x numeric\n@data\n",
         "syntax t:2:1 [] a relation opens here and is not closed by @end"},
    };
    for (size_t i = 0; i < sizeof HEADINGS / sizeof HEADINGS[0]; i++) {
        char expected[256];
        snprintf(expected, sizeof expected, "%s\n", HEADINGS[i][1]);
        expect(HEADINGS[i][0], expected);
    }
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    options.format = CRD_FORMAT_ARFF;
    expect_with("a,b\n1,2\n", &options,
                "syntax t:1:0 [] found 'a,b', expected @relation, the first line of an ARFF file\n");
    expect_with("", &options, "syntax t:0:0 [] the file ends before @data\n");
    options.max_categories = 2;
    expect_with("@relation r\n@attribute a {x,y,z}\n@data\n", &options,
                "limit t:2:1 [] more than 2 values are declared for one column\n");
}

static void test_what_is_no_arff(void **state) {
    (void)state;
    expect("@relations\n1\n", ", header\n#@relations\n2: 1\n");
    expect("%a,b\n1,2\n", ", header\n#%a #b\n2: 1 2\n");
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    options.separator = CRD_SEPARATOR_COMMA;
    expect_with("@relation r\nx\n", &options, ", header\n@@relation r\n2: 'x'\n");
}

/* Opens a text, does something to a column, and reads on. */
static char *with_column(const char *text, size_t column,
                         crd_status (*treat)(crd_reader *reader, size_t column, crd_error *error)) {
    transcript target_transcript = {NULL, 0, 0};
    allocations plan = {0};
    crd_context *context = logged_context(&plan);
    crd_reader *reader = NULL;
    crd_error error;
    assert_int_equal(open_bytes(context, text, strlen(text), true, NULL, &reader, &error), CRD_OK);
    assert_int_equal(crd_reader_format(reader), CRD_FORMAT_ARFF);
    if (treat != NULL) assert_int_equal(treat(reader, column, &error), CRD_OK);
    (void)say_rest(&target_transcript, reader, true);
    crd_reader_close(reader);
    crd_context_destroy(context);
    assert_int_equal(plan.live, 0);
    return target_transcript.text;
}

static crd_status as_category(crd_reader *reader, size_t column, crd_error *error) {
    return crd_reader_set_column_type(reader, column, CRD_TYPE_CATEGORICAL, error);
}

static crd_status as_number(crd_reader *reader, size_t column, crd_error *error) {
    return crd_reader_set_column_type(reader, column, CRD_TYPE_NUMERIC, error);
}

static void expect_treated(const char *text, size_t column,
                           crd_status (*treat)(crd_reader *reader, size_t column, crd_error *error),
                           const char *expected) {
    char *output = with_column(text, column, treat);
    assert_string_equal(output, expected);
    free(output);
}

static void test_columns_of_no_kind(void **state) {
    (void)state;
    static const char DATES[] =
        "@relation r\n@attribute d date 'yyyy-MM-dd'\n@attribute n numeric\n@data\n'2020-01-02',1\n";
    static const char BAGS[] = "@relation r\n@attribute b relational\n@attribute x numeric\n@attribute y relational\n"
                               "@attribute z string\n@end y\n@end b\n@attribute n numeric\n@data\n'1\\n2',1\n";
    expect_treated(DATES, 0, NULL,
                   "type t:0:0 [d] 'd' is declared as a date, neither a number nor a category: ignore it, or declare "
                   "it as a number or category\n");
    expect_treated(DATES, 0, crd_reader_ignore, "#n\n5: 1\n");
    expect_treated(DATES, 0, as_category, "@d #n\n5: '2020-01-02' 1\n");
    expect_treated(BAGS, 0, NULL,
                   "type t:0:0 [b] 'b' is declared as a relation, neither a number nor a category: ignore it, or "
                   "declare it as a number or category\n");
    expect_treated(BAGS, 0, crd_reader_ignore, "#n\n10: 1\n");
}

static void test_kinds_can_be_told(void **state) {
    (void)state;
    static const char TEXT[] = "@relation r\n@attribute n numeric\n@attribute k {1,2}\n@data\n1,2\n2,3\n";
    /* What is not asked for is not looked at either. */
    expect_treated(TEXT, 1, crd_reader_ignore, "#n\n5: 1\n6: 2\n");
    expect_treated(TEXT, 1, as_number, "#n #k\n5: 1 2\n6: 2 3\n");
    expect_treated(TEXT, 0, as_category,
                   "syntax t:6:2 [k] '3' is not among the values that the file declares for 'k'\n");
    expect_treated("@relation r\n@attribute n numeric\n@data\n1\n", 0, crd_reader_set_target, "@n\n4: '1'\n");
}

static void test_two_files_declare_together(void **state) {
    (void)state;
    char first[64], second[64];
    static const char A[] = "@relation r\n@attribute k {a,b}\n@attribute n numeric\n@data\na,1\n";
    static const char B[] = "@relation r\n@attribute n numeric\n@attribute k {c,a}\n@data\n2,c\n";
    write_temporary(first, A, strlen(A));
    write_temporary(second, B, strlen(B));
    allocations plan = {0};
    crd_context *context = logged_context(&plan);
    const char *paths[] = {first, second};
    crd_reader *reader = NULL;
    crd_i_schema *schema = NULL;
    crd_error error;
    transcript output = {NULL, 0, 0};
    assert_int_equal(crd_reader_open(context, paths, 2, NULL, &reader, &error), CRD_OK);
    assert_int_equal(say_rest(&output, reader, true), CRD_OK);
    assert_string_equal(output.text, "@k #n\n5: 'a' 1\n@k #n\n5: 'c' 2\n");
    assert_int_equal(crd_i_reader_schema(reader, &schema, &error), CRD_OK);
    assert_int_equal(crd_i_dictionary_size(schema->columns[0].values), 3);
    assert_null(schema->columns[1].values);
    crd_i_schema_destroy(schema);
    crd_reader_close(reader);
    crd_context_destroy(context);
    assert_int_equal(plan.live, 0);
    free(output.text);
    unlink(first);
    unlink(second);
}

/* Each allocation failing in turn: an error that says so, and nothing left behind. */
static void test_memory(void **state) {
    (void)state;
    static const char TEXT[] = HEAD "1,a,x\n{1 b}\n?,a,'y'\n";
    for (size_t index = 1;; index++) {
        allocations plan = {.fail_at = index};
        crd_context *context = logged_context(&plan);
        crd_reader *reader = NULL;
        crd_error error = {0};
        const crd_frame *frame = NULL;
        crd_status status = CRD_ERROR_MEMORY;
        if (context != NULL) status = open_bytes(context, TEXT, strlen(TEXT), true, NULL, &reader, &error);
        if (status == CRD_OK) status = crd_reader_next(reader, &frame, &error);
        crd_reader_close(reader);
        if (context != NULL) crd_context_destroy(context);
        assert_int_equal(plan.live, 0);
        if (plan.calls < index) break;
        assert_int_equal(status, CRD_ERROR_MEMORY);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_whole_file),
        cmocka_unit_test(test_quotes_and_escapes),
        cmocka_unit_test(test_sparse_rows),
        cmocka_unit_test(test_malformed_rows),
        cmocka_unit_test(test_malformed_headings),
        cmocka_unit_test(test_what_is_no_arff),
        cmocka_unit_test(test_columns_of_no_kind),
        cmocka_unit_test(test_kinds_can_be_told),
        cmocka_unit_test(test_two_files_declare_together),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
