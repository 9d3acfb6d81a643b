/* SPDX-License-Identifier: MIT */
/* hmm_content.h - the content of a sequence model: sufficient statistics of the observations given the state, and
 * n-gram counts of states. Everything else is derived from these and the settings when the model is used. */
#ifndef CRD_SEQUENCE_HMM_CONTENT_H
#define CRD_SEQUENCE_HMM_CONTENT_H

#include "model/model_internal.h"
#include "sequence/ngram_counts.h"

#include <credence/sequence.h>

typedef struct crd_i_hmm_content {
    crd_context *context;
    /* Model of the observations. Its target is the state; with several components, the pair of state and component,
     * with names "A/1", "A/2", ... . In a finished model, its settings are the defaults and are not used. */
    crd_model *emissions;
    crd_i_ngram_counts *transitions;
    size_t components;
    bool is_hidden; /* no column has the states; the target of the emissions, their last column, is not in any file */
    /* counts are expected counts, or specified: rows and sequences can be neither added nor removed */
    bool is_fitted;
    bool is_stated; /* a text specifies the probabilities, and the counts do not represent rows; implies is_fitted */
    /* How sequences were found in files; the texts are owned. */
    crd_sequence_options source;
} crd_i_hmm_content;

/* Returns the content of a sequence model; NULL: the model is not a sequence model. */
const crd_i_hmm_content *crd_i_hmm_content_of(const crd_model *model);

/* Creates the content, and takes ownership of `emissions` and `transitions`, even on failure. Hidden states are
 * declared as values of the target, and marked as fitted. `source` may be NULL if the sequences are not from files. */
CRD_MUST_USE crd_status crd_i_hmm_content_create(crd_context *context, crd_model *emissions,
                                                 crd_i_ngram_counts *transitions, size_t components, bool is_hidden,
                                                 const crd_sequence_options *source, crd_i_hmm_content **out,
                                                 crd_error *error);
void crd_i_hmm_content_destroy(crd_i_hmm_content *content);

/* Creates a model with this content, and takes ownership of `content`, even on failure. The method of the settings
 * becomes `sequence`, and their order at most the order of the counts. */
CRD_MUST_USE crd_status crd_i_sequence_model_create(crd_i_hmm_content *content, const crd_settings *settings,
                                                    crd_model **out, crd_error *error);

/* Creates the settings of the emission model from the settings of a sequence model (NULL: the defaults). Returns
 * CRD_ERROR_SETTING if the settings fit something to the posteriors of single rows. */
CRD_MUST_USE crd_status crd_i_emission_settings(crd_context *context, const crd_settings *settings, crd_settings **out,
                                                crd_error *error);
/* Writes the class name of a component to `buffer` and returns it. `buffer` must have CRD_I_COMPONENT_ROOM bytes more
 * than the state's name. `component` counts from 0. If there is only one component, the class has the state's name. */
enum { CRD_I_COMPONENT_ROOM = 24 };
crd_text crd_i_component_name(crd_text state, size_t component, size_t components, char *buffer);

/* Lists the states in order: all states that occurred, are declared, or are hidden. Also returns the rank of each of
 * the counts' states, UINT32_MAX for a state that no longer exists. The caller owns *out and *ranks. */
CRD_MUST_USE crd_status crd_i_hmm_content_states(const crd_i_hmm_content *content, crd_i_dictionary **out,
                                                 uint32_t **ranks, crd_error *error);

#endif
