/* SPDX-License-Identifier: MIT */
/* fit_trace.h - how a fit of a network's tables went, step by step. */
#ifndef CRD_EM_FIT_TRACE_H
#define CRD_EM_FIT_TRACE_H

#include "base/context.h"

#include <credence/base.h>

/* How it went. Zero-initialised with its context set; filled by the fit, emptied by clear. */
typedef struct crd_i_fit_trace {
    crd_context *context;
    size_t start_count; /* of runs that were begun */
    size_t best_start;
    double *start_values;             /* F that each of these came to */
    size_t count;                     /* of steps of the best one, its start among them */
    double *log_likelihoods, *values; /* after each */
    size_t capacity;
    bool is_converged; /* else it ended by the number of iterations, or was stopped */
    bool is_stopped;   /* the call was cancelled, and this is what there was */
} crd_i_fit_trace;

void crd_i_fit_trace_clear(crd_i_fit_trace *trace);
/* One more step. false: out of memory. */
CRD_MUST_USE bool crd_i_fit_trace_add(crd_i_fit_trace *trace, double log_likelihood, double value);

#endif
