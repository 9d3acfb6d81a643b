/* SPDX-License-Identifier: MIT */
/* Readers over Arrow streams and over frames: rows, kinds that are given, what is refused, and who releases what. */
#include "arrow_support.h"

#include <errno.h>
#include <math.h>

/* ---- A stream of batches that are counted ---- */

enum { ROWS = 5 };

typedef struct counted_stream {
    struct ArrowArrayStream stream;
    size_t batches, given; /* in all, and so far */
    size_t fails_at;       /* the batch, from 1, at which get_next fails; 0: none */
    int schema_fault;
    int64_t rows;       /* of each batch */
    bool lacks_child;   /* the batches have a child less than the schema */
    const char *format; /* of the last column */
    long live;          /* arrays and schemas that were given and not released */
    int releases;       /* of the stream */
    bool is_empty_in_between;
} counted_stream;

typedef struct owned_batch {
    batch batch;
    counted_stream *stream;
    double numbers[ROWS];
    int64_t classes[ROWS];
    int32_t offsets[ROWS + 1];
} owned_batch;

static void release_owned_array(struct ArrowArray *array) {
    owned_batch *owned = array->private_data;
    assert_non_null(array->release);
    array->release = NULL;
    owned->stream->live--;
    free(owned);
}

static void release_owned_schema(struct ArrowSchema *schema) {
    owned_batch *owned = schema->private_data;
    assert_non_null(schema->release);
    schema->release = NULL;
    owned->stream->live--;
    free(owned);
}

/* Columns: x, double, NaN in row 3; y, int64; u, utf8. */
static owned_batch *make_batch(counted_stream *stream, size_t number) {
    owned_batch *owned = calloc(1, sizeof *owned);
    assert_non_null(owned);
    owned->stream = stream;
    begin_batch(&owned->batch, stream->rows);
    for (int64_t i = 0; i < ROWS; i++) {
        owned->numbers[i] = i == 2 ? NAN : (double)number * 10 + (double)i;
        owned->classes[i] = i % 2 == 0 ? INT64_C(9007199254740993) : 7;
        owned->offsets[i + 1] = (int32_t)i + 1;
    }
    add_child(&owned->batch, "x", "g", owned->numbers, NULL);
    add_child(&owned->batch, "y", "l", owned->classes, NULL);
    add_child(&owned->batch, "u", "u", owned->offsets, "12a45");
    if (stream->format != NULL) owned->batch.child_schemas[2].format = stream->format;
    owned->batch.array.private_data = owned->batch.schema.private_data = owned;
    owned->batch.array.release = release_owned_array;
    owned->batch.schema.release = release_owned_schema;
    stream->live++;
    return owned;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    counted_stream *counted = stream->private_data;
    if (counted->schema_fault != 0) return counted->schema_fault;
    *out = make_batch(counted, 0)->batch.schema;
    return 0;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    counted_stream *counted = stream->private_data;
    if (counted->given == counted->batches) {
        out->release = NULL;
        return 0;
    }
    if (++counted->given == counted->fails_at) return EPIPE;
    int64_t rows = counted->rows;
    if (counted->is_empty_in_between && counted->given % 2 == 0) counted->rows = 0;
    *out = make_batch(counted, counted->given)->batch.array;
    counted->rows = rows;
    if (counted->lacks_child) out->n_children--;
    return 0;
}

static const char *get_last_error(struct ArrowArrayStream *stream) {
    (void)stream;
    return "the tap is dry";
}

static void release_stream(struct ArrowArrayStream *stream) {
    ((counted_stream *)stream->private_data)->releases++;
    stream->release = NULL;
}

static void begin_stream(counted_stream *counted, size_t batches) {
    memset(counted, 0, sizeof *counted);
    counted->batches = batches;
    counted->rows = ROWS;
    counted->stream = (struct ArrowArrayStream){get_schema, get_next, get_last_error, release_stream, counted};
}

static void expect_released(const counted_stream *source_stream) {
    assert_int_equal(source_stream->live, 0);
    assert_int_equal(source_stream->releases, 1);
    assert_null(source_stream->stream.release);
}

/* ---- Rows ---- */

static crd_reader *reader;

