/* SPDX-License-Identifier: MIT */
/* affix_index.h - words sorted by their letters from one end, and the class distribution of words that share an affix.
 *
 * If words are sorted by their letters from the end (beginning), the words with a common suffix (prefix) form a range.
 * The sum of the words' class distributions over a range is stored if the range is long. Otherwise it is computed when
 * needed, in the same order. So few sums are stored, however many words there are. */
#ifndef CRD_SEQUENCE_AFFIX_INDEX_H
#define CRD_SEQUENCE_AFFIX_INDEX_H

#include "sequence/words/word_shape.h"

/* Positive counts of values by class: value v has entries begins[v] to begins[v + 1] - 1, with ascending classes. */
typedef struct crd_i_value_counts {
    size_t values, classes;
    const size_t *begins;
    const uint32_t *class_of;
    const double *counts;
    const double *totals; /* for each value: its total over all classes */
} crd_i_value_counts;

/* Words from `begin` to `end` - 1 in the order of an index. */
typedef struct crd_i_affix_range {
    size_t begin, end;
} crd_i_affix_range;

typedef struct crd_i_affix_index crd_i_affix_index;

/* Creates an index of all values with counts; all of them must be words. `from_end`: sorted by shape, then by letters
 * from the last to the first; otherwise by letters from the first. Sums are stored for affixes of up to `longest`
 * letters. `counts` must outlive the index. Returns NULL if out of memory. */
crd_i_affix_index *crd_i_affix_index_create(crd_context *context, const crd_text *texts,
                                            const crd_i_value_counts *counts, bool from_end, size_t longest);
void crd_i_affix_index_destroy(crd_i_affix_index *index);

crd_i_affix_range crd_i_affix_index_all(const crd_i_affix_index *index);
/* Returns the words of a range that have the given next key. The words of the range must share the first `depth` keys.
 * Keys are the shape (only if `from_end`) and the letters. */
crd_i_affix_range crd_i_affix_index_narrow(const crd_i_affix_index *index, crd_i_affix_range range, size_t depth,
                                           uint32_t key);
/* Returns the words of the range that have no further key: words that are equal except for case. */
crd_i_affix_range crd_i_affix_index_whole(const crd_i_affix_index *index, crd_i_affix_range range, size_t depth);
/* Computes sums[c], the number of words of the range in class c, where each word counts by the relative frequencies of
 * its classes. The range must have been found by exactly the first `depth` keys. */
void crd_i_affix_index_sum(const crd_i_affix_index *index, crd_i_affix_range range, size_t depth, double *sums);
/* Returns the value of the word at a position of the index. */
size_t crd_i_affix_index_value(const crd_i_affix_index *index, size_t place);

#endif
