/* SPDX-License-Identifier: MIT */
/* Record batches of the Arrow C Data Interface: every format, offsets, nulls, and what is refused. */
#include "arrow_support.h"

#include <math.h>

static void test_every_number(void **state) {
    (void)state;
    const double g[] = {0.1, -0.0};
    const float f[] = {0.5f, 1e30f};
    const uint16_t e[] = {0x3C00, 0x8001}; /* 1, and the smallest below zero: -2^-24 */
    const int8_t c[] = {-128, 127};
    const uint8_t C[] = {0, 255};
    const int16_t s[] = {-32768, 1};
    const uint16_t S[] = {0, 65535};
    const int32_t i[] = {INT32_MIN, 1};
    const uint32_t I[] = {0, UINT32_MAX};
    const int64_t l[] = {-9007199254740992, 1};
    const uint64_t L[] = {0, UINT64_C(18446744073709551615)};
    batch source_batch;
    begin_batch(&source_batch, 2);
    add_child(&source_batch, "g", "g", g, NULL);
    add_child(&source_batch, "f", "f", f, NULL);
    add_child(&source_batch, "e", "e", e, NULL);
    add_child(&source_batch, "c", "c", c, NULL);
    add_child(&source_batch, "C", "C", C, NULL);
    add_child(&source_batch, "s", "s", s, NULL);
    add_child(&source_batch, "S", "S", S, NULL);
    add_child(&source_batch, "i", "i", i, NULL);
    add_child(&source_batch, "I", "I", I, NULL);
    add_child(&source_batch, "l", "l", l, NULL);
    add_child(&source_batch, "L", "L", L, NULL);
    assert_int_equal(crd_frame_borrow_arrow(context, &source_batch.schema, &source_batch.array, &frame, &error),
                     CRD_OK);
    static const double EXPECTED[2][11] = {
        {0.1, 0.5, 1, -128, 0, -32768, 0, -2147483648.0, 0, -9007199254740992.0, 0},
        {-0.0, 0x1.93e594p+99, -0x1p-24, 127, 255, 1, 65535, 1, 4294967295.0, 1, 18446744073709551616.0},
    };
    for (size_t row = 0; row < 2; row++) {
        for (size_t column = 0; column < 11; column++) {
            double value = crd_frame_value(frame, row, column).number;
            assert_memory_equal(&value, &EXPECTED[row][column], sizeof value);
        }
    }
    assert_ptr_equal(frame->columns[0].numbers, g);
}

static void test_texts_and_booleans(void **state) {
    (void)state;
    const int32_t u[] = {0, 1, 1, 4};
    const int64_t U[] = {1, 2, 3, 4};
    const uint8_t b[] = {0x05};
    batch source_batch;
    begin_batch(&source_batch, 3);
    add_child(&source_batch, "u", "u", u, "abcd");
    add_child(&source_batch, "U", "U", U, "abad");
    add_child(&source_batch, "b", "b", b, NULL);
    struct ArrowArray *nothing = add_child(&source_batch, NULL, "n", NULL, NULL);
    nothing->n_buffers = 0;
    nothing->null_count = 3;
    expect_frame(&source_batch, "@u @U @b ?c4\n'a' 'b' 'true' _\n'' 'a' 'false' _\n'bcd' 'd' 'true' _\n");
}

static void test_nulls(void **state) {
    (void)state;
    const double g[] = {1, INFINITY, 3};
    const int32_t u[] = {0, 1, 2, 3};
    const uint8_t b[] = {0x07};
    const uint8_t middle_missing[] = {0x05};
    /* A count that is not known (-1) or right: the bits decide. */
    for (int64_t count = -1; count <= 1; count += 2) {
        batch source_batch;
        begin_batch(&source_batch, 3);
        struct ArrowArray *children[] = {add_child(&source_batch, "g", "g", g, NULL),
                                         add_child(&source_batch, "u", "u", u, "abc"),
                                         add_child(&source_batch, "b", "b", b, NULL)};
        for (size_t i = 0; i < 3; i++) {
            children[i]->null_count = count;
            source_batch.buffers[i][0] = middle_missing;
        }
        expect_frame(&source_batch, "#g @u @b\n1 'a' 'true'\n_ _ _\n3 'c' 'true'\n");
        assert_ptr_equal(frame->columns[0].numbers, g);
        crd_frame_destroy(frame);
        frame = NULL;
    }
    /* None said to be there: the bits do not matter. */
    const double finite[] = {1, 2, 3};
    batch source_batch;
    begin_batch(&source_batch, 3);
    add_child(&source_batch, "g", "g", finite, NULL);
    source_batch.buffers[0][0] = middle_missing;
    expect_frame(&source_batch, "#g\n1\n2\n3\n");
}

