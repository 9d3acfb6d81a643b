/* SPDX-License-Identifier: MIT */
/* joint_scorer.h - joint densities of blocks of attributes, combined with the single densities of the other
 * attributes:
 *
 *   log P(c | x) = log P(c) + sum over single attributes of w_i log p(x_i | c) + sum over blocks of log p(x_B | c)
 *                - log evidence */
#ifndef CRD_CLASSIFY_JOINT_SCORER_H
#define CRD_CLASSIFY_JOINT_SCORER_H

#include "classify/classifier_internal.h"

/* Derives the blocks named in the classifier's settings. The scorer begins with a naive Bayes scorer whose weights
 * can be set. Returns CRD_ERROR_SETTING if the model does not store the statistics of a block. */
CRD_MUST_USE crd_status crd_i_joint_scorer_derive(crd_classifier *classifier, const crd_model *model,
                                                  const crd_i_schema_view *view, crd_error *error);

/* Returns whether these settings fit a joint density of numbers to rows. */
bool crd_i_joint_scorer_fits_rows(const crd_settings *settings);

#endif
