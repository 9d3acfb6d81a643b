/* SPDX-License-Identifier: MIT */
/* Several files, and files that meet the columns of a schema: by name, by position, with and without the target. */
#include "table/read/reader_internal.h"
#include "table_support.h"

enum { MOST_FILES = 3 };

typedef struct binding_files {
    allocations plan;
    crd_context *context;
    char paths[MOST_FILES][64];
    size_t count;
} binding_files;

static void begin_files(binding_files *these) {
    memset(these, 0, sizeof *these);
    these->context = logged_context(&these->plan);
}

static void add_file(binding_files *these, const char *text) {
    write_temporary(these->paths[these->count++], text, strlen(text));
}

static crd_status open_files(binding_files *these, crd_reader **reader, crd_error *error) {
    const char *paths[MOST_FILES];
    for (size_t i = 0; i < these->count; i++) paths[i] = these->paths[i];
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    options.keep_text = 1;
    return crd_reader_open(these->context, paths, these->count, &options, reader, error);
}

static void end_files(binding_files *these) {
    for (size_t i = 0; i < these->count; i++) unlink(these->paths[i]);
    crd_context_destroy(these->context);
    assert_int_equal(these->plan.live, 0);
}

/* File names differ from run to run: file i is called <i>. */
static void put_names(const binding_files *these, char *text) {
    for (size_t i = 0; i < these->count; i++) {
        char *cursor;
        while ((cursor = strstr(text, these->paths[i])) != NULL) {
            size_t length = strlen(these->paths[i]);
            char name[] = {'<', (char)('1' + i), '>'};
            memmove(cursor + 3, cursor + length, strlen(cursor + length) + 1);
            memcpy(cursor, name, 3);
        }
    }
}

/* Reads two files with an optional target, and compares with what is expected. */
static void expect_two(const char *first, const char *second, size_t target, const char *expected,
                       const char *expected_log) {
    binding_files these;
    begin_files(&these);
    add_file(&these, first);
    add_file(&these, second);
    transcript output = {NULL, 0, 0};
    crd_reader *reader = NULL;
    crd_error error;
    assert_int_equal(open_files(&these, &reader, &error), CRD_OK);
    if (target != SIZE_MAX) assert_int_equal(crd_reader_set_target(reader, target, &error), CRD_OK);
    (void)say_rest(&output, reader, true);
    put_names(&these, output.text);
    assert_string_equal(output.text, expected);
    put_names(&these, these.plan.log);
    assert_string_equal(these.plan.log, expected_log);
    free(output.text);
    crd_reader_close(reader);
    end_files(&these);
}

static void test_files_meet_by_name(void **state) {
    (void)state;
    expect_two("a,b\n1,x\n", "z,b,a\n9,y,2\n", SIZE_MAX, "#a @b\n2: 1 'x'\n#a @b\n2: 2 'y'\n",
               "<2>: 1 column is not in the first file and ignored: z\n");
    expect_two("a,b\n1,x\n", "b;a\ny;2\n", SIZE_MAX, "#a @b\n2: 1 'x'\n#a @b\n2: 2 'y'\n", "");
    expect_two("a,b,c\n1,x,3\n", "b\ny\n", SIZE_MAX, "#a @b #c\n2: 1 'x' 3\n#a @b #c\n2: _ 'y' _\n",
               "<2>: 2 columns are absent and count as missing: a, c\n");
    expect_two("a,b\n1,x\n", "c,d\n1,x\n", SIZE_MAX,
               "#a @b\n2: 1 'x'\ncolumn <2>:1:0 [] all of the 2 expected columns are missing, such as 'a'\n", "");
    expect_two("a,b\n1,x\n", "a,d\n1,x\n", 1,
               "#a @b\n2: 1 'x'\ncolumn <2>:1:0 [b] the target 'b' is not among the columns\n", "");
}

static void test_a_long_warning_is_cut(void **state) {
    (void)state;
    binding_files these;
    begin_files(&these);
    transcript wide = {NULL, 0, 0};
    for (int i = 0; i < 200; i++) say(&wide, "%scolumn%d", i == 0 ? "" : ",", i);
    add_file(&these, wide.text);
    add_file(&these, "column0\n1\n");
    crd_reader *reader = NULL;
    crd_error error;
    transcript output = {NULL, 0, 0};
    assert_int_equal(open_files(&these, &reader, &error), CRD_OK);
    assert_int_equal(say_rest(&output, reader, false), CRD_OK);
    put_names(&these, these.plan.log);
    static const char BEGIN[] = "<2>: 199 columns are absent and count as missing: column1, column2, ";
    assert_memory_equal(these.plan.log, BEGIN, strlen(BEGIN));
    size_t length = strlen(these.plan.log);
    assert_string_equal(these.plan.log + length - 6, ", ...\n");
    crd_reader_close(reader);
    free(output.text);
    free(wide.text);
    end_files(&these);
}

