/* SPDX-License-Identifier: MIT */
/* sequence_decoder.h - what the questions of credence/hmm_decode.h have in common: a model, sequences whose columns are bound to it, and what
 * each thread computes in. */
#ifndef CRD_SEQUENCE_SEQUENCE_DECODER_H
#define CRD_SEQUENCE_SEQUENCE_DECODER_H

#include "sequence/chain/viterbi_run.h"
#include "sequence/hmm_internal.h"

#include <credence/hmm_decode.h>

/* Of a thread. */
typedef struct crd_i_decoder_room {
    crd_i_emission_room *emissions;
    crd_i_chain_workspace *work, *path_work;
} crd_i_decoder_room;

/* Shared by threads, but for their rooms. */
typedef struct crd_i_sequence_decoder {
    const crd_hmm *hmm;
    const crd_sequences *sequences;
    crd_i_emission_binding *binding;
    crd_i_decoder_room *rooms;
    size_t room_count;
} crd_i_sequence_decoder;

/* A sequence as the chain reads it. */
typedef struct crd_i_decoded_sequence {
    const crd_i_sequence_decoder *decoder;
    const crd_i_decoder_room *workspace;
    size_t sequence;
} crd_i_decoded_sequence;

CRD_MUST_USE crd_status crd_i_sequence_decoder_create(crd_i_sequence_decoder *decoder, const crd_hmm *hmm,
                                                      const crd_sequences *sequences, size_t rooms, crd_error *error);
void crd_i_sequence_decoder_clear(crd_i_sequence_decoder *decoder);

/* The room is made when it is used first: by one thread at a time. */
CRD_MUST_USE crd_status crd_i_sequence_decoder_open(crd_i_sequence_decoder *decoder, size_t capacity, crd_error *error);
crd_i_emissions crd_i_sequence_decoder_emissions(const crd_i_decoded_sequence *decoded);

#endif