static void open_stream(counted_stream *source_stream, const crd_reader_options *options) {
    assert_int_equal(crd_reader_open_arrow(context, &source_stream->stream, NULL, options, &reader, &error), CRD_OK);
    assert_null(source_stream->stream.release);
}

static void expect_rows(const char *expected) {
    transcript output = {NULL, 0, 0};
    (void)say_rest(&output, reader, true);
    assert_string_equal(output.text, expected);
    free(output.text);
    crd_reader_close(reader);
    reader = NULL;
}

static void test_rows_of_a_stream(void **state) {
    (void)state;
    counted_stream stream;
    begin_stream(&stream, 2);
    open_stream(&stream, NULL);
    assert_int_equal(crd_reader_format(reader), CRD_FORMAT_COLUMNS);
    assert_int_equal(crd_reader_column_count(reader), 3);
    assert_true(crd_text_equal(crd_reader_column_name(reader, 2), crd_text_of("u")));
    assert_string_equal(crd_reader_place(reader), "stream");
    expect_rows("#x #y @u\n1: 10 9007199254740992 '1'\n2: 11 7 '2'\n3: _ 9007199254740992 'a'\n4: 13 7 '4'\n"
                "5: 14 9007199254740992 '5'\n"
                "#x #y @u\n6: 20 9007199254740992 '1'\n7: 21 7 '2'\n8: _ 9007199254740992 'a'\n9: 23 7 '4'\n"
                "10: 24 9007199254740992 '5'\n");
    expect_released(&stream);

    /* Batches without rows in between. */
    begin_stream(&stream, 4);
    stream.is_empty_in_between = true;
    open_stream(&stream, NULL);
    size_t frames = 0;
    for (const crd_frame *next;; frames++) {
        assert_int_equal(crd_reader_next(reader, &next, &error), CRD_OK);
        if (next == NULL) break;
    }
    assert_int_equal(frames, 2);
    crd_reader_close(reader);
    expect_released(&stream);

    begin_stream(&stream, 0);
    open_stream(&stream, NULL);
    transcript output = {NULL, 0, 0};
    assert_int_equal(say_rest(&output, reader, true), CRD_OK);
    assert_null(output.text);
    crd_reader_close(reader);
    expect_released(&stream);

    /* Closed before its end. */
    begin_stream(&stream, 3);
    open_stream(&stream, NULL);
    const crd_frame *first;
    assert_int_equal(crd_reader_next(reader, &first, &error), CRD_OK);
    crd_reader_close(reader);
    expect_released(&stream);
}

static void test_kinds_that_are_given(void **state) {
    (void)state;
    counted_stream stream;
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    const crd_text missing[] = {{"a", 1}};
    options.missing = missing;
    options.missing_count = 1;
    begin_stream(&stream, 1);
    open_stream(&stream, &options);
    assert_int_equal(crd_reader_set_target(reader, 1, &error), CRD_OK);
    assert_int_equal(crd_reader_set_column_type(reader, 2, CRD_TYPE_NUMERIC, &error), CRD_OK);
    assert_int_equal(crd_reader_set_column_type(reader, 0, CRD_TYPE_CATEGORICAL, &error), CRD_OK);
    expect_rows("@x @y #u\n1: '10' '9007199254740993' 1\n2: '11' '7' 2\n3: _ '9007199254740993' _\n4: '13' '7' 4\n"
                "5: '14' '9007199254740993' 5\n");
    expect_released(&stream);

    begin_stream(&stream, 2);
    open_stream(&stream, NULL);
    assert_int_equal(crd_reader_set_column_type(reader, 2, CRD_TYPE_NUMERIC, &error), CRD_OK);
    expect_rows("number stream:3:3 [u] the cell of column 'u' is a text that is not a number\n");
    expect_released(&stream);

    begin_stream(&stream, 2);
    open_stream(&stream, NULL);
    assert_int_equal(crd_reader_set_weight(reader, 0, &error), CRD_OK);
    expect_rows(
        "weight stream:3:1 [x] the cell of column 'x' is missing: use 0 to ignore the row, or 1 to count it once\n");
    expect_released(&stream);

    options = (crd_reader_options)CRD_READER_OPTIONS_INIT;
    options.max_categories = 3;
    begin_stream(&stream, 2);
    open_stream(&stream, &options);
    expect_rows("limit stream:4:3 [u] the cell of column 'u' is one of more than 3 different values: is the column an "
                "identifier?\n");
    expect_released(&stream);
}