static void test_files_meet_by_position(void **state) {
    (void)state;
    expect_two("1,2\n3,4\n", "5 6\n7 8", SIZE_MAX, "#c1 #c2\n1: 1 2\n2: 3 4\n#c1 #c2\n1: 5 6\n2: 7 8\n", "");
    expect_two("a,b\n1,2\n", "3,4\n", SIZE_MAX, "#a #b\n2: 1 2\n#a #b\n1: 3 4\n", "");
    expect_two("1,2\n", "x,y\n3,4\n", SIZE_MAX, "#c1 #c2\n1: 1 2\n#c1 #c2\n2: 3 4\n", "");
    expect_two("1,2\n", "3,4,5\n", SIZE_MAX,
               "#c1 #c2\n1: 1 2\ncolumn <2>:1:0 [] 3 fields instead of 2: without a header, columns are matched by "
               "position\n",
               "");
}

static void test_faults_in_a_later_file(void **state) {
    (void)state;
    expect_two("a\n1\n", "", SIZE_MAX, "#a\n2: 1\nempty <2>:0:0 [] the file is empty\n", "");
    expect_two("a,b\n1,2\n", "b,a\n1,2\n3\n", SIZE_MAX,
               "#a #b\n2: 1 2\n#a #b\n2: 2 1\nsyntax <2>:3:0 [] 1 field instead of 2 as in the header\n", "");
    expect_two("a\n", "a\n5\n", SIZE_MAX, "#a\n2: 5\n", "");
}

/* A cell in the second file makes a column categorical that has only numbers in the first; the warning comes once. */
static void test_a_flip_in_the_second_file(void **state) {
    (void)state;
    expect_two("a,b,c\n1,2,3\n", "b,a\nx,5\n", SIZE_MAX, "#a @b #c\n2: 1 '2' 3\n#a @b #c\n2: 5 'x' _\n",
               "<2>: 1 column is absent and counts as missing: c\n");
    /* Files without a header are entered with a row in hand, which must not be lost on the way back. */
    expect_two("1 2\n3 4\n", "5 x\n", SIZE_MAX, "#c1 @c2\n1: 1 '2'\n2: 3 '4'\n#c1 @c2\n1: 5 'x'\n", "");
}

static void test_text_line_and_place_of_rows(void **state) {
    (void)state;
    binding_files these;
    begin_files(&these);
    add_file(&these, "a,b,c\n1, NA ,\"x \"\"y\"\"\"\n\n2,u,v\n");
    add_file(&these, "c,a\nz,3\n");
    crd_reader *reader = NULL;
    crd_error error;
    assert_int_equal(open_files(&these, &reader, &error), CRD_OK);
    assert_int_equal(crd_reader_ignore(reader, 2, &error), CRD_OK);
    const crd_frame *frame;
    assert_int_equal(crd_reader_next(reader, &frame, &error), CRD_OK);
    assert_true(crd_text_equal(crd_i_reader_cell(reader, 0, 0), crd_text_of("1")));
    assert_true(crd_text_equal(crd_i_reader_cell(reader, 0, 1), crd_text_of("NA")));
    assert_true(crd_text_equal(crd_i_reader_cell(reader, 0, 2), crd_text_of("x \"y\"")));
    assert_int_equal(crd_reader_line(reader, 0), 2);
    assert_int_equal(crd_reader_line(reader, 1), 4);
    assert_string_equal(crd_reader_place(reader), these.paths[0]);
    /* In the second file the first one's columns are found under their names. */
    assert_int_equal(crd_reader_next(reader, &frame, &error), CRD_OK);
    assert_true(crd_text_equal(crd_i_reader_cell(reader, 0, 0), crd_text_of("3")));
    assert_int_equal(crd_i_reader_cell(reader, 0, 1).length, 0);
    assert_true(crd_text_equal(crd_i_reader_cell(reader, 0, 2), crd_text_of("z")));
    assert_string_equal(crd_reader_place(reader), these.paths[1]);
    assert_int_equal(crd_reader_next(reader, &frame, &error), CRD_OK);
    assert_null(frame);
    assert_int_equal(crd_reader_next(reader, &frame, &error), CRD_OK);
    assert_null(frame);
    crd_reader_close(reader);
    end_files(&these);
}

