/* SPDX-License-Identifier: MIT */
/* cross_moments_internal.h - the structure of a joint tally of cross-moments, shared by cross_moments.c, which adds
 * and combines, and cross_moments_file.c. */
#ifndef CRD_STATS_CROSS_MOMENTS_INTERNAL_H
#define CRD_STATS_CROSS_MOMENTS_INTERNAL_H

#include "stats/cross_moments.h"

typedef struct crd_i_cross {
    crd_i_joint_tally base;
    size_t *columns;             /* numeric columns, ascending; has room for all columns */
    size_t count;                /* number of numeric columns */
    crd_i_products **products;   /* of each condition; NULL: no complete rows */
    crd_i_products **incomplete; /* of each condition, with every column twice; NULL: unknown */
    size_t capacity, incomplete_capacity;
    crd_i_sums left_out;             /* one cell per condition: the weight of incomplete rows */
    crd_i_products_scratch *scratch; /* NULL until many rows are added at once */
} crd_i_cross;

/* Return the sums of a condition, creating zero sums if there are none; NULL: out of memory. */
crd_i_products *crd_i_cross_complete_of(crd_i_cross *cross, size_t condition);
crd_i_products *crd_i_cross_incomplete_of(crd_i_cross *cross, size_t condition);
/* Checks whether rows can produce such sums, as far as that is decidable. false: out of memory. */
CRD_MUST_USE bool crd_i_cross_is_possible(const crd_i_cross *cross, size_t condition, bool *possible);

void crd_i_cross_write(const crd_i_joint_tally *joint_tally, const crd_i_joint_tally_view *view,
                       crd_i_encoder *encoder);
CRD_MUST_USE crd_status crd_i_cross_read(crd_i_joint_tally *joint_tally, crd_i_cursor *cursor, crd_error *error);

#endif
