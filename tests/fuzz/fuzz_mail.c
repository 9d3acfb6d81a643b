/* SPDX-License-Identifier: MIT */
/* fuzz_mail.c - hostile bytes as a mail message: texts that are UTF-8 without NUL, in bounded memory, the same each time; and
 * where a further allocation fails, that error alone.
 *
 * The first byte is the allocation that fails in a run of its own, and its lowest bit whether GMime parses. */
#include "fuzz.h"

#include "base/text.h"

#include <string.h>

static fuzz_digest parse(const char *bytes, size_t length, int always_gmime, unsigned refuse) {
    fuzz_accounts accounts;
    fuzz_digest digest = {0};
    crd_context *context = fuzz_context(&accounts, refuse);
    crd_mail_options options = CRD_MAIL_OPTIONS_INIT;
    crd_mail *mail = NULL;
    crd_error error = {0};
    options.always_gmime = always_gmime;
    const crd_status status = crd_mail_parse(context, bytes, length, &options, &mail, &error);
    FUZZ_CHECK((status == CRD_OK) == (mail != NULL));
    FUZZ_CHECK(status == CRD_OK || (status == CRD_ERROR_MEMORY && refuse != 0));
    for (size_t i = 0; mail != NULL && i < CRD_MAIL_FIELD_COUNT; i++) {
        const crd_text text = crd_mail_text(mail, (crd_mail_field)i);
        FUZZ_CHECK(text.bytes != NULL && crd_i_utf8_is_valid(text) && memchr(text.bytes, '\0', text.length) == NULL);
        fuzz_digest_text(&digest, text);
    }
    FUZZ_CHECK(accounts.largest < 64 * length + 65536);
    crd_mail_destroy(mail);
    fuzz_context_end(context, &accounts);
    return digest;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    if (length < 1) return 0;
    const char *message = (const char *)bytes + 1;
    const fuzz_digest digest = parse(message, length - 1, bytes[0] & 1, 0);
    FUZZ_CHECK(parse(message, length - 1, bytes[0] & 1, 0).state == digest.state);
    if (bytes[0] > 1) (void)parse(message, length - 1, bytes[0] & 1, bytes[0] >> 1);
    return 0;
}

void fuzz_seeds(fuzz_emit emit, void *user) {
    static const char *const messages[] = {
        "From a@b.example Mon Nov 16 08:00:00 2026\nReceived: from x.example (y [192.0.2.7])\n\tby z.example; Mon\n"
        "From: \"A B\" <a@b.example>\nSubject: =?utf-8?Q?caf=C3=A9_?= =?iso-8859-1?B?6Q==?=\nDate: x +0200 (C)\n\n"
        "http://u:p@www.example.org:80/x\n",
        "Content-Type: text/html; charset=koi8-r\nContent-Transfer-Encoding: quoted-printable\n\n<p hidden>=C1<b "
        "style=3D'display:none'>x</b>&eacute;&#x20ac;<!-- c --><a href=3D\"http://h&#46;example\">=\ny</a><script>z"
        "</script>",
        "Content-Type: multipart/mixed; boundary=\"b\"\n\npre\n--b\nContent-Type: multipart/alternative; boundary=c\n\n"
        "--c\n\nplain\n--c\nContent-Type: text/html\nContent-Transfer-Encoding: base64\n\nPGI+eDwvYj4=\n--c--\n--b\n"
        "Content-Type: application/pdf; name*=utf-8''%e2%82%ac.pdf\nContent-Disposition: attachment; "
        "filename=\"a.pdf\"\n"
        "\nJVBERi0=\n--b\nContent-Type: message/rfc822\n\nSubject: inner\n\nbody\n--b--\n",
        "Subject: a\r\nContent-Type: text/plain; charset=\"iso-2022-jp\"\r\n\r\n\x1b$B$\"\x1b(B\xff\x80 <\r\n",
        "no header\nat all",
        "\n",
    };
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++)
        for (unsigned char first = 0; first < 64; first = (unsigned char)(first + 9)) {
            char input[1024];
            const size_t length = strlen(messages[i]);
            input[0] = (char)first;
            memcpy(input + 1, messages[i], length);
            emit(user, input, 1 + length);
        }
}
