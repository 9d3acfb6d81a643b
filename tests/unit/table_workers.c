/* SPDX-License-Identifier: MIT */
/* Lanes in threads of their own give what one reader gives: the same rows in the same order, the same lines and cells,
 * the same error at the same place, whatever the size of chunks and the number of workers. */
#include "sanitizer_support.h"
#include "table_support.h"

#include "table/read/reader_internal.h"

#include <pthread.h>

enum { MOST_LANES = 8 };

/* What workers say in turn, so that nothing needs a lock. */
typedef struct workers_hall {
    crd_reader *reader;
    transcript rows;
    crd_column_type types[64];
    size_t frames_until_cancel; /* 0: nobody cancels */
    crd_context *context;
} workers_hall;

typedef struct workers_speaker {
    workers_hall *in;
    crd_worker *worker;
    crd_status status;
    crd_error error;
} workers_speaker;

static void say_lane_frame(workers_hall *in, const crd_worker *worker, const crd_frame *frame) {
    size_t columns = crd_frame_column_count(frame), fields = crd_reader_column_count(in->reader);
    for (size_t i = 0; i < columns && i < 64; i++) {
        if (crd_frame_column_type(frame, i) > in->types[i]) in->types[i] = crd_frame_column_type(frame, i);
    }
    for (size_t row = 0; row < crd_frame_rows(frame); row++) {
        say(&in->rows, "%s:%llu:", crd_i_worker_place(worker), (unsigned long long)crd_i_worker_line(worker, row));
        for (size_t i = 0; i < columns; i++) {
            crd_value value = crd_frame_value(frame, row, i);
            if (value.type == CRD_TYPE_NONE) say(&in->rows, " _");
            if (value.type == CRD_TYPE_CATEGORICAL) say(&in->rows, " '%.*s'", (int)value.text.length, value.text.bytes);
            if (value.type == CRD_TYPE_NUMERIC) say(&in->rows, " %a", value.number);
        }
        for (size_t i = 0; i < fields; i++) {
            crd_text text = crd_worker_cell(worker, row, i);
            say(&in->rows, "|%.*s", (int)text.length, text.bytes);
        }
        say(&in->rows, "\n");
    }
}

static void *speak(void *argument) {
    workers_speaker *speaker = argument;
    for (;;) {
        const crd_frame *frame;
        speaker->status = crd_i_worker_next(speaker->worker, &frame, &speaker->error);
        if (speaker->status != CRD_OK || frame == NULL) return NULL;
        if (!crd_i_worker_wait_turn(speaker->worker)) continue;
        say_lane_frame(speaker->in, speaker->worker, frame);
        if (speaker->in->frames_until_cancel > 0 && --speaker->in->frames_until_cancel == 0)
            crd_context_cancel(speaker->in->context);
    }
}

/* One pass with so many workers; every worker ends alike. */
static crd_status pass(workers_hall *in, unsigned count, crd_error *error) {
    crd_worker *lanes[MOST_LANES];
    workers_speaker speakers[MOST_LANES];
    pthread_t threads[MOST_LANES];
    crd_status status = crd_i_reader_make_workers(in->reader, count, lanes, error);
    if (status != CRD_OK) return status;
    for (unsigned i = 0; i < count; i++) {
        speakers[i] = (workers_speaker){.in = in, .worker = lanes[i]};
        assert_int_equal(pthread_create(&threads[i], NULL, speak, &speakers[i]), 0);
    }
    for (unsigned i = 0; i < count; i++) pthread_join(threads[i], NULL);
    for (unsigned i = 1; i < count; i++) {
        assert_int_equal(speakers[i].status, speakers[0].status);
        if (speakers[0].status == CRD_OK || speakers[0].status == CRD_I_READ_AGAIN) continue;
        assert_string_equal(speakers[i].error.message, speakers[0].error.message);
        assert_int_equal(speakers[i].error.line, speakers[0].error.line);
    }
    *error = speakers[0].error;
    return speakers[0].status;
}

static void read_all(workers_hall *in, unsigned count, transcript *target_transcript) {
    crd_error error;
    crd_status status;
    while ((status = pass(in, count, &error)) == CRD_I_READ_AGAIN) {
        in->rows.length = 0;
        memset(in->types, 0, sizeof in->types);
        status = crd_reader_begin_again(in->reader, &error);
        if (status != CRD_OK) break;
    }
    if (status != CRD_OK) say_error(target_transcript, &error);
    for (size_t i = 0; status == CRD_OK && i < 64; i++) say(target_transcript, "%c", "?#@"[in->types[i]]);
    if (status == CRD_OK && in->rows.length > 0) say(target_transcript, "\n%s", in->rows.text);
    say(target_transcript, "\n");
}

