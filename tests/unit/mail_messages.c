/* SPDX-License-Identifier: MIT */
/* mail_messages.c - raw messages become texts: headers, parts, charsets, HTML; broken ones too, and each in both ways of
 * parsing. */
#include "base/text.h"

#include <credence/mail.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "counted_fixture.h"

static crd_mail *parse(const char *bytes, size_t length, int always_gmime) {
    crd_mail_options options = CRD_MAIL_OPTIONS_INIT;
    crd_mail *mail = NULL;
    crd_error error = {0};
    options.always_gmime = always_gmime;
    if (crd_mail_parse(context, bytes, length, &options, &mail, &error) != CRD_OK) fail_msg("%s", error.message);
    for (size_t i = 0; i < CRD_MAIL_FIELD_COUNT; i++) {
        const crd_text text = crd_mail_text(mail, (crd_mail_field)i);
        assert_non_null(text.bytes);
        assert_true(crd_i_utf8_is_valid(text) && memchr(text.bytes, '\0', text.length) == NULL);
    }
    return mail;
}

/* The field of a message is what is expected, whoever parses. */
static void expect(const char *message, crd_mail_field field, const char *expected) {
    for (int always = 0; always < 2; always++) {
        crd_mail *mail = parse(message, strlen(message), always);
        const crd_text text = crd_mail_text(mail, field);
        if (!crd_text_equal(text, crd_text_of(expected)))
            fail_msg("%s of '%s', GMime %d: '%.*s' where '%s' is expected", crd_mail_field_name(field), message, always,
                     (int)text.length, text.bytes, expected);
        crd_mail_destroy(mail);
    }
}

static void headers(void **state) {
    (void)state;
    static const char message[] =
        "From bounce@example.org Mon Nov 16 08:00:00 2026\n"
        "Received: from mail.example.org (helo [192.0.2.7]) by mx-1.example.net (Exim 4.96)\n"
        "\tfor <me@example.net>; Mon, 16 Nov 2026\n"
        "From: =?iso-8859-1?Q?Jos=E9_L=F3pez?= <jose@example.org>\n"
        "Subject: =?utf-8?B?Y2Fmw6k=?=\n =?utf-8?q?_au_lait?=\n"
        "Date: Mon, 16 Nov 2026 08:00:00 +0200 (CEST)\n"
        "Message-ID: <abc.123@mail.example.org>\n"
        "X-Mailer: Foo 1.2 (x)\nX-Credence: spam\nStatus: RO\n"
        "X-Gmail-Labels: Spam\nX-DSPAM-Result: Spam\nX-MS-Exchange-Organization-SCL: 9\n\nbody\n";
    expect(message, CRD_MAIL_FROM, "Jos\xc3\xa9 L\xc3\xb3pez <jose@example.org>");
    expect(message, CRD_MAIL_SUBJECT, "caf\xc3\xa9 au lait");
    expect(message, CRD_MAIL_RECEIVED, "mail.example.org example.org mx_1_example.net example.net ");
    expect(message, CRD_MAIL_HEADERS,
           "date date_p0200 messageid messageid_mail.example.org xmailer xmailer_foo xmailer_1.2 xmailer_x ");
    expect(message, CRD_MAIL_BODY, "body\n");
    expect("Subject: raw \xe9 and \xc3\xa9\n\n", CRD_MAIL_SUBJECT, "raw \xc3\xa9 and \xc3\xa9");
    expect("Subject: =?koi8-r?B?8NLJ18XU?=\n\n", CRD_MAIL_SUBJECT, "\xd0\x9f\xd1\x80\xd0\xb8\xd0\xb2\xd0\xb5\xd1\x82");
    /* Blanks before the colon (RFC 5322, section 4.5) hide neither this header nor those behind it. */
    static const char blanks[] = "From : a@example.org\nX-Credence\t: ham\nSubject : b\n\nbody\n";
    expect(blanks, CRD_MAIL_FROM, "a@example.org");
    expect(blanks, CRD_MAIL_SUBJECT, "b");
    expect(blanks, CRD_MAIL_HEADERS, "");
    expect(blanks, CRD_MAIL_BODY, "body\n");
    expect("Content-Type: multipart/mixed; boundary=abc\n\n", CRD_MAIL_HEADERS,
           "contenttype contenttype_multipart contenttype_mixed ");
}

