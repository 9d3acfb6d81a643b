/* SPDX-License-Identifier: MIT */
/* conditioned_emissions.h - the emissions of a sequence, given the states at some steps or without the observations at
 * some steps.
 *
 * To condition on s_t = k, the emission of every other state at step t is set to 0:
 *
 *     P(x, s_t = k) = P(x) with P(x_t | j) = 0 for all j != k */
#ifndef CRD_QUERY_CONDITIONED_EMISSIONS_H
#define CRD_QUERY_CONDITIONED_EMISSIONS_H

#include "sequence/chain/chain.h"

/* Fixes the state at a step, counted from 0. CRD_I_UNOBSERVED drops the observation of the step instead. */
typedef struct crd_i_step_condition {
    uint64_t step;
    int32_t state;
} crd_i_step_condition;

enum { CRD_I_UNOBSERVED = -1 };

typedef struct crd_i_conditioned_emissions {
    crd_i_emissions emissions; /* the emissions before conditioning */
    size_t states, stride;
    const crd_i_step_condition *conditions; /* in ascending order of steps */
    size_t count;
} crd_i_conditioned_emissions;

/* Returns the emissions of the same steps under the conditions. The result points to `conditioned`, which must outlive
 * it. */
crd_i_emissions crd_i_condition(const crd_i_conditioned_emissions *conditioned);

#endif
