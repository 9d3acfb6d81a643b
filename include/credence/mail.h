/* SPDX-License-Identifier: MIT */
/* credence/mail.h - raw mail messages (RFC 5322, MIME) as rows of text columns.
 *
 * Each part of a message becomes a column, so a word in the subject and the same word in the body are different terms.
 * All texts are UTF-8 without NUL bytes, for every message. Some bytes are invalid in the charset that the message
 * declares. If this charset is UTF-8, ASCII, Latin-1 or unknown, they are decoded as windows-1252. Otherwise they are
 * dropped.
 *
 * The GMime library (libgmime-3.0) decodes irregular MIME structure and other charsets. It is loaded when the first
 * message needs it. If it is not installed, such a message returns CRD_ERROR_SYSTEM. */
#ifndef CREDENCE_MAIL_H
#define CREDENCE_MAIL_H

#include <credence/credence.h>
#include <credence/documents.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The fields of a message. Each is a text. */
typedef enum crd_mail_field {
    CRD_MAIL_FROM = 0,    /* the header From, decoded: name and address */
    CRD_MAIL_SUBJECT = 1, /* the header Subject, decoded */
    /* The words of all other headers except Received, each joined to the name of its header: "xmailer_outlook". From
     * dates, message ids and content types, only parts that many messages share are used. */
    CRD_MAIL_HEADERS = 2,
    CRD_MAIL_RECEIVED = 3,    /* host names in Received headers, each also as its parent domains */
    CRD_MAIL_LINKS = 4,       /* host names of the URLs in text and HTML, each once */
    CRD_MAIL_ATTACHMENTS = 5, /* types and names of attachments: parts that are not text, or have a file name */
    CRD_MAIL_BODY = 6         /* all text parts; for HTML, only the visible text */
} crd_mail_field;

#define CRD_MAIL_FIELD_COUNT 7

/* Returns the column name of a field: "from", "subject", ... Returns NULL if `field` is not a field. */
CRD_API const char *crd_mail_field_name(size_t field);

/* Limits for the parser, so that a message of any size needs bounded memory and time. Bytes past a limit are not read.
 * Initialize it with CRD_MAIL_OPTIONS_INIT. */
typedef struct crd_mail_options {
    size_t size;
    size_t max_bytes; /* maximum length of a message; 0: 16 MiB */
    size_t max_part;  /* maximum length of the decoded text of one part; 0: 1 MiB */
    /* Nonzero: GMime parses every message, even if it is not needed. The texts are the same. */
    int always_gmime;
} crd_mail_options;

#define CRD_MAIL_OPTIONS_INIT                                                                                          \
    { sizeof(crd_mail_options), 0, 0, 0 }

/* A parsed message. */
typedef struct crd_mail crd_mail;

/* Parses a message into *out. All bytes are accepted: if there are no headers, the whole message is the body. A first
 * line that begins with "From ", as in an mbox file, is skipped. `options` may be NULL. Destroy the message with
 * crd_mail_destroy. */
CRD_API CRD_MUST_USE crd_status crd_mail_parse(crd_context *context, const void *bytes, size_t length,
                                               const crd_mail_options *options, crd_mail **out, crd_error *error);
/* Frees the message. `mail` may be NULL. */
CRD_API void crd_mail_destroy(crd_mail *mail);

/* Returns the text of a field. It is empty if the message does not contain the field. It is valid as long as the
 * message. */
CRD_API crd_text crd_mail_text(const crd_mail *mail, crd_mail_field field);

/* Creates a reader in *out with one row per message. The columns are the class, if sources have labels, and one text
 * column per field.
 *
 * A source is a folder, a file, or "-" for standard input. A folder includes its subfolders, and each file is a
 * message. For a Maildir, only the files in the subfolders cur and new are read. A file that begins with a line "From "
 * is an mbox; any other file is one message. All threads parse messages, in bounded memory. Otherwise this call is like
 * crd_reader_open_documents. */
CRD_API CRD_MUST_USE crd_status crd_reader_open_mail(crd_context *context, const crd_document_source *sources,
                                                     size_t count, const crd_reader_options *options, crd_reader **out,
                                                     crd_error *error);

#ifdef __cplusplus
}
#endif
#endif
