/* SPDX-License-Identifier: MIT */
/* dictionary.h - an append-only set of texts with codes 0, 1, 2, ... in the order of adding.
 *
 * Made for two loads: a handful of values looked up for every cell of a file, and a million distinct values in
 * one column. Open addressing over codes; short texts are kept in two words each, which settle nearly every
 * question, and growing does not touch the texts. The hash is keyed per dictionary, so that no input can be made to
 * collide on purpose without knowing the key. */
#ifndef CRD_BASE_DICTIONARY_H
#define CRD_BASE_DICTIONARY_H

#include "base/buffer.h"

typedef struct crd_i_dictionary crd_i_dictionary;

/* NULL on failure. */
crd_i_dictionary *crd_i_dictionary_create(crd_context *context);
void crd_i_dictionary_destroy(crd_i_dictionary *dictionary);
crd_i_dictionary *crd_i_dictionary_clone(const crd_i_dictionary *dictionary);

size_t crd_i_dictionary_size(const crd_i_dictionary *dictionary);
/* Lives until the next add. */
crd_text crd_i_dictionary_text(const crd_i_dictionary *dictionary, size_t code);
/* The code, or -1. */
int32_t crd_i_dictionary_find(const crd_i_dictionary *dictionary, crd_text text);
/* The code, found or new; -1 when memory ran out. */
int32_t crd_i_dictionary_add(crd_i_dictionary *dictionary, crd_text text);
/* For many at once: appends a text that is not there, to be found once crd_i_dictionary_index was called behind the
 * last one. Both give false when memory ran out. */
CRD_MUST_USE bool crd_i_dictionary_append(crd_i_dictionary *dictionary, crd_text text);
CRD_MUST_USE bool crd_i_dictionary_index(crd_i_dictionary *dictionary);
/* Takes everything out again, and takes a new serial. */
void crd_i_dictionary_empty(crd_i_dictionary *dictionary);
/* Different for every dictionary of a context and for every emptying: codes below a known size keep their
 * meaning for as long as the serial stays. */
uint64_t crd_i_dictionary_serial(const crd_i_dictionary *dictionary);

/* Writes the codes in display and file order: by number when every text is a finite number (ties by bytes), else by
 * bytes. `is_live` may be NULL; else only codes with is_live[code] are written. Returns how many, or SIZE_MAX when
 * memory ran out. parse gives true and the value for a number. */
size_t crd_i_dictionary_order(const crd_i_dictionary *dictionary, const bool *is_live,
                              bool (*parse)(crd_text text, double *value), int32_t *codes);

#endif
