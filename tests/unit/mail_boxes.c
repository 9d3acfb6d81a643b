/* SPDX-License-Identifier: MIT */
/* mail_boxes.c - messages of folders, Maildirs, mboxes and single files as rows; messages too long to be kept; failing
 * allocations. */
#include "table_support.h"

#include <credence/mail.h>

#include <sys/stat.h>

static char folder[64];

static void write_file(const char *name, const char *text) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

static int write_files(void **state) {
    (void)state;
    static const char *const folders[] = {"files", "files/deep", "box", "box/cur", "box/new", "box/tmp"};
    snprintf(folder, sizeof folder, "/tmp/credence-test-XXXXXX");
    if (mkdtemp(folder) == NULL) return -1;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char path[256];
        snprintf(path, sizeof path, "%s/%s", folder, folders[i]);
        if (mkdir(path, 0700) != 0) return -1;
    }
    write_file("files/2", "Subject: two\n\nb");
    write_file("files/10",
               "From a@b.example Mon Nov 16 08:00:00 2026\nSubject: ten\n\nFrom here\n\nFrom a b 1:00 on\n");
    write_file("files/deep/z", "Subject: z\n\n");
    write_file("box/cur/1:2,S", "Subject: read\n\n");
    write_file("box/new/2", "Subject: new\n\n");
    write_file("box/tmp/3", "Subject: half\n\n");
    write_file("box/dovecot-uidlist", "3 V1\n");
    write_file("mbox",
               "From a@b.example Mon Nov 16 08:00:00 2026\nSubject: one\n\n>From quoted\n>>From twice\nFrom a line\n\n"
               "From there on\n\nFrom c@d.example  Tue Nov 17 09:30 2026\r\nSubject: two\r\n\r\nb\r\n\r\n"
               "From MAILER-DAEMON Tue Nov 17 09:30:00 2026\n\nlast");
    write_file("single", "Subject: single\n\nx\n\nFrom a@b.example Mon Nov 16 08:00:00 2026\n\ny\n");
    write_file("empty", "");
    return 0;
}

static int remove_files(void **state) {
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

static crd_status open_at(crd_context *context, const char *name, const char *label, crd_reader **out,
                          crd_error *error) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    const crd_document_source source = {path, label == NULL ? (crd_text){NULL, 0} : crd_text_of(label)};
    return crd_reader_open_mail(context, &source, 1, NULL, out, error);
}

/* Class, subject and body of all rows. */
static void expect_messages(const char *name, const char *label, const char *expected) {
    allocations plan = {0};
    crd_context *context = logged_context(&plan);
    crd_reader *reader = NULL;
    crd_error error;
    const crd_frame *frame;
    transcript output = {NULL, 0, 0};
    assert_int_equal(open_at(context, name, label, &reader, &error), CRD_OK);
    say(&output, "%s", "");
    while (crd_reader_next(reader, &frame, &error) == CRD_OK && frame != NULL) {
        const size_t first = label != NULL;
        assert_int_equal(crd_frame_column_count(frame), first + CRD_MAIL_FIELD_COUNT);
        for (size_t i = 0; i < CRD_MAIL_FIELD_COUNT; i++) {
            assert_int_equal(crd_frame_column_type(frame, first + i), CRD_TYPE_TEXT);
            assert_true(crd_text_equal(crd_frame_column_name(frame, first + i), crd_text_of(crd_mail_field_name(i))));
        }
        for (size_t row = 0; row < crd_frame_rows(frame); row++) {
            const crd_text subject = crd_frame_value(frame, row, first + CRD_MAIL_SUBJECT).text;
            const crd_text body = crd_frame_value(frame, row, first + CRD_MAIL_BODY).text;
            if (label != NULL) say(&output, "%.*s ", (int)strlen(label), crd_frame_value(frame, row, 0).text.bytes);
            say(&output, "[%.*s] [%.*s]\n", (int)subject.length, subject.bytes, (int)body.length, body.bytes);
        }
    }
    assert_string_equal(output.text, expected);
    free(output.text);
    crd_reader_close(reader);
    crd_context_destroy(context);
    assert_int_equal(plan.live, 0);
}

static void test_folders(void **state) {
    (void)state;
    expect_messages("files", "spam", "spam [ten] [From here\n\nFrom a b 1:00 on\n]\nspam [two] [b]\nspam [z] []\n");
    expect_messages("box", NULL, "[read] []\n[new] []\n");
}

static void test_mboxes(void **state) {
    (void)state;
    expect_messages("mbox", "ham",
                    "ham [one] [From quoted\n>From twice\nFrom a line\n\nFrom there on\n\n]\nham [two] [b\r\n\r\n]\n"
                    "ham [] [last]\n");
    expect_messages("single", NULL, "[single] [x\n\nFrom a@b.example Mon Nov 16 08:00:00 2026\n\ny\n]\n");
    expect_messages("empty", "ham", "");
}

/* 40 MB in an mbox: its beginning is read, and the message behind it. */
static void test_a_long_message(void **state) {
    (void)state;
    char path[256], line[1024];
    snprintf(path, sizeof path, "%s/long", folder);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs("From a@b.example Mon Nov 16 08:00:00 2026\nSubject: long\nContent-Type: application/zip\n\n", file);
    memset(line, 'x', sizeof line);
    line[sizeof line - 1] = '\n';
    for (int i = 0; i < 40000; i++) fwrite(line, 1, sizeof line, file);
    fputs("\nFrom a@b.example Mon Nov 16 08:00:00 2026\nSubject: next\n\n", file);
    fclose(file);
    expect_messages("long", NULL, "[long] []\n[next] []\n");
    remove(path);
}

/* In a folder too, and where a row of a table may not be as long. */
static void test_a_long_file(void **state) {
    (void)state;
    char path[256], inside[300];
    snprintf(path, sizeof path, "%s/huge", folder);
    snprintf(inside, sizeof inside, "%s/1", path);
    assert_int_equal(mkdir(path, 0700), 0);
    FILE *file = fopen(inside, "wb");
    assert_non_null(file);
    fputs("Subject : long\nContent-Type: application/zip\n\n", file);
    assert_int_equal(fseek(file, 70 << 20, SEEK_SET), 0);
    fputs("\n", file);
    fclose(file);
    expect_messages("huge", NULL, "[long] []\n");
    remove(inside);
    remove(path);
}

static bool live(crd_context *context) {
    static const char *const names[] = {"files", "mbox"};
    crd_error error;
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < 2; i++) {
        const crd_frame *frame = NULL;
        crd_reader *reader = NULL;
        status = open_at(context, names[i], "x", &reader, &error);
        while (status == CRD_OK) {
            status = crd_reader_next(reader, &frame, &error);
            if (frame == NULL) break;
        }
        crd_reader_close(reader);
    }
    assert_true(status == CRD_OK || status == CRD_ERROR_MEMORY);
    return status != CRD_OK;
}

static void test_each_allocation_failing(void **state) {
    (void)state;
    for (size_t index = 1;; index++) {
        allocations plan = {0};
        crd_context *context = logged_context(&plan);
        plan.calls = 0;
        plan.fail_at = index;
        const bool failed = live(context), reached = plan.calls >= index;
        crd_context_destroy(context);
        assert_int_equal(plan.live, 0);
        assert_int_equal(failed, reached);
        if (!reached) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_folders),
        cmocka_unit_test(test_mboxes),
        cmocka_unit_test(test_a_long_message),
        cmocka_unit_test(test_a_long_file),
        cmocka_unit_test(test_each_allocation_failing),
    };
    return cmocka_run_group_tests(tests, write_files, remove_files);
}
