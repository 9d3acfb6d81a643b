/* SPDX-License-Identifier: MIT */
/* fit_run.h - state shared by EM and gradient ascent on the CPTs of a network: the current tables, their objective F
 * (see network_fit.h), and the trace of the steps so far. */
#ifndef CRD_EM_FIT_RUN_H
#define CRD_EM_FIT_RUN_H

#include "base/context.h"
#include "em/incomplete_cases.h"

#include <credence/base.h>

/* ---- the trace of a fit of a network's CPTs: the objective after each step. */

/* The trace of a fit. Initialize it to zero with `context` set. The fit fills it; crd_i_fit_trace_clear frees it. F is
 * the objective of network_fit.h. */
typedef struct crd_i_fit_trace {
    crd_context *context;
    size_t start_count; /* number of random restarts that were begun */
    size_t best_start;
    double *start_values;             /* F at the end of each start */
    size_t count;                     /* number of steps of the best start, including its initial tables */
    double *log_likelihoods, *values; /* log likelihood and F after each of these steps */
    size_t capacity;
    bool is_converged; /* false: the iterations ran out, or the call was cancelled */
    bool is_stopped;   /* the call was cancelled, and the trace is incomplete */
} crd_i_fit_trace;

void crd_i_fit_trace_clear(crd_i_fit_trace *trace);
/* Appends a step. Returns false if out of memory. */
CRD_MUST_USE bool crd_i_fit_trace_add(crd_i_fit_trace *trace, double log_likelihood, double value);

typedef struct crd_i_network_fit_problem {
    crd_network *network; /* finished network; fixed tables are kept, the others are overwritten */
    const crd_i_case_table *table;
    const size_t *columns;        /* for each node: its column of the table; SIZE_MAX: the node is hidden */
    const double *const *assumed; /* for each node: the pseudo-counts of its states, for every row of its CPT */
    const bool *is_fixed;         /* for each node: its CPT is specified by the user and is not learned */
} crd_i_network_fit_problem;

typedef struct crd_i_fit_run {
    const crd_i_network_fit_problem *problem;
    crd_i_incomplete_cases *cases;
    const size_t *starts; /* for each node: the first entry of its CPT in `tables` */
    size_t cells;
    const bool *is_unseen;   /* for each node: its value is missing in every row */
    double *tables, *counts; /* CPTs of the current step, and the expected counts under them */
    double *next, *next_counts;
    double *direction, *last; /* for gradient ascent: the search direction, and the last scaled gradient */
    double log_likelihood, value;
} crd_i_fit_run;

/* Limits of a run: the maximum number of iterations, and the tolerance relative to F. */
typedef struct crd_i_fit_limits {
    size_t iterations;
    double tolerance;
} crd_i_fit_limits;

/* Computes the expected counts under `tables`, their log likelihood, and the objective F (*value). */
CRD_MUST_USE crd_status crd_i_fit_run_evaluate(const crd_i_fit_run *run, const double *tables, double *counts,
                                               double *log_likelihood, double *value, crd_error *error);
/* Accepts the tables and counts in `next` and `next_counts` as the current step, and adds the step to the trace. */
CRD_MUST_USE crd_status crd_i_fit_run_step(crd_i_fit_run *run, double log_likelihood, double value,
                                           crd_i_fit_trace *trace, crd_error *error);

/* Runs EM from the current tables, which must have been evaluated. Stops when little is left to gain (sets
 * *is_converged) or after the maximum number of iterations. If cancelled, the run stays at its latest step. */
CRD_MUST_USE crd_status crd_i_fit_run_em(crd_i_fit_run *run, const crd_i_fit_limits *limits, crd_i_fit_trace *trace,
                                         bool *is_converged, crd_error *error);

#endif
