/* SPDX-License-Identifier: MIT */
/* group_moments.h - what a joint tally of cross-moments by group holds: see group_moments.c. */
#ifndef CRD_STATS_GROUP_MOMENTS_H
#define CRD_STATS_GROUP_MOMENTS_H

#include "math/exact/exact_products.h"
#include "stats/joint_tally.h"

/* Groups in the order of their values' places in the view that it was made with. Filled by init, emptied by clear, which
 * also takes what is all zero; the joint tally outlives it. */
typedef struct crd_i_moment_groups {
    crd_context *context;
    size_t count, column_count;
    int32_t *codes;      /* of each, column by column: a category, 0 for a number that is present, else -1 */
    int32_t *conditions; /* of each */
    const crd_i_products **products; /* of each: of its numbers that are present, in the order of columns */
} crd_i_moment_groups;

/* false: out of memory. */
CRD_MUST_USE bool crd_i_moment_groups_init(crd_i_moment_groups *made, crd_context *context,
                                           const crd_i_joint_tally *joint_tally, const crd_i_joint_tally_view *view);
void crd_i_moment_groups_clear(crd_i_moment_groups *made);

/* How many groups of rows of so many columns a joint tally holds at most: it is limited by the memory of their sums. */
size_t crd_i_moment_groups_most(size_t columns);

#endif
