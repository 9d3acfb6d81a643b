/* SPDX-License-Identifier: MIT */
/* credence/mail.h - mail: what a classifier reads of a raw message (RFC 5322, MIME), as texts.
 *
 * A message becomes a row of text columns, so that a word of the subject is another term than the same word of the body.
 * All texts are UTF-8 without NUL, whatever the message is: bytes that are not valid in the charset that the message
 * states are read as windows-1252 where it is UTF-8, ASCII, Latin-1 or unknown, and left out elsewhere.
 *
 * MIME structure that is irregular, and charsets beside those, are GMime's (libgmime-3.0), which is loaded when the first message
 * needs it; where it is not there, such a message is CRD_ERROR_SYSTEM. */
#ifndef CREDENCE_MAIL_H
#define CREDENCE_MAIL_H

#include <credence/base.h>
#include <credence/documents.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The fields of a message, each of which is a text. */
typedef enum crd_mail_field {
    CRD_MAIL_FROM = 0,    /* the header From, decoded: name and address */
    CRD_MAIL_SUBJECT = 1, /* the header Subject, decoded */
    /* The words of all other headers but Received, each joined to the name of its header: "xmailer_outlook". Of dates,
     * message ids and content types only what many messages share. */
    CRD_MAIL_HEADERS = 2,
    CRD_MAIL_RECEIVED = 3,    /* hosts in headers Received, each also by the domains that it is in */
    CRD_MAIL_LINKS = 4,       /* hosts of the URLs in text and HTML, each once */
    CRD_MAIL_ATTACHMENTS = 5, /* types and names of parts that are not text, or have a name */
    CRD_MAIL_BODY = 6         /* all parts that are text; of HTML what is shown */
} crd_mail_field;

#define CRD_MAIL_FIELD_COUNT 7

/* The name of a field as a column: "from", "subject", ...; NULL: there is no such field. */
CRD_API const char *crd_mail_field_name(size_t field);

/* Bounds, so that a message of any size takes bounded memory and time. What is beyond them is not read. */
typedef struct crd_mail_options {
    size_t size;
    size_t max_bytes; /* of a message; 0: 16 MiB */
    size_t max_part;  /* of text of one part, decoded; 0: 1 MiB */
    /* Non-zero: every message is parsed by GMime, also where that is not needed. The texts are the same. */
    int always_gmime;
} crd_mail_options;

#define CRD_MAIL_OPTIONS_INIT                                                                                          \
    { sizeof(crd_mail_options), 0, 0, 0 }

/* A message, parsed. */
typedef struct crd_mail crd_mail;

/* Any bytes are a message: where there are no headers, all of it is its body. A first line "From ", as in an mbox, is
 * skipped. options may be NULL. */
CRD_API CRD_MUST_USE crd_status crd_mail_parse(crd_context *context, const void *bytes, size_t length,
                                               const crd_mail_options *options, crd_mail **out, crd_error *error);
CRD_API void crd_mail_destroy(crd_mail *mail); /* NULL is fine */

/* The text of a field, which is empty where the message has none. It lives as long as the message. */
CRD_API crd_text crd_mail_text(const crd_mail *mail, crd_mail_field field);

/* A reader of a row for each message: its class, where sources have labels, and a text for each field. A folder, with those in it: each
 * file is a message; of a Maildir, those in its folders cur and new. A file, or "-", standard input: an mbox where it begins with a line "From ", else
 * one message. Messages are parsed by all threads, in bounded memory. As crd_reader_open_documents otherwise. */
CRD_API CRD_MUST_USE crd_status crd_reader_open_mail(crd_context *context, const crd_document_source *sources,
                                                     size_t count, const crd_reader_options *options, crd_reader **out,
                                                     crd_error *error);

#ifdef __cplusplus
}
#endif
#endif
