/* SPDX-License-Identifier: MIT */
/* mail_passing.c - messages through crd_mail_pass, and the field that crd_mail_header writes. */
#include <credence/mail_filter.h>

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "counted_fixture.h"

/* What was written, in a block that grows. */
typedef struct passing_output {
    char *bytes;
    size_t length, capacity;
    size_t until_failure; /* bytes that are taken before the disk is full */
} passing_output;

static int take(void *user, const void *bytes, size_t length) {
    passing_output *output = user;
    if (length > output->until_failure) return ENOSPC;
    output->until_failure -= length;
    if (output->length + length > output->capacity) {
        output->capacity = 2 * (output->length + length);
        output->bytes = realloc(output->bytes, output->capacity);
        assert_non_null(output->bytes);
    }
    memcpy(output->bytes + output->length, bytes, length);
    output->length += length;
    return 0;
}

static passing_output pass_in(const char *message, size_t length, const char *header, size_t piece) {
    passing_output out = {.until_failure = SIZE_MAX};
    crd_mail_pass *pass = NULL;
    const crd_text field = header == NULL ? (crd_text){NULL, 0} : crd_text_of(header);
    assert_int_equal(crd_mail_pass_create(context, field, take, &out, &pass, NULL), CRD_OK);
    for (size_t offset = 0; offset < length; offset += piece)
        assert_int_equal(
            crd_mail_pass_push(pass, message + offset, length - offset < piece ? length - offset : piece, NULL),
            CRD_OK);
    assert_int_equal(crd_mail_pass_end(pass, NULL), CRD_OK);
    crd_mail_pass_destroy(pass);
    return out;
}

/* In one piece, and in pieces of a byte. */
static void expect_bytes(const char *message, size_t length, const char *header, const char *expected, size_t count) {
    static const size_t pieces[] = {1, 3, SIZE_MAX / 2};
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        passing_output out = pass_in(message, length, header, pieces[i]);
        if (out.length != count || (count > 0 && memcmp(out.bytes, expected, count) != 0))
            fail_msg("pieces of %zu: '%.*s' where '%.*s' is expected", pieces[i], (int)out.length, out.bytes,
                     (int)count, expected);
        free(out.bytes);
    }
}

static void expect(const char *message, const char *header, const char *expected) {
    expect_bytes(message, strlen(message), header, expected, strlen(expected));
}

static const char H[] = "X-Credence: spam\n";

/* Some delivery agents take a bare carriage return for a line end. */
static void test_forged_fields_after_a_carriage_return_are_removed(void **state) {
    (void)state;
    expect("From: a\rX-Credence: ham\nSubject: b\n\nbody\n", H, "X-Credence: spam\nFrom: a\nSubject: b\n\nbody\n");
    expect("From: a\rx-credence : ham\r\nSubject: b\r\n\r\nbody\r\n", H,
           "X-Credence: spam\r\nFrom: a\r\nSubject: b\r\n\r\nbody\r\n");
    expect("From: a\rX-Credence: ham\rX-Credence: ham\rTo: c\n\n", H, "X-Credence: spam\nFrom: a\rTo: c\n\n");
    expect("From: a\r\rX-Credence: ham\n\n", H, "X-Credence: spam\nFrom: a\r\n\n");
    expect("A: b\n\rX-Credence: a\n c\nB: c\n\n", H, "X-Credence: spam\nA: b\nB: c\n\n");
    expect("A: b\rX-Credence\rX-Credence: a\nB: c\n\n", H, "X-Credence: spam\nA: b\rX-Credence\r\nB: c\n\n");
    expect("A: b\rX-Credence\n : a\nB: c\n\n", H, "X-Credence: spam\nA: b\nB: c\n\n");
    expect("X-Credence: ham\rX-Credence: ham\nTo: c\n\n", H, "X-Credence: spam\nTo: c\n\n");
    /* All other bytes stay. */
    expect("From: a\rX-Cred: ham\n\n", H, "X-Credence: spam\nFrom: a\rX-Cred: ham\n\n");
    expect("From: a\rX-Credence ham\n\n", H, "X-Credence: spam\nFrom: a\rX-Credence ham\n\n");
    expect("From: a\r", H, "X-Credence: spam\nFrom: a\r");
    expect("From: a\rX-Credence", H, "X-Credence: spam\nFrom: a\rX-Credence");
    expect("From: a\n\nb\rX-Credence: ham\n", H, "X-Credence: spam\nFrom: a\n\nb\rX-Credence: ham\n");
    expect("From: a\r\n\r\nb\rX-Credence: ham\n", H, "X-Credence: spam\r\nFrom: a\r\n\r\nb\rX-Credence: ham\n");
}

