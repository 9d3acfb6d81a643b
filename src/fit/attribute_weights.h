/* SPDX-License-Identifier: MIT */
/* attribute_weights.h - weighted naive Bayes, with a weight for each attribute's log density. Without weights, evidence
 * that dependent attributes share is counted several times.
 *
 *   P(c | x) is proportional to P(c) p(x_1 | c)^w_1 p(x_2 | c)^w_2 ...
 *
 * The weights are nonnegative and maximize the conditional likelihood of held-out rows (held_out.h; compare Zaidi,
 * Cerquides, Carman and Webb 2013). An attribute with weight 0 is ignored. */
#ifndef CRD_FIT_ATTRIBUTE_WEIGHTS_H
#define CRD_FIT_ATTRIBUTE_WEIGHTS_H

#include "classify/classifier_internal.h"

/* Sets the weights of a classifier's scorer, which must begin with a naive Bayes scorer. Uses the weights that the
 * model stores; if there are none, fits them now. Attributes without a density of their own get weight 1. Returns
 * CRD_ERROR_SETTING if weights must be fitted and the model stores no rows. */
CRD_MUST_USE crd_status crd_i_attribute_weights_derive(crd_classifier *classifier, const crd_model *model,
                                                       const crd_i_schema_view *view, crd_error *error);

#endif
