/* SPDX-License-Identifier: MIT */
/* data_support.h - reading tables in tests: what a reader says becomes one text that can be compared. */
#ifndef DATA_SUPPORT_H
#define DATA_SUPPORT_H

#include "failing_allocations.h"

#include "table/frame.h"
#include "table/read/reader.h"

#include <credence/number.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- A growing text ---- */

typedef struct transcript {
    char *text;
    size_t length, capacity;
} transcript;

static inline void say(transcript *target_transcript, const char *format, ...) __attribute__((format(printf, 2, 3)));
static inline void say(transcript *target_transcript, const char *format, ...) {
    for (;;) {
        va_list arguments;
        va_start(arguments, format);
        size_t space = target_transcript->capacity - target_transcript->length;
        int needed = vsnprintf(space == 0 ? NULL : target_transcript->text + target_transcript->length, space, format,
                               arguments);
        va_end(arguments);
        if ((size_t)needed < space) {
            target_transcript->length += (size_t)needed;
            return;
        }
        target_transcript->capacity = 2 * target_transcript->capacity + (size_t)needed + 256;
        target_transcript->text = realloc(target_transcript->text, target_transcript->capacity);
        if (target_transcript->text == NULL) abort();
    }
}

static inline void say_error(transcript *target_transcript, const crd_error *error) {
    say(target_transcript, "%s %s:%llu:%llu [%s] %s\n", crd_status_name(error->status), error->place,
        (unsigned long long)error->line, (unsigned long long)error->field, error->subject, error->message);
}

/* Numbers as they are, categories between apostrophes, texts between brackets, missing cells as a low line; the row's line first. */
static inline void say_frame(transcript *target_transcript, const crd_reader *reader, const crd_frame *frame) {
    for (size_t row = 0; row < crd_frame_rows(frame); row++) {
        say(target_transcript, "%llu:", (unsigned long long)crd_reader_line(reader, row));
        for (size_t column = 0; column < crd_frame_column_count(frame); column++) {
            crd_value value = crd_frame_value(frame, row, column);
            char number[CRD_NUMBER_ROOM];
            if (value.type == CRD_TYPE_NONE) say(target_transcript, " _");
            if (value.type == CRD_TYPE_CATEGORICAL)
                say(target_transcript, " '%.*s'", (int)value.text.length, value.text.bytes);
            if (value.type == CRD_TYPE_TEXT)
                say(target_transcript, " [%.*s]", (int)value.text.length, value.text.bytes);
            if (value.type == CRD_TYPE_NUMERIC) {
                crd_number_format(value.number, number);
                say(target_transcript, " %s", number);
            }
        }
        say(target_transcript, "\n");
    }
}

static inline void say_kinds(transcript *target_transcript, const crd_frame *frame) {
    for (size_t column = 0; column < crd_frame_column_count(frame); column++) {
        crd_text name = crd_frame_column_name(frame, column);
        static const char *const MARKS[] = {"?", "#", "@", "~"};
        say(target_transcript, "%s%s%.*s", column == 0 ? "" : " ", MARKS[crd_frame_column_type(frame, column)],
            (int)name.length, name.bytes);
    }
    say(target_transcript, "\n");
}

/* Everything from here to the end: kinds (#number @category ~text ?none) and rows of each frame, or the error. With `rows`
 * false only what frames are like. */
static inline crd_status say_rest(transcript *target_transcript, crd_reader *reader, bool rows) {
    for (;;) {
        const crd_frame *frame;
        crd_error error;
        crd_status status = crd_reader_next(reader, &frame, &error);
        if (status != CRD_OK) {
            say_error(target_transcript, &error);
            return status;
        }
        if (frame == NULL) return CRD_OK;
        say_kinds(target_transcript, frame);
        if (rows) {
            say_frame(target_transcript, reader, frame);
        } else {
            say(target_transcript, "%zu rows\n", crd_frame_rows(frame));
        }
    }
}

static inline crd_status open_bytes(crd_context *context, const void *bytes, size_t length, bool can_rewind,
                                    const crd_reader_options *options, crd_reader **out, crd_error *error) {
    crd_i_source *source = NULL;
    crd_status status = crd_i_source_memory(context, bytes, length, can_rewind, &source, error);
    if (status != CRD_OK) return status;
    return crd_i_reader_open_source(context, source, "t", options, out, error);
}

