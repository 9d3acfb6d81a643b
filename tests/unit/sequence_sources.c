/* SPDX-License-Identifier: MIT */
/* Sequences from where they come: frames in memory, several files, readers bound to a model, and many steps. */
#include "sequence/data/sequences.h"
#include "sequence_support.h"

#include <credence/model.h>

#include <math.h>
#include <signal.h>
#include <sys/resource.h>

static allocations plan;
static crd_context *context;

static int set_up(void **state) {
    (void)state;
    plan = (allocations){0};
    context = logged_context(&plan);
    return context == NULL;
}

static int tear_down(void **state) {
    (void)state;
    crd_context_destroy(context);
    return plan.live != 0;
}

/* ---- Frames ---- */

static crd_frame *make_frame(const double *numbers, const uint8_t *validity, const int32_t *codes,
                             const int32_t *labels, size_t rows) {
    const crd_text words[] = {crd_text_of("red"), crd_text_of("blue")}, tags[] = {crd_text_of("P"), crd_text_of("Q")};
    crd_frame *frame = NULL;
    crd_error error;
    assert_int_equal(crd_frame_create(context, rows, &frame, &error), CRD_OK);
    assert_int_equal(crd_frame_add_numbers(frame, crd_text_of("x"), numbers, validity, &error), CRD_OK);
    assert_int_equal(crd_frame_add_codes(frame, crd_text_of("tag"), labels, NULL, tags, 2, &error), CRD_OK);
    assert_int_equal(crd_frame_add_codes(frame, crd_text_of("w"), codes, validity, words, 2, &error), CRD_OK);
    return frame;
}

static void test_rows_of_a_frame_are_cut_by_lengths(void **state) {
    (void)state;
    static const double NUMBERS[] = {1, NAN, 3, 4, 5};
    static const int32_t CODES[] = {0, 1, -1, 0, 1}, LABELS[] = {0, -1, 1, 1, 0};
    static const uint8_t VALIDITY[] = {0x17}; /* but for the fourth */
    static const size_t LENGTHS[] = {0, 2, 1, 0, 2, 0};
    for (size_t variant = 0; variant < 2; variant++) {
        crd_frame *frame = make_frame(NUMBERS, variant ? VALIDITY : NULL, CODES, LABELS, 5);
        crd_sequences *sequences = NULL;
        crd_error error;
        transcript output = {NULL, 0, 0};
        assert_int_equal(crd_sequences_from_frame(context, frame, crd_text_of("tag"), LENGTHS, 6, &sequences, &error),
                         CRD_OK);
        say_sequences(&output, sequences, false, SIZE_MAX);
        assert_string_equal(output.text, variant
                                             ? ":\n: 1,red/P@0 _,blue@0\n: 3,_/Q@0\n:\n: _,_/Q@0 5,blue/P@0\n:\n"
                                             : ":\n: 1,red/P@0 _,blue@0\n: 3,_/Q@0\n:\n: 4,red/Q@0 5,blue/P@0\n:\n");
        free(output.text);
        assert_true(crd_text_equal(crd_sequences_target(sequences), crd_text_of("tag")));
        assert_int_equal(crd_sequences_rows(sequences), 5);
        assert_int_equal(crd_i_sequences_schema(sequences)->target, 1);
        assert_int_equal(crd_i_sequences_schema_column(sequences, 1), 2);
        crd_sequences_destroy(sequences);
        crd_frame_destroy(frame);
    }
}

static void expect_refused(const crd_frame *frame, const char *target, const size_t *lengths, size_t count,
                           crd_status status) {
    crd_sequences *sequences = (crd_sequences *)1;
    crd_error error;
    crd_text name = target == NULL ? (crd_text){NULL, 0} : crd_text_of(target);
    assert_int_equal(crd_sequences_from_frame(context, frame, name, lengths, count, &sequences, &error), status);
    assert_null(sequences);
}

