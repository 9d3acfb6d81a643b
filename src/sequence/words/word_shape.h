/* SPDX-License-Identifier: MIT */
/* word_shape.h - a word as letters of one case, and its shape: what case, digits and signs it had. */
#ifndef CRD_SEQUENCE_WORD_SHAPE_H
#define CRD_SEQUENCE_WORD_SHAPE_H

#include <credence/base.h>

#include <stdbool.h>

/* Of longer words the first and the last half of so many letters are kept. */
enum { CRD_I_MOST_LETTERS = 128 };

typedef struct crd_i_word {
    uint32_t letters[CRD_I_MOST_LETTERS]; /* all characters, letters in lower case */
    size_t length;
    /* A number for each combination of: no letters, no capitals, some capitals, the first letter a capital, capitals alone;
     * some digits; some signs. */
    uint32_t shape;
    bool is_of_letters; /* more than half of its characters are */
} crd_i_word;

void crd_i_word_parse(crd_text text, crd_i_word *out);

#endif