static char *read_with(const char *bytes, size_t length, bool can_rewind, const crd_reader_options *options,
                       unsigned count) {
    transcript target_transcript = {NULL, 0, 0};
    crd_context *context = NULL;
    crd_error error;
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    workers_hall in = {.context = context};
    if (open_bytes(context, bytes, length, can_rewind, options, &in.reader, &error) != CRD_OK)
        say_error(&target_transcript, &error);
    else read_all(&in, count, &target_transcript);
    crd_reader_close(in.reader);
    crd_context_destroy(context);
    free(in.rows.text);
    return target_transcript.text;
}

static void expect_same(const char *bytes, size_t length, bool can_rewind, crd_reader_options options) {
    static const unsigned COUNTS[] = {2, 3, 8};
    options.keep_text = 1;
    char *alone = read_with(bytes, length, can_rewind, &options, 1);
    for (size_t i = 0; i < sizeof COUNTS / sizeof COUNTS[0]; i++) {
        char *together = read_with(bytes, length, can_rewind, &options, COUNTS[i]);
        if (strcmp(alone, together) != 0) print_message("%u lanes, %zu bytes\n", COUNTS[i], options.block_bytes);
        assert_string_equal(together, alone);
        free(together);
    }
    free(alone);
}

static uint64_t seed = 20261115;

static size_t draw(size_t below) {
    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (size_t)(seed >> 33) % below;
}

/* A table of a few columns; `odd` in a thousand cells are unlike the others. */
static void write_random(transcript *target_transcript, size_t rows, size_t odd, bool quotes, const char *line_end) {
    static const char *const ODD[] = {"word",           "?",          "",   "inf", "1e999", "\"a,b\"",
                                      "\"two\nlines\"", "\"q\"\"q\"", " 7 "};
    static const char *const NAMES[] = {"red", "green", "blue", "NA", "a longer name than eight bytes"};
    say(target_transcript, "x,k,y,z%s", line_end);
    for (size_t row = 0; row < rows; row++) {
        for (size_t i = 0; i < 4; i++) {
            const char *end = i == 3 ? line_end : ",";
            if (draw(1000) < odd) say(target_transcript, "%s%s", ODD[draw(quotes ? 9 : 5)], end);
            else if (i == 1) say(target_transcript, "%s%s", NAMES[draw(5)], end);
            else say(target_transcript, "%s%zu.%zu%s", draw(2) ? "-" : "", draw(100), draw(100000), end);
        }
        if (draw(1000) < odd / 4) say(target_transcript, "%s", draw(2) ? "\n" : "1,2\n");
    }
}

static void test_rows_and_errors_of_any_number_of_lanes(void **state) {
    (void)state;
    for (size_t round = 0; round < (IS_THREAD_SANITIZED ? 12 : 60); round++) {
        static const size_t ODDS[] = {0, 1, 10, 0};
        static const size_t BLOCKS[] = {1, 17, 100, 333, 1000, 0};
        transcript table = {NULL, 0, 0};
        write_random(&table, 20 + draw(300), ODDS[round % 4], round % 3 == 1, round % 5 == 4 ? "\r\n" : "\n");
        for (size_t i = 0; i < sizeof BLOCKS / sizeof BLOCKS[0]; i++) {
            crd_reader_options options = CRD_READER_OPTIONS_INIT;
            options.block_bytes = BLOCKS[i];
            expect_same(table.text, table.length, i % 2 == 0, options);
        }
        free(table.text);
    }
}

/* A blank line sends a chunk the slow path, which must not show. */
static void test_the_short_way_and_the_careful_one(void **state) {
    (void)state;
    for (size_t round = 0; round < 200; round++) {
        transcript table = {NULL, 0, 0};
        crd_reader_options options = CRD_READER_OPTIONS_INIT;
        options.keep_text = 1;
        options.max_categories = round % 7 == 6 ? 4 : 0;
        write_random(&table, 1 + draw(200), round % 2 ? 0 : 2, round % 3 == 1, round % 5 == 4 ? "\r\n" : "\n");
        char *fast_text = read_with(table.text, table.length, true, &options, 1);
        say(&table, " \n");
        char *careful = read_with(table.text, table.length, true, &options, 1);
        assert_string_equal(fast_text, careful);
        free(fast_text);
        free(careful);
        free(table.text);
    }
}

