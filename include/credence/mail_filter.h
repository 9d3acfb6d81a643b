/* SPDX-License-Identifier: MIT */
/* credence/mail_filter.h - a mail filter: copies a message unchanged, and adds a header field with the decision.
 *
 *   X-Credence: spam; probability=0.9987; reasons="viagra (body) +3.2, ..."
 *
 * Anyone who sends a message can put such a field into it. Therefore existing fields of that name are removed. You can
 * choose another name: crd_mail_parse ignores the field under any name. */
#ifndef CREDENCE_MAIL_FILTER_H
#define CREDENCE_MAIL_FILTER_H

#ifndef CRD_EXPERIMENTAL
#error "credence/mail_filter.h is experimental: define CRD_EXPERIMENTAL before you include it"
#endif

#include <credence/credence.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The maximum length of a header field's name. */
#define CRD_MAIL_MAX_FIELD_NAME 76

/* A term of the message that contributed to the decision. The struct is an element of an array, so it never gets new
 * members. */
typedef struct crd_mail_reason {
    crd_text term;
    crd_text column; /* the field that contains the term, such as "body"; bytes NULL: not given */
    double weight;   /* weight of evidence for the class */
} crd_mail_reason;

/* The decision that the header field reports. Initialize it with CRD_MAIL_DECISION_INIT. */
typedef struct crd_mail_decision {
    size_t size;
    crd_text decision;  /* a class, or another outcome of a decision rule, such as "unsure" */
    crd_text top_class; /* the most probable class if it differs from the decision; bytes NULL: it does not */
    double probability; /* probability of the most probable class; NaN: not given */
    const crd_mail_reason *reasons;
    size_t reason_count;
    crd_text field_name; /* name of the header field; bytes NULL: X-Credence */
} crd_mail_decision;

#define CRD_MAIL_DECISION_INIT                                                                                         \
    {                                                                                                                  \
        sizeof(crd_mail_decision), {NULL, 0}, {NULL, 0}, 0, NULL, 0, {                                                 \
            NULL, 0                                                                                                    \
        }                                                                                                              \
    }

/* Returns whether a header field may have this name: "X-" and at least one more printable ASCII character, without
 * colons or spaces. A name has at most CRD_MAIL_MAX_FIELD_NAME characters. Names of fields that messages need, such as
 * Subject, are therefore rejected. */
CRD_API int crd_mail_is_field_name(crd_text name);

/* Writes the header field to a new string *out: the name, the decision, and the parameters `class`, `probability` and
 * `reasons` if they are given. Free it with crd_free.
 *
 * The field is printable ASCII, folded (RFC 5322), and each line ends with a line feed. Classes are tokens (RFC 2045):
 * all other bytes, and %, are written as % and two hexadecimal digits. In reasons, the escaped bytes are ( ) , " \ %
 * and all bytes that are not printable ASCII. Classes are cut after 700 characters and terms after 180. At most 20
 * reasons are written. Returns CRD_ERROR_ARGUMENT if crd_mail_is_field_name rejects the name. */
CRD_API CRD_MUST_USE crd_status crd_mail_header(crd_context *context, const crd_mail_decision *decision, char **out,
                                                size_t *length, crd_error *error);

/* Writes all `length` bytes. Returns 0, or a system error number. */
typedef int (*crd_mail_write)(void *user, const void *bytes, size_t length);

/* A filter for one message. It receives pieces of any size, writes them with a function, and keeps at most 64 KiB in
 * memory. */
typedef struct crd_mail_pass crd_mail_pass;

/* Creates a filter in *out. `header` is the string from crd_mail_header; it is copied. If its bytes are NULL, the
 * message is written unchanged.
 *
 * The field is inserted as the first header field, after the line "From " of mbox files, and with the line ends of the
 * message. Existing fields of the same name, in any letter case, are removed with their folded lines. The header ends
 * at the first empty line. Fields that follow a carriage return without a line feed are also removed. If the first line
 * is neither a header field nor empty, the message has no header, and an empty line is written after the field. Destroy
 * the filter with crd_mail_pass_destroy. */
CRD_API CRD_MUST_USE crd_status crd_mail_pass_create(crd_context *context, crd_text header, crd_mail_write write,
                                                     void *user, crd_mail_pass **out, crd_error *error);
/* Filters the next `length` bytes of the message. */
CRD_API CRD_MUST_USE crd_status crd_mail_pass_push(crd_mail_pass *pass, const void *bytes, size_t length,
                                                   crd_error *error);
/* Ends the message and writes the remaining bytes. */
CRD_API CRD_MUST_USE crd_status crd_mail_pass_end(crd_mail_pass *pass, crd_error *error);
/* Frees the filter. `pass` may be NULL. */
CRD_API void crd_mail_pass_destroy(crd_mail_pass *pass);

#ifdef __cplusplus
}
#endif
#endif
