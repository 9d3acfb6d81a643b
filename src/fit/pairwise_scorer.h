/* SPDX-License-Identifier: MIT */
/* pairwise_scorer.h - a pairwise log-linear model: terms of every attribute and every pair of attributes, with fitted
 * weights.
 *
 *   log P(c | x) = log P(c) + sum over i of w_i log P(x_i | c)
 *                + sum over pairs of v_ij [log P(x_j | c, x_i) - log P(x_j | c)] - log evidence
 *
 * Naive Bayes has w = 1 and v = 0. A tree-augmented model has v = 1 for the pairs of its tree. The weights are fitted
 * to held-out rows (held_out.h), beginning at naive Bayes. No structure is searched: pairs that add nothing keep
 * weights near zero. */
#ifndef CRD_FIT_PAIRWISE_SCORER_H
#define CRD_FIT_PAIRWISE_SCORER_H

#include "classify/classifier_internal.h"

/* Derives the scorer. Uses the weights that the model stores; if there are none, fits them now. Returns
 * CRD_ERROR_SETTING if the model stores no pair counts or no rows. */
CRD_MUST_USE crd_status crd_i_pairwise_scorer_derive(crd_classifier *classifier, const crd_model *model,
                                                     const crd_i_schema_view *view, crd_error *error);

#endif
