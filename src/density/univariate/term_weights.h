/* SPDX-License-Identifier: MIT */
/* term_weights.h - weights of terms that were fitted to texts, in the place of what a family makes of counts.
 *
 * With x the occurrences of term t in a text, f_t = log(1 + x) i_t and i_t its inverse document frequency,
 *
 *   score_c(text) = sum over t of w_tc f_t / sqrt(sum over t of f_t^2)
 *
 * over the terms that have weights; the others do not count. */
#ifndef CRD_DENSITY_UNIVARIATE_TERM_WEIGHTS_H
#define CRD_DENSITY_UNIVARIATE_TERM_WEIGHTS_H

#include "density/univariate/family.h"

typedef struct crd_i_term_weights {
    crd_context *context;
    crd_i_dictionary *terms;
    double *rarities; /* i_t of each term */
    double *values;   /* terms x conditions: w_tc i_t */
} crd_i_term_weights;

void crd_i_term_weights_destroy(crd_i_term_weights *weights); /* NULL is fine */

#endif
