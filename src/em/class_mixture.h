/* SPDX-License-Identifier: MIT */
/* class_mixture.h - latent class model: naive Bayes whose class is hidden, fitted by EM.
 *
 *   P(x) = sum_k P(k) prod_j P(x_j | k)
 *
 * A categorical column has a probability table per class, a numeric column a normal density per class. Missing values
 * are skipped in a row's product. EM (Dempster, Laird and Rubin 1977) alternates between
 *
 *   E   r_ik = P(k | x_i), and the sufficient statistics of each class under the weights w_i r_ik: the sum of the
 *       weights, the counts of each value, and for numeric columns the sums of x and of x^2
 *   M   the parameters that maximize the log posterior density of the parameters given these statistics
 *
 * The M step uses the estimators of a trained classifier (categorical.c, gaussian.c). They are maximum a
 * posteriori estimates under conjugate priors: a_v pseudo-counts for value v (Dirichlet), and M pseudo-counts per class
 * with the variance V of the whole column (inverse gamma). With n_vk and n_k the expected counts of value v and of all
 * values in class k, and m_k and v_k the weighted mean and variance of the class:
 *
 *   P(v | k) = (n_vk + a_v) / (n_k + sum_v a_v),   mean_k = m_k,   s_k^2 = (n_k v_k + M V) / (n_k + M)
 *
 * EM therefore never decreases the objective
 *
 *   sum_i w_i log P(x_i) + sum_k [ sum_v a_v log P(v | k) - M / 2 (log s_k^2 + V / s_k^2) ]
 *
 * If M is 0, a lower bound of a small fraction of V keeps a variance from shrinking around a single row.
 *
 * Rows are summed in chunks whose size depends only on the problem, and the chunk sums are added in order. So results
 * are bit-identical for any number of threads.
 *
 * Contents:
 *   1. The mixture
 *   2. Class tallies
 *   3. EM runs
 *   4. Semi-supervised learning */
#ifndef CRD_EM_CLASS_MIXTURE_H
#define CRD_EM_CLASS_MIXTURE_H

#include "cases/case_builder.h"
#include "math/em.h"
#include "settings/settings_internal.h"

#include <credence/latent.h>

/* ======== 1. The mixture ======== */

typedef struct crd_i_class_mixture crd_i_class_mixture;

/* Creates a mixture of `classes` classes over the columns of the case table `like`, except the columns marked by
 * `is_left_out` (NULL: none). The table's columns must outlive the mixture. Numeric columns are standardized to mean 0
 * and variance 1 in the table. Columns without spread are ignored. Returns CRD_ERROR_LIMIT if a column has too many
 * states for that many classes, and CRD_ERROR_SETTING if EM does not support the settings. */
CRD_MUST_USE crd_status crd_i_class_mixture_create(const crd_i_case_table *like, const bool *is_left_out,
                                                   size_t classes, const crd_settings *settings,
                                                   crd_i_class_mixture **out, crd_error *error);
void crd_i_class_mixture_destroy(crd_i_class_mixture *mixture); /* NULL is allowed */
/* Return the lengths of the statistics array and of the parameter array. */
size_t crd_i_class_mixture_statistics(const crd_i_class_mixture *mixture);
size_t crd_i_class_mixture_parameters(const crd_i_class_mixture *mixture);
/* Returns the parameters, which the caller may copy and write back. The last entry is their log prior density, up to a
 * constant. */
double *crd_i_class_mixture_state(crd_i_class_mixture *mixture);

/* Rows of a table that has the same columns as the mixture's table. */
typedef struct crd_i_class_mixture_rows {
    const crd_i_case_table *table;
    const double *weights; /* weight of each row; NULL: the table's weights */
    double scale;          /* factor that multiplies every weight */
    unsigned threads;
    /* Inverse temperature t in (0, 1] (deterministic annealing; Ueda and Nakano 1998). Responsibilities are
     * proportional to P(k, x_i)^t, and the log likelihood is replaced by sum_i w_i / t log sum_k P(k, x_i)^t. 1 is
     * plain EM. A smaller value makes the class assignment of rows less certain. */
    double inverse_temperature;
} crd_i_class_mixture_rows;

/* Adds the statistics of rows whose classes are known. classes[i] is the class index of row i; rows with a negative
 * classes[i] are skipped. */
