/* SPDX-License-Identifier: MIT */
/* Rows that threads work on are taken in their order, up to the first failure, whatever the number of threads: the
 * same rows, the same end. */
#include "table/read/reader_internal.h"
#include "table_support.h"

enum { MOST_THREADS = 8, MOST_SLOTS = 64 };

/* A process that puts down what it sees, and fails where it is told to. */
typedef struct map_desk {
    crd_parallel_map process;
    transcript slots[MOST_SLOTS]; /* of frames on their way */
    const crd_frame *frames[MOST_SLOTS];
    transcript taken;
    const char *refused; /* a frame with a cell of this text cannot be worked on; NULL: all can */
    size_t frames_taken;
    size_t take_fails_at; /* frame, from 1; 0: never */
    size_t cancels_at;
    crd_context *context;
    size_t passes;
    atomic_size_t worked;
} map_desk;

static crd_status work(void *user, unsigned slot, const crd_worker *worker, const crd_frame *frame, crd_error *error) {
    map_desk *d = user;
    transcript *target_transcript = &d->slots[slot];
    d->worked++;
    d->frames[slot] = frame;
    target_transcript->length = 0;
    say(target_transcript, "%s", "");
    for (size_t row = 0; row < crd_frame_rows(frame); row++) {
        say(target_transcript, "%llu:", (unsigned long long)crd_i_worker_line(worker, row));
        for (size_t i = 0; i < crd_frame_column_count(frame); i++) {
            crd_value value = crd_frame_value(frame, row, i);
            if (value.type == CRD_TYPE_NONE) say(target_transcript, " _");
            if (value.type == CRD_TYPE_CATEGORICAL)
                say(target_transcript, " '%.*s'", (int)value.text.length, value.text.bytes);
            if (value.type == CRD_TYPE_NUMERIC) say(target_transcript, " %a", value.number);
            crd_text text = crd_worker_cell(worker, row, i);
            if (d->refused == NULL || !crd_text_equal(text, crd_text_of(d->refused))) continue;
            *error = (crd_error){.status = CRD_ERROR_ARGUMENT};
            snprintf(error->message, sizeof error->message, "refused on line %llu",
                     (unsigned long long)crd_i_worker_line(worker, row));
            return CRD_ERROR_ARGUMENT;
        }
        say(target_transcript, "\n");
    }
    return CRD_OK;
}

static crd_status take(void *user, unsigned slot, crd_error *error) {
    map_desk *d = user;
    d->frames_taken++;
    if (d->frames_taken == d->cancels_at) crd_context_cancel(d->context);
    if (d->frames_taken == d->take_fails_at) {
        *error = (crd_error){.status = CRD_ERROR_SYSTEM};
        snprintf(error->message, sizeof error->message, "not taken");
        return CRD_ERROR_SYSTEM;
    }
    if (d->process.holds_frames) {
        /* It is still the one that was worked on: as many rows, and the first of them the same. */
        size_t lines = 0;
        for (const char *cursor = d->slots[slot].text; (cursor = strchr(cursor, '\n')) != NULL; cursor++) lines++;
        assert_int_equal(crd_frame_rows(d->frames[slot]), lines);
        crd_value value = crd_frame_value(d->frames[slot], 0, 0);
        char first[64];
        snprintf(first, sizeof first, " %a", value.number);
        if (value.type == CRD_TYPE_NUMERIC) assert_non_null(strstr(d->slots[slot].text, first));
    }
    say(&d->taken, "%s", d->slots[slot].text);
    return CRD_OK;
}

static crd_status begin(void *user, crd_error *error) {
    map_desk *d = user;
    (void)error;
    d->passes++;
    d->frames_taken = 0;
    d->taken.length = 0;
    return CRD_OK;
}

/* What a test is about. */
typedef struct question {
    const transcript *table;
    bool is_pipe;
    size_t block_bytes, max_categories, frame_rows;
    const char *refused;
    size_t take_fails_at, cancels_at;
    bool holds_frames;
} question;

static crd_status process_rows(map_desk *d, const question *question_result, unsigned threads, crd_error *error) {
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    options.block_bytes = question_result->block_bytes;
    options.max_categories = question_result->max_categories;
    options.keep_text = 1;
    options.threads = threads;
    d->refused = question_result->refused;
    d->take_fails_at = question_result->take_fails_at;
    d->cancels_at = question_result->cancels_at;
    d->process = (crd_parallel_map)CRD_PARALLEL_MAP_INIT;
    d->process.user = d;
    d->process.work = work;
    d->process.take = take;
    d->process.begin = begin;
    d->process.holds_frames = question_result->holds_frames;
    crd_reader *reader = NULL;
    crd_status status = open_bytes(d->context, question_result->table->text, question_result->table->length,
                                   !question_result->is_pipe, &options, &reader, error);
    if (status == CRD_OK) {
        assert_true(crd_parallel_map_slots(&d->process, reader) <= MOST_SLOTS);
        crd_reader_set_frame_rows(reader, question_result->frame_rows);
        status = crd_reader_parallel_map(reader, &d->process, error);
    }
    crd_reader_close(reader);
    return status;
}

