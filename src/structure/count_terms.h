/* SPDX-License-Identifier: MIT */
/* count_terms.h - what a count contributes to a score, in fixed point.
 *
 * Scores of categories are sums over cells of a function of their counts: n log n, or log Gamma(a + n) - log Gamma(a).
 * Whole multiples of 2^-shift have sums that no order of terms shows, so that equal families have equal scores, whichever
 * way they were counted. Functions are tabulated while rows are few. */
#ifndef CRD_STRUCTURE_COUNT_TERMS_H
#define CRD_STRUCTURE_COUNT_TERMS_H

#include "base/context.h"

/* Immutable. Of n log n where `pseudo` is 0, else of log Gamma(pseudo + n) - log Gamma(pseudo). */
typedef struct crd_i_count_terms {
    crd_context *context;
    double pseudo;
    double scale;    /* 2^shift */
    int64_t *values; /* of counts below `size` */
    size_t size;
} crd_i_count_terms;

/* 2^shift for so many rows: sums of so many terms stay below 2^62. */
double crd_i_count_terms_scale(double rows, double least_pseudo);
/* false: out of memory. */
CRD_MUST_USE bool crd_i_count_terms_init(crd_i_count_terms *terms, crd_context *context, double pseudo, double scale,
                                         double rows);
void crd_i_count_terms_clear(crd_i_count_terms *terms); /* all zero is fine */

/* The term of a count that need not be whole, not in fixed point. */
double crd_i_count_term_real(double pseudo, double count);
int64_t crd_i_count_term_far(const crd_i_count_terms *terms, double count);

static inline int64_t crd_i_count_term(const crd_i_count_terms *terms, size_t count) {
    return count < terms->size ? terms->values[count] : crd_i_count_term_far(terms, (double)count);
}

#endif
