/* SPDX-License-Identifier: MIT */
/* credence/bayes.h - Bayes' rule on plain numbers: a finite set of hypotheses h with priors P(h), and outcomes o with
 * likelihoods P(o | h).
 *
 *   P(h | o) = P(o | h) P(h) / sum over h' of P(o | h') P(h')
 *
 *   crd_bayes_create(context, &bayes, &error);
 *   crd_bayes_prior(bayes, ill, 0.01, &error);                   then the likelihoods:
 *   crd_bayes_likelihood(bayes, positive, ill, 0.9, &error);
 *   crd_bayes_likelihood(bayes, positive, healthy, 0.05, &error);
 *   crd_bayes_outcome(bayes, negative, &error);
 *   crd_bayes_finish(bayes, &error);                             P(healthy) = 0.99, P(negative | ill) = 0.1, ...
 *   crd_bayes_observe(bayes, positive, NULL, NULL, &error);
 *   bayes->posterior[0]                                        P(ill | positive) = 0.1538
 *
 * First specify priors, likelihoods and predictions of the hypotheses, in any order. Then call crd_bayes_finish, which
 * infers missing numbers and checks all of them. Then observe outcomes and read posteriors. Hypotheses, outcomes and
 * predicted answers are numbered from 0 in the order in which you first name them. */
#ifndef CREDENCE_BAYES_H
#define CREDENCE_BAYES_H

#ifndef CRD_EXPERIMENTAL
#error "credence/bayes.h is experimental: define CRD_EXPERIMENTAL before you include it"
#endif

#include <credence/credence.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A set of hypotheses with priors, likelihoods and the outcomes observed so far. Read-only. Except for
 * hypothesis_count, the members are valid after crd_bayes_finish. */
typedef struct crd_bayes {
    void *arena; /* for the library */
    size_t hypothesis_count, outcome_count, answer_count;
    crd_text *hypotheses, *outcomes, *answers; /* names */
    double *prior;                             /* of each hypothesis */
    unsigned char *prior_inferred;             /* whether crd_bayes_finish inferred the prior */
    double *likelihood;                        /* likelihood[outcome * hypothesis_count + hypothesis] */
    unsigned char *likelihood_inferred;
    int32_t *answer; /* the answer that each hypothesis predicts; -1 if no answers were specified */
    /* Given all observed outcomes; crd_bayes_observe changes them. Before the first outcome the posteriors are the
     * priors. */
    double *posterior;
    double log_evidence;               /* natural logarithm of the probability of all observed outcomes */
    struct crd_bayes_statements *data; /* for the library */
} crd_bayes;

/* Creates an empty set of hypotheses in *out. Destroy it with crd_bayes_destroy. */
CRD_API CRD_MUST_USE crd_status crd_bayes_create(crd_context *context, crd_bayes **out, crd_error *error);
/* Frees the set. `bayes` may be NULL. */
CRD_API void crd_bayes_destroy(crd_bayes *bayes);

/* ---- Specification: priors, likelihoods and predictions ---- */

/* Specifies the prior P(hypothesis) = p. CRD_ERROR_PROBABILITY: p is not between 0 and 1, or the prior was already
 * specified. CRD_ERROR_ARGUMENT: crd_bayes_finish was already called. */
CRD_API CRD_MUST_USE crd_status crd_bayes_prior(crd_bayes *bayes, crd_text hypothesis, double p, crd_error *error);
/* Specifies the likelihood P(outcome | hypothesis) = p. CRD_ERROR_PROBABILITY: p is not between 0 and 1, or the
 * likelihood was already specified. CRD_ERROR_ARGUMENT: crd_bayes_finish was already called. */
CRD_API CRD_MUST_USE crd_status crd_bayes_likelihood(crd_bayes *bayes, crd_text outcome, crd_text hypothesis, double p,
                                                     crd_error *error);
/* Specifies the answer that a hypothesis predicts, for example a class. Several hypotheses may predict the same answer.
 * CRD_ERROR_PROBABILITY: the hypothesis already has an answer. CRD_ERROR_ARGUMENT: crd_bayes_finish was already
 * called. */
