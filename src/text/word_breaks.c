/* SPDX-License-Identifier: MIT */
/* word_breaks.c - see word_breaks.h. The names of the rules (WB3 etc.) are from UAX #29. */
#include "text/word_breaks.h"

/* The state at a position in a segment: the class of its last character that is not EXTEND or ZWJ (WB4). After a
 * character that joins two others, the state is instead what must follow. */
typedef enum segment_state {
    AFTER_OTHER,
    AFTER_LETTER,
    AFTER_HEBREW,
    AFTER_DIGIT,
    AFTER_KATAKANA,
    AFTER_JOINER,
    BEFORE_LETTER, /* WB7 */
    BEFORE_HEBREW, /* WB7c */
    BEFORE_DIGIT   /* WB11 */
} segment_state;

static bool is_letter_class(crd_i_word_class class) {
    return class == CRD_I_WORD_LETTER || class == CRD_I_WORD_HEBREW;
}

/* Returns the class of the next character that is not EXTEND or ZWJ (WB4). */
static crd_i_word_class class_ahead(crd_text text, size_t index) {
    while (index < text.length) {
        size_t length;
        uint32_t character =
            crd_i_unicode_decode((const unsigned char *)text.bytes + index, text.length - index, &length);
        crd_i_word_class class = crd_i_unicode_word_class(character);
        if (class != CRD_I_WORD_EXTEND && class != CRD_I_WORD_ZWJ) return class;
        index += length;
    }
    return CRD_I_WORD_NEWLINE;
}

static segment_state state_of(crd_i_word_class class) {
    switch (class) {
    case CRD_I_WORD_LETTER: return AFTER_LETTER;
    case CRD_I_WORD_HEBREW: return AFTER_HEBREW;
    case CRD_I_WORD_DIGIT: return AFTER_DIGIT;
    case CRD_I_WORD_KATAKANA: return AFTER_KATAKANA;
    case CRD_I_WORD_JOINER: return AFTER_JOINER;
    default: return AFTER_OTHER;
    }
}

/* Returns whether the segment continues with a character that joins two others, given the class of the next character:
 * WB6, WB7a, WB7b, WB12. */
static bool goes_between(segment_state *state, crd_i_word_class class, crd_i_word_class ahead) {
    bool is_mid = class == CRD_I_WORD_MID_BOTH || class == CRD_I_WORD_SINGLE_QUOTE;
    if (*state == AFTER_DIGIT) {
        *state = BEFORE_DIGIT;
        return (is_mid || class == CRD_I_WORD_MID_DIGIT) && ahead == CRD_I_WORD_DIGIT;
    }
    if (*state != AFTER_LETTER && *state != AFTER_HEBREW) return false;
    if (*state == AFTER_HEBREW && class == CRD_I_WORD_DOUBLE_QUOTE) {
        *state = BEFORE_HEBREW;
        return ahead == CRD_I_WORD_HEBREW;
    }
    bool is_hebrew_quote = *state == AFTER_HEBREW && class == CRD_I_WORD_SINGLE_QUOTE;
    *state = BEFORE_LETTER;
    return is_hebrew_quote || ((is_mid || class == CRD_I_WORD_MID_LETTER) && is_letter_class(ahead));
}

/* Returns whether the segment continues with a character of a class that words consist of: WB5, WB7 to WB11, WB13 to
 * WB13b. */
static bool word_breaks_goes_on(segment_state state, crd_i_word_class class) {
    switch (state) {
    case AFTER_LETTER:
    case AFTER_HEBREW:
    case AFTER_DIGIT: return is_letter_class(class) || class == CRD_I_WORD_DIGIT || class == CRD_I_WORD_JOINER;
    case AFTER_KATAKANA: return class == CRD_I_WORD_KATAKANA || class == CRD_I_WORD_JOINER;
    case AFTER_JOINER: return true;
    case BEFORE_LETTER: return is_letter_class(class);
    case BEFORE_HEBREW: return class == CRD_I_WORD_HEBREW;
    case BEFORE_DIGIT: return class == CRD_I_WORD_DIGIT;
    case AFTER_OTHER: break;
    }
    return false;
}

size_t crd_i_word_end(crd_text text, size_t first, bool *has_letter) {
    const unsigned char *bytes = (const unsigned char *)text.bytes;
    size_t length, index = first;
    uint32_t character = crd_i_unicode_decode(bytes + first, text.length - first, &length);
    crd_i_word_class class = crd_i_unicode_word_class(character);
    *has_letter = crd_i_unicode_is_letter(character);
    index += length;
    if (class == CRD_I_WORD_NEWLINE) return index; /* WB3a */
    segment_state state = state_of(class);
    for (bool is_joined = class == CRD_I_WORD_ZWJ; index < text.length; index += length) {
        character = crd_i_unicode_decode(bytes + index, text.length - index, &length);
        class = crd_i_unicode_word_class(character);
        bool is_emoji = is_joined && crd_i_unicode_is_pictographic(character);
        is_joined = class == CRD_I_WORD_ZWJ;
        if (class == CRD_I_WORD_NEWLINE) return index;                       /* WB3b */
        if (class == CRD_I_WORD_EXTEND || class == CRD_I_WORD_ZWJ) continue; /* WB4 */
        if (class >= CRD_I_WORD_LETTER && class <= CRD_I_WORD_JOINER) {
            if (!is_emoji && !word_breaks_goes_on(state, class)) return index; /* WB3c */
            state = state_of(class);
        } else if (class == CRD_I_WORD_OTHER || !goes_between(&state, class, class_ahead(text, index + length))) {
            if (!is_emoji) return index;
            state = AFTER_OTHER;
        }
        *has_letter |= crd_i_unicode_is_letter(character);
    }
    return index;
}
