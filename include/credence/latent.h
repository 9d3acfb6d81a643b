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
#include <credence/model.h>
#include <credence/settings.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Latent classes ---- */

/* The criterion that selects the number of classes. */
typedef enum crd_latent_criterion {
    CRD_LATENT_BIC = 0,     /* log likelihood - parameters log(n) / 2; larger is better (Schwarz 1978) */
    CRD_LATENT_HELD_OUT = 1 /* mean log likelihood of held-out rows, in five folds */
} crd_latent_criterion;

/* Options of a latent class analysis. Initialize it with CRD_LATENT_OPTIONS_INIT. */
typedef struct crd_latent_options {
    size_t size;
    size_t classes; /* number of classes; 0: tries 1, 2, ... until three more classes did not improve the criterion */
    size_t max_classes; /* the maximum to try, if `classes` is 0 */
    crd_latent_criterion criterion;
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
    { sizeof(crd_latent_options), 0, 12, CRD_LATENT_BIC, 0, 0, -1, 1, 0 }

/* The course and the results of a search for latent classes. */
typedef struct crd_latent crd_latent;

/* Finds latent classes in all rows of a reader, and creates a model of them in *out. The reader must have no target,
 * and no row of it may have been read. The model's target is a new column with the name `target`, which no column may
 * have. Its classes are "1", "2", ... by decreasing probability. Classes to which EM assigns no rows are dropped.
 *
 * `settings` may be NULL (defaults). They become the model's settings, with the setting hidden set to NAME:K. EM uses
 * smoothing, min-sd, and the settings that `options` refers to. `options` may be NULL. If `how` is not NULL,
 * *how describes the search; destroy it with crd_latent_destroy.
 *
 * Returns CRD_ERROR_SETTING if the settings need other densities or probabilities than the ones that EM estimates. The
 * settings joint, exponents, calibration, prior, variance, pool-variance and structure must have their defaults. The
 * method must be naive, the estimator must not be gradient, and numeric columns must have the family gaussian. Returns
 * CRD_ERROR_EMPTY if there are fewer distinct rows than classes. */
CRD_API CRD_MUST_USE crd_status crd_latent_train(crd_reader *reader, crd_text target, const crd_settings *settings,
                                                 const crd_latent_options *options, crd_model **out, crd_latent **how,
                                                 crd_error *error);
/* Frees the object. `how` may be NULL. */
CRD_API void crd_latent_destroy(crd_latent *how);
/* Finds latent classes like crd_latent_train, but creates no model. Create it with crd_latent_model. If the search is
 * cancelled or its deadline passes after at least one EM step, the call returns the result so far. Then
 * crd_latent_is_stopped returns 1. The model can be created after calls are allowed again: see crd_context_resume.
 * Destroy *out with crd_latent_destroy. */
CRD_API CRD_MUST_USE crd_status crd_latent_find(crd_reader *reader, crd_text target, const crd_settings *settings,
                                                const crd_latent_options *options, crd_latent **out, crd_error *error);
/* Creates the model of the latent classes in *out: see crd_latent_train. The caller destroys it. */
CRD_API CRD_MUST_USE crd_status crd_latent_model(const crd_latent *how, crd_model **out, crd_error *error);
/* Returns 1 if the search ended early, because it was cancelled or its deadline passed. */
CRD_API int crd_latent_is_stopped(const crd_latent *how);

/* Returns the number of classes in the model. */
CRD_API size_t crd_latent_classes(const crd_latent *how);
/* Returns the number of classes that were dropped because EM assigned no rows to them. */
CRD_API size_t crd_latent_emptied(const crd_latent *how);
/* Returns the total weight of the rows. */
CRD_API double crd_latent_rows(const crd_latent *how);
/* Returns the number of distinct rows. Equal rows are merged before the search. */
CRD_API double crd_latent_distinct_rows(const crd_latent *how);
/* Returns 1 if EM stopped by its tolerance. Returns 0 if it stopped at the maximum number of steps, or was
 * cancelled. */
CRD_API int crd_latent_is_converged(const crd_latent *how);

/* Returns the number of EM steps of the final fit. */
CRD_API size_t crd_latent_steps(const crd_latent *how);
/* Returns the log likelihood at step `step`, counted from 0. */
CRD_API double crd_latent_log_likelihood(const crd_latent *how, size_t step);
/* Returns the objective at step `step`, counted from 0: the log likelihood plus the log prior density of the
 * parameters. It never decreases. */
CRD_API double crd_latent_objective(const crd_latent *how, size_t step);

/* Returns the number of random starts of EM. */
CRD_API size_t crd_latent_restarts(const crd_latent *how);
/* Returns the objective that a start reached. For large tables this is the objective on the sample of rows. */
CRD_API double crd_latent_restart(const crd_latent *how, size_t restart);
/* Returns how many starts reached the best objective, up to a relative difference of 1e-5. */
CRD_API size_t crd_latent_restarts_at_best(const crd_latent *how);

/* The result for one number of classes that was tried. Initialize it with CRD_LATENT_CHOICE_INIT. */
typedef struct crd_latent_choice {
    size_t size;
    size_t classes;        /* number of classes that have rows */
    double log_likelihood; /* log likelihood of all rows */
    double parameters;     /* number of free parameters */
    double bic;            /* log likelihood - parameters log(n) / 2 */
    double held_out;       /* mean log likelihood per held-out row; NaN: not computed */
    size_t tried;          /* number of classes at the start of EM */
} crd_latent_choice;

#define CRD_LATENT_CHOICE_INIT                                                                                         \
    { sizeof(crd_latent_choice), 0, 0, 0, 0, 0, 0 }

/* Returns how many numbers of classes were tried. */
CRD_API size_t crd_latent_choices(const crd_latent *how);
/* Returns the index of the selected number of classes, for crd_latent_choice_at. */
CRD_API size_t crd_latent_chosen(const crd_latent *how);
/* Writes the result for a number of classes that was tried to *out. */
CRD_API void crd_latent_choice_at(const crd_latent *how, size_t index, crd_latent_choice *out);

/* ---- Partly labeled rows: semi-supervised learning ----
 *
 * EM also learns from rows whose target is missing (Nigam, McCallum, Thrun and Mitchell 2000). Each unlabeled row is
 * counted in every class with the weight
 *
 *   lambda r_ik,   r_ik proportional to P(k, x_i)^t
 *
 * lambda is a weight from 0 to 1 that all unlabeled rows share. Columns that depend on each other make naive Bayes
 * overconfident. Therefore an inverse temperature t <= 1 flattens the posteriors (Ueda and Nakano 1998); the members
 * named `temper` contain it.
 *
 * The call chooses the weight and the inverse temperature with the smallest log loss on held-out labeled rows. Weight 0
 * means learning from labeled rows only, and wins ties. Few rows cannot show how often a nearly certain prediction is
 * wrong. So the loss of half an error is added, the pseudo-count of Jeffreys' prior. The loss of an error is the mean
 * of -log P of the second most probable classes. */

/* Options for learning from unlabeled rows. Initialize it with CRD_UNLABELED_OPTIONS_INIT. */
typedef struct crd_unlabeled_options {
    size_t size;
    double weight;     /* weight of unlabeled rows; negative: choose the weight and `temper` */
    double temper;     /* inverse temperature of unlabeled rows */
    size_t most_steps; /* maximum number of EM steps; 0: the setting iterations */
    /* EM stops when a step raises the objective by at most this fraction of it. Negative: the setting tolerance. */
    double tolerance;
    unsigned threads; /* 0: one per CPU core. Results do not depend on it */
} crd_unlabeled_options;

#define CRD_UNLABELED_OPTIONS_INIT                                                                                     \
    { sizeof(crd_unlabeled_options), -1, 1, 0, -1, 0 }

/* One weight and inverse temperature that were tried. */
typedef struct crd_unlabeled_trial {
    double weight, temper;
    double log_loss; /* mean log loss of held-out labeled rows and half an error */
} crd_unlabeled_trial;

enum { CRD_UNLABELED_TRIALS = 32 };

/* The result of learning from unlabeled rows. Initialize it with CRD_UNLABELED_FACTS_INIT. */
typedef struct crd_unlabeled_facts {
    size_t size;
    double labeled, unlabeled; /* total weight of labeled and of unlabeled rows */
    double weight, temper;     /* weight and inverse temperature of unlabeled rows */
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
