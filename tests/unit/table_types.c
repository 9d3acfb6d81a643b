/* SPDX-License-Identifier: MIT */
/* Types are a function of the whole input: guesses that prove wrong, pipes, infinite cells, limits on categories. */
#include "table_support.h"

enum { ROWS = 10000 };

/* A table of x, y and z whose first rows are numbers, with `cell` in the given data row (from 1) of the given column.
 */
static void write_table(transcript *target_transcript, size_t rows, size_t odd_row, size_t odd_column,
                        const char *cell) {
    say(target_transcript, "x,y,z\n");
    for (size_t row = 1; row <= rows; row++) {
        for (size_t column = 0; column < 3; column++) {
            const char *end = column == 2 ? "\n" : ",";
            if (row == odd_row && column == odd_column) {
                say(target_transcript, "%s%s", cell, end);
            } else {
                say(target_transcript, "%zu%s", row * (column + 1), end);
            }
        }
    }
}

/* Frames without their rows. */
static char *outline(const transcript *table, bool can_rewind) {
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    options.block_bytes = 1 << 16;
    transcript target_transcript = {NULL, 0, 0};
    allocations plan = {0};
    crd_context *context = logged_context(&plan);
    crd_reader *reader = NULL;
    crd_error error;
    assert_int_equal(open_bytes(context, table->text, table->length, can_rewind, &options, &reader, &error), CRD_OK);
    (void)say_rest(&target_transcript, reader, false);
    crd_reader_close(reader);
    crd_context_destroy(context);
    assert_int_equal(plan.live, 0);
    return target_transcript.text;
}

static void expect_outline(size_t odd_row, size_t odd_column, const char *cell, bool can_rewind, const char *expected) {
    transcript table = {NULL, 0, 0};
    write_table(&table, ROWS, odd_row, odd_column, cell);
    char *output = outline(&table, can_rewind);
    assert_string_equal(output, expected);
    free(output);
    free(table.text);
}

static void test_a_guess_turns_over_within_a_frame(void **state) {
    (void)state;
    expect("a,b\n1,1\nx,2\n3,y\n", ", header\n@a @b\n2: '1' '1'\n3: 'x' '2'\n4: '3' 'y'\n");
    /* The text counts, not the number it reads as. */
    expect("a\n1\n1.0\n?\n01\nx\n", ", header\n@a\n2: '1'\n3: '1.0'\n4: _\n5: '01'\n6: 'x'\n");
    expect_outline(82, 1, "5more", false, "#x @y #z\n4430 rows\n#x @y #z\n3888 rows\n#x @y #z\n1682 rows\n");
}

static void test_a_late_cell_begins_anew(void **state) {
    (void)state;
    expect_outline(9000, 0, "late", true, "@x #y #z\n4431 rows\n@x #y #z\n3888 rows\n@x #y #z\n1681 rows\n");
}

static void test_any_number_of_columns_costs_one_pass(void **state) {
    (void)state;
    transcript table = {NULL, 0, 0};
    write_table(&table, 5000, 5000, 0, "late");
    say(&table, "1,2,3\n1,later,3\n");
    char *output = outline(&table, true);
    assert_string_equal(output, "@x @y #z\n4431 rows\n@x @y #z\n571 rows\n");
    free(output);
    free(table.text);
}

static void test_a_pipe_cannot_begin_anew(void **state) {
    (void)state;
    expect_outline(9000, 1, "late", false,
                   "#x #y #z\n4431 rows\n#x #y #z\n3888 rows\ntype t:9001:2 [y] 'late' is not a number, but comes "
                   "after numbers: declare the column as a category, because the input cannot be read twice\n");
}

/* What is wrong further on ends the look at kinds; the second reading tells it, unless something before it is wrong. */
static void test_a_fault_behind_the_late_cell(void **state) {
    (void)state;
    static const char EXPECTED[] = "@x #y #z\n4431 rows\n@x #y #z\n569 rows\nsyntax "
                                   "t:5002:0 [] 2 fields instead of 3 as in the header\n";
    transcript table = {NULL, 0, 0};
    write_table(&table, 5000, 4500, 0, "late");
    say(&table, "1,2\n");
    char *output = outline(&table, true);
    assert_string_equal(output, EXPECTED);
    free(output);
    for (int i = 0; i < 5000; i++) say(&table, "1,2,3\n");
    output = outline(&table, true);
    assert_string_equal(output, EXPECTED);
    free(output);
    free(table.text);
}

