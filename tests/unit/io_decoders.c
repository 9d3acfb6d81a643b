/* SPDX-License-Identifier: MIT */
/* gzip and zstd as sources: whole, in several members, cut short anywhere, damaged, rewound. */
#include "io/page_source.h"
#include "table/read/reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <cmocka.h>

enum { LENGTH = 200000 };
static unsigned char plain[LENGTH], gzipped[LENGTH + 1000], zstandard[LENGTH + 1000];
static size_t gzipped_length, zstandard_length;

static void compress_plain(void) {
    z_stream stream;
    memset(&stream, 0, sizeof stream);
    assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    stream.next_in = plain;
    stream.avail_in = LENGTH;
    stream.next_out = gzipped;
    stream.avail_out = sizeof gzipped;
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    gzipped_length = sizeof gzipped - stream.avail_out;
    deflateEnd(&stream);
    zstandard_length = ZSTD_compress(zstandard, sizeof zstandard, plain, LENGTH, 3);
    assert_false(ZSTD_isError(zstandard_length));
}

static int set_up(void **state) {
    crd_context *context = NULL;
    if (crd_context_create(NULL, &context) != CRD_OK) return -1;
    uint32_t seed = 1;
    for (size_t i = 0; i < LENGTH; i++) {
        seed = seed * 1664525u + 1013904223u;
        plain[i] = (unsigned char)("0123456789,\n"[(seed >> 24) % 12]);
    }
    compress_plain();
    *state = context;
    return 0;
}

static int tear_down(void **state) {
    crd_context_destroy(*state);
    return 0;
}

/* Reads to the end in steps; *matches tells whether what came was `times` times the plain text, or its beginning. */
static crd_status drain(crd_i_source *source, size_t step, size_t *total, bool *matches, crd_error *error) {
    unsigned char buffer[8192];
    *total = 0;
    *matches = true;
    for (;;) {
        size_t got = 0;
        crd_status status = source->read(source, buffer, step, &got, error);
        if (status != CRD_OK) return status;
        if (got == 0) return CRD_OK;
        for (size_t i = 0; i < got; i++) *matches = *matches && buffer[i] == plain[(*total + i) % LENGTH];
        *total += got;
    }
}

static crd_i_source *open_over(crd_context *context, const void *bytes, size_t length, bool can_rewind) {
    crd_i_source *inner = NULL, *source = NULL;
    assert_int_equal(crd_i_source_memory(context, bytes, length, can_rewind, &inner, NULL), CRD_OK);
    assert_int_equal(crd_i_source_decode(context, inner, crd_i_decoders, &source, NULL), CRD_OK);
    return source;
}

static void check_whole(crd_context *context, const unsigned char *bytes, size_t length) {
    const size_t steps[] = {1, 7, 4096, 8192};
    for (size_t i = 0; i < 4; i++) {
        crd_i_source *source = open_over(context, bytes, length, true);
        size_t total = 0;
        bool matches = false;
        for (int pass = 0; pass < 2; pass++) {
            assert_int_equal(drain(source, steps[i], &total, &matches, NULL), CRD_OK);
            assert_true(matches);
            assert_int_equal(total, LENGTH);
            assert_int_equal(source->rewind(source, NULL), CRD_OK);
        }
        crd_i_source_close(source);
    }
}

static void whole_data_comes_back_and_again_after_rewinding(void **state) {
    check_whole(*state, gzipped, gzipped_length);
    check_whole(*state, zstandard, zstandard_length);
    check_whole(*state, plain, LENGTH);
}

static void members_one_after_the_other_are_one_text(void **state) {
    const unsigned char *one[] = {gzipped, zstandard};
    const size_t lengths[] = {gzipped_length, zstandard_length};
    for (size_t kind = 0; kind < 2; kind++) {
        size_t length = lengths[kind], total = 0;
        bool matches = false;
        unsigned char *twice = malloc(2 * length);
        memcpy(twice, one[kind], length);
        memcpy(twice + length, one[kind], length);
        crd_i_source *source = open_over(*state, twice, 2 * length, false);
        assert_int_equal(drain(source, 5000, &total, &matches, NULL), CRD_OK);
        assert_int_equal(total, 2 * LENGTH);
        assert_true(matches);
        crd_i_source_close(source);
        free(twice);
    }
}

