/* SPDX-License-Identifier: MIT */
/* hypotheses.h - Bayesian model combination: models with prior probabilities, and posterior probabilities given
 * data. */
#ifndef CRD_ENSEMBLE_HYPOTHESES_H
#define CRD_ENSEMBLE_HYPOTHESES_H

#include "classify/classifier_internal.h"
#include "model/model_internal.h"

#include <credence/combine.h>

typedef struct crd_i_hypothesis {
    crd_text name;
    crd_model *model;
    crd_classifier *classifier; /* classifier of the model under its own settings */
    double prior;               /* specified prior weight, not normalized */
    double log_likelihood, impossible, posterior;
    crd_likelihood likelihood;
} crd_i_hypothesis;

struct crd_hypotheses {
    crd_context *context;
    crd_i_hypothesis *each;
    size_t count, capacity;
    crd_model *all; /* a model with the columns, classes and values of all hypotheses; NULL: none were added yet */
};

/* Returns whether the marginal likelihood has a closed form under a hypothesis; with `from_nothing`, also for the
 * hypothesis's own training rows. If not, *why is the reason. */
bool crd_i_marginal_exists(const crd_i_hypothesis *hypothesis, bool from_nothing, const char **why);
/* Computes the log marginal likelihood of the rows counted in `rows`, given what the hypothesis has learned; with
 * `from_nothing`, before it learned anything. `all` contains the columns and values of all hypotheses. *impossible is
 * the number of rows whose class the hypothesis does not have, or gives probability 0. */
CRD_MUST_USE crd_status crd_i_marginal_log(const crd_i_hypothesis *hypothesis, const crd_model *all,
                                           const crd_model *rows, bool from_nothing, double *out, double *impossible,
                                           crd_error *error);

#endif