static void test_lengths_and_targets_must_fit(void **state) {
    (void)state;
    static const double NUMBERS[] = {1, 2};
    static const int32_t CODES[] = {0, 1};
    static const size_t SHORT[] = {1}, LONG[] = {2, 1}, HUGE_[] = {SIZE_MAX, 3}, RIGHT[] = {2};
    crd_frame *frame = make_frame(NUMBERS, NULL, CODES, CODES, 2);
    expect_refused(frame, NULL, SHORT, 1, CRD_ERROR_ARGUMENT);
    expect_refused(frame, NULL, LONG, 2, CRD_ERROR_ARGUMENT);
    expect_refused(frame, NULL, HUGE_, 2, CRD_ERROR_ARGUMENT);
    expect_refused(frame, NULL, NULL, 0, CRD_ERROR_ARGUMENT);
    expect_refused(frame, "x", RIGHT, 1, CRD_ERROR_COLUMN);
    expect_refused(frame, "nowhere", RIGHT, 1, CRD_ERROR_COLUMN);
    crd_frame_destroy(frame);
}

static void test_frames_are_read_as_tables(void **state) {
    (void)state;
    static const double NUMBERS[] = {7, 7, 8}, TIMES[] = {2, 1, 0};
    crd_frame *frame = NULL;
    crd_reader *reader = NULL;
    crd_sequences *sequences = NULL;
    crd_error error;
    transcript output = {NULL, 0, 0};
    assert_int_equal(crd_frame_create(context, 3, &frame, &error), CRD_OK);
    assert_int_equal(crd_frame_add_numbers(frame, crd_text_of("id"), NUMBERS, NULL, &error), CRD_OK);
    assert_int_equal(crd_frame_add_numbers(frame, crd_text_of("t"), TIMES, NULL, &error), CRD_OK);
    assert_int_equal(crd_frame_add_numbers(frame, crd_text_of("x"), TIMES, NULL, &error), CRD_OK);
    const crd_frame *frames[] = {frame};
    assert_int_equal(crd_reader_open_frames(context, frames, 1, NULL, NULL, &reader, &error), CRD_OK);
    crd_sequence_options options = CRD_SEQUENCE_OPTIONS_INIT;
    options.sequence = crd_text_of("first");
    options.time = crd_text_of("2");
    assert_int_equal(crd_sequences_read(reader, &options, &sequences, &error), CRD_OK);
    crd_reader_close(reader);
    crd_frame_destroy(frame);
    say_sequences(&output, sequences, false, SIZE_MAX);
    assert_string_equal(output.text, "7: 1@2 2@1\n8: 0@3\n");
    crd_sequence_options source_options = CRD_SEQUENCE_OPTIONS_INIT;
    assert_true(crd_i_sequences_source(sequences, &source_options));
    assert_true(crd_text_equal(source_options.sequence, crd_text_of("id")));
    assert_true(crd_text_equal(source_options.time, crd_text_of("t")));
    free(output.text);
    crd_sequences_destroy(sequences);
}

/* Ids with a dictionary of their own, in slices of eight rows. */
static void test_frames_have_ids_in_a_dictionary(void **state) {
    (void)state;
    enum { ROWS = 40 };
    double numbers[ROWS];
    int32_t codes[ROWS];
    const crd_text ids[] = {crd_text_of("c"), crd_text_of("b"), crd_text_of("a")};
    crd_frame *frame = NULL;
    crd_reader *reader = NULL;
    crd_sequences *sequences = NULL;
    crd_error error;
    for (size_t i = 0; i < ROWS; i++) {
        numbers[i] = (double)i;
        codes[i] = i < 3 ? 1 : i < 30 ? 2 : 0;
    }
    assert_int_equal(crd_frame_create(context, ROWS, &frame, &error), CRD_OK);
    assert_int_equal(crd_frame_add_numbers(frame, crd_text_of("x"), numbers, NULL, &error), CRD_OK);
    assert_int_equal(crd_frame_add_codes(frame, crd_text_of("id"), codes, NULL, ids, 3, &error), CRD_OK);
    const crd_frame *frames[] = {frame};
    crd_reader_options reader_options = CRD_READER_OPTIONS_INIT;
    reader_options.block_bytes = 1;
    assert_int_equal(crd_reader_open_frames(context, frames, 1, NULL, &reader_options, &reader, &error), CRD_OK);
    crd_sequence_options options = CRD_SEQUENCE_OPTIONS_INIT;
    options.sequence = crd_text_of("id");
    assert_int_equal(crd_sequences_read(reader, &options, &sequences, &error), CRD_OK);
    static const size_t LENGTHS[] = {3, 27, 10};
    static const char *const NAMES[] = {"b", "a", "c"};
    assert_int_equal(crd_sequences_count(sequences), 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(crd_sequences_length(sequences, i), LENGTHS[i]);
        assert_true(crd_text_equal(crd_sequences_id(sequences, i), crd_text_of(NAMES[i])));
    }
    crd_sequences_destroy(sequences);
    crd_reader_close(reader);
    crd_frame_destroy(frame);
}

