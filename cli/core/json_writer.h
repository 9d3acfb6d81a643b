/* SPDX-License-Identifier: MIT */
/* json_writer.h - a small JSON writer. Commas and line ends are its business; calls only say what stands where. */
#ifndef CREDENCE_CLI_JSON_WRITER_H
#define CREDENCE_CLI_JSON_WRITER_H

#include "core/string_buffer.h"

#include <stdio.h>

typedef struct json {
    FILE *stream;  /* where to write, or */
    string *text;  /* what to add to */
    bool indented; /* a line a member; else all on one line */
    unsigned depth;
    bool begun; /* the innermost container that is open has a member already */
    bool after_key;
} json;

json json_begin(FILE *stream, bool indented);
/* The same, to be added to a text in memory. */
json json_begin_text(string *text, bool indented);
/* Ends the line; the next value begins a new one. */
void json_end_line(json *j);

void json_object(json *j);
void json_end_object(json *j);
void json_array(json *j);
void json_end_array(json *j);
void json_key(json *j, const char *key);
void json_key_text(json *j, crd_text key);

/* A byte that is no UTF-8, which only networks and old models have, becomes half of a surrogate pair, \udc80 to \udcff, as
 * Python writes it: so distinct texts stay distinct. */
void json_text(json *j, crd_text text);
/* Shortest that reads back to the same bits; null for infinities and NaN. */
void json_number(json *j, double value);
/* Whether a text is a number as JSON writes it; and such a text, as it stands. */
bool json_is_number(crd_text text);
void json_number_text(json *j, crd_text number);
void json_null(json *j);
void json_boolean(json *j, bool value);

void json_member_text(json *j, const char *key, crd_text text);
void json_member_number(json *j, const char *key, double value);

#endif
