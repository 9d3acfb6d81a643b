/* SPDX-License-Identifier: MIT */
/* credence/combine.h - Bayesian combination of models: each model is a hypothesis with a probability, and the models
 * predict together.
 *
 *   P(h | D) = P(D | h) P(h) / sum over h' of P(D | h') P(h')
 *
 *   crd_hypotheses_create(context, &hypotheses, &error);
 *   crd_hypotheses_add(hypotheses, name, model, 1, &error);                    for each model
 *   crd_hypotheses_weigh(hypotheses, reader, CRD_LIKELIHOOD_NONE, &error);     posteriors from the rows D
 *   crd_hypotheses_combine(hypotheses, CRD_COMBINE_OPTIMAL, 0, &combined, &error);
 *
 * A hypothesis h is a model with a prior P(h). You can compute the posteriors P(h | D) from rows D or specify them. The
 * combined model predicts by a rule. You can create classifiers from it and save it like any other model. It contains
 * no statistics of its own, so learning, forgetting, merging, queries and sampling return CRD_ERROR_ARGUMENT. */
#ifndef CREDENCE_COMBINE_H
#define CREDENCE_COMBINE_H

#ifndef CRD_EXPERIMENTAL
#error "credence/combine.h is experimental: define CRD_EXPERIMENTAL before you include it"
#endif

#include <credence/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A set of models with priors and posteriors. */
typedef struct crd_hypotheses crd_hypotheses;

/* The probability that is used as the likelihood P(D | h) of the rows D. */
typedef enum crd_likelihood {
    /* In crd_hypothesis: no rows were used. As an argument: CLOSED if all hypotheses have a closed form and the same
     * columns, otherwise CLASSES. */
    CRD_LIKELIHOOD_NONE = 0,
    /* The probability of whole rows, with the model's parameters integrated out: the marginal likelihood, given the
     * rows that the model has learned. */
    CRD_LIKELIHOOD_CLOSED = 1,
    /* The probability of whole rows, each computed by the fixed model. As an argument: CLOSED if all hypotheses have a
     * closed form. It is an error if the models have different columns, because such probabilities are not
     * comparable. */
    CRD_LIKELIHOOD_ROWS = 2,
    CRD_LIKELIHOOD_CLASSES = 3 /* the probability of each row's class given its values, computed by the fixed model */
} crd_likelihood;

/* A model with its prior and posterior. Initialize it with CRD_HYPOTHESIS_INIT. */
typedef struct crd_hypothesis {
    size_t size;
    crd_text name; /* name and model live as long as the crd_hypotheses object */
    const crd_model *model;
    double prior;          /* normalized: the priors of all hypotheses sum to 1 */
    double log_likelihood; /* log P(D | h); 0 if no rows were used */
    crd_likelihood likelihood;
    double impossible; /* number (or weight) of rows with probability 0 under this hypothesis */
    double posterior;  /* P(h | D), normalized; equal to the prior before rows are used */
} crd_hypothesis;

#define CRD_HYPOTHESIS_INIT                                                                                            \
    { sizeof(crd_hypothesis), {NULL, 0}, NULL, 0, 0, CRD_LIKELIHOOD_NONE, 0, 0 }

/* Creates an empty set of hypotheses in *out. Destroy it with crd_hypotheses_destroy. */
CRD_API CRD_MUST_USE crd_status crd_hypotheses_create(crd_context *context, crd_hypotheses **out, crd_error *error);
/* Frees the hypotheses and their models. NULL is allowed. */
CRD_API void crd_hypotheses_destroy(crd_hypotheses *hypotheses);

/* Adds a copy of `model` as a hypothesis. The model must have learned rows and belong to the same context. All models
 * need the same target and the same types for the columns that they share (CRD_ERROR_SCHEMA_DIFFERS). `prior` must be
 * finite and at least 0 (CRD_ERROR_PROBABILITY). Only the ratios of the priors matter. Posteriors computed before are
 * reset to the priors. CRD_ERROR_ARGUMENT: the model is a combined model or belongs to another context. */
CRD_API CRD_MUST_USE crd_status crd_hypotheses_add(crd_hypotheses *hypotheses, crd_text name, const crd_model *model,
                                                   double prior, crd_error *error);
