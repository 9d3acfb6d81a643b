/* SPDX-License-Identifier: MIT */
/* hmm_search.h - the search for hidden states: starts of EM, and the number of states. See credence/hmm_train.h. */
#ifndef CRD_SEQUENCE_HMM_SEARCH_H
#define CRD_SEQUENCE_HMM_SEARCH_H

#include "sequence/train/baum_welch.h"

#include <credence/hmm_train.h>

struct crd_hmm_fit {
    crd_context *context;
    crd_sequences
        *unlabelled; /* the sequences without their labels, which do not count; NULL: they do, or there are none */
    crd_i_training_problem problem;
    crd_hmm_train_options options; /* with nothing left to the settings */
    crd_sequence_options source;   /* texts are borrowed */
    bool has_source, is_counted;   /* every step has a label: there is nothing to be found */
    bool is_stopped;               /* the call was cancelled, and this is what there was */
    crd_i_training_shape *shape;
    crd_i_training_run run;
    double *restarts;
    size_t restart_count;
    crd_hmm_choice *choices;
    size_t choice_count, choice_capacity, chosen;
};

/* Finds the states of the problem that `how` has. */
CRD_MUST_USE crd_status crd_i_hmm_search(crd_hmm_fit *fit_options, crd_error *error);
/* Frees what was found of one number of states. */
void crd_i_hmm_search_clear(crd_hmm_fit *fit_options);

#endif
