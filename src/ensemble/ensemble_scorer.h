/* SPDX-License-Identifier: MIT */
/* ensemble_scorer.h - an ensemble: several classifiers score the row, and a rule combines their predictions.
 *
 * Members may be derived from different models. Attributes, values and classes are matched by name. A member for which
 * all classes have probability 0 is ignored for that row.
 *
 * Contents:
 *   1. The scorer
 *   2. Bagging and boosting
 *   3. Stacking
 *   4. Trees
 *   5. Models of members */
#ifndef CRD_ENSEMBLE_ENSEMBLE_SCORER_H
#define CRD_ENSEMBLE_ENSEMBLE_SCORER_H

#include "classify/classifier_internal.h"
#include "fit/held_out.h"
#include "model/model_internal.h"

#include <credence/combine.h>

/* ======== 1. The scorer ======== */

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

/* ======== 2. Bagging and boosting ========
 *
 * Many models of the same rows under different weights are combined into one prediction.
 *
 * Bagging (Breiman 1996) weighs each row by the number of times it would be drawn in a bootstrap sample, and averages
 * the members' probabilities. Boosting (Freund and Schapire 1997; SAMME for several classes: Zhu, Zou, Rosset and
 * Hastie 2009) increases the weights of rows that the previous members classified wrongly. A member with weighted error
 * e votes for its decision with weight log((1 - e) / e * (K - 1)), where K is the number of classes. Boosting uses
 * decisions, because naive Bayes probabilities are too extreme to show what the next member should learn.
 *
 * The members use the classifier's settings with naive Bayes as the method, and joint densities if specified. The
 * random draws for a row depend only on its content, not on its position. */

/* Derives the scorer of a classifier whose method is bagging or boosting. Returns CRD_ERROR_SETTING if the model stores
 * no rows. */
CRD_MUST_USE crd_status crd_i_resampled_derive(crd_classifier *classifier, const crd_model *model,
                                               const crd_i_schema_view *view, crd_error *error);

/* ======== 3. Stacking ========
 *
 * Classifiers of several methods over one model are combined by fitted weights (Wolpert 1992).
 *
 * The members are naive Bayes with fitted attribute weights, joint normal densities and joint mixtures of normals,
 * AODE, the pairwise log-linear model, and trees, unless there are texts. With member posteriors P_m, weights w_m and class factors f_c,
 *
 *   P(c | x) is proportional to f_c * product over m of P_m(c | x)^w_m
 *
 * The weights are nonnegative. Weights and factors maximize the likelihood of the classes of rows that were held out
 * from all members: in folds, or from the samples of trees. A member that adds nothing gets weight 0 and is dropped. A member is also dropped if its joint
 * tally grew too large and was dropped. */

/* Derives the scorer of a classifier whose method is the stacked ensemble. Returns CRD_ERROR_SETTING if the model
 * stores no rows. */
CRD_MUST_USE crd_status crd_i_stacking_derive(crd_classifier *classifier, const crd_model *model,
                                              const crd_i_schema_view *view, crd_error *error);

/* ======== 4. Trees ========
 *
 * Randomized decision trees, averaged over all their prunings, predict the class from numbers and categories
 * (tree_forest.h). Texts add their own densities. */

/* Derives the scorer of a classifier whose method is trees. Uses the forest that the model stores; if there is none,
 * grows one on the stored rows. Returns CRD_ERROR_SETTING if the model stores no rows, CRD_ERROR_LIMIT if there are too
 * many classes. */
CRD_MUST_USE crd_status crd_i_tree_scorer_derive(crd_classifier *classifier, const crd_model *model,
                                                 const crd_i_schema_view *view, crd_error *error);

/* Computes the logarithms of the trees' predictions for the stored rows, rows x classes, not normalized. Each row is
 * predicted by the trees that were grown without it. The classifier has no calibration. */
CRD_MUST_USE crd_status crd_i_tree_scorer_hold_out(const crd_classifier *classifier, const crd_i_held_out *inner,
                                                   double *logs, crd_error *error);

/* ======== 5. Models of members ========
 *
 * A model that combines other models declares the columns, classes and values of all its members. It has no rows of its
 * own. */

typedef struct crd_i_member {
    crd_text name;
    crd_model *model;
    double weight;
} crd_i_member;

typedef struct crd_i_members {
    crd_combine_rule rule;
    uint64_t seed; /* random seed of GIBBS; otherwise 0 */
    size_t count;
    crd_i_member *each;
} crd_i_members;

void crd_i_members_destroy(crd_context *context, crd_i_members *members);
/* Returns the members of a model; NULL if the model is of another kind. */
const crd_i_members *crd_i_members_of(const crd_model *model);

/* Creates a model with the columns and values of all models, without members. Returns CRD_ERROR_SCHEMA_DIFFERS if the
 * models are not compatible. */
CRD_MUST_USE crd_status crd_i_members_unite(crd_context *context, const crd_model *const *models, size_t count,
                                            crd_model **out, crd_error *error);
/* Creates the model that combines the members. Takes ownership of `members`, also on failure. */
CRD_MUST_USE crd_status crd_i_members_join(crd_context *context, crd_i_members *members, crd_model **out,
                                           crd_error *error);

#endif
