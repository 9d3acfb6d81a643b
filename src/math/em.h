/* SPDX-License-Identifier: MIT */
/* em.h - the EM algorithm for any model: its steps and the rule that stops them, the trace of the objective, random
 * restarts, and the choice of the number of components. The results are in credence/fit.h.
 *
 * The rows x have hidden values z, for example classes. The objective is the log posterior density of the parameters
 * theta, up to a constant:
 *
 *   F(theta) = log P(x | theta) + log P(theta)
 *
 * EM (Dempster, Laird and Rubin 1977) alternates between
 *
 *   E   the expected sufficient statistics of (x, z) given x and theta; log P(x | theta) is a by-product
 *   M   theta = argmax E[log P(x, z | theta) | x] + log P(theta), which the statistics determine
 *
 * No step decreases F. Only a local maximum is reached, so EM runs from several starts. Short runs from many starts are
 * followed by longer runs of the best ones (Biernacki, Celeux and Govaert 2003).
 *
 * Contents:
 *   1. Fits
 *   2. EM runs
 *   3. Starts
 *   4. Number of components */
#ifndef CRD_MATH_EM_H
#define CRD_MATH_EM_H

#include "base/context.h"

#include <credence/fit.h>

/* ======== 1. Fits ======== */

/* An E step: its log likelihood, and F. */
typedef struct crd_i_em_step {
    double log_likelihood, objective;
} crd_i_em_step;

/* The E steps of a run, beginning with the initial parameters. Initialize it to zero with `context` set. */
typedef struct crd_i_em_trace {
    crd_context *context;
    crd_i_em_step *steps;
    size_t count, capacity;
    size_t best;       /* the step whose parameters are the result: the last one, unless steps may decrease F */
    bool is_converged; /* false: the run reached its maximum number of steps, or the call was cancelled */
    bool may_decrease; /* the M step does not maximize, so steps may decrease F */
} crd_i_em_trace;

void crd_i_em_trace_clear(crd_i_em_trace *trace);
/* Appends a step, which becomes the best one. Returns false if out of memory. */
CRD_MUST_USE bool crd_i_em_trace_add(crd_i_em_trace *trace, double log_likelihood, double objective);
void crd_i_em_trace_swap(crd_i_em_trace *a, crd_i_em_trace *b);
/* Returns F of the best step; -INFINITY if there are no steps. */
double crd_i_em_trace_objective(const crd_i_em_trace *trace);

/* The functions of an owner of a fit, whose struct begins with the fit. */
typedef struct crd_i_fit_kind {
    crd_status (*model)(const crd_fit *fit, crd_model **out, crd_error *error); /* see crd_fit_model */
    void (*clear)(crd_fit *fit);                                                /* frees all but the struct itself */
} crd_i_fit_kind;

struct crd_fit {
    crd_context *context;
    const crd_i_fit_kind *kind; /* NULL: the model exists already */
    crd_i_em_trace trace;       /* the best start, continued until it converged */
    double *starts;             /* F at the end of each start, before the best one was continued */
    size_t start_count, start_capacity, best_start;
    crd_fit_choice *choices;
    size_t choice_count, choice_capacity, chosen;
    bool is_stopped;     /* the call was cancelled, and this is the best result so far */
    crd_fit_facts facts; /* the owner sets `components` to `labeled`; the others are computed when they are queried */
};

void crd_i_em_fit_begin(crd_fit *fit, crd_context *context);
void crd_i_em_fit_clear(crd_fit *fit);
/* Appends the result of a start. Returns false if out of memory. */
CRD_MUST_USE bool crd_i_em_fit_add_start(crd_fit *fit, double objective);
/* Returns how many starts have reached the best objective. */
size_t crd_i_em_fit_starts_at_best(const crd_fit *fit);

/* ======== 2. EM runs ======== */

