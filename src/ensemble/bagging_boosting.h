/* SPDX-License-Identifier: MIT */
/* bagging_boosting.h - bagging and boosting: many models of the same rows under different weights, combined into one
 * prediction.
 *
 * Bagging (Breiman 1996) weighs each row by the number of times it would be drawn in a bootstrap sample, and averages
 * the members' probabilities. Boosting (Freund and Schapire 1997; SAMME for several classes: Zhu, Zou, Rosset and
 * Hastie 2009) increases the weights of rows that the previous members classified wrongly. A member with weighted error
 * e votes for its decision with weight log((1 - e) / e * (K - 1)), where K is the number of classes. Boosting uses
 * decisions, because naive Bayes probabilities are too extreme to show what the next member should learn.
 *
 * The members use the classifier's settings with naive Bayes as the method, and joint densities if specified. The
 * random draws for a row depend only on its content, not on its position. */
#ifndef CRD_ENSEMBLE_BAGGING_BOOSTING_H
#define CRD_ENSEMBLE_BAGGING_BOOSTING_H

#include "classify/classifier_internal.h"

/* Derives the scorer of a classifier whose method is bagging or boosting. Returns CRD_ERROR_SETTING if the model stores
 * no rows. */
CRD_MUST_USE crd_status crd_i_resampled_derive(crd_classifier *classifier, const crd_model *model,
                                               const crd_i_schema_view *view, crd_error *error);

#endif
