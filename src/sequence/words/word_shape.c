/* SPDX-License-Identifier: MIT */
/* word_shape.c - letters and shape of a word. See word_shape.h. */
#include "sequence/words/word_shape.h"

#include "sequence/words/letters.h"

typedef enum word_case { WITHOUT_LETTERS, WITHOUT_CAPITALS, SOME_CAPITALS, CAPITALISED, CAPITALS } word_case;

/* Number of characters in each class. */
typedef struct shape_composition {
    size_t values[CRD_I_LETTER_SIGN + 1], total;
    crd_i_letter_class first;
} shape_composition;

static word_case case_of(const shape_composition *counts) {
    size_t upper = counts->values[CRD_I_LETTER_UPPER], lower = counts->values[CRD_I_LETTER_LOWER];
    if (upper + lower + counts->values[CRD_I_LETTER_CASELESS] == 0) return WITHOUT_LETTERS;
    if (upper == 0) return WITHOUT_CAPITALS;
    /* A single capital letter may be a word of any class at the beginning of a sentence. */
    if (lower == 0 && counts->total > 1) return CAPITALS;
    return counts->first == CRD_I_LETTER_UPPER ? CAPITALISED : SOME_CAPITALS;
}

void crd_i_word_parse(crd_text text, crd_i_word *out) {
    enum { HALF = CRD_I_MOST_LETTERS / 2, DIGITS = 8, SIGNS = 16 };
    shape_composition counts = {{0}, 0, CRD_I_LETTER_CASELESS};
    size_t length = 0;
    while (text.length > 0) {
        uint32_t letter = crd_i_letter_next(&text);
        crd_i_letter_class class = crd_i_letter_class_of(letter);
        if (counts.total++ == 0) counts.first = class;
        counts.values[class]++;
        if (length == CRD_I_MOST_LETTERS) {
            for (size_t i = HALF + 1; i < length; i++) out->letters[i - 1] = out->letters[i];
            length--;
        }
        out->letters[length++] = class == CRD_I_LETTER_UPPER ? crd_i_letter_lower(letter) : letter;
    }
    size_t digits = counts.values[CRD_I_LETTER_DIGIT], signs = counts.values[CRD_I_LETTER_SIGN];
    out->length = length;
    out->shape = (uint32_t)case_of(&counts) + (digits > 0 ? DIGITS : 0) + (signs > 0 ? SIGNS : 0);
    out->is_of_letters = 2 * (digits + signs) < counts.total;
}
