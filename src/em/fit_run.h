/* SPDX-License-Identifier: MIT */
/* fit_run.h - what EM and gradient ascent share: tables at hand, what they are worth, and the steps so far. */
#ifndef CRD_EM_FIT_RUN_H
#define CRD_EM_FIT_RUN_H

#include "em/fit_trace.h"
#include "em/incomplete_cases.h"

typedef struct crd_i_network_fit_problem {
    crd_network *network; /* finished; the tables of fixed nodes are what they are, others are overwritten */
    const crd_i_case_table *table;
    const size_t *columns;        /* of each node; SIZE_MAX: it is hidden */
    const double *const *assumed; /* of each node, pseudo-counts of its states in every row of its table */
    const bool *is_fixed;         /* by node: its table is stated, and not learned */
} crd_i_network_fit_problem;

typedef struct crd_i_fit_run {
    const crd_i_network_fit_problem *problem;
    crd_i_incomplete_cases *cases;
    const size_t *starts; /* of tables */
    size_t cells;
    const bool *is_unseen;   /* by node: no row has a cell of it */
    double *tables, *counts; /* of the step that the run has come to */
    double *next, *next_counts;
    double *direction, *last; /* of gradient ascent */
    double log_likelihood, value;
} crd_i_fit_run;

/* When a run ends. */
typedef struct crd_i_fit_limits {
    size_t iterations;
    double tolerance;
} crd_i_fit_limits;

/* Expected counts under tables, their log likelihood, and F. */
CRD_MUST_USE crd_status crd_i_fit_run_evaluate(const crd_i_fit_run *run, const double *tables, double *counts,
                                               double *log_likelihood, double *value, crd_error *error);
/* Makes what was evaluated as `next` the step that the run has come to, and adds it to the trace. */
CRD_MUST_USE crd_status crd_i_fit_run_step(crd_i_fit_run *run, double log_likelihood, double value,
                                           crd_i_fit_trace *trace, crd_error *error);

/* From the tables that were evaluated until there is little to gain, or no iterations are left; *is_converged: the former.
 * A cancelled call leaves the run at its latest step. */
CRD_MUST_USE crd_status crd_i_fit_run_em(crd_i_fit_run *run, const crd_i_fit_limits *limits, crd_i_fit_trace *trace,
                                         bool *is_converged, crd_error *error);

#endif
