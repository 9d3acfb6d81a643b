/* SPDX-License-Identifier: MIT */
/* Errors that are filled in whole and cut where they must be, texts made fit to be shown, and small texts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void test_filling_in(void **state) {
    (void)state;
    crd_error error;
    memset(&error, 0x55, sizeof error);
    assert_int_equal(crd_i_fail(&error, CRD_ERROR_SYNTAX, "%d fields", 5), CRD_ERROR_SYNTAX);
    assert_int_equal(error.status, CRD_ERROR_SYNTAX);
    assert_int_equal(error.system_error, 0);
    assert_int_equal(error.line, 0);
    assert_int_equal(error.field, 0);
    assert_string_equal(error.place, "");
    assert_string_equal(error.subject, "");
    assert_string_equal(error.message, "5 fields");
    crd_i_error_place(&error, "days.csv", 14, 3);
    crd_i_error_subject(&error, crd_text_of("Wind"));
    assert_string_equal(error.place, "days.csv");
    assert_int_equal(error.line, 14);
    assert_int_equal(error.field, 3);
    assert_string_equal(error.subject, "Wind");
    assert_string_equal(error.message, "5 fields");
    crd_i_error_place(&error, NULL, 1, 0);
    assert_string_equal(error.place, "");
    assert_int_equal(crd_i_fail_memory(&error), CRD_ERROR_MEMORY);
    assert_string_equal(error.message, "out of memory");
    assert_int_equal(crd_i_fail_system(&error, ENOENT, "cannot be opened"), CRD_ERROR_SYSTEM);
    assert_int_equal(error.system_error, ENOENT);
    assert_string_equal(error.message, "cannot be opened: No such file or directory");
}

static void test_nobody_asks(void **state) {
    (void)state;
    assert_int_equal(crd_i_fail(NULL, CRD_ERROR_LIMIT, "x"), CRD_ERROR_LIMIT);
    assert_int_equal(crd_i_fail_system(NULL, EIO, "x"), CRD_ERROR_SYSTEM);
    assert_int_equal(crd_i_fail_memory(NULL), CRD_ERROR_MEMORY);
    crd_i_error_place(NULL, "x", 1, 1);
    crd_i_error_subject(NULL, crd_text_of("x"));
}

static void test_cutting(void **state) {
    (void)state;
    char text[2000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    crd_error error;
    crd_i_fail(&error, CRD_ERROR_SYNTAX, "%s", text);
    assert_int_equal(strlen(error.message), sizeof error.message - 1);
    crd_i_fail_system(&error, EIO, "%s", text);
    assert_int_equal(strlen(error.message), sizeof error.message - 1);
    crd_i_error_place(&error, text, 1, 2);
    assert_int_equal(strlen(error.place), sizeof error.place - 1);
    crd_i_error_subject(&error, crd_text_of(text));
    assert_int_equal(strlen(error.subject), sizeof error.subject - 1);
    crd_text none = {NULL, 0};
    crd_i_error_subject(&error, none);
    assert_string_equal(error.subject, "");
}

static void expect_quoted(crd_text text, const char *expected) {
    char buffer[CRD_I_QUOTED_ROOM];
    assert_string_equal(crd_i_quote(text, buffer), expected);
}

static void test_quoting(void **state) {
    (void)state;
    char buffer[CRD_I_QUOTED_ROOM];
    expect_quoted(crd_text_of("plain"), "plain");
    expect_quoted(crd_text_of(""), "");
    expect_quoted(crd_text_of("a\nb\tc\x7F"), "a\\nb\\x09c\\x7f");
    crd_text with_nul = {"a\0b", 3};
    expect_quoted(with_nul, "a\\x00b");
    expect_quoted(crd_text_of("\xC3\xA9t\xC3\xA9"), "\xC3\xA9t\xC3\xA9");
    /* Sixty bytes are shown, sixty-one are cut. */
    char text[64];
    memset(text, 'x', sizeof text);
    crd_text sixty = {text, 60}, more = {text, 61};
    assert_int_equal(strlen(crd_i_quote(sixty, buffer)), 60);
    assert_int_equal(strlen(crd_i_quote(more, buffer)), 63);
    assert_string_equal(buffer + 60, "...");
    /* A character that lies across the cut is left out whole. */
    memcpy(text + 58, "\xE2\x82\xAC", 3);
    crd_i_quote(more, buffer);
    assert_int_equal(strlen(buffer), 61);
    assert_string_equal(buffer + 57, "x...");
    /* The worst that can be asked for fits. */
    memset(text, 1, sizeof text);
    assert_int_equal(strlen(crd_i_quote(more, buffer)), 4 * 60 + 3);
    /* Bytes that are no UTF-8 at all are cut too, and shown as what they are. */
    memset(text, 0x80, sizeof text);
    assert_true(strlen(crd_i_quote(more, buffer)) <= 4 * 60 + 3);
    expect_quoted(crd_text_of("M\xFCller\xC3"), "M\\xfcller\\xc3");
}

