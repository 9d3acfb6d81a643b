/* SPDX-License-Identifier: MIT */
/* conditioned_emissions.c - see conditioned_emissions.h. */
#include "query/conditioned_emissions.h"

#include <math.h>

/* Returns the index of the first condition at or after a step, found by binary search. */
static size_t conditioned_emission_first_from(const crd_i_conditioned_emissions *emissions, uint64_t step) {
    size_t low = 0, high = emissions->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (emissions->conditions[middle].step < step) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Computes the log emissions of the steps and then applies the conditions. An unobserved step gets 0 for all states. A
 * fixed state leaves -INFINITY for every other state of its step. */
static crd_status conditioned_emission_fill(const void *user, uint64_t first, uint64_t limit, double *logs,
                                            crd_error *error) {
    const crd_i_conditioned_emissions *emissions = user;
    crd_status status = emissions->emissions.fill(emissions->emissions.user, first, limit, logs, error);
    if (status != CRD_OK) return status;
    for (size_t i = conditioned_emission_first_from(emissions, first);
         i < emissions->count && emissions->conditions[i].step < limit; i++) {
        const crd_i_step_condition *condition = &emissions->conditions[i];
        double *row = logs + (size_t)(condition->step - first) * emissions->stride;
        for (size_t k = 0; k < emissions->states; k++) {
            if (condition->state == CRD_I_UNOBSERVED) row[k] = 0;
            else if ((size_t)condition->state != k) row[k] = -INFINITY;
        }
    }
    return CRD_OK;
}

crd_i_emissions crd_i_condition(const crd_i_conditioned_emissions *conditioned) {
    return (crd_i_emissions){
        .user = conditioned, .steps = conditioned->emissions.steps, .fill = conditioned_emission_fill};
}