static inline void say_opened(transcript *target_transcript, const crd_reader *reader) {
    say(target_transcript, "%c%s\n", "?,;tbpo"[crd_reader_separator(reader)],
        crd_reader_has_header(reader)              ? " header"
        : crd_reader_header_assumed_absent(reader) ? " no header assumed"
                                                   : "");
}

/* Opens and reads to the end; the caller frees the text. */
static inline char *transcribe(const void *bytes, size_t length, bool can_rewind, const crd_reader_options *options) {
    transcript target_transcript = {NULL, 0, 0};
    allocations plan = {0};
    crd_context *context = logged_context(&plan);
    crd_reader *reader = NULL;
    crd_error error;
    if (open_bytes(context, bytes, length, can_rewind, options, &reader, &error) != CRD_OK) {
        say_error(&target_transcript, &error);
    } else {
        say_opened(&target_transcript, reader);
        (void)say_rest(&target_transcript, reader, true);
    }
    crd_reader_close(reader);
    crd_context_destroy(context);
    assert_int_equal(plan.live, 0);
    return target_transcript.text;
}

/* What there is to say of the rows whatever frames they come in: all of them and the kinds of their columns, once it is
 * known, or the error alone. */
static inline void say_essence(transcript *target_transcript, crd_reader *reader) {
    transcript rows = {NULL, 0, 0};
    crd_column_type *types = NULL;
    const crd_frame *frame, *latest = NULL;
    crd_error error;
    for (;;) {
        crd_status status = crd_reader_next(reader, &frame, &error);
        if (status != CRD_OK) say_error(target_transcript, &error);
        if (status != CRD_OK || frame == NULL) {
            if (status != CRD_OK) latest = NULL;
            break;
        }
        latest = frame;
        size_t columns = crd_frame_column_count(frame);
        if (types == NULL) types = calloc(columns + 1, sizeof *types);
        if (types == NULL) abort();
        for (size_t i = 0; i < columns; i++) {
            if (crd_frame_column_type(frame, i) > types[i]) types[i] = crd_frame_column_type(frame, i);
        }
        say_frame(&rows, reader, frame);
    }
    for (size_t i = 0; latest != NULL && i < crd_frame_column_count(latest); i++) {
        crd_text name = crd_frame_column_name(latest, i);
        say(target_transcript, "%s%c%.*s", i == 0 ? "" : " ", "?#@~"[types[i]], (int)name.length, name.bytes);
    }
    if (latest != NULL && rows.length > 0) say(target_transcript, "\n%s", rows.text);
    free(rows.text);
    free(types);
}

static inline char *essence(const void *bytes, size_t length, bool can_rewind, const crd_reader_options *options) {
    transcript target_transcript = {NULL, 0, 0};
    allocations plan = {0};
    crd_context *context = logged_context(&plan);
    crd_reader *reader = NULL;
    crd_error error;
    if (open_bytes(context, bytes, length, can_rewind, options, &reader, &error) != CRD_OK) {
        say_error(&target_transcript, &error);
    } else {
        say_opened(&target_transcript, reader);
        say_essence(&target_transcript, reader);
    }
    crd_reader_close(reader);
    crd_context_destroy(context);
    assert_int_equal(plan.live, 0);
    return target_transcript.text;
}

/* What is expected in one frame, and the same rows or the same error in frames of any size. */
static inline void expect_bytes(const void *bytes, size_t length, const crd_reader_options *given,
                                const char *expected) {
    static const size_t BLOCKS[] = {1, 2, 3, 4, 5, 7, 11, 16, 33, 100};
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    if (given != NULL) options = *given;
    char *output = transcribe(bytes, length, true, &options), *whole = essence(bytes, length, true, &options);
    assert_string_equal(output, expected);
    free(output);
    for (size_t i = 0; i < sizeof BLOCKS / sizeof BLOCKS[0]; i++) {
        options.block_bytes = BLOCKS[i];
        output = essence(bytes, length, true, &options);
        if (strcmp(output, whole) != 0) print_message("frames of %zu bytes\n", BLOCKS[i]);
        assert_string_equal(output, whole);
        free(output);
    }
    free(whole);
}

static inline void expect_with(const char *input, const crd_reader_options *options, const char *expected) {
    expect_bytes(input, strlen(input), options, expected);
}

static inline void expect(const char *input, const char *expected) {
    expect_with(input, NULL, expected);
}

/* ---- Files that live as long as a test ---- */

static inline void write_temporary(char path[64], const void *bytes, size_t length) {
    snprintf(path, 64, "/tmp/credence-test-XXXXXX");
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, bytes, length), (ssize_t)length);
    close(descriptor);
}

#endif
