/* SPDX-License-Identifier: MIT */
/* The types of Arrow beyond plain numbers and texts: views, fixed sizes, dictionaries of anything, runs, decimals,
 * times. */
#include "arrow_support.h"

#include <math.h>

/* ---- Texts ---- */

/* A view of a text: up to 12 bytes stand in it, of more the first four and where the rest is. */
typedef struct types_view {
    int32_t length;
    char bytes[12];
} types_view;

static types_view view_of(const char *text, int32_t buffer, int32_t offset) {
    types_view view = {.length = (int32_t)strlen(text)};
    memcpy(view.bytes, text, view.length > 12 ? 4 : (size_t)view.length);
    if (view.length > 12) {
        memcpy(view.bytes + 4, &buffer, sizeof buffer);
        memcpy(view.bytes + 8, &offset, sizeof offset);
    }
    return view;
}

static void test_views(void **state) {
    (void)state;
    static const char LONG[] = "quite a long text", OTHER[] = "..and another long one";
    types_view views[5] = {view_of("ab", 0, 0), view_of("", 0, 0), view_of(LONG, 0, 0), view_of("twelve bytes", 0, 0),
                           view_of(OTHER + 2, 1, 2)};
    const int64_t lengths[] = {(int64_t)strlen(LONG), (int64_t)strlen(OTHER)};
    const void *buffers[] = {NULL, views, LONG, OTHER, lengths};
    const uint8_t validity[] = {0xF7};
    static const char *const FORMATS[] = {"vu", "vz"};
    for (int i = 0; i < 2; i++) {
        batch source_batch;
        begin_batch(&source_batch, 5);
        struct ArrowArray *array = add_child(&source_batch, "v", FORMATS[i], views, NULL);
        array->buffers = buffers;
        array->n_buffers = 5;
        buffers[0] = validity;
        array->null_count = 1;
        expect_frame(&source_batch, "@v\n'ab'\n''\n'quite a long text'\n_\n'and another long one'\n");
        crd_frame_destroy(frame);
        frame = NULL;
        /* From the middle on. */
        array->offset = 3;
        array->length = source_batch.array.length = 2;
        expect_frame(&source_batch, "@v\n_\n'and another long one'\n");
        crd_frame_destroy(frame);
        frame = NULL;
    }
    batch source_batch;
    begin_batch(&source_batch, 1);
    struct ArrowArray *array = add_child(&source_batch, "v", "vu", views, NULL);
    array->buffers = buffers;
    array->n_buffers = 5;
    static const struct { int32_t buffer, offset; } BAD[] = {{-1, 0}, {2, 0}, {0, -1}, {0, 1}, {0, INT32_MAX}};
    for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
        views[0] = view_of(LONG, BAD[i].buffer, BAD[i].offset);
        expect_refusal(&source_batch, CRD_ERROR_ARGUMENT, "row 1 of column 'v' has a view beyond its buffers");
    }
    views[0].length = -5;
    expect_refusal(&source_batch, CRD_ERROR_ARGUMENT, "row 1 of column 'v' has a view of a negative length");
    array->n_buffers = 2;
    expect_refusal(&source_batch, CRD_ERROR_ARGUMENT, "column 'v' lacks buffers");
}

static void test_binaries(void **state) {
    (void)state;
    const int32_t z[] = {0, 1, 3};
    const int64_t Z[] = {0, 2, 2};
    batch source_batch;
    begin_batch(&source_batch, 2);
    add_child(&source_batch, "z", "z", z, "a\xc3\xa9");
    add_child(&source_batch, "Z", "Z", Z, "bc");
    add_child(&source_batch, "w", "w:3", "abcdef", NULL);
    expect_frame(&source_batch, "@z @Z @w\n'a' 'bc' 'abc'\n'\xc3\xa9' '' 'def'\n");
    crd_frame_destroy(frame);
    frame = NULL;
    begin_batch(&source_batch, 2);
    add_child(&source_batch, "z", "z", z, "a\xff\xfe");
    expect_refusal(&source_batch, CRD_ERROR_SYNTAX, "row 2 of column 'z' is not valid UTF-8: '\\xff\\xfe'");
}