/* ---- Files ---- */

static void expect_files(const char *first, const char *second, const crd_sequence_options *options,
                         const char *expected) {
    char paths[2][64];
    const char *names[] = {paths[0], paths[1]};
    crd_reader *reader = NULL;
    crd_sequences *sequences = NULL;
    crd_error error;
    transcript output = {NULL, 0, 0};
    write_temporary(paths[0], first, strlen(first));
    write_temporary(paths[1], second, strlen(second));
    assert_int_equal(crd_reader_open(context, names, 2, NULL, &reader, &error), CRD_OK);
    if (crd_sequences_read(reader, options, &sequences, &error) == CRD_OK)
        say_sequences(&output, sequences, false, SIZE_MAX);
    else say(&output, "%llu: %s", (unsigned long long)error.line, error.message);
    crd_reader_close(reader);
    if (sequences == NULL && strstr(output.text, paths[0]) != NULL) memcpy(strstr(output.text, paths[0]), "FILE", 5);
    assert_string_equal(output.text, expected);
    if (sequences != NULL) {
        crd_i_sequences_place_error(sequences, crd_sequences_count(sequences) - 1, 0, &error);
        assert_string_equal(error.place, paths[1]);
    }
    free(output.text);
    crd_sequences_destroy(sequences);
    unlink(paths[0]);
    unlink(paths[1]);
}

static void test_files_end_sequences_without_ids(void **state) {
    (void)state;
    crd_sequence_options options = CRD_SEQUENCE_OPTIONS_INIT;
    expect_files("x\n1\n2\n", "x\n3\n", &options, ": 1@2 2@3\n: 3@2\n");
    options.blank_lines = 1;
    expect_files("x\n1\n\n2\n", "x\n\n3\n", &options, ": 1@2\n: 2@4\n: 3@3\n");
}

static void test_ids_go_on_in_the_next_file(void **state) {
    (void)state;
    crd_sequence_options options = CRD_SEQUENCE_OPTIONS_INIT;
    options.sequence = crd_text_of("id");
    expect_files("id,x\na,1\nb,2\n", "x,id\n3,b\n4,c\n", &options, "a: 1@2\nb: 2@3 3@2\nc: 4@3\n");
    expect_files("id,x\na,1\nb,2\n", "x,id\n3,a\n", &options, "2: the sequence 'a', which begins on line 2 of FILE");
    expect_files("id,x\na,1\n", "x\n3\n", &options, "1: the sequence id 'id' is not among the columns");
}

/* ---- Models ---- */

/* Reads a table with a reader that is bound to a model of another, which was learned without the column `id`. */
static char *read_bound(const char *learned, const char *table, const char *ignored,
                        const crd_sequence_options *options, crd_choice header) {
    crd_reader_options reader_options = CRD_READER_OPTIONS_INIT;
    crd_reader *reader = NULL;
    crd_model *model = NULL;
    crd_sequences *sequences = NULL;
    crd_error error;
    transcript target_transcript = {NULL, 0, 0};
    reader_options.header = header;
    assert_int_equal(crd_reader_open_memory(context, learned, strlen(learned), NULL, &reader_options, &reader, &error),
                     CRD_OK);
    assert_int_equal(crd_reader_select_ignored(reader, crd_text_of(ignored), &error), CRD_OK);
    assert_int_equal(crd_reader_select_target(reader, crd_text_of(header == CRD_CHOICE_NO ? "c2" : "y"), &error),
                     CRD_OK);
    assert_int_equal(crd_model_train(context, reader, NULL, &model, NULL, &error), CRD_OK);
    crd_reader_close(reader);
    reader_options.strict = header != CRD_CHOICE_NO;
    assert_int_equal(crd_reader_open_memory(context, table, strlen(table), NULL, &reader_options, &reader, &error),
                     CRD_OK);
    assert_int_equal(crd_model_bind(model, reader, &error), CRD_OK);
    if (crd_sequences_read(reader, options, &sequences, &error) == CRD_OK)
        say_sequences(&target_transcript, sequences, false, SIZE_MAX);
    else say_error(&target_transcript, &error);
    crd_reader_close(reader);
    crd_model_destroy(model);
    crd_sequences_destroy(sequences);
    return target_transcript.text;
}

