/* SPDX-License-Identifier: MIT */
/* missing_values.h - the texts that mean missing; every cell is checked against them.
 *
 * The usual texts are the texts of pandas and R, and ?. If any_case is set, they mean missing in any letter
 * case. Inside quotes they are words. All other texts, which the user listed, match exactly, inside quotes too. In
 * categories, None means missing only in that spelling, as in pandas, because none is a category in many tables.
 *
 * Typed columns mark missing values themselves, so NA, None and the like are words there (spares_usual), unless the
 * user listed all missing texts (any_case is false). A ? still means missing, because it hardly ever means anything
 * else. */
#ifndef CRD_TABLE_MISSING_VALUES_H
#define CRD_TABLE_MISSING_VALUES_H

#include "base/dictionary.h"

/* Returns the usual texts, each in one spelling, sorted by bytes. */
const crd_text *crd_i_usual_missing(size_t *count);
/* Returns whether a text is one of the usual texts, in any letter case. */
bool crd_i_is_usual_missing(crd_text text);
/* Returns whether a text is None in another letter case, which is a category unless it is listed exactly. */
bool crd_i_missing_is_category(crd_text text);
/* Returns the usual text that equals this one except for letter case; otherwise returns the text. */
crd_text crd_i_missing_spelling(crd_text text);

/* Zero-initialize it; crd_i_missing_clear frees it. */
typedef struct crd_i_missing {
    crd_i_dictionary *texts;
    bool any_case;     /* the usual ones among the texts match in any letter case */
    bool spares_usual; /* if any_case: the usual ones are words, except ? and the empty text */
    bool has_empty;
    bool has_listed;  /* one of the texts is not a usual one */
    bool has_number;  /* one of the texts is a number, with either decimal mark */
    bool begins[256]; /* whether any of the texts begins with this byte: decides nearly every cell */
} crd_i_missing;

/* Replaces the texts. On failure nothing changes. */
CRD_MUST_USE bool crd_i_missing_set(crd_i_missing *missing, crd_context *context, const crd_text *texts, size_t count,
                                    bool any_case);
/* Adds one text. */
CRD_MUST_USE bool crd_i_missing_add(crd_i_missing *missing, crd_text text);
void crd_i_missing_clear(crd_i_missing *missing);

/* Search the texts, for the inline functions below. */
bool crd_i_missing_find(const crd_i_missing *missing, crd_text text);
bool crd_i_missing_find_listed(const crd_i_missing *missing, crd_text text);

/* Returns whether a cell is missing. An empty cell is missing with or without quotes. */
static inline bool crd_i_missing_has(const crd_i_missing *missing, crd_text text, bool quoted) {
    if (text.length == 0) return missing->has_empty;
    if (!missing->begins[(unsigned char)text.bytes[0]]) return false;
    return quoted ? missing->has_listed && crd_i_missing_find_listed(missing, text) : crd_i_missing_find(missing, text);
}

/* Returns whether a cell of the target in typed rows is a label although its text means missing elsewhere. This
 * applies to ?, unless the user listed all missing texts. */
bool crd_i_missing_keeps_label(const crd_i_missing *missing, crd_text text);

/* Searches the texts, for the inline function below. */
bool crd_i_missing_find_category(const crd_i_missing *missing, crd_text text);

/* Returns whether a cell of a category is missing. An empty cell is missing with or without quotes. */
static inline bool crd_i_missing_has_category(const crd_i_missing *missing, crd_text text, bool quoted) {
    if (text.length == 0) return missing->has_empty;
    if (!missing->begins[(unsigned char)text.bytes[0]]) return false;
    return quoted ? missing->has_listed && crd_i_missing_find_listed(missing, text)
                  : crd_i_missing_find_category(missing, text);
}

#endif
