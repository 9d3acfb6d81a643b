/* select.c - columns by name, number from 1, range, glob, first, last. See credence/data.h.
 *
 * A real name always wins, so that a file whose columns are called 3, last or a-b can be spoken about. */
#include "data/reader_parts.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

/* Bytes of the UTF-8 character at the beginning of a text that is not empty; a stray byte counts as one. */
static size_t character_length(crd_text text) {
    size_t length = 1;
    while (length < text.length && ((unsigned char)text.bytes[length] & 0xC0) == 0x80) length++;
    return length;
}

static crd_text behind(crd_text text, size_t count) {
    crd_text rest = {text.bytes + count, text.length - count};
    return rest;
}

/* On a mismatch only the last star tries again, one character further: enough, because what an earlier star could take
 * more, the last one can. */
static bool matches(crd_text pattern, crd_text name) {
    crd_text star_pattern = {NULL, 0}, star_name = {NULL, 0};
    for (;;) {
        if (pattern.length > 0 && pattern.bytes[0] == '*') {
            pattern = behind(pattern, 1);
            star_pattern = pattern;
            star_name = name;
        } else if (pattern.length == 0 && name.length == 0) {
            return true;
        } else if (pattern.length > 0 && name.length > 0 && pattern.bytes[0] == '?') {
            pattern = behind(pattern, 1);
            name = behind(name, character_length(name));
        } else if (pattern.length > 0 && name.length > 0 && pattern.bytes[0] == name.bytes[0]) {
            pattern = behind(pattern, 1);
            name = behind(name, 1);
        } else {
            if (star_pattern.bytes == NULL || star_name.length == 0) return false;
            star_name = behind(star_name, character_length(star_name));
            pattern = star_pattern;
            name = star_name;
        }
    }
}

/* A single column: a name, first, last, or a number from 1. SIZE_MAX if it is none of them. */
static size_t find_one(const crd_reader *reader, crd_text selector) {
    size_t count = crd_reader_column_count(reader);
    int32_t code = crd_i_dictionary_find(reader->first.names, selector);
    if (code >= 0) return (size_t)code;
    if (crd_text_equal(selector, crd_text_of("first"))) return 0;
    if (crd_text_equal(selector, crd_text_of("last"))) return count - 1;
    size_t number = 0;
    for (size_t i = 0; i < selector.length; i++) {
        char digit = selector.bytes[i];
        if (digit < '0' || digit > '9' || number > count) return SIZE_MAX;
        number = 10 * number + (size_t)(digit - '0');
    }
    return number >= 1 && number <= count ? number - 1 : SIZE_MAX;
}

/* Names may have hyphens, so every hyphen may be the one between the ends. */
static bool find_range(const crd_reader *reader, crd_text selector, size_t *from, size_t *to) {
    for (size_t i = 1; i + 1 < selector.length; i++) {
        if (selector.bytes[i] != '-') continue;
        crd_text left = {selector.bytes, i};
        *from = find_one(reader, left);
        *to = find_one(reader, behind(selector, i + 1));
        if (*from != SIZE_MAX && *to != SIZE_MAX) return true;
    }
    return false;
}

static crd_status fail_select(const crd_reader *reader, crd_text selector, crd_error *error) {
    char shown[CRD_I_QUOTED_ROOM];
    size_t count = crd_reader_column_count(reader);
    crd_i_fail(error, CRD_ERROR_COLUMN, "no column '%s'; there %s %zu: ", crd_i_quote(selector, shown),
               count == 1 ? "is" : "are", count);
    crd_i_error_place(error, reader->inputs[0].place, 0, 0);
    crd_i_error_subject(error, selector);
    if (error == NULL) return CRD_ERROR_COLUMN;
    size_t used = strlen(error->message);
    for (size_t i = 0; i < count; i++) {
        const char *name = crd_i_quote(crd_reader_column_name(reader, i), shown);
        size_t left = sizeof error->message - used;
        if (strlen(name) + 6 >= left) {
            snprintf(error->message + used, left, "%s...", i == 0 ? "" : ", ");
            break;
        }
        used += (size_t)snprintf(error->message + used, left, "%s%s", i == 0 ? "" : ", ", name);
    }
    return CRD_ERROR_COLUMN;
}

crd_status crd_reader_select(const crd_reader *reader, crd_text selector, size_t *columns, size_t *count,
                             crd_error *error) {
    *count = 0;
    size_t from = find_one(reader, selector), to = from;
    if (from != SIZE_MAX || find_range(reader, selector, &from, &to)) {
        if (from > to) {
            char shown[CRD_I_QUOTED_ROOM];
            crd_i_fail(error, CRD_ERROR_COLUMN, "the range '%s' runs backwards: column %zu comes after column %zu",
                       crd_i_quote(selector, shown), from + 1, to + 1);
            crd_i_error_place(error, reader->inputs[0].place, 0, 0);
            crd_i_error_subject(error, selector);
            return CRD_ERROR_COLUMN;
        }
        for (size_t column = from; column <= to; column++) columns[(*count)++] = column;
        return CRD_OK;
    }
    for (size_t column = 0; column < crd_reader_column_count(reader); column++) {
        if (matches(selector, crd_reader_column_name(reader, column))) columns[(*count)++] = column;
    }
    return *count > 0 ? CRD_OK : fail_select(reader, selector, error);
}
