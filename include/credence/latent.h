/* SPDX-License-Identifier: MIT */
/* credence/latent.h - classes that nobody labelled: EM over naive Bayes whose class is hidden in all rows, or in some.
 *
 * Latent class analysis (Lazarsfeld; AutoClass): rows come from K classes, in each of which the columns are independent;
 * categories have a table in each class, numbers a normal density, missing cells are left out. The result is an ordinary
 * model of rows, each counted in every class by the class's posterior probability, whose target is the hidden class.
 *
 * Where some rows are labelled, the others are learned from by the same EM, at a weight that is chosen by the labels of
 * rows that were held out.
 *
 * Results do not depend on the order of rows, files or columns, nor on threads. */
#ifndef CREDENCE_LATENT_H
#define CREDENCE_LATENT_H

#include <credence/base.h>
#include <credence/data.h>
#include <credence/model.h>
#include <credence/settings.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Latent classes ---- */

/* What the number of classes is chosen by. */
typedef enum crd_latent_criterion {
    CRD_LATENT_BIC = 0,     /* log likelihood - parameters log(n) / 2, greater is better */
    CRD_LATENT_HELD_OUT = 1 /* the log likelihood of rows that were held out, in five folds */
} crd_latent_criterion;

typedef struct crd_latent_options {
    size_t size;
    size_t classes;      /* 0: chosen, from 1 on, until three more have not been better */
    size_t most_classes; /* to choose from */
    crd_latent_criterion criterion;
    /* Starts of EM, of which the best is taken to its end; of large tables on a sample of rows. 0: those of the setting
     * estimator; em without a number: 10, and of small tables more, up to 100, while fewer than 5 have reached the best */
    size_t restarts;
    size_t most_steps; /* of EM; 0: the setting iterations */
    double tolerance; /* EM ends where a step raises the objective by no more than this part of it; below 0: the setting
                        * tolerance where it is not the default, otherwise 1e-9 */
    uint64_t seed;
    unsigned threads; /* 0: one for each processor. No result depends on it */
} crd_latent_options;

#define CRD_LATENT_OPTIONS_INIT                                                                                        \
    { sizeof(crd_latent_options), 0, 12, CRD_LATENT_BIC, 0, 0, -1, 1, 0 }

/* How latent classes were found. */
typedef struct crd_latent crd_latent;

/* Finds classes in all rows of a reader that has no target and has not begun, and makes a model of them whose target has
 * the name `target`, which no column has. Its classes are "1", "2", ... by decreasing probability; those that EM leaves
 * without rows are left out. Settings (NULL: the defaults) are the model's, of which the setting hidden becomes NAME:K; of
 * them EM reads smoothing, min-deviation and those that the options leave to them. Where they are of other densities or
 * probabilities than EM's (method, joint, exponents, calibration, prior, variance, share-variance, structure, number columns
 * with a family other than gaussian, the estimator gradient), CRD_ERROR_SETTING. options may be NULL. *how is destroyed by
 * the caller; NULL: not needed. CRD_ERROR_EMPTY: there are fewer different rows than classes. */
CRD_API CRD_MUST_USE crd_status crd_latent_train(crd_reader *reader, crd_text target, const crd_settings *settings,
                                                 const crd_latent_options *options, crd_model **out, crd_latent **how,
                                                 crd_error *error);
CRD_API void crd_latent_destroy(crd_latent *how);
/* The same in two steps. Finding that is cancelled, or whose time is over, returns what there is once a step of EM was made:
 * then crd_latent_is_stopped, and the model can be made when calls go on (crd_context_resume). */
CRD_API CRD_MUST_USE crd_status crd_latent_find(crd_reader *reader, crd_text target, const crd_settings *settings,
                                                const crd_latent_options *options, crd_latent **out, crd_error *error);
CRD_API CRD_MUST_USE crd_status crd_latent_model(const crd_latent *how, crd_model **out, crd_error *error);
CRD_API int crd_latent_is_stopped(const crd_latent *how);

CRD_API size_t crd_latent_classes(const crd_latent *how); /* that the model has */
CRD_API size_t crd_latent_emptied(const crd_latent *how); /* classes more that were looked for, and have no rows */
CRD_API double crd_latent_rows(const crd_latent *how);    /* the sum of their weights */
CRD_API double crd_latent_distinct_rows(const crd_latent *how); /* after rows that are alike were gathered */
CRD_API int crd_latent_is_converged(const crd_latent *how);

/* The steps of EM: the log likelihood and the objective, which is the log likelihood and the log density of the
 * parameters' prior and never falls. */
