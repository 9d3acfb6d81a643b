/* SPDX-License-Identifier: MIT */
/* dictionary.h - an append-only set of texts with codes 0, 1, 2, ... in insertion order.
 *
 * It is designed for two loads: a handful of values that are looked up for every value of a file, and a million
 * distinct values in one column. It uses open addressing over codes. Short texts are packed into two words each, which
 * decide nearly every comparison, and growing does not touch the texts. Each dictionary has its own hash key, so an
 * input cannot be made to collide on purpose without knowledge of the key. */
#ifndef CRD_BASE_DICTIONARY_H
#define CRD_BASE_DICTIONARY_H

#include "base/buffer.h"

typedef struct crd_i_dictionary crd_i_dictionary;

/* Creates an empty dictionary. Returns NULL if memory runs out. */
crd_i_dictionary *crd_i_dictionary_create(crd_context *context);
void crd_i_dictionary_destroy(crd_i_dictionary *dictionary);
/* Returns a copy, or NULL if memory runs out. */
crd_i_dictionary *crd_i_dictionary_clone(const crd_i_dictionary *dictionary);

size_t crd_i_dictionary_size(const crd_i_dictionary *dictionary);
/* Returns the text of a code. The text is valid until the next text is added. */
crd_text crd_i_dictionary_text(const crd_i_dictionary *dictionary, size_t code);
/* Returns the code of a text, or -1 if the dictionary does not contain it. */
int32_t crd_i_dictionary_find(const crd_i_dictionary *dictionary, crd_text text);
/* Returns the code of a text, which is added if it is new. Returns -1 if memory runs out. */
int32_t crd_i_dictionary_add(crd_i_dictionary *dictionary, crd_text text);
/* Append many texts at once. crd_i_dictionary_append adds a text that the dictionary does not contain yet; the text can
 * be found only after crd_i_dictionary_index is called, once after the last append. Both return false if memory runs
 * out. */
CRD_MUST_USE bool crd_i_dictionary_append(crd_i_dictionary *dictionary, crd_text text);
CRD_MUST_USE bool crd_i_dictionary_index(crd_i_dictionary *dictionary);
/* Removes all texts and gives the dictionary a new serial. */
void crd_i_dictionary_empty(crd_i_dictionary *dictionary);
/* Returns a number that differs for every dictionary of a context and changes when a dictionary is emptied. As long as
 * the serial stays the same, codes below a given size keep their meaning. */
uint64_t crd_i_dictionary_serial(const crd_i_dictionary *dictionary);

/* Writes the codes in display and file order: numerically if every text is a finite number (ties in byte order),
 * otherwise in byte order. If `is_live` is not NULL, only codes with is_live[code] are written. Returns the number of
 * codes written, or SIZE_MAX if memory runs out. `parse` returns true and sets the value if a text is a number. */
size_t crd_i_dictionary_order(const crd_i_dictionary *dictionary, const bool *is_live,
                              bool (*parse)(crd_text text, double *value), int32_t *codes);

#endif
