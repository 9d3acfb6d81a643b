/* SPDX-License-Identifier: MIT */
/* set_terms.h - scores of families from sums over sets of columns.
 *
 * Let A(S) be the sum of f(n) over the counts n of the table of the columns S. The score of a node v given parents P is
 *
 *   A(P + v) - A(P)
 *
 * for the log-likelihood with f(n) = n log n, and for BDeu with f(n) = log Gamma(n + a) - log Gamma(a). The
 * pseudo-count a of a table entry is the equivalent sample size divided by the number of combinations of states of the
 * set. One table therefore serves all families over the same columns, one for each column. This makes exact searches
 * affordable.
 *
 * Sums are in fixed point (family_score.h), so they do not depend on which thread computes them. */
#ifndef CRD_STRUCTURE_SET_TERMS_H
#define CRD_STRUCTURE_SET_TERMS_H

#include "structure/counted_rows.h"
#include "structure/family_score.h"

#include <stdatomic.h>

/* The sums over sets of columns of a table. Shared by the threads. */
typedef struct crd_i_set_terms {
    crd_context *context;
    const crd_i_case_table *table;
    crd_i_counted_rows *counted;
    crd_i_score score;
    double scale;              /* fixed-point scale of the sums */
    size_t most_cells;         /* most entries of a table that is counted densely */
    crd_i_count_terms entropy; /* terms n log n */
    _Atomic int64_t *sums;     /* by set */
    _Atomic uint32_t *cells;   /* by set: number of combinations that occur; 0: the sum is not computed yet */
} crd_i_set_terms;

enum { CRD_I_MOST_SET_NODES = 25 };

/* Creates the sums. Sets *out to NULL if the score is not such a difference (K2, BGe), or if the table has numeric
 * columns, missing values, fractional weights, no rows or more columns than CRD_I_MOST_SET_NODES. */
CRD_MUST_USE crd_status crd_i_set_terms_create(const crd_i_case_table *table, crd_i_score score, crd_i_set_terms **out,
                                               crd_error *error);
void crd_i_set_terms_destroy(crd_i_set_terms *terms); /* NULL is allowed */

/* The work memory of one thread. */
typedef struct crd_i_set_counter crd_i_set_counter;
CRD_MUST_USE crd_status crd_i_set_counter_create(crd_i_set_terms *terms, crd_i_set_counter **out, crd_error *error);
void crd_i_set_counter_destroy(crd_i_set_counter *counter); /* NULL is allowed */

/* Computes the sums of `set` extended by each of the columns `added`, unless they are known. */
CRD_MUST_USE crd_status crd_i_set_counter_fill(crd_i_set_counter *counter, uint32_t set, const uint32_t *added,
                                               size_t count, crd_error *error);

/* Returns whether the sum over the set is computed. */
static inline bool crd_i_set_is_known(const crd_i_set_terms *terms, uint32_t set) {
    return atomic_load_explicit(&terms->cells[set], memory_order_acquire) > 0;
}

/* Returns the number of combinations of the set that occur. The sum must be known. */
static inline uint32_t crd_i_set_cells(const crd_i_set_terms *terms, uint32_t set) {
    return atomic_load_explicit(&terms->cells[set], memory_order_relaxed);
}

/* Returns A(with) - A(without). Both sums must be known. */
static inline double crd_i_set_difference(const crd_i_set_terms *terms, uint32_t with, uint32_t without) {
    return (double)(atomic_load_explicit(&terms->sums[with], memory_order_relaxed) -
                    atomic_load_explicit(&terms->sums[without], memory_order_relaxed)) /
           terms->scale;
}

#endif
