/* SPDX-License-Identifier: MIT */
/* stemmer.h - stems of words by Snowball's rules, of the languages that its library has. */
#ifndef CRD_TEXT_STEMMER_H
#define CRD_TEXT_STEMMER_H

#include "base/context.h"

/* The languages; NULL behind the last, and at once where the build is without the library. */
const char *crd_i_stemmer_language(size_t index);
bool crd_i_stemmer_knows(const char *language);

typedef struct crd_i_stemmer crd_i_stemmer;
CRD_MUST_USE crd_status crd_i_stemmer_create(crd_context *context, const char *language, crd_i_stemmer **out,
                                             crd_error *error);
void crd_i_stemmer_destroy(crd_i_stemmer *stemmer);
/* The stem of a word that is folded; lives until the next call. bytes NULL: out of memory. */
crd_text crd_i_stemmer_stem(crd_i_stemmer *stemmer, crd_text word);

#endif
