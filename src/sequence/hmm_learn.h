/* SPDX-License-Identifier: MIT */
/* hmm_learn.h - learns labeled sequences: statistics of the rows of each state, and n-gram counts of states. */
#ifndef CRD_SEQUENCE_HMM_LEARN_H
#define CRD_SEQUENCE_HMM_LEARN_H

#include "sequence/hmm_content.h"

/* Returns CRD_ERROR_ARGUMENT if the model was not counted from labeled sequences, so that it cannot do what
 * `description` says, for example "learn sequences". */
CRD_MUST_USE crd_status crd_i_sequence_model_check_counted(const crd_model *model, const char *description,
                                                           crd_error *error);
/* Adds (sign 1) or subtracts (sign -1) the counts of another content. On failure the model is unchanged. */
CRD_MUST_USE crd_status crd_i_sequence_model_combine(crd_model *model, const crd_i_hmm_content *other, int sign,
                                                     crd_error *error);
/* Adds or subtracts all sequences of a fresh reader. The sequences are found as in the model's training, and the model
 * must be counted. `facts` may be NULL. */
CRD_MUST_USE crd_status crd_i_sequence_learn_reader(crd_model *model, crd_reader *reader, crd_read_facts *facts,
                                                    int sign, crd_error *error);

#endif