static void clear(map_desk *d) {
    for (size_t i = 0; i < MOST_SLOTS; i++) free(d->slots[i].text);
    free(d->taken.text);
}

/* All that was taken, and the end; the caller frees it. */
static char *answer(const question *question_result, unsigned threads, size_t *worked) {
    map_desk d = {.frames_taken = 0};
    crd_error error;
    assert_int_equal(crd_context_create(NULL, &d.context), CRD_OK);
    crd_status status = process_rows(&d, question_result, threads, &error);
    say(&d.taken, "%s", "");
    if (status != CRD_OK) say_error(&d.taken, &error);
    crd_context_destroy(d.context);
    char *text = d.taken.text;
    d.taken.text = NULL;
    *worked = d.worked;
    clear(&d);
    return text;
}

static void expect_same(const question *question_result) {
    static const unsigned COUNTS[] = {2, 3, MOST_THREADS};
    size_t worked;
    char *alone = answer(question_result, 1, &worked);
    for (size_t i = 0; i < sizeof COUNTS / sizeof COUNTS[0]; i++) {
        char *together = answer(question_result, COUNTS[i], &worked);
        if (strcmp(alone, together) != 0)
            print_message("%u threads, %zu bytes\n", COUNTS[i], question_result->block_bytes);
        assert_string_equal(together, alone);
        free(together);
    }
    free(alone);
}

static void write_table(transcript *target_transcript, size_t rows) {
    say(target_transcript, "x,k\n");
    for (size_t row = 0; row < rows; row++) say(target_transcript, "%zu.5,name%zu\n", row, row % 50);
}

static void test_rows_come_in_order(void **state) {
    (void)state;
    transcript table = {NULL, 0, 0};
    write_table(&table, 2000);
    size_t worked;
    question question_result = {.table = &table, .block_bytes = 500};
    char *text = answer(&question_result, 4, &worked);
    const char *cursor = text;
    for (size_t row = 0; row < 2000; row++) {
        char expected[64];
        snprintf(expected, sizeof expected, "%zu: %a 'name%zu'\n", row + 2, (double)row + 0.5, row % 50);
        assert_memory_equal(cursor, expected, strlen(expected));
        cursor += strlen(expected);
    }
    assert_string_equal(cursor, "");
    /* A chunk of many frames, whoever waits for a slot. */
    question_result.block_bytes = 20000;
    for (question_result.frame_rows = 1; question_result.frame_rows <= 100; question_result.frame_rows *= 10) {
        for (int holds = 0; holds < 2; holds++) {
            question_result.holds_frames = holds == 1;
            char *again = answer(&question_result, 4, &worked);
            assert_string_equal(text, again);
            free(again);
        }
    }
    free(text);
    for (question_result.block_bytes = 1; question_result.block_bytes <= 10000; question_result.block_bytes *= 10) {
        question_result.is_pipe = !question_result.is_pipe;
        question_result.frame_rows = question_result.block_bytes % 100 == 0 ? 3 : 0;
        expect_same(&question_result);
        question_result.holds_frames = !question_result.holds_frames;
        expect_same(&question_result);
    }
    free(table.text);
}

/* Whatever is wrong, what was before has been taken, and nothing behind; of several faults the first counts. */
static void test_failures(void **state) {
    (void)state;
    for (size_t index = 0; index < 1000; index += 90) {
        transcript table = {NULL, 0, 0};
        write_table(&table, index);
        say(&table, "7,odd\n");
        for (size_t row = 0; row < index % 40; row++) say(&table, "8,even\n");
        say(&table, "one field\n");
        for (size_t row = 0; row < 500; row++) say(&table, "9,odd\n");
        question reader = {.table = &table, .block_bytes = 120}, working = reader, taking = reader;
        working.refused = "odd";
        taking.take_fails_at = 1 + index / 20;
        question both = taking;
        both.refused = "odd";
        expect_same(&reader);
        expect_same(&working);
        expect_same(&taking);
        expect_same(&both);
        both.holds_frames = taking.holds_frames = true;
        expect_same(&taking);
        expect_same(&both);
        free(table.text);
    }
}

