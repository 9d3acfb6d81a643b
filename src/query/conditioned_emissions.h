/* SPDX-License-Identifier: MIT */
/* conditioned_emissions.h - the observations of a sequence where states are known at some steps, or a step is not observed:
 *
 *     P(x, s_t = k) = P(x) with the emissions of all other states at step t put to 0 */
#ifndef CRD_QUERY_CONDITIONED_EMISSIONS_H
#define CRD_QUERY_CONDITIONED_EMISSIONS_H

#include "sequence/chain/chain.h"

/* At a step, from 0, the state is this one; CRD_I_UNOBSERVED: the step has no observation. */
typedef struct crd_i_step_condition {
    uint64_t step;
    int32_t state;
} crd_i_step_condition;

enum { CRD_I_UNOBSERVED = -1 };

typedef struct crd_i_conditioned_emissions {
    crd_i_emissions emissions; /* without conditions */
    size_t states, stride;
    const crd_i_step_condition *conditions; /* in the order of their steps */
    size_t count;
} crd_i_conditioned_emissions;

/* Emissions of the same steps under the conditions, which live as long as they do. */
crd_i_emissions crd_i_condition(const crd_i_conditioned_emissions *conditioned);

#endif
