/* SPDX-License-Identifier: MIT */
/* utf8.c - see utf8.h. */
#include "base/utf8.h"

#include <string.h>

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
