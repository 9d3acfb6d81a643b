/* SPDX-License-Identifier: MIT */
/* unicode.c - see unicode.h. The second half is the build without libunistring. */
#include "text/unicode.h"

#include "base/error.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

uint32_t crd_i_unicode_decode(const unsigned char *bytes, size_t left, size_t *length) {
    *length = 1;
    if (bytes[0] < 0x80) return bytes[0];
    size_t found = crd_i_utf8_length((crd_text){(const char *)bytes, left < 4 ? left : 4});
    if (found == 0) return UINT32_MAX;
    *length = found;
    uint32_t character = bytes[0] & (0x7fu >> found);
    for (size_t i = 1; i < found; i++) character = character << 6 | (bytes[i] & 0x3fu);
    return character;
}

/* Returns the word class of an ASCII character. */
static crd_i_word_class unicode_ascii_class(uint32_t character) {
    if ((character | 0x20) >= 'a' && (character | 0x20) <= 'z') return CRD_I_WORD_LETTER;
    if (character >= '0' && character <= '9') return CRD_I_WORD_DIGIT;
    switch (character) {
    case '_': return CRD_I_WORD_JOINER;
    case ':': return CRD_I_WORD_MID_LETTER;
    case ',':
    case ';': return CRD_I_WORD_MID_DIGIT;
    case '.': return CRD_I_WORD_MID_BOTH;
    case '\'': return CRD_I_WORD_SINGLE_QUOTE;
    case '"': return CRD_I_WORD_DOUBLE_QUOTE;
    case '\0':
    case '\n':
    case '\v':
    case '\f':
    case '\r': return CRD_I_WORD_NEWLINE;
    default: return CRD_I_WORD_OTHER;
    }
}

static bool is_ascii_letter(uint32_t character) {
    return ((character | 0x20) >= 'a' && (character | 0x20) <= 'z') || (character >= '0' && character <= '9');
}

static bool is_ascii_white(uint32_t character) {
    return character == ' ' || (character >= '\t' && character <= '\r');
}

#if CRD_I_HAS_UNISTRING

#include <unicase.h>
#include <unictype.h>
#include <uninorm.h>
#include <uniwbrk.h>

bool crd_i_unicode_is_there(void) {
    return true;
}

crd_i_word_class crd_i_unicode_word_class(uint32_t character) {
    if (character < 0x80) return unicode_ascii_class(character);
    if (character == UINT32_MAX) return CRD_I_WORD_NEWLINE;
    switch (uc_wordbreak_property(character)) {
    case WBP_ALETTER: return CRD_I_WORD_LETTER;
    case WBP_HL: return CRD_I_WORD_HEBREW;
    case WBP_NUMERIC: return CRD_I_WORD_DIGIT;
    case WBP_KATAKANA: return CRD_I_WORD_KATAKANA;
    case WBP_EXTENDNUMLET: return CRD_I_WORD_JOINER;
    case WBP_MIDLETTER: return CRD_I_WORD_MID_LETTER;
    case WBP_MIDNUM: return CRD_I_WORD_MID_DIGIT;
    case WBP_MIDNUMLET: return CRD_I_WORD_MID_BOTH;
    case WBP_SQ: return CRD_I_WORD_SINGLE_QUOTE;
    case WBP_DQ: return CRD_I_WORD_DOUBLE_QUOTE;
    case WBP_EXTEND:
    case WBP_FORMAT: return CRD_I_WORD_EXTEND;
    case WBP_ZWJ: return CRD_I_WORD_ZWJ;
    case WBP_CR:
    case WBP_LF:
    case WBP_NEWLINE: return CRD_I_WORD_NEWLINE;
    default: return CRD_I_WORD_OTHER;
    }
}

bool crd_i_unicode_is_letter(uint32_t character) {
    if (character < 0x80) return is_ascii_letter(character);
    return character != UINT32_MAX &&
           uc_is_general_category_withtable(character, UC_CATEGORY_MASK_L | UC_CATEGORY_MASK_N);
}

bool crd_i_unicode_is_white(uint32_t character) {
    if (character < 0x80) return is_ascii_white(character);
    return character != UINT32_MAX && uc_is_property_white_space(character);
}

bool crd_i_unicode_is_pictographic(uint32_t character) {
    return character >= 0x80 && character != UINT32_MAX && uc_is_property_extended_pictographic(character);
}

bool crd_i_unicode_combines(uint32_t character) {
    if (character < 0x300 || character == UINT32_MAX) return false;
    if (character >= 0x1160 && character < 0x1200) return true;
    return uc_is_general_category_withtable(character, UC_CATEGORY_MASK_M);
}

crd_status crd_i_unicode_normalise(crd_text text, bool fold_case, char *destination, size_t *length, crd_error *error) {
    const size_t capacity = *length;
    const uint8_t *bytes = (const uint8_t *)text.bytes;
    uint8_t *copy = fold_case ? u8_casefold(bytes, text.length, NULL, UNINORM_NFC, (uint8_t *)destination, length)
                              : u8_normalize(UNINORM_NFC, bytes, text.length, (uint8_t *)destination, length);
    if (copy == NULL) {
        *length = 0;
        return crd_i_fail_memory(error);
    }
    if (copy == (uint8_t *)destination) return CRD_OK;
    /* Truncates the result at the beginning of a character. */
    if (*length > capacity) {
        *length = capacity;
        while (*length > 0 && (copy[*length] & 0xc0) == 0x80) --*length;
    }
    memcpy(destination, copy, *length);
    free(copy);
    return CRD_OK;
}

#else

bool crd_i_unicode_is_there(void) {
    return false;
}

/* An unknown character may be a letter, so it becomes part of a word. The normalization of this word then fails,
 * instead of silently splitting words. */
crd_i_word_class crd_i_unicode_word_class(uint32_t character) {
    return character < 0x80 ? unicode_ascii_class(character) : character == UINT32_MAX ? CRD_I_WORD_NEWLINE : CRD_I_WORD_LETTER;
}

bool crd_i_unicode_is_letter(uint32_t character) {
    return character < 0x80 ? is_ascii_letter(character) : character != UINT32_MAX;
}

bool crd_i_unicode_is_white(uint32_t character) {
    return is_ascii_white(character);
}

bool crd_i_unicode_is_pictographic(uint32_t character) {
    (void)character;
    return false;
}

bool crd_i_unicode_combines(uint32_t character) {
    (void)character;
    return false;
}

crd_status crd_i_unicode_normalise(crd_text text, bool fold_case, char *to, size_t *length, crd_error *error) {
    (void)fold_case;
    (void)error;
    if (text.length < *length) *length = text.length;
    memcpy(to, text.bytes, *length);
    return CRD_OK;
}

#endif
