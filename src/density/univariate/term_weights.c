/* SPDX-License-Identifier: MIT */
/* term_weights.c - memory of fitted term weights: see term_weights.h. */
#include "density/univariate/term_weights.h"

#include "base/memory.h"

void crd_i_term_weights_destroy(crd_i_term_weights *weights) {
    if (weights == NULL) return;
    crd_i_dictionary_destroy(weights->terms);
    crd_free(weights->context, weights->rarities);
    crd_free(weights->context, weights->values);
    crd_free(weights->context, weights);
}
