/* SPDX-License-Identifier: MIT */
/* stacking.h - a stacked ensemble: classifiers of several methods over one model, combined by fitted weights (stacking;
 * Wolpert 1992).
 *
 * The members are naive Bayes with fitted attribute weights, joint normal densities and joint mixtures of normals,
 * AODE, and the pairwise log-linear model. With member posteriors P_m, weights w_m and class factors f_c,
 *
 *   P(c | x) is proportional to f_c * product over m of P_m(c | x)^w_m
 *
 * The weights are nonnegative. Weights and factors maximize the likelihood of the classes of rows that were held out
 * from all members. A member that adds nothing gets weight 0 and is dropped. A member is also dropped if its joint
 * tally grew too large and was dropped. */
#ifndef CRD_ENSEMBLE_STACKING_H
#define CRD_ENSEMBLE_STACKING_H

#include "classify/classifier_internal.h"

/* Derives the scorer of a classifier whose method is the stacked ensemble. Returns CRD_ERROR_SETTING if the model
 * stores no rows. */
CRD_MUST_USE crd_status crd_i_stacking_derive(crd_classifier *classifier, const crd_model *model,
                                              const crd_i_schema_view *view, crd_error *error);

#endif