static void test_a_field_is_inserted_first(void **state) {
    (void)state;
    expect("Subject: a\n\nbody\n", H, "X-Credence: spam\nSubject: a\n\nbody\n");
    expect("Subject: a\r\n\r\nbody\r\n", H, "X-Credence: spam\r\nSubject: a\r\n\r\nbody\r\n");
    expect("From a@b Mon\nSubject: a\n\n", H, "From a@b Mon\nX-Credence: spam\nSubject: a\n\n");
    expect("From a@b Mon\n>From c Tue\nSubject: a\n\n", H,
           "From a@b Mon\n>From c Tue\nX-Credence: spam\nSubject: a\n\n");
    /* A field with a blank before the colon, which is no line of an mbox file. */
    expect("From : a\n\nbody\n", H, "X-Credence: spam\nFrom : a\n\nbody\n");
    /* Lines of the message end otherwise than that of the mbox file. */
    expect("From a@b Mon\nSubject: a\r\n\r\n", H, "From a@b Mon\nX-Credence: spam\r\nSubject: a\r\n\r\n");
    /* Folded fields keep their lines. */
    expect("A: b\r\n\r\n", "X-Credence: spam;\n a=b\n", "X-Credence: spam;\r\n a=b\r\nA: b\r\n\r\n");
    /* No body, and no end of the line. */
    expect("Subject: a\n", H, "X-Credence: spam\nSubject: a\n");
    expect("Subject: a", H, "X-Credence: spam\nSubject: a");
    expect("Subject: a\n\n>From x\nFrom y\n", H, "X-Credence: spam\nSubject: a\n\n>From x\nFrom y\n");
}

static void test_messages_without_a_header(void **state) {
    (void)state;
    expect("\nbody\n", H, "X-Credence: spam\n\nbody\n");
    expect("\r\nbody\r\n", H, "X-Credence: spam\r\n\r\nbody\r\n");
    expect("just text\nX-Credence: ham\n", H, "X-Credence: spam\n\njust text\nX-Credence: ham\n");
    expect(" folded\n", H, "X-Credence: spam\n\n folded\n");
    expect("", H, "X-Credence: spam\n\n");
    expect("From a@b", H, "From a@b\nX-Credence: spam\n\n");
    expect("\r", H, "X-Credence: spam\n\n\r");
}

static void test_forged_fields_are_removed(void **state) {
    (void)state;
    expect("X-Credence: ham\nA: b\n\nx\n", H, "X-Credence: spam\nA: b\n\nx\n");
    expect("A: b\nx-cREDENCE : ham\n and\n\tmore\nC: d\n\nX-Credence: ham\n", H,
           "X-Credence: spam\nA: b\nC: d\n\nX-Credence: ham\n");
    expect("A: b\r\nX-Credence:\r\n ham\r\nC: d\r\n\r\n", H, "X-Credence: spam\r\nA: b\r\nC: d\r\n\r\n");
    expect("A: b\nX-Credence: ham", H, "X-Credence: spam\nA: b\n");
    expect("A: b\nX-Credence: 1\nX-CREDENCE: 2\n\n", H, "X-Credence: spam\nA: b\n\n");
    expect("A: b\nX-Credence\n : ham\nC: d\n\n", H, "X-Credence: spam\nA: b\nC: d\n\n");
    expect("From a@b\nX-Credence: ham\n\n", H, "From a@b\nX-Credence: spam\n\n");
    /* Others stay, and folded lines of others. */
    expect("X-Credence-B: ham\n a\nX-Cred: a\n\n", H, "X-Credence: spam\nX-Credence-B: ham\n a\nX-Cred: a\n\n");
    expect("A: b\n X-Credence: ham\n\n", H, "X-Credence: spam\nA: b\n X-Credence: ham\n\n");
    expect("A: b\nX-Credence\nC: d\n\n", H, "X-Credence: spam\nA: b\nX-Credence\nC: d\n\n");
    expect("A: b\nX-Credence x: d\n\n", H, "X-Credence: spam\nA: b\nX-Credence x: d\n\n");
    expect("A: b\nX-Cred", H, "X-Credence: spam\nA: b\nX-Cred");
}

