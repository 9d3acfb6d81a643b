/* SPDX-License-Identifier: MIT */
/* Each allocation failing in turn: out of memory is said, nothing leaks, nothing is touched that is not there. */
#include "table_support.h"

#include "table/formats/arrow_column.h"

/* Runs one life under a plan; true when it said CRD_ERROR_MEMORY, false when it came to its end. */
typedef bool (*memory_life)(crd_context *context);

static void fail_each_in_turn(memory_life live) {
    for (size_t call_index = 1;; call_index++) {
        allocations plan = {0};
        crd_context *context = logged_context(&plan);
        plan.calls = 0;
        plan.fail_at = call_index;
        bool failed = live(context);
        bool reached = plan.calls >= call_index;
        crd_context_destroy(context);
        assert_int_equal(plan.live, 0);
        assert_int_equal(failed, reached);
        if (!reached) {
            assert_true(call_index > 5);
            return;
        }
    }
}

static bool is_memory(crd_status status, const crd_error *error) {
    if (status == CRD_OK) return false;
    assert_int_equal(status, CRD_ERROR_MEMORY);
    assert_int_equal(error->status, CRD_ERROR_MEMORY);
    assert_string_equal(error->message, "out of memory");
    return true;
}

static bool read_to_end(crd_reader *reader) {
    crd_error error;
    for (;;) {
        const crd_frame *frame;
        crd_status status = crd_reader_next(reader, &frame, &error);
        if (is_memory(status, &error)) {
            assert_null(frame);
            return true;
        }
        if (status == CRD_OK && frame == NULL) return false;
    }
}

static char first_path[64], second_path[64], dated_path[64], late_path[64];

static int write_files(void **state) {
    (void)state;
    static const char FIRST[] = "a,b,c,d,e\n1,2,x,\"q\"\"q\",4\n2,3,y,zz,5\n3,?,x,z,6\n";
    /* b turns over, d is absent; in another order. */
    static const char SECOND[] = "c,b,a,e\nw,word,1,2\nv,word,1,2\n";
    write_temporary(first_path, FIRST, strlen(FIRST));
    write_temporary(second_path, SECOND, strlen(SECOND));
    /* A date, and an amount that comes after plain numbers. */
    static const char DATED[] = "a,when,k\n1,2024-02-29T12:30,x\n2,2024-03-01,y\n";
    static const char LATE[] = "a,when,k\n$5,2024-03-02,x\n";
    write_temporary(dated_path, DATED, strlen(DATED));
    write_temporary(late_path, LATE, strlen(LATE));
    return 0;
}

static int remove_files(void **state) {
    (void)state;
    unlink(first_path);
    unlink(second_path);
    unlink(dated_path);
    unlink(late_path);
    return 0;
}

/* Two files, a column that turns over in the second, and the schema taken at the end. */
static bool life_of_a_reader(crd_context *context) {
    const char *paths[] = {first_path, second_path};
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    options.block_bytes = 16;
    options.threads = 1; /* a thread that cannot be started is not an error */
    crd_reader *reader = NULL;
    crd_i_schema *schema = NULL;
    crd_error error;
    if (is_memory(crd_reader_open(context, paths, 2, &options, &reader, &error), &error)) {
        assert_null(reader);
        return true;
    }
    assert_int_equal(crd_reader_ignore(reader, 4, &error), CRD_OK);
    assert_int_equal(crd_reader_set_target(reader, 2, &error), CRD_OK);
    bool failed = read_to_end(reader);
    if (!failed) failed = is_memory(crd_i_reader_schema(reader, &schema, &error), &error);
    crd_reader_close(reader);
    crd_i_schema_destroy(schema);
    return failed;
}

/* Forms that are found before the first frame, and behind it. */
static bool life_of_a_reader_of_forms(crd_context *context) {
    const char *paths[] = {dated_path, late_path};
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    options.block_bytes = 16;
    options.threads = 1; /* a thread that cannot be started is not an error */
    crd_reader *reader = NULL;
    crd_i_schema *schema = NULL;
    crd_error error;
    if (is_memory(crd_reader_open(context, paths, 2, &options, &reader, &error), &error)) return true;
    bool failed = is_memory(crd_reader_detect_column_formats(reader, 1, &error), &error) || read_to_end(reader);
    if (!failed) failed = is_memory(crd_i_reader_schema(reader, &schema, &error), &error);
    if (!failed) {
        assert_int_equal(schema->count, 6);
        assert_int_equal(schema->columns[0].format.reading, CRD_I_READING_POINT);
        assert_int_equal(schema->columns[4].format.part, CRD_I_PART_HOUR);
    }
    crd_reader_close(reader);
    crd_i_schema_destroy(schema);
    return failed;
}