static void test_codes_after_beginning_anew(void **state) {
    (void)state;
    transcript table = {NULL, 0, 0};
    write_table(&table, ROWS, 9000, 2, "late");
    allocations plan = {0};
    crd_context *context = logged_context(&plan);
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    options.block_bytes = 1 << 16;
    crd_reader *reader = NULL;
    crd_error error;
    assert_int_equal(open_bytes(context, table.text, table.length, true, &options, &reader, &error), CRD_OK);
    const crd_frame *frame;
    size_t rows = 0;
    uint64_t serial = 0, layout = 0;
    crd_i_dictionary *dictionary = NULL;
    for (;;) {
        crd_status status = crd_reader_next(reader, &frame, &error);
        assert_int_equal(status, CRD_OK);
        if (frame == NULL) break;
        if (layout == 0) layout = frame->layout;
        assert_int_equal(frame->layout, layout);
        const crd_i_column *z = &frame->columns[2];
        if (dictionary == NULL) {
            dictionary = z->dictionary;
            serial = crd_i_dictionary_serial(dictionary);
        }
        /* One dictionary for all frames: codes keep their meaning. */
        assert_ptr_equal(z->dictionary, dictionary);
        assert_int_equal(crd_i_dictionary_serial(dictionary), serial);
        for (size_t row = 0; row < frame->rows; row++) assert_int_equal(z->codes[row], rows + row);
        rows += frame->rows;
    }
    assert_int_equal(rows, ROWS);
    assert_int_equal(crd_i_dictionary_size(dictionary), ROWS);
    crd_reader_close(reader);
    crd_context_destroy(context);
    free(table.text);
}

static void test_a_column_without_cells_has_no_kind(void **state) {
    (void)state;
    transcript table = {NULL, 0, 0};
    say(&table, "x,y\n");
    for (int row = 0; row < 20000; row++) say(&table, "%d,\n", 10000 + row % 7);
    say(&table, "1,word\n");
    char *output = outline(&table, false);
    assert_string_equal(output, "#x ?y\n9362 rows\n#x ?y\n9362 rows\n#x @y\n1277 rows\n");
    free(output);
    free(table.text);
}

static void test_infinite_cells(void **state) {
    (void)state;
    expect("a,b\n1,2\n3,inf\n", ", header\nnumber t:3:2 [b] 'inf' is infinite: numbers must be finite\n");
    expect("a,b\n1,-1e999\n3,4\n", ", header\nnumber t:2:2 [b] '-1e999' is infinite: numbers must be finite\n");
    /* In a category it is a word. */
    expect("a,b\n1,inf\n3,sup\n", ", header\n#a @b\n2: 1 'inf'\n3: 3 'sup'\n");
    /* The first in the file is told, whatever its column. */
    expect("a,b\n1,1e400\ninf,3\n", ", header\nnumber t:2:2 [b] '1e400' is infinite: numbers must be finite\n");
}

/* Whether the column is a number may show only much later. */
static void test_an_infinite_cell_waits_for_the_kind(void **state) {
    (void)state;
    transcript table = {NULL, 0, 0};
    write_table(&table, 5000, 10, 0, "inf");
    char *output = outline(&table, true);
    assert_string_equal(output, "number t:11:1 [x] 'inf' is infinite: numbers must be finite\n");
    free(output);
    say(&table, "sup,1,1\n");
    output = outline(&table, true);
    assert_string_equal(output, "@x #y #z\n4431 rows\n@x #y #z\n570 rows\n");
    free(output);
    output = outline(&table, false);
    assert_string_equal(output, "number t:11:1 [x] 'inf' is infinite: numbers must be finite\n");
    free(output);
    free(table.text);
}

static void expect_kinds(const char *input, crd_column_type type, bool target, const char *expected) {
    transcript output = {NULL, 0, 0};
    allocations plan = {0};
    crd_context *context = logged_context(&plan);
    crd_reader *reader = NULL;
    crd_error error;
    assert_int_equal(open_bytes(context, input, strlen(input), true, NULL, &reader, &error), CRD_OK);
    assert_int_equal(crd_reader_set_column_type(reader, 0, type, &error), CRD_OK);
    if (target) assert_int_equal(crd_reader_set_target(reader, 1, &error), CRD_OK);
    (void)say_rest(&output, reader, true);
    assert_string_equal(output.text, expected);
    free(output.text);
    crd_reader_close(reader);
    crd_context_destroy(context);
    assert_int_equal(plan.live, 0);
}

