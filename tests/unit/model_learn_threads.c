/* SPDX-License-Identifier: MIT */
/* Models learned by any number of threads, from chunks of any size, are the same bytes; and what is wrong with the
 * input is the same error at the same place. */
#include "model_support.h"
#include "sanitizer_support.h"

#include <unistd.h>
#include <zlib.h>

enum { MOST_THREADS = 8 };

typedef struct text {
    char bytes[1 << 16];
    size_t length;
} text;

static void add(text *schema, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(text *target_text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(target_text->bytes + target_text->length, sizeof target_text->bytes - target_text->length,
                           format, arguments);
    va_end(arguments);
    assert_true(length >= 0 && (size_t)length < sizeof target_text->bytes - target_text->length);
    target_text->length += (size_t)length;
}

static uint64_t seed = 42;

static size_t draw(size_t below) {
    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (size_t)(seed >> 33) % below;
}

static void add_rows(text *target_text, size_t rows, const char *line_end, bool quotes) {
    static const char *const NAMES[] = {"red", "green", "", "?", "blue"};
    static const char *const QUOTED[] = {"\"red\"", "\"gr,een\"", "\"two\nlines\"", "\"q\"\"q\"", "blue"};
    for (size_t row = 0; row < rows; row++) {
        add(target_text, "%s%zu.%zu,%s,%zu,%s%s", draw(2) ? "-" : "", draw(1000), draw(1000),
            (quotes ? QUOTED : NAMES)[draw(5)], draw(5), draw(20) ? (draw(2) ? "yes" : "no") : "?", line_end);
    }
}

static void write_file(char path[64], const char *bytes, size_t length, bool compressed) {
    snprintf(path, 64, "/tmp/credence-test-XXXXXX");
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    if (compressed) {
        gzFile file = gzdopen(descriptor, "wb");
        assert_int_equal(gzwrite(file, bytes, (unsigned)length), (int)length);
        assert_int_equal(gzclose(file), Z_OK);
        return;
    }
    assert_int_equal(write(descriptor, bytes, length), (ssize_t)length);
    close(descriptor);
}

static crd_status train_files(crd_context *context, const char *const *paths, size_t count,
                              const crd_reader_options *options, crd_model **model, crd_read_facts *facts,
                              crd_error *error) {
    crd_reader *reader;
    *model = NULL;
    crd_status status = crd_reader_open(context, paths, count, options, &reader, error);
    if (status != CRD_OK) return status;
    status = crd_reader_set_target(reader, crd_reader_column_count(reader) - 1, error);
    /* What is kept of columns together is joined as well. */
    joint_tally_names kept = every_joint_tally();
    if (status == CRD_OK)
        status = crd_model_train_keeping(context, reader, NULL, crd_text_of(kept.text), model, facts, error);
    crd_reader_close(reader);
    return status;
}

/* From memory that cannot be read twice, as a pipe. */
static crd_status train_pipe(crd_context *context, const text *table, const crd_reader_options *options,
                             crd_model **model, crd_error *error) {
    crd_i_source *source;
    crd_reader *reader;
    *model = NULL;
    crd_status status = crd_i_source_memory(context, table->bytes, table->length, false, &source, error);
    if (status == CRD_OK) status = crd_i_reader_open_source(context, source, "pipe", options, &reader, error);
    if (status != CRD_OK) return status;
    status = crd_reader_set_target(reader, crd_reader_column_count(reader) - 1, error);
    joint_tally_names kept = every_joint_tally();
    if (status == CRD_OK)
        status = crd_model_train_keeping(context, reader, NULL, crd_text_of(kept.text), model, NULL, error);
    crd_reader_close(reader);
    return status;
}

static const char HEADER[] = "x,k,d,class\n";

static void same_bytes_of_any_number_of_threads(void **state) {
    crd_context *context = *state;
    static const size_t BLOCKS[] = {0, 64, 700, 4096};
    for (int kind = 0; kind < 4; kind++) {
        text table = {.length = 0};
        const char *line_end = kind == 1 ? "\r\n" : "\n";
        add(&table, "x,k,d,class%s", line_end);
        add_rows(&table, 1200, line_end, kind == 2);
        /* A column that turns over at the end. */
        if (kind == 3) add(&table, "1,red,word,yes%s", line_end);
        char path[64], packed[64];
        write_file(path, table.bytes, table.length, false);
        write_file(packed, table.bytes, table.length, true);
        model_bytes alone = {0};
        uint64_t rows = 0;
        for (unsigned threads = 1; threads <= MOST_THREADS; threads += IS_THREAD_SANITIZED ? 2 : 1) {
            for (size_t i = 0; i < 4; i++) {
                crd_reader_options options = CRD_READER_OPTIONS_INIT;
                options.threads = threads;
                options.block_bytes = BLOCKS[i];
                const char *paths[] = {path};
                if ((threads + i) % 2 == 1) paths[0] = packed;
                crd_read_facts facts = CRD_READ_FACTS_INIT;
                crd_error error;
                crd_model *model, *piped;
                assert_done(train_files(context, paths, 1, &options, &model, &facts, &error), error);
                model_bytes bytes = bytes_of(model, context);
                crd_model_destroy(model);
                if (threads == 1 && i == 0) {
                    alone = bytes;
                    rows = facts.rows;
                    continue;
                }
                assert_same_bytes(bytes, alone);
                assert_int_equal(facts.rows, rows);
                free_bytes(bytes);
                if (kind == 3) continue;
                assert_done(train_pipe(context, &table, &options, &piped, &error), error);
                bytes = bytes_of(piped, context);
                assert_same_bytes(bytes, alone);
                free_bytes(bytes);
                crd_model_destroy(piped);
            }
        }
        free_bytes(alone);
        unlink(path);
        unlink(packed);
    }
}

/* The same rows in one file and in two, cut anywhere; updated and forgotten again. */
static void same_bytes_of_files_split_anywhere(void **state) {
    crd_context *context = *state;
    text table = {.length = 0}, part;
    add(&table, "%s", HEADER);
    add_rows(&table, 300, "\n", false);
    char whole_path[64];
    write_file(whole_path, table.bytes, table.length, false);
    const char *whole_paths[] = {whole_path};
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    options.threads = 1;
    crd_error error;
    crd_model *whole;
    assert_done(train_files(context, whole_paths, 1, &options, &whole, NULL, &error), error);
    model_bytes wanted = bytes_of(whole, context);
    for (int round = 0; round < 10; round++) {
        char paths[2][64];
        const char *names[] = {paths[0], paths[1]};
        const char *cut = table.bytes + strlen(HEADER) + draw(table.length - strlen(HEADER) - 20);
        cut = strchr(cut, '\n') + 1;
        write_file(paths[0], table.bytes, (size_t)(cut - table.bytes), false);
        part.length = 0;
        add(&part, "%s%s", HEADER, cut);
        write_file(paths[1], part.bytes, part.length, round % 2);
        options.threads = 1 + (unsigned)draw(MOST_THREADS);
        options.block_bytes = 50 + draw(1000);
        crd_model *model;
        assert_done(train_files(context, names, 2, &options, &model, NULL, &error), error);
        model_bytes found_bytes = bytes_of(model, context);
        assert_same_bytes(found_bytes, wanted);
        free_bytes(found_bytes);
        for (int forget = 0; forget < 2; forget++) {
            crd_reader *reader;
            assert_done(crd_reader_open(context, names, 2, &options, &reader, &error), error);
            if (forget) assert_done(crd_model_forget_all(model, reader, NULL, &error), error);
            else assert_done(crd_model_update_all(model, reader, NULL, &error), error);
            crd_reader_close(reader);
        }
        found_bytes = bytes_of(model, context);
        assert_same_bytes(found_bytes, wanted);
        free_bytes(found_bytes);
        crd_model_destroy(model);
        unlink(paths[0]);
        unlink(paths[1]);
    }
    free_bytes(wanted);
    crd_model_destroy(whole);
    unlink(whole_path);
}

/* Faults at several places: the first is told, whoever met which. */
static void same_errors_of_any_number_of_threads(void **state) {
    crd_context *context = *state;
    static const struct {
        const char *row;
        crd_status status;
        size_t max_categories;
    } FAULTS[] = {
        {"1,red,2\n", CRD_ERROR_SYNTAX, 0},
        /* The rows before the broken one tell that it is a number. */
        {"inf,red,2,yes\n", CRD_ERROR_NUMBER, 0},
        {"1,\"red\"x,2,yes\n", CRD_ERROR_SYNTAX, 0},
        {"1,pink,2,yes\n1,purple,2,yes\n1,ochre,2,yes\n", CRD_ERROR_LIMIT, 5},
        {"1,pink,2,yes\n1,purple,2,yes\n1,ochre,2,yes\n1\n", CRD_ERROR_LIMIT, 5},
        {"1\n1,pink,2,yes\n1,purple,2,yes\n1,ochre,2,yes\n", CRD_ERROR_SYNTAX, 5},
    };
    for (size_t fault = 0; fault < sizeof FAULTS / sizeof FAULTS[0]; fault++) {
        text table = {.length = 0};
        add(&table, "%s", HEADER);
        add_rows(&table, 400, "\n", false);
        add(&table, "%s", FAULTS[fault].row);
        add_rows(&table, 300, "\n", false);
        add(&table, "also faulty\n");
        char path[64];
        write_file(path, table.bytes, table.length, false);
        const char *paths[] = {path};
        crd_error first = {.status = CRD_OK};
        for (unsigned threads = 1; threads <= MOST_THREADS; threads++) {
            for (int again = 0; again < 3; again++) {
                crd_reader_options options = CRD_READER_OPTIONS_INIT;
                options.threads = threads;
                options.block_bytes = 300;
                options.max_categories = FAULTS[fault].max_categories;
                crd_error error;
                crd_model *model;
                assert_int_equal(train_files(context, paths, 1, &options, &model, NULL, &error), FAULTS[fault].status);
                assert_null(model);
                if (first.status == CRD_OK) first = error;
                assert_int_equal(error.line, first.line);
                assert_int_equal(error.field, first.field);
                assert_string_equal(error.message, first.message);
                assert_string_equal(error.place, first.place);
                assert_string_equal(error.subject, first.subject);
            }
        }
        assert_true(first.line > 400);
        unlink(path);
    }
}

/* More categories than are allowed in all lanes together, though in none of them, from what cannot be read again. */
static void categories_of_a_pipe(void **state) {
    crd_context *context = *state;
    text table = {.length = 0};
    add(&table, "k,class\n");
    for (int i = 0; i < 2000; i++) add(&table, "v%d,a\n", i);
    for (unsigned threads = 1; threads <= MOST_THREADS; threads++) {
        crd_reader_options options = CRD_READER_OPTIONS_INIT;
        options.threads = threads;
        options.block_bytes = 200;
        options.max_categories = 1999;
        crd_error error;
        crd_model *model;
        assert_int_equal(train_pipe(context, &table, &options, &model, &error), CRD_ERROR_LIMIT);
        assert_string_equal(error.message, "more than 1999 different values in one column: is it an identifier?");
        assert_string_equal(error.subject, "k");
        options.max_categories = 2000;
        assert_done(train_pipe(context, &table, &options, &model, &error), error);
        crd_model_destroy(model);
    }
}

/* Whichever thread does not get its memory. */
static void memory_runs_out_in_any_thread(void **state) {
    (void)state;
    text table = {.length = 0};
    add(&table, "%s", HEADER);
    add_rows(&table, 60, "\n", true);
    for (size_t fail_at = 1;; fail_at += IS_THREAD_SANITIZED ? 7 : 1) {
        allocations counted = {0};
        crd_context *context = counted_context(&counted);
        counted.calls = 0;
        counted.fail_at = fail_at;
        crd_reader_options options = CRD_READER_OPTIONS_INIT;
        options.threads = 3;
        options.block_bytes = 150;
        crd_error error;
        crd_model *model;
        crd_status status = train_pipe(context, &table, &options, &model, &error);
        /* The thread pool does without the threads that there is no memory for. */
        bool reached = counted.calls >= fail_at;
        if (reached && status != CRD_OK) assert_int_equal(status, CRD_ERROR_MEMORY);
        if (!reached) assert_done(status, error);
        crd_model_destroy(model);
        crd_context_destroy(context);
        assert_int_equal(counted.live, 0);
        if (!reached) break;
    }
}

static void cancel_soon(void *user, uint64_t done, uint64_t total) {
    (void)total;
    if (done > 20000) crd_context_cancel(user);
}

static void cancelled_among_threads(void **state) {
    (void)state;
    text table = {.length = 0};
    add(&table, "%s", HEADER);
    add_rows(&table, 1500, "\n", false);
    for (unsigned threads = 1; threads <= MOST_THREADS; threads++) {
        crd_context *context = NULL;
        assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
        crd_reader_options options = CRD_READER_OPTIONS_INIT;
        options.threads = threads;
        options.block_bytes = 100;
        options.progress = cancel_soon;
        options.progress_user = context;
        crd_error error;
        crd_model *model;
        assert_int_equal(train_pipe(context, &table, &options, &model, &error), CRD_ERROR_CANCELLED);
        assert_null(model);
        crd_context_destroy(context);
    }
}

static int begin_context(void **state) {
    crd_context *context = NULL;
    if (crd_context_create(NULL, &context) != CRD_OK) return -1;
    *state = context;
    return 0;
}

static int end_context(void **state) {
    crd_context_destroy(*state);
    return 0;
}

int main(void) {
#define IN_CONTEXT(test) cmocka_unit_test_setup_teardown(test, begin_context, end_context)
    const struct CMUnitTest tests[] = {
        IN_CONTEXT(same_bytes_of_any_number_of_threads),  IN_CONTEXT(same_bytes_of_files_split_anywhere),
        IN_CONTEXT(same_errors_of_any_number_of_threads), IN_CONTEXT(categories_of_a_pipe),
        cmocka_unit_test(memory_runs_out_in_any_thread),  cmocka_unit_test(cancelled_among_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
