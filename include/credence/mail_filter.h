/* SPDX-License-Identifier: MIT */
/* credence/mail_filter.h - a mail message on its way through a filter: byte for byte as it came, with a header field that has
 * the decision.
 *
 *   X-Credence: spam; probability=0.9987; reasons="viagra (body) +3.2, ..."
 *
 * Whoever sends a message can put such a field into it, so that fields of that name which it brings along are removed. */
#ifndef CREDENCE_MAIL_FILTER_H
#define CREDENCE_MAIL_FILTER_H

#include <credence/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A word, or what else of the message counted. Never grows: items of an array. */
typedef struct crd_mail_reason {
    crd_text term;
    crd_text column; /* the part of the message that has it, as "body"; bytes NULL: not stated */
    double weight;   /* weight of evidence for the class */
} crd_mail_reason;

typedef struct crd_mail_decision {
    size_t size;
    crd_text decision;  /* a class, or what a rule decided for in its place, as "unsure" */
    crd_text top_class; /* the most probable class, where the decision is another; bytes NULL: it is not */
    double probability; /* of the most probable class; NaN: not stated */
    const crd_mail_reason *reasons;
    size_t reason_count;
} crd_mail_decision;

#define CRD_MAIL_DECISION_INIT                                                                                         \
    { sizeof(crd_mail_decision), {NULL, 0}, {NULL, 0}, 0, NULL, 0 }

/* The header field: name, decision, then parameters `class`, `probability` and `reasons` where they are stated. Printable
 * ASCII, folded (RFC 5322), each line ended by a line feed. Classes are tokens (RFC 2045), in which all other bytes, and %,
 * are written as % and two hexadecimal digits; in reasons so are those that are not printable ASCII, and ( ) , " \ %. Classes are
 * cut behind 700 characters, terms behind 180. At most 20 reasons are written. Freed with crd_free. */
CRD_API CRD_MUST_USE crd_status crd_mail_header(crd_context *context, const crd_mail_decision *decision, char **out,
                                                size_t *length, crd_error *error);

/* Writes all of the bytes; returns 0, or a system error number. */
typedef int (*crd_mail_write)(void *user, const void *bytes, size_t length);

/* One message, in pieces of any size, on its way to a function that writes; in memory for one piece of 64 KiB. */
typedef struct crd_mail_pass crd_mail_pass;

/* `header` is what crd_mail_header returned, and is copied; bytes NULL: the message is written as it is. The field becomes the
 * first of the message's header, behind the line "From " of mbox files, with the line ends of the message. Fields called
 * X-Credence, in any case of letters and with their folded lines, are left out of the header, which ends at the first empty
 * line. Where the first line is neither a field nor empty, the message has no header: an empty line follows the field. */
CRD_API CRD_MUST_USE crd_status crd_mail_pass_create(crd_context *context, crd_text header, crd_mail_write write,
                                                     void *user, crd_mail_pass **out, crd_error *error);
CRD_API CRD_MUST_USE crd_status crd_mail_pass_push(crd_mail_pass *pass, const void *bytes, size_t length,
                                                   crd_error *error);
/* The message has no further bytes. */
CRD_API CRD_MUST_USE crd_status crd_mail_pass_end(crd_mail_pass *pass, crd_error *error);
CRD_API void crd_mail_pass_destroy(crd_mail_pass *pass);

#ifdef __cplusplus
}
#endif
#endif
