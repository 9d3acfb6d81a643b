/* SPDX-License-Identifier: MIT */
/* affix_index.h - words sorted by their letters from one end, and how those that share an affix are distributed over classes.
 *
 * Words with a common suffix (prefix) are neighbours in the order of their letters from the end (beginning): a range. The sum
 * of the words' distributions over such a range is kept where it is long, and else computed when it is needed, in the
 * same order; so there are few sums to keep, however many words there are. */
#ifndef CRD_SEQUENCE_AFFIX_INDEX_H
#define CRD_SEQUENCE_AFFIX_INDEX_H

#include "sequence/words/word_shape.h"

/* Counts of values under classes, those above zero: of value v from begins[v] to begins[v + 1] - 1, the classes ascending. */
typedef struct crd_i_value_counts {
    size_t values, classes;
    const size_t *begins;
    const uint32_t *class_of;
    const double *counts;
    const double *totals; /* of each value over all classes */
} crd_i_value_counts;

/* Words from begin to end - 1 in the order of an index. */
typedef struct crd_i_affix_range {
    size_t begin, end;
} crd_i_affix_range;

typedef struct crd_i_affix_index crd_i_affix_index;

/* Of the values that have counts, all of which are words. `from_end`: by shape, then by letters from the last to the first;
 * else by letters from the first. Sums are kept for up to `longest` letters. The counts must outlive it. NULL: out of memory. */
crd_i_affix_index *crd_i_affix_index_create(crd_context *context, const crd_text *texts,
                                            const crd_i_value_counts *counts, bool from_end, size_t longest);
void crd_i_affix_index_destroy(crd_i_affix_index *index);

crd_i_affix_range crd_i_affix_index_all(const crd_i_affix_index *index);
/* Of the words in a range, which share the first `depth` keys, those that have this next key. Keys are the shape (from the
 * end only) and letters. */
crd_i_affix_range crd_i_affix_index_narrow(const crd_i_affix_index *index, crd_i_affix_range range, size_t depth,
                                           uint32_t key);
/* Of these the ones that have no further key: the same word but for its case. */
crd_i_affix_range crd_i_affix_index_whole(const crd_i_affix_index *index, crd_i_affix_range range, size_t depth);
/* sums[c]: how many words of the range are of class c, each by the relative frequencies of its classes. The words share
 * exactly the first `depth` keys by which the range was found. */
void crd_i_affix_index_sum(const crd_i_affix_index *index, crd_i_affix_range range, size_t depth, double *sums);
/* The value that the word at a place of the order is. */
size_t crd_i_affix_index_value(const crd_i_affix_index *index, size_t place);

#endif
