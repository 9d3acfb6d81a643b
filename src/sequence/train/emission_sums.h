/* SPDX-License-Identifier: MIT */
/* emission_sums.h - expected sufficient statistics of observations under emission classes (hidden states, or their components).
 *
 *   sum over t of g_tk,  of g_tk z_t,  of g_tk z_t^2,  of g_tk [x_t = v],  of g_tk z_t z_t'
 *
 * with g_tk the posterior probability of class k at step t, and z a number about its column's mean in its deviations. They are
 * plain double sums, laid out statistic by statistic, the classes side by side. Families whose densities are functions of
 * them (normal, lognormal, Poisson, exponential, Bernoulli, categories, joint normals of a stated shrinkage) need no more for
 * an M step: a model that learns a few rows with the same sums (pseudo-rows) has the same densities. */
#ifndef CRD_SEQUENCE_EMISSION_SUMS_H
#define CRD_SEQUENCE_EMISSION_SUMS_H

#include "model/model_internal.h"
#include "sequence/train/observation_facts.h"

typedef struct crd_i_emission_sums crd_i_emission_sums; /* which sums there are: immutable, shared by threads */

/* For the columns of sequences under settings, with so many classes. *out is NULL where some density is no function of sums;
 * then the rows themselves are learned: see weighted_rows.h. The facts have to outlive it. */
CRD_MUST_USE crd_status crd_i_emission_sums_create(const crd_sequences *sequences, const crd_i_observation_facts *facts,
                                                   const crd_settings *settings, size_t classes,
                                                   crd_i_emission_sums **out, crd_error *error);
void crd_i_emission_sums_destroy(crd_i_emission_sums *layout); /* NULL is fine */

/* How many doubles the sums are: statistics x stride. */
size_t crd_i_emission_sums_size(const crd_i_emission_sums *layout);
/* Doubles that crd_i_emission_sums_add works in. */
size_t crd_i_emission_sums_room(const crd_i_emission_sums *layout);
/* Adds a block of steps, each with the weight weights[step * stride + class] in each class. */
void crd_i_emission_sums_add(const crd_i_emission_sums *layout, const crd_i_observation_block *block,
                             const double *weights, size_t stride, double *workspace, double *sums);

/* The sum of weights of a class. */
double crd_i_emission_sums_total(const crd_i_emission_sums *layout, const double *sums, size_t k);
/* Multiplies the counts of values by factors(state) above 0: classes that would stay alike part. */
void crd_i_emission_sums_perturb(const crd_i_emission_sums *layout, double (*factor)(void *state), void *state,
                                 double *sums);
/* Moves a share of the weight of classes [from, to) to the overall distribution, in columns whose probabilities or rates can be 0
 * (categories, Bernoulli, Poisson, exponential): EM never leaves a zero, so a start must not contain one. */
void crd_i_emission_sums_soften(const crd_i_emission_sums *layout, double share, size_t source, size_t target,
                                double *sums);
/* Replaces the counts of values by random ones, in proportion to the overall counts times factor(state): with exponential
 * variates the probabilities of each class have a Dirichlet distribution. The weights of classes stay. */
void crd_i_emission_sums_draw(const crd_i_emission_sums *layout, double (*factor)(void *state), void *state,
                              double *sums);
/* Makes extrapolated sums possible: what would fall below `part` of the plain sums (weights, counts of values, variances), or leave the
 * range of a mean, is taken from these. */
void crd_i_emission_sums_mend(const crd_i_emission_sums *layout, const double *plain, double part, double *sums);
/* Sums of single classes copied. */
void crd_i_emission_sums_copy_class(const crd_i_emission_sums *layout, const double *source, size_t from_class,
                                    double *destination, size_t to_class);

/* The M step: a model of pseudo-rows with these sums, whose schema, which is taken over, has a target with the classes' names as
 * declared values, in the order of classes. */
CRD_MUST_USE crd_status crd_i_emission_sums_model(const crd_i_emission_sums *layout, const double *sums,
                                                  const crd_text *names, crd_i_schema *schema,
                                                  const crd_settings *settings, crd_model **out, crd_error *error);
/* Whether a model of them maximises likelihood and prior under these settings, so that the two never fall together. */
bool crd_i_emission_sums_are_maximised(const crd_i_emission_sums *layout);
/* The log density of the prior at the densities of such a model, up to a constant; 0 where smoothing is none. */
double crd_i_emission_sums_log_prior(const crd_i_emission_sums *layout, const double *sums);

#endif