static void expect_item(const char *text, const char *expected) {
    char buffer[CRD_I_QUOTED_ROOM];
    assert_string_equal(crd_i_quote_item(crd_text_of(text), buffer), expected);
}

static void test_items_of_lists(void **state) {
    (void)state;
    expect_item("plain", "plain");
    expect_item("two words", "two words");
    expect_item("", "\"\"");
    expect_item("a,b", "\"a,b\"");
    expect_item("a\"b", "\"a\"\"b\"");
    expect_item(" a", "\" a\"");
    expect_item("a\t", "\"a\\x09\"");
    /* The worst that can be asked for fits. */
    char text[64], buffer[CRD_I_QUOTED_ROOM];
    memset(text, 1, sizeof text);
    text[0] = ',';
    crd_text worst = {text, 61};
    assert_int_equal(strlen(crd_i_quote_item(worst, buffer)), 1 + 1 + 4 * 59 + 3 + 1);
}

static void test_turned_direction_is_shown(void **state) {
    (void)state;
    expect_quoted(crd_text_of("a\xE2\x80\xAE"
                              "b"),
                  "a\\u202eb");
    expect_quoted(crd_text_of("\xE2\x80\xAA\xE2\x81\xA6\xE2\x81\xA9"), "\\u202a\\u2066\\u2069");
    /* Their neighbors are harmless, and half a character is none. */
    expect_quoted(crd_text_of("\xE2\x80\xA9\xE2\x80\xAF\xE2\x81\xA5\xE2\x81\xAA"),
                  "\xE2\x80\xA9\xE2\x80\xAF\xE2\x81\xA5\xE2\x81\xAA");
    expect_quoted(crd_text_of("\xE2\x80"), "\\xe2\\x80");
}

static void test_list_that_ends_a_message(void **state) {
    (void)state;
    crd_error error;
    crd_i_fail(&error, CRD_ERROR_COLUMN, "there are: ");
    crd_i_error_item(&error, 0, crd_text_of("a"));
    crd_i_error_item(&error, 1, crd_text_of("b,c"));
    assert_string_equal(error.message, "there are: a, \"b,c\"");
    /* A list that is too long ends in one "...", and nothing follows it, however short. */
    for (size_t i = 2; i < 400; i++) crd_i_error_item(&error, i, crd_text_of(i % 2 == 0 ? "name" : "x"));
    size_t length = strlen(error.message);
    assert_true(length < sizeof error.message);
    assert_string_equal(error.message + length - 5, ", ...");
    assert_ptr_equal(strstr(error.message, "..."), error.message + length - 3);
    crd_i_error_item(NULL, 0, crd_text_of("a"));
}

