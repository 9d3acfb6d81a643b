/* SPDX-License-Identifier: MIT */
/* shell_words.c - see shell_words.h. */
#include "core/shell_words.h"

#include <string.h>

/* What a terminal takes for its own: a control character, or the first byte of one of U+0080 to U+009F. */
static bool is_control(const char *at) {
    unsigned char byte = (unsigned char)at[0], next = byte == 0 ? 0 : (unsigned char)at[1];
    return byte < 0x20 || byte == 0x7F || (byte == 0xC2 && next >= 0x80 && next < 0xA0);
}

/* Between $' and ', where control characters can be written by their codes. */
static void add_escaped_word(string *out, const char *word) {
    string_add(out, "$'", 2);
    for (const char *at = word; *at != '\0'; at++) {
        if (is_control(at)) string_format(out, "\\%03o", (unsigned)(unsigned char)*at);
        else if (*at == '\'' || *at == '\\') string_format(out, "\\%c", *at);
        else string_add_char(out, *at);
    }
    string_add_char(out, '\'');
}

void shell_add_word(string *out, const char *word) {
    bool is_plain = word[0] != '\0';
    for (const char *at = word; *at != '\0'; at++) {
        if (is_control(at)) {
            add_escaped_word(out, word);
            return;
        }
        bool plain = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || (*at >= '0' && *at <= '9') ||
                     strchr("_-./:@%+,=", *at) != NULL || (unsigned char)*at >= 0x80;
        if (!plain) is_plain = false;
    }
    if (is_plain) {
        string_add(out, word, strlen(word));
        return;
    }
    string_add_char(out, '\'');
    for (const char *at = word; *at != '\0'; at++) {
        if (*at == '\'') string_add(out, "'\\''", 4);
        else string_add_char(out, *at);
    }
    string_add_char(out, '\'');
}

void shell_add_option(string *out, const char *name, const char *value) {
    string_format(out, " --%s", name);
    if (value == NULL) return;
    string_add_char(out, ' ');
    shell_add_word(out, value);
}
