/* SPDX-License-Identifier: MIT */
/* json_writer.c - see credence/json_writer.h. */
#include <credence/json_writer.h>

#include "base/text.h"

#include <credence/number.h>
#include <math.h>
#include <stdio.h>

static void json_writer_put(crd_json_writer *json, const char *bytes, size_t length) {
    if (length > 0) json->write(json->user, bytes, length);
}

static void json_writer_put_char(crd_json_writer *json, char byte) {
    json_writer_put(json, &byte, 1);
}

/* Begins a new, indented line. */
static void json_writer_new_line(crd_json_writer *json) {
    json_writer_put_char(json, '\n');
    for (unsigned i = 0; i < json->depth; i++) json_writer_put(json, "  ", 2);
}

/* Writes the separator before a value or key, and the line break if the container has one value per line. */
static void json_writer_open_value(crd_json_writer *json) {
    if (json->is_after_key) {
        json->is_after_key = 0;
        return;
    }
    if (json->depth > 0) {
        if (json->has_value) json_writer_put(json, ", ", json->lines > 0 ? 2 : 1);
        if (json->lines == 0) json_writer_new_line(json);
    }
    json->has_value = 1;
}

void crd_json_writer_begin(crd_json_writer *json, char bracket) {
    json_writer_open_value(json);
    json_writer_put_char(json, bracket);
    json->depth++;
    json->has_value = 0;
}

void crd_json_writer_end(crd_json_writer *json, char bracket) {
    json->depth--;
    if (json->has_value && json->lines == 0) json_writer_new_line(json);
    json->has_value = 1; /* the enclosing container now has at least this value */
    json_writer_put_char(json, bracket);
}

void crd_json_writer_break_line(crd_json_writer *json) {
    json_writer_put_char(json, '\n');
    json->has_value = 0;
}

/* Returns the length of the beginning of a text that needs no escapes: printable ASCII characters. */
static size_t json_writer_plain_length(crd_text text) {
    size_t length = 0;
    while (length < text.length && text.bytes[length] >= 0x20 && text.bytes[length] < 0x7F &&
           text.bytes[length] != '"' && text.bytes[length] != '\\')
        length++;
    return length;
}

/* Writes a character that is not plain ASCII, or a byte that is not valid UTF-8. Returns its length. */
static size_t json_writer_put_escaped(crd_json_writer *json, crd_text text) {
    char escape[8];
    const unsigned char byte = (unsigned char)text.bytes[0];
    const size_t length = crd_i_utf8_length(text);
    int count = 0;
    if (byte == '"' || byte == '\\') count = snprintf(escape, sizeof escape, "\\%c", byte);
    else if (byte == '\n') count = snprintf(escape, sizeof escape, "\\n");
    else if (length == 0) count = snprintf(escape, sizeof escape, "\\udc%02x", byte);
    else if (byte < 0x20 || byte == 0x7F) count = snprintf(escape, sizeof escape, "\\u%04x", byte);
    if (count > 0) json_writer_put(json, escape, (size_t)count);
    else json_writer_put(json, text.bytes, length);
    return length == 0 ? 1 : length;
}

static void json_writer_put_text(crd_json_writer *json, crd_text text) {
    json_writer_put_char(json, '"');
    for (size_t length; text.length > 0; text.bytes += length, text.length -= length) {
        length = json_writer_plain_length(text);
        if (length > 0) json_writer_put(json, text.bytes, length);
        else length = json_writer_put_escaped(json, text);
    }
    json_writer_put_char(json, '"');
}

void crd_json_writer_key(crd_json_writer *json, crd_text key) {
    json_writer_open_value(json);
    json_writer_put_text(json, key);
    json_writer_put(json, ": ", 2);
    json->is_after_key = 1;
}

void crd_json_writer_text(crd_json_writer *json, crd_text text) {
    json_writer_open_value(json);
    json_writer_put_text(json, text);
}

void crd_json_writer_number(crd_json_writer *json, double number) {
    char digits[CRD_NUMBER_ROOM];
    crd_text word = {"null", 4};
    if (isfinite(number)) word = (crd_text){digits, crd_number_format(number, digits)};
    crd_json_writer_word(json, word);
}

void crd_json_writer_word(crd_json_writer *json, crd_text word) {
    json_writer_open_value(json);
    json_writer_put(json, word.bytes, word.length);
}

void crd_json_writer_member_number(crd_json_writer *json, const char *key, double number) {
    crd_json_writer_key(json, crd_text_of(key));
    crd_json_writer_number(json, number);
}

void crd_json_writer_member_begin(crd_json_writer *json, const char *key, char bracket) {
    crd_json_writer_key(json, crd_text_of(key));
    crd_json_writer_begin(json, bracket);
}
