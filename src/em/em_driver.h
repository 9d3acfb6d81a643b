/* SPDX-License-Identifier: MIT */
/* em_driver.h - the EM algorithm for any model: its steps and the rule that stops them, the trace of the objective, random
 * restarts, and the choice of the number of components.
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
 * No step decreases F. Only a local maximum is reached, so EM runs from several starts.
 *
 * Contents:
 *   1. Fits
 *   2. EM runs
 *   3. Starts */
#ifndef CRD_EM_EM_DRIVER_H
#define CRD_EM_EM_DRIVER_H

#include "base/context.h"

#include <credence/base.h>

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
    bool is_converged; /* false: the run reached its maximum number of steps, or the call was cancelled */
} crd_i_em_trace;

void crd_i_em_trace_clear(crd_i_em_trace *trace);
/* Appends a step. Returns false if out of memory. */
CRD_MUST_USE bool crd_i_em_trace_add(crd_i_em_trace *trace, double log_likelihood, double objective);
/* Returns F at the end of a trace that has steps. */
static inline double crd_i_em_trace_last(const crd_i_em_trace *trace) {
    return trace->steps[trace->count - 1].objective;
}

/* The course of a fit. Initialize it to zero with both contexts set. */
typedef struct crd_i_em_fit {
    crd_context *context;
    crd_i_em_trace trace; /* the best start, continued until it converged */
    double *starts;       /* F at the end of each start, before the best one was continued */
    size_t start_count, start_capacity, best_start;
    bool is_stopped; /* the call was cancelled, and this is the best result so far */
} crd_i_em_fit;

void crd_i_em_fit_clear(crd_i_em_fit *fit);
/* Appends the result of a start. Returns false if out of memory. */
CRD_MUST_USE bool crd_i_em_fit_add_start(crd_i_em_fit *fit, double objective);

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
    /* Keeps the parameters of the latest start, which is the best so far. */
    void (*keep)(void *state);
    /* Returns whether another start follows. */
    bool (*has_next)(const void *state, const crd_i_em_fit *fit);
} crd_i_em_starts;

/* Runs all starts. Sets fit->trace to the trace of the best one. If the call is cancelled after the first step, it
 * succeeds and sets fit->is_stopped. */
CRD_MUST_USE crd_status crd_i_em_run_starts(const crd_i_em_starts *starts, crd_i_em_fit *fit, crd_error *error);

#endif
