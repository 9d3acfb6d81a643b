/* SPDX-License-Identifier: MIT */
/* Sequences are read, and walked through, while every allocation fails once: an error, or the right answer, and nothing is left. */
#include "unit/sequence_support.h"

static const char TABLE[] = "id,t,x,tag\nb,5,20,P\na,3,3,Q\nb,1,10,P\na,1,,\na,2,two,P\n";

/* Reads, and shows, all; what it ends with. */
static crd_status read_all(crd_context *context, const sequence_case *given, transcript *target_transcript) {
    crd_reader *reader = NULL;
    crd_sequence_reader *sequences = NULL;
    crd_error error = {.status = CRD_OK};
    crd_status status = open_case(context, given, &reader, &sequences, &error);
    while (status == CRD_OK) {
        crd_sequences *batch = NULL;
        crd_sequence_cursor *cursor = NULL;
        int continues = 0;
        status = given->as_rows_come ? crd_sequence_reader_next_rows(sequences, &batch, &continues, &error)
                                     : crd_sequence_reader_next(sequences, &batch, &error);
        if (status != CRD_OK || batch == NULL) break;
        status = crd_sequence_cursor_create(batch, &cursor, &error);
        for (size_t i = 0; status == CRD_OK && i < crd_sequences_count(batch); i++)
            for (uint64_t step = 0; status == CRD_OK && step < crd_sequences_length(batch, i); step++) {
                status = crd_sequence_cursor_move(cursor, i, step, &error);
                if (status == CRD_OK) say_step(target_transcript, batch, cursor, 0);
            }
        for (size_t i = 0; status == CRD_OK && i < crd_sequences_count(batch); i++) {
            uint64_t rows = 0;
            status = crd_sequences_rows_of(batch, i, &rows, &error);
            assert_true(rows <= crd_sequences_length(batch, i));
        }
        crd_sequence_cursor_destroy(cursor);
        crd_sequences_destroy(batch);
    }
    crd_sequence_reader_destroy(sequences);
    crd_reader_close(reader);
    return status;
}

static void fail_each(const sequence_case *given) {
    transcript expected = {NULL, 0, 0};
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    assert_int_equal(read_all(context, given, &expected), CRD_OK);
    crd_context_destroy(context);
    for (allocation_trial trial = {.can_do_without = true}; allocation_trial_next(&trial);) {
        transcript output = {NULL, 0, 0};
        crd_error error = {.status = CRD_OK};
        assert_allocation_fails(&trial, read_all(trial.context, given, &output), CRD_OK, error);
        if (trial.status == CRD_OK && expected.text != NULL) assert_string_equal(output.text, expected.text);
        free(output.text);
    }
    free(expected.text);
}

/* Sequences of a part, of rows that have no range. */
static void test_part(void **state) {
    (void)state;
    for (unsigned part = 1; part <= 2; part++) {
        sequence_case given = SEQUENCE_CASE(TABLE);
        given.options.sequence = crd_text_of("id");
        given.options.time = crd_text_of("t");
        given.target = "tag";
        given.reader.shard = part;
        given.reader.shard_count = 2;
        fail_each(&given);
    }
}

static void test_ids_and_texts(void **state) {
    (void)state;
    sequence_case given = SEQUENCE_CASE("id,x,tag\na,1,P\na,2,\nb,three,Q\n");
    given.options.sequence = crd_text_of("id");
    given.target = "tag";
    given.reader.keep_text = 1;
    fail_each(&given);
    given.options.memory_bytes = 1;
    given.options.batch_rows = 1;
    fail_each(&given);
    given.as_rows_come = true;
    fail_each(&given);
}

static void test_empty_lines(void **state) {
    (void)state;
    sequence_case given = SEQUENCE_CASE("a\tP\n\nb\tQ\nc\tP\n");
    given.options.blank_lines = 1;
    given.reader.header = CRD_CHOICE_NO;
    fail_each(&given);
}

static void test_times(void **state) {
    (void)state;
    sequence_case given = SEQUENCE_CASE(TABLE);
    given.options.sequence = crd_text_of("id");
    given.options.time = crd_text_of("t");
    given.options.step = 1;
    given.target = "tag";
    fail_each(&given);
    given.options.memory_bytes = 1;
    given.reader.keep_text = 1;
    fail_each(&given);
}

typedef struct frames_objects {
    crd_sequences *sequences, *some, *part;
} frames_objects;

static crd_status divide_frame(crd_context *context, const crd_frame *frame, frames_objects *objects,
                               crd_error *error) {
    static const size_t LENGTHS[] = {1, 0, 2}, CHOSEN[] = {2, 0};
    size_t first;
    crd_status status =
        crd_sequences_from_frame(context, frame, crd_text_of("y"), LENGTHS, 3, &objects->sequences, error);
    if (status == CRD_OK) status = crd_sequences_select(objects->sequences, CHOSEN, 2, &objects->some, error);
    return status == CRD_OK ? crd_sequences_divide(objects->sequences, 1, 2, &first, &objects->part, error) : status;
}

static void test_frames(void **state) {
    (void)state;
    static const double NUMBERS[] = {1, 2, 3};
    static const int32_t CODES[] = {0, 1, 0};
    const crd_text words[] = {crd_text_of("a"), crd_text_of("b")};
    for (allocation_trial trial = {0}; allocation_trial_next(&trial);) {
        crd_context *context = trial.context;
        crd_frame *frame = NULL;
        frames_objects objects = {NULL, NULL, NULL};
        crd_error error;
        assert_int_equal(crd_frame_create(context, 3, &frame, &error), CRD_OK);
        assert_int_equal(crd_frame_add_numbers(frame, crd_text_of("x"), NUMBERS, NULL, &error), CRD_OK);
        assert_int_equal(crd_frame_add_codes(frame, crd_text_of("y"), CODES, NULL, words, 2, &error), CRD_OK);
        assert_allocation_fails(&trial, divide_frame(context, frame, &objects, &error), CRD_OK, error);
        crd_sequences_destroy(objects.part);
        crd_sequences_destroy(objects.some);
        crd_sequences_destroy(objects.sequences);
        crd_frame_destroy(frame);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_part),  cmocka_unit_test(test_ids_and_texts), cmocka_unit_test(test_empty_lines),
        cmocka_unit_test(test_times), cmocka_unit_test(test_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