static void test_kinds_that_are_given(void **state) {
    (void)state;
    expect_kinds("a,b\n1,2\n", CRD_TYPE_CATEGORICAL, false, "@a #b\n2: '1' 2\n");
    expect_kinds("a,b\n1,2\n", CRD_TYPE_NONE, true, "#a @b\n2: 1 '2'\n");
    expect_kinds("a,b\n1,inf\n", CRD_TYPE_NONE, true, "#a @b\n2: 1 'inf'\n");
    expect_kinds("a,b\n?,?\n", CRD_TYPE_NUMERIC, true, "#a @b\n2: _ _\n");
    expect_kinds("a,b\n1,2\nx,2\n", CRD_TYPE_NUMERIC, false, "number t:3:1 [a] 'x' is not a number\n");
    expect_kinds("a,b\n1e999,2\n", CRD_TYPE_NUMERIC, false,
                 "number t:2:1 [a] '1e999' is infinite: numbers must be finite\n");
}

static void test_what_may_be_set(void **state) {
    (void)state;
    static const char TABLE[] = "a,b,c\n1,2,3\n";
    allocations plan = {0};
    crd_context *context = logged_context(&plan);
    crd_reader *reader = NULL;
    crd_error error;
    assert_int_equal(open_bytes(context, TABLE, strlen(TABLE), true, NULL, &reader, &error), CRD_OK);
    assert_int_equal(crd_reader_set_target(reader, 0, &error), CRD_OK);
    assert_int_equal(crd_reader_set_target(reader, 1, &error), CRD_OK);
    assert_int_equal(crd_reader_set_column_type(reader, 1, CRD_TYPE_NUMERIC, &error), CRD_ERROR_COLUMN);
    assert_string_equal(error.message, "the target 'b' must be a category, not a number");
    assert_int_equal(crd_reader_ignore(reader, 1, &error), CRD_ERROR_COLUMN);
    assert_string_equal(error.message, "the target 'b' cannot be ignored");
    assert_int_equal(crd_reader_set_column_type(reader, 3, CRD_TYPE_NUMERIC, &error), CRD_ERROR_ARGUMENT);
    assert_int_equal(crd_reader_ignore(reader, 2, &error), CRD_OK);
    assert_int_equal(crd_reader_set_target(reader, 2, &error), CRD_ERROR_COLUMN);
    /* The first target is a column like any other again; the ignored one is in no frame, but is still there. */
    const crd_frame *frame;
    assert_int_equal(crd_reader_next(reader, &frame, &error), CRD_OK);
    assert_int_equal(crd_frame_column_count(frame), 2);
    assert_int_equal(crd_frame_column_type(frame, 0), CRD_TYPE_NUMERIC);
    assert_int_equal(crd_frame_column_type(frame, 1), CRD_TYPE_CATEGORICAL);
    assert_int_equal(crd_reader_column_count(reader), 3);
    assert_int_equal(crd_reader_ignore(reader, 0, &error), CRD_ERROR_ARGUMENT);
    crd_reader_close(reader);
    crd_context_destroy(context);
}

