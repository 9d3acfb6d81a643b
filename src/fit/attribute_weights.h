/* SPDX-License-Identifier: MIT */
/* attribute_weights.h - weighted naive Bayes: a weight on each attribute's log density, so that evidence which dependent
 * attributes share is not counted twice.
 *
 *   P(class | x) in proportion to P(class) p(x1 | class)^w1 p(x2 | class)^w2 ...
 *
 * The weights are fitted to rows that were held out (fold_weights.h); an attribute whose weight is 0 is left out. */
#ifndef CRD_FIT_ATTRIBUTE_WEIGHTS_H
#define CRD_FIT_ATTRIBUTE_WEIGHTS_H

#include "classify/classifier_internal.h"

/* Sets the weights of a classifier's scorer, which begins with one of naive Bayes: those that the model has, or else
 * that are fitted now. 1 for attributes whose own density does not count. */
CRD_MUST_USE crd_status crd_i_attribute_weights_derive(crd_classifier *classifier, const crd_model *model,
                                                       const crd_i_schema_view *view, crd_error *error);

#endif
