/* SPDX-License-Identifier: MIT */
/* sequence_decoder.c - binds a model to sequences for decoding. See sequence_decoder.h. */
#include "sequence/sequence_decoder.h"

#include "base/error.h"
#include "base/memory.h"

crd_status crd_i_sequence_decoder_create(crd_i_sequence_decoder *decoder, const crd_hmm *hmm,
                                         const crd_sequences *sequences, size_t rooms, crd_error *error) {
    *decoder = (crd_i_sequence_decoder){.hmm = hmm, .sequences = sequences};
    decoder->rooms = crd_i_alloc_zeroed(hmm->context, rooms, sizeof *decoder->rooms);
    if (decoder->rooms == NULL) return crd_i_fail_memory(error);
    decoder->room_count = rooms;
    crd_status status = crd_i_emission_bind(hmm->emission, sequences, hmm->states, &decoder->binding, error);
    if (status != CRD_OK) crd_i_sequence_decoder_clear(decoder);
    return status;
}

void crd_i_sequence_decoder_clear(crd_i_sequence_decoder *decoder) {
    for (size_t i = 0; i < decoder->room_count; i++) {
        crd_i_emission_room_destroy(decoder->rooms[i].emissions);
        crd_i_chain_workspace_destroy(decoder->rooms[i].work);
        crd_i_chain_workspace_destroy(decoder->rooms[i].path_work);
    }
    crd_i_emission_binding_destroy(decoder->binding);
    crd_free(decoder->hmm->context, decoder->rooms);
    *decoder = (crd_i_sequence_decoder){.hmm = decoder->hmm};
}

crd_status crd_i_sequence_decoder_open(crd_i_sequence_decoder *decoder, size_t capacity, crd_error *error) {
    crd_i_decoder_room *workspace = &decoder->rooms[capacity];
    crd_status status = CRD_OK;
    if (workspace->emissions == NULL)
        status = crd_i_emission_room_create(decoder->binding, &workspace->emissions, error);
    if (status == CRD_OK && workspace->work == NULL)
        status = crd_i_chain_workspace_create(decoder->hmm->chain, &workspace->work, error);
    if (status == CRD_OK && workspace->path_work == NULL)
        status = crd_i_chain_workspace_create(decoder->hmm->chain, &workspace->path_work, error);
    return status;
}

static crd_status sequence_decoder_fill(const void *user, uint64_t source, uint64_t target, double *logs,
                                        crd_error *error) {
    const crd_i_decoded_sequence *decoded = user;
    return crd_i_emission_fill(decoded->decoder->binding, decoded->sequence, source, target, logs,
                               crd_i_chain_stride(decoded->decoder->hmm->chain), decoded->workspace->emissions, error);
}

crd_i_emissions crd_i_sequence_decoder_emissions(const crd_i_decoded_sequence *decoded) {
    return (crd_i_emissions){decoded, crd_sequences_length(decoded->decoder->sequences, decoded->sequence),
                             sequence_decoder_fill};
}