static void test_files_that_cannot_be_opened(void **state) {
    (void)state;
    binding_files these;
    begin_files(&these);
    add_file(&these, "a\n1\n");
    crd_reader *reader = NULL;
    crd_error error;
    /* Told at once, not after the files before it are read. */
    const char *paths[] = {these.paths[0], "/nowhere/at/all.csv"};
    assert_int_equal(crd_reader_open(these.context, paths, 2, NULL, &reader, &error), CRD_ERROR_SYSTEM);
    assert_null(reader);
    assert_string_equal(error.place, "/nowhere/at/all.csv");
    assert_string_equal(error.message, "cannot be opened: No such file or directory");
    assert_int_not_equal(error.system_error, 0);
    paths[1] = "/tmp";
    assert_int_equal(crd_reader_open(these.context, paths, 2, NULL, &reader, &error), CRD_ERROR_SYSTEM);
    assert_string_equal(error.message, "cannot be opened: Is a directory");
    assert_int_equal(crd_reader_open(these.context, paths, 0, NULL, &reader, &error), CRD_ERROR_ARGUMENT);
    end_files(&these);
}

/* ---- Schemas ---- */

/* The columns a:number, k:category (the target), z:number of a file of four fields whose third was ignored. */
static crd_i_schema *some_schema(crd_context *context, bool has_header) {
    crd_i_schema *schema = crd_i_schema_create(context);
    assert_true(crd_i_schema_add(schema, crd_text_of("a"), CRD_TYPE_NUMERIC, 0));
    assert_true(crd_i_schema_add(schema, crd_text_of("k"), CRD_TYPE_CATEGORICAL, 1));
    assert_true(crd_i_schema_add(schema, crd_text_of("z"), CRD_TYPE_NONE, 3));
    schema->target = 1;
    schema->width = 4;
    schema->has_header = has_header;
    return schema;
}

static void expect_bound(const char *input, bool has_header, const char *expected, const char *expected_log) {
    allocations plan = {0};
    crd_context *context = logged_context(&plan);
    crd_i_schema *schema = some_schema(context, has_header);
    transcript output = {NULL, 0, 0};
    crd_reader *reader = NULL;
    crd_error error;
    assert_int_equal(open_bytes(context, input, strlen(input), true, NULL, &reader, &error), CRD_OK);
    if (crd_i_reader_bind(reader, schema, &error) != CRD_OK) {
        say_error(&output, &error);
    } else {
        (void)say_rest(&output, reader, true);
    }
    assert_string_equal(output.text, expected);
    assert_string_equal(plan.log, expected_log);
    free(output.text);
    crd_reader_close(reader);
    crd_i_schema_destroy(schema);
    crd_context_destroy(context);
    assert_int_equal(plan.live, 0);
}

static void test_binding_by_name(void **state) {
    (void)state;
    expect_bound("z,q,k,a\n1,2,3,4\n", true, "#a @k #z\n2: 4 '3' 1\n", "");
    /* Rows to be predicted have no target, and nobody needs to hear of it. */
    expect_bound("z,a\nx,4\n", true, "#a @k @z\n2: 4 _ 'x'\n", "");
    expect_bound("a,k\n4,x\n", true, "#a @k ?z\n2: 4 'x' _\n", "t: 1 column is absent and counts as missing: z\n");
    expect_bound("k,b\n4,x\n", true, "column t:1:0 [] all of the 2 expected columns are missing, such as 'a'\n", "");
    expect_bound("a,z\nx,1\n", true, "number t:2:1 [a] 'x' is not a number\n", "");
}

static void test_binding_by_position(void **state) {
    (void)state;
    expect_bound("1 2 3 4\n", true, "#a @k #z\n1: 1 '2' 4\n", "");
    expect_bound("1 2 3 4\n", false, "#a @k #z\n1: 1 '2' 4\n", "");
    /* Without the target what stands behind it moves up. */
    expect_bound("1 3 4\n", true, "#a @k #z\n1: 1 _ 4\n", "");
    expect_bound("1 2\n", true,
                 "column t:1:0 [] 2 fields instead of 4, or 3 without the target: without a header, columns are "
                 "matched by position\n",
                 "");
}

