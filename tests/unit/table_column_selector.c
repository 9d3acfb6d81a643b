/* SPDX-License-Identifier: MIT */
/* Columns by name, number, range, glob, first and last; and that a real name wins. */
#include "table_support.h"

static allocations plan;
static crd_context *context;
static crd_reader *reader;

static void open_header(const char *header) {
    memset(&plan, 0, sizeof plan);
    context = logged_context(&plan);
    crd_error error;
    assert_int_equal(open_bytes(context, header, strlen(header), true, NULL, &reader, &error), CRD_OK);
}

static void close_header(void) {
    crd_reader_close(reader);
    crd_context_destroy(context);
    assert_int_equal(plan.live, 0);
}

/* The columns, counted from 1, as "1 2 3", or the error's message. */
static void expect_selection(const char *selector, const char *expected) {
    size_t columns[64], count = 99;
    crd_error error;
    transcript output = {NULL, 0, 0};
    crd_status status = crd_reader_select(reader, crd_text_of(selector), columns, &count, &error);
    if (status == CRD_OK) {
        for (size_t i = 0; i < count; i++) say(&output, "%s%zu", i == 0 ? "" : " ", columns[i] + 1);
    } else {
        assert_int_equal(status, CRD_ERROR_COLUMN);
        assert_int_equal(count, 0);
        assert_string_equal(error.subject, selector);
        assert_string_equal(error.place, "t");
        say(&output, "%s", error.message);
    }
    assert_string_equal(output.text, expected);
    free(output.text);
}

static void test_single_columns(void **state) {
    (void)state;
    open_header("sepal,petal,class\n");
    expect_selection("petal", "2");
    expect_selection("1", "1");
    expect_selection("3", "3");
    expect_selection("03", "3");
    expect_selection("first", "1");
    expect_selection("last", "3");
    expect_selection("0", "unknown column '0'; there are 3: sepal, petal, class");
    expect_selection("4", "unknown column '4'; there are 3: sepal, petal, class");
    expect_selection("99999999999999999999999999",
                     "unknown column '99999999999999999999999999'; there are 3: sepal, petal, class");
    expect_selection("Petal", "unknown column 'Petal'; there are 3: sepal, petal, class");
    expect_selection("", "unknown column ''; there are 3: sepal, petal, class");
    close_header();
}

static void test_ranges(void **state) {
    (void)state;
    open_header("a,b-c,c,d-e,e\n");
    expect_selection("2-4", "2 3 4");
    expect_selection("a-c", "1 2 3");
    expect_selection("2-2", "2");
    expect_selection("a-3", "1 2 3");
    expect_selection("c-last", "3 4 5");
    expect_selection("first-2", "1 2");
    expect_selection("b-c", "2");
    expect_selection("b-c-d-e", "2 3 4");
    expect_selection("4-2", "the range '4-2' is reversed: column 4 comes after column 2");
    expect_selection("2-9", "unknown column '2-9'; there are 5: a, b-c, c, d-e, e");
    expect_selection("-2", "unknown column '-2'; there are 5: a, b-c, c, d-e, e");
    expect_selection("2-", "unknown column '2-'; there are 5: a, b-c, c, d-e, e");
    close_header();
}

static void test_globs(void **state) {
    (void)state;
    open_header("petal_length,petal_width,sepal_length,\xC3\xA9t\xC3\xA9,class\n");
    expect_selection("petal*", "1 2");
    expect_selection("*length", "1 3");
    expect_selection("*_*", "1 2 3");
    expect_selection("*l*l*", "1 3");
    expect_selection("*", "1 2 3 4 5");
    expect_selection("?etal_width", "2");
    /* One character, not one byte. */
    expect_selection("?t?", "4");
    expect_selection("**ass", "5");
    expect_selection(
        "class?",
        "unknown column 'class?'; there are 5: petal_length, petal_width, sepal_length, \xC3\xA9t\xC3\xA9, class");
    close_header();
}

static void test_a_real_name_wins(void **state) {
    (void)state;
    open_header("3,last,a*,1-2,a\n");
    expect_selection("3", "1");
    expect_selection("last", "2");
    expect_selection("a*", "3");
    expect_selection("1-2", "4");
    expect_selection("1", "1");
    expect_selection("first", "1");
    close_header();
}

static void test_a_long_list_of_columns_is_cut(void **state) {
    (void)state;
    transcript header = {NULL, 0, 0};
    for (int i = 0; i < 300; i++) say(&header, "%scolumn%d", i == 0 ? "" : ",", i);
    open_header(header.text);
    size_t columns[300], count;
    crd_error error;
    assert_int_equal(crd_reader_select(reader, crd_text_of("none"), columns, &count, &error), CRD_ERROR_COLUMN);
    size_t length = strlen(error.message);
    assert_true(length < sizeof error.message);
    assert_string_equal(error.message + length - 5, ", ...");
    assert_int_equal(crd_reader_select(reader, crd_text_of("none"), columns, &count, NULL), CRD_ERROR_COLUMN);
    close_header();
    free(header.text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_single_columns),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_globs),
        cmocka_unit_test(test_a_real_name_wins),
        cmocka_unit_test(test_a_long_list_of_columns_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