static void test_nested_columns(void **state) {
    (void)state;
    counted_stream stream;
    begin_stream(&stream, 1);
    stream.format = "+m";
    open_stream(&stream, NULL);
    expect_rows("column stream:0:0 [u] column 'u' is a map, neither a number nor a category: ignore it, or convert it "
                "to columns of numbers or texts\n");
    begin_stream(&stream, 1);
    stream.format = "+m";
    open_stream(&stream, NULL);
    assert_int_equal(crd_reader_ignore(reader, 2, &error), CRD_OK);
    expect_rows("#x #y\n1: 10 9007199254740992\n2: 11 7\n3: _ 9007199254740992\n4: 13 7\n5: 14 9007199254740992\n");
    expect_released(&stream);
}

static void test_faults(void **state) {
    (void)state;
    counted_stream source_stream;
    begin_stream(&source_stream, 3);
    source_stream.fails_at = 2;
    open_stream(&source_stream, NULL);
    const crd_frame *first;
    assert_int_equal(crd_reader_next(reader, &first, &error), CRD_OK);
    assert_int_equal(crd_reader_next(reader, &first, &error), CRD_ERROR_SYSTEM);
    assert_string_equal(error.message, "the Arrow stream cannot be read: the tap is dry");
    assert_int_equal(error.system_error, EPIPE);
    assert_int_equal(crd_reader_next(reader, &first, &error), CRD_ERROR_SYSTEM);
    assert_int_equal(crd_reader_begin_again(reader, &error), CRD_ERROR_TYPE);
    crd_reader_close(reader);
    expect_released(&source_stream);

    begin_stream(&source_stream, 1);
    source_stream.schema_fault = ENOMEM;
    assert_int_equal(crd_reader_open_arrow(context, &source_stream.stream, "tap", NULL, &reader, &error),
                     CRD_ERROR_SYSTEM);
    assert_string_equal(error.place, "tap");
    assert_null(reader);
    expect_released(&source_stream);
    assert_int_equal(crd_reader_open_arrow(context, &source_stream.stream, "tap", NULL, &reader, &error),
                     CRD_ERROR_ARGUMENT);

    begin_stream(&source_stream, 1);
    source_stream.lacks_child = true;
    open_stream(&source_stream, NULL);
    expect_rows("argument stream:0:0 [] the Arrow array has 2 children, but its schema has 3\n");
    expect_released(&source_stream);
}

/* ---- Slices, workers and parts ---- */

