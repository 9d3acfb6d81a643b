/* SPDX-License-Identifier: MIT */
/* credence/combine.h - models as hypotheses: each has a probability, and they answer together.
 *
 * A hypothesis is a model with a prior. Rows D weigh hypotheses by P(h | D), which is P(D | h) P(h) over its sum; or
 * the weights are stated. The models then make one that answers by a rule: it is a model as others are, for classifiers
 * and for files. It has learned no rows itself: learning, forgetting, merging, queries and draws are
 * CRD_ERROR_ARGUMENT. */
#ifndef CREDENCE_COMBINE_H
#define CREDENCE_COMBINE_H

#include <credence/model.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct crd_hypotheses crd_hypotheses;

/* What P(D | h) is a probability of, and how it is found. */
typedef enum crd_likelihood {
    CRD_LIKELIHOOD_NONE = 0,   /* of a hypothesis: no data were used. To be chosen: CLOSED where all hypotheses
                                  have it and the same columns, else CLASSES */
    CRD_LIKELIHOOD_CLOSED = 1, /* of whole rows, after what the model has learned, its parameters integrated out */
    CRD_LIKELIHOOD_ROWS = 2,   /* of whole rows, each by the model as it is. To be chosen: CLOSED where all have it. It
                                  compares models of the same columns only, and others are refused */
    CRD_LIKELIHOOD_CLASSES = 3 /* of the rows' classes given their cells, each by the model as it is */
} crd_likelihood;

typedef struct crd_hypothesis {
    size_t size;
    crd_text name; /* lives as long as the hypotheses do, as does the model */
    const crd_model *model;
    double prior;          /* all of them sum to 1 */
    double log_likelihood; /* log P(D | h); 0 where no data were used */
    crd_likelihood likelihood;
    double impossible; /* how many rows cannot be, under this hypothesis */
    double posterior;  /* P(h | D); all of them sum to 1. Until there are any, it is the prior */
} crd_hypothesis;

#define CRD_HYPOTHESIS_INIT                                                                                            \
    { sizeof(crd_hypothesis), {NULL, 0}, NULL, 0, 0, CRD_LIKELIHOOD_NONE, 0, 0 }

CRD_API CRD_MUST_USE crd_status crd_hypotheses_create(crd_context *context, crd_hypotheses **out, crd_error *error);
CRD_API void crd_hypotheses_destroy(crd_hypotheses *hypotheses);

/* A copy of the model, which has learned rows, and is of the same context. The target has to be that of the others, and
 * so do kinds of columns that both have (CRD_ERROR_SCHEMA_DIFFERS). `prior` is finite and not below zero; only how the
 * priors compare counts. */
CRD_API CRD_MUST_USE crd_status crd_hypotheses_add(crd_hypotheses *hypotheses, crd_text name, const crd_model *model,
                                                   double prior, crd_error *error);
CRD_API size_t crd_hypotheses_count(const crd_hypotheses *hypotheses);
CRD_API CRD_MUST_USE crd_status crd_hypotheses_at(const crd_hypotheses *hypotheses, size_t index, crd_hypothesis *out,
                                                  crd_error *error);

/* Posteriors as they are stated, one a hypothesis; only how they compare counts. */
CRD_API CRD_MUST_USE crd_status crd_hypotheses_set_posterior(crd_hypotheses *hypotheses, const double *posterior,
                                                             crd_error *error);
/* Posteriors by the rows of a fresh reader, which the call binds; the result depends neither on their order nor on
 * threads. reader NULL: by the rows that each model has learned, which must be as many of each class in all of them;
 * then only CRD_LIKELIHOOD_CLOSED is possible (CRD_ERROR_ARGUMENT names what prevents it). CRD_ERROR_PROBABILITY where
 * the rows are impossible under every hypothesis. */
CRD_API CRD_MUST_USE crd_status crd_hypotheses_weigh(crd_hypotheses *hypotheses, crd_reader *reader,
                                                     crd_likelihood likelihood, crd_error *error);

typedef enum crd_combine_rule {
    CRD_COMBINE_OPTIMAL =
        0, /* Bayes optimal: the mean of all posteriors of classes, weighted by those of the hypotheses */
    CRD_COMBINE_GIBBS = 1, /* one drawn by the posteriors for each row: by the row's cells and the seed */
    CRD_COMBINE_MAP = 2,   /* the one of the greatest posterior; of several the first */
    CRD_COMBINE_ML = 3     /* the one of the greatest likelihood (posterior over prior); of several the first */
} crd_combine_rule;

/* The model that all make together. Its classes, columns and values are those that any of them has. */
CRD_API CRD_MUST_USE crd_status crd_hypotheses_combine(const crd_hypotheses *hypotheses, crd_combine_rule rule,
                                                       uint64_t seed, crd_model **out, crd_error *error);

/* ---- What such a model is made of ---- */

typedef struct crd_member {
    size_t size;
    crd_text name;
    const crd_model *model; /* lives as long as the model that it is a member of */
    double weight;          /* by MAP and ML 1 for the chosen one, and 0 for the others */
} crd_member;

#define CRD_MEMBER_INIT                                                                                                \
    { sizeof(crd_member), {NULL, 0}, NULL, 0 }

/* 0 for a model of rows. */
CRD_API size_t crd_model_member_count(const crd_model *model);
CRD_API CRD_MUST_USE crd_status crd_model_member(const crd_model *model, size_t member, crd_member *out,
                                                 crd_error *error);
/* The rule by which members answer, and the seed of GIBBS, else 0. */
CRD_API crd_combine_rule crd_model_rule(const crd_model *model);
CRD_API uint64_t crd_model_seed(const crd_model *model);
/* The rule's name: "optimal", "gibbs", "map", "ml". */
CRD_API const char *crd_combine_rule_name(crd_combine_rule rule);

#ifdef __cplusplus
}
#endif
#endif
