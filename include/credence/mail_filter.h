/* SPDX-License-Identifier: MIT */
/* credence/mail_filter.h - a mail message on its way through a filter: byte for byte as it came, with a header field that has
 * the decision.
 *
 *   X-Credence: spam; probability=0.9987; reasons="viagra (body) +3.2, ..."
 *
 * Anyone who sends a message can put such a field into it, so fields of that name in the message are removed. You can choose another
 * name: crd_mail_parse ignores the field under any name. */
#ifndef CREDENCE_MAIL_FILTER_H
#define CREDENCE_MAIL_FILTER_H

#include <credence/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The longest name of a header field. */
#define CRD_MAIL_MAX_FIELD_NAME 76

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
    crd_text field_name; /* of the header field; bytes NULL: X-Credence */
} crd_mail_decision;

#define CRD_MAIL_DECISION_INIT                                                                                         \
    {                                                                                                                  \
        sizeof(crd_mail_decision), {NULL, 0}, {NULL, 0}, 0, NULL, 0, {                                                 \
            NULL, 0                                                                                                    \
        }                                                                                                              \
    }

/* Returns whether a header field may have this name: "X-" and at least one further printable ASCII character, no colon or space, at most
 * CRD_MAIL_MAX_FIELD_NAME characters. Names of fields that messages need, such as Subject, are not among them. */
CRD_API int crd_mail_is_field_name(crd_text name);

/* The header field: name, decision, then parameters `class`, `probability` and `reasons` where they are stated. Printable
 * ASCII, folded (RFC 5322), each line ended by a line feed. Classes are tokens (RFC 2045), in which all other bytes, and %,
 * are written as % and two hexadecimal digits; in reasons so are those that are not printable ASCII, and ( ) , " \ %. Classes are
 * cut behind 700 characters, terms behind 180. At most 20 reasons are written. Freed with crd_free. CRD_ERROR_ARGUMENT if
 * crd_mail_is_field_name rejects the name. */
CRD_API CRD_MUST_USE crd_status crd_mail_header(crd_context *context, const crd_mail_decision *decision, char **out,
                                                size_t *length, crd_error *error);

/* Writes all of the bytes; returns 0, or a system error number. */
typedef int (*crd_mail_write)(void *user, const void *bytes, size_t length);

/* One message, in pieces of any size, on its way to a function that writes; in memory for one piece of 64 KiB. */
typedef struct crd_mail_pass crd_mail_pass;

/* `header` is what crd_mail_header returned, and is copied; bytes NULL: the message is written as it is. The field becomes the
 * first of the message's header, behind the line "From " of mbox files, with the line ends of the message. Fields of the same
 * name, in any case of letters and with their folded lines, are removed from the header, which ends at the first empty
 * line. So are those that follow a carriage return alone. Where the first line is neither a field nor empty, the message has no header: an empty line follows the field. */
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