static void test_values_that_are_declared(void **state) {
    (void)state;
    static const char TABLE[] = "a,b,c\n1,2,3\n";
    allocations plan = {0};
    crd_context *context = logged_context(&plan);
    crd_reader *reader = NULL;
    crd_i_schema *schema = NULL;
    crd_error error;
    assert_int_equal(open_bytes(context, TABLE, strlen(TABLE), true, NULL, &reader, &error), CRD_OK);
    assert_int_equal(crd_reader_set_weight(reader, 2, &error), CRD_OK);
    assert_int_equal(crd_reader_declare(reader, 0, crd_text_of("0"), &error), CRD_OK);
    assert_int_equal(crd_reader_declare(reader, 0, crd_text_of("1"), &error), CRD_OK);
    assert_int_equal(crd_reader_declare(reader, 0, crd_text_of("0"), &error), CRD_OK);
    assert_int_equal(crd_reader_declare(reader, 2, crd_text_of("0"), &error), CRD_ERROR_COLUMN);
    assert_string_equal(error.message, "the weight 'c' must be a number, not a category");
    assert_int_equal(crd_reader_declare(reader, 3, crd_text_of("0"), &error), CRD_ERROR_ARGUMENT);
    /* The cells of the first are names now, two of them known; those of the second are numbers as before. */
    const crd_frame *frame;
    assert_int_equal(crd_reader_next(reader, &frame, &error), CRD_OK);
    assert_int_equal(crd_frame_column_type(frame, 0), CRD_TYPE_CATEGORICAL);
    assert_int_equal(crd_frame_column_type(frame, 1), CRD_TYPE_NUMERIC);
    assert_int_equal(crd_i_reader_schema(reader, &schema, &error), CRD_OK);
    assert_int_equal(crd_i_dictionary_size(schema->columns[0].values), 2);
    assert_true(crd_i_dictionary_find(schema->columns[0].values, crd_text_of("0")) >= 0);
    assert_int_equal(crd_reader_declare(reader, 0, crd_text_of("2"), &error), CRD_ERROR_ARGUMENT);
    crd_i_schema_destroy(schema);
    crd_reader_close(reader);
    crd_context_destroy(context);
    assert_int_equal(plan.live, 0);
}

static void test_too_many_categories(void **state) {
    (void)state;
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    options.max_categories = 2;
    expect_with("a,b\nx,1\ny,1\nx,1\n", &options, ", header\n@a #b\n2: 'x' 1\n3: 'y' 1\n4: 'x' 1\n");
    expect_with("a,b\nx,1\ny,1\nz,1\n", &options,
                ", header\nlimit t:4:1 [a] more than 2 different values in one column: is it an identifier?\n");
}

static void test_cancelled(void **state) {
    (void)state;
    static const char TABLE[] = "a,b\n1,2\n3,4\n5,6\n7,8\n9,0\n";
    allocations plan = {0};
    crd_context *context = logged_context(&plan);
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    options.block_bytes = 6;
    crd_reader *reader = NULL;
    crd_error error;
    assert_int_equal(open_bytes(context, TABLE, strlen(TABLE), true, &options, &reader, &error), CRD_OK);
    crd_context_cancel(context);
    const crd_frame *frame;
    assert_int_equal(crd_reader_next(reader, &frame, &error), CRD_ERROR_CANCELLED);
    crd_reader_close(reader);
    crd_context_destroy(context);
}

/* Ten thousand columns and a hundred thousand categories take no time to speak of. */
static void test_many_columns_and_categories(void **state) {
    (void)state;
    enum { WIDE = 10000, LONG = 100000 };
    transcript table = {NULL, 0, 0};
    for (int i = 0; i < WIDE; i++) say(&table, "%scolumn%d", i == 0 ? "" : ",", i);
    for (int row = 0; row < 120; row++) {
        for (int i = 0; i < WIDE; i++) say(&table, "%s%d", i == 0 ? "\n" : ",", row);
    }
    char *output = transcribe(table.text, table.length, true, NULL);
    assert_non_null(strstr(output, "#column9999"));
    free(output);
    free(table.text);
    table = (transcript){NULL, 0, 0};
    say(&table, "a\n");
    for (int i = 0; i < LONG; i++) say(&table, "v%d\n", i);
    output = outline(&table, false);
    assert_int_equal(strncmp(output, "@a\n", 3), 0);
    free(output);
    free(table.text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_guess_turns_over_within_a_frame),
        cmocka_unit_test(test_a_late_cell_begins_anew),
        cmocka_unit_test(test_any_number_of_columns_costs_one_pass),
        cmocka_unit_test(test_a_pipe_cannot_begin_anew),
        cmocka_unit_test(test_a_fault_behind_the_late_cell),
        cmocka_unit_test(test_codes_after_beginning_anew),
        cmocka_unit_test(test_a_column_without_cells_has_no_kind),
        cmocka_unit_test(test_infinite_cells),
        cmocka_unit_test(test_an_infinite_cell_waits_for_the_kind),
        cmocka_unit_test(test_kinds_that_are_given),
        cmocka_unit_test(test_what_may_be_set),
        cmocka_unit_test(test_values_that_are_declared),
        cmocka_unit_test(test_too_many_categories),
        cmocka_unit_test(test_cancelled),
        cmocka_unit_test(test_many_columns_and_categories),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