static void test_keys_are_no_columns_of_a_model(void **state) {
    (void)state;
    crd_sequence_options options = CRD_SEQUENCE_OPTIONS_INIT;
    options.sequence = crd_text_of("id");
    options.time = crd_text_of("when");
    char *output =
        read_bound("id,when,x,y\na,1,1,P\nb,1,2,Q\n", "x,when,id\n5,2020-01-02,k\n4,2020-01-01,k\n7,2020-01-01,l\n",
                   "id-when", &options, CRD_CHOICE_AUTO);
    assert_string_equal(output, "k: 4@3 5@2\nl: 7@4\n");
    free(output);
    options.time = (crd_text){NULL, 0};
    options.sequence = crd_text_of("x");
    output = read_bound("id,x,y\na,1,P\nb,2,Q\n", "x,y,id\n5,P,k\n", "id", &options, CRD_CHOICE_AUTO);
    assert_string_equal(output, "column memory:0:0 [x] 'x' cannot be the sequence id: it is an observation\n");
    free(output);
    /* By position: c3 is that of the files learned, where the target, c2, is absent here. */
    options.sequence = crd_text_of("c3");
    output = read_bound("1,P,a\n2,Q,b\n", "5,k\n6,k\n7,l\n", "c3", &options, CRD_CHOICE_NO);
    assert_string_equal(output, "k: 5@1 6@2\nl: 7@3\n");
    free(output);
}

/* ---- Many steps ---- */

enum { STEPS = 40000 };

/* Sequences of 1, then 2, ..., steps, whose numbers count steps. */
static crd_sequences *read_many(const transcript *table, size_t memory) {
    crd_reader *reader = NULL;
    crd_sequences *sequences = NULL;
    crd_error error;
    crd_sequence_options options = CRD_SEQUENCE_OPTIONS_INIT;
    options.sequence = crd_text_of("id");
    options.memory_bytes = memory;
    assert_int_equal(crd_reader_open_memory(context, table->text, table->length, NULL, NULL, &reader, &error), CRD_OK);
    assert_int_equal(crd_sequences_read(reader, &options, &sequences, &error), CRD_OK);
    crd_reader_close(reader);
    return sequences;
}

/* Any range of any sequence, in memory or in a file, has the steps that it should have. */
static void test_ranges_of_many_steps(void **state) {
    (void)state;
    transcript table = {NULL, 0, 0};
    say(&table, "id,x,w\n");
    for (size_t step = 0, id = 1, left = 1; step < STEPS; step++, left--) {
        if (left == 0) left = ++id;
        say(&table, "%zu,%zu,w%zu\n", id, step, step % 13);
    }
    for (size_t memory = 0; memory < 2; memory++) {
        crd_sequences *sequences = read_many(&table, memory);
        crd_i_observation_room workspace = {.context = context};
        crd_i_observation_block block;
        crd_error error;
        uint64_t first = 0, seed = 1;
        assert_int_equal(crd_sequences_rows(sequences), STEPS);
        for (size_t i = 0; i < crd_sequences_count(sequences); i++) {
            uint64_t length = crd_sequences_length(sequences, i), start = 0;
            if (i + 1 < crd_sequences_count(sequences)) assert_int_equal(length, i + 1);
            while (start < length) {
                size_t limit = (size_t)(seed = seed * 6364136223846793005U + 1) % 1500 + 1;
                assert_int_equal(crd_i_sequences_block(sequences, i, start, limit, &workspace, &block, &error), CRD_OK);
                size_t most = limit < CRD_I_BLOCK_STEPS ? limit : CRD_I_BLOCK_STEPS;
                assert_int_equal(block.steps, length - start < most ? length - start : most);
                for (size_t k = 0; k < block.steps; k++) {
                    assert_true(block.numbers[0][k] == (double)(first + start + k));
                    assert_int_equal(block.codes[1][k], (first + start + k) % 13);
                }
                start += block.steps;
            }
            first += length;
        }
        assert_int_equal(crd_i_sequences_block(sequences, 0, 1, 1, &workspace, &block, &error), CRD_OK);
        assert_int_equal(block.steps, 0);
        crd_i_observation_room_clear(&workspace);
        crd_sequences_destroy(sequences);
    }
    free(table.text);
}

