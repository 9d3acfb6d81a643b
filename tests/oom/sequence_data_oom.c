/* SPDX-License-Identifier: MIT */
/* Sequences are read, and walked through, while every allocation fails once: an error, or the right answer, and nothing is left. */
#include "unit/sequence_support.h"

static const char TABLE[] = "id,t,x,tag\nb,5,20,P\na,3,3,Q\nb,1,10,P\na,1,,\na,2,two,P\n";

/* Reads, and shows, all; what it ends with. */
static crd_status read_all(fault_plan *plan, const sequence_case *given, transcript *target_transcript) {
    crd_context *context = planned_context(plan);
    crd_reader *reader = NULL;
    crd_sequence_reader *sequences = NULL;
    crd_error error = {.status = CRD_OK};
    if (context == NULL) return CRD_ERROR_MEMORY;
    crd_status status = open_case(context, given, &reader, &sequences, &error);
    while (status == CRD_OK) {
        crd_sequences *batch = NULL;
        crd_sequence_cursor *cursor = NULL;
        int continues = 0;
        status = given->as_rows_come ? crd_sequence_reader_next_rows(sequences, &batch, &continues, &error)
                                     : crd_sequence_reader_next(sequences, &batch, &error);
        if (status == CRD_RESTART) {
            target_transcript->length = 0;
            status = CRD_OK;
            continue;
        }
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
    crd_context_destroy(context);
    assert_int_equal(plan->live, 0);
    return status;
}

static void fail_each(const sequence_case *given) {
    transcript expected = {NULL, 0, 0};
    fault_plan whole = {0};
    assert_int_equal(read_all(&whole, given, &expected), CRD_OK);
    for (size_t fail_at = 1; fail_at <= whole.calls; fail_at++) {
        transcript output = {NULL, 0, 0};
        fault_plan plan = {0};
        plan.fail_at = fail_at;
        crd_status status = read_all(&plan, given, &output);
        if (status == CRD_OK) assert_string_equal(output.text, expected.text);
        else assert_int_equal(status, CRD_ERROR_MEMORY);
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

static void test_frames(void **state) {
    (void)state;
    static const double NUMBERS[] = {1, 2, 3};
    static const int32_t CODES[] = {0, 1, 0};
    static const size_t LENGTHS[] = {1, 0, 2};
    const crd_text words[] = {crd_text_of("a"), crd_text_of("b")};
    for (size_t fail_at = 0, calls = 1; fail_at <= calls; fail_at++) {
        fault_plan plan = {0};
        crd_context *context = planned_context(&plan);
        crd_frame *frame = NULL;
        crd_sequences *sequences = NULL, *some = NULL, *part = NULL;
        crd_error error;
        size_t first;
        const size_t chosen[] = {2, 0};
        assert_int_equal(crd_frame_create(context, 3, &frame, &error), CRD_OK);
        assert_int_equal(crd_frame_add_numbers(frame, crd_text_of("x"), NUMBERS, NULL, &error), CRD_OK);
        assert_int_equal(crd_frame_add_codes(frame, crd_text_of("y"), CODES, NULL, words, 2, &error), CRD_OK);
        size_t before = plan.calls;
        if (fail_at > 0) plan.fail_at = before + fail_at;
        crd_status status = crd_sequences_from_frame(context, frame, crd_text_of("y"), LENGTHS, 3, &sequences, &error);
        if (status == CRD_OK) status = crd_sequences_select(sequences, chosen, 2, &some, &error);
        if (status == CRD_OK) status = crd_sequences_divide(sequences, 1, 2, &first, &part, &error);
        if (fail_at == 0) calls = plan.calls - before;
        assert_int_equal(status, fail_at == 0 ? CRD_OK : CRD_ERROR_MEMORY);
        crd_sequences_destroy(part);
        crd_sequences_destroy(some);
        crd_sequences_destroy(sequences);
        crd_frame_destroy(frame);
        crd_context_destroy(context);
        assert_int_equal(plan.live, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_part),  cmocka_unit_test(test_ids_and_texts), cmocka_unit_test(test_empty_lines),
        cmocka_unit_test(test_times), cmocka_unit_test(test_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
