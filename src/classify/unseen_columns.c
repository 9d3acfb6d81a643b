/* SPDX-License-Identifier: MIT */
/* unseen_columns.c - warns of categorical columns if all of their values are new to the classifier. See
 * credence/classifier.h.
 *
 * The dictionaries of the reader contain all values that were read, so the rows need not be read again for each
 * column. */
#include "classify/classifier_internal.h"

#include "base/context.h"
#include "base/error.h"
#include "table/forms/truth_words.h"
#include "table/read/reader.h"

#include <stdio.h>

enum { MOST_NAMED = 10, FEWEST_ROWS = 2 };

typedef struct columns_search {
    const crd_i_dictionary *known;
    bool has_values;
} columns_search;

/* Records that the column has values. Returns false, which ends the search, if the classifier has seen this value. */
static bool see_value(void *user, crd_text text) {
    columns_search *s = user;
    s->has_values = true;
    return crd_i_find_value(s->known, text) < 0;
}

/* Returns whether a categorical column has values and none of them occurred in training. */
static bool unseen_columns_is_unseen(const crd_i_attribute *attribute, const crd_reader *reader) {
    columns_search s = {attribute->values, false};
    if (attribute->kind != CRD_KIND_CATEGORY || s.known == NULL || crd_i_intervals_are(&attribute->intervals))
        return false;
    return crd_i_reader_each_value(reader, attribute->name, see_value, &s) && s.has_values;
}

/* Lists at most MOST_NAMED columns by name and counts the others. */
void crd_classifier_warn_unseen(const crd_classifier *classifier, const crd_reader *reader, uint64_t rows) {
    char names[MOST_NAMED * (CRD_I_QUOTED_ROOM + 4) + 32] = "", shown[CRD_I_QUOTED_ROOM];
    crd_text first = {NULL, 0};
    size_t count = 0, length = 0;
    if (rows < FEWEST_ROWS || crd_i_reader_is_divided(reader)) return;
    for (size_t i = 0; i < classifier->attribute_count; i++) {
        const crd_i_attribute *attribute = &classifier->attributes[i];
        if (!unseen_columns_is_unseen(attribute, reader)) continue;
        if (count == 0) first = attribute->name;
        if (count++ < MOST_NAMED)
            length += (size_t)snprintf(names + length, sizeof names - length, "%s'%s'", count > 1 ? ", " : "",
                                       crd_i_quote(attribute->name, shown));
    }
    if (count == 0) return;
    if (count > MOST_NAMED) snprintf(names + length, sizeof names - length, " and %zu more", count - MOST_NAMED);
    crd_i_context_log(classifier->context, CRD_LOG_WARNING, CRD_LOG_VALUES_UNSEEN, first,
                      "no value of %s occurred in training: %s ignored", names,
                      count == 1 ? "the column was" : "these columns were");
}