/* A file that may not grow, as on a full disk. */
static void test_a_full_disk_is_an_error(void **state) {
    (void)state;
    transcript table = {NULL, 0, 0};
    crd_reader *reader = NULL;
    crd_sequences *sequences = NULL;
    crd_error error;
    crd_sequence_options options = CRD_SEQUENCE_OPTIONS_INIT;
    struct rlimit before, low;
    options.memory_bytes = 1;
    say(&table, "x\n");
    for (size_t step = 0; step < STEPS; step++) say(&table, "%zu\n", step);
    assert_int_equal(crd_reader_open_memory(context, table.text, table.length, NULL, NULL, &reader, &error), CRD_OK);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    low = before;
    low.rlim_cur = 1000;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &low), 0);
    crd_status status = crd_sequences_read(reader, &options, &sequences, &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    (void)signal(SIGXFSZ, handler);
    assert_int_equal(status, CRD_ERROR_SYSTEM);
    assert_non_null(strstr(error.message, "temporary file"));
    assert_null(sequences);
    crd_reader_close(reader);
    free(table.text);
}

/* ---- A corpus ---- */

static void test_tagged_text_of_a_corpus(void **state) {
    (void)state;
    static const struct {
        const char *path;
        size_t sentences, tokens;
    } PARTS[] = {{CREDENCE_DATA "/sequences/ewt_pos_train.tsv", 12544, 204577},
                 {CREDENCE_DATA "/sequences/ewt_pos_dev.tsv", 2001, 25147},
                 {CREDENCE_DATA "/sequences/ewt_pos_test.tsv", 2077, 25094}};
    for (size_t i = 0; i < 3; i++) {
        char path[512];
        crd_reader *reader = NULL;
        crd_sequences *sequences = NULL;
        crd_error error;
        crd_reader_options reader_options = CRD_READER_OPTIONS_INIT;
        crd_sequence_options options = CRD_SEQUENCE_OPTIONS_INIT;
        snprintf(path, sizeof path, "%s.gz", PARTS[i].path);
        const char *paths[] = {path};
        if (access(path, R_OK) != 0) {
            print_message("%s is not there\n", path);
            skip();
        }
        reader_options.header = CRD_CHOICE_NO;
        reader_options.no_quotes = 1;
        options.blank_lines = 1;
        assert_int_equal(crd_reader_open(context, paths, 1, &reader_options, &reader, &error), CRD_OK);
        assert_int_equal(crd_sequences_read(reader, &options, &sequences, &error), CRD_OK);
        assert_int_equal(crd_sequences_count(sequences), PARTS[i].sentences);
        assert_int_equal(crd_sequences_rows(sequences), PARTS[i].tokens);
        assert_int_equal(crd_sequences_column_count(sequences), 3);
        assert_true(crd_i_dictionary_find(crd_i_sequences_values(sequences, 0), crd_text_of("\"")) >= 0);
        crd_sequences_destroy(sequences);
        crd_reader_close(reader);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_rows_of_a_frame_are_cut_by_lengths, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_lengths_and_targets_must_fit, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_frames_are_read_as_tables, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_frames_have_ids_in_a_dictionary, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_files_end_sequences_without_ids, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_ids_go_on_in_the_next_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_keys_are_no_columns_of_a_model, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_ranges_of_many_steps, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_full_disk_is_an_error, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_tagged_text_of_a_corpus, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