static bool life_of_a_bound_reader(crd_context *context) {
    static const char TABLE[] = "x,k\n1,u\n2,-\n";
    crd_text dash = crd_text_of("-");
    crd_reader *reader = NULL;
    crd_error error;
    bool failed = true;
    crd_i_schema *copy = NULL;
    crd_i_schema *schema = crd_i_schema_create(context);
    if (schema == NULL || !crd_i_schema_add(schema, crd_text_of("x"), CRD_TYPE_NUMERIC, 0) ||
        !crd_i_schema_add(schema, crd_text_of("k"), CRD_TYPE_CATEGORICAL, 1) ||
        !crd_i_schema_set_missing(schema, &dash, 1, false) || (copy = crd_i_schema_clone(schema)) == NULL)
        goto end;
    copy->target = 1;
    copy->width = 2;
    copy->has_header = true;
    if (is_memory(open_bytes(context, TABLE, strlen(TABLE), true, NULL, &reader, &error), &error)) goto end;
    if (is_memory(crd_i_reader_bind(reader, copy, &error), &error)) goto end;
    failed = read_to_end(reader);
end:
    crd_reader_close(reader);
    crd_i_schema_destroy(copy);
    crd_i_schema_destroy(schema);
    return failed;
}

static int leave_out(void *user, const crd_error *fault, crd_text row) {
    (void)user, (void)fault, (void)row;
    return 1;
}

/* Bytes that are converted, and rows that are left out. */
static bool life_of_a_converted_reader(crd_context *context) {
    static const char JSON[] = "[{\"a\": 1, \"b\": \"x\"},\n{\"a\": tru, \"b\": 2},\n{\"a\": 1e999}]\n";
    static const char UTF16[] = "\xFF\xFE"
                                "a\0,\0b\0\n\0001\0,\0\"\0x\0\n\0002\0,\0y\0\n\0003\0\n\0";
    for (size_t i = 0; i < 2; i++) {
        crd_reader_options options = CRD_READER_OPTIONS_INIT;
        options.bad_row = leave_out;
        options.block_bytes = 8;
        options.threads = 1;
        crd_reader *reader = NULL;
        crd_error error;
        const char *bytes = i == 0 ? JSON : UTF16;
        size_t length = i == 0 ? sizeof JSON - 1 : sizeof UTF16 - 1;
        bool failed = is_memory(open_bytes(context, bytes, length, true, &options, &reader, &error), &error);
        if (!failed) failed = read_to_end(reader);
        crd_reader_close(reader);
        if (failed) return true;
    }
    return false;
}

static bool life_of_a_frame(crd_context *context) {
    static const double VALUES[] = {1, 2};
    static const int32_t CODES[] = {0, 1};
    crd_text values[] = {crd_text_of("red"), crd_text_of("blue")};
    crd_frame *frame = NULL;
    crd_error error;
    bool failed = is_memory(crd_frame_create(context, 2, &frame, &error), &error) ||
                  is_memory(crd_frame_add_numbers(frame, crd_text_of("x"), VALUES, NULL, &error), &error) ||
                  is_memory(crd_frame_add_codes(frame, crd_text_of("k"), CODES, NULL, values, 2, &error), &error) ||
                  is_memory(crd_frame_add_texts(frame, crd_text_of("t"), values, &error), &error);
    crd_frame_destroy(frame);
    return failed;
}

static void release_schema(struct ArrowSchema *schema) {
    schema->release = NULL;
}

static void release_array(struct ArrowArray *array) {
    array->release = NULL;
}

