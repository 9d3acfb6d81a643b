/* SPDX-License-Identifier: MIT */
/* hmm_learn.h - labelled sequences into counts: cells of each state's rows, and n-grams of states. */
#ifndef CRD_SEQUENCE_HMM_LEARN_H
#define CRD_SEQUENCE_HMM_LEARN_H

#include "sequence/hmm_content.h"

/* CRD_ERROR_ARGUMENT for a model that is none of labelled sequences, and so cannot `what`. */
CRD_MUST_USE crd_status crd_i_sequence_model_check_counted(const crd_model *model, const char *description,
                                                           crd_error *error);
/* Adds (sign 1) or takes out (sign -1) what another has counted: all or nothing. */
CRD_MUST_USE crd_status crd_i_sequence_model_combine(crd_model *model, const crd_i_hmm_content *other, int sign,
                                                     crd_error *error);
/* The same with all sequences of a fresh reader, which are found as those that the model has learned were; it counted
 * these. facts may be NULL. */
CRD_MUST_USE crd_status crd_i_sequence_learn_reader(crd_model *model, crd_reader *reader, crd_read_facts *facts,
                                                    int sign, crd_error *error);

#endif