static void data_cut_short_is_an_error_never_an_end(void **state) {
    const unsigned char *whole[] = {gzipped, zstandard};
    const size_t lengths[] = {gzipped_length, zstandard_length};
    for (size_t kind = 0; kind < 2; kind++) {
        for (size_t cut = 4; cut < lengths[kind]; cut += cut < 40 || cut + 40 > lengths[kind] ? 1 : 1013) {
            unsigned char *copy = malloc(cut);
            memcpy(copy, whole[kind], cut);
            crd_i_source *source = open_over(*state, copy, cut, false);
            size_t total = 0;
            bool matches = false;
            crd_error error;
            assert_int_equal(drain(source, 4096, &total, &matches, &error), CRD_ERROR_SYNTAX);
            assert_non_null(strstr(error.message, "truncated"));
            assert_true(matches);
            crd_i_source_close(source);
            free(copy);
        }
    }
}

static void damaged_data_is_an_error(void **state) {
    unsigned char *const whole[] = {gzipped, zstandard};
    const size_t lengths[] = {gzipped_length, zstandard_length};
    for (size_t kind = 0; kind < 2; kind++) {
        unsigned char *cursor = whole[kind] + lengths[kind] / 2;
        *cursor ^= 0x40;
        crd_i_source *source = open_over(*state, whole[kind], lengths[kind], false);
        size_t total = 0;
        bool matches = true;
        crd_status status = drain(source, 4096, &total, &matches, NULL);
        /* zstd has no checksum unless asked for one: damage may show only in the text. */
        assert_true(status == CRD_ERROR_SYNTAX || (kind == 1 && !matches));
        crd_i_source_close(source);
        *cursor ^= 0x40;
    }
}

/* A path that a pipe with these bytes is read from, which a child of ours writes. */
static pid_t fill_pipe(const void *bytes, size_t length, int *end, char path[32]) {
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t writer = fork();
    if (writer == 0) {
        close(ends[0]);
        for (size_t done = 0; done < length;) {
            ssize_t count = write(ends[1], (const char *)bytes + done, length - done);
            if (count <= 0) _exit(1);
            done += (size_t)count;
        }
        _exit(0);
    }
    assert_true(writer > 0);
    close(ends[1]);
    *end = ends[0];
    snprintf(path, 32, "/dev/fd/%d", ends[0]);
    return writer;
}

static void a_pipe_that_was_looked_at_is_still_read_from_its_first_byte(void **state) {
    const void *whole[] = {plain, gzipped, zstandard};
    const size_t lengths[] = {LENGTH, gzipped_length, zstandard_length};
    for (size_t kind = 0; kind < 3; kind++) {
        int end = -1;
        char path[32];
        pid_t writer = fill_pipe(whole[kind], lengths[kind], &end, path);
        crd_input *input = NULL;
        assert_int_equal(crd_input_open(*state, path, &input, NULL), CRD_OK);
        crd_text first = crd_input_beginning(input);
        assert_int_equal(first.length, 64 * 1024);
        assert_memory_equal(first.bytes, plain, first.length);
        size_t total = 0;
        bool matches = false;
        assert_int_equal(drain(input->source, 4096, &total, &matches, NULL), CRD_OK);
        assert_true(total == LENGTH && matches);
        crd_input_close(input);
        close(end);
        assert_int_equal(waitpid(writer, NULL, 0), writer);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_data_comes_back_and_again_after_rewinding),
        cmocka_unit_test(members_one_after_the_other_are_one_text),
        cmocka_unit_test(data_cut_short_is_an_error_never_an_end),
        cmocka_unit_test(damaged_data_is_an_error),
        cmocka_unit_test(a_pipe_that_was_looked_at_is_still_read_from_its_first_byte),
    };
    return cmocka_run_group_tests_name("io_decoders", tests, set_up, tear_down);
}
