/* SPDX-License-Identifier: MIT */
/* word_shape.h - a word as lower-case letters, and its shape: the case, digits and signs it contains. */
#ifndef CRD_SEQUENCE_WORD_SHAPE_H
#define CRD_SEQUENCE_WORD_SHAPE_H

#include <credence/base.h>

#include <stdbool.h>

/* Longer words are reduced to their first and last CRD_I_MOST_LETTERS / 2 letters. */
enum { CRD_I_MOST_LETTERS = 128 };

typedef struct crd_i_word {
    uint32_t letters[CRD_I_MOST_LETTERS]; /* all characters, with letters in lower case */
    size_t length;
    /* A number for each combination of: no letters, no capitals, some capitals, capitalized, all capitals; contains
     * digits; contains signs. */
    uint32_t shape;
    bool is_of_letters; /* more than half of the characters are letters */
} crd_i_word;

void crd_i_word_parse(crd_text text, crd_i_word *out);

#endif
