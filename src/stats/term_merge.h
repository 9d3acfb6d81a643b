/* SPDX-License-Identifier: MIT */
/* term_merge.h - merges several term stores and tables into one store, in one pass over all of them in term order.
 *
 * A page of a store is copied unchanged if no other input has a term in its range. So adding a document to a large
 * store costs little more than copying the store. For a subtraction every term is checked, because a document that was
 * never added may show at any term: as a term in more documents than are left. */
#ifndef CRD_STATS_TERM_MERGE_H
#define CRD_STATS_TERM_MERGE_H

#include "stats/term_store_internal.h"
#include "stats/term_table.h"

/* A store or a table, multiplied by the sign. Its condition c becomes conditions[c]; SIZE_MAX: not counted. */
typedef struct crd_i_term_input {
    const crd_i_term_store *store; /* NULL: use `table` */
    const crd_i_term_table *table;
    const size_t *conditions;
    int sign;
    bool is_read; /* decode and rewrite all of its terms */
} crd_i_term_input;

/* The first impossible count: below zero, or above the number of documents. */
typedef struct crd_i_term_fault {
    bool is_found;
    bool is_length; /* the count is the number of documents with `times` terms in total */
    uint32_t times; /* otherwise, the count is the number of documents that contain the term `times` times */
    /* the count is the number of documents that contain the term, and exceeds the number of documents */
    bool is_excess;
    size_t condition; /* condition of the result */
    double left;
    char term[260]; /* quoted */
} crd_i_term_fault;

/* Merges the inputs. *out is NULL if a fault was found. */
CRD_MUST_USE crd_status crd_i_term_merge(crd_context *context, const crd_i_term_input *inputs, size_t count,
                                         size_t conditions, crd_i_term_store **out, crd_i_term_fault *fault,
                                         crd_error *error);

#endif
