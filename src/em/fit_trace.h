/* SPDX-License-Identifier: MIT */
/* fit_trace.h - the trace of a fit of a network's CPTs: the objective after each step. */
#ifndef CRD_EM_FIT_TRACE_H
#define CRD_EM_FIT_TRACE_H

#include "base/context.h"

#include <credence/base.h>

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

#endif
