/* SPDX-License-Identifier: MIT */
/* json_text.c - see json_text.h. */
#include "export/json_text.h"

#include "base/utf8.h"

#include <math.h>

/* Begins a new, indented line. */
static void json_text_new_line(crd_i_json_text *json) {
    crd_i_export_bytes(json->writer, "\n", 1);
    for (unsigned i = 0; i < json->depth; i++) crd_i_export_bytes(json->writer, "  ", 2);
}

/* Writes the separator before a value or key, and the line break if the container has one value per line. */
static void json_text_open_value(crd_i_json_text *json) {
    if (json->after_key) {
        json->after_key = false;
        return;
    }
    if (json->depth > 0) {
        if (json->begun) crd_i_export_bytes(json->writer, json->lines > 0 ? ", " : ",", json->lines > 0 ? 2 : 1);
        if (json->lines == 0) json_text_new_line(json);
    }
    json->begun = true;
}

void crd_i_json_open(crd_i_json_text *json, char bracket) {
    json_text_open_value(json);
    crd_i_export_bytes(json->writer, &bracket, 1);
    json->depth++;
    json->begun = false;
}

void crd_i_json_close(crd_i_json_text *json, char bracket) {
    json->depth--;
    if (json->begun && json->lines == 0) json_text_new_line(json);
    json->begun = true; /* the enclosing container now has at least this value */
    crd_i_export_bytes(json->writer, &bracket, 1);
}

void crd_i_json_open_line(crd_i_json_text *json) {
    crd_i_json_open(json, '[');
    json->lines++;
}

void crd_i_json_close_line(crd_i_json_text *json) {
    crd_i_json_close(json, ']');
    json->lines--;
}

void crd_i_json_end_line(crd_i_json_text *json) {
    crd_i_export_bytes(json->writer, "\n", 1);
    json->begun = false;
}

/* Writes a quoted text. A byte that is not valid UTF-8, which occurs only in old models and networks, becomes half of a
 * surrogate pair, \udc80 to \udcff, so distinct texts stay distinct. */
static void json_text_write(crd_i_json_text *json, crd_text text) {
    crd_i_export_bytes(json->writer, "\"", 1);
    while (text.length > 0) {
        unsigned char byte = (unsigned char)text.bytes[0];
        size_t length = crd_i_utf8_length(text);
        if (length == 0) crd_i_export_format(json->writer, "\\udc%02x", byte);
        else if (byte == '"' || byte == '\\') crd_i_export_format(json->writer, "\\%c", byte);
        else if (byte == '\n') crd_i_export_text(json->writer, "\\n");
        else if (byte < 0x20 || byte == 0x7F) crd_i_export_format(json->writer, "\\u%04x", byte);
        else crd_i_export_bytes(json->writer, text.bytes, length);
        if (length == 0) length = 1;
        text.bytes += length;
        text.length -= length;
    }
    crd_i_export_bytes(json->writer, "\"", 1);
}

void crd_i_json_key(crd_i_json_text *json, crd_text key) {
    json_text_open_value(json);
    json_text_write(json, key);
    crd_i_export_bytes(json->writer, ": ", 2);
    json->after_key = true;
}

void crd_i_json_text_value(crd_i_json_text *json, crd_text text) {
    json_text_open_value(json);
    json_text_write(json, text);
}

/* Writes a number, or null if it is not finite. */
static void json_text_put_number(crd_i_json_text *json, double number) {
    if (isfinite(number)) crd_i_export_number(json->writer, number, "");
    else crd_i_export_text(json->writer, "null");
}

void crd_i_json_number(crd_i_json_text *json, double number) {
    json_text_open_value(json);
    json_text_put_number(json, number);
}

void crd_i_json_member_text(crd_i_json_text *json, const char *key, crd_text text) {
    crd_i_json_key(json, crd_text_of(key));
    crd_i_json_text_value(json, text);
}

void crd_i_json_member_flag(crd_i_json_text *json, const char *key, bool flag) {
    crd_i_json_key(json, crd_text_of(key));
    json_text_open_value(json);
    crd_i_export_text(json->writer, flag ? "true" : "false");
}

void crd_i_json_member_number(crd_i_json_text *json, const char *key, double number) {
    crd_i_json_key(json, crd_text_of(key));
    crd_i_json_number(json, number);
}

void crd_i_json_member_open(crd_i_json_text *json, const char *key, char bracket) {
    crd_i_json_key(json, crd_text_of(key));
    crd_i_json_open(json, bracket);
}

/* Writes an array of numbers on one line. */
static void json_text_write_numbers(crd_i_json_text *json, const double *numbers, size_t count) {
    json_text_open_value(json);
    for (size_t i = 0; i < count; i++) {
        crd_i_export_text(json->writer, i == 0 ? "[" : ", ");
        json_text_put_number(json, numbers[i]);
    }
    crd_i_export_text(json->writer, count == 0 ? "[]" : "]");
}

void crd_i_json_member_numbers(crd_i_json_text *json, const char *key, const double *numbers, size_t count) {
    crd_i_json_key(json, crd_text_of(key));
    json_text_write_numbers(json, numbers, count);
}

void crd_i_json_member_parameters(crd_i_json_text *json, const char *key, const crd_i_parameter_list *list) {
    crd_i_json_member_open(json, key, '{');
    for (size_t i = 0; i < list->count; i++) {
        const crd_i_parameter_array *array = &list->arrays[i];
        if (array->dimensions == 0) crd_i_json_member_number(json, array->name, array->numbers[0]);
        if (array->dimensions == 1) crd_i_json_member_numbers(json, array->name, array->numbers, array->rows);
        if (array->dimensions < 2) continue;
        crd_i_json_member_open(json, array->name, '[');
        for (size_t row = 0; row < array->rows; row++)
            json_text_write_numbers(json, array->numbers + row * array->columns, array->columns);
        crd_i_json_close(json, ']');
    }
    crd_i_json_close(json, '}');
}
