/* SPDX-License-Identifier: MIT */
/* Frames built by hand: what is borrowed, copied, missing, refused. */
#include "table_support.h"

#include <math.h>

static allocations plan;
static crd_context *context;
static crd_frame *frame;
static crd_error error;

enum { ROWS = 10 };

static int begin_frame(void **state) {
    (void)state;
    memset(&plan, 0, sizeof plan);
    context = logged_context(&plan);
    return crd_frame_create(context, ROWS, &frame, &error) == CRD_OK ? 0 : -1;
}

static int end_frame(void **state) {
    (void)state;
    crd_frame_destroy(frame);
    crd_frame_destroy(NULL);
    crd_context_destroy(context);
    return plan.live == 0 ? 0 : -1;
}

static void test_numbers(void **state) {
    (void)state;
    double values[ROWS] = {0, -1.5, NAN, 3, INFINITY, 5, 6, 7, 8, 9};
    uint8_t validity[2] = {0xEF, 0x02}; /* rows 4 and 8 are missing, the infinite one among them */
    assert_int_equal(crd_frame_add_numbers(frame, crd_text_of("x"), values, validity, &error), CRD_OK);
    assert_ptr_equal(frame->columns[0].numbers, values);
    assert_int_equal(crd_frame_rows(frame), ROWS);
    assert_int_equal(crd_frame_column_type(frame, 0), CRD_TYPE_NUMERIC);
    for (size_t row = 0; row < ROWS; row++) {
        crd_value value = crd_frame_value(frame, row, 0);
        bool missing = row == 2 || row == 4 || row == 8;
        assert_int_equal(value.type, missing ? CRD_TYPE_NONE : CRD_TYPE_NUMERIC);
        if (!missing) assert_true(value.number == values[row]);
    }
    assert_int_equal(crd_frame_add_numbers(frame, crd_text_of("y"), values, NULL, &error), CRD_ERROR_NUMBER);
    assert_string_equal(error.message, "row 5 of column 'y' is infinite: numbers must be finite");
    assert_string_equal(error.subject, "y");
    assert_int_equal(crd_frame_column_count(frame), 1);
}

static void test_codes(void **state) {
    (void)state;
    int32_t codes[ROWS] = {0, 1, -1, 2, 77, 0, 0, 0, 0, 2};
    uint8_t validity[2] = {0xEF, 0xFF};
    crd_text values[] = {crd_text_of("red"), crd_text_of(""), crd_text_of("blue")};
    assert_int_equal(crd_frame_add_codes(frame, crd_text_of("k"), codes, validity, values, 3, &error), CRD_OK);
    assert_ptr_equal(frame->columns[0].codes, codes);
    values[0] = crd_text_of("gone");
    assert_true(crd_text_equal(crd_frame_value(frame, 0, 0).text, crd_text_of("red")));
    assert_int_equal(crd_frame_value(frame, 1, 0).type, CRD_TYPE_CATEGORICAL);
    assert_int_equal(crd_frame_value(frame, 1, 0).text.length, 0);
    assert_int_equal(crd_frame_value(frame, 2, 0).type, CRD_TYPE_NONE);
    assert_int_equal(crd_frame_value(frame, 4, 0).type, CRD_TYPE_NONE);
    assert_true(crd_text_equal(crd_frame_value(frame, 9, 0).text, crd_text_of("blue")));

    assert_int_equal(crd_frame_add_codes(frame, crd_text_of("l"), codes, NULL, values, 3, &error), CRD_ERROR_ARGUMENT);
    assert_string_equal(error.message, "row 5 of column 'l' has a code beyond the dictionary");
    codes[4] = 0;
    values[2] = values[0];
    assert_int_equal(crd_frame_add_codes(frame, crd_text_of("l"), codes, NULL, values, 3, &error), CRD_ERROR_ARGUMENT);
    assert_string_equal(error.message, "the value 'gone' occurs twice in the dictionary");
    values[2] = (crd_text){"a\0b", 3};
    assert_int_equal(crd_frame_add_codes(frame, crd_text_of("l"), codes, NULL, values, 3, &error), CRD_ERROR_ARGUMENT);
    assert_string_equal(error.message, "the value 'a\\x00b' has a NUL byte");
}