/* The batch is a slice at 2 of children that are slices of their buffers at 1, 6 or 0. */
static void test_offsets(void **state) {
    (void)state;
    const double g[12] = {90, 91, 92, 1, 2, 3, 97, 98, 1, 2, 3, 99};
    const int32_t i[] = {90, 91, 92, 1, 2, 3};
    const int32_t u[] = {0, 1, 2, 3, 4, 5};
    const uint8_t second_of_three_missing_at_3[] = {0xFF & ~(1 << 4), 0xFF};
    const uint8_t second_of_three_missing_at_8[] = {0xFF, 0xFF & ~(1 << 1)};
    batch source_batch;
    begin_batch(&source_batch, 3);
    source_batch.array.offset = 2;
    struct ArrowArray *at_1 = add_child(&source_batch, "g1", "g", g, NULL);
    struct ArrowArray *at_6 = add_child(&source_batch, "g6", "g", g, NULL);
    struct ArrowArray *integers = add_child(&source_batch, "i", "i", i, NULL);
    add_child(&source_batch, "u", "u", u, "abcde");
    at_1->offset = 1;
    at_1->null_count = -1;
    source_batch.buffers[0][0] = second_of_three_missing_at_3;
    at_6->offset = 6;
    at_6->null_count = 1;
    source_batch.buffers[1][0] = second_of_three_missing_at_8;
    integers->offset = 1;
    expect_frame(&source_batch, "#g1 #g6 #i @u\n1 1 1 'c'\n_ _ 2 'd'\n3 3 3 'e'\n");
    assert_ptr_equal(frame->columns[1].numbers, g + 8);
}

static void test_nulls_of_the_batch(void **state) {
    (void)state;
    const double g[] = {1, 2, 3, 4};
    const int32_t u[] = {0, 1, 2, 3, 4};
    const uint8_t second_missing[] = {0x0B};
    batch source_batch;
    begin_batch(&source_batch, 3);
    source_batch.array.offset = 1;
    source_batch.array.null_count = -1;
    source_batch.own_buffers[0] = second_missing;
    add_child(&source_batch, "g", "g", g, NULL);
    add_child(&source_batch, "u", "u", u, "abcd");
    expect_frame(&source_batch, "#g @u\n2 'b'\n_ _\n4 'd'\n");
}

static void test_dictionaries(void **state) {
    (void)state;
    const int8_t c[] = {2, 0, 1, 3};
    const uint64_t L[] = {2, 0, 1, 3};
    const int32_t u[] = {0, 3, 7, 10, 13};
    const int64_t U[] = {0, 3, 7, 10, 13};
    const uint8_t third_missing[] = {0x0B};
    batch source_batch;
    begin_batch(&source_batch, 4);
    add_child(&source_batch, "k", "c", c, NULL);
    add_dictionary(&source_batch, "u", u, "redblueredtan", 4);
    /* Values that stand twice are one value. */
    expect_frame(&source_batch, "@k\n'red'\n'red'\n'blue'\n'tan'\n");
    assert_int_equal(crd_i_dictionary_size(frame->columns[0].dictionary), 3);
    crd_frame_destroy(frame);
    begin_batch(&source_batch, 4);
    add_child(&source_batch, "k", "L", L, NULL);
    add_dictionary(&source_batch, "U", U, "redblueredtan", 4);
    source_batch.dictionary_buffers[0] = third_missing;
    source_batch.dictionary_array.null_count = -1;
    expect_frame(&source_batch, "@k\n_\n'red'\n'blue'\n'tan'\n");
    crd_frame_destroy(frame);
    frame = NULL;
    source_batch.dictionary_array.length = 3;
    expect_refusal(&source_batch, CRD_ERROR_ARGUMENT, "row 4 of column 'k' has an index beyond its dictionary");
}

static void test_no_rows(void **state) {
    (void)state;
    batch source_batch;
    begin_batch(&source_batch, 0);
    add_child(&source_batch, "g", "g", NULL, NULL);
    add_child(&source_batch, "u", "u", NULL, "");
    expect_frame(&source_batch, "#g @u\n");
}

