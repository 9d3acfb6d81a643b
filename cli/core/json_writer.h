/* SPDX-License-Identifier: MIT */
/* json_writer.h - a small JSON writer. It adds commas and line ends; callers only name the values and containers. */
#ifndef CREDENCE_CLI_JSON_WRITER_H
#define CREDENCE_CLI_JSON_WRITER_H

#include "core/string_buffer.h"

#include <stdio.h>

typedef struct json {
    FILE *stream;  /* where to write; NULL: add to `text` */
    string *text;  /* the string to add to */
    bool indented; /* one line per member; false: everything on one line */
    unsigned depth;
    bool begun; /* the innermost open container already has a member */
    bool after_key;
} json;

json json_begin(FILE *stream, bool indented);
/* Starts a writer that adds to a string in memory. */
json json_begin_text(string *text, bool indented);
/* Ends the line. The next value begins a new line. */
void json_end_line(json *j);

void json_object(json *j);
void json_end_object(json *j);
void json_array(json *j);
void json_end_array(json *j);
void json_key(json *j, const char *key);
void json_key_text(json *j, crd_text key);

/* Writes a text. A byte that is not valid UTF-8 becomes a lone surrogate, \udc80 to \udcff, as in Python's
 * surrogateescape, so distinct texts stay distinct. Only networks and old models contain such bytes. */
void json_text(json *j, crd_text text);
/* Writes the shortest number that reads back to the same bits; null for infinities and NaN. */
void json_number(json *j, double value);
/* Returns whether a text is a valid JSON number. json_number_text writes such a text unchanged. */
bool json_is_number(crd_text text);
void json_number_text(json *j, crd_text number);
void json_null(json *j);
void json_boolean(json *j, bool value);

void json_member_text(json *j, const char *key, crd_text text);
void json_member_number(json *j, const char *key, double value);

#endif
