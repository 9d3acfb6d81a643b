/* SPDX-License-Identifier: MIT */
/* emission_model.h - log P(observation | state): sums of log densities of the columns that are present.
 *
 * With several components, log sum_m w_m P(observation | state, m), w_m the relative frequency of component m among the rows
 * of the state. Columns that are missing leave their factor out; so do values of categories that were never met, unless
 * they are words (unseen_words.h), which have probabilities of their own, and numbers that no state can have. */
#ifndef CRD_SEQUENCE_EMISSION_MODEL_H
#define CRD_SEQUENCE_EMISSION_MODEL_H

#include "classify/classifier_internal.h"
#include "sequence/data/sequences_internal.h"
#include "sequence/hmm_content.h"
#include "sequence/words/unseen_words.h"

typedef struct crd_i_emission_model {
    crd_context *context;
    crd_classifier *classifier; /* of the tallied model; its classes are states, or components */
    size_t states, components;
    uint32_t *class_of;          /* state * components + component to class; UINT32_MAX: no row has it */
    double *log_weights;         /* of these, within the state; -INFINITY for none */
    bool is_plain;               /* classes are the states, in their order */
    crd_i_unseen_words **unseen; /* of each attribute; NULL: it has no words */
} crd_i_emission_model;

/* States in order. The content must outlive it. */
CRD_MUST_USE crd_status crd_i_emission_model_create(const crd_i_hmm_content *content, const crd_i_dictionary *states,
                                                    const crd_settings *settings, crd_i_emission_model **out,
                                                    crd_error *error);
void crd_i_emission_model_destroy(crd_i_emission_model *emission);

/* How the columns of sequences meet those of a model: by name, with codes translated; shared by threads. */
typedef struct crd_i_emission_binding crd_i_emission_binding;

/* CRD_ERROR_SCHEMA_DIFFERS where a column has numbers in one and categories in the other. The sequences and the model must outlive
 * it. With the sequences' labels also the states that they are. */
CRD_MUST_USE crd_status crd_i_emission_bind(const crd_i_emission_model *emission, const crd_sequences *sequences,
                                            const crd_i_dictionary *states, crd_i_emission_binding **out,
                                            crd_error *error);
void crd_i_emission_binding_destroy(crd_i_emission_binding *binding);

/* What a thread computes in. */
typedef struct crd_i_emission_room crd_i_emission_room;
CRD_MUST_USE crd_status crd_i_emission_room_create(const crd_i_emission_binding *binding, crd_i_emission_room **out,
                                                   crd_error *error);
void crd_i_emission_room_destroy(crd_i_emission_room *workspace);

/* logs[(t - from) * stride + state] of steps from .. to - 1 of a sequence. The room is the thread's. */
CRD_MUST_USE crd_status crd_i_emission_fill(const crd_i_emission_binding *binding, size_t sequence, uint64_t source,
                                            uint64_t target, double *logs, size_t stride,
                                            crd_i_emission_room *workspace, crd_error *error);
/* The same, where a step has a label -INFINITY for all other states; a label that is no state is taken for none. */
CRD_MUST_USE crd_status crd_i_emission_fill_clamped(const crd_i_emission_binding *binding, size_t sequence,
                                                    uint64_t source, uint64_t target, double *logs, size_t stride,
                                                    crd_i_emission_room *workspace, crd_error *error);

/* log w_m P(observation | state, m) of the components of all states: logs[(t - from) * stride + state * components + m]. */
CRD_MUST_USE crd_status crd_i_emission_fill_components(const crd_i_emission_binding *binding, size_t sequence,
                                                       uint64_t source, uint64_t target, double *logs, size_t stride,
                                                       crd_i_emission_room *workspace, crd_error *error);

#endif
