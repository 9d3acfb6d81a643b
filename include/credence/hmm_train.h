/* SPDX-License-Identifier: MIT */
/* credence/hmm_train.h - models of sequences from sequences. */
#ifndef CREDENCE_HMM_TRAIN_H
#define CREDENCE_HMM_TRAIN_H

#include <credence/hmm.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Labelled sequences: counting ---- */

/* Counts the sequences of a reader whose target, the state of each row, is set: cells of each state's rows, and states that
 * follow each other, up to the order of the settings. Rows without a label count for neither, and separate those before them
 * from those behind. The model is a function of its columns and the multiset of sequences, so that it is updated
 * (crd_model_update_all), forgets (crd_model_forget_all) and is merged (crd_model_merge) exactly. Memory does not grow with the
 * number of rows. options may be NULL: each file is one sequence. settings may be NULL (defaults); facts may be NULL. No
 * labelled row is CRD_ERROR_EMPTY. */
CRD_API CRD_MUST_USE crd_status crd_sequence_train(crd_context *context, crd_reader *reader,
                                                   const crd_sequence_options *options, const crd_settings *settings,
                                                   crd_model **out, crd_read_facts *facts, crd_error *error);
/* The same of sequences at hand, which have a target. */
CRD_API CRD_MUST_USE crd_status crd_sequences_train(const crd_sequences *sequences, const crd_settings *settings,
                                                    crd_model **out, crd_read_facts *facts, crd_error *error);
/* Sequences in, sequences out, of a model that counted labelled ones: all or nothing. Columns meet by name.
 * CRD_ERROR_NOT_LEARNED: sequences that were not learned are to be forgotten. */
CRD_API CRD_MUST_USE crd_status crd_sequences_update(crd_model *model, const crd_sequences *sequences,
                                                     crd_read_facts *facts, crd_error *error);
CRD_API CRD_MUST_USE crd_status crd_sequences_forget(crd_model *model, const crd_sequences *sequences,
                                                     crd_read_facts *facts, crd_error *error);

#ifdef __cplusplus
}
#endif
#endif
