/* SPDX-License-Identifier: MIT */
/* emission_sums.h - expected sufficient statistics of observations under emission classes (hidden states, or their
 * components):
 *
 *   sum_t g_tk,   sum_t g_tk z_t,   sum_t g_tk z_t^2,   sum_t g_tk [x_t = v],   sum_t g_tk z_t z_t'
 *
 * where g_tk is the posterior probability of class k at step t, and z a number standardized by its column's mean and
 * standard deviation. The statistics are plain sums of doubles, with the classes of each statistic side by side. For
 * many families they suffice for the M step: normal, lognormal, Poisson, exponential, Bernoulli, categorical, and joint
 * normal with a specified shrinkage. A model that learns a few rows with the same sums (pseudo_rows.h) has the same
 * densities. */
#ifndef CRD_SEQUENCE_TRAIN_EMISSION_SUMS_H
#define CRD_SEQUENCE_TRAIN_EMISSION_SUMS_H

#include "model/model_internal.h"
#include "sequence/train/observation_facts.h"

typedef struct crd_i_emission_sums crd_i_emission_sums; /* layout of the sums: immutable, shared by threads */

/* Creates the layout for the columns of sequences and the given number of classes. Sets *out to NULL if some density is
 * not a function of sums; then the rows themselves must be learned: see weighted_rows.h. `facts` must outlive the
 * layout. */
CRD_MUST_USE crd_status crd_i_emission_sums_create(const crd_sequences *sequences, const crd_i_observation_facts *facts,
                                                   const crd_settings *settings, size_t classes,
                                                   crd_i_emission_sums **out, crd_error *error);
void crd_i_emission_sums_destroy(crd_i_emission_sums *layout); /* NULL is allowed */

/* Returns the number of doubles in the sums: statistics x stride. */
size_t crd_i_emission_sums_size(const crd_i_emission_sums *layout);
/* Returns the number of doubles of scratch space that crd_i_emission_sums_add needs. */
size_t crd_i_emission_sums_room(const crd_i_emission_sums *layout);
/* Adds a block of steps, with weight weights[step * stride + class] in each class. */
void crd_i_emission_sums_add(const crd_i_emission_sums *layout, const crd_i_observation_block *block,
                             const double *weights, size_t stride, double *workspace, double *sums);

/* Returns the sum of weights of a class. */
double crd_i_emission_sums_total(const crd_i_emission_sums *layout, const double *sums, size_t k);
/* Multiplies the value counts by positive random factors, factor(state). Otherwise, equal classes would stay equal. */
void crd_i_emission_sums_perturb(const crd_i_emission_sums *layout, double (*factor)(void *state), void *state,
                                 double *sums);
/* Moves a share of the weight of the classes from `source` to `target` - 1 to the overall distribution, in columns
 * whose probabilities or rates can be 0 (categorical, Bernoulli, Poisson, exponential). EM never leaves a zero, so an
 * initial model must not contain one. */
void crd_i_emission_sums_soften(const crd_i_emission_sums *layout, double share, size_t source, size_t target,
                                double *sums);
/* Replaces the value counts by random counts, proportional to the overall counts times factor(state). The weights of
 * classes do not change. If the factors are exponential variates and the overall counts are equal, the probabilities of
 * each class have a uniform Dirichlet distribution. */
void crd_i_emission_sums_draw(const crd_i_emission_sums *layout, double (*factor)(void *state), void *state,
                              double *sums);
/* Makes extrapolated sums valid. Weights, value counts and variances that are below `part` times the plain ones, and
 * means that are out of range, are replaced from the plain sums. */
void crd_i_emission_sums_mend(const crd_i_emission_sums *layout, const double *plain, double part, double *sums);
/* Copies the sums of one class. */
void crd_i_emission_sums_copy_class(const crd_i_emission_sums *layout, const double *source, size_t from_class,
                                    double *destination, size_t to_class);

/* Performs the M step: creates a model of pseudo-rows with these sums. Takes ownership of `schema`, whose target must
 * have the class names as declared values, in the order of classes. */
CRD_MUST_USE crd_status crd_i_emission_sums_model(const crd_i_emission_sums *layout, const double *sums,
                                                  const crd_text *names, crd_i_schema *schema,
                                                  const crd_settings *settings, crd_model **out, crd_error *error);
/* Returns whether such a model maximizes likelihood times prior under the settings, so that EM never decreases the
 * objective. */
bool crd_i_emission_sums_are_maximised(const crd_i_emission_sums *layout);
/* Returns the log density of the prior at the densities of such a model, up to a constant; 0 without smoothing. */
double crd_i_emission_sums_log_prior(const crd_i_emission_sums *layout, const double *sums);

#endif
