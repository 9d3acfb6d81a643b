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
    size_t restarts;   /* starts of EM, of which the best is taken to its end; of large tables on a sample of rows */
    size_t most_steps; /* of EM */
    double tolerance;  /* EM ends where a step raises the objective by no more than this part of it */
    uint64_t seed;
    unsigned threads; /* 0: one for each processor. No result depends on it */
} crd_latent_options;

#define CRD_LATENT_OPTIONS_INIT                                                                                        \
    { sizeof(crd_latent_options), 0, 12, CRD_LATENT_BIC, 10, 1000, 1e-9, 1, 0 }

/* How latent classes were found. */
typedef struct crd_latent crd_latent;

/* Finds classes in all rows of a reader that has no target and has not begun, and makes a model of them whose target has
 * the name `target`, which no column has. Its classes are "1", "2", ... by decreasing probability. Settings (NULL: the
 * defaults) are the model's; of them EM reads smoothing, min-deviation and families, of which number columns have
 * gaussian: others, and share-variance, are CRD_ERROR_SETTING. options may be NULL. *how is destroyed by the caller; NULL:
 * not needed. CRD_ERROR_EMPTY: there are fewer different rows than classes. */
CRD_API CRD_MUST_USE crd_status crd_latent_train(crd_reader *reader, crd_text target, const crd_settings *settings,
                                                 const crd_latent_options *options, crd_model **out, crd_latent **how,
                                                 crd_error *error);
CRD_API void crd_latent_destroy(crd_latent *how);

CRD_API size_t crd_latent_classes(const crd_latent *how);
CRD_API double crd_latent_rows(const crd_latent *how);          /* the sum of their weights */
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

/* The numbers of classes that were tried. */
typedef struct crd_latent_choice {
    size_t size;
    size_t classes;
    double log_likelihood; /* of all rows */
    double parameters;     /* that are free */
    double bic;            /* log likelihood - parameters log(n) / 2 */
    double held_out;       /* mean log likelihood of a row that was held out; NaN: not computed */
} crd_latent_choice;

#define CRD_LATENT_CHOICE_INIT                                                                                         \
    { sizeof(crd_latent_choice), 0, 0, 0, 0, 0 }

CRD_API size_t crd_latent_choices(const crd_latent *how);
CRD_API void crd_latent_choice_at(const crd_latent *how, size_t index, crd_latent_choice *out);

#ifdef __cplusplus
}
#endif
#endif
