/* SPDX-License-Identifier: MIT */
/* json_text.h - JSON, value by value and indented, with separators put in by themselves. Arrays of numbers stand on one
 * line. A number that is not finite is null. */
#ifndef CRD_EXPORT_JSON_TEXT_H
#define CRD_EXPORT_JSON_TEXT_H

#include "base/parameter_list.h"
#include "export/export_writer.h"

typedef struct crd_i_json_text {
    crd_i_export_writer *writer;
    unsigned depth;
    bool begun;     /* the open container has a value */
    bool after_key; /* the next value belongs to a key */
    unsigned lines; /* containers that stand on one line, and are open */
} crd_i_json_text;

/* Opens '{' or '[', and closes what was opened so. */
void crd_i_json_open(crd_i_json_text *json, char bracket);
void crd_i_json_close(crd_i_json_text *json, char bracket);
/* The same of an array that stands on one line, with all that is in it. */
void crd_i_json_open_line(crd_i_json_text *json);
void crd_i_json_close_line(crd_i_json_text *json);
void crd_i_json_key(crd_i_json_text *json, crd_text key);
void crd_i_json_text_value(crd_i_json_text *json, crd_text text);
void crd_i_json_number(crd_i_json_text *json, double number);
void crd_i_json_end_line(crd_i_json_text *json);

/* A key with its value. */
void crd_i_json_member_text(crd_i_json_text *json, const char *key, crd_text text);
void crd_i_json_member_flag(crd_i_json_text *json, const char *key, bool flag);
void crd_i_json_member_number(crd_i_json_text *json, const char *key, double number);
/* A key, and its '{' or '['. */
void crd_i_json_member_open(crd_i_json_text *json, const char *key, char bracket);
/* A key, and an array of numbers. */
void crd_i_json_member_numbers(crd_i_json_text *json, const char *key, const double *numbers, size_t count);
/* An object of arrays by their names. */
void crd_i_json_member_parameters(crd_i_json_text *json, const char *key, const crd_i_parameter_list *list);

#endif
