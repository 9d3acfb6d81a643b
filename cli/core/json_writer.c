/* SPDX-License-Identifier: MIT */
/* json_writer.c - see json_writer.h. */
#include "core/json_writer.h"

#include <math.h>

json json_begin(FILE *stream, bool indented) {
    return (json){.stream = stream, .indented = indented};
}

json json_begin_text(string *text, bool indented) {
    return (json){.text = text, .indented = indented};
}

static void json_writer_put(json *j, const char *bytes, size_t length) {
    if (j->text != NULL) string_add(j->text, bytes, length);
    else fwrite(bytes, 1, length, j->stream);
}

static void put_char(json *j, char byte) {
    json_writer_put(j, &byte, 1);
}

void json_end_line(json *j) {
    put_char(j, '\n');
    j->begun = false;
}

static void json_writer_new_line(json *j) {
    put_char(j, '\n');
    for (unsigned i = 0; i < j->depth; i++) json_writer_put(j, "  ", 2);
}

/* Writes the separator between the previous value and this one. */
static void json_writer_open_value(json *j) {
    if (j->after_key) {
        j->after_key = false;
        return;
    }
    if (j->depth > 0) {
        if (j->begun) json_writer_put(j, ", ", j->indented ? 1 : 2);
        if (j->indented) json_writer_new_line(j);
    }
    j->begun = true;
}

static void open_container(json *j, char bracket) {
    json_writer_open_value(j);
    put_char(j, bracket);
    j->depth++;
    j->begun = false;
}

static void close_container(json *j, char bracket) {
    j->depth--;
    if (j->begun && j->indented) json_writer_new_line(j);
    j->begun = true; /* the enclosing container now has a member */
    put_char(j, bracket);
}

void json_object(json *j) {
    open_container(j, '{');
}

void json_end_object(json *j) {
    close_container(j, '}');
}

void json_array(json *j) {
    open_container(j, '[');
}

void json_end_array(json *j) {
    close_container(j, ']');
}

/* Returns whether a byte is a printable ASCII character that needs no escape. */
static bool json_writer_is_plain(char byte) {
    return byte >= 0x20 && byte < 0x7F && byte != '"' && byte != '\\';
}

/* Writes \u and four hexadecimal digits. */
static void put_escaped(json *j, unsigned point) {
    char escape[8];
    json_writer_put(j, escape, (size_t)snprintf(escape, sizeof escape, "\\u%04x", point & 0xFFFF));
}

static void json_writer_write_text(json *j, crd_text text) {
    put_char(j, '"');
    while (text.length > 0) {
        size_t plain = 0;
        while (plain < text.length && json_writer_is_plain(text.bytes[plain])) plain++;
        json_writer_put(j, text.bytes, plain);
        text = (crd_text){text.bytes + plain, text.length - plain};
        if (text.length == 0) break;
        int32_t point;
        unsigned char byte = (unsigned char)*text.bytes;
        crd_text character = text_take_character(&text, &point);
        if (point == 0xFFFD && character.bytes + character.length != text.bytes) {
            put_escaped(j, 0xDC00u + byte);
        } else if (point == '"' || point == '\\') {
            put_char(j, '\\');
            put_char(j, (char)point);
        } else if (point == '\n') {
            json_writer_put(j, "\\n", 2);
        } else if (point < 0x20 || point == 0x7F) {
            put_escaped(j, (unsigned)point);
        } else {
            json_writer_put(j, character.bytes, character.length);
        }
    }
    put_char(j, '"');
}

void json_key_text(json *j, crd_text key) {
    json_writer_open_value(j);
    json_writer_write_text(j, key);
    json_writer_put(j, ": ", 2);
    j->after_key = true;
}

void json_key(json *j, const char *key) {
    json_key_text(j, crd_text_of(key));
}

void json_text(json *j, crd_text text) {
    json_writer_open_value(j);
    json_writer_write_text(j, text);
}

void json_null(json *j) {
    json_writer_open_value(j);
    json_writer_put(j, "null", 4);
}

void json_number(json *j, double value) {
    if (!isfinite(value)) {
        json_null(j);
        return;
    }
    json_writer_open_value(j);
    char buffer[CRD_NUMBER_ROOM];
    json_writer_put(j, buffer, crd_number_format(value, buffer));
}

static size_t digits_at(crd_text text, size_t index) {
    size_t count = 0;
    while (index + count < text.length && text.bytes[index + count] >= '0' && text.bytes[index + count] <= '9') count++;
    return count;
}

bool json_is_number(crd_text text) {
    size_t index = text.length > 0 && text.bytes[0] == '-' ? 1 : 0, whole = digits_at(text, index);
    if (whole == 0 || (whole > 1 && text.bytes[index] == '0')) return false;
    index += whole;
    if (index < text.length && text.bytes[index] == '.') {
        const size_t fraction = digits_at(text, index + 1);
        if (fraction == 0) return false;
        index += 1 + fraction;
    }
    if (index < text.length && (text.bytes[index] == 'e' || text.bytes[index] == 'E')) {
        index++;
        if (index < text.length && (text.bytes[index] == '+' || text.bytes[index] == '-')) index++;
        const size_t exponent = digits_at(text, index);
        if (exponent == 0) return false;
        index += exponent;
    }
    return index == text.length;
}

void json_number_text(json *j, crd_text number) {
    json_writer_open_value(j);
    json_writer_put(j, number.bytes, number.length);
}

void json_boolean(json *j, bool value) {
    json_writer_open_value(j);
    json_writer_put(j, value ? "true" : "false", value ? 4 : 5);
}

void json_member_text(json *j, const char *key, crd_text text) {
    json_key(j, key);
    json_text(j, text);
}

void json_member_number(json *j, const char *key, double value) {
    json_key(j, key);
    json_number(j, value);
}
