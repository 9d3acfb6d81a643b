/* SPDX-License-Identifier: MIT */
/* pairwise_scorer.h - a log-linear model of every attribute and every pair of attributes, with fitted weights:
 *
 *   log P(c | x) = log P(c) + sum over i of w_i log P(x_i | c)
 *                + sum over pairs of v_ij [log P(x_j | c, x_i) - log P(x_j | c)] - log evidence
 *
 * Naive Bayes has w = 1 and v = 0; one whose attributes depend on each other as a tree has v = 1 on the tree's pairs. The
 * weights are fitted to rows that were held out (fold_weights.h), beginning at naive Bayes; no structure is searched for:
 * pairs that add nothing stay near zero. */
#ifndef CRD_FIT_PAIRWISE_SCORER_H
#define CRD_FIT_PAIRWISE_SCORER_H

#include "classify/classifier_internal.h"

/* The weights are those that the model has, or else that are fitted now. CRD_ERROR_SETTING where the model has kept no
 * pairs, or no rows. */
CRD_MUST_USE crd_status crd_i_pairwise_scorer_derive(crd_classifier *classifier, const crd_model *model,
                                                     const crd_i_schema_view *view, crd_error *error);

#endif
