/* SPDX-License-Identifier: MIT */
/* credence/latent.h - latent class analysis, and naive Bayes from partly labeled rows, both by EM.
 *
 * Latent class analysis (Lazarsfeld and Henry 1968; Cheeseman and Stutz 1996, AutoClass) is naive Bayes whose class is
 * never observed. Rows come from K classes. Given the class, the columns are independent:
 *
 *   P(x) = sum_k P(k) prod_j P(x_j | k)
 *
 * P(x_j | k) is a table for a categorical column and a normal density for a numeric column. Missing values are ignored.
 * The result is an ordinary model whose target is the latent class. Each row is counted in every class, weighted by the
 * posterior probability P(k | x).
 *
 * If only some rows have a label, the same EM also learns from the other rows. Their weight is chosen by the loss on
 * labeled rows that are held out.
 *
 * Results do not depend on the order of rows, files or columns, nor on the number of threads. */
#ifndef CREDENCE_LATENT_H
#define CREDENCE_LATENT_H

#include <credence/credence.h>
#include <credence/data.h>
#include <credence/fit.h>
#include <credence/model.h>
#include <credence/settings.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Latent classes ---- */

/* Options of a latent class analysis. Initialize it with CRD_LATENT_OPTIONS_INIT. */
typedef struct crd_latent_options {
    size_t size;
    size_t classes; /* number of classes; 0: tries 1, 2, ... until three more classes did not improve the criterion */
    size_t max_classes; /* the maximum to try, if `classes` is 0 */
    crd_fit_criterion criterion;
    /* The number of random starts of EM; 0: the setting estimator. For `em` without a number that is 10 starts, and for
     * small tables up to 100 while fewer than 5 starts have reached the best objective. For large tables, starts run on
     * a sample of the rows. Only the best start continues on all rows. */
    size_t restarts;
    size_t most_steps; /* maximum number of EM steps; 0: the setting iterations */
    /* EM stops when a step raises the objective by at most this fraction of it. Negative: the setting tolerance if it
     * is not at its default, otherwise 1e-9. */
    double tolerance;
    uint64_t seed;
    unsigned threads; /* 0: one per CPU core. Results do not depend on it */
} crd_latent_options;

#define CRD_LATENT_OPTIONS_INIT                                                                                        \
    { sizeof(crd_latent_options), 0, 12, CRD_FIT_BIC, 0, 0, -1, 1, 0 }

/* Finds latent classes in all rows of a reader. The reader must have no target, and no row of it may have been read.
 * Classes to which EM assigns no rows are dropped. Create the model with crd_fit_model. Its target is a new column with
 * the name `target`, which no column may have. Its classes are "1", "2", ... by decreasing probability.
 *
 * `settings` may be NULL (defaults). They become the model's settings, with the setting latent-nodes set to NAME:K. EM uses
 * smoothing, min-sd, and the settings that `options` refers to. `options` may be NULL. Destroy *out with
 * crd_fit_destroy. If the search is cancelled or its deadline passes after at least one EM step, the call returns the
 * result so far.
 *
 * Returns CRD_ERROR_SETTING if the settings need other densities or probabilities than the ones that EM estimates. The
 * settings joint, attribute-weights, calibration, prior, variance, pool-variance and arcs must have their defaults. The
 * method must be naive, the estimator must not be gradient, and numeric columns must have the family gaussian. Returns
 * CRD_ERROR_EMPTY if there are fewer distinct rows than classes. */
CRD_API CRD_MUST_USE crd_status crd_latent_find(crd_reader *reader, crd_text target, const crd_settings *settings,
                                                const crd_latent_options *options, crd_fit **out, crd_error *error);
/* Finds latent classes like crd_latent_find and creates their model in *out. If `fit` is not NULL, *fit describes the
 * search; destroy it with crd_fit_destroy. */
CRD_API CRD_MUST_USE crd_status crd_latent_train(crd_reader *reader, crd_text target, const crd_settings *settings,
                                                 const crd_latent_options *options, crd_model **out, crd_fit **fit,
                                                 crd_error *error);

