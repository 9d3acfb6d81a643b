/* SPDX-License-Identifier: MIT */
/* hmm_content.h - what a model of sequences is made of: a tallied model of observations given the state, and counts of n-grams of
 * states. Everything else is derived when a question is asked. */
#ifndef CRD_SEQUENCE_HMM_CONTENT_H
#define CRD_SEQUENCE_HMM_CONTENT_H

#include "model/model_internal.h"
#include "sequence/ngram_counts.h"

#include <credence/sequence.h>

typedef struct crd_i_hmm_content {
    crd_context *context;
    /* Its target is the state; with several components the pair of state and component, by the names "A/1", "A/2", ... . In a
     * model its settings are the defaults, and read by nobody. */
    crd_model *emissions;
    crd_i_ngram_counts *transitions;
    size_t components;
    bool is_hidden; /* no column has the states: the target of the emissions, their last column, is in no file */
    bool is_fitted; /* counts are expected ones, or stated: rows and sequences can be neither added nor taken out */
    bool is_stated; /* a text states the probabilities, and counts stand for no rows; then is_fitted as well */
    /* How sequences were found in files: texts are owned. */
    crd_sequence_options source;
} crd_i_hmm_content;

/* NULL: the model is no model of sequences. */
const crd_i_hmm_content *crd_i_hmm_content_of(const crd_model *model);

/* Takes over the model and the counts, also on failure. Hidden states are declared, and fitted. `source` may be NULL: sequences
 * are not of files. */
CRD_MUST_USE crd_status crd_i_hmm_content_create(crd_context *context, crd_model *emissions,
                                                 crd_i_ngram_counts *transitions, size_t components, bool is_hidden,
                                                 const crd_sequence_options *source, crd_i_hmm_content **out,
                                                 crd_error *error);
void crd_i_hmm_content_destroy(crd_i_hmm_content *content);

/* A model of it, which is taken over also on failure, with these settings, whose method becomes `sequence` and whose order
 * at most that of the counts. */
CRD_MUST_USE crd_status crd_i_sequence_model_create(crd_i_hmm_content *content, const crd_settings *settings,
                                                    crd_model **out, crd_error *error);

/* The settings of the tallied model of observations under those of a model of sequences, NULL: the defaults. CRD_ERROR_SETTING where
 * these fit something to posteriors of single rows. */
CRD_MUST_USE crd_status crd_i_emission_settings(crd_context *context, const crd_settings *settings, crd_settings **out,
                                                crd_error *error);
/* The name of a component's class: `room` has CRD_I_COMPONENT_ROOM more bytes than the state's name. `component` counts from 0; of
 * one component the name is the state's. */
enum { CRD_I_COMPONENT_ROOM = 24 };
crd_text crd_i_component_name(crd_text state, size_t component, size_t components, char *buffer);

/* The states in order: those that were met, and those that are declared or hidden; *out and the ranks of the counts' states,
 * which are SIZE_MAX truncated to 32 bits where a state is none any more, are the caller's. */
CRD_MUST_USE crd_status crd_i_hmm_content_states(const crd_i_hmm_content *content, crd_i_dictionary **out,
                                                 uint32_t **ranks, crd_error *error);

#endif
