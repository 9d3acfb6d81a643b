/* SPDX-License-Identifier: MIT */
/* naive_scorer.h - naive Bayes: attributes are independent given the class,
 *
 *   log P(c | x) = log P(c) + sum over i of w_i log p(x_i | c) - log evidence
 *
 * with a weight w_i on each attribute, which is 1 in plain naive Bayes. */
#ifndef CRD_CLASSIFY_NAIVE_SCORER_H
#define CRD_CLASSIFY_NAIVE_SCORER_H

#include "classify/classifier_internal.h"

/* Other scorers that add to these terms begin with it. */
typedef struct crd_i_naive_scorer {
    crd_i_scorer base;
    double *weights; /* of each attribute's own density; NULL: all 1 */
} crd_i_naive_scorer;

/* Makes it the classifier's. */
CRD_MUST_USE crd_status crd_i_naive_scorer_create(crd_classifier *classifier, crd_error *error);
/* Takes over the weights, of a scorer that begins with one of naive Bayes. */
void crd_i_naive_scorer_set_weights(crd_i_scorer *scorer, double *weights);
double crd_i_naive_scorer_weight(const crd_i_scorer *scorer, size_t attribute);

/* Adds the weighted terms of all attributes that are not scored together with others. The row's scratch has room for
 * all classes. */
void crd_i_naive_scorer_add(const crd_i_naive_scorer *scorer, const crd_i_scored_row *row, double *sums);

/* CRD_ERROR_SETTING where the classifier is more than naive Bayes, which `what`, such as "draws take", needs alone.
 * `instead` names what else there is to use, such as ", or predict". */
CRD_MUST_USE crd_status crd_i_naive_scorer_require(const crd_classifier *classifier, const char *what,
                                                   const char *instead, crd_error *error);

#endif
