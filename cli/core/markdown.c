/* SPDX-License-Identifier: MIT */
/* markdown.c - see markdown.h.
 *
 * Escapes the characters that begin markup anywhere in a line, in CommonMark, in its tables, or in the math extensions
 * of some readers. An underscore inside a word is not escaped: it begins nothing, and petal_length reads better without
 * a backslash. Characters that have a meaning only at the beginning of a line (#, -, 1.) are left unchanged, because
 * our lines begin with words of our own. */
#include "core/markdown.h"

#include <string.h>

static bool in_word(char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') ||
           (unsigned char)byte >= 0x80;
}

void markdown_add(string *out, crd_text text) {
    for (size_t i = 0; i < text.length; i++) {
        char byte = text.bytes[i];
        bool inside = i > 0 && i + 1 < text.length && in_word(text.bytes[i - 1]) && in_word(text.bytes[i + 1]);
        bool markup = byte == '_' ? !inside : byte != '\0' && strchr("\\`*[]<>|~&$", byte) != NULL;
        if (markup) string_add_char(out, '\\');
        string_add_char(out, byte);
    }
}
