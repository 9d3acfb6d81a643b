/* SPDX-License-Identifier: MIT */
/* emission_model.h - log P(observation | state): the sum of the log densities of the columns that are present,
 *
 *   log P(x | s) = sum over the columns j with a value of log P(x_j | s).
 *
 * With several components it is a mixture, log sum_m w_m P(x | s, m), where w_m is the relative frequency of component
 * m among the rows of state s. Missing columns contribute no factor. Neither do unseen values of a categorical column,
 * unless they are words (unseen_words.h), nor numbers outside the support of the column's family. */
#ifndef CRD_SEQUENCE_EMISSION_MODEL_H
#define CRD_SEQUENCE_EMISSION_MODEL_H

#include "classify/classifier_internal.h"
#include "sequence/data/sequences.h"
#include "sequence/hmm_content.h"
#include "sequence/words/unseen_words.h"

typedef struct crd_i_emission_model {
    crd_context *context;
    /* classifier of the emission model; its classes are states, or pairs of state and component */
    crd_classifier *classifier;
    size_t states, components;
    uint32_t *class_of; /* [state * components + component]: the class; UINT32_MAX: it has no rows */
    /* log weights of the components within their state; -INFINITY for missing components */
    double *log_weights;
    bool is_plain;               /* classes are the states, in order */
    crd_i_unseen_words **unseen; /* word model of each attribute; NULL: not a word column */
} crd_i_emission_model;

/* Creates the emission model of an HMM. `states` are in order. `content` must outlive it. */
CRD_MUST_USE crd_status crd_i_emission_model_create(const crd_i_hmm_content *content, const crd_i_dictionary *states,
                                                    const crd_settings *settings, crd_i_emission_model **out,
                                                    crd_error *error);
void crd_i_emission_model_destroy(crd_i_emission_model *emission);

/* Mapping between the columns of sequences and of a model: matched by name, with codes translated. Shared by
 * threads. */
typedef struct crd_i_emission_binding crd_i_emission_binding;

/* Binds sequences to a model, and their labels to its states. Returns CRD_ERROR_SCHEMA_DIFFERS if a column is numeric
 * in one and categorical in the other. The sequences and the model must outlive the binding. */
CRD_MUST_USE crd_status crd_i_emission_bind(const crd_i_emission_model *emission, const crd_sequences *sequences,
                                            const crd_i_dictionary *states, crd_i_emission_binding **out,
                                            crd_error *error);
void crd_i_emission_binding_destroy(crd_i_emission_binding *binding);

/* Workspace of one thread. */
typedef struct crd_i_emission_room crd_i_emission_room;
CRD_MUST_USE crd_status crd_i_emission_room_create(const crd_i_emission_binding *binding, crd_i_emission_room **out,
                                                   crd_error *error);
void crd_i_emission_room_destroy(crd_i_emission_room *workspace);

/* Computes logs[(t - source) * stride + state] for the steps from `source` to `target` - 1 of a sequence. The workspace
 * belongs to the calling thread. */
CRD_MUST_USE crd_status crd_i_emission_fill(const crd_i_emission_binding *binding, size_t sequence, uint64_t source,
                                            uint64_t target, double *logs, size_t stride,
                                            crd_i_emission_room *workspace, crd_error *error);
/* Works like crd_i_emission_fill, but clamps labeled steps: all states other than the label are -INFINITY. A label that
 * is not a state is ignored. */
CRD_MUST_USE crd_status crd_i_emission_fill_clamped(const crd_i_emission_binding *binding, size_t sequence,
                                                    uint64_t source, uint64_t target, double *logs, size_t stride,
                                                    crd_i_emission_room *workspace, crd_error *error);

/* Computes log w_m P(observation | state, m) for the components m of all states, as
 * logs[(t - source) * stride + state * components + m]. */
CRD_MUST_USE crd_status crd_i_emission_fill_components(const crd_i_emission_binding *binding, size_t sequence,
                                                       uint64_t source, uint64_t target, double *logs, size_t stride,
                                                       crd_i_emission_room *workspace, crd_error *error);

#endif
