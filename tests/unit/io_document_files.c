/* SPDX-License-Identifier: MIT */
/* Documents of folders and of lines: rows in the order of names, whatever the threads; their errors; failing allocations. */
#include "table/read/reader_internal.h"
#include "table_support.h"

#include <credence/documents.h>

#include <sys/stat.h>

static char folder[64], lines_path[80];

static void write_file(const char *name, const char *bytes, size_t length) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static void make_folder(const char *name) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(mkdir(path, 0700), 0);
}

static int write_files(void **state) {
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/credence-test-XXXXXX");
    if (mkdtemp(folder) == NULL) return -1;
    make_folder("a");
    make_folder("a/deep");
    make_folder("a/.hidden");
    make_folder("b");
    make_folder("empty");
    write_file("a/2", "two\nlines", 9);
    write_file("a/10", "ten", 3);
    write_file("a/.skipped", "no", 2);
    write_file("a/.hidden/x", "no", 2);
    write_file("a/deep/z", "caf\xE9", 4);
    write_file("a/empty", "", 0);
    write_file("b/utf16", "\xFF\xFEh\0i\0", 6);
    write_file("b/marked", "\xEF\xBB\xBF!", 4);
    write_file("lines", "first\r\n\nthird\n\xE9", 15);
    snprintf(lines_path, sizeof lines_path, "%s/lines", folder);
    return 0;
}

static int remove_files(void **state) {
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

static crd_status open_at(crd_context *context, const char *const *names, const char *const *labels, size_t count,
                          const crd_reader_options *options, crd_reader **out, crd_error *error) {
    crd_document_source sources[4];
    char paths[4][128];
    for (size_t i = 0; i < count; i++) {
        snprintf(paths[i], sizeof paths[i], "%s/%s", folder, names[i]);
        sources[i] = (crd_document_source){paths[i], labels[i] == NULL ? (crd_text){NULL, 0} : crd_text_of(labels[i])};
    }
    return crd_reader_open_documents(context, sources, count, NULL, options, out, error);
}

/* All rows, with their names, of which the folder is left out. */
static void expect_documents(const char *const *names, const char *const *labels, size_t count, const char *expected) {
    allocations plan = {0};
    crd_context *context = logged_context(&plan);
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    options.keep_text = 1;
    crd_reader *reader = NULL;
    crd_error error;
    transcript output = {NULL, 0, 0};
    assert_int_equal(open_at(context, names, labels, count, &options, &reader, &error), CRD_OK);
    assert_true(crd_reader_has_row_names(reader));
    for (int pass = 0; pass < 2; pass++) {
        const crd_frame *frame;
        output.length = 0;
        say(&output, "%s", "");
        while (crd_reader_next(reader, &frame, &error) == CRD_OK && frame != NULL) {
            for (size_t row = 0; row < crd_frame_rows(frame); row++) {
                crd_text name = crd_i_reader_cell(reader, row, 0);
                size_t skipped = strlen(folder) + 1;
                say(&output, "%.*s", (int)(name.length - skipped), name.bytes + skipped);
                for (size_t i = 0; i < crd_frame_column_count(frame); i++) {
                    crd_value value = crd_frame_value(frame, row, i);
                    say(&output, " [%.*s]", (int)value.text.length, value.text.bytes);
                }
                say(&output, "\n");
            }
        }
        assert_string_equal(output.text, expected);
        assert_int_equal(crd_reader_begin_again(reader, &error), CRD_OK);
    }
    free(output.text);
    crd_reader_close(reader);
    crd_context_destroy(context);
    assert_int_equal(plan.live, 0);
}

static void test_folders(void **state) {
    (void)state;
    expect_documents((const char *[]){"a", "b"}, (const char *[]){"x", "y"}, 2,
                     "a/10 [x] [ten]\na/2 [x] [two\nlines]\na/deep/z [x] [caf\xC3\xA9]\na/empty [x] []\n"
                     "b/marked [y] [!]\nb/utf16 [y] [hi]\n");
    expect_documents((const char *[]){"empty", "b/"}, (const char *[]){NULL, NULL}, 2, "b/marked [!]\nb/utf16 [hi]\n");
}

static void test_lines(void **state) {
    (void)state;
    expect_documents((const char *[]){"lines"}, (const char *[]){NULL}, 1,
                     "lines:1 [first]\nlines:2 []\nlines:3 [third]\nlines:4 [\xC3\xA9]\n");
    /* An empty line is no document of a class. */
    expect_documents(
        (const char *[]){"lines", "b"}, (const char *[]){"x", NULL}, 2,
        "lines:1 [x] [first]\nlines:3 [x] [third]\nlines:4 [x] [\xC3\xA9]\nb/marked [] [!]\nb/utf16 [] [hi]\n");
}

static void test_what_is_refused(void **state) {
    (void)state;
    allocations plan = {0};
    crd_context *context = logged_context(&plan);
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    crd_reader *reader = NULL;
    const crd_frame *frame;
    crd_error error;
    char expected[128];
    assert_int_equal(open_at(context, (const char *[]){"none"}, (const char *[]){NULL}, 1, NULL, &reader, &error),
                     CRD_ERROR_SYSTEM);
    assert_null(reader);
    options.max_record = 5;
    assert_int_equal(open_at(context, (const char *[]){"a"}, (const char *[]){NULL}, 1, &options, &reader, &error),
                     CRD_OK);
    assert_int_equal(crd_reader_next(reader, &frame, &error), CRD_ERROR_LIMIT);
    snprintf(expected, sizeof expected, "%s/a/2", folder);
    assert_string_equal(error.place, expected);
    crd_reader_close(reader);
    assert_int_equal(open_at(context, (const char *[]){"lines"}, (const char *[]){NULL}, 1, &options, &reader, &error),
                     CRD_OK);
    assert_int_equal(crd_reader_next(reader, &frame, &error), CRD_ERROR_LIMIT);
    assert_string_equal(error.place, lines_path);
    assert_int_equal(error.line, 1);
    crd_reader_close(reader);
    crd_context_destroy(context);
    assert_int_equal(plan.live, 0);
}

static bool live(crd_context *context) {
    crd_reader *reader = NULL;
    crd_error error;
    const crd_frame *frame = NULL;
    crd_status status = open_at(context, (const char *[]){"a", "lines", "b"}, (const char *[]){"x", "y", NULL}, 3, NULL,
                                &reader, &error);
    while (status == CRD_OK) {
        status = crd_reader_next(reader, &frame, &error);
        if (frame == NULL) break;
    }
    crd_reader_close(reader);
    if (status == CRD_OK) return false;
    assert_int_equal(status, CRD_ERROR_MEMORY);
    return true;
}

static void test_each_allocation_failing(void **state) {
    (void)state;
    for (size_t index = 1;; index++) {
        allocations plan = {0};
        crd_context *context = logged_context(&plan);
        plan.calls = 0;
        plan.fail_at = index;
        bool failed = live(context), reached = plan.calls >= index;
        crd_context_destroy(context);
        assert_int_equal(plan.live, 0);
        assert_int_equal(failed, reached);
        if (!reached) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_folders),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_what_is_refused),
        cmocka_unit_test(test_each_allocation_failing),
    };
    return cmocka_run_group_tests(tests, write_files, remove_files);
}