/* ---- Dictionaries ---- */

static void test_indices_of_any_type(void **state) {
    (void)state;
    const int8_t c[] = {0, 2, 1};
    const uint8_t C[] = {0, 2, 1};
    const int16_t s[] = {0, 2, 1};
    const uint16_t S[] = {0, 2, 1};
    const int32_t i[] = {0, 2, 1};
    const uint32_t I[] = {0, 2, 1};
    const int64_t l[] = {0, 2, 1};
    const uint64_t L[] = {0, 2, 1}, huge[] = {UINT64_MAX, 0, 0};
    const void *const INDICES[] = {c, C, s, S, i, I, l, L};
    static const char *const FORMATS[] = {"c", "C", "s", "S", "i", "I", "l", "L"};
    const int64_t values[] = {10, INT64_MAX, -3};
    for (size_t index = 0; index < 8; index++) {
        batch source_batch;
        begin_batch(&source_batch, 3);
        add_child(&source_batch, "k", FORMATS[index], INDICES[index], NULL);
        add_dictionary(&source_batch, "l", values, NULL, 3);
        expect_frame(&source_batch, "@k\n'10'\n'-3'\n'9223372036854775807'\n");
        crd_frame_destroy(frame);
        frame = NULL;
    }
    batch source_batch;
    begin_batch(&source_batch, 3);
    add_child(&source_batch, "k", "L", huge, NULL);
    add_dictionary(&source_batch, "l", values, NULL, 3);
    expect_refusal(&source_batch, CRD_ERROR_ARGUMENT, "row 1 of column 'k' has an index beyond its dictionary");
}

static void test_dictionaries_of_any_type(void **state) {
    (void)state;
    const int32_t indices[] = {0, 1, 0};
    const double numbers[] = {0.5, NAN};
    const uint8_t bits[] = {2};
    const uint64_t large[] = {UINT64_MAX, 7};
    const int32_t days[] = {19000, -1};
    const types_view views[] = {view_of("x", 0, 0), view_of("y", 0, 0)};
    const int64_t lengths[] = {0};
    static const struct {
        const char *format, *expected;
    } CASES[] = {
        {"g", "@k\n'0.5'\n_\n'0.5'\n"},
        {"b", "@k\n'false'\n'true'\n'false'\n"},
        {"L", "@k\n'18446744073709551615'\n'7'\n'18446744073709551615'\n"},
        {"tdD", "@k\n'2022-01-08'\n'1969-12-31'\n'2022-01-08'\n"},
        {"vu", "@k\n'x'\n'y'\n'x'\n"},
        {"w:1", "@k\n'p'\n'q'\n'p'\n"},
        {"n", "?k\n_\n_\n_\n"},
    };
    const void *const VALUES[] = {numbers, bits, large, days, views, "pq", NULL};
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        batch source_batch;
        begin_batch(&source_batch, 3);
        add_child(&source_batch, "k", "i", indices, NULL);
        add_dictionary(&source_batch, CASES[i].format, VALUES[i], (const char *)lengths, 2);
        expect_frame(&source_batch, CASES[i].expected);
        crd_frame_destroy(frame);
        frame = NULL;
    }
}

/* ---- Runs ---- */

typedef struct types_runs {
    struct ArrowSchema ends_schema, values_schema, *schemas[2];
    struct ArrowArray ends, values, *arrays[2];
    const void *end_buffers[2], *value_buffers[3];
} types_runs;

