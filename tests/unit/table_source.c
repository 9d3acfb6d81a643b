/* SPDX-License-Identifier: MIT */
/* Where bytes come from: files, standard input, pipes, a file that shrinks, and the choice of a decompressor. */
#include "table_support.h"

#include "base/error.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/time.h>

static allocations plan;
static crd_context *context;

static int begin_context(void **state) {
    (void)state;
    memset(&plan, 0, sizeof plan);
    context = logged_context(&plan);
    return context == NULL;
}

static int end_context(void **state) {
    (void)state;
    crd_context_destroy(context);
    return plan.live == 0 ? 0 : -1;
}

/* All bytes, asked for `room` at a time. */
static void expect_source(crd_i_source *source, size_t capacity, const char *expected) {
    char output[256];
    size_t length = 0, got;
    crd_error error;
    do {
        assert_true(length + capacity < sizeof output);
        assert_int_equal(source->read(source, (unsigned char *)output + length, capacity, &got, &error), CRD_OK);
        length += got;
    } while (got > 0);
    output[length] = '\0';
    assert_string_equal(output, expected);
}

static void test_a_file_and_back_again(void **state) {
    (void)state;
    char path[64];
    write_temporary(path, "some bytes", 10);
    crd_i_source *source = NULL;
    crd_error error;
    assert_int_equal(crd_i_source_open(context, path, &source, &error), CRD_OK);
    expect_source(source, 3, "some bytes");
    assert_non_null(source->rewind);
    assert_int_equal(source->rewind(source, &error), CRD_OK);
    expect_source(source, 100, "some bytes");
    crd_i_source_close(source);
    unlink(path);
    crd_i_source_close(NULL);
}

static void test_a_file_that_shrinks(void **state) {
    (void)state;
    char path[64];
    write_temporary(path, "0123456789", 10);
    crd_i_source *source = NULL;
    crd_error error;
    assert_int_equal(crd_i_source_open(context, path, &source, &error), CRD_OK);
    unsigned char bytes[4];
    size_t got;
    assert_int_equal(source->read(source, bytes, 4, &got, &error), CRD_OK);
    assert_int_equal(truncate(path, 2), 0);
    assert_int_equal(source->read(source, bytes, 4, &got, &error), CRD_ERROR_SYSTEM);
    assert_string_equal(error.message, "the file shrank while it was read: got 4 bytes, expected 10");
    crd_i_source_close(source);
    unlink(path);
}

static void test_what_cannot_be_opened(void **state) {
    (void)state;
    crd_i_source *source = NULL;
    crd_error error;
    assert_int_equal(crd_i_source_open(context, "/nowhere/at/all", &source, &error), CRD_ERROR_SYSTEM);
    assert_null(source);
    assert_int_equal(error.system_error, ENOENT);
    assert_int_equal(crd_i_source_open(context, "/tmp", &source, &error), CRD_ERROR_SYSTEM);
    assert_int_equal(error.system_error, EISDIR);
    assert_string_equal(error.message, "cannot be opened: Is a directory");
}

/* Standard input made to be the given descriptor for the length of a call. */
static int replace_standard_input(int descriptor) {
    int kept = dup(STDIN_FILENO);
    assert_true(dup2(descriptor, STDIN_FILENO) >= 0);
    close(descriptor);
    return kept;
}

static void restore_standard_input(int kept) {
    if (kept >= 0) {
        assert_true(dup2(kept, STDIN_FILENO) >= 0);
        close(kept);
    } else {
        close(STDIN_FILENO);
    }
}

static void test_standard_input_as_a_file(void **state) {
    (void)state;
    char path[64];
    write_temporary(path, "xxa,b\n1,2\n", 10);
    int descriptor = open(path, O_RDONLY);
    /* Handed over behind its beginning: that is where it begins for us. */
    assert_int_equal(lseek(descriptor, 2, SEEK_SET), 2);
    int kept = replace_standard_input(descriptor);
    crd_i_source *source = NULL;
    crd_error error;
    assert_int_equal(crd_i_source_open(context, "-", &source, &error), CRD_OK);
    expect_source(source, 5, "a,b\n1,2\n");
    assert_int_equal(source->rewind(source, &error), CRD_OK);
    expect_source(source, 5, "a,b\n1,2\n");
    crd_i_source_close(source);
    assert_true(fcntl(STDIN_FILENO, F_GETFD) >= 0);
    restore_standard_input(kept);
    unlink(path);
}

static void test_standard_input_as_a_pipe(void **state) {
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "a,b\n1\n", 6), 6);
    close(ends[1]);
    int kept = replace_standard_input(ends[0]);
    const char *paths[] = {"-"};
    crd_reader *reader = NULL;
    crd_error error;
    assert_int_equal(crd_reader_open(context, paths, 1, NULL, &reader, &error), CRD_OK);
    const crd_frame *frame;
    assert_int_equal(crd_reader_next(reader, &frame, &error), CRD_ERROR_SYNTAX);
    assert_string_equal(error.place, "standard input");
    assert_int_equal(error.line, 2);
    assert_string_equal(crd_reader_place(reader), "standard input");
    crd_reader_close(reader);
    restore_standard_input(kept);
}

static void cancel_now(int signal_number) {
    (void)signal_number;
    crd_context_cancel(context);
}