/* ---- Partly labeled rows: semi-supervised learning ----
 *
 * EM also learns from rows whose target is missing (Nigam, McCallum, Thrun and Mitchell 2000). Each unlabeled row is
 * counted in every class with the weight
 *
 *   lambda r_ik,   r_ik proportional to P(k, x_i)^t
 *
 * lambda is a weight from 0 to 1 that all unlabeled rows share. Columns that depend on each other make naive Bayes
 * overconfident. Therefore an inverse temperature t <= 1 flattens the posteriors (Ueda and Nakano 1998); the members
 * named `inverse_temperature` contain it.
 *
 * The call chooses the weight and the inverse temperature with the smallest log loss on held-out labeled rows. Weight 0
 * means learning from labeled rows only, and wins ties. Few rows cannot show how often a nearly certain prediction is
 * wrong. So the loss of half an error is added, the pseudo-count of Jeffreys' prior. The loss of an error is the mean
 * of -log P of the second most probable classes. */

/* Options for learning from unlabeled rows. Initialize it with CRD_UNLABELED_OPTIONS_INIT. */
typedef struct crd_unlabeled_options {
    size_t size;
    double weight;              /* weight of unlabeled rows; negative: choose the weight and `inverse_temperature` */
    double inverse_temperature; /* inverse temperature of unlabeled rows */
    size_t most_steps;          /* maximum number of EM steps; 0: the setting iterations */
    /* EM stops when a step raises the objective by at most this fraction of it. Negative: the setting tolerance. */
    double tolerance;
    unsigned threads; /* 0: one per CPU core. Results do not depend on it */
} crd_unlabeled_options;

#define CRD_UNLABELED_OPTIONS_INIT                                                                                     \
    { sizeof(crd_unlabeled_options), -1, 1, 0, -1, 0 }

/* One weight and inverse temperature that were tried. */
typedef struct crd_unlabeled_trial {
    double weight, inverse_temperature;
    double log_loss; /* mean log loss of held-out labeled rows and half an error */
} crd_unlabeled_trial;

enum { CRD_UNLABELED_TRIALS = 32 };

/* The result of learning from unlabeled rows. Initialize it with CRD_UNLABELED_FACTS_INIT. */
typedef struct crd_unlabeled_facts {
    size_t size;
    double labeled, unlabeled;          /* total weight of labeled and of unlabeled rows */
    double weight, inverse_temperature; /* weight and inverse temperature of unlabeled rows */
    /* number of labeled rows that were held out to choose the weight; 0: it was given, or there were too few labeled
     * rows */
    double held_out;
    double gain, gain_error; /* decrease of the log loss compared with weight 0, and its standard error; NaN: unknown */
    size_t steps;            /* number of EM steps */
    size_t trial_count;
    crd_unlabeled_trial trials[CRD_UNLABELED_TRIALS]; /* the first has weight 0 */
} crd_unlabeled_facts;

#define CRD_UNLABELED_FACTS_INIT                                                                                       \
    {                                                                                                                  \
        sizeof(crd_unlabeled_facts), 0, 0, 0, 1, 0, 0, 0, 0, 0, {                                                      \
            { 0, 1, 0 }                                                                                                \
        }                                                                                                              \
    }

/* Creates a model from labeled and unlabeled rows in *out. The reader must have a target, and no row of it may have
 * been read. Settings are restricted as in crd_latent_train, and the method must be naive. `settings`, `options` and
 * `facts` may be NULL. With weight 0, the model is identical to a model of the labeled rows only. Returns
 * CRD_ERROR_EMPTY if no row has a label. */
CRD_API CRD_MUST_USE crd_status crd_unlabeled_train(crd_reader *reader, const crd_settings *settings,
                                                    const crd_unlabeled_options *options, crd_model **out,
                                                    crd_unlabeled_facts *facts, crd_error *error);

#ifdef __cplusplus
}
#endif
#endif