static void add_runs(batch *target_batch, types_runs *runs, const char *end_format, const void *ends, int64_t count,
                     const char *value_format, const void *values, const void *bytes) {
    struct ArrowArray *array = add_child(target_batch, "r", "+r", NULL, NULL);
    struct ArrowSchema *schema = &target_batch->child_schemas[target_batch->schema.n_children - 1];
    memset(runs, 0, sizeof *runs);
    runs->ends_schema = (struct ArrowSchema){.format = end_format, .name = "run_ends", .release = release_schema};
    runs->values_schema = (struct ArrowSchema){.format = value_format, .name = "values", .release = release_schema};
    runs->schemas[0] = &runs->ends_schema;
    runs->schemas[1] = &runs->values_schema;
    schema->n_children = 2;
    schema->children = runs->schemas;
    runs->end_buffers[1] = ends;
    runs->value_buffers[1] = values;
    runs->value_buffers[2] = bytes;
    runs->ends =
        (struct ArrowArray){.length = count, .n_buffers = 2, .buffers = runs->end_buffers, .release = release_array};
    runs->values = (struct ArrowArray){
        .length = count, .n_buffers = bytes == NULL ? 2 : 3, .buffers = runs->value_buffers, .release = release_array};
    runs->arrays[0] = &runs->ends;
    runs->arrays[1] = &runs->values;
    array->n_buffers = 0;
    array->buffers = NULL;
    array->n_children = 2;
    array->children = runs->arrays;
}

static void test_runs(void **state) {
    (void)state;
    const int16_t s[] = {2, 3, 6};
    const int32_t i[] = {2, 3, 6};
    const int64_t l[] = {2, 3, 6};
    const void *const ENDS[] = {s, i, l};
    static const char *const FORMATS[] = {"s", "i", "l"};
    const float numbers[] = {1.5f, 2, -1};
    const int32_t offsets[] = {0, 1, 1, 3};
    const uint8_t validity[] = {5};
    for (size_t index = 0; index < 3; index++) {
        batch source_batch;
        types_runs first, second;
        begin_batch(&source_batch, 6);
        add_runs(&source_batch, &first, FORMATS[index], ENDS[index], 3, "f", numbers, NULL);
        add_runs(&source_batch, &second, FORMATS[index], ENDS[index], 3, "u", offsets, "abc");
        source_batch.child_schemas[1].name = "t";
        second.value_buffers[0] = validity;
        second.values.null_count = 1;
        expect_frame(&source_batch, "#r @t\n1.5 'a'\n1.5 'a'\n2 _\n-1 'bc'\n-1 'bc'\n-1 'bc'\n");
        crd_frame_destroy(frame);
        frame = NULL;
        /* An offset of the column counts rows, not runs; and the batch has one of its own. */
        source_batch.array.offset = 1;
        source_batch.array.length = 3;
        source_batch.child_arrays[0].offset = source_batch.child_arrays[1].offset = 1;
        source_batch.child_arrays[0].length = source_batch.child_arrays[1].length = 5;
        expect_frame(&source_batch, "#r @t\n2 _\n-1 'bc'\n-1 'bc'\n");
        crd_frame_destroy(frame);
        frame = NULL;
        source_batch.array.length = 4;
        source_batch.child_arrays[0].offset = 2;
        expect_refusal(&source_batch, CRD_ERROR_ARGUMENT, "row 4 of column 'r' is after the end of its last run");
        first.values.length = 2;
        expect_refusal(&source_batch, CRD_ERROR_ARGUMENT, "column 'r' has fewer values than runs");
        source_batch.child_arrays[0].n_children = 1;
        expect_refusal(&source_batch, CRD_ERROR_ARGUMENT, "column 'r' has no runs");
    }
}

/* ---- Decimals, dates and times ---- */

static void test_decimals(void **state) {
    (void)state;
    const int32_t narrow[] = {12345, -5};
    const int64_t middle[] = {INT64_MIN, 1};
    const int64_t wide[] = {1, 0, -1, -1};
    const uint64_t widest[] = {0, 0, 0, UINT64_C(0x8000000000000000), 5, 0, 0, 0};
    batch source_batch;
    begin_batch(&source_batch, 2);
    add_child(&source_batch, "a", "d:9,2,32", narrow, NULL);
    add_child(&source_batch, "b", "d:18,0,64", middle, NULL);
    add_child(&source_batch, "c", "d:38,40", wide, NULL);
    add_child(&source_batch, "d", "d:76,0,256", widest, NULL);
    add_child(&source_batch, "e", "d:9,-2,32", narrow, NULL);
    assert_int_equal(crd_frame_borrow_arrow(context, &source_batch.schema, &source_batch.array, &frame, &error),
                     CRD_OK);
    static const double EXPECTED[2][5] = {{123.45, -0x1p63, 1e-40, -0x1p255, 1234500}, {-0.05, 1, -1e-40, 5, -500}};
    for (size_t row = 0; row < 2; row++)
        for (size_t column = 0; column < 5; column++)
            assert_true(crd_frame_value(frame, row, column).number == EXPECTED[row][column]);
}