/* Of several faults the first is told, whatever the chunks and whoever reads them; whether an infinite cell is one is
 * settled by the rows before the first row that is broken. */
static void test_the_first_fault(void **state) {
    (void)state;
    static const struct {
        const char *table, *error;
    } CASES[] = {
        {"x,k\n1,a\ninf,b\n2,c\n", "number t:3:1 "},
        {"x,k\n1,a\ninf,b\n2,c\n3\n4,d\n", "number t:3:1 "},
        {"x,k\n1,a\ninf,b\n2,c\n3\nword,d\n", "number t:3:1 "},
        {"x,k\n1,a\ninf,b\nword,c\n3\n4,d\n", "syntax t:5:0 "},
        {"x,k\n1,a\n2,b\nword,c\n3\n4,d\n", "syntax t:5:0 "},
        {"x,y\n1,1\nword,inf\n2,2\n3\n4,d\n", "number t:3:2 "},
        {"x,y\n1,1\nword,inf\n\"two\nlines\",word\n3\n4,d\n", "syntax t:6:0 "},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++)
        for (size_t block = 0; block < 60; block++)
            for (unsigned count = 1; count <= 3; count++) {
                crd_reader_options options = CRD_READER_OPTIONS_INIT;
                options.block_bytes = block;
                char *said = read_with(CASES[i].table, strlen(CASES[i].table), true, &options, count);
                if (strncmp(said, CASES[i].error, strlen(CASES[i].error)) != 0)
                    fail_msg("'%s' of '%s' in blocks of %zu by %u", said, CASES[i].table, block, count);
                free(said);
            }
}

/* A row that is too long says the same, however much of it is there when that is seen. */
static void test_too_long_a_row(void **state) {
    (void)state;
    static const char TABLE[] =
        "x,k\n1,a\n\"a quoted\ncell\",and much more\n2,b\n\"never closed,3\n4,5\n6,7\n8,9\n10,11\n";
    static const struct {
        size_t longest;
        const char *error;
    } CASES[] = {{10, "limit t:3:0 "}, {18, "limit t:3:0 "}, {29, "limit t:6:0 "}, {99, "syntax"}};
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        char *first = NULL;
        for (size_t block = 0; block < 80; block++)
            for (unsigned count = 1; count <= 3; count++) {
                crd_reader_options options = CRD_READER_OPTIONS_INIT;
                options.block_bytes = block;
                options.max_record = CASES[i].longest;
                char *said = read_with(TABLE, sizeof TABLE - 1, true, &options, count);
                if (first == NULL) assert_memory_equal(said, CASES[i].error, strlen(CASES[i].error));
                if (first == NULL) first = said;
                else assert_string_equal(said, first);
                if (said != first) free(said);
            }
        free(first);
    }
}

static void test_other_formats(void **state) {
    (void)state;
    transcript json = {NULL, 0, 0}, arff = {NULL, 0, 0}, blanks = {NULL, 0, 0};
    say(&arff, "@relation r\n@attribute x numeric\n@attribute k {a,b}\n@data\n");
    for (size_t row = 0; row < 500; row++) {
        say(&json, "{\"x\": %zu, \"k\": \"%s\"%s}\n", draw(9), draw(2) ? "a" : "b", draw(50) ? "" : ", \"late\": 1");
        if (draw(3)) say(&arff, "%zu,%s\n%s", draw(9), draw(2) ? "a" : "b", draw(9) ? "" : "% a comment\n");
        else say(&arff, "{1 b}\n");
        say(&blanks, " %zu  %zu %s\n", draw(9), draw(9), draw(2) ? "a" : "b");
    }
    for (int faulty = 0; faulty < 2; faulty++) {
        const transcript *tables[] = {&json, &arff, &blanks};
        for (size_t i = 0; i < 3; i++) {
            crd_reader_options options = CRD_READER_OPTIONS_INIT;
            options.block_bytes = 90;
            expect_same(tables[i]->text, tables[i]->length, true, options);
            expect_same(tables[i]->text, tables[i]->length, false, options);
        }
        say(&json, "{\"x\": []}\n");
        say(&arff, "1,c\n");
        say(&blanks, "1 2\n");
    }
    free(json.text);
    free(arff.text);
    free(blanks.text);
}