static void test_blanks_without_end_before_the_colon(void **state) {
    (void)state;
    enum { BLANKS = 5000 };
    static char message[BLANKS + 64], expected[64];
    int length = snprintf(message, sizeof message, "A: b\nX-Credence%*s: ham\nC: d\n\n", (int)BLANKS, "");
    int count = snprintf(expected, sizeof expected, "%sA: b\nC: d\n\n", H);
    expect_bytes(message, (size_t)length, H, expected, (size_t)count);
}

/* The field's own name, in any case of letters, is the one that is removed. */
static void test_names_of_choice(void **state) {
    (void)state;
    static const char header[] = "X-Junk: spam\n";
    expect("x-junk: ham\nX-Credence: ham\nA: b\rX-JUNK: ham\n\n", header, "X-Junk: spam\nX-Credence: ham\nA: b\n\n");
    assert_true(crd_mail_is_field_name(crd_text_of("X-Junk")));
    assert_true(crd_mail_is_field_name(crd_text_of("x-a")));
    static const char *const wrong[] = {"", "X-", "Subject", "X Junk", "X-Junk:", "X-a b", "X-\xc3\xa9"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(crd_mail_is_field_name(crd_text_of(wrong[i])));
    crd_mail_decision d = CRD_MAIL_DECISION_INIT;
    char *field = NULL;
    size_t length = 0;
    d.decision = crd_text_of("spam");
    d.probability = 0.5;
    d.field_name = crd_text_of("X-Junk-Status");
    assert_int_equal(crd_mail_header(context, &d, &field, &length, NULL), CRD_OK);
    assert_int_equal(length, strlen("X-Junk-Status: spam; probability=0.5000\n"));
    assert_memory_equal(field, "X-Junk-Status: spam; probability=0.5000\n", length);
    crd_free(context, field);
    d.field_name = crd_text_of("Subject");
    assert_int_equal(crd_mail_header(context, &d, &field, &length, NULL), CRD_ERROR_ARGUMENT);
}

static void test_nothing_changes_without_a_field(void **state) {
    (void)state;
    static const char bytes[] = "From x\nX-Credence: a\n\n\0\xFF\r\n";
    expect_bytes(bytes, sizeof bytes - 1, NULL, bytes, sizeof bytes - 1);
    expect("", NULL, "");
}

static void test_nul_bytes_and_long_bodies(void **state) {
    (void)state;
    enum { LONG = 300000 };
    char *message = malloc(LONG), *expected = malloc(LONG + sizeof H);
    assert_true(message != NULL && expected != NULL);
    for (size_t i = 0; i < LONG; i++) message[i] = (char)(i * 7919 >> 3);
    memcpy(message, "S: \0\n\nX", 7);
    memcpy(expected, H, sizeof H - 1);
    memcpy(expected + sizeof H - 1, message, LONG);
    passing_output out = pass_in(message, LONG, H, 4096);
    assert_int_equal(out.length, LONG + sizeof H - 1);
    assert_memory_equal(out.bytes, expected, out.length);
    free(out.bytes);
    /* A first line that does not end among the bytes that wait. */
    memset(message, 'a', LONG);
    memcpy(message, "From a", 6);
    out = pass_in(message, LONG, H, 100000);
    assert_int_equal(out.length, LONG + sizeof H);
    assert_memory_equal(out.bytes, "X-Credence: spam\n\nFrom a", 24);
    free(out.bytes);
    free(message);
    free(expected);
}

static void test_a_failed_write_is_reported(void **state) {
    (void)state;
    static const char message[] = "A: b\nX-Credence: c\nD: e\n\nbody";
    for (size_t capacity = 0; capacity < sizeof H + sizeof message - 22; capacity++) {
        passing_output out = {.until_failure = capacity};
        crd_mail_pass *pass = NULL;
        crd_error error;
        assert_int_equal(crd_mail_pass_create(context, crd_text_of(H), take, &out, &pass, &error), CRD_OK);
        crd_status status = crd_mail_pass_push(pass, message, sizeof message - 1, &error);
        if (status == CRD_OK) status = crd_mail_pass_end(pass, &error);
        assert_int_equal(status, CRD_ERROR_SYSTEM);
        assert_int_equal(error.system_error, ENOSPC);
        crd_mail_pass_destroy(pass);
        free(out.bytes);
    }
}

/* ---- The field ---- */

static void expect_header(const crd_mail_decision *decision, const char *expected) {
    char *text = NULL;
    size_t length = 0;
    assert_int_equal(crd_mail_header(context, decision, &text, &length, NULL), CRD_OK);
    assert_int_equal(length, strlen(expected));
    assert_memory_equal(text, expected, length);
    crd_free(context, text);
}

static void test_the_field_of_a_decision(void **state) {
    (void)state;
    crd_mail_decision d = CRD_MAIL_DECISION_INIT;
    const crd_mail_reason reasons[] = {{crd_text_of("viagra"), crd_text_of("body"), 3.24},
                                       {crd_text_of("buy now"), crd_text_of("subject"), 2},
                                       {crd_text_of("a,(\"b\\%"), {NULL, 0}, -1.25},
                                       {crd_text_of("\xC3\xA9t\xC3\xA9"), crd_text_of("body"), INFINITY}};
    d.decision = crd_text_of("spam");
    d.probability = 0.99871;
    expect_header(&d, "X-Credence: spam; probability=0.9987\n");
    d.reasons = reasons;
    d.reason_count = 4;
    expect_header(&d, "X-Credence: spam; probability=0.9987; reasons=\"viagra (body) +3.2, buy now\n"
                      " (subject) +2.0, a%2C%28%22b%5C%25 -1.3, %C3%A9t%C3%A9 (body) +inf\"\n");
    d.reason_count = 0;
    d.decision = crd_text_of("unsure");
    d.top_class = crd_text_of("not spam; \"x\"\n");
    d.probability = 0.5;
    expect_header(&d, "X-Credence: unsure; class=not%20spam%3B%20%22x%22%0A; probability=0.5000\n");
    d.top_class = (crd_text){NULL, 0};
    d.probability = NAN;
    expect_header(&d, "X-Credence: unsure\n");
}

static void test_probabilities_are_apart_from_0_and_1(void **state) {
    (void)state;
    static const struct {
        double probability;
        const char *text;
    } cases[] = {{1, "1.0000"},
                 {0, "0.0000"},
                 {0.99994, "0.9999"},
                 {0.99996, "0.99996"},
                 {1e-7, "0.0000001"},
                 {0.999999997, "0.999999997"},
                 {1 - 0x1p-53, "1.000000000000000"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char expected[80];
        crd_mail_decision d = CRD_MAIL_DECISION_INIT;
        d.decision = crd_text_of("a");
        d.probability = cases[i].probability;
        snprintf(expected, sizeof expected, "X-Credence: a; probability=%s\n", cases[i].text);
        expect_header(&d, expected);
    }
}

/* Lines of RFC 5322: printable, at most 998 characters, none of blanks alone. */
static void test_hostile_names_give_lines_of_mail(void **state) {
    (void)state;
    char name[3000];
    for (size_t i = 0; i < sizeof name; i++) name[i] = (char)(i % 3 == 0 ? ' ' : i % 256);
    const crd_text hostile = {name, sizeof name}, blanks = {"          ", 10};
    crd_mail_reason reasons[30];
    for (size_t i = 0; i < 30; i++) reasons[i] = (crd_mail_reason){i % 2 ? hostile : blanks, hostile, -NAN};
    crd_mail_decision d = CRD_MAIL_DECISION_INIT;
    d.decision = d.top_class = hostile;
    d.reasons = reasons;
    d.reason_count = 30;
    char *text = NULL;
    size_t length = 0, line = 0, graphic = 0;
    assert_int_equal(crd_mail_header(context, &d, &text, &length, NULL), CRD_OK);
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\n') {
            assert_true(graphic > 0);
            assert_true(i + 1 == length || text[i + 1] == ' ');
            line = graphic = 0;
            continue;
        }
        assert_true(text[i] >= ' ' && text[i] < 0x7F);
        graphic += text[i] != ' ';
        assert_true(++line <= 998);
    }
    crd_free(context, text);
}

