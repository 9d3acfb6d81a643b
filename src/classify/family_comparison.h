/* SPDX-License-Identifier: MIT */
/* family_comparison.h - the families that were tried for a number column, and the one that was chosen: see
 * fit/family_selection.h. */
#ifndef CRD_CLASSIFY_FAMILY_COMPARISON_H
#define CRD_CLASSIFY_FAMILY_COMPARISON_H

#include "density/univariate/family.h"

typedef struct crd_i_candidate {
    const crd_i_family *family;
    char left_out[120]; /* why it was not considered; "": it was */
    bool is_chosen;
    double score, standard_error; /* of the mean of the scores of the rows held out */
} crd_i_candidate;

/* All families of numbers, in the order of their table. One allocation, freed by crd_free. */
typedef struct crd_i_comparison {
    crd_context *context;
    size_t count;
    const crd_i_family *chosen;
    crd_i_candidate each[];
} crd_i_comparison;

#endif
