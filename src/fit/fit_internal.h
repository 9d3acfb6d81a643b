/* SPDX-License-Identifier: MIT */
/* fit_internal.h - scorers and settings that are fitted to held-out rows: attribute weights, the pairwise model,
 * calibration, family selection and word weights.
 *
 * Contents:
 *   1. Attribute weights
 *   2. Pairwise log-linear model
 *   3. Calibration
 *   4. Family selection
 *   5. Word weights
 *   6. Unknown words
 *   7. Methods */
#ifndef CRD_FIT_FIT_INTERNAL_H
#define CRD_FIT_FIT_INTERNAL_H

#include "classify/classifier_internal.h"
#include "fit/held_out.h"
#include "model/model_internal.h"

/* ======== 1. Attribute weights ========
 *
 * Weighted naive Bayes has a weight for each attribute's log density. Without weights, evidence that dependent
 * attributes share is counted several times.
 *
 *   P(c | x) is proportional to P(c) p(x_1 | c)^w_1 p(x_2 | c)^w_2 ...
 *
 * The weights are nonnegative and maximize the conditional likelihood of held-out rows (held_out.h; compare Zaidi,
 * Cerquides, Carman and Webb 2013). An attribute with weight 0 is ignored. */

/* Sets the weights of a classifier's scorer, which must begin with a naive Bayes scorer. Uses the weights that the
 * model stores; if there are none, fits them now. Attributes without a density of their own get weight 1. Returns
 * CRD_ERROR_SETTING if weights must be fitted and the model stores no rows. */
CRD_MUST_USE crd_status crd_i_attribute_weights_derive(crd_classifier *classifier, const crd_model *model,
                                                       const crd_i_schema_view *view, crd_error *error);

/* ======== 2. Pairwise log-linear model ========
 *
 * The model has terms of every attribute and every pair of attributes, with fitted weights.
 *
 *   log P(c | x) = log P(c) + sum over i of w_i log P(x_i | c)
 *                + sum over pairs of v_ij [log P(x_j | c, x_i) - log P(x_j | c)] - log evidence
 *
 * Naive Bayes has w = 1 and v = 0. A tree-augmented model has v = 1 for the pairs of its tree. The weights are fitted
 * to held-out rows (held_out.h), beginning at naive Bayes. No structure is searched: pairs that add nothing keep
 * weights near zero. */

/* Derives the scorer. Uses the weights that the model stores; if there are none, fits them now. Returns
 * CRD_ERROR_SETTING if the model stores no pair counts or no rows. */
CRD_MUST_USE crd_status crd_i_pairwise_scorer_derive(crd_classifier *classifier, const crd_model *model,
                                                     const crd_i_schema_view *view, crd_error *error);

/* ======== 3. Calibration ========
 *
 * Any scorer, with its probabilities calibrated. */

/* Wraps the classifier's scorer. Uses the calibration that the model stores; if there is none, fits it now. */
CRD_MUST_USE crd_status crd_i_calibrated_scorer_derive(crd_classifier *classifier, const crd_model *model,
                                                       const crd_i_schema_view *view, crd_error *error);

/* ======== 4. Family selection ========
 *
 * The family auto: the family of a numeric column is chosen by how well each family predicts the classes of held-out
 * rows. */

/* Chooses the family of a column that has a tally. `classes` are the names of the view's conditions. Returns
 * CRD_ERROR_SETTING if the model does not store the tally grid. The caller frees *out with crd_free. */
CRD_MUST_USE crd_status crd_i_family_selection(const crd_model *model, size_t column, const crd_i_view *view,
                                               const crd_i_dictionary *classes, const crd_settings *settings,
                                               crd_i_comparison **out, crd_error *error);

/* ======== 5. Word weights ========
 *
 * Discriminative weights of the terms of texts, one for each term and class, by maximum conditional likelihood.
 *
 * The naive Bayes weight of a term does not depend on the other terms of a text. These weights are fitted to the stored
 * texts together, by ridge-penalized logistic regression (math/logistic_newton.h). The features are unit vectors of
 * log(1 + x) times the inverse document frequency, with x the number of occurrences
 * (density/univariate/term_density.h). Priors and the terms of non-text attributes stay unchanged. Several penalties
 * are tried, and the penalty with the lowest loss on a held-out fold is used. */

/* Returns whether the classifier has a text attribute with a density of its own. */
bool crd_i_word_weights_apply(const crd_classifier *classifier);
/* Sets the weights in the densities of text attributes. `exponents` are the weights of all other attributes. Uses the
 * weights that the model stores; if there are none, fits them now. */
CRD_MUST_USE crd_status crd_i_word_weights_derive(crd_classifier *classifier, const crd_model *model,
                                                  const crd_i_held_out *inner, const double *exponents,
                                                  crd_error *error);

/* ======== 6. Unknown words ========
 *
 * Probabilities are less certain the more words of a row's texts did not occur in training.
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

/* ======== 7. Methods ======== */

/* A value of the setting `method`. */
typedef struct crd_i_method_entry {
    /* Derives the scorer of a classifier that already has priors and densities. */
    crd_status (*derive)(crd_classifier *classifier, const crd_model *model, const crd_i_schema_view *view,
                         crd_error *error);
    /* completes the error "..., which ..." if joint or attribute-weights is set; NULL: both are supported */
    const char *takes_all;
    bool is_fitted; /* it fits parameters to rows, which a model can store */
} crd_i_method_entry;

/* The methods, indexed by crd_i_method. Ensembles are among them, so the table is in ensemble/method_table.c. */
extern const crd_i_method_entry crd_i_methods[CRD_I_METHOD_COUNT];

#endif