static void test_refusals(void **state) {
    (void)state;
    const double g[] = {1, -INFINITY};
    const float f[] = {1, INFINITY};
    const int32_t u[] = {0, 1, 2};
    batch source_batch;
    begin_batch(&source_batch, 2);
    add_child(&source_batch, "g", "g", g, NULL);
    expect_refusal(&source_batch, CRD_ERROR_NUMBER, "row 2 of column 'g' is infinite: numbers must be finite");
    begin_batch(&source_batch, 2);
    add_child(&source_batch, "f", "f", f, NULL);
    expect_refusal(&source_batch, CRD_ERROR_NUMBER, "row 2 of column 'f' is infinite: numbers must be finite");
    begin_batch(&source_batch, 2);
    add_child(&source_batch, "list", "+l", u, NULL);
    expect_refusal(&source_batch, CRD_ERROR_COLUMN,
                   "column 'list' is a list (Arrow format '+l'), neither a number nor a category: ignore it, or "
                   "convert it to columns of numbers or texts");
    static const char *const FOREIGN[] = {"+L",  "+vl", "+w:2", "+s",       "+m",     "+ud:0,1", "+us:0", "tiM", "tiD",
                                          "tin", "tsx", "ttx",  "d:10,2,7", "d:10,x", "?",       "",      "vx",  "w:0"};
    for (size_t i = 0; i < sizeof FOREIGN / sizeof FOREIGN[0]; i++) {
        crd_frame *none;
        begin_batch(&source_batch, 2);
        add_child(&source_batch, "x", FOREIGN[i], u, NULL);
        assert_int_equal(crd_frame_borrow_arrow(context, &source_batch.schema, &source_batch.array, &none, &error),
                         CRD_ERROR_COLUMN);
        assert_non_null(strstr(error.message, "neither a number nor a category"));
    }
    begin_batch(&source_batch, 2);
    add_child(&source_batch, "k", "i", u, NULL);
    add_dictionary(&source_batch, "g", g, NULL, 2);
    expect_refusal(&source_batch, CRD_ERROR_NUMBER, "row 2 of column 'k' is infinite: numbers must be finite");
    source_batch.child_schemas[0].format = "g";
    expect_refusal(&source_batch, CRD_ERROR_COLUMN,
                   "column 'k' is a dictionary without integer indices (Arrow format 'g'), neither a number nor a "
                   "category: ignore it, or convert it to columns of numbers or texts");
    begin_batch(&source_batch, 2);
    add_child(&source_batch, "u", "u", u, "a\0");
    expect_refusal(&source_batch, CRD_ERROR_ARGUMENT, "row 2 of column 'u' has a NUL byte");
    source_batch.child_arrays[0].length = 1;
    expect_refusal(&source_batch, CRD_ERROR_ARGUMENT, "column 'u' is shorter than the batch");
    begin_batch(&source_batch, 2);
    add_child(&source_batch, "x", "g", NULL, NULL);
    expect_refusal(&source_batch, CRD_ERROR_ARGUMENT, "column 'x' lacks buffers");
    const int32_t below[] = {0, 1, -7}, backwards[] = {2, 1, 1};
    begin_batch(&source_batch, 2);
    add_child(&source_batch, "u", "u", below, "ab");
    expect_refusal(&source_batch, CRD_ERROR_ARGUMENT, "row 2 of column 'u' has decreasing offsets");
    begin_batch(&source_batch, 2);
    add_child(&source_batch, "u", "u", backwards, "ab");
    expect_refusal(&source_batch, CRD_ERROR_ARGUMENT, "row 1 of column 'u' has decreasing offsets");
    const uint16_t e[] = {0x7E00, 0x7C00};
    begin_batch(&source_batch, 2);
    add_child(&source_batch, "e", "e", e, NULL);
    expect_refusal(&source_batch, CRD_ERROR_NUMBER, "row 2 of column 'e' is infinite: numbers must be finite");
    source_batch.child_arrays[0].n_buffers = 1;
    expect_refusal(&source_batch, CRD_ERROR_ARGUMENT, "column 'e' lacks buffers");
    begin_batch(&source_batch, 2);
    add_child(&source_batch, "k", "i", u, NULL);
    source_batch.child_schemas[0].dictionary = &source_batch.dictionary_schema;
    source_batch.dictionary_schema.format = "u";
    expect_refusal(&source_batch, CRD_ERROR_ARGUMENT, "column 'k' has no dictionary");
    begin_batch(&source_batch, 1);
    add_child(&source_batch, "x", "i", u, NULL);
    add_child(&source_batch, "x", "i", u, NULL);
    expect_refusal(&source_batch, CRD_ERROR_COLUMN, "two columns are called 'x'");
    source_batch.array.n_children = 1;
    expect_refusal(&source_batch, CRD_ERROR_ARGUMENT, "the Arrow array has 1 children, but its schema has 2");
    source_batch.schema.format = "i";
    expect_refusal(&source_batch, CRD_ERROR_ARGUMENT,
                   "the Arrow format is 'i', but expected a struct, '+s': pass a table, not a single column");
    source_batch.schema.release = NULL;
    expect_refusal(&source_batch, CRD_ERROR_ARGUMENT, "missing context, or the Arrow schema or array is released");
}

