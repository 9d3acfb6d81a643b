/* SPDX-License-Identifier: MIT */
/* conditioned_emissions.c - see conditioned_emissions.h. */
#include "query/conditioned_emissions.h"

#include <math.h>

/* The first condition that is not before a step. */
static size_t first_from(const crd_i_conditioned_emissions *of, uint64_t step) {
    size_t low = 0, high = of->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (of->conditions[middle].step < step) low = middle + 1;
        else high = middle;
    }
    return low;
}

static crd_status fill(const void *user, uint64_t from, uint64_t to, double *logs, crd_error *error) {
    const crd_i_conditioned_emissions *of = user;
    crd_status status = of->of.fill(of->of.user, from, to, logs, error);
    if (status != CRD_OK) return status;
    for (size_t i = first_from(of, from); i < of->count && of->conditions[i].step < to; i++) {
        const crd_i_step_condition *at = &of->conditions[i];
        double *row = logs + (size_t)(at->step - from) * of->stride;
        for (size_t k = 0; k < of->states; k++) {
            if (at->state == CRD_I_UNOBSERVED) row[k] = 0;
            else if ((size_t)at->state != k) row[k] = -INFINITY;
        }
    }
    return CRD_OK;
}

crd_i_emissions crd_i_condition(const crd_i_conditioned_emissions *conditioned) {
    return (crd_i_emissions){.user = conditioned, .steps = conditioned->of.steps, .fill = fill};
}
