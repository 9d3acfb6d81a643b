/* SPDX-License-Identifier: MIT */
/* family_comparison.h - the families tried for a numeric column, and the chosen one: see fit/family_selection.h. */
#ifndef CRD_CLASSIFY_FAMILY_COMPARISON_H
#define CRD_CLASSIFY_FAMILY_COMPARISON_H

#include "density/univariate/family.h"

typedef struct crd_i_candidate {
    const crd_i_family *family;
    char left_out[120]; /* why it was not considered; "" if it was */
    bool is_chosen;
    double score, standard_error; /* mean score of the held-out rows, and its standard error */
} crd_i_candidate;

/* All numeric families, in the order of their table. It is a single allocation; free it with crd_free. */
typedef struct crd_i_comparison {
    crd_context *context;
    size_t count;
    const crd_i_family *chosen;
    crd_i_candidate each[];
} crd_i_comparison;

#endif
