/* SPDX-License-Identifier: MIT */
/* unicode.c - see tokens.h. The second half is the build without libunistring.
 *
 * Contents:
 *   1. The character properties and normalization that tokens need, from libunistring
 *   2. Normalization of a part of a text */
#include "text/tokens.h"

#include "base/error.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* ======== 1. The character properties and normalization that tokens need, from libunistring ======== */

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

/* Returns whether this build has libunistring. Without it, the functions below support only ASCII. */
static bool unicode_is_there(void) {
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

/* Returns whether a character may combine with the character before it: a mark, or a vowel or final consonant of
 * conjoining Hangul. */
static bool unicode_combines(uint32_t character) {
    if (character < 0x300 || character == UINT32_MAX) return false;
    if (character >= 0x1160 && character < 0x1200) return true;
    return uc_is_general_category_withtable(character, UC_CATEGORY_MASK_M);
}

crd_status crd_i_unicode_normalize(crd_text text, bool fold_case, char *destination, size_t *length, crd_error *error) {
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

bool unicode_is_there(void) {
    return false;
}

/* An unknown character may be a letter, so it becomes part of a word. The normalization of this word then fails,
 * instead of silently splitting words. */
crd_i_word_class crd_i_unicode_word_class(uint32_t character) {
    return character < 0x80          ? unicode_ascii_class(character)
           : character == UINT32_MAX ? CRD_I_WORD_NEWLINE
                                     : CRD_I_WORD_LETTER;
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

bool unicode_combines(uint32_t character) {
    (void)character;
    return false;
}

crd_status crd_i_unicode_normalize(crd_text text, bool fold_case, char *to, size_t *length, crd_error *error) {
    (void)fold_case;
    (void)error;
    if (text.length < *length) *length = text.length;
    memcpy(to, text.bytes, *length);
    return CRD_OK;
}

#endif

/* ======== 2. Normalization of a part of a text ========
 *
 * If no character of the part combines with the character before it, folding and composition work character by
 * character, with a cache of results. Otherwise the library normalizes the whole part. */

/* Looks a non-ASCII character up in the cache, and computes its entry if necessary. A new entry replaces the entry in
 * its slot. */
static crd_status find_character(crd_i_normal_forms *forms, uint32_t character, const char *bytes, size_t length,
                                 const crd_i_known_character **out, crd_error *error) {
    crd_i_known_character *known = &forms->known[character % CRD_I_KNOWN_CHARACTERS];
    *out = known;
    if (known->character == character) return CRD_OK;
    if (!unicode_is_there()) {
        crd_i_fail(error, CRD_ERROR_SYNTAX,
                   "a text has non-ASCII characters, which this build cannot process without libunistring");
        return CRD_ERROR_SYNTAX;
    }
    crd_i_known_character known_character = {.combines = unicode_combines(character)};
    size_t written = sizeof known_character.bytes;
    crd_status status =
        crd_i_unicode_normalize((crd_text){bytes, length}, forms->fold_case, known_character.bytes, &written, error);
    if (status != CRD_OK) return status;
    known_character.character = character;
    known_character.length = (uint8_t)written;
    *known = known_character;
    return CRD_OK;
}

static size_t normal_form_encode(uint32_t character, char destination[4]) {
    if (character < 0x800) {
        destination[0] = (char)(0xc0 | character >> 6);
        destination[1] = (char)(0x80 | (character & 0x3f));
        return 2;
    }
    size_t length = character < 0x10000 ? 3 : 4;
    destination[0] = (char)((length == 3 ? 0xe0 : 0xf0) | character >> 6 * (length - 1));
    for (size_t i = 1; i < length; i++) destination[i] = (char)(0x80 | (character >> 6 * (length - 1 - i) & 0x3f));
    return length;
}

crd_status crd_i_normal_combines(crd_i_normal_forms *forms, uint32_t character, bool *combines, crd_error *error) {
    char bytes[4];
    const crd_i_known_character *known = NULL;
    *combines = false;
    if (character < 0x80 || character == UINT32_MAX) return CRD_OK;
    crd_status status = find_character(forms, character, bytes, normal_form_encode(character, bytes), &known, error);
    if (status == CRD_OK) *combines = known->combines;
    return status;
}

/* Returns the length in bytes of the first `most` characters. */
static size_t normal_form_cut(const char *bytes, size_t length, size_t most) {
    size_t index = 0;
    if (length <= most) return length;
    for (; index < length; index++)
        if ((bytes[index] & 0xc0) != 0x80 && most-- == 0) break;
    return index;
}

/* Normalizes the whole part with the library. A long run of combining marks on one character is truncated before the
 * library sorts the marks. */
static crd_status normalize_marked(const crd_i_normal_forms *forms, crd_text part, size_t most, char *destination,
                                   size_t *length, crd_error *error) {
    char buffer[CRD_I_TOKEN_ROOM * 3];
    part.length = normal_form_cut(part.bytes, part.length, 2 * most);
    *length = sizeof buffer;
    crd_status status = crd_i_unicode_normalize(part, forms->fold_case, buffer, length, error);
    if (status != CRD_OK) return status;
    *length = normal_form_cut(buffer, *length, most);
    memcpy(destination, buffer, *length);
    return CRD_OK;
}

crd_status crd_i_normal_form_write(crd_i_normal_forms *forms, crd_text part, size_t most, char *destination,
                                   size_t *length, crd_error *error) {
    const unsigned char *bytes = (const unsigned char *)part.bytes;
    size_t written = 0, characters = 0, step;
    *length = 0;
    for (size_t index = 0; index < part.length && characters < most; index += step) {
        uint32_t character = crd_i_unicode_decode(bytes + index, part.length - index, &step);
        if (character < 0x80) {
            bool is_upper = forms->fold_case && character >= 'A' && character <= 'Z';
            destination[written++] = (char)(is_upper ? character | 0x20 : character);
            characters++;
            continue;
        }
        const crd_i_known_character *known;
        crd_status status = find_character(forms, character, part.bytes + index, step, &known, error);
        if (status != CRD_OK) return status;
        if (known->combines) return normalize_marked(forms, part, most, destination, length, error);
        size_t taken = normal_form_cut(known->bytes, known->length, most - characters);
        memcpy(destination + written, known->bytes, taken);
        written += taken;
        for (size_t i = 0; i < taken; i++) characters += (known->bytes[i] & 0xc0) != 0x80;
    }
    *length = written;
    return CRD_OK;
}
