/* SPDX-License-Identifier: MIT */
/* json_export.h - writes indented JSON value by value, and adds the separators. Arrays of numbers are written on one
 * line. Numbers that are not finite become null. */
#ifndef CRD_EXPORT_JSON_EXPORT_H
#define CRD_EXPORT_JSON_EXPORT_H

#include "base/parameter_list.h"
#include "export/export_internal.h"

/* Initialize to zero, except for the writer. */
typedef struct crd_i_json_text {
    crd_i_export_writer *writer;
    unsigned depth;
    bool begun;     /* the innermost open container has a value */
    bool after_key; /* a key has been written, and its value comes next */
    unsigned lines; /* number of open containers that are written on one line */
} crd_i_json_text;

/* Open a container with '{' or '[', and close it with the matching bracket. */
void crd_i_json_open(crd_i_json_text *json, char bracket);
void crd_i_json_close(crd_i_json_text *json, char bracket);
/* Open and close an array that is written on one line, with all values in it. */
void crd_i_json_open_line(crd_i_json_text *json);
void crd_i_json_close_line(crd_i_json_text *json);
/* Writes the key of the next value. */
void crd_i_json_key(crd_i_json_text *json, crd_text key);
void crd_i_json_text_value(crd_i_json_text *json, crd_text text);
void crd_i_json_number(crd_i_json_text *json, double number);
/* Writes a line break after the whole text. */
void crd_i_json_end_line(crd_i_json_text *json);

/* Write a key and its value. */
void crd_i_json_member_text(crd_i_json_text *json, const char *key, crd_text text);
void crd_i_json_member_flag(crd_i_json_text *json, const char *key, bool flag);
void crd_i_json_member_number(crd_i_json_text *json, const char *key, double number);
/* Writes a key and opens its value with '{' or '['. */
void crd_i_json_member_open(crd_i_json_text *json, const char *key, char bracket);

#endif