static bool life_of_a_batch(crd_context *context) {
    static const int32_t INTEGERS[] = {1, 0}, OFFSETS[] = {0, 1, 2};
    const void *buffers[] = {NULL, INTEGERS}, *text_buffers[] = {NULL, OFFSETS, "ab"}, *none[] = {NULL};
    struct ArrowSchema schemas[] = {{.format = "i", .name = "i", .release = release_schema},
                                    {.format = "u", .name = "u", .release = release_schema},
                                    {.format = "i", .name = "d", .release = release_schema}};
    struct ArrowArray arrays[] = {
        {.length = 2, .n_buffers = 2, .buffers = buffers, .release = release_array},
        {.length = 2, .n_buffers = 3, .buffers = text_buffers, .release = release_array},
        {.length = 2, .n_buffers = 2, .buffers = buffers, .release = release_array},
    };
    schemas[2].dictionary = &schemas[1];
    arrays[2].dictionary = &arrays[1];
    struct ArrowSchema *schema_pointers[] = {&schemas[0], &schemas[1], &schemas[2]};
    struct ArrowArray *array_pointers[] = {&arrays[0], &arrays[1], &arrays[2]};
    struct ArrowSchema schema = {
        .format = "+s", .n_children = 3, .children = schema_pointers, .release = release_schema};
    struct ArrowArray array = {.length = 2,
                               .n_buffers = 1,
                               .buffers = none,
                               .n_children = 3,
                               .children = array_pointers,
                               .release = release_array};
    crd_frame *frame = NULL;
    crd_error error;
    bool failed = is_memory(crd_frame_borrow_arrow(context, &schema, &array, &frame, &error), &error);
    crd_frame_destroy(frame);
    return failed;
}

/* Rows that leave most of many columns out, and one that has them all; texts are kept. */
static bool life_of_sparse_rows(crd_context *context) {
    enum { WIDTH = 66 };
    transcript table = {NULL, 0, 0};
    say(&table, "@relation r\n");
    for (int i = 0; i < WIDTH; i++) say(&table, "@attribute a%d %s\n", i, i % 2 == 0 ? "real" : "{x,y}");
    say(&table, "@data\n{}\n{0 1, 65 y}\n{1 y}\n");
    for (int i = 0; i < WIDTH; i++) say(&table, "%s%s", i == 0 ? "" : ",", i % 2 == 0 ? "3" : "y");
    say(&table, "\n{64 ?}\n");
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    options.keep_text = 1;
    options.threads = 1;
    crd_reader *reader = NULL;
    crd_error error;
    crd_status status = open_bytes(context, table.text, table.length, true, &options, &reader, &error);
    bool failed = is_memory(status, &error) || read_to_end(reader);
    crd_reader_close(reader);
    free(table.text);
    return failed;
}

/* Keys come one after the other, and one of their columns turns over. */
static bool life_of_objects(crd_context *context) {
    static const char lines[] = "{\"a\": 1}\n{\"b\": 2, \"c\": \"x\"}\n{\"a\": \"word\"}\n{\"d\": null, \"c\": 3}\n";
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    crd_reader *reader = NULL;
    crd_error error;
    crd_status status = open_bytes(context, lines, sizeof lines - 1, true, &options, &reader, &error);
    bool failed = is_memory(status, &error) || read_to_end(reader);
    crd_reader_close(reader);
    return failed;
}

static void test_sparse_rows(void **state) {
    (void)state;
    fail_each_in_turn(life_of_sparse_rows);
    fail_each_in_turn(life_of_objects);
}

static void test_a_reader(void **state) {
    (void)state;
    fail_each_in_turn(life_of_a_reader);
}

static void test_a_reader_of_forms(void **state) {
    (void)state;
    fail_each_in_turn(life_of_a_reader_of_forms);
}

static void test_a_bound_reader(void **state) {
    (void)state;
    fail_each_in_turn(life_of_a_bound_reader);
    fail_each_in_turn(life_of_a_converted_reader);
}

static void test_a_frame(void **state) {
    (void)state;
    fail_each_in_turn(life_of_a_frame);
}

static void test_a_batch(void **state) {
    (void)state;
    fail_each_in_turn(life_of_a_batch);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_reader),       cmocka_unit_test(test_a_reader_of_forms),
        cmocka_unit_test(test_a_bound_reader), cmocka_unit_test(test_a_frame),
        cmocka_unit_test(test_a_batch),        cmocka_unit_test(test_sparse_rows),
    };
    return cmocka_run_group_tests(tests, write_files, remove_files);
}