/* A column that turns out to be a category lets all rows come again. */
static void test_repeated_passes(void **state) {
    (void)state;
    transcript table = {NULL, 0, 0};
    say(&table, "x,y\n");
    for (size_t row = 0; row < 500; row++) say(&table, "%zu,%zu\n", row, row);
    say(&table, "late,1\n");
    for (size_t row = 0; row < 100; row++) say(&table, "%zu,%zu\n", row, row);
    question request = {.table = &table, .block_bytes = 100};
    map_desk d = {.frames_taken = 0};
    crd_error error;
    assert_int_equal(crd_context_create(NULL, &d.context), CRD_OK);
    assert_int_equal(process_rows(&d, &request, 3, &error), CRD_OK);
    assert_int_equal(d.passes, 2);
    assert_non_null(strstr(d.taken.text, "2: '0' 0x0p+0\n"));
    crd_context_destroy(d.context);
    clear(&d);
    expect_same(&request);
    request.is_pipe = true;
    expect_same(&request);
    free(table.text);
}

/* Each thread has met few categories, all of them together too many, on the same row as one alone. */
static void test_limit_of_categories(void **state) {
    (void)state;
    transcript table = {NULL, 0, 0};
    say(&table, "x,k\n");
    for (size_t row = 0; row < 1000; row++) say(&table, "%zu,name%zu\n", row, row / 2);
    say(&table, "one field\n");
    question question_result = {.table = &table, .block_bytes = 200};
    for (question_result.max_categories = 1; question_result.max_categories <= 501;
         question_result.max_categories += 25)
        expect_same(&question_result);
    free(table.text);
}

static void test_cancelled(void **state) {
    (void)state;
    transcript table = {NULL, 0, 0};
    write_table(&table, 20000);
    for (unsigned threads = 1; threads <= MOST_THREADS; threads++) {
        size_t worked;
        question question_result = {.table = &table, .block_bytes = 100, .cancels_at = 20};
        char *text = answer(&question_result, threads, &worked);
        assert_non_null(strstr(text, "cancelled"));
        assert_true(worked < 200);
        free(text);
    }
    free(table.text);
}

/* Those who work do not run away from the one who takes. */
static void test_takes_bounded_room(void **state) {
    (void)state;
    transcript table = {NULL, 0, 0};
    write_table(&table, 20000);
    size_t worked;
    question question_result = {.table = &table, .block_bytes = 100, .take_fails_at = 10};
    char *text = answer(&question_result, 4, &worked);
    assert_true(worked <= 10 + MOST_SLOTS);
    free(text);
    free(table.text);
}

static void test_small_input_is_worth_no_thread(void **state) {
    (void)state;
    transcript table = {NULL, 0, 0};
    write_table(&table, 3);
    allocations plan = {0};
    map_desk d = {.context = logged_context(&plan)};
    crd_error error;
    question request = {.table = &table};
    size_t calls = plan.calls;
    assert_int_equal(process_rows(&d, &request, 1, &error), CRD_OK);
    size_t alone = plan.calls - calls;
    assert_int_equal(process_rows(&d, &request, 8, &error), CRD_OK);
    /* A worker for each thread would take memory. */
    assert_int_equal(plan.calls - calls - alone, alone);
    crd_context_destroy(d.context);
    clear(&d);
    free(table.text);
}

/* Memory that runs out in any thread. */
static void test_memory(void **state) {
    (void)state;
    transcript table = {NULL, 0, 0};
    write_table(&table, 60);
    for (size_t fail_at = 1;; fail_at++) {
        allocations plan = {0};
        map_desk d = {.context = logged_context(&plan)};
        crd_error error;
        question question_result = {.table = &table, .block_bytes = 200};
        plan.calls = 0;
        plan.fail_at = fail_at;
        crd_status status = process_rows(&d, &question_result, 3, &error);
        bool reached = plan.calls >= fail_at;
        /* Without memory for a thread pool there is none, and the caller does it all. */
        if (status != CRD_OK) assert_int_equal(status, CRD_ERROR_MEMORY);
        if (!reached) assert_int_equal(status, CRD_OK);
        crd_context_destroy(d.context);
        assert_int_equal(plan.live, 0);
        clear(&d);
        if (!reached) break;
    }
    free(table.text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_come_in_order),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_repeated_passes),
        cmocka_unit_test(test_limit_of_categories),
        cmocka_unit_test(test_cancelled),
        cmocka_unit_test(test_takes_bounded_room),
        cmocka_unit_test(test_small_input_is_worth_no_thread),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
