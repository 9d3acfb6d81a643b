/* SPDX-License-Identifier: MIT */
/* sequence_decoder.h - common base of the functions in credence/hmm_decode.h: a model, sequences whose columns are
 * bound to it, and a workspace for each thread. */
#ifndef CRD_SEQUENCE_SEQUENCE_DECODER_H
#define CRD_SEQUENCE_SEQUENCE_DECODER_H

#include "sequence/chain/viterbi_run.h"
#include "sequence/hmm_internal.h"

#include <credence/hmm_decode.h>

/* The workspace of one thread. */
typedef struct crd_i_decoder_room {
    crd_i_emission_room *emissions;
    crd_i_chain_workspace *work, *path_work;
} crd_i_decoder_room;

/* Shared by all threads, except for their workspaces. */
typedef struct crd_i_sequence_decoder {
    const crd_hmm *hmm;
    const crd_sequences *sequences;
    crd_i_emission_binding *binding;
    crd_i_decoder_room *rooms;
    size_t room_count;
} crd_i_sequence_decoder;

/* One sequence, as the source of the chain's emissions. */
typedef struct crd_i_decoded_sequence {
    const crd_i_sequence_decoder *decoder;
    const crd_i_decoder_room *workspace;
    size_t sequence;
} crd_i_decoded_sequence;

CRD_MUST_USE crd_status crd_i_sequence_decoder_create(crd_i_sequence_decoder *decoder, const crd_hmm *hmm,
                                                      const crd_sequences *sequences, size_t rooms, crd_error *error);
void crd_i_sequence_decoder_clear(crd_i_sequence_decoder *decoder);

/* Creates a workspace on first use. Only one thread at a time may use a workspace. */
CRD_MUST_USE crd_status crd_i_sequence_decoder_open(crd_i_sequence_decoder *decoder, size_t capacity, crd_error *error);
crd_i_emissions crd_i_sequence_decoder_emissions(const crd_i_decoded_sequence *decoded);

#endif
