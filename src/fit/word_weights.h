/* SPDX-License-Identifier: MIT */
/* word_weights.h - weights of the terms of texts for each class, of maximum conditional likelihood.
 *
 * The naive Bayes weight of a term is the same whatever else a text has; these are fitted to the texts that a model has kept,
 * together, by penalised logistic regression (math/sparse_logistic.h) on unit vectors of log(1 + x) times the inverse
 * document frequency (density/univariate/term_weights.h). Priors, and the terms of attributes that are no texts, stay as they
 * are. The strength of the penalty is the one, of a few, under which a fold that was held out has the least loss. */
#ifndef CRD_FIT_WORD_WEIGHTS_H
#define CRD_FIT_WORD_WEIGHTS_H

#include "fit/held_out.h"

/* Whether the classifier has an attribute of texts that counts. */
bool crd_i_word_weights_apply(const crd_classifier *classifier);
/* Puts weights into the densities of texts; exponents are those of the other attributes. */
CRD_MUST_USE crd_status crd_i_word_weights_derive(crd_classifier *classifier, const crd_model *model,
                                                  const crd_i_held_out *inner, const double *exponents,
                                                  crd_error *error);

#endif
