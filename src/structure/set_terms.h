/* SPDX-License-Identifier: MIT */
/* set_terms.h - scores of families from sums over sets of columns.
 *
 * With A(S) the sum over the cells of the table of the columns S of f(n), the log-likelihood of a node v given parents P is
 * A(P + v) - A(P), f(n) = n log n; and so is BDeu with f(n) = log Gamma(n + a) - log Gamma(a), a the pseudo-counts of a cell,
 * S divided by the combinations of states of the set. So one table serves all families of the same columns, which are as many
 * as there are columns: that is what makes exact searches affordable.
 *
 * Sums are in fixed point (count_terms.h), and hence the same whoever computes them. */
#ifndef CRD_STRUCTURE_SET_TERMS_H
#define CRD_STRUCTURE_SET_TERMS_H

#include "structure/count_terms.h"
#include "structure/counted_rows.h"
#include "structure/family_score.h"

#include <stdatomic.h>

/* Shared by threads. */
typedef struct crd_i_set_terms {
    crd_context *context;
    const crd_i_case_table *table;
    crd_i_counted_rows *counted;
    crd_i_score score;
    double scale;              /* of the sums */
    size_t most_cells;         /* of tables that are counted */
    crd_i_count_terms entropy; /* n log n */
    _Atomic int64_t *sums;     /* by set */
    _Atomic uint32_t *cells;   /* by set: how many combinations occur; 0: the sum is not known yet */
} crd_i_set_terms;

enum { CRD_I_MOST_SET_NODES = 25 };

/* *out is NULL where the score is no such sum (K2), or the table has numbers, missing cells, weights that are not whole, no
 * rows or more columns than CRD_I_MOST_SET_NODES. */
CRD_MUST_USE crd_status crd_i_set_terms_create(const crd_i_case_table *table, crd_i_score score, crd_i_set_terms **out,
                                               crd_error *error);
void crd_i_set_terms_destroy(crd_i_set_terms *terms); /* NULL is fine */

/* What a thread counts in. */
typedef struct crd_i_set_counter crd_i_set_counter;
CRD_MUST_USE crd_status crd_i_set_counter_create(crd_i_set_terms *terms, crd_i_set_counter **out, crd_error *error);
void crd_i_set_counter_destroy(crd_i_set_counter *counter); /* NULL is fine */

/* Computes the sums of `set` with one of `added` each, where they are not known. */
CRD_MUST_USE crd_status crd_i_set_counter_fill(crd_i_set_counter *counter, uint32_t set, const uint32_t *added,
                                               size_t count, crd_error *error);

static inline bool crd_i_set_is_known(const crd_i_set_terms *terms, uint32_t set) {
    return atomic_load_explicit(&terms->cells[set], memory_order_acquire) > 0;
}

static inline uint32_t crd_i_set_cells(const crd_i_set_terms *terms, uint32_t set) {
    return atomic_load_explicit(&terms->cells[set], memory_order_relaxed);
}

/* A(with) - A(without), both of which are known. */
static inline double crd_i_set_difference(const crd_i_set_terms *terms, uint32_t with, uint32_t without) {
    return (double)(atomic_load_explicit(&terms->sums[with], memory_order_relaxed) -
                    atomic_load_explicit(&terms->sums[without], memory_order_relaxed)) /
           terms->scale;
}

#endif
