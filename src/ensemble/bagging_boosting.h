/* SPDX-License-Identifier: MIT */
/* bagging_boosting.h - bagging and boosting: many models of the same rows under different weights, answering as one.
 *
 * Bagging (Breiman 1996) weighs each row by how often it would be drawn in a sample of as many rows with replacement, and
 * averages the members' probabilities. Boosting (Freund and Schapire 1997; for several classes Zhu, Zou, Rosset and Hastie
 * 2009) gives weight to the rows that the members before decided wrongly; a member's vote counts by how seldom it was
 * wrong, as the log odds of the class that it decides for. It goes by decisions, since the probabilities of naive Bayes
 * are too sure for their size to say what to learn next. The members' settings are those of the classifier, with naive Bayes, or joint densities where they are stated, as
 * the method. What is drawn for a row depends on its content alone, not on its place. */
#ifndef CRD_ENSEMBLE_BAGGING_BOOSTING_H
#define CRD_ENSEMBLE_BAGGING_BOOSTING_H

#include "classify/classifier_internal.h"

/* Gives the classifier, whose method is one of them, its scorer. */
CRD_MUST_USE crd_status crd_i_resampled_derive(crd_classifier *classifier, const crd_model *model,
                                               const crd_i_schema_view *view, crd_error *error);

#endif
