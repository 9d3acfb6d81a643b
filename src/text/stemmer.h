/* SPDX-License-Identifier: MIT */
/* stemmer.h - stems words with Snowball's rules, in the languages that its library supports. */
#ifndef CRD_TEXT_STEMMER_H
#define CRD_TEXT_STEMMER_H

#include "base/context.h"

/* Returns the name of a language; NULL after the last one. A build without the library has no languages. */
const char *crd_i_stemmer_language(size_t index);
bool crd_i_stemmer_knows(const char *language);

typedef struct crd_i_stemmer crd_i_stemmer;
CRD_MUST_USE crd_status crd_i_stemmer_create(crd_context *context, const char *language, crd_i_stemmer **out,
                                             crd_error *error);
void crd_i_stemmer_destroy(crd_i_stemmer *stemmer);
/* Returns the stem of a case-folded word, valid until the next call. The bytes are NULL if memory runs out. */
crd_text crd_i_stemmer_stem(crd_i_stemmer *stemmer, crd_text word);

#endif
