/* SPDX-License-Identifier: MIT */
/* word_breaks.h - finds the word boundaries of UAX #29 (Unicode Text Segmentation). */
#ifndef CRD_TEXT_WORD_BREAKS_H
#define CRD_TEXT_WORD_BREAKS_H

#include "text/unicode.h"

/* Returns the end of the segment that begins at `first`, which must be a boundary before the end of the text. Sets
 * *has_letter to whether the segment has a letter or a digit. Segments without either may end where the rules have no
 * boundary. */
size_t crd_i_word_end(crd_text text, size_t first, bool *has_letter);

#endif
