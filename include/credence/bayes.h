/* SPDX-License-Identifier: MIT */
/* credence/bayes.h - Bayes' rule on bare numbers: a finite set of hypotheses, their priors, the likelihoods of
 * outcomes.
 *
 * First state priors, likelihoods and answers, in any order; then finish, which fills in what follows from them and
 * checks that they are consistent; then observe outcomes and read posteriors. Hypotheses, outcomes and answers are numbered in the
 * order in which they were first named. */
#ifndef CREDENCE_BAYES_H
#define CREDENCE_BAYES_H

#include <credence/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct crd_bayes crd_bayes;

CRD_API CRD_MUST_USE crd_status crd_bayes_create(crd_context *context, crd_bayes **out, crd_error *error);
CRD_API void crd_bayes_destroy(crd_bayes *bayes);

/* ---- What is known ---- */

/* P(hypothesis), P(outcome | hypothesis), and the answer that a hypothesis gives to the question at hand. What was
 * stated already, or is no probability, is CRD_ERROR_PROBABILITY. */
CRD_API CRD_MUST_USE crd_status crd_bayes_prior(crd_bayes *bayes, crd_text hypothesis, double p, crd_error *error);
CRD_API CRD_MUST_USE crd_status crd_bayes_likelihood(crd_bayes *bayes, crd_text outcome, crd_text hypothesis, double p,
                                                     crd_error *error);
CRD_API CRD_MUST_USE crd_status crd_bayes_hypothesis_answer(crd_bayes *bayes, crd_text hypothesis, crd_text answer,
                                                            crd_error *error);
/* That there is such an outcome, though no likelihood of it is stated. */
CRD_API CRD_MUST_USE crd_status crd_bayes_outcome(crd_bayes *bayes, crd_text outcome, crd_error *error);

/* How far sums of probabilities that people write down may be from one. */
#define CRD_BAYES_SLACK 1e-6

/* Fills in and checks:
 * - where no prior is stated, all are equal; where one hypothesis has none, it has what the others leave;
 * - where the likelihood of one outcome is missing under a hypothesis, it is what the others leave;
 * - priors add up to one; under no hypothesis do likelihoods add up to more; if some hypotheses answer, all do.
 * CRD_ERROR_PROBABILITY names what is missing, or by how much a sum is off; what failed can only be destroyed. Nothing
 * more can be stated afterwards. */
CRD_API CRD_MUST_USE crd_status crd_bayes_finish(crd_bayes *bayes, crd_error *error);

/* ---- Once finished ---- */

CRD_API size_t crd_bayes_hypothesis_count(const crd_bayes *bayes);
CRD_API crd_text crd_bayes_hypothesis(const crd_bayes *bayes, size_t hypothesis);
CRD_API size_t crd_bayes_outcome_count(const crd_bayes *bayes);
CRD_API crd_text crd_bayes_outcome_name(const crd_bayes *bayes, size_t outcome);

/* *inferred, which may be NULL, is whether it was filled in. */
CRD_API double crd_bayes_prior_of(const crd_bayes *bayes, size_t hypothesis, int *inferred);
CRD_API double crd_bayes_likelihood_of(const crd_bayes *bayes, size_t outcome, size_t hypothesis, int *inferred);

/* One outcome observed: weighs each hypothesis by its likelihood. joint, which may be NULL, has room for every
 * hypothesis and receives weight before * likelihood; *evidence, which may be NULL, their sum, the probability of the
 * outcome in the light of those observed before. CRD_ERROR_PROBABILITY: no such outcome, or none that can be under any
 * hypothesis; nothing changes. */
CRD_API CRD_MUST_USE crd_status crd_bayes_observe(crd_bayes *bayes, crd_text outcome, double *joint, double *evidence,
                                                  crd_error *error);
/* The weights after what was observed: the priors at first. */
CRD_API const double *crd_bayes_posterior(const crd_bayes *bayes);
/* The logarithm of the probability of all that was observed: in all, and under one hypothesis. */
CRD_API double crd_bayes_log_evidence(const crd_bayes *bayes);
CRD_API double crd_bayes_log_likelihood(const crd_bayes *bayes, size_t hypothesis);

/* The hypothesis of greatest posterior, and that of greatest likelihood of all that was observed; the first of those
 * that tie (within 1e-12 of each other), whose number *tied (which may be NULL) receives. Before anything is observed
 * all likelihoods are one. */
CRD_API size_t crd_bayes_map(const crd_bayes *bayes, size_t *tied);
CRD_API size_t crd_bayes_ml(const crd_bayes *bayes, size_t *tied);

/* The probability that the best guess of the hypothesis is right, one outcome being seen: the sum over outcomes of the
 * greatest P(outcome, hypothesis), from the posterior on. What the stated outcomes leave under each hypothesis counts
 * as one more outcome. NaN where no likelihood is stated. */
CRD_API double crd_bayes_accuracy(const crd_bayes *bayes);

/* ---- Answers of the hypotheses ---- */

CRD_API size_t crd_bayes_answer_count(const crd_bayes *bayes);
CRD_API crd_text crd_bayes_answer(const crd_bayes *bayes, size_t answer);
CRD_API size_t crd_bayes_answer_of(const crd_bayes *bayes, size_t hypothesis);
/* The posterior weight of the hypotheses that give it: what the Bayes optimal rule takes the greatest of, and how often
 * the Gibbs rule, which draws one hypothesis by its posterior, gives that answer. */
CRD_API double crd_bayes_answer_weight(const crd_bayes *bayes, size_t answer);
/* The answer of greatest weight; ties as for crd_bayes_map. */
CRD_API size_t crd_bayes_optimal(const crd_bayes *bayes, size_t *tied);

#ifdef __cplusplus
}
#endif
#endif
