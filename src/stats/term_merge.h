/* SPDX-License-Identifier: MIT */
/* term_merge.h - one store of the sum of several, and of tables: by one pass over all of them in the order of terms.
 *
 * Pages of a store in which no other input has a term are taken over as they are, so that adding a document to a large
 * store costs little more than copying it. Where something is subtracted every term is looked at, since a document that was
 * never added may show at any: a term in more documents than are left. */
#ifndef CRD_STATS_TERM_MERGE_H
#define CRD_STATS_TERM_MERGE_H

#include "stats/term_store_internal.h"
#include "stats/term_table.h"

/* A store or a table, times the sign; its condition c becomes conditions[c], or counts nothing where that is SIZE_MAX. */
typedef struct crd_i_term_input {
    const crd_i_term_store *store; /* or NULL, and */
    const crd_i_term_table *table;
    const size_t *conditions;
    int sign;
    bool is_read; /* each of its terms is written anew */
} crd_i_term_input;

/* The first count that no documents have: below zero, or above the number of documents. */
typedef struct crd_i_term_fault {
    bool found;
    bool is_length;   /* of documents of so many terms, */
    uint32_t times;   /* or of those that have the term so many times; */
    bool is_excess;   /* or of all that have it, which are more than there are */
    size_t condition; /* of the result */
    double left;
    char term[260]; /* quoted */
} crd_i_term_fault;

/* NULL in *out with a fault that was found. */
CRD_MUST_USE crd_status crd_i_term_merge(crd_context *context, const crd_i_term_input *inputs, size_t count,
                                         size_t conditions, crd_i_term_store **out, crd_i_term_fault *fault,
                                         crd_error *error);

#endif
