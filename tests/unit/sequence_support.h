/* SPDX-License-Identifier: MIT */
/* sequence_support.h - sequences of tables in tests: what is read becomes one text that can be compared. */
#ifndef SEQUENCE_SUPPORT_H
#define SEQUENCE_SUPPORT_H

#include "table_support.h"

#include "sequence/data/sequences.h"

/* What a test reads, and how. */
typedef struct sequence_case {
    const char *bytes;
    size_t length; /* 0: it ends with a NUL */
    const char *target;
    crd_reader_options reader;
    crd_sequence_options options;
    bool as_rows_come; /* by crd_sequence_reader_next_rows */
    bool as_pipe;
    const char *show_cell; /* a column of the file whose texts are shown */
} sequence_case;

#define SEQUENCE_CASE(text)                                                                                            \
    { .bytes = (text), .reader = CRD_READER_OPTIONS_INIT, .options = CRD_SEQUENCE_OPTIONS_INIT }

static inline void say_step(transcript *target_transcript, const crd_sequences *s, const crd_sequence_cursor *cursor,
                            size_t cell) {
    say(target_transcript, " ");
    for (size_t i = 0; i < crd_sequences_column_count(s); i++) {
        crd_value value = crd_sequence_cursor_value(cursor, i);
        char number[CRD_NUMBER_ROOM];
        if (i > 0) say(target_transcript, ",");
        if (value.type == CRD_TYPE_NONE) say(target_transcript, "_");
        if (value.type == CRD_TYPE_CATEGORICAL)
            say(target_transcript, "%.*s", (int)value.text.length, value.text.bytes);
        if (value.type == CRD_TYPE_NUMERIC) crd_number_format(value.number, number);
        if (value.type == CRD_TYPE_NUMERIC) say(target_transcript, "%s", number);
    }
    int32_t label = crd_sequence_cursor_label(cursor);
    crd_text name = label < 0 ? (crd_text){"", 0} : crd_sequences_label(s, (size_t)label);
    if (label >= 0) say(target_transcript, "/%.*s", (int)name.length, name.bytes);
    if (crd_sequence_cursor_is_inserted(cursor)) say(target_transcript, "+");
    else say(target_transcript, "@%llu", (unsigned long long)crd_sequence_cursor_line(cursor));
    if (cell != SIZE_MAX) {
        crd_text text = crd_sequence_cursor_cell(cursor, cell);
        say(target_transcript, "<%.*s>", (int)text.length, text.bytes);
    }
}

/* Each sequence on a line: its id, and for each step its observations, label and line. */
static inline void say_sequences(transcript *target_transcript, const crd_sequences *s, bool continues, size_t cell) {
    crd_sequence_cursor *cursor = NULL;
    crd_error error;
    assert_int_equal(crd_sequence_cursor_create(s, &cursor, &error), CRD_OK);
    for (size_t i = 0; i < crd_sequences_count(s); i++) {
        crd_text id = crd_sequences_id(s, i);
        if (i == 0 && continues) target_transcript->length--; /* the line end */
        else say(target_transcript, "%.*s:", (int)id.length, id.bytes);
        for (uint64_t step = 0; step < crd_sequences_length(s, i); step++) {
            assert_int_equal(crd_sequence_cursor_move(cursor, i, step, &error), CRD_OK);
            say_step(target_transcript, s, cursor, cell);
        }
        say(target_transcript, "\n");
    }
    crd_sequence_cursor_destroy(cursor);
}

static inline crd_status open_case(crd_context *context, const sequence_case *given, crd_reader **reader,
                                   crd_sequence_reader **sequences, crd_error *error) {
    size_t length = given->length > 0 ? given->length : strlen(given->bytes);
    *sequences = NULL;
    crd_status status = open_bytes(context, given->bytes, length, !given->as_pipe, &given->reader, reader, error);
    if (status == CRD_OK && given->target != NULL)
        status = crd_reader_select_target(*reader, crd_text_of(given->target), error);
    if (status == CRD_OK) status = crd_sequence_reader_create(*reader, &given->options, sequences, error);
    return status;
}

/* All batches. */
static inline crd_status say_batches(transcript *target_transcript, const sequence_case *given,
                                     crd_sequence_reader *sequences, size_t cell, crd_error *error) {
    for (;;) {
        crd_sequences *batch = NULL;
        int continues = 0;
        crd_status status = given->as_rows_come ? crd_sequence_reader_next_rows(sequences, &batch, &continues, error)
                                                : crd_sequence_reader_next(sequences, &batch, error);
        if (status != CRD_OK || batch == NULL) return status;
        say_sequences(target_transcript, batch, continues, cell);
        crd_sequences_destroy(batch);
    }
}

/* The sequences, or the error alone; the caller frees the text. */
static inline char *transcribe_case(const sequence_case *given) {
    transcript target_transcript = {NULL, 0, 0};
    allocations plan = {0};
    crd_context *context = logged_context(&plan);
    crd_reader *reader = NULL;
    crd_sequence_reader *sequences = NULL;
    crd_error error = {.status = CRD_OK};
    say(&target_transcript, "%s", "");
    crd_status status = open_case(context, given, &reader, &sequences, &error);
    size_t cell = SIZE_MAX, count = 0;
    if (status == CRD_OK && given->show_cell != NULL) {
        size_t columns[64];
        assert_int_equal(crd_reader_select(reader, crd_text_of(given->show_cell), columns, &count, &error), CRD_OK);
        cell = columns[0];
    }
    if (status == CRD_OK) status = say_batches(&target_transcript, given, sequences, cell, &error);
    if (status != CRD_OK) {
        target_transcript.length = 0;
        say_error(&target_transcript, &error);
    }
    crd_sequence_reader_destroy(sequences);
    crd_reader_close(reader);
    crd_context_destroy(context);
    assert_int_equal(plan.live, 0);
    return target_transcript.text;
}

/* What is expected, whatever the size of blocks, of batches, and of the memory that they take. */
static inline void expect_sequences(const sequence_case *given, const char *expected) {
    static const size_t BLOCKS[] = {0, 1, 2, 3, 4, 5, 7, 11, 16, 33, 100};
    sequence_case varied = *given;
    for (size_t i = 0; i < sizeof BLOCKS / sizeof *BLOCKS; i++) {
        varied.reader.block_bytes = BLOCKS[i];
        varied.options.batch_rows = i % 3;
        varied.options.memory_bytes = i % 2;
        char *output = transcribe_case(&varied);
        if (strcmp(output, expected) != 0) print_message("frames of %zu bytes\n", BLOCKS[i]);
        assert_string_equal(output, expected);
        free(output);
    }
}

#endif
