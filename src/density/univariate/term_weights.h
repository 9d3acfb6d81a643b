/* SPDX-License-Identifier: MIT */
/* term_weights.h - fitted weights of terms, which replace the values that a text family computes from counts.
 *
 * Term t occurs x times in a text; i_t is its inverse document frequency (Salton and Buckley 1988) and f_t = tf(x) i_t.
 * The score of class c is
 *
 *   score_c(text) = sum over t of w_tc f_t / sqrt(sum over t of f_t^2)
 *
 * over the terms that have weights; other terms do not count. crd_i_term_density_set_weights evaluates texts with tf(x)
 * = 1 + log x. Note that fit/word_weights.c fits the weights with log(1 + x) instead. */
#ifndef CRD_DENSITY_UNIVARIATE_TERM_WEIGHTS_H
#define CRD_DENSITY_UNIVARIATE_TERM_WEIGHTS_H

#include "density/univariate/family.h"

typedef struct crd_i_term_weights {
    crd_context *context;
    crd_i_dictionary *terms;
    double *rarities; /* the inverse document frequency i_t of each term */
    double *values;   /* [term][condition]: w_tc i_t */
} crd_i_term_weights;

void crd_i_term_weights_destroy(crd_i_term_weights *weights); /* NULL is fine */

#endif