/* Files of other columns, in another order: workers may be in different files. */
static void test_several_files(void **state) {
    (void)state;
    char paths[3][64];
    const char *names[3];
    for (size_t i = 0; i < 3; i++) {
        transcript table = {NULL, 0, 0};
        say(&table, "%s", i == 1 ? "k,x\n" : i == 2 ? "x,more,k\n" : "x,k\n");
        for (size_t row = 0; row < 200; row++) {
            if (i == 0) say(&table, "%zu,a\n", row);
            if (i == 1) say(&table, "b,%zu\n", row);
            if (i == 2) say(&table, "%zu,,\"c\"\n", row);
        }
        if (i == 2) say(&table, "late,,d\n");
        write_temporary(paths[i], table.text, table.length);
        names[i] = paths[i];
        free(table.text);
    }
    char *alone = NULL;
    for (unsigned count = 1; count <= MOST_LANES; count++) {
        crd_reader_options options = CRD_READER_OPTIONS_INIT;
        options.block_bytes = 128;
        options.keep_text = 1;
        crd_context *context = NULL;
        crd_error error;
        transcript output = {NULL, 0, 0};
        assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
        workers_hall in = {.context = context};
        assert_int_equal(crd_reader_open(context, names, 3, &options, &in.reader, &error), CRD_OK);
        read_all(&in, count, &output);
        crd_reader_close(in.reader);
        crd_context_destroy(context);
        free(in.rows.text);
        if (alone == NULL) alone = output.text;
        else {
            assert_string_equal(output.text, alone);
            free(output.text);
        }
    }
    free(alone);
    for (size_t i = 0; i < 3; i++) unlink(paths[i]);
}

/* What a later file declares is none of the business of who has rows of an earlier one, one that declares nothing at
 * that. */
static void test_values_declared_later(void **state) {
    (void)state;
    static const char *const TABLES[] = {"@relation r\n@attribute x numeric\n@attribute k {a,b}\n@data\n1,a\n",
                                         "x,k\n2,b\n",
                                         "@relation r\n@attribute x numeric\n@attribute k {a,c}\n@data\n3,c\n"};
    char paths[3][64];
    const char *names[3];
    for (size_t i = 0; i < 3; i++) {
        write_temporary(paths[i], TABLES[i], strlen(TABLES[i]));
        names[i] = paths[i];
    }
    crd_context *context = NULL;
    crd_reader *reader = NULL;
    crd_worker *lanes[3];
    const crd_frame *frames[3];
    crd_error error;
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    assert_int_equal(crd_reader_open(context, names, 3, NULL, &reader, &error), CRD_OK);
    assert_int_equal(crd_i_reader_make_workers(reader, 3, lanes, &error), CRD_OK);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(crd_i_worker_next(lanes[i], &frames[i], &error), CRD_OK);
        assert_int_equal(crd_frame_rows(frames[i]), 1);
    }
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(crd_i_dictionary_size(frames[i]->columns[1].declared), i == 2 ? 3 : 2);
    }
    crd_reader_close(reader);
    crd_context_destroy(context);
    for (size_t i = 0; i < 3; i++) unlink(paths[i]);
}

/* Who asks on after the input could not be entered again gets the same answer. */
static void test_gone_before_the_second_reading(void **state) {
    (void)state;
    char paths[2][64];
    write_temporary(paths[0], "x\n1\n2\n", 6);
    write_temporary(paths[1], "x\nword\n", 7);
    const char *names[] = {paths[0], paths[1]};
    crd_context *context = NULL;
    crd_reader *reader = NULL;
    const crd_frame *frame;
    crd_error error;
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    assert_int_equal(crd_reader_open(context, names, 2, NULL, &reader, &error), CRD_OK);
    unlink(paths[0]); /* it is open, and opened again when the second file shows that the column is categorical */
    for (int i = 0; i < 3; i++) {
        assert_int_equal(crd_reader_next(reader, &frame, &error), CRD_ERROR_SYSTEM);
        assert_null(frame);
        assert_string_equal(error.place, paths[0]);
    }
    crd_reader_close(reader);
    crd_context_destroy(context);
    unlink(paths[1]);
}

static void test_cancelled_by_one_of_them(void **state) {
    (void)state;
    transcript table = {NULL, 0, 0};
    write_random(&table, 5000, 0, false, "\n");
    for (unsigned count = 1; count <= MOST_LANES; count++) {
        crd_reader_options options = CRD_READER_OPTIONS_INIT;
        options.block_bytes = 64;
        crd_context *context = NULL;
        crd_error error;
        assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
        workers_hall in = {.context = context, .frames_until_cancel = 20};
        assert_int_equal(open_bytes(context, table.text, table.length, true, &options, &in.reader, &error), CRD_OK);
        assert_int_equal(pass(&in, count, &error), CRD_ERROR_CANCELLED);
        crd_reader_close(in.reader);
        crd_context_destroy(context);
        free(in.rows.text);
    }
    free(table.text);
}