static void test_texts(void **state) {
    (void)state;
    char changing[] = "abc";
    crd_text texts[ROWS] = {{"x", 1}, {NULL, 0}, {"", 0}, {changing, 3}, {"x", 1}};
    assert_int_equal(crd_frame_add_texts(frame, crd_text_of("t"), texts, &error), CRD_OK);
    changing[0] = '!';
    assert_int_equal(crd_frame_column_type(frame, 0), CRD_TYPE_CATEGORICAL);
    assert_int_equal(frame->columns[0].codes[0], frame->columns[0].codes[4]);
    assert_int_equal(crd_frame_value(frame, 1, 0).type, CRD_TYPE_NONE);
    assert_int_equal(crd_frame_value(frame, 2, 0).type, CRD_TYPE_CATEGORICAL);
    assert_true(crd_text_equal(crd_frame_value(frame, 3, 0).text, crd_text_of("abc")));
    texts[6] = (crd_text){"\0", 1};
    assert_int_equal(crd_frame_add_texts(frame, crd_text_of("u"), texts, &error), CRD_ERROR_ARGUMENT);
    assert_string_equal(error.message, "row 7 of column 'u' has a NUL byte");
}

static void test_names(void **state) {
    (void)state;
    double values[ROWS] = {0};
    assert_int_equal(crd_frame_add_numbers(frame, crd_text_of("x"), values, NULL, &error), CRD_OK);
    uint64_t layout = frame->layout;
    assert_int_equal(crd_frame_add_numbers(frame, crd_text_of("x"), values, NULL, &error), CRD_ERROR_COLUMN);
    assert_string_equal(error.message, "two columns are called 'x'");
    assert_int_equal(frame->layout, layout);
    assert_int_equal(crd_frame_add_numbers(frame, crd_text_of("a,\"b\"\n"), values, NULL, &error), CRD_OK);
    assert_int_not_equal(frame->layout, layout);
    assert_true(crd_text_equal(crd_frame_column_name(frame, 1), crd_text_of("a,\"b\"\n")));
    crd_text with_nul = {"a\0b", 3};
    assert_int_equal(crd_frame_add_numbers(frame, with_nul, values, NULL, &error), CRD_ERROR_ARGUMENT);
    assert_string_equal(error.message, "the column name 'a\\x00b' has a NUL byte");
}

static void test_broken_contracts(void **state) {
    (void)state;
    assert_int_equal(crd_frame_add_numbers(NULL, crd_text_of("x"), NULL, NULL, &error), CRD_ERROR_ARGUMENT);
    assert_int_equal(crd_frame_add_numbers(frame, crd_text_of("x"), NULL, NULL, &error), CRD_ERROR_ARGUMENT);
    assert_int_equal(crd_frame_add_codes(frame, crd_text_of("x"), NULL, NULL, NULL, 0, &error), CRD_ERROR_ARGUMENT);
    assert_int_equal(crd_frame_add_texts(frame, crd_text_of("x"), NULL, &error), CRD_ERROR_ARGUMENT);
    assert_int_equal(crd_frame_create(context, 1, NULL, &error), CRD_ERROR_ARGUMENT);
    crd_frame *none = frame;
    assert_int_equal(crd_frame_create(NULL, 1, &none, &error), CRD_ERROR_ARGUMENT);
    assert_null(none);
}

static void test_no_rows(void **state) {
    (void)state;
    crd_frame *empty = NULL;
    assert_int_equal(crd_frame_create(context, 0, &empty, &error), CRD_OK);
    assert_int_equal(crd_frame_add_numbers(empty, crd_text_of("x"), NULL, NULL, &error), CRD_OK);
    assert_int_equal(crd_frame_add_codes(empty, crd_text_of("y"), NULL, NULL, NULL, 0, &error), CRD_OK);
    assert_int_equal(crd_frame_add_texts(empty, crd_text_of("z"), NULL, &error), CRD_OK);
    assert_int_equal(crd_frame_column_count(empty), 3);
    assert_int_equal(crd_frame_rows(empty), 0);
    crd_frame_destroy(empty);
}

int main(void) {
#define IN_FRAME(test) cmocka_unit_test_setup_teardown(test, begin_frame, end_frame)
    const struct CMUnitTest tests[] = {
        IN_FRAME(test_numbers),          IN_FRAME(test_codes),   IN_FRAME(test_texts), IN_FRAME(test_names),
        IN_FRAME(test_broken_contracts), IN_FRAME(test_no_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
