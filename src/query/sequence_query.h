/* SPDX-License-Identifier: MIT */
/* sequence_query.h - a chain with the observations of one sequence at a time. */
#ifndef CRD_QUERY_SEQUENCE_QUERY_H
#define CRD_QUERY_SEQUENCE_QUERY_H

#include "query/conditioned_emissions.h"
#include "sequence/hmm_internal.h"

#include <credence/hmm_answers.h>

struct crd_sequence_query {
    const crd_hmm *hmm;
    const crd_sequences *sequences;
    crd_i_emission_binding *binding;
    crd_i_emission_room *emission;
    crd_i_chain_workspace *workspace;
    size_t sequence; /* whose observations are asked for */
    crd_i_step_condition *conditions;
    size_t conditions_capacity;
    double *logs; /* of one step */
};

/* The observations of a sequence, until those of another are asked for. CRD_ERROR_ARGUMENT: there is no such sequence. */
CRD_MUST_USE crd_status crd_i_sequence_query_emissions(crd_sequence_query *query, size_t sequence, crd_i_emissions *out,
                                                       crd_error *error);
/* P(state at step - 1 + h | the first `step` observations), h = 1 .. horizon: horizon x states. All are NaN where these are
 * impossible. */
CRD_MUST_USE crd_status crd_i_sequence_query_predict(crd_sequence_query *query, const crd_i_emissions *emissions,
                                                     uint64_t step, size_t horizon, double *probabilities,
                                                     crd_error *error);

#endif
