/* SPDX-License-Identifier: MIT */
/* letters.h - characters of words: their case, and whether they are letters, digits or signs.
 *
 * Case follows Unicode's simple case mappings for the alphabets in use that have case: Latin with its extensions, Greek
 * with its polytonic letters, Cyrillic, Armenian, Georgian and full-width Latin. A character in no table is a letter
 * without case. Scripts without case need no table, and a sign that is mistaken for a letter only changes the shape of
 * the word. */
#ifndef CRD_SEQUENCE_LETTERS_H
#define CRD_SEQUENCE_LETTERS_H

#include <credence/base.h>

#include <stdbool.h>

typedef enum crd_i_letter_class {
    CRD_I_LETTER_CASELESS,
    CRD_I_LETTER_LOWER,
    CRD_I_LETTER_UPPER,
    CRD_I_LETTER_DIGIT,
    CRD_I_LETTER_SIGN
} crd_i_letter_class;

/* Removes the first character of a nonempty text and returns its code point. A byte that is not valid UTF-8 becomes a
 * character of its own, above all Unicode code points. */
uint32_t crd_i_letter_next(crd_text *text);
crd_i_letter_class crd_i_letter_class_of(uint32_t letter);
/* Returns the lower-case form of an upper-case letter, and any other character unchanged. */
uint32_t crd_i_letter_lower(uint32_t letter);

#endif
