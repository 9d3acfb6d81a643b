/* SPDX-License-Identifier: MIT */
/* word_breaks.h - segments between the word boundaries of UAX #29. */
#ifndef CRD_TEXT_WORD_BREAKS_H
#define CRD_TEXT_WORD_BREAKS_H

#include "text/unicode.h"

/* The end of the segment that begins at `from`, which is a boundary before the end of the text, and whether the segment has
 * a letter or a digit. Runs without either may be cut where the rules have no boundary. */
size_t crd_i_word_end(crd_text text, size_t first, bool *has_letter);

#endif