/* A model must not learn when or where a message was delivered or stored. */
static void delivery(void **state) {
    (void)state;
    static const char *const ignored[] = {"Delivery-Date: Wed, 3 May 2024 10:00:00 +0200",
                                          "delivery-date: Tue May 28 02:53:28 2002",
                                          "X-Delivery-Date: 3 May 2024",
                                          "Return-Path: <x@example.org>",
                                          "Delivered-To: me@example.net",
                                          "X-Delivered-To: me@example.net",
                                          "X-Original-To: me@example.net",
                                          "Envelope-To: me@example.net",
                                          "X-Envelope-From: <x@example.org>",
                                          "X-Envelope-To: me",
                                          "X-UID: 17",
                                          "X-UIDL: abc",
                                          "Status: RO",
                                          "X-Status: A",
                                          "Lines: 40",
                                          "Content-Length: 812",
                                          "X-Keywords: a",
                                          "X-IMAP: 1 2",
                                          "X-Received: by 2002:a0c; Wed, 3 May 2024",
                                          "X-Sieve: CMU Sieve 2.2",
                                          "X-Getmail-Retrieved-From-Mailbox: INBOX",
                                          "X-TUID: x",
                                          "Xref: a:1",
                                          "X-Amavis-Alert: BAD",
                                          "X-Bogosity: Spam, tests=bogofilter",
                                          "X-Spam-Flag: YES",
                                          "X-Credence-Old: spam",
                                          "X-Junk: spam; class=spam; probability=0.9987; reasons=\"buy (body) +1.2\"",
                                          "X-Junk: ham;\r\n probability=0.9987"};
    char message[256];
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) {
        snprintf(message, sizeof message, "%s\n\nbody\n", ignored[i]);
        expect(message, CRD_MAIL_HEADERS, "");
    }
    /* Of every other date, only the zone. */
    expect("Date: Tue May 28 02:53:28 2002\n\n", CRD_MAIL_HEADERS, "date ");
    expect("Date: 3 May 2024\n\n", CRD_MAIL_HEADERS, "date ");
    expect("Date: 3 May\n\n", CRD_MAIL_HEADERS, "date ");
    expect("Resent-Date: Wed, 3 May 2024 10:00:00 -0700 (PDT)\n\n", CRD_MAIL_HEADERS, "resentdate resentdate_m0700 ");
    expect("X-Original-Date: Wed, 3 May 2024 10:00:00 GMT\n\n", CRD_MAIL_HEADERS, "xoriginaldate xoriginaldate_gmt ");
    expect("X-Note: sent Wed, 3 May 2024 10:00:00 +0200 by cron\n\n", CRD_MAIL_HEADERS,
           "xnote xnote_sent xnote_by xnote_cron ");
    expect("X-OriginalArrivalTime: 03 May 2024 08:00:00.0000 (UTC) FILETIME=[AB12CD:01C2]\n\n", CRD_MAIL_HEADERS,
           "xoriginalarrivaltime ");
    expect("X-Mailer: May 2024\n\n", CRD_MAIL_HEADERS, "xmailer xmailer_may xmailer_2024 ");
    /* Of signatures, only the domain. */
    expect("DKIM-Signature: v=1; a=rsa-sha256; d=example.org; s=may2024; t=1714723200;\n\tb=Abc/def==\n\n",
           CRD_MAIL_HEADERS, "dkimsignature dkimsignature_example.org ");
    expect("Thread-Index: AcJabcdef==\n\n", CRD_MAIL_HEADERS, "threadindex ");
}

static void parts(void **state) {
    (void)state;
    static const char mixed[] = "Content-Type: multipart/mixed; boundary=\"x y\"\n\npreamble\n--x y\n"
                                "Content-Type: multipart/alternative; boundary=z\n\n--z\n\nplain\n--z\n"
                                "Content-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: base64\n\n"
                                "PGI+Ym9sZDwvYj4=\n--z--\n--x y\n"
                                "Content-Type: application/x-msdownload; name=\"a.b.EXE\"\n\nTVqQ\n--x y--\nend\n";
    expect(mixed, CRD_MAIL_BODY, "plain bold");
    expect(mixed, CRD_MAIL_ATTACHMENTS, "application_x-msdownload a.b.EXE extension_exe");
    /* Parts without an end, a message in a message, a parameter in a charset: all of these are GMime's. */
    expect("Content-Type: multipart/mixed; boundary=b\n\n--b\n\none\n--b\nContent-Type: message/rfc822\n\n"
           "Subject: inner\nContent-Type: text/html\n\n<p>two</p>\n",
           CRD_MAIL_BODY, "one inner \ntwo\n");
    expect("Content-Type: application/pdf\nContent-Disposition: attachment; filename*=utf-8''%e2%82%ac.pdf\n\n",
           CRD_MAIL_ATTACHMENTS, "application_pdf \xe2\x82\xac.pdf extension_pdf");
    expect("Content-Transfer-Encoding: quoted-printable\n\na=3Db=\nc =E9\n", CRD_MAIL_BODY, "a=bc \xc3\xa9\n");
    expect("Content-Type: text/plain; charset=iso-2022-jp\n\n\x1b$B4A;z\x1b(B\n", CRD_MAIL_BODY,
           "\xe6\xbc\xa2\xe5\xad\x97\n");
    expect("Content-Type: text/plain; charset=nonsense\n\n\xe9\n", CRD_MAIL_BODY, "\xc3\xa9\n");
}

