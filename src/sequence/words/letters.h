/* SPDX-License-Identifier: MIT */
/* letters.h - characters of words: their case, and whether they are letters, digits or signs.
 *
 * Case is that of Unicode's simple mappings for the alphabets in use that have it: Latin with its extensions, Greek with
 * its polytonic letters, Cyrillic, Armenian, Georgian and full-width Latin. What is in no table is a letter without case:
 * scripts without case need none, and a sign that is taken for a letter costs a word nothing but its class of shape. */
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

/* Takes the first character off a text that is not empty. A byte that begins no character of UTF-8 is taken for one by
 * itself, above all of Unicode's. */
uint32_t crd_i_letter_next(crd_text *text);
crd_i_letter_class crd_i_letter_class_of(uint32_t letter);
/* The lower-case letter of an upper-case one; any other as it is. */
uint32_t crd_i_letter_lower(uint32_t letter);

#endif