/* A schema without a header makes the first record a row, whatever it looks like. */
static void test_binding_settles_whether_there_is_a_header(void **state) {
    (void)state;
    expect_bound("1,x,y,z\n2,x,3,w\n", false, "#a @k @z\n1: 1 'x' 'z'\n2: 2 'x' 'w'\n", "");
    expect_bound("w,x,y,z\n1,2,3,4\n", false, "number t:1:1 [a] 'w' is not a number\n", "");
    expect_bound("\n\n\"1\",\"x,\"\"\ny\",y,z\n", false, "#a @k @z\n3: 1 'x,\"\ny' 'z'\n", "");
    expect_bound("1,x,z\n", false, "#a @k @z\n1: 1 _ 'z'\n", "");
}

/* Files behind the first, and going back to the beginning of all of them. A schema with a header makes the names
 * that it has a header, even where they are numbers. */
static void test_a_schema_settles_the_headers_of_all_files(void **state) {
    (void)state;
    for (int has_header = 0; has_header < 2; has_header++) {
        binding_files these;
        begin_files(&these);
        add_file(&these, "1,2\n3,4\n");
        add_file(&these, "2,1\n5,6\n");
        add_file(&these, "1,2\n7,x\n");
        crd_i_schema *schema = crd_i_schema_create(these.context);
        assert_true(crd_i_schema_add(schema, crd_text_of("1"), CRD_TYPE_NONE, 0));
        assert_true(crd_i_schema_add(schema, crd_text_of("2"), CRD_TYPE_NONE, 1));
        schema->width = 2;
        schema->has_header = has_header;
        crd_reader *reader = NULL;
        crd_error error;
        transcript target_transcript = {NULL, 0, 0};
        assert_int_equal(open_files(&these, &reader, &error), CRD_OK);
        assert_false(crd_reader_has_header(reader));
        assert_int_equal(crd_i_reader_adopt(reader, schema, &error), CRD_OK);
        assert_int_equal(crd_reader_has_header(reader), has_header);
        assert_true(crd_text_equal(crd_reader_column_name(reader, 1), crd_text_of(has_header ? "2" : "c2")));
        (void)say_rest(&target_transcript, reader, true);
        assert_string_equal(target_transcript.text, has_header
                                                        ? "#1 @2\n2: 3 '4'\n#1 @2\n2: 6 '5'\n#1 @2\n2: 7 'x'\n"
                                                        : "#1 @2\n1: 1 '2'\n2: 3 '4'\n#1 @2\n1: 2 '1'\n2: 5 '6'\n"
                                                          "#1 @2\n1: 1 '2'\n2: 7 'x'\n");
        free(target_transcript.text);
        crd_reader_close(reader);
        crd_i_schema_destroy(schema);
        end_files(&these);
    }
}

static void test_binding_takes_the_missing_texts(void **state) {
    (void)state;
    allocations plan = {0};
    crd_context *context = logged_context(&plan);
    crd_i_schema *schema = some_schema(context, true);
    crd_text dash = crd_text_of("-");
    assert_true(crd_i_schema_set_missing(schema, &dash, 1, false));
    static const char TABLE[] = "a,k\n-,NA\n";
    static const char *const EXPECTED[] = {"#a @k ?z\n2: _ 'NA' _\n", "number t:2:1 [a] '-' is not a number\n"};
    for (int given = 0; given < 2; given++) {
        transcript output = {NULL, 0, 0};
        crd_text view = crd_text_of("NA");
        crd_reader_options options = CRD_READER_OPTIONS_INIT;
        options.missing = given ? &view : NULL;
        options.missing_count = 1;
        crd_reader *reader = NULL;
        crd_error error;
        assert_int_equal(open_bytes(context, TABLE, strlen(TABLE), true, &options, &reader, &error), CRD_OK);
        assert_int_equal(crd_i_reader_bind(reader, schema, &error), CRD_OK);
        (void)say_rest(&output, reader, true);
        assert_string_equal(output.text, EXPECTED[given]);
        free(output.text);
        crd_reader_close(reader);
    }
    crd_i_schema_destroy(schema);
    crd_context_destroy(context);
    assert_int_equal(plan.live, 0);
}

