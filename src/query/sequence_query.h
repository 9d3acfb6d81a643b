/* SPDX-License-Identifier: MIT */
/* sequence_query.h - queries about a hidden Markov model and a set of sequences, one sequence at a time. */
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
    size_t sequence; /* the sequence whose emissions were set up last */
    crd_i_step_condition *conditions;
    size_t conditions_capacity;
    double *logs; /* log emissions of one step */
};

/* Sets *out to the emissions of a sequence. They are valid until this function is called for another sequence. Fails
 * with CRD_ERROR_ARGUMENT if the sequence does not exist. */
CRD_MUST_USE crd_status crd_i_sequence_query_emissions(crd_sequence_query *query, size_t sequence, crd_i_emissions *out,
                                                       crd_error *error);
/* Computes P(s_(step - 1 + h) | the first `step` observations) for h = 1 .. horizon, as probabilities[(h - 1) * states
 * + k]. All are NaN if these observations are impossible. */
CRD_MUST_USE crd_status crd_i_sequence_query_predict(crd_sequence_query *query, const crd_i_emissions *emissions,
                                                     uint64_t step, size_t horizon, double *probabilities,
                                                     crd_error *error);

#endif
