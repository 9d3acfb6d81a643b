/* SPDX-License-Identifier: MIT */
/* naive_scorer.h - naive Bayes: attributes are independent given the class,
 *
 *   log P(c | x) = log P(c) + sum over i of w_i log p(x_i | c) - log evidence
 *
 * with a weight w_i on each attribute, which is 1 in plain naive Bayes. */
#ifndef CRD_CLASSIFY_NAIVE_SCORER_H
#define CRD_CLASSIFY_NAIVE_SCORER_H

#include "classify/classifier_internal.h"

/* First member of other scorers that add to these terms. */
typedef struct crd_i_naive_scorer {
    crd_i_scorer base;
    double *weights; /* weight of each attribute's own density; NULL: all 1 */
} crd_i_naive_scorer;

/* Creates the scorer and assigns it to the classifier. */
CRD_MUST_USE crd_status crd_i_naive_scorer_create(crd_classifier *classifier, crd_error *error);
/* Takes ownership of the weights. The scorer must begin with a naive Bayes scorer. */
void crd_i_naive_scorer_set_weights(crd_i_scorer *scorer, double *weights);
double crd_i_naive_scorer_weight(const crd_i_scorer *scorer, size_t attribute);

/* Adds the weighted terms of all attributes that are not scored jointly. The row's scratch must have room for all
 * classes. */
void crd_i_naive_scorer_add(const crd_i_naive_scorer *scorer, const crd_i_scored_row *row, double *sums);

/* Returns CRD_ERROR_SETTING if the classifier is not plain naive Bayes, which `description`, such as "draws take",
 * requires. `instead` names an alternative, such as ", or predict". */
CRD_MUST_USE crd_status crd_i_naive_scorer_require(const crd_classifier *classifier, const char *description,
                                                   const char *instead, crd_error *error);

#endif