void crd_i_class_mixture_count(const crd_i_class_mixture *mixture, const crd_i_class_mixture_rows *rows,
                               const int32_t *classes, double *statistics);
/* Performs the M step: sets the parameters from `statistics`. */
void crd_i_class_mixture_maximize(crd_i_class_mixture *mixture, const double *statistics);
/* Computes the log posteriors log P(k | x_i) of the rows from `first` to `limit` - 1, as rows x classes. Writes log
 * P(x_i) to `evidence` unless it is NULL. */
CRD_MUST_USE crd_status crd_i_class_mixture_posteriors(const crd_i_class_mixture *mixture,
                                                       const crd_i_case_table *table, size_t first, size_t limit,
                                                       double *posteriors, double *evidence, crd_error *error);

/* Returns the number of free parameters, for BIC: classes - 1, plus for each class 2 per numeric column and, per
 * categorical column, the number of values with positive weight minus 1. */
double crd_i_class_mixture_free(const crd_i_class_mixture *mixture, const double *statistics);

/* ======== 2. Class tallies ========
 *
 * Trains a model on rows whose classes are known only up to probabilities. Each row is counted in every class, weighted
 * by the class's probability: fractional counts, as in the M step of EM. */

typedef struct crd_i_class_weights {
    const crd_text *names; /* names of the classes */
    size_t classes;
    const void *state;
    /* Writes the log probabilities of the classes for the rows from `first` to `limit` - 1, as rows x classes. Also
     * writes for each row the factor that multiplies its own weight. */
    crd_status (*fill)(const void *state, size_t first, size_t limit, double *logs, double *factors, crd_error *error);
} crd_i_class_weights;

/* Creates a model with the given schema and settings, and trains it on all rows of the table. The schema must have a
 * target; the call takes ownership of it, even on failure. The other columns of the schema are matched to the table's
 * columns by name. Probabilities are rounded to multiples of 2^-32 that sum to 1, so the counts of a row sum exactly to
 * its weight. */
CRD_MUST_USE crd_status crd_i_class_tallies_learn(const crd_i_case_table *table, crd_i_schema *schema,
                                                  const crd_settings *settings, const crd_i_class_weights *weights,
                                                  crd_model **out, crd_error *error);

/* ======== 3. EM runs ========
 *
 * Iterations, random initialization, and row subsets for holding out rows. */

/* Runs EM from the mixture's current parameters and adds its steps to `trace`. `known` holds the statistics of rows with
 * known classes, which are added in every step; NULL: none. `statistics` has the length of the statistics array and
 * receives the expected statistics of the last E step. */
CRD_MUST_USE crd_status crd_i_mixture_fit_run(crd_i_class_mixture *mixture, const crd_i_class_mixture_rows *rows,
                                              const double *known, const crd_i_em_rule *rule, double *statistics,
                                              crd_i_em_trace *trace, crd_error *error);

/* Initializes the mixture by k-means++ seeding (Arthur and Vassilvitskii 2007). It draws one seed row per class, each
 * with probability proportional to the distance from the nearest earlier seed. Every row is then assigned to the class
 * of its nearest seed, and the M step follows. The draws depend only on `seed` and `stream`. */
CRD_MUST_USE crd_status crd_i_mixture_fit_start(crd_i_class_mixture *mixture, size_t classes,
                                                const crd_i_class_mixture_rows *rows, uint64_t seed, uint64_t stream,
                                                crd_error *error);

/* Computes the weight of each row in part `which` of `parts` parts. A row of weight w is treated as w copies, which are
 * dealt to the parts in turn. `part` must have table->rows entries. */
void crd_i_mixture_fit_part(const crd_i_case_table *table, size_t parts, size_t which, double *part);

/* ======== 4. Semi-supervised learning ========
 *
 * Training on partly labeled rows. See credence/latent.h. */

/* Trains a model on the rows of a table that has a target. `weights` gives the weight of each row; NULL: the table's
 * weights. Rows of weight 0 are ignored. The call takes ownership of `schema`, even on failure; table columns that are
 * missing in the schema are ignored. `facts` may be NULL. */
CRD_MUST_USE crd_status crd_i_partly_labeled_train(const crd_i_case_table *table, const double *weights,
                                                   crd_i_schema *schema, const crd_settings *settings,
                                                   const crd_unlabeled_options *options, crd_model **out,
                                                   crd_unlabeled_facts *facts, crd_error *error);

#endif
