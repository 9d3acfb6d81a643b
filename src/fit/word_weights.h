/* SPDX-License-Identifier: MIT */
/* word_weights.h - discriminative weights of the terms of texts, one for each term and class, by maximum conditional
 * likelihood.
 *
 * The naive Bayes weight of a term does not depend on the other terms of a text. These weights are fitted to the stored
 * texts together, by ridge-penalized logistic regression (math/sparse_logistic.h). The features are unit vectors of
 * log(1 + x) times the inverse document frequency, with x the number of occurrences
 * (density/univariate/term_selection.h). Priors and the terms of non-text attributes stay unchanged. Several penalties
 * are tried, and the penalty with the lowest loss on a held-out fold is used. */
#ifndef CRD_FIT_WORD_WEIGHTS_H
#define CRD_FIT_WORD_WEIGHTS_H

#include "classify/classifier_internal.h"
#include "fit/held_out.h"

/* Returns whether the classifier has a text attribute with a density of its own. */
bool crd_i_word_weights_apply(const crd_classifier *classifier);
/* Sets the weights in the densities of text attributes. `exponents` are the weights of all other attributes. Uses the
 * weights that the model stores; if there are none, fits them now. */
CRD_MUST_USE crd_status crd_i_word_weights_derive(crd_classifier *classifier, const crd_model *model,
                                                  const crd_i_held_out *inner, const double *exponents,
                                                  crd_error *error);

/* ---- probabilities that are less certain the more words of a row's texts did not occur in training.
 *
 * Naive Bayes ignores unseen words. So it decides a message of an unknown kind by the few words that the message shares
 * with other mail, and these multiply to probabilities close to 1. An unseen word might be evidence for any class. So
 * each unseen word cancels a known one: with u the share of unseen words, the log odds relative to the prior are
 * multiplied by
 *
 *   max(0, 1 - u / (1 - u)).
 *
 * If half of the words are unseen, the posterior is the prior. u is the larger of two shares: the share among all
 * words, and the mean of the shares of the texts, weighted by the square root of their numbers of words. The evidence
 * of texts grows like that root (setting length), and short texts such as the sender show best whether a message is of
 * a known kind. */

/* Wraps the classifier's scorer. Does nothing if the classifier has no text attributes. */
CRD_MUST_USE crd_status crd_i_known_words_scorer_derive(crd_classifier *classifier, crd_error *error);

#endif
