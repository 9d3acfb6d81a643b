/* SPDX-License-Identifier: MIT */
/* count_terms.h - the contribution of a count to a score, in fixed point.
 *
 * Scores of categorical nodes are sums over table entries of a function of the count n: n log n, or log Gamma(a + n)
 * - log Gamma(a). Terms are integer multiples of 2^-shift. Sums of integers do not depend on the order of the terms,
 * so equal families have equal scores however they were counted. The function values are tabulated if there are not
 * too many rows. */
#ifndef CRD_STRUCTURE_COUNT_TERMS_H
#define CRD_STRUCTURE_COUNT_TERMS_H

#include "base/context.h"

/* The terms of one function: n log n if `pseudo` is 0, else log Gamma(pseudo + n) - log Gamma(pseudo). Immutable. */
typedef struct crd_i_count_terms {
    crd_context *context;
    double pseudo;
    double scale;    /* 2^shift */
    int64_t *values; /* terms of the counts below `size`; NULL: no table */
    size_t size;
} crd_i_count_terms;

/* Returns 2^shift for a table with `rows` rows and pseudo-counts of at least `least_pseudo` (0: no pseudo-counts).
 * Sums of the terms of all rows stay below 2^62. */
double crd_i_count_terms_scale(double rows, double least_pseudo);
/* Initializes the terms for counts up to `rows`. Returns false if memory runs out. */
CRD_MUST_USE bool crd_i_count_terms_init(crd_i_count_terms *terms, crd_context *context, double pseudo, double scale,
                                         double rows);
void crd_i_count_terms_clear(crd_i_count_terms *terms); /* terms that are all zero need no clearing */

/* Returns the term of a count that need not be an integer, as a floating-point number. */
double crd_i_count_term_real(double pseudo, double count);
/* Returns the term of a count beyond the table, in fixed point. */
int64_t crd_i_count_term_far(const crd_i_count_terms *terms, double count);

/* Returns the term of `count` in fixed point. */
static inline int64_t crd_i_count_term(const crd_i_count_terms *terms, size_t count) {
    return count < terms->size ? terms->values[count] : crd_i_count_term_far(terms, (double)count);
}

#endif