static void test_status_names(void **state) {
    (void)state;
    enum { UNUSED = 1 }; /* a number that no status has */
    assert_string_equal(crd_status_name((crd_status)UNUSED), "unknown");
    for (int status = 0; status <= CRD_ERROR_TOO_NEW; status++) {
        if (status == UNUSED) continue;
        const char *name = crd_status_name((crd_status)status);
        assert_string_not_equal(name, "unknown");
        for (int other = 0; other < status; other++) {
            assert_string_not_equal(name, crd_status_name((crd_status)other));
        }
    }
    assert_string_equal(crd_status_name((crd_status)999), "unknown");
}

static void test_comparing_texts(void **state) {
    (void)state;
    crd_text none = {NULL, 0};
    assert_true(crd_text_equal(none, crd_text_of("")));
    assert_true(crd_text_equal(crd_text_of(NULL), none));
    assert_false(crd_text_equal(crd_text_of("a"), crd_text_of("b")));
    assert_false(crd_text_equal(crd_text_of("a"), crd_text_of("ab")));
    assert_int_equal(crd_i_text_compare(none, crd_text_of("")), 0);
    assert_true(crd_i_text_compare(crd_text_of("a"), crd_text_of("ab")) < 0);
    assert_true(crd_i_text_compare(crd_text_of("ab"), crd_text_of("a")) > 0);
    assert_true(crd_i_text_compare(crd_text_of("b"), crd_text_of("ab")) > 0);
    /* Bytes are not signed: by code point, e with an accent comes after z. */
    assert_true(crd_i_text_compare(crd_text_of("\xC3\xA9"), crd_text_of("z")) > 0);
}

static void expect_trimmed(const char *text, const char *expected) {
    crd_text trimmed = crd_i_text_trim(crd_text_of(text));
    assert_true(crd_text_equal(trimmed, crd_text_of(expected)));
}

static void test_trimming_and_copying(void **state) {
    (void)state;
    expect_trimmed(" \t a b\t ", "a b");
    expect_trimmed(" \t", "");
    expect_trimmed("", "");
    expect_trimmed("\na\r", "\na\r");
    crd_context *context = NULL;
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    crd_text copy = crd_i_text_copy(context, (crd_text){"a\0bc", 3});
    assert_int_equal(copy.length, 3);
    assert_memory_equal(copy.bytes, "a\0b", 4);
    crd_free(context, (void *)copy.bytes);
    copy = crd_i_text_copy(context, (crd_text){NULL, 0});
    assert_int_equal(copy.length, 0);
    assert_string_equal(copy.bytes, "");
    crd_free(context, (void *)copy.bytes);
    assert_null(crd_i_text_copy(context, (crd_text){"", SIZE_MAX}).bytes);
    crd_context_destroy(context);
}

static void test_describing_bytes(void **state) {
    (void)state;
    char buffer[CRD_I_BYTES_ROOM];
    assert_string_equal(crd_i_describe_bytes(8, buffer), "8 bytes");
    assert_string_equal(crd_i_describe_bytes(1023, buffer), "1023 bytes");
    assert_string_equal(crd_i_describe_bytes(1024, buffer), "1 KiB");
    assert_string_equal(crd_i_describe_bytes(1.5 * 0x1p30, buffer), "1.5 GiB");
    assert_string_equal(crd_i_describe_bytes(512 * 0x1p20, buffer), "512 MiB");
    assert_string_equal(crd_i_describe_bytes(0x1p70, buffer), "1.07e+09 TiB");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_filling_in),
        cmocka_unit_test(test_nobody_asks),
        cmocka_unit_test(test_cutting),
        cmocka_unit_test(test_quoting),
        cmocka_unit_test(test_items_of_lists),
        cmocka_unit_test(test_turned_direction_is_shown),
        cmocka_unit_test(test_list_that_ends_a_message),
        cmocka_unit_test(test_status_names),
        cmocka_unit_test(test_comparing_texts),
        cmocka_unit_test(test_trimming_and_copying),
        cmocka_unit_test(test_describing_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
