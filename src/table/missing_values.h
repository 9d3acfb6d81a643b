/* SPDX-License-Identifier: MIT */
/* missing_values.h - the texts that mean missing, asked about for every cell.
 *
 * The usual ones are those of pandas and R together, and ?. They mean missing in any case of letters, where the list
 * says so (any_case), and not between quotes, where they are words; all other texts, which somebody has listed, only as
 * they stand, between quotes too. Among categories None is missing in that spelling alone, as in
 * pandas: none is the name of a category in many tables.
 *
 * Typed columns mark missing values themselves, so NA, None and the like are words there (spares_usual), unless somebody
 * has listed all texts that mean missing (any_case is false). A ? stays missing: it hardly ever means anything else. */
#ifndef CRD_TABLE_MISSING_VALUES_H
#define CRD_TABLE_MISSING_VALUES_H

#include "base/dictionary.h"

/* Each in one spelling, by ascending bytes. */
const crd_text *crd_i_usual_missing(size_t *count);
/* Whether a text is one of these in any case of letters. */
bool crd_i_is_usual_missing(crd_text text);
/* Whether it is None in another case of letters, which is a category unless it is listed as it stands. */
bool crd_i_missing_is_category(crd_text text);
/* The usual text that it is in any case of letters; else itself. */
crd_text crd_i_missing_spelling(crd_text text);

/* Zero-initialise; crd_i_missing_clear frees. */
typedef struct crd_i_missing {
    crd_i_dictionary *texts;
    bool any_case;     /* the usual ones among the texts, in any case of letters */
    bool spares_usual; /* if any_case: the usual ones are words, except ? and the empty text */
    bool has_empty;
    bool has_listed;  /* one of the texts is none of the usual ones */
    bool has_number;  /* one of the texts reads as a number, with either decimal mark */
    bool begins[256]; /* whether any of the texts begins with this byte: settles nearly every cell at once */
} crd_i_missing;

/* Replaces what was there; on failure it is as it was. */
CRD_MUST_USE bool crd_i_missing_set(crd_i_missing *missing, crd_context *context, const crd_text *texts, size_t count,
                                    bool any_case);
/* One text more. */
CRD_MUST_USE bool crd_i_missing_add(crd_i_missing *missing, crd_text text);
void crd_i_missing_clear(crd_i_missing *missing);

/* For the calls below. */
bool crd_i_missing_find(const crd_i_missing *missing, crd_text text);
bool crd_i_missing_find_listed(const crd_i_missing *missing, crd_text text);

/* An empty cell is missing with quotes and without. */
static inline bool crd_i_missing_has(const crd_i_missing *missing, crd_text text, bool quoted) {
    if (text.length == 0) return missing->has_empty;
    if (!missing->begins[(unsigned char)text.bytes[0]]) return false;
    return quoted ? missing->has_listed && crd_i_missing_find_listed(missing, text) : crd_i_missing_find(missing, text);
}

/* Whether the text, a cell of the target of typed rows, is a label although it means missing elsewhere: ?, unless somebody has listed all
 * texts that mean missing. */
bool crd_i_missing_keeps_label(const crd_i_missing *missing, crd_text text);

/* For the call below. */
bool crd_i_missing_find_category(const crd_i_missing *missing, crd_text text);

/* The same of a cell of a category. */
static inline bool crd_i_missing_has_category(const crd_i_missing *missing, crd_text text, bool quoted) {
    if (text.length == 0) return missing->has_empty;
    if (!missing->begins[(unsigned char)text.bytes[0]]) return false;
    return quoted ? missing->has_listed && crd_i_missing_find_listed(missing, text)
                  : crd_i_missing_find_category(missing, text);
}

#endif