CRD_API size_t crd_latent_steps(const crd_latent *how);
CRD_API double crd_latent_log_likelihood(const crd_latent *how, size_t step);
CRD_API double crd_latent_objective(const crd_latent *how, size_t step);

/* The objectives that the starts have reached, on the sample. */
CRD_API size_t crd_latent_restarts(const crd_latent *how);
CRD_API double crd_latent_restart(const crd_latent *how, size_t restart);
/* How many have reached the best, to 1e-5 of it. */
CRD_API size_t crd_latent_restarts_at_best(const crd_latent *how);

/* The numbers of classes that were tried. */
typedef struct crd_latent_choice {
    size_t size;
    size_t classes;        /* that have rows */
    double log_likelihood; /* of all rows */
    double parameters;     /* that are free */
    double bic;            /* log likelihood - parameters log(n) / 2 */
    double held_out;       /* mean log likelihood of a row that was held out; NaN: not computed */
    size_t tried;          /* classes that EM began with */
} crd_latent_choice;

#define CRD_LATENT_CHOICE_INIT                                                                                         \
    { sizeof(crd_latent_choice), 0, 0, 0, 0, 0, 0 }

CRD_API size_t crd_latent_choices(const crd_latent *how);
CRD_API size_t crd_latent_chosen(const crd_latent *how); /* the index of the best */
CRD_API void crd_latent_choice_at(const crd_latent *how, size_t index, crd_latent_choice *out);

/* ---- Partly labelled rows ----
 *
 * Rows whose target is missing are learned from by EM (Nigam, McCallum, Thrun and Mitchell 2000): each counts in every class
 * by the class's posterior probability, times a weight from 0 to 1 that all of them have. Columns that depend on each other
 * make naive Bayes too sure of rows, so that these probabilities are in proportion to P(class, cells)^temper, temper <= 1.
 * Weight and temper are those of the least log loss on labelled rows that were held out; weight 0, which is learning from
 * labelled rows alone, wins ties. Few rows cannot show how often an answer that is nearly certain is wrong: to the losses is
 * added that of half an error more (Jeffreys' prior), the mean of -log P of the second most probable classes. */

typedef struct crd_unlabelled_options {
    size_t size;
    double weight; /* of rows without a label; below 0: chosen, and so is the temper */
    double temper;
    size_t most_steps; /* of EM; 0: the setting iterations */
    double tolerance; /* EM ends where a step raises the objective by no more than this part of it; below 0: the setting
                        * tolerance */
    unsigned threads; /* 0: one for each processor. No result depends on it */
} crd_unlabelled_options;

#define CRD_UNLABELLED_OPTIONS_INIT                                                                                    \
    { sizeof(crd_unlabelled_options), -1, 1, 0, -1, 0 }

/* What was tried. */
typedef struct crd_unlabelled_trial {
    double weight, temper;
    double log_loss; /* mean, of labelled rows that were held out and half an error */
} crd_unlabelled_trial;

enum { CRD_UNLABELLED_TRIALS = 32 };

typedef struct crd_unlabelled_facts {
    size_t size;
    double labelled, unlabelled; /* rows, by their weights */
    double weight, temper;       /* that rows without a label have */
    double held_out; /* labelled rows that were held out, to choose it; 0: it was given, or there were too few */
    double gain,
        gain_error; /* how much log loss the weight saves beside 0, and the standard error of that; NaN: unknown */
    size_t steps;   /* of EM */
    size_t trial_count;
    crd_unlabelled_trial trials[CRD_UNLABELLED_TRIALS]; /* weight 0 first */
} crd_unlabelled_facts;

#define CRD_UNLABELLED_FACTS_INIT                                                                                      \
    {                                                                                                                  \
        sizeof(crd_unlabelled_facts), 0, 0, 0, 1, 0, 0, 0, 0, 0, {                                                     \
            { 0, 1, 0 }                                                                                                \
        }                                                                                                              \
    }

/* A model of all rows of a reader that has a target and has not begun. Settings as in crd_latent_train; the method is naive.
 * options and facts may be NULL. With weight 0 the model is the one of labelled rows alone. CRD_ERROR_EMPTY: no row is
 * labelled. */
CRD_API CRD_MUST_USE crd_status crd_unlabelled_train(crd_reader *reader, const crd_settings *settings,
                                                     const crd_unlabelled_options *options, crd_model **out,
                                                     crd_unlabelled_facts *facts, crd_error *error);

#ifdef __cplusplus
}
#endif
#endif
