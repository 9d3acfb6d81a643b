/* SPDX-License-Identifier: MIT */
/* error.h - fills in a crd_error and returns its status in one expression. */
#ifndef CRD_BASE_ERROR_H
#define CRD_BASE_ERROR_H

#include <credence/base.h>

/* Fills *error (which may be NULL) and returns status:  return crd_i_fail(error, CRD_ERROR_X, "...", ...); */
crd_status crd_i_fail(crd_error *error, crd_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Works like crd_i_fail with CRD_ERROR_SYSTEM. Appends the system's message for `system_error` and stores its
 * number. */
crd_status crd_i_fail_system(crd_error *error, int system_error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Works like crd_i_fail with CRD_ERROR_MEMORY. */
crd_status crd_i_fail_memory(crd_error *error);

/* Add details to an error that is already filled in: an item for the list at the end of its message ("..." if there is
 * no room left), or the place where it happened. These functions do nothing if `error` is NULL. */
void crd_i_error_item(crd_error *error, size_t index, crd_text item);
void crd_i_error_place(crd_error *error, const char *place, uint64_t line, uint64_t field);
void crd_i_error_subject(crd_error *error, crd_text subject);

/* Sets the hint: how to solve the problem, in the library's own terms. It names a setting and its value as name=value,
 * a tally as tally=name, and a call by its name. Programs with other names for these (command options, arguments of a
 * binding) replace them. */
void crd_i_error_hint(crd_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Formats a text for a message, in at most 60 bytes of the text. Control characters and invalid UTF-8 bytes are written
 * as \n or \x01, and characters that change the writing direction as \u202e. A longer text ends with "...". Returns
 * `room`. */
enum { CRD_I_QUOTED_ROOM = 260 };
const char *crd_i_quote(crd_text text, char buffer[CRD_I_QUOTED_ROOM]);
/* Formats a text as an item of a list. The text is put in double quotes, as in CSV, if commas, quotes, or leading or
 * trailing whitespace would make the end of the item ambiguous. Returns `room`. */
const char *crd_i_quote_item(crd_text text, char buffer[CRD_I_QUOTED_ROOM]);

/* The size of the buffer for crd_i_describe_bytes. */
enum { CRD_I_BYTES_ROOM = 32 };
/* Formats a number of bytes for people: "224 bytes", "1.5 GiB". Returns `room`. */
const char *crd_i_describe_bytes(double bytes, char buffer[CRD_I_BYTES_ROOM]);

#endif
