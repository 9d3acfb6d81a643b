/* SPDX-License-Identifier: MIT */
/* string_buffer.c - see string_buffer.h. */
#include "core/string_buffer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

void memory_exhausted(void) {
    fputs("credence: out of memory\n", stderr);
    exit(1);
}

void *memory_resize(void *block, size_t count, size_t size) {
    void *grown = NULL;
    if (count == 0) count = 1;
    if (size == 0 || count <= SIZE_MAX / size) grown = realloc(block, count * size);
    if (grown == NULL) memory_exhausted();
    return grown;
}

static void string_buffer_make_room(string *s, size_t more) {
    if (s->capacity - s->length > more) return;
    size_t capacity = s->capacity < 32 ? 64 : s->capacity * 2;
    while (capacity - s->length <= more) capacity *= 2;
    s->bytes = memory_resize(s->bytes, capacity, 1);
    s->capacity = capacity;
}

void string_add(string *s, const char *bytes, size_t length) {
    string_buffer_make_room(s, length);
    if (length > 0) memcpy(s->bytes + s->length, bytes, length);
    s->length += length;
    s->bytes[s->length] = '\0';
}

char *string_reserve(string *s, size_t most) {
    string_buffer_make_room(s, most);
    return s->bytes + s->length;
}

void string_end_at(string *s, char *end) {
    s->length = (size_t)(end - s->bytes);
    *end = '\0';
}

void string_add_char(string *s, char byte) {
    string_buffer_make_room(s, 1);
    s->bytes[s->length++] = byte;
    s->bytes[s->length] = '\0';
}

void string_add_count(string *s, uint64_t count) {
    char digits[20]; /* enough for 2^64 - 1 */
    size_t first = sizeof digits;
    do {
        digits[--first] = (char)('0' + count % 10);
        count /= 10;
    } while (count > 0);
    string_add(s, digits + first, sizeof digits - first);
}

void string_add_number(string *s, double value) {
    string_buffer_make_room(s, CRD_NUMBER_ROOM);
    s->length += crd_number_format(value, s->bytes + s->length);
}

static void add_json(void *s, const char *bytes, size_t length) {
    string_add(s, bytes, length);
}

crd_json_writer string_json(string *s) {
    return (crd_json_writer){.write = add_json, .user = s, .lines = 1};
}

void string_format_list(string *s, const char *format, va_list values) {
    va_list again;
    va_copy(again, values);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (length < 0) return;
    string_buffer_make_room(s, (size_t)length);
    vsnprintf(s->bytes + s->length, (size_t)length + 1, format, values);
    s->length += (size_t)length;
}

void string_format(string *s, const char *format, ...) {
    va_list values;
    va_start(values, format);
    string_format_list(s, format, values);
    va_end(values);
}

crd_text text_take_character(crd_text *text, int32_t *point) {
    utf8proc_int32_t t = 0;
    utf8proc_ssize_t used = utf8proc_iterate((const utf8proc_uint8_t *)text->bytes, (utf8proc_ssize_t)text->length, &t);
    bool is_whole = used > 0;
    size_t length = is_whole ? (size_t)used : 1;
    crd_text character = {text->bytes, length};
    *text = (crd_text){text->bytes + length, text->length - length};
    *point = is_whole ? t : 0xFFFD;
    return is_whole ? character : crd_text_of("\xEF\xBF\xBD");
}

size_t text_width(const char *text, size_t length) {
    size_t width = 0;
    crd_text view = {text, length};
    while (view.length > 0) {
        int32_t point;
        text_take_character(&view, &point);
        /* Escape sequences for colors have no width. They can only be ours, because those in names are escaped. */
        if (point == '\x1b') {
            while (point != 'm' && view.length > 0) text_take_character(&view, &point);
            continue;
        }
        int columns = utf8proc_charwidth(point);
        if (columns > 0) width += (size_t)columns;
    }
    return width;
}

void string_add_shown(string *s, crd_text text) {
    enum { MOST_PER_BYTE = 4 };
    char *end = string_reserve(s, MOST_PER_BYTE * text.length);
    string_end_at(s, end + crd_text_show(text, end));
}

static bool string_buffer_is_blank(char byte) {
    return byte == ' ' || byte == '\t';
}

void string_add_listed(string *s, size_t index, crd_text name) {
    enum { LISTED = 40 };
    if (index > LISTED) return;
    if (index > 0) string_add(s, ", ", 2);
    if (index == LISTED) {
        string_add(s, "...", 3);
        return;
    }
    const char *comma = name.length == 0 ? NULL : memchr(name.bytes, ',', name.length);
    const char *quote = name.length == 0 ? NULL : memchr(name.bytes, '"', name.length);
    bool at_ends = name.length == 0 || string_buffer_is_blank(name.bytes[0]) ||
                   string_buffer_is_blank(name.bytes[name.length - 1]);
    if (comma == NULL && quote == NULL && !at_ends) {
        string_add_shown(s, name);
        return;
    }
    string item = {0};
    for (size_t i = 0; i < name.length; i++) {
        if (name.bytes[i] == '"') string_add_char(&item, '"');
        string_add_char(&item, name.bytes[i]);
    }
    string_add_char(s, '"');
    string_add_shown(s, (crd_text){string_text(&item), item.length});
    string_add_char(s, '"');
    string_free(&item);
}

/* Returns the length of the word at `text`. A percent sign belongs to the number before it. */
static size_t word_length(const char *text) {
    size_t length = strcspn(text, " ");
    while (text[length] == ' ' && text[length + 1] == '%') length += 1 + strcspn(text + length + 1, " ");
    return length;
}

void string_add_wrapped(string *s, const char *text, size_t width, size_t indent) {
    size_t used = 0, spaces = strspn(text, " "), first = spaces;
    if (width == 0 || text_width(text, strlen(text)) <= width) {
        string_add(s, text, strlen(text));
        return;
    }
    for (text += spaces; *text != '\0'; text += spaces) {
        size_t length = word_length(text), columns = text_width(text, length);
        if (used > 0 && used + spaces + columns > width) {
            string_add_char(s, '\n');
            used = 0;
            spaces = first + indent;
        }
        string_format(s, "%*s%.*s", (int)spaces, "", (int)length, text);
        used += spaces + columns;
        text += length;
        spaces = strspn(text, " ");
    }
}

void string_clear(string *s) {
    s->length = 0;
    if (s->bytes != NULL) s->bytes[0] = '\0';
}

void string_free(string *s) {
    free(s->bytes);
    *s = (string){0};
}

const char *string_text(const string *s) {
    return s->bytes == NULL ? "" : s->bytes;
}