static void html(void **state) {
    (void)state;
    static const struct {
        const char *html, *body, *links;
    } cases[] = {
        {"v<b></b>ia<!-- no -->gr<foo>a", "viagra", ""},
        {"<p>one</p><p>two<br>three<td>four", "one\ntwo\nthree\nfour", ""},
        {"a &lt; b &amp;&nbsp;&eacute;&#233;&#xE9; &euro;&bogus; c&shy;d &",
         "a < b & \xc3\xa9\xc3\xa9\xc3\xa9 \xe2\x82\xac&bogus; cd &", ""},
        {"<style>p{}</style>x<SCRIPT>if (a<b) {}</SCRIPT>y", "xy", ""},
        {"x<span style='display: none'>a<span>b</span>c</span>y<i hidden>z</i>", "xy", ""},
        {"<a href=\"http://User@WWW.Example.org:80/x?http://other.example\">click</a> <img src='//cdn-1.example.net/p' "
         "alt='a &gt; b'>",
         "click \na > b\n", "example.org cdn_1_example.net "},
        {"<a href=\"http&#58;//h&#46;example\">x", "x", "h.example "},
        {"<a href=mailto:me@example.org>x <a title=\"a > b\">y", "x y", "example.org "},
        {"1 < 2 <3 <!-- never closed > 4", "1 < 2 <3 4", ""},
        {"open <a href=\"http://a.example", "open ", ""},
        {"<b title='>shown", "shown", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char message[1024];
        snprintf(message, sizeof message, "Content-Type: text/html\n\n%s", cases[i].html);
        expect(message, CRD_MAIL_BODY, cases[i].body);
        expect(message, CRD_MAIL_LINKS, cases[i].links);
    }
    expect("\nsee https://a.b.example.org/x, ftp://192.0.2.1/, http://b.2-c.example and 12://no\n", CRD_MAIL_LINKS,
           "a.b.example.org 192.0.2.1 b_2_c.example ");
}

static void without_headers(void **state) {
    (void)state;
    expect("", CRD_MAIL_BODY, "");
    expect("\n", CRD_MAIL_BODY, "");
    expect("just text\nSubject: no\n", CRD_MAIL_BODY, "just text\nSubject: no\n");
    expect("Subject: yes\ntext at once\n", CRD_MAIL_SUBJECT, "yes");
    expect("Subject: yes\ntext at once\n", CRD_MAIL_BODY, "text at once\n");
    expect("Subject: only", CRD_MAIL_SUBJECT, "only");
    expect(": x\n\ny", CRD_MAIL_BODY, ": x\n\ny");
    for (int always = 0; always < 2; always++) {
        crd_mail *mail = parse("Subject: a\0b\n\nc\0d\n", 18, always);
        assert_true(crd_text_equal(crd_mail_text(mail, CRD_MAIL_SUBJECT), crd_text_of("a b")));
        assert_true(crd_text_equal(crd_mail_text(mail, CRD_MAIL_BODY), crd_text_of("c d\n")));
        crd_mail_destroy(mail);
    }
}

static void broken_parts(void **state) {
    (void)state;
    expect("Content-Transfer-Encoding: base64\n\nYWJj ZGVm!Z2", CRD_MAIL_BODY, "abcdef");
    expect("Content-Transfer-Encoding: quoted-printable\n\na=ZZ=", CRD_MAIL_BODY, "a=ZZ");
    expect("Content-Transfer-Encoding: strange\n\nas it is", CRD_MAIL_BODY, "as it is");
    expect("Content-Type: multipart/mixed\n\nno boundary", CRD_MAIL_ATTACHMENTS, "");
}

/* A message of `times` copies of `unit` behind `head`. */
static char *repeated(const char *head, const char *unit, size_t times, size_t *length) {
    const size_t first = strlen(head), each = strlen(unit);
    *length = first + each * times;
    char *message = malloc(*length);
    assert_non_null(message);
    memcpy(message, head, first);
    for (size_t i = 0; i < times; i++) memcpy(message + first + i * each, unit, each);
    return message;
}

/* Memory and time stay bounded: the texts are far smaller than the messages, which would take minutes if any step were
 * quadratic. */
static void bounds(void **state) {
    (void)state;
    static const struct {
        const char *head, *unit;
        size_t times;
    } cases[] = {
        {"", "Content-Type: message/rfc822\n\n", 50000},
        {"Content-Type: multipart/mixed; boundary=b\n\n", "--b\nContent-Type: multipart/mixed; boundary=b\n\n", 20000},
        {"Content-Type: multipart/mixed; boundary=b\n\n", "--b\n\n", 200000},
        {"", "X-A: http://a.example/\n", 300000},
        {"Content-Type: text/plain; charset=koi8-r\n\n", "http://a.example/ ", 300000},
        {"Content-Type: text/html\n\n", "<!-- ", 300000},
        {"Content-Type: text/html\n\n", "<a \"", 300000},
        {"Content-Type: text/html\n\n", "<i style='display:none'>", 100000},
        {"Content-Type: text/html\n\n", "<script>", 200000},
        {"Content-Type: text/html\n\n", "&#", 500000},
        {"Subject: ", "=?utf-8?q?a?= ", 200000},
        {"Received: ", "a.example.org ", 200000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t length;
        char *message = repeated(cases[i].head, cases[i].unit, cases[i].times, &length);
        crd_mail *mail = parse(message, length, 0);
        for (size_t field = 0; field < CRD_MAIL_BODY; field++)
            assert_true(crd_mail_text(mail, (crd_mail_field)field).length < 1 << 17);
        assert_true(crd_mail_text(mail, CRD_MAIL_BODY).length <= 1 << 20);
        crd_mail_destroy(mail);
        free(message);
    }
}

static void limits(void **state) {
    (void)state;
    crd_mail_options options = CRD_MAIL_OPTIONS_INIT;
    crd_mail *mail = NULL;
    crd_error error;
    static const char message[] = "Content-Type: text/plain; charset=koi8-r\n\nabcdefghij";
    options.max_part = 4;
    for (options.always_gmime = 0; options.always_gmime < 2; options.always_gmime++) {
        assert_int_equal(crd_mail_parse(context, message, sizeof message - 1, &options, &mail, &error), CRD_OK);
        assert_true(crd_text_equal(crd_mail_text(mail, CRD_MAIL_BODY), crd_text_of("abcd")));
        crd_mail_destroy(mail);
    }
    options.max_bytes = 45;
    options.max_part = 0;
    assert_int_equal(crd_mail_parse(context, message, sizeof message - 1, &options, &mail, &error), CRD_OK);
    assert_true(crd_text_equal(crd_mail_text(mail, CRD_MAIL_BODY), crd_text_of("abc")));
    crd_mail_destroy(mail);
    options.size = 0;
    assert_int_equal(crd_mail_parse(context, "", 0, &options, &mail, &error), CRD_ERROR_ARGUMENT);
    assert_string_equal(crd_mail_field_name(CRD_MAIL_FROM), "from");
    assert_null(crd_mail_field_name(CRD_MAIL_FIELD_COUNT));
}

static void failing_allocations(void **state) {
    (void)state;
    static const char message[] = "Received: from a.example\nFrom: =?utf-8?q?a?=\nX-A: b\nSubject: =?koi8-r?q?a?=\n"
                                  "Content-Type: multipart/mixed; boundary=b\n\n--b\n\none http://a.example\n--b\n"
                                  "Content-Type: text/html; charset=koi8-r; name=x.html\n\n<p>two\n--b--\n";
    for (allocation_trial trial = {.counted = &counted}; allocation_trial_next(&trial);) {
        crd_mail *mail = NULL;
        crd_error error = {0};
        assert_allocation_fails(&trial, crd_mail_parse(context, message, sizeof message - 1, NULL, &mail, &error),
                                CRD_OK, error);
        assert_true(trial.has_failed == (mail == NULL));
        crd_mail_destroy(mail);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers), cmocka_unit_test(delivery),        cmocka_unit_test(parts),
        cmocka_unit_test(html),    cmocka_unit_test(without_headers), cmocka_unit_test(broken_parts),
        cmocka_unit_test(bounds),  cmocka_unit_test(limits),          cmocka_unit_test(failing_allocations),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
