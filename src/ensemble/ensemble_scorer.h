/* SPDX-License-Identifier: MIT */
/* ensemble_scorer.h - several classifiers that answer as one: each is asked about the row, and their answers are pooled.
 *
 * Members may have been derived from different models: attributes, their values and the classes meet by name. A member
 * for which all classes are impossible has no vote in that row. */
#ifndef CRD_ENSEMBLE_ENSEMBLE_SCORER_H
#define CRD_ENSEMBLE_ENSEMBLE_SCORER_H

#include "classify/classifier_internal.h"

typedef enum crd_i_ensemble_rule {
    CRD_I_ENSEMBLE_AVERAGE, /* the Bayes optimal answer: probabilities weighed by those of the members */
    CRD_I_ENSEMBLE_GIBBS,   /* one member drawn for each row by the members' probabilities */
    CRD_I_ENSEMBLE_PRODUCT, /* probabilities raised to the members' weights and multiplied, times a factor a class */
    CRD_I_ENSEMBLE_VOTE     /* each member's weight is a log odds for the class that it decides for */
} crd_i_ensemble_rule;

typedef struct crd_i_ensemble_member {
    crd_classifier *classifier;
    double weight;
    size_t *attributes; /* of each of its attributes, that of the owner */
    int32_t **codes;    /* of each of its attributes that are categories, at the owner's code + 1 its own */
    int32_t *classes;   /* of each of its classes, that of the owner */
} crd_i_ensemble_member;

typedef struct crd_i_ensemble_scorer {
    crd_i_scorer base;
    crd_i_ensemble_rule rule;
    uint64_t seed; /* of GIBBS */
    crd_i_ensemble_member *members;
    size_t count, capacity;
    double *offsets; /* of PRODUCT: the logarithm of each class's factor, in the owner's order; NULL: all 0 */
} crd_i_ensemble_scorer;

/* Makes it the owner's, without members yet; all attributes of the owner are scored together from then on. */
CRD_MUST_USE crd_status crd_i_ensemble_scorer_create(crd_classifier *owner, crd_i_ensemble_rule rule, uint64_t seed,
                                                     crd_i_ensemble_scorer **out, crd_error *error);
/* Takes over the member, also when it fails. All its attributes and classes are among the owner's, of the same kinds.
 * Weights of AVERAGE and GIBBS are above zero or zero, and sum to about 1. */
CRD_MUST_USE crd_status crd_i_ensemble_scorer_add(crd_i_ensemble_scorer *ensemble, const crd_classifier *owner,
                                                  crd_classifier *member, double weight, crd_error *error);

/* Answers of members pooled by the rule: of each member the log posteriors in the owner's classes (all -INFINITY: it
 * has no vote) and the log evidence. `draw`, from 0 up to below 1, is for GIBBS. log_posterior gets sums that are
 * yet to be normalised; returns the log evidence. */
double crd_i_ensemble_scorer_join(const crd_i_ensemble_scorer *ensemble, size_t classes, const double *logs,
                                  const double *evidences, double draw, double *log_posterior);

#endif