/* Memory that runs out in any thread. */
static void test_memory(void **state) {
    (void)state;
    transcript table = {NULL, 0, 0};
    write_random(&table, 40, 3, true, "\n");
    for (size_t fail_at = 1;; fail_at++) {
        allocations plan = {0};
        crd_context *context = logged_context(&plan);
        crd_reader_options options = CRD_READER_OPTIONS_INIT;
        options.block_bytes = 200;
        crd_error error;
        plan.calls = 0;
        plan.fail_at = fail_at;
        workers_hall in = {.context = context};
        crd_status status = open_bytes(context, table.text, table.length, true, &options, &in.reader, &error);
        while (status == CRD_OK) {
            status = pass(&in, 3, &error);
            if (status != CRD_I_READ_AGAIN) break;
            status = crd_reader_begin_again(in.reader, &error);
        }
        bool reached = plan.calls >= fail_at;
        if (reached) assert_int_equal(status, CRD_ERROR_MEMORY);
        crd_reader_close(in.reader);
        crd_context_destroy(context);
        assert_int_equal(plan.live, 0);
        free(in.rows.text);
        if (!reached) break;
    }
    free(table.text);
}

static void count_progress(void *user, uint64_t done, uint64_t total) {
    uint64_t *latest = user;
    assert_true(done >= latest[0]);
    assert_true(total == 0 || done <= total);
    latest[0] = done;
    latest[1] = total;
}

static void test_progress(void **state) {
    (void)state;
    transcript table = {NULL, 0, 0};
    write_random(&table, 500, 0, false, "\n");
    char path[64];
    write_temporary(path, table.text, table.length);
    const char *paths[] = {path, path};
    uint64_t latest[2] = {0, 0};
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    options.block_bytes = 1000;
    options.progress = count_progress;
    options.progress_user = latest;
    crd_context *context = NULL;
    crd_error error;
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    workers_hall in = {.context = context};
    assert_int_equal(crd_reader_open(context, paths, 2, &options, &in.reader, &error), CRD_OK);
    assert_int_equal(pass(&in, 3, &error), CRD_OK);
    assert_int_equal(latest[0], 2 * table.length);
    assert_int_equal(latest[1], 2 * table.length);
    crd_reader_close(in.reader);
    crd_context_destroy(context);
    free(in.rows.text);
    free(table.text);
    unlink(path);
}

/* Lanes that nobody reads are no obstacle, and stopping lets everybody go. */
static void test_stopped(void **state) {
    (void)state;
    transcript table = {NULL, 0, 0};
    write_random(&table, 300, 0, false, "\n");
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    options.block_bytes = 100;
    allocations plan = {0};
    crd_context *context = logged_context(&plan);
    crd_reader *reader = NULL;
    crd_worker *lanes[3];
    const crd_frame *frame;
    crd_error error;
    assert_int_equal(open_bytes(context, table.text, table.length, true, &options, &reader, &error), CRD_OK);
    assert_int_equal(crd_i_reader_make_workers(reader, 0, lanes, &error), CRD_ERROR_ARGUMENT);
    assert_int_equal(crd_i_reader_make_workers(reader, 3, lanes, &error), CRD_OK);
    assert_int_equal(crd_reader_set_target(reader, 0, &error), CRD_ERROR_ARGUMENT);
    assert_int_equal(crd_i_worker_next(lanes[1], &frame, &error), CRD_OK);
    assert_non_null(frame);
    assert_int_equal(crd_i_worker_next(lanes[2], &frame, &error), CRD_OK);
    crd_i_reader_stop(reader);
    assert_false(crd_i_worker_wait_turn(lanes[2]));
    assert_int_equal(crd_i_worker_next(lanes[0], &frame, &error), CRD_ERROR_CANCELLED);
    crd_reader_close(reader);
    crd_context_destroy(context);
    assert_int_equal(plan.live, 0);
    free(table.text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_and_errors_of_any_number_of_lanes),
        cmocka_unit_test(test_the_short_way_and_the_careful_one),
        cmocka_unit_test(test_the_first_fault),
        cmocka_unit_test(test_too_long_a_row),
        cmocka_unit_test(test_other_formats),
        cmocka_unit_test(test_several_files),
        cmocka_unit_test(test_values_declared_later),
        cmocka_unit_test(test_gone_before_the_second_reading),
        cmocka_unit_test(test_cancelled_by_one_of_them),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_progress),
        cmocka_unit_test(test_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
