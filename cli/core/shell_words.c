/* SPDX-License-Identifier: MIT */
/* shell_words.c - see shell_words.h. */
#include "core/shell_words.h"

#include <string.h>

/* Returns whether a terminal would interpret the character: an ASCII control character, or the first byte of U+0080 to
 * U+009F. */
static bool is_control(const char *cursor) {
    unsigned char byte = (unsigned char)cursor[0], next = byte == 0 ? 0 : (unsigned char)cursor[1];
    return byte < 0x20 || byte == 0x7F || (byte == 0xC2 && next >= 0x80 && next < 0xA0);
}

/* Adds a word between $' and ', where control characters can be written as octal codes. */
static void add_escaped_word(string *out, const char *word) {
    string_add(out, "$'", 2);
    for (const char *cursor = word; *cursor != '\0'; cursor++) {
        if (is_control(cursor)) string_format(out, "\\%03o", (unsigned)(unsigned char)*cursor);
        else if (*cursor == '\'' || *cursor == '\\') string_format(out, "\\%c", *cursor);
        else string_add_char(out, *cursor);
    }
    string_add_char(out, '\'');
}

void shell_add_word(string *out, const char *word) {
    bool is_plain = word[0] != '\0';
    for (const char *cursor = word; *cursor != '\0'; cursor++) {
        if (is_control(cursor)) {
            add_escaped_word(out, word);
            return;
        }
        bool plain = (*cursor >= 'a' && *cursor <= 'z') || (*cursor >= 'A' && *cursor <= 'Z') ||
                     (*cursor >= '0' && *cursor <= '9') || strchr("_-./:@%+,=", *cursor) != NULL ||
                     (unsigned char)*cursor >= 0x80;
        if (!plain) is_plain = false;
    }
    if (is_plain) {
        string_add(out, word, strlen(word));
        return;
    }
    string_add_char(out, '\'');
    for (const char *cursor = word; *cursor != '\0'; cursor++) {
        if (*cursor == '\'') string_add(out, "'\\''", 4);
        else string_add_char(out, *cursor);
    }
    string_add_char(out, '\'');
}

void shell_add_option(string *out, const char *name, const char *value) {
    string_format(out, " --%s", name);
    if (value == NULL) return;
    string_add_char(out, ' ');
    shell_add_word(out, value);
}
