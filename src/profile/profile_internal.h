/* SPDX-License-Identifier: MIT */
/* profile_internal.h - the structure of a profile: a model without a target, with the statistics of every column. */
#ifndef CRD_PROFILE_PROFILE_INTERNAL_H
#define CRD_PROFILE_PROFILE_INTERNAL_H

#include "model/model_internal.h"
#include "stats/grid.h"

#include <credence/profile.h>

typedef struct crd_i_profile_column {
    crd_column_profile facts;
    const crd_i_variable *variable; /* in the profile's model */
    crd_i_grid_view cells;          /* numeric columns: the distinct values or the bins, in ascending order */
    /* Most frequent values first: indices into `cells` if they are values, or codes of categories. */
    int32_t *ranked;
    size_t ranked_count;
} crd_i_profile_column;

struct crd_profile {
    crd_context *context;
    crd_model *model; /* its target is a placeholder and its last column */
    uint64_t rows;
    crd_i_profile_column *columns;
    size_t column_count;
};

/* Counts the values of a numeric column in `bins` intervals of equal width between the minimum and the maximum. The
 * last interval includes the maximum. If there is only one distinct value, the first interval contains all values.
 * Approximate columns are counted by the midpoints of their bins. Returns false if there are no values, or if their
 * range is not finite. */
bool crd_i_profile_histogram(const crd_profile *profile, size_t index, size_t bins, double *counts);

#endif
