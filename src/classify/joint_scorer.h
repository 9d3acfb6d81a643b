/* SPDX-License-Identifier: MIT */
/* joint_scorer.h - joint densities of blocks of attributes, beside the densities of the others:
 *
 *   log P(c | x) = log P(c) + sum over single attributes of w_i log p(x_i | c) + sum over blocks of log p(x_B | c)
 *                - log evidence */
#ifndef CRD_CLASSIFY_JOINT_SCORER_H
#define CRD_CLASSIFY_JOINT_SCORER_H

#include "classify/classifier_internal.h"

/* The blocks that the classifier's settings name; it begins with a scorer of naive Bayes, whose weights can be set.
 * CRD_ERROR_SETTING where the model has not kept what a block is derived from. */
CRD_MUST_USE crd_status crd_i_joint_scorer_derive(crd_classifier *classifier, const crd_model *model,
                                                  const crd_i_schema_view *order, crd_error *error);

/* Whether, under these settings, a joint density of numbers is fitted to rows. */
bool crd_i_joint_scorer_fits_rows(const crd_settings *settings);

#endif