/* What an array from outside claims, and what it has. */
static void test_hostile_arrays(void **state) {
    (void)state;
    const int32_t u[] = {0, 1, 2}, nothing[] = {0, 0, 0}, indices[] = {0, 1};
    batch source_batch;
    begin_batch(&source_batch, 2);
    add_child(&source_batch, "k", "i", indices, NULL);
    add_dictionary(&source_batch, "u", NULL, "ab", 2);
    expect_refusal(&source_batch, CRD_ERROR_ARGUMENT, "column 'k' has no dictionary");
    source_batch.dictionary_buffers[1] = u;
    source_batch.dictionary_buffers[2] = NULL;
    expect_refusal(&source_batch, CRD_ERROR_ARGUMENT, "row 1 of column 'k' has no buffer for its text");
    source_batch.dictionary_buffers[2] = "ab";
    source_batch.dictionary_array.offset = -1;
    expect_refusal(&source_batch, CRD_ERROR_ARGUMENT, "column 'k' has no dictionary");
    source_batch.dictionary_array.offset = INT64_MAX;
    expect_refusal(&source_batch, CRD_ERROR_ARGUMENT, "column 'k' has no dictionary");
    begin_batch(&source_batch, 2);
    struct ArrowArray *texts = add_child(&source_batch, "u", "u", u, "ab");
    source_batch.buffers[0][2] = NULL;
    expect_refusal(&source_batch, CRD_ERROR_ARGUMENT, "row 1 of column 'u' has no buffer for its text");
    source_batch.array.offset = INT64_MAX - 1;
    expect_refusal(&source_batch, CRD_ERROR_ARGUMENT, "the Arrow array lacks buffers or children");
    source_batch.array.offset = INT64_MAX - 3;
    expect_refusal(&source_batch, CRD_ERROR_ARGUMENT, "column 'u' is shorter than the batch");
    texts->length = INT64_MAX;
    texts->offset = 1;
    expect_refusal(&source_batch, CRD_ERROR_ARGUMENT, "column 'u' lacks buffers");
    begin_batch(&source_batch, 2);
    add_child(&source_batch, "u", "u", nothing, "ab");
    source_batch.buffers[0][2] = NULL;
    source_batch.array.buffers = NULL;
    source_batch.array.null_count = -1;
    expect_refusal(&source_batch, CRD_ERROR_ARGUMENT, "the Arrow array lacks buffers or children");
    source_batch.array.n_buffers = 0;
    source_batch.array_pointers[0] = NULL;
    expect_refusal(&source_batch, CRD_ERROR_ARGUMENT, "child 1 of the Arrow array is missing");
    source_batch.array_pointers[0] = source_batch.child_arrays;
    source_batch.schema.children = NULL;
    expect_refusal(&source_batch, CRD_ERROR_ARGUMENT, "the Arrow schema lacks children");
    source_batch.schema.children = source_batch.schema_pointers;
    expect_frame(&source_batch, "@u\n''\n''\n");
}

int main(void) {
#define IN_CONTEXT(test) cmocka_unit_test_setup_teardown(test, begin_context, end_context)
    const struct CMUnitTest tests[] = {
        IN_CONTEXT(test_every_number), IN_CONTEXT(test_texts_and_booleans), IN_CONTEXT(test_nulls),
        IN_CONTEXT(test_offsets),      IN_CONTEXT(test_nulls_of_the_batch), IN_CONTEXT(test_dictionaries),
        IN_CONTEXT(test_no_rows),      IN_CONTEXT(test_refusals),           IN_CONTEXT(test_hostile_arrays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
