/* SPDX-License-Identifier: MIT */
/* Arrow streams whose rows mean what they mean in a file: kinds of cells, missing words, forms; and streams that are made anew. */
#include "arrow_support.h"

#include <errno.h>
#include <math.h>

enum { ROWS = 4 };

/* A stream of one batch, over and over. */
typedef struct table {
    batch batch;
    bool is_given;
    int streams, live; /* made, and not yet released */
    int fault;         /* of renewing */
    bool loses_column; /* from the second stream on */
    int32_t days[ROWS], seconds[ROWS], share_ends[ROWS + 1], word_ends[ROWS + 1];
    int64_t moments[ROWS];
    double nothing[ROWS];
    uint8_t truths;
} table;

static table rows;

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    table *source_table = stream->private_data;
    *out = source_table->batch.schema;
    return 0;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    table *source_table = stream->private_data;
    *out = source_table->batch.array;
    if (source_table->is_given) out->release = NULL;
    source_table->is_given = true;
    return 0;
}

static void release_stream(struct ArrowArrayStream *stream) {
    ((table *)stream->private_data)->live--;
    stream->release = NULL;
}

static int make_stream(void *user, struct ArrowArrayStream *out) {
    table *source_table = user;
    if (source_table->streams > 0 && source_table->fault != 0) return source_table->fault;
    if (source_table->streams > 0 && source_table->loses_column) source_table->batch.schema.n_children--;
    source_table->is_given = false;
    source_table->streams++;
    source_table->live++;
    *out = (struct ArrowArrayStream){get_schema, get_next, NULL, release_stream, source_table};
    return 0;
}

/* Columns: day, a date; at, a moment; clock, a time; share, percentages; word; nothing; truth. The word of the first row would
 * mean missing in a file. */
static void begin_table(void) {
    static const char shares[] = "12.5%7%0%100%", words[] = "NAa?b";
    static const int32_t share_ends[] = {0, 5, 7, 9, 13}, word_ends[] = {0, 2, 3, 4, 5};
    memset(&rows, 0, sizeof rows);
    for (int i = 0; i < ROWS; i++) {
        rows.days[i] = 19782 + i; /* 2024-02-29, a Thursday, and on */
        rows.moments[i] = INT64_C(1709209805000) + INT64_C(3600000) * i;
        rows.seconds[i] = 60 * i;
        rows.nothing[i] = NAN;
    }
    memcpy(rows.share_ends, share_ends, sizeof share_ends);
    memcpy(rows.word_ends, word_ends, sizeof word_ends);
    rows.truths = 5;
    begin_batch(&rows.batch, ROWS);
    add_child(&rows.batch, "day", "tdD", rows.days, NULL);
    add_child(&rows.batch, "at", "tsm:", rows.moments, NULL);
    add_child(&rows.batch, "clock", "tts", rows.seconds, NULL);
    add_child(&rows.batch, "share", "u", rows.share_ends, shares);
    add_child(&rows.batch, "word", "u", rows.word_ends, words);
    add_child(&rows.batch, "nothing", "g", rows.nothing, NULL);
    add_child(&rows.batch, "truth", "b", &rows.truths, NULL);
}

static crd_status open_table(bool is_renewed, crd_reader **out) {
    struct ArrowArrayStream stream;
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    options.like_file = 1;
    if (is_renewed) options.renew = make_stream;
    options.renew_user = &rows;
    assert_int_equal(make_stream(&rows, &stream), 0);
    return crd_reader_open_arrow(context, &stream, NULL, &options, out, &error);
}

static const char EXPECTED[] =
    "#day.year @day.month @day.weekday #at.year @at.month @at.weekday @at.hour #clock #share @word ?nothing @truth\n"
    "1: 2024 '2' 'Thu' 2024 '2' 'Thu' '12' 0 0.125 'NA' _ 'true'\n"
    "2: 2024 '3' 'Fri' 2024 '2' 'Thu' '13' 60 0.07 'a' _ 'false'\n"
    "3: 2024 '3' 'Sat' 2024 '2' 'Thu' '14' 120 0 _ _ 'true'\n"
    "4: 2024 '3' 'Sun' 2024 '2' 'Thu' '15' 180 1 'b' _ 'false'\n";