static void test_what_is_no_decision(void **state) {
    (void)state;
    crd_mail_decision d = CRD_MAIL_DECISION_INIT;
    char *text = NULL;
    size_t length = 0;
    crd_error error;
    assert_int_equal(crd_mail_header(context, &d, &text, &length, &error), CRD_ERROR_ARGUMENT);
    d.decision = crd_text_of("a");
    d.probability = 1.5;
    assert_int_equal(crd_mail_header(context, &d, &text, &length, &error), CRD_ERROR_ARGUMENT);
    crd_mail_pass *pass = NULL;
    assert_int_equal(crd_mail_pass_create(context, crd_text_of("A: b"), take, NULL, &pass, &error), CRD_ERROR_ARGUMENT);
    assert_null(pass);
}

static crd_status write_header_and_pass(const crd_mail_decision *decision, char **text, crd_mail_pass **pass,
                                        crd_error *error) {
    size_t length = 0;
    crd_status status = crd_mail_header(context, decision, text, &length, error);
    return status == CRD_OK ? crd_mail_pass_create(context, crd_text_of(H), take, NULL, pass, error) : status;
}

static void test_memory_runs_out(void **state) {
    (void)state;
    const crd_mail_reason reason = {crd_text_of("word"), crd_text_of("body"), 1};
    crd_mail_decision d = CRD_MAIL_DECISION_INIT;
    d.decision = crd_text_of("spam");
    d.reasons = &reason;
    d.reason_count = 1;
    for (allocation_trial trial = {.counted = &counted}; allocation_trial_next(&trial);) {
        crd_error error;
        char *text = NULL;
        crd_mail_pass *pass = NULL;
        assert_allocation_fails(&trial, write_header_and_pass(&d, &text, &pass, &error), CRD_OK, error);
        crd_mail_pass_destroy(pass);
        crd_free(context, text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_field_is_inserted_first),
                                       cmocka_unit_test(test_forged_fields_after_a_carriage_return_are_removed),
                                       cmocka_unit_test(test_messages_without_a_header),
                                       cmocka_unit_test(test_names_of_choice),
                                       cmocka_unit_test(test_forged_fields_are_removed),
                                       cmocka_unit_test(test_blanks_without_end_before_the_colon),
                                       cmocka_unit_test(test_nothing_changes_without_a_field),
                                       cmocka_unit_test(test_nul_bytes_and_long_bodies),
                                       cmocka_unit_test(test_a_failed_write_is_reported),
                                       cmocka_unit_test(test_the_field_of_a_decision),
                                       cmocka_unit_test(test_probabilities_are_apart_from_0_and_1),
                                       cmocka_unit_test(test_hostile_names_give_lines_of_mail),
                                       cmocka_unit_test(test_what_is_no_decision),
                                       cmocka_unit_test(test_memory_runs_out)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
