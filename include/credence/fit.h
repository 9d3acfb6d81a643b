/* SPDX-License-Identifier: MIT */
/* credence/fit.h - fits by EM: the steps, the random starts, and the choice of the number of components.
 *
 * EM (expectation maximization) fits models with hidden values:
 *
 *   latent classes                                     crd_latent_find         credence/latent.h
 *   hidden states of sequences                         crd_hmm_find            credence/hmm_train.h
 *   network tables: missing values and latent nodes    crd_fit_from_model      credence/network.h
 *
 * All of them describe their course by a crd_fit. EM only finds a local maximum of its objective, so it runs from several
 * random starts and continues the best one until it converges. If the number of components (latent classes or hidden
 * states) is not specified, several numbers are tried:
 *
 *   crd_latent_find(reader, target, NULL, NULL, &fit, &error);
 *   crd_fit_describe(fit, &facts);
 *   crd_fit_model(fit, &model, &error);
 *   crd_fit_destroy(fit); */
#ifndef CREDENCE_FIT_H
#define CREDENCE_FIT_H

#include <credence/credence.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The course and the result of a fit. */
typedef struct crd_fit crd_fit;

/* Frees a fit. NULL is allowed. */
CRD_API void crd_fit_destroy(crd_fit *fit);
/* Creates the model of a fit in *out. The caller destroys it. If the fit was stopped, allow calls again first: see
 * crd_context_resume. CRD_ERROR_ARGUMENT: the fit is from crd_fit_from_model, so its model exists. */
CRD_API CRD_MUST_USE crd_status crd_fit_model(const crd_fit *fit, crd_model **out, crd_error *error);

/* Facts about a fit. Initialize it with CRD_FIT_FACTS_INIT. */
typedef struct crd_fit_facts {
    size_t size;
    size_t components; /* number of latent classes or of states in the model; 0: the fit is of a network */
    /* Number of components to which EM assigned no rows. Latent classes without rows are dropped; they do not count as
     * components. States without steps remain. */
    size_t empty;
    size_t rescued;       /* how often a state without steps was initialized again */
    double rows;          /* total weight of the rows, or number of steps of the sequences; 0: unknown */
    double distinct_rows; /* number of distinct rows; equal rows are merged. 0: rows are not merged */
    double labeled;       /* number of steps whose label was used; 0: all states are hidden */
    int is_converged; /* further steps would gain little; 0: the number of steps was limited, or the fit was stopped */
    int is_stopped;   /* the call was cancelled or its deadline passed, and this is the best result so far */
    /* The settings do not maximize the likelihood or the posterior, so a step may decrease the objective. The model has
     * the parameters of the best step. */
    int may_decrease;
    size_t step_count;     /* number of steps of the best start, including step 0, the starting point */
    size_t best_step;      /* the step whose parameters the model has */
    size_t start_count;    /* number of random starts; 0: the starting point was not random */
    size_t best_start;     /* the start that was continued */
    size_t starts_at_best; /* number of starts that reached the best objective, up to a relative difference of 1e-5 */
    size_t choice_count;   /* how many numbers of components were tried */
    size_t chosen;         /* index of the chosen one */
} crd_fit_facts;

#define CRD_FIT_FACTS_INIT                                                                                             \
    { sizeof(crd_fit_facts), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* Writes facts about a fit to *out. */
CRD_API void crd_fit_describe(const crd_fit *fit, crd_fit_facts *out);

/* Returns the log likelihood after a step, or NaN if there is no such step. */
CRD_API double crd_fit_log_likelihood(const crd_fit *fit, size_t step);
/* Returns the objective after a step, or NaN if there is no such step. The objective is the log likelihood plus the log
 * prior density of the parameters (the setting smoothing), up to a constant. No step decreases it, unless `may_decrease`
 * is set. */
CRD_API double crd_fit_objective(const crd_fit *fit, size_t step);
/* Returns the objective that a random start reached before the best one was continued, or NaN if there is no such start.
 * For large data, starts use a sample of the rows. */
CRD_API double crd_fit_start(const crd_fit *fit, size_t start);

/* The criterion that selects the number of components. */
typedef enum crd_fit_criterion {
    CRD_FIT_BIC = 0, /* log likelihood - parameters log(rows) / 2; larger is better (Schwarz 1978) */
    /* Mean log likelihood of held-out rows, in five folds. Folds contain whole sequences, or parts of sequences if there
     * are few long ones. */
    CRD_FIT_HELD_OUT = 1
} crd_fit_criterion;

/* A number of components that was tried. Initialize it with CRD_FIT_CHOICE_INIT. */
typedef struct crd_fit_choice {
    size_t size;
    size_t tried;          /* number of components at the start of EM */
    size_t components;     /* number of components in the model of this choice */
    double log_likelihood; /* log likelihood of all rows */
    double parameters;     /* number of free parameters */
    double bic;            /* log likelihood - parameters log(rows) / 2 */
    double held_out;       /* mean log likelihood per held-out row or step; NaN: not computed */
} crd_fit_choice;

#define CRD_FIT_CHOICE_INIT                                                                                            \
    { sizeof(crd_fit_choice), 0, 0, 0, 0, 0, 0 }

/* Writes the scores of choice `index` to *out. */
CRD_API void crd_fit_choice_at(const crd_fit *fit, size_t index, crd_fit_choice *out);

#ifdef __cplusplus
}
#endif
#endif