static void test_times(void **state) {
    (void)state;
    const int32_t days[] = {19000, -1}, seconds[] = {86399, 0}, milliseconds[] = {500, 1};
    const int64_t day_parts[] = {86400000 / 2, -86400000}, microseconds[] = {1500000, -1500000};
    const int64_t nanoseconds[] = {INT64_C(1700000000123456789), -1};
    batch source_batch;
    begin_batch(&source_batch, 2);
    add_child(&source_batch, "tdD", "tdD", days, NULL);
    add_child(&source_batch, "tdm", "tdm", day_parts, NULL);
    add_child(&source_batch, "tts", "tts", seconds, NULL);
    add_child(&source_batch, "ttm", "ttm", milliseconds, NULL);
    add_child(&source_batch, "ttu", "ttu", microseconds, NULL);
    add_child(&source_batch, "ttn", "ttn", nanoseconds, NULL);
    add_child(&source_batch, "tsu", "tsu:", microseconds, NULL);
    add_child(&source_batch, "tsn", "tsn:Europe/Berlin", nanoseconds, NULL);
    add_child(&source_batch, "tDu", "tDu", microseconds, NULL);
    assert_int_equal(crd_frame_borrow_arrow(context, &source_batch.schema, &source_batch.array, &frame, &error),
                     CRD_OK);
    static const double EXPECTED[2][9] = {
        {19000, 0.5, 86399, 0.5, 1.5, 1700000000.123456789, 1.5, 1700000000.123456789, 1.5},
        {-1, -1, 0, 0.001, -1.5, -1e-9, -1.5, -1e-9, -1.5},
    };
    for (size_t row = 0; row < 2; row++)
        for (size_t column = 0; column < 9; column++)
            assert_true(crd_frame_value(frame, row, column).number == EXPECTED[row][column]);
}

/* ---- Validity that does not begin with a byte ---- */

static void test_doubles_are_borrowed(void **state) {
    (void)state;
    const double numbers[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    const uint8_t validity[] = {0xFB, 0xFE};
    for (int64_t offset = 0; offset < 9; offset++) {
        batch source_batch;
        begin_batch(&source_batch, 2);
        struct ArrowArray *array = add_child(&source_batch, "g", "g", numbers, NULL);
        source_batch.buffers[0][0] = validity;
        array->null_count = -1;
        array->offset = offset;
        assert_int_equal(crd_frame_borrow_arrow(context, &source_batch.schema, &source_batch.array, &frame, &error),
                         CRD_OK);
        assert_ptr_equal(frame->columns[0].numbers, numbers + offset);
        for (size_t row = 0; row < 2; row++) {
            int64_t position = offset + (int64_t)row;
            bool is_missing = position == 2 || position == 8;
            crd_value value = crd_frame_value(frame, row, 0);
            assert_int_equal(value.type, is_missing ? CRD_TYPE_NONE : CRD_TYPE_NUMERIC);
            if (!is_missing) assert_true(value.number == (double)position);
        }
        crd_frame_destroy(frame);
        frame = NULL;
    }
}

int main(void) {
#define IN_CONTEXT(test) cmocka_unit_test_setup_teardown(test, begin_context, end_context)
    const struct CMUnitTest tests[] = {
        IN_CONTEXT(test_views),
        IN_CONTEXT(test_binaries),
        IN_CONTEXT(test_indices_of_any_type),
        IN_CONTEXT(test_dictionaries_of_any_type),
        IN_CONTEXT(test_runs),
        IN_CONTEXT(test_decimals),
        IN_CONTEXT(test_times),
        IN_CONTEXT(test_doubles_are_borrowed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
