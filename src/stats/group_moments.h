/* SPDX-License-Identifier: MIT */
/* group_moments.h - access to a joint tally of cross-moments by group: see group_moments.c. */
#ifndef CRD_STATS_GROUP_MOMENTS_H
#define CRD_STATS_GROUP_MOMENTS_H

#include "math/exact/exact_products.h"
#include "stats/joint_tally.h"

/* The groups, sorted by the positions of their values in the view passed to crd_i_moment_groups_init. The joint
 * tally must outlive it. crd_i_moment_groups_clear also accepts a zeroed struct. */
typedef struct crd_i_moment_groups {
    crd_context *context;
    size_t count, column_count;
    int32_t *codes;      /* for each group, column by column: a category, 0 for a present number, otherwise -1 */
    int32_t *conditions; /* one per group */
    const crd_i_products **products; /* one per group: sums of its present numbers, in column order */
} crd_i_moment_groups;

/* Fills in the groups. false: out of memory. */
CRD_MUST_USE bool crd_i_moment_groups_init(crd_i_moment_groups *groups, crd_context *context,
                                           const crd_i_joint_tally *joint_tally, const crd_i_joint_tally_view *view);
void crd_i_moment_groups_clear(crd_i_moment_groups *groups);

/* Returns the maximum number of groups for this number of columns. The memory of their sums limits it. */
size_t crd_i_moment_groups_most(size_t columns);

#endif
