/* SPDX-License-Identifier: MIT */
/* stacking.h - classifiers of several methods over one model, answering as one.
 *
 * The members are naive Bayes with fitted exponents, numbers taken together as normal and as a mixture of normals, averaged
 * one-dependence estimators, and pairs to fitted powers: the posterior of each is raised to a weight and multiplied, times a factor for each
 * class. Weights, none below zero, and factors are those under which the classes of rows that were held out, from all
 * members, are most likely; so a member that adds nothing is left out, and so is
 * one that reads a joint tally that was given up since it became too large. */
#ifndef CRD_ENSEMBLE_STACKING_H
#define CRD_ENSEMBLE_STACKING_H

#include "classify/classifier_internal.h"

/* Gives the classifier, whose method this is, its scorer. */
CRD_MUST_USE crd_status crd_i_stacking_derive(crd_classifier *classifier, const crd_model *model,
                                              const crd_i_schema_view *view, crd_error *error);

#endif
