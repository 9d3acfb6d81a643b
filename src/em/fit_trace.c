/* SPDX-License-Identifier: MIT */
/* fit_trace.c - the trace of a fit. See fit_trace.h. */
#include "em/fit_trace.h"

#include "base/memory.h"

void crd_i_fit_trace_clear(crd_i_fit_trace *trace) {
    crd_free(trace->context, trace->start_values);
    crd_free(trace->context, trace->log_likelihoods);
    crd_free(trace->context, trace->values);
    const crd_i_fit_trace none = {.context = trace->context};
    *trace = none;
}

bool crd_i_fit_trace_add(crd_i_fit_trace *trace, double log_likelihood, double value) {
    size_t capacity = trace->capacity;
    if (!crd_i_reserve(trace->context, &trace->log_likelihoods, &capacity, trace->count + 1,
                       sizeof *trace->log_likelihoods) ||
        !crd_i_reserve(trace->context, &trace->values, &trace->capacity, trace->count + 1, sizeof *trace->values))
        return false;
    trace->log_likelihoods[trace->count] = log_likelihood;
    trace->values[trace->count++] = value;
    return true;
}
