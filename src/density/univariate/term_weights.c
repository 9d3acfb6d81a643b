/* SPDX-License-Identifier: MIT */
/* term_weights.c - see term_weights.h. */
#include "density/univariate/term_weights.h"

#include "base/memory.h"
#include "density/univariate/term_density.h"

void crd_i_term_weights_destroy(crd_i_term_weights *weights) {
    if (weights == NULL) return;
    crd_i_dictionary_destroy(weights->terms);
    crd_free(weights->context, weights->rarities);
    crd_free(weights->context, weights->values);
    crd_free(weights->context, weights);
}

/* Readers take the values of a term from the weights. */
static void correct(const crd_i_term_density *density, const crd_i_term_value *values, size_t count, uint32_t times,
                    double tf, double *logs) {
    (void)density, (void)times;
    for (size_t i = 0; i < count; i++) logs[values[i].condition] += tf * values[i].value;
}

static void baseline(const crd_i_term_density *density, const crd_i_document_terms *document, double *logs) {
    (void)density, (void)document, (void)logs;
}

static const crd_i_term_math weighted = {.is_score = true, .counts_tf = true, .correct = correct, .baseline = baseline};

void crd_i_term_density_set_weights(crd_i_density *base, crd_i_term_weights *weights) {
    crd_i_term_density *density = (crd_i_term_density *)base;
    density->weights = weights;
    density->math = &weighted;
    density->tf = CRD_I_TF_LOG;
    density->length = CRD_I_LENGTH_UNIT;
    base->is_score = true;
}