static void test_rows_mean_what_they_mean_in_a_file(void **state) {
    (void)state;
    crd_reader *reader = NULL;
    begin_table();
    assert_int_equal(open_table(true, &reader), CRD_OK);
    assert_int_equal(crd_reader_detect_column_formats(reader, 1, &error), CRD_OK);
    for (int pass = 0; pass < 2; pass++) {
        transcript output = {NULL, 0, 0};
        assert_int_equal(say_rest(&output, reader, true), CRD_OK);
        assert_string_equal(output.text, EXPECTED);
        free(output.text);
        assert_int_equal(crd_reader_begin_again(reader, &error), CRD_OK);
    }
    crd_reader_close(reader);
    assert_int_equal(rows.streams, 4); /* the first, behind the look at texts, and twice behind the end */
    assert_int_equal(rows.live, 0);
}

static void test_streams_that_cannot_be_made_anew(void **state) {
    (void)state;
    crd_reader *reader = NULL;
    const crd_frame *next;
    begin_table();
    assert_int_equal(open_table(false, &reader), CRD_OK);
    assert_int_equal(crd_reader_next(reader, &next, &error), CRD_OK);
    assert_int_not_equal(crd_reader_begin_again(reader, &error), CRD_OK);
    crd_reader_close(reader);
    begin_table();
    rows.fault = EIO;
    assert_int_equal(open_table(true, &reader), CRD_OK);
    assert_int_equal(crd_reader_detect_column_formats(reader, 1, &error), CRD_ERROR_SYSTEM);
    assert_int_equal(error.system_error, EIO);
    crd_reader_close(reader);
    begin_table();
    rows.loses_column = true;
    assert_int_equal(open_table(true, &reader), CRD_OK);
    assert_int_equal(crd_reader_detect_column_formats(reader, 1, &error), CRD_ERROR_ARGUMENT);
    crd_reader_close(reader);
    assert_int_equal(rows.live, 0);
}

/* A date that the calendar of forms does not have, and a text that has not the form it is given. */
static void test_cells_without_the_form_name_their_row(void **state) {
    (void)state;
    crd_reader *reader = NULL;
    const crd_frame *next;
    begin_table();
    rows.days[2] = 4000000;
    assert_int_equal(open_table(true, &reader), CRD_OK);
    assert_int_equal(crd_reader_detect_column_formats(reader, 1, &error), CRD_OK);
    assert_int_equal(crd_reader_next(reader, &next, &error), CRD_ERROR_NUMBER);
    assert_int_equal(error.line, 3);
    crd_reader_close(reader);
    begin_table();
    assert_int_equal(open_table(true, &reader), CRD_OK);
    assert_int_equal(crd_reader_set_column_format(reader, 4, crd_text_of("date"), &error), CRD_OK);
    assert_int_equal(crd_reader_next(reader, &next, &error), CRD_ERROR_NUMBER);
    assert_string_equal(error.message, "the cell of column 'word' is 'NA', which is not a date (2024-02-29)");
    crd_reader_close(reader);
}

static void test_failing_memory(void **state) {
    (void)state;
    for (size_t index = 1;; index++) {
        crd_reader *reader = NULL;
        const crd_frame *next = NULL;
        begin_table();
        plan.calls = 0;
        plan.fail_at = index;
        crd_status status = open_table(true, &reader);
        if (status == CRD_OK) status = crd_reader_detect_column_formats(reader, 1, &error);
        if (status == CRD_OK) status = crd_reader_next(reader, &next, &error);
        crd_reader_close(reader);
        const bool reached = plan.calls >= index;
        plan.fail_at = 0;
        assert_int_equal(rows.live, 0);
        assert_int_equal(status, reached ? CRD_ERROR_MEMORY : CRD_OK);
        if (!reached) break;
    }
}

int main(void) {
#define IN_CONTEXT(test) cmocka_unit_test_setup_teardown(test, begin_context, end_context)
    const struct CMUnitTest tests[] = {
        IN_CONTEXT(test_rows_mean_what_they_mean_in_a_file),
        IN_CONTEXT(test_streams_that_cannot_be_made_anew),
        IN_CONTEXT(test_cells_without_the_form_name_their_row),
        IN_CONTEXT(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
