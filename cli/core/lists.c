/* SPDX-License-Identifier: MIT */
/* lists.c - see lists.h. */
#include "core/lists.h"

#include <stdlib.h>
#include <string.h>

static bool lists_is_blank(char byte) {
    return byte == ' ' || byte == '\t';
}

/* Copies the quoted text whose opening quote is at **sources to *destination, and skips spaces after it. Returns
 * false if the quote is not closed. */
static bool copy_quoted(const char **sources, char **destination) {
    const char *cursor = *sources + 1;
    char *out = *destination;
    for (;; cursor++) {
        if (*cursor == '\0') return false;
        if (*cursor == '"') {
            if (cursor[1] != '"') break;
            cursor++;
        }
        *out++ = *cursor;
    }
    cursor++;
    while (lists_is_blank(*cursor)) cursor++;
    *sources = cursor;
    *destination = out;
    return true;
}

static bool ends_item(char byte) {
    return byte == ',' || byte == '\0';
}

static void lists_copy_plain(const char **sources, char **destination) {
    const char *cursor = *sources;
    char *out = *destination, *start = out;
    while (!ends_item(*cursor)) *out++ = *cursor++;
    while (out > start && lists_is_blank(out[-1])) out--;
    *sources = cursor;
    *destination = out;
}

static bool copy_item(const char **sources, char **destination, bool *is_quoted) {
    *is_quoted = **sources == '"';
    if (*is_quoted) return copy_quoted(sources, destination) && ends_item(**sources);
    lists_copy_plain(sources, destination);
    return true;
}

/* Copies a value, with or without quotes, and the number that may follow it after a colon. Quotes that do not end the
 * value in this way are part of it. */
static void copy_value(const char **sources, char **destination, bool *is_quoted) {
    const char *cursor = *sources;
    char *out = *destination;
    *is_quoted = *cursor == '"' && copy_quoted(&cursor, &out) && (ends_item(*cursor) || *cursor == ':');
    if (*is_quoted) {
        *sources = cursor;
        *destination = out;
    }
    if (!*is_quoted || *cursor == ':') lists_copy_plain(sources, destination);
}

/* Copies an item name=value. Unlike in copy_item, the name and the value may be quoted separately. */
static bool copy_assignment(const char **sources, char **destination, bool *is_quoted) {
    const char *cursor = *sources;
    char *out = *destination;
    if (*cursor == '"') {
        if (!copy_quoted(&cursor, &out)) return false;
        *is_quoted = true;
    } else {
        while (!ends_item(*cursor) && *cursor != '=') *out++ = *cursor++;
        while (out > *destination && lists_is_blank(out[-1])) out--;
        const char *value = cursor;
        do value++;
        while (*cursor == '=' && lists_is_blank(*value));
        if (*cursor != '=' || *value != '"') return copy_item(sources, destination, is_quoted);
    }
    if (*cursor == '=') {
        *out++ = *cursor++;
        while (lists_is_blank(*cursor)) cursor++;
        copy_value(&cursor, &out, is_quoted);
    }
    *sources = cursor;
    *destination = out;
    return ends_item(*cursor);
}

typedef bool item_copier(const char **sources, char **destination, bool *is_quoted);

/* Splits a list into items with the given copier. Returns false, with an empty list, if an item is malformed. */
static bool lists_split(const char *text, item_copier *copy, list *out) {
    *out = (list){0};
    /* Each item needs no more bytes than its text and the comma, or the NUL, after it. */
    char *destination = out->bytes = memory_resize(NULL, strlen(text) + 1, 1);
    const char *source = text;
    for (;;) {
        while (lists_is_blank(*source)) source++;
        char *start = destination;
        bool is_quoted = false;
        if (!copy(&source, &destination, &is_quoted)) goto fail;
        out->items = memory_resize(out->items, out->count + 1, sizeof *out->items);
        out->is_quoted = memory_resize(out->is_quoted, out->count + 1, sizeof *out->is_quoted);
        out->is_quoted[out->count] = is_quoted;
        out->items[out->count++] = (crd_text){start, (size_t)(destination - start)};
        *destination++ = '\0';
        if (*source == '\0') return true;
        source++;
    }
fail:
    list_free(out);
    return false;
}

bool list_split(const char *text, list *out) {
    return lists_split(text, copy_item, out);
}

bool list_split_findings(const char *text, list *out) {
    return lists_split(text, copy_assignment, out);
}

void list_free(list *items) {
    free(items->items);
    free(items->is_quoted);
    free(items->bytes);
    *items = (list){0};
}

bool list_has(const list *items, crd_text text) {
    for (size_t i = 0; i < items->count; i++) {
        if (crd_text_equal(items->items[i], text)) return true;
    }
    return false;
}

