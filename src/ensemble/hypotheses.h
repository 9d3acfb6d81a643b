/* SPDX-License-Identifier: MIT */
/* hypotheses.h - models with priors, which data weigh. */
#ifndef CRD_ENSEMBLE_HYPOTHESES_H
#define CRD_ENSEMBLE_HYPOTHESES_H

#include "classify/classifier_internal.h"
#include "model/model_internal.h"

#include <credence/combine.h>

typedef struct crd_i_hypothesis {
    crd_text name;
    crd_model *model;
    crd_classifier *classifier; /* of the model, under its own settings */
    double prior;               /* as stated */
    double log_likelihood, impossible, posterior;
    crd_likelihood likelihood;
} crd_i_hypothesis;

struct crd_hypotheses {
    crd_context *context;
    crd_i_hypothesis *each;
    size_t count, capacity;
    crd_model *all; /* the columns, classes and values of all; NULL: there are none yet */
};

/* Whether the probability of rows has a closed form under a hypothesis; `from_nothing`, also of its first rows. Else
 * *why is the reason. */
bool crd_i_marginal_exists(const crd_i_hypothesis *hypothesis, bool from_nothing, const char **why);
/* The logarithm of the probability of the rows that `rows` has tallied, after what the hypothesis has learned, or
 * from_nothing, before it had learned anything. `all` has the columns and values of all hypotheses. *impossible is how
 * many rows are of classes that the hypothesis does not know, or gives no probability. */
CRD_MUST_USE crd_status crd_i_marginal_log(const crd_i_hypothesis *hypothesis, const crd_model *all,
                                           const crd_model *rows, bool from_nothing, double *out, double *impossible,
                                           crd_error *error);

#endif
