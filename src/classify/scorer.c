/* SPDX-License-Identifier: MIT */
/* scorer.c - see classifier_internal.h. */
#include "classify/classifier_internal.h"

void crd_i_scorer_destroy(crd_i_scorer *scorer) {
    if (scorer != NULL) scorer->type->destroy(scorer);
}

const crd_i_scorer *crd_i_scorer_uncorrected(const crd_i_scorer *scorer) {
    return scorer->type->correction == NULL ? scorer : scorer->type->correction->of(scorer);
}

double crd_i_scorer_weight(const crd_i_scorer *scorer, size_t attribute) {
    const crd_i_scorer *own_scorer = crd_i_scorer_uncorrected(scorer);
    return own_scorer->type->weight == NULL ? 1 : own_scorer->type->weight(own_scorer, attribute);
}