/* Returns the number of hypotheses. */
CRD_API size_t crd_hypotheses_count(const crd_hypotheses *hypotheses);
/* Writes hypothesis `index` to *out. CRD_ERROR_ARGUMENT: `index` is out of range. */
CRD_API CRD_MUST_USE crd_status crd_hypotheses_at(const crd_hypotheses *hypotheses, size_t index, crd_hypothesis *out,
                                                  crd_error *error);

/* Specifies the posteriors, one per hypothesis. Only their ratios matter. CRD_ERROR_PROBABILITY: a number is negative
 * or not finite, or all are 0. */
CRD_API CRD_MUST_USE crd_status crd_hypotheses_set_posterior(crd_hypotheses *hypotheses, const double *posterior,
                                                             crd_error *error);
/* Computes the posteriors from the rows of a new reader, which the call binds. The result does not depend on the order
 * of the rows or on the number of threads. If `reader` is NULL, it uses the rows that the models have learned, by the
 * marginal likelihood (CRD_LIKELIHOOD_CLOSED). Then every model must have learned the same number of rows of each
 * class. On failure all posteriors are reset to the priors.
 *
 * CRD_ERROR_ARGUMENT: the set is empty, or the requested likelihood is not possible; the message gives the
 * reason. CRD_ERROR_EMPTY: no row has a class. CRD_ERROR_PROBABILITY: the rows are impossible under every hypothesis,
 * or all priors are 0. */
CRD_API CRD_MUST_USE crd_status crd_hypotheses_weigh(crd_hypotheses *hypotheses, crd_reader *reader,
                                                     crd_likelihood likelihood, crd_error *error);

/* How a combined model predicts. */
typedef enum crd_combine_rule {
    /* Bayes optimal (model averaging): the mean of the class posteriors of all models, weighted by the posteriors of
     * the hypotheses. */
    CRD_COMBINE_OPTIMAL = 0,
    /* Gibbs: one model per row, drawn from the posterior. The draw depends on the row's values and the seed. */
    CRD_COMBINE_GIBBS = 1,
    CRD_COMBINE_MAP = 2, /* the model with the largest posterior; ties go to the first */
    CRD_COMBINE_ML = 3   /* the model with the largest likelihood (posterior / prior); ties go to the first */
} crd_combine_rule;

/* Creates the combined model in *out. It has all classes, columns and values that occur in any of the models. `seed` is
 * used only by CRD_COMBINE_GIBBS. The caller destroys *out. CRD_ERROR_ARGUMENT: the set is empty, or the rule is
 * unknown. CRD_ERROR_PROBABILITY: all posteriors are 0. */
CRD_API CRD_MUST_USE crd_status crd_hypotheses_combine(const crd_hypotheses *hypotheses, crd_combine_rule rule,
                                                       uint64_t seed, crd_model **out, crd_error *error);

/* ---- Members of a combined model ---- */

/* A member of a combined model. Initialize it with CRD_MEMBER_INIT. */
typedef struct crd_member {
    size_t size;
    crd_text name;
    const crd_model *model; /* lives as long as the combined model */
    double weight;          /* the weights sum to 1; under MAP and ML, the chosen member has weight 1 */
} crd_member;

#define CRD_MEMBER_INIT                                                                                                \
    { sizeof(crd_member), {NULL, 0}, NULL, 0 }

/* Returns the number of members of a combined model. Returns 0 for all other models. */
CRD_API size_t crd_model_member_count(const crd_model *model);
/* Writes a member of a combined model to *out. CRD_ERROR_ARGUMENT: `member` is out of range. */
CRD_API CRD_MUST_USE crd_status crd_model_member(const crd_model *model, size_t member, crd_member *out,
                                                 crd_error *error);
/* Returns the rule by which a combined model predicts. Returns CRD_COMBINE_OPTIMAL for all other models. */
CRD_API crd_combine_rule crd_model_rule(const crd_model *model);
/* Returns the seed of CRD_COMBINE_GIBBS. Returns 0 for other rules and models. */
CRD_API uint64_t crd_model_seed(const crd_model *model);
/* Returns the name of a rule: "optimal", "gibbs", "map" or "ml". Returns "" for an unknown rule. */
CRD_API const char *crd_combine_rule_name(crd_combine_rule rule);

#ifdef __cplusplus
}
#endif
#endif