/* How to compute the steps of a model. */
typedef struct crd_i_em_model {
    void *state;
    /* Performs the E step for the current parameters. */
    crd_status (*expect)(void *state, crd_i_em_step *out, crd_error *error);
    /* Performs the M step: replaces the parameters. */
    void (*maximize)(void *state);
    /* Accepts the parameters of the latest E step. Until then, the run can return to the previous ones. NULL: the E step
     * has no other parameters. */
    void (*accept)(void *state);
} crd_i_em_model;

/* When a run stops. A step is small if it gains no more than `tolerance` times (1 + |F|). */
typedef struct crd_i_em_rule {
    double tolerance;
    size_t most_steps; /* maximum number of M steps */
    bool is_continued; /* the current parameters are already evaluated, so the run begins with an M step */
    bool is_complete;  /* nothing is hidden, so one M step reaches the maximum */
    /* A small step alone does not stop the run. The remaining gain must be small, too. EM converges linearly: with r the
     * ratio of the last two gains, the remaining gain is gain r + gain r^2 + ... = gain r / (1 - r). A step without any
     * gain is dropped. */
    bool weighs_rest;
} crd_i_em_rule;

/* Runs EM from the current parameters and appends its steps to `trace`. If cancelled, the trace has the steps so far. */
CRD_MUST_USE crd_status crd_i_em_run(const crd_i_em_model *model, const crd_i_em_rule *rule, crd_i_em_trace *trace,
                                     crd_error *error);

/* ======== 3. Starts ======== */

/* Random restarts of a model. */
typedef struct crd_i_em_starts {
    void *state;
    /* Runs a start from its initial parameters and adds its steps to `trace`. */
    crd_status (*run)(void *state, size_t start, crd_i_em_trace *trace, crd_error *error);
    /* Returns whether another start follows. */
    bool (*has_next)(const void *state, const crd_fit *fit);
    /* Stores the parameters of the latest run in a place; reads them from there. */
    void (*keep)(void *state, size_t place);
    void (*restore)(void *state, size_t place);
    /* The number of the best starts that continue, and how: `resume` runs more steps from the current parameters. `keep`
     * has as many places. NULL: only the best start is kept. */
    size_t finalists;
    crd_status (*resume)(void *state, crd_i_em_trace *trace, crd_error *error);
} crd_i_em_starts;

/* Runs all starts, then the finalists. Restores the parameters of the best run, and sets fit->trace to its trace. If the
 * call is cancelled after the first step, it succeeds and sets fit->is_stopped. */
CRD_MUST_USE crd_status crd_i_em_run_starts(const crd_i_em_starts *starts, crd_fit *fit, crd_error *error);

/* ======== 4. Number of components ======== */

/* A search for the number of components K, which maximizes the mean held-out log likelihood or BIC (Schwarz 1978):
 *
 *   BIC = log P(x) - d / 2 log n,   where d is the number of free parameters and n the number of rows. */
typedef struct crd_i_em_search {
    void *state;
    const char *name;   /* for reports of progress; not copied */
    size_t least, most; /* the range of K */
    size_t patience;    /* the search stops after so many larger K that are not better */
    double rows;        /* n */
    crd_fit_criterion criterion;
    /* Fits K components. Sets the trace, the starts, and the facts about the result. */
    crd_status (*run)(void *state, size_t components, crd_fit *fit, crd_error *error);
    /* Returns d of the latest fit. */
    double (*parameters)(const void *state);
    /* Computes the mean held-out log likelihood of K components; NaN: there are too few rows. NULL: K is not chosen. */
    crd_status (*hold_out)(void *state, size_t components, double *mean, crd_error *error);
    /* Keeps the parameters of the latest fit as the best ones, or frees them. */
    void (*end)(void *state, bool is_best);
} crd_i_em_search;

/* Fits the numbers of components in turn, and stores the course of the best one in `fit`. If the call is cancelled after
 * the first step, it succeeds and sets fit->is_stopped. */
CRD_MUST_USE crd_status crd_i_em_choose(const crd_i_em_search *search, crd_fit *fit, crd_error *error);

#endif
