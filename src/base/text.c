/* SPDX-License-Identifier: MIT */
/* text.c - see text.h. */
#include "base/text.h"

#include "base/memory.h"

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

/* ======== UTF-8 ======== */

/* Returns whether `second` may follow the first byte of a character. All later bytes are in 0x80 .. 0xBF. */
static bool is_second(unsigned char first, unsigned char second) {
    switch (first) {
    case 0xE0: return second >= 0xA0 && second <= 0xBF;
    case 0xED: return second >= 0x80 && second <= 0x9F;
    case 0xF0: return second >= 0x90 && second <= 0xBF;
    case 0xF4: return second >= 0x80 && second <= 0x8F;
    default: return second >= 0x80 && second <= 0xBF;
    }
}

size_t crd_i_utf8_length(crd_text text) {
    const unsigned char *bytes = (const unsigned char *)text.bytes;
    unsigned char first = bytes[0];
    if (first < 0x80) return 1;
    if (first < 0xC2 || first > 0xF4) return 0;
    size_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if (text.length < length || !is_second(first, bytes[1])) return 0;
    for (size_t i = 2; i < length; i++)
        if ((bytes[i] & 0xC0) != 0x80) return 0;
    return length;
}

bool crd_i_utf8_is_valid(crd_text text) {
    while (text.length > 0) {
        uint64_t word = 0;
        if (text.length >= sizeof word) memcpy(&word, text.bytes, sizeof word);
        bool is_ascii = text.length >= sizeof word && (word & UINT64_C(0x8080808080808080)) == 0;
        size_t length = is_ascii ? sizeof word : crd_i_utf8_length(text);
        if (length == 0) return false;
        text.bytes += length;
        text.length -= length;
    }
    return true;
}

const char *crd_i_utf8_guess_encoding(crd_text text) {
    static const char undefined[] = "\x81\x8D\x8F\x90\x9D";
    for (size_t i = 0; i < text.length; i++)
        if (memchr(undefined, text.bytes[i], sizeof undefined - 1) != NULL) return "latin1";
    return "cp1252";
}
