/* SPDX-License-Identifier: MIT */
/* ensemble_scorer.h - an ensemble: several classifiers score the row, and a rule combines their predictions.
 *
 * Members may be derived from different models. Attributes, values and classes are matched by name. A member for which
 * all classes have probability 0 is ignored for that row. */
#ifndef CRD_ENSEMBLE_ENSEMBLE_SCORER_H
#define CRD_ENSEMBLE_ENSEMBLE_SCORER_H

#include "classify/classifier_internal.h"

typedef enum crd_i_ensemble_rule {
    /* Bayes optimal: the mean of the members' probabilities, weighted by the members' weights */
    CRD_I_ENSEMBLE_AVERAGE,
    CRD_I_ENSEMBLE_GIBBS, /* one random member for each row, drawn with the members' weights as probabilities */
    /* product of the members' probabilities, each raised to the member's weight, times a factor per class */
    CRD_I_ENSEMBLE_PRODUCT,
    CRD_I_ENSEMBLE_VOTE /* each member adds its weight, a log odds, to the class that it predicts */
} crd_i_ensemble_rule;

typedef struct crd_i_ensemble_member {
    crd_classifier *classifier;
    double weight;
    size_t *attributes; /* for each attribute of the member: the owner's attribute */
    int32_t **codes;    /* for each categorical attribute: the member's code, indexed by the owner's code + 1 */
    int32_t *classes;   /* for each class of the member: the owner's class */
} crd_i_ensemble_member;

typedef struct crd_i_ensemble_scorer {
    crd_i_scorer base;
    crd_i_ensemble_rule rule;
    uint64_t seed; /* random seed of GIBBS */
    crd_i_ensemble_member *members;
    size_t count, capacity;
    double *offsets; /* for PRODUCT: the logarithm of each class's factor, in the owner's order; NULL: all 0 */
} crd_i_ensemble_scorer;

/* Creates a scorer without members and assigns it to the owner. All attributes of the owner are scored jointly from
 * then on. */
CRD_MUST_USE crd_status crd_i_ensemble_scorer_create(crd_classifier *owner, crd_i_ensemble_rule rule, uint64_t seed,
                                                     crd_i_ensemble_scorer **out, crd_error *error);
/* Adds a member and takes ownership of it, also on failure. Its attributes and classes must be among the owner's, with
 * the same types. The weights of AVERAGE and GIBBS are not negative and sum to about 1. */
CRD_MUST_USE crd_status crd_i_ensemble_scorer_add(crd_i_ensemble_scorer *ensemble, const crd_classifier *owner,
                                                  crd_classifier *member, double weight, crd_error *error);

/* Combines the members' predictions by the rule. For each member, `logs` contains the log posteriors in the owner's
 * classes (all -INFINITY: ignore the member), and `evidences` the log evidence. `draw`, in [0, 1), is used by GIBBS.
 * Sets log_posterior to sums that are not normalized yet, and returns the log evidence. */
double crd_i_ensemble_scorer_join(const crd_i_ensemble_scorer *ensemble, size_t classes, const double *logs,
                                  const double *evidences, double draw, double *log_posterior);

#endif