static void test_slices(void **state) {
    (void)state;
    double numbers[100];
    int32_t codes[100];
    const crd_text words[] = {{"p", 1}, {"q", 1}, {"unused", 6}};
    uint8_t validity[13];
    for (int i = 0; i < 100; i++) numbers[i] = i, codes[i] = i % 3 == 0 ? -1 : i % 2;
    memset(validity, 0xFD, sizeof validity);
    crd_frame *one = NULL, *other = NULL;
    assert_int_equal(crd_frame_create(context, 100, &one, &error), CRD_OK);
    assert_int_equal(crd_frame_add_numbers(one, crd_text_of("x"), numbers, validity, &error), CRD_OK);
    assert_int_equal(crd_frame_add_codes(one, crd_text_of("c"), codes, NULL, words, 3, &error), CRD_OK);
    assert_int_equal(crd_frame_create(context, 2, &other, &error), CRD_OK);
    assert_int_equal(crd_frame_add_numbers(other, crd_text_of("c"), numbers, NULL, &error), CRD_OK);
    const crd_frame *both[] = {one, other};
    char *whole = NULL;
    for (size_t block = 0; block < 2000; block += 97) {
        crd_reader_options options = CRD_READER_OPTIONS_INIT;
        options.block_bytes = block;
        assert_int_equal(crd_reader_open_frames(context, both, 2, NULL, &options, &reader, &error), CRD_OK);
        transcript output = {NULL, 0, 0};
        say_essence(&output, reader);
        if (whole == NULL) whole = output.text;
        assert_string_equal(output.text, whole);
        if (output.text != whole) free(output.text);
        crd_reader_close(reader);
    }
    /* A number where the column is a category is its text; an absent column is missing. */
    assert_non_null(strstr(whole, "\n101: _ '0'\n102: _ '1'\n"));
    assert_non_null(strstr(whole, "\n1: 0 _\n2: _ 'q'\n3: 2 'p'\n"));

    /* Every row is in one of three parts. */
    size_t rows = 0;
    for (unsigned part = 1; part <= 3; part++) {
        crd_reader_options options = CRD_READER_OPTIONS_INIT;
        options.block_bytes = 64;
        options.shard = part;
        options.shard_count = 3;
        assert_int_equal(crd_reader_open_frames(context, both, 2, NULL, &options, &reader, &error), CRD_OK);
        for (const crd_frame *next;;) {
            assert_int_equal(crd_reader_next(reader, &next, &error), CRD_OK);
            if (next == NULL) break;
            for (size_t row = 0; row < crd_frame_rows(next); row++, rows++) {
                char line[32];
                snprintf(line, sizeof line, "\n%llu: ", (unsigned long long)crd_reader_line(reader, row));
                assert_non_null(strstr(whole, line));
            }
        }
        crd_reader_close(reader);
    }
    assert_int_equal(rows, 102);
    free(whole);
    crd_frame_destroy(one);
    crd_frame_destroy(other);
}

static void test_frames_can_be_read_again(void **state) {
    (void)state;
    const double numbers[] = {1, 2};
    assert_int_equal(crd_frame_create(context, 2, &frame, &error), CRD_OK);
    assert_int_equal(crd_frame_add_numbers(frame, crd_text_of("x"), numbers, NULL, &error), CRD_OK);
    const crd_frame *only = frame;
    assert_int_equal(crd_reader_open_frames(context, &only, 1, NULL, NULL, &reader, &error), CRD_OK);
    const crd_frame *next;
    for (int pass = 0; pass < 2; pass++) {
        assert_int_equal(crd_reader_next(reader, &next, &error), CRD_OK);
        assert_ptr_equal(next->columns[0].numbers, numbers);
        assert_int_equal(crd_reader_next(reader, &next, &error), CRD_OK);
        assert_null(next);
        assert_int_equal(crd_reader_begin_again(reader, &error), CRD_OK);
    }
    crd_reader_close(reader);
    assert_int_equal(crd_reader_open_frames(context, NULL, 1, NULL, NULL, &reader, &error), CRD_ERROR_ARGUMENT);
}

/* ---- Failing memory: everything is released once all the same ---- */

static void test_failing_memory(void **state) {
    (void)state;
    for (size_t index = 1;; index++) {
        counted_stream counted;
        begin_stream(&counted, 2);
        plan.calls = 0;
        plan.fail_at = index;
        crd_status status = crd_reader_open_arrow(context, &counted.stream, NULL, NULL, &reader, &error);
        if (status == CRD_OK) status = crd_reader_set_target(reader, 1, &error);
        for (const crd_frame *next = frame; status == CRD_OK;) {
            status = crd_reader_next(reader, &next, &error);
            if (next == NULL) break;
        }
        crd_reader_close(reader);
        reader = NULL;
        bool reached = plan.calls >= index;
        plan.fail_at = 0;
        expect_released(&counted);
        assert_int_equal(status, reached ? CRD_ERROR_MEMORY : CRD_OK);
        if (!reached) break;
    }
}

int main(void) {
#define IN_CONTEXT(test) cmocka_unit_test_setup_teardown(test, begin_context, end_context)
    const struct CMUnitTest tests[] = {
        IN_CONTEXT(test_rows_of_a_stream), IN_CONTEXT(test_kinds_that_are_given),
        IN_CONTEXT(test_nested_columns),   IN_CONTEXT(test_faults),
        IN_CONTEXT(test_slices),           IN_CONTEXT(test_frames_can_be_read_again),
        IN_CONTEXT(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
