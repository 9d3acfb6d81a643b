/* SPDX-License-Identifier: MIT */
/* error.h - filling in a crd_error, in one expression with the return. */
#ifndef CRD_BASE_ERROR_H
#define CRD_BASE_ERROR_H

#include <credence/base.h>

/* Fills *error (which may be NULL) and returns status:  return crd_i_fail(error, CRD_ERROR_X, "...", ...); */
crd_status crd_i_fail(crd_error *error, crd_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* As crd_i_fail for CRD_ERROR_SYSTEM: appends what errno says, and keeps it. */
crd_status crd_i_fail_system(crd_error *error, int system_error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* As crd_i_fail for CRD_ERROR_MEMORY. */
crd_status crd_i_fail_memory(crd_error *error);

/* Adds to an error already filled in where it happened, or an item to the list that ends its message ("..." where there
 * is no room left); each does nothing when error is NULL. */
void crd_i_error_item(crd_error *error, size_t index, crd_text item);
void crd_i_error_place(crd_error *error, const char *place, uint64_t line, uint64_t field);
void crd_i_error_subject(crd_error *error, crd_text subject);

/* What would help, in the library's own terms: a setting and its value as name=value, a tally as tally=name, a call by
 * its name. Programs that have other names for these (options of a command, arguments of a binding) replace them. */
void crd_i_error_hint(crd_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A text made fit for a message: at most 60 bytes, control characters and bytes that are
 * no UTF-8 as \n or \x01, characters that turn the direction of
 * writing as \u202e, cut with "...". Returns `room`. */
enum { CRD_I_QUOTED_ROOM = 260 };
const char *crd_i_quote(crd_text text, char room[CRD_I_QUOTED_ROOM]);
/* The same for an item of a list: in double quotes, as CSV has it, where commas, quotes or blanks at its ends would
 * leave open where it ends. */
const char *crd_i_quote_item(crd_text text, char room[CRD_I_QUOTED_ROOM]);

/* Room for crd_i_describe_bytes. */
enum { CRD_I_BYTES_ROOM = 32 };
/* So many bytes for people: "224 bytes", "1.5 GiB". */
const char *crd_i_describe_bytes(double bytes, char room[CRD_I_BYTES_ROOM]);

#endif