/* A reader bound to its own schema gives the frames it gives unbound. */
static void test_schema_of_a_reader(void **state) {
    (void)state;
    static const char TABLE[] = "id,a,k,e\n1,2,x,\n2,3,y,\n";
    allocations plan = {0};
    crd_context *context = logged_context(&plan);
    crd_reader *reader = NULL;
    crd_error error;
    transcript unbound = {NULL, 0, 0}, bound = {NULL, 0, 0};
    assert_int_equal(open_bytes(context, TABLE, strlen(TABLE), true, NULL, &reader, &error), CRD_OK);
    assert_int_equal(crd_reader_ignore(reader, 0, &error), CRD_OK);
    assert_int_equal(crd_reader_set_target(reader, 2, &error), CRD_OK);
    crd_i_schema *before = NULL, *after = NULL;
    assert_int_equal(crd_i_reader_schema(reader, &before, &error), CRD_OK);
    assert_int_equal(before->columns[0].type, CRD_TYPE_NONE);
    assert_int_equal(before->columns[1].type, CRD_TYPE_CATEGORICAL);
    assert_int_equal(say_rest(&unbound, reader, true), CRD_OK);
    assert_int_equal(crd_i_reader_schema(reader, &after, &error), CRD_OK);
    crd_reader_close(reader);
    assert_int_equal(after->count, 3);
    assert_int_equal(before->count, 3);
    assert_int_equal(after->target, 1);
    assert_int_equal(before->target, 1);
    assert_int_equal(after->width, 4);
    assert_true(after->has_header);
    assert_int_equal(after->missing_count, 16);
    assert_true(after->missing_any_case);
    assert_true(crd_text_equal(after->columns[0].name, crd_text_of("a")));
    assert_int_equal(after->columns[0].position, 1);
    assert_int_equal(after->columns[0].type, CRD_TYPE_NUMERIC);
    assert_int_equal(after->columns[2].type, CRD_TYPE_NONE);
    assert_int_equal(open_bytes(context, TABLE, strlen(TABLE), true, NULL, &reader, &error), CRD_OK);
    assert_int_equal(crd_i_reader_bind(reader, after, &error), CRD_OK);
    assert_int_equal(say_rest(&bound, reader, true), CRD_OK);
    assert_string_equal(bound.text, unbound.text);
    assert_int_equal(crd_i_reader_bind(reader, after, &error), CRD_ERROR_ARGUMENT);
    crd_reader_close(reader);
    free(bound.text);
    free(unbound.text);
    crd_i_schema_destroy(before);
    crd_i_schema_destroy(after);
    crd_context_destroy(context);
    assert_int_equal(plan.live, 0);
}

static void test_schemas_by_themselves(void **state) {
    (void)state;
    allocations plan = {0};
    crd_context *context = logged_context(&plan);
    crd_i_schema *schema = some_schema(context, true);
    crd_text texts[] = {crd_text_of("b"), crd_text_of("a"), crd_text_of(""), crd_text_of("a")};
    assert_true(crd_i_schema_set_missing(schema, texts, 4, false));
    crd_i_schema *copy = crd_i_schema_clone(schema);
    crd_i_schema_destroy(schema);
    assert_int_equal(copy->missing_count, 3);
    assert_string_equal(copy->missing[0].bytes, "");
    assert_string_equal(copy->missing[1].bytes, "a");
    assert_string_equal(copy->missing[2].bytes, "b");
    assert_int_equal(copy->count, 3);
    assert_int_equal(copy->target, 1);
    assert_int_equal(copy->width, 4);
    assert_true(copy->has_header);
    assert_int_equal(crd_i_schema_find(copy, crd_text_of("z")), 2);
    assert_int_equal(copy->columns[2].position, 3);
    assert_true(crd_i_schema_find(copy, crd_text_of("y")) == SIZE_MAX);
    crd_i_schema_destroy(copy);
    crd_i_schema_destroy(NULL);
    crd_context_destroy(context);
    assert_int_equal(plan.live, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files_meet_by_name),
        cmocka_unit_test(test_a_long_warning_is_cut),
        cmocka_unit_test(test_files_meet_by_position),
        cmocka_unit_test(test_faults_in_a_later_file),
        cmocka_unit_test(test_a_flip_in_the_second_file),
        cmocka_unit_test(test_text_line_and_place_of_rows),
        cmocka_unit_test(test_files_that_cannot_be_opened),
        cmocka_unit_test(test_binding_by_name),
        cmocka_unit_test(test_binding_by_position),
        cmocka_unit_test(test_binding_settles_whether_there_is_a_header),
        cmocka_unit_test(test_a_schema_settles_the_headers_of_all_files),
        cmocka_unit_test(test_binding_takes_the_missing_texts),
        cmocka_unit_test(test_schema_of_a_reader),
        cmocka_unit_test(test_schemas_by_themselves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
