/* SPDX-License-Identifier: MIT */
/* hmm_internal.h - the members of a hidden Markov model derived under settings: transition probabilities as a chain,
 * and densities of observations given the state. */
#ifndef CRD_SEQUENCE_HMM_INTERNAL_H
#define CRD_SEQUENCE_HMM_INTERNAL_H

#include "sequence/chain/chain.h"
#include "sequence/context_nodes.h"
#include "sequence/emission_model.h"
#include "sequence/hmm_content.h"
#include "sequence/transition_model.h"

#include <credence/hmm.h>

struct crd_hmm {
    crd_context *context;
    crd_settings *settings;   /* settings of the sequence model */
    crd_i_dictionary *states; /* in order: code = state */
    size_t state_count, order;
    bool is_hidden, is_stated;
    crd_i_transition_model *transitions;
    crd_i_context_nodes *nodes; /* nodes of the chain, with the same layout */
    crd_i_chain *chain;
    crd_i_emission_model *emission;
};

/* Version of crd_hmm_create for a content that is not yet part of a model, for example during training. `content` must
 * outlive the result. */
CRD_MUST_USE crd_status crd_i_hmm_derive(const crd_i_hmm_content *content, const crd_settings *settings, crd_hmm **out,
                                         crd_error *error);

#endif