CRD_API CRD_MUST_USE crd_status crd_bayes_hypothesis_answer(crd_bayes *bayes, crd_text hypothesis, crd_text answer,
                                                            crd_error *error);
/* Adds an outcome without a likelihood. crd_bayes_finish infers its likelihoods. CRD_ERROR_ARGUMENT: crd_bayes_finish
 * was already called. */
CRD_API CRD_MUST_USE crd_status crd_bayes_outcome(crd_bayes *bayes, crd_text outcome, crd_error *error);

/* The tolerance for sums of probabilities: they may differ from 1 by this much. */
#define CRD_BAYES_SLACK 1e-6

/* Infers missing numbers and checks that all numbers are consistent. Afterwards nothing more can be specified.
 *
 * - If no prior is specified, all priors are equal. If one hypothesis lacks a prior, it gets the remaining probability.
 * - If the likelihood of one outcome is missing under a hypothesis, it is the remaining probability.
 * - The priors must sum to 1. The likelihoods under a hypothesis must not sum to more than 1.
 * - If some hypotheses have an answer, all of them need an answer.
 *
 * CRD_ERROR_PROBABILITY: one of these checks failed, or the set is empty. The message names the missing number
 * or the excess of the sum. After a failure you can only destroy the set. */
CRD_API CRD_MUST_USE crd_status crd_bayes_finish(crd_bayes *bayes, crd_error *error);

/* ---- Results: call these functions only after crd_bayes_finish ---- */

/* Observes one outcome: multiplies the posterior of each hypothesis by the likelihood and normalizes the products. Call
 * it again for further outcomes, which are conditionally independent given the hypothesis. `joint` receives the
 * products before normalization, one per hypothesis. *evidence receives their sum: the probability of the outcome given
 * the outcomes observed before. Both may be NULL. CRD_ERROR_PROBABILITY: the outcome is unknown, or its probability is
 * 0 under every remaining hypothesis. Then nothing changes. */
CRD_API CRD_MUST_USE crd_status crd_bayes_observe(crd_bayes *bayes, crd_text outcome, double *joint, double *evidence,
                                                  crd_error *error);

/* Returns the maximum a posteriori (MAP) hypothesis: the hypothesis with the largest posterior. Posteriors tie if their
 * relative difference is at most 1e-12; then it returns the first. Sets *tied to the number of tied hypotheses; `tied`
 * may be NULL. */
CRD_API size_t crd_bayes_map(const crd_bayes *bayes, size_t *tied);
/* Returns the maximum likelihood hypothesis for all observed outcomes. Before the first outcome all likelihoods are 1.
 * Log likelihoods tie if their relative difference is at most 1e-12; then it returns the first. Sets *tied to the
 * number of tied hypotheses; `tied` may be NULL. */
CRD_API size_t crd_bayes_ml(const crd_bayes *bayes, size_t *tied);

/* Returns the probability that the MAP hypothesis is correct after one more outcome, averaged over the outcomes: the
 * sum over outcomes o of max over h of P(o | h) P(h), where P(h) is the current posterior. The probability that remains
 * under each hypothesis counts as one more outcome. Returns NaN without outcomes. */
CRD_API double crd_bayes_accuracy(const crd_bayes *bayes);

/* ---- Answers that the hypotheses predict ---- */

/* Returns the posterior weight of an answer: the sum of the posteriors of the hypotheses that predict it. The Bayes
 * optimal classifier chooses the answer with the largest weight. The Gibbs classifier, which draws one hypothesis from
 * the posterior, returns an answer with a probability equal to its weight (Mitchell, Machine Learning, 1997, 6.7 and
 * 6.8). */
CRD_API double crd_bayes_answer_weight(const crd_bayes *bayes, size_t answer);
/* Returns the Bayes optimal answer: the answer with the largest weight. Weights tie if they differ by at most 1e-12;
 * then it returns the first. Sets *tied to the number of tied answers; `tied` may be NULL. Do not call it if no answers
 * were specified. */
CRD_API size_t crd_bayes_optimal(const crd_bayes *bayes, size_t *tied);

#ifdef __cplusplus
}
#endif
#endif