/* A read that waits is left when a signal asks for it. */
static void test_a_signal_ends_a_read_that_waits(void **state) {
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    int kept = replace_standard_input(ends[0]);
    struct sigaction action = {.sa_handler = cancel_now}, before;
    assert_int_equal(sigaction(SIGALRM, &action, &before), 0);
    crd_i_source *source = NULL;
    crd_error error;
    assert_int_equal(crd_i_source_open(context, "-", &source, &error), CRD_OK);
    assert_null(source->rewind);
    struct itimerval soon = {.it_value = {.tv_usec = 20000}, .it_interval = {.tv_usec = 20000}};
    struct itimerval never = {.it_value = {.tv_usec = 0}};
    assert_int_equal(setitimer(ITIMER_REAL, &soon, NULL), 0);
    unsigned char byte;
    size_t got;
    assert_int_equal(source->read(source, &byte, 1, &got, &error), CRD_ERROR_CANCELLED);
    assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
    sigaction(SIGALRM, &before, NULL);
    crd_i_source_close(source);
    restore_standard_input(kept);
    close(ends[1]);
}

/* ---- Decoding: a toy format that begins with "~~" and moves every byte behind that up by one ---- */

typedef struct toy_source {
    crd_i_source base;
    crd_i_source *inner;
    size_t position;
} toy_source;

static crd_status toy_read(crd_i_source *source, unsigned char *bytes, size_t capacity, size_t *got, crd_error *error) {
    toy_source *toy = (toy_source *)source;
    while (toy->position < 2) {
        unsigned char mark;
        crd_status status = toy->inner->read(toy->inner, &mark, 1, got, error);
        if (status != CRD_OK) return status;
        assert_int_equal(mark, '~');
        toy->position++;
    }
    crd_status status = toy->inner->read(toy->inner, bytes, capacity, got, error);
    for (size_t i = 0; i < *got; i++) bytes[i]++;
    return status;
}

static crd_status toy_rewind(crd_i_source *source, crd_error *error) {
    toy_source *toy = (toy_source *)source;
    toy->position = 0;
    return toy->inner->rewind(toy->inner, error);
}

static void toy_close(crd_i_source *source) {
    crd_i_source_close(((toy_source *)source)->inner);
    crd_free(source->context, source);
}

static crd_status toy_wrap(crd_context *own_context, crd_i_source *inner, crd_i_source **out, crd_error *error) {
    toy_source *toy = crd_i_alloc_zeroed(own_context, 1, sizeof *toy);
    if (toy == NULL) {
        crd_i_source_close(inner);
        return crd_i_fail_memory(error);
    }
    toy->base = (crd_i_source){.context = own_context,
                               .read = toy_read,
                               .rewind = inner->rewind == NULL ? NULL : toy_rewind,
                               .close = toy_close};
    toy->inner = inner;
    *out = &toy->base;
    return CRD_OK;
}

static const crd_i_decoder TOYS[] = {
    {"long", "~~~~~~", 6, toy_wrap}, {"toy", "~~", 2, toy_wrap}, {NULL, NULL, 0, NULL}};

static void expect_decoded(const char *input, bool can_rewind, const char *expected) {
    crd_i_source *inner = NULL, *source = NULL;
    crd_error error;
    assert_int_equal(crd_i_source_memory(context, input, strlen(input), can_rewind, &inner, &error), CRD_OK);
    assert_int_equal(crd_i_source_decode(context, inner, TOYS, &source, &error), CRD_OK);
    expect_source(source, 1, expected);
    assert_int_equal(source->rewind != NULL, can_rewind);
    if (can_rewind) {
        assert_int_equal(source->rewind(source, &error), CRD_OK);
        expect_source(source, 7, expected);
    }
    crd_i_source_close(source);
}

static void test_decoding(void **state) {
    (void)state;
    for (int can_rewind = 0; can_rewind < 2; can_rewind++) {
        expect_decoded("plain bytes", can_rewind, "plain bytes");
        expect_decoded("~~HAL", can_rewind, "IBM");
        expect_decoded("~", can_rewind, "~");
        expect_decoded("", can_rewind, "");
    }
}

/* The bytes looked at come before the others, and a kind that turns over rewinds the decoder too. */
static void test_a_reader_over_a_decoder(void **state) {
    (void)state;
    transcript text = {NULL, 0, 0};
    say(&text, "~~`\t"); /* moved up: "a\n" */
    for (int i = 0; i < 5000; i++) say(&text, "0\t");
    say(&text, "w\t");
    char path[64];
    write_temporary(path, text.text, text.length);
    crd_reader *reader = NULL;
    crd_error error;
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    options.block_bytes = 4096; /* 2048 rows */
    crd_i_source *file = NULL, *source = NULL;
    assert_int_equal(crd_i_source_open(context, path, &file, &error), CRD_OK);
    assert_int_equal(crd_i_source_decode(context, file, TOYS, &source, &error), CRD_OK);
    assert_int_equal(crd_i_reader_open_source(context, source, path, &options, &reader, &error), CRD_OK);
    transcript output = {NULL, 0, 0};
    assert_int_equal(say_rest(&output, reader, false), CRD_OK);
    assert_string_equal(output.text, "@a\n2048 rows\n@a\n2048 rows\n@a\n905 rows\n");
    crd_reader_close(reader);
    free(output.text);
    free(text.text);
    unlink(path);
}

int main(void) {
#define IN_CONTEXT(test) cmocka_unit_test_setup_teardown(test, begin_context, end_context)
    const struct CMUnitTest tests[] = {
        IN_CONTEXT(test_a_file_and_back_again),
        IN_CONTEXT(test_a_file_that_shrinks),
        IN_CONTEXT(test_what_cannot_be_opened),
        IN_CONTEXT(test_standard_input_as_a_file),
        IN_CONTEXT(test_standard_input_as_a_pipe),
        IN_CONTEXT(test_a_signal_ends_a_read_that_waits),
        IN_CONTEXT(test_decoding),
        IN_CONTEXT(test_a_reader_over_a_decoder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