bool names_contain(const char *names, const char *name) {
    const size_t length = strlen(name);
    for (const char *cursor = names; cursor != NULL; cursor = strchr(cursor, '|')) {
        cursor += *cursor == '|';
        if (strncmp(cursor, name, length) == 0 && (cursor[length] == '|' || cursor[length] == '\0')) return true;
    }
    return false;
}

/* Sets *value to the text after the name and the equals sign. Returns false if the item does not begin with the name
 * and the sign. */
static bool split_at(crd_text item, bool is_quoted, crd_text name, crd_text *value) {
    size_t index = name.length;
    if (index >= item.length || (index > 0 && memcmp(item.bytes, name.bytes, index) != 0)) return false;
    while (!is_quoted && index < item.length && lists_is_blank(item.bytes[index])) index++;
    if (index == item.length || item.bytes[index] != '=') return false;
    index++;
    while (!is_quoted && index < item.length && lists_is_blank(item.bytes[index])) index++;
    *value = (crd_text){item.bytes + index, item.length - index};
    return true;
}

bool list_split_assignment(const list *items, size_t index, const crd_text *names, size_t count, size_t *name,
                           crd_text *value) {
    bool is_found = false;
    for (size_t i = 0; i < count; i++) {
        crd_text view;
        if (is_found && names[i].length <= names[*name].length) continue;
        if (!split_at(items->items[index], items->is_quoted[index], names[i], &view)) continue;
        is_found = true;
        *name = i;
        *value = view;
    }
    return is_found;
}

void list_add_typed(string *out, crd_text name) {
    bool for_list = name.length == 0, for_shell = false;
    string item = {0};
    for (size_t i = 0; i < name.length; i++) {
        char byte = name.bytes[i];
        if (byte == ',' || byte == '"' || byte == '\n' || byte == '\r') for_list = true;
        if (lists_is_blank(byte) && (i == 0 || i + 1 == name.length)) for_list = true;
        bool plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') ||
                     strchr("_-./:@%+", byte) != NULL || (unsigned char)byte >= 0x80;
        if (!plain) for_shell = true;
    }
    if (for_list) string_add_char(&item, '"');
    for (size_t i = 0; i < name.length; i++) {
        if (name.bytes[i] == '"') string_add_char(&item, '"');
        string_add_char(&item, name.bytes[i]);
    }
    if (for_list) string_add_char(&item, '"');
    if (for_shell || for_list) {
        string_add_char(out, '\'');
        for (size_t i = 0; i < item.length; i++) {
            if (item.bytes[i] == '\'') {
                string_add(out, "'\\''", 4);
            } else {
                string_add_char(out, item.bytes[i]);
            }
        }
        string_add_char(out, '\'');
    } else {
        string_add(out, string_text(&item), item.length);
    }
    string_free(&item);
}

static size_t lists_least(size_t a, size_t b) {
    return a < b ? a : b;
}

size_t list_distance(crd_text a, crd_text b) {
    enum { LONGEST = 64 };
    if (a.length > LONGEST || b.length > LONGEST) return a.length + b.length;
    size_t rows[3][LONGEST + 1];
    size_t *before = rows[0], *last = rows[1], *row = rows[2];
    for (size_t j = 0; j <= b.length; j++) last[j] = j;
    for (size_t i = 1; i <= a.length; i++) {
        row[0] = i;
        for (size_t j = 1; j <= b.length; j++) {
            bool same = a.bytes[i - 1] == b.bytes[j - 1];
            row[j] = lists_least(last[j - 1] + (same ? 0 : 1), lists_least(last[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a.bytes[i - 1] == b.bytes[j - 2] && a.bytes[i - 2] == b.bytes[j - 1]) {
                row[j] = lists_least(row[j], before[j - 2] + 1);
            }
        }
        size_t *reused = before;
        before = last;
        last = row;
        row = reused;
    }
    return last[b.length];
}

static bool same_but_case(crd_text a, crd_text b) {
    if (a.length != b.length) return false;
    for (size_t i = 0; i < a.length; i++) {
        unsigned char x = (unsigned char)a.bytes[i], y = (unsigned char)b.bytes[i];
        if (x != y && ((x ^ y) != 0x20 || (x | 0x20) < 'a' || (x | 0x20) > 'z')) return false;
    }
    return true;
}

bool list_near(crd_text a, crd_text b) {
    if (a.length == 0 || b.length == 0) return false;
    if (same_but_case(a, b)) return true;
    if (a.length >= 3 && a.length < b.length && memcmp(a.bytes, b.bytes, a.length) == 0) return true;
    size_t allowed = b.length <= 3 ? 1 : b.length <= 7 ? 2 : 3;
    return list_distance(a, b) <= allowed && list_distance(a, b) < b.length;
}

void list_add_near(string *out, size_t *count, crd_text typed, crd_text name) {
    enum { MOST_NAMED = 3 };
    if (*count == MOST_NAMED || !list_near(typed, name)) return;
    if ((*count)++ > 0) string_format(out, " or ");
    string_add_shown(out, name);
}
