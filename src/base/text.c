/* SPDX-License-Identifier: MIT */
/* text.c - see text.h. */
#include "base/text.h"

#include "base/memory.h"
#include "base/utf8.h"

#include <credence/result.h>

#include <string.h>

crd_text crd_text_of(const char *c_string) {
    crd_text text = {c_string, c_string == NULL ? 0 : strlen(c_string)};
    return text;
}

int crd_text_equal(crd_text a, crd_text b) {
    return a.length == b.length && (a.length == 0 || memcmp(a.bytes, b.bytes, a.length) == 0);
}

int crd_i_text_compare(crd_text a, crd_text b) {
    size_t shared = a.length < b.length ? a.length : b.length;
    int order = shared == 0 ? 0 : memcmp(a.bytes, b.bytes, shared);
    if (order != 0) return order;
    return (a.length > b.length) - (a.length < b.length);
}

crd_text crd_i_text_copy(crd_context *context, crd_text text) {
    crd_text copy = {NULL, 0};
    char *bytes = text.length == SIZE_MAX ? NULL : crd_i_alloc(context, text.length + 1, 1);
    if (bytes == NULL) return copy;
    if (text.length > 0) memcpy(bytes, text.bytes, text.length);
    bytes[text.length] = '\0';
    copy.bytes = bytes;
    copy.length = text.length;
    return copy;
}

static bool text_is_blank(char byte) {
    return byte == ' ' || byte == '\t';
}

crd_text crd_i_text_trim(crd_text text) {
    while (text.length > 0 && text_is_blank(text.bytes[0])) text.bytes++, text.length--;
    while (text.length > 0 && text_is_blank(text.bytes[text.length - 1])) text.length--;
    return text;
}

/* ---- Display ---- */

/* Returns the code point of a character that changes the direction of the text after it on a terminal; 0: it is
 * another character. */
static unsigned text_direction(const char *bytes, size_t length) {
    const unsigned char *b = (const unsigned char *)bytes;
    if (length != 3 || b[0] != 0xE2) return 0;
    const unsigned point = 0x2000 | (b[1] & 0x3Fu) << 6 | (b[2] & 0x3Fu);
    return (point >= 0x202A && point <= 0x202E) || (point >= 0x2066 && point <= 0x2069) ? point : 0;
}

size_t crd_text_show(crd_text text, char *out) {
    static const char digits[] = "0123456789abcdef";
    size_t used = 0;
    for (size_t length; text.length > 0; text.bytes += length, text.length -= length) {
        length = crd_i_utf8_length(text);
        const unsigned char byte = (unsigned char)text.bytes[0];
        const unsigned direction = text_direction(text.bytes, length);
        /* The control characters U+0080 to U+009F have two bytes, of which the second is their code. */
        const bool is_control = byte < 0x20 || byte == 0x7F || (byte == 0xC2 && (unsigned char)text.bytes[1] < 0xA0);
        if (direction != 0) {
            out[used++] = '\\', out[used++] = 'u';
            for (int shift = 12; shift >= 0; shift -= 4) out[used++] = digits[direction >> shift & 15];
        } else if (byte == '\n') {
            out[used++] = '\\', out[used++] = 'n';
        } else if (length == 0 || is_control) {
            const unsigned code = length == 2 ? (unsigned char)text.bytes[1] : byte;
            out[used++] = '\\', out[used++] = 'x', out[used++] = digits[code >> 4], out[used++] = digits[code & 15];
        } else {
            memcpy(out + used, text.bytes, length);
            used += length;
        }
        if (length == 0) length = 1;
    }
    return used;
}
