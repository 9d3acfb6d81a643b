/* SPDX-License-Identifier: MIT */
/* hmm_search.h - the search for hidden states: random restarts of EM, and the number of states. See
 * credence/hmm_train.h. */
#ifndef CRD_SEQUENCE_TRAIN_HMM_SEARCH_H
#define CRD_SEQUENCE_TRAIN_HMM_SEARCH_H

#include "sequence/train/baum_welch.h"

#include <credence/hmm_train.h>

struct crd_hmm_fit {
    crd_context *context;
    crd_sequences *unlabelled; /* the sequences without their labels, if labels are ignored; otherwise NULL */
    crd_i_training_problem problem;
    crd_hmm_train_options options; /* all values set, none left to the settings */
    crd_sequence_options source;   /* the texts are borrowed */
    bool has_source, is_counted;   /* is_counted: every step has a label, so there is nothing to fit */
    bool is_stopped;               /* the call was cancelled, and this is the best result so far */
    crd_i_training_shape *shape;
    crd_i_training_run run;
    double *restarts;
    size_t restart_count;
    crd_hmm_choice *choices;
    size_t choice_count, choice_capacity, chosen;
};

/* Finds the states of fit_options->problem. */
CRD_MUST_USE crd_status crd_i_hmm_search(crd_hmm_fit *fit_options, crd_error *error);
/* Frees the results for one number of states. */
void crd_i_hmm_search_clear(crd_hmm_fit *fit_options);

#endif
