/* SPDX-License-Identifier: MIT */
/* parent_sets.h - the sets of parents that a node can have in a structure of greatest score.
 *
 * A set that scores no more than one of its subsets is not needed: with the subset in its place the structure has fewer
 * arcs and no lower score. Sets are made level by level, and of a set none is made that contains it once a bound on all
 * their scores is no more than the score of a subset:
 *
 *   bic, aic   minus the penalty of the set, since no log-likelihood of categories is above 0 (de Campos and Ji 2011), and
 *              for each column of the set what it can gain at most, its entropy given the others (Correia, Cussens and
 *              de Campos 2020); of numbers, the log-likelihood given all others less the penalty
 *   bdeu       minus log(r) for each combination of states of the node, which has r, and the parents that occurs
 *
 * Other scores have no bound, and sets are limited by their size alone. */
#ifndef CRD_STRUCTURE_PARENT_SETS_H
#define CRD_STRUCTURE_PARENT_SETS_H

#include "structure/structure_search.h"

enum { CRD_I_MOST_MASK_NODES = 31 };

typedef struct crd_i_parent_set {
    double score;
    uint32_t mask; /* bit i: node i */
} crd_i_parent_set;

/* By descending score, then smaller sets first; the last is the set of required parents alone. */
typedef struct crd_i_parent_sets {
    crd_i_parent_set *sets;
    size_t count, capacity;
} crd_i_parent_sets;

/* Those of each node, of which there are at most CRD_I_MOST_MASK_NODES; `of` is room for as many, zeroed, and freed by
 * the caller with crd_i_parent_sets_clear, on failure too. *computed is how many scores were computed.
 * CRD_ERROR_LIMIT: there are too many. */
CRD_MUST_USE crd_status crd_i_parent_sets_find(const crd_i_case_table *table, const crd_i_search_options *options,
                                               crd_i_parent_sets *sets, uint64_t *computed, crd_error *error);
void crd_i_parent_sets_clear(crd_context *context, crd_i_parent_sets *parent, size_t count);

#endif
