/* SPDX-License-Identifier: MIT */
/* known_words_scorer.h - probabilities that are less certain the more words of a row's texts did not occur in training.
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
#ifndef CRD_FIT_KNOWN_WORDS_SCORER_H
#define CRD_FIT_KNOWN_WORDS_SCORER_H

#include "classify/classifier_internal.h"

/* Wraps the classifier's scorer. Does nothing if the classifier has no text attributes. */
CRD_MUST_USE crd_status crd_i_known_words_scorer_derive(crd_classifier *classifier, crd_error *error);

#endif
