/* SPDX-License-Identifier: MIT */
/* missing_values.h - the texts that mean missing, asked about for every cell. */
#ifndef CRD_TABLE_MISSING_VALUES_H
#define CRD_TABLE_MISSING_VALUES_H

#include "base/dictionary.h"

/* Zero-initialise; crd_i_missing_clear frees. */
typedef struct crd_i_missing {
    crd_i_dictionary *texts;
    bool has_empty;
    bool begins[256]; /* whether any of the texts begins with this byte: settles nearly every cell at once */
} crd_i_missing;

/* Replaces what was there; on failure it is as it was. */
CRD_MUST_USE bool crd_i_missing_set(crd_i_missing *missing, crd_context *context, const crd_text *texts, size_t count);
void crd_i_missing_clear(crd_i_missing *missing);

/* Words between quotes are words; an empty cell is missing either way. */
static inline bool crd_i_missing_has(const crd_i_missing *missing, crd_text text, bool quoted) {
    if (text.length == 0) return missing->has_empty;
    if (quoted || !missing->begins[(unsigned char)text.bytes[0]]) return false;
    return crd_i_dictionary_find(missing->texts, text) >= 0;
}

#endif
