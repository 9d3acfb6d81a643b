/* SPDX-License-Identifier: MIT */
/* hmm_filter.c - filtering: steps are processed one by one as they arrive. See credence/hmm_decode.h. */
#include "sequence/sequence_decoder.h"

#include "base/error.h"
#include "base/memory.h"
#include "sequence/data/sequences.h"

struct crd_hmm_filter {
    const crd_hmm *hmm;
    crd_i_chain_filter *chain;
    double *logs; /* scratch space for a row */
    /* Binding of the sequences that the latest step belonged to, and their serial number. */
    uint64_t serial;
    crd_i_emission_binding *binding;
    crd_i_emission_room *workspace;
};

crd_status crd_hmm_filter_create(const crd_hmm *hmm, size_t lag, crd_hmm_filter **out, crd_error *error) {
    *out = NULL;
    crd_hmm_filter *filter = crd_i_alloc_zeroed(hmm->context, 1, sizeof *filter);
    if (filter == NULL) return crd_i_fail_memory(error);
    filter->hmm = hmm;
    filter->logs = crd_i_alloc(hmm->context, crd_i_chain_stride(hmm->chain), sizeof *filter->logs);
    crd_status status = filter->logs == NULL ? crd_i_fail_memory(error)
                                             : crd_i_chain_filter_create(hmm->chain, lag, &filter->chain, error);
    if (status != CRD_OK) {
        crd_hmm_filter_destroy(filter);
        return status;
    }
    *out = filter;
    return CRD_OK;
}

static void hmm_filter_unbind(crd_hmm_filter *filter) {
    crd_i_emission_room_destroy(filter->workspace);
    crd_i_emission_binding_destroy(filter->binding);
    filter->workspace = NULL;
    filter->binding = NULL;
}

void crd_hmm_filter_destroy(crd_hmm_filter *filter) {
    if (filter == NULL) return;
    crd_context *context = filter->hmm->context;
    hmm_filter_unbind(filter);
    crd_i_chain_filter_destroy(filter->chain);
    crd_free(context, filter->logs);
    crd_free(context, filter);
}

void crd_hmm_filter_begin(crd_hmm_filter *filter) {
    crd_i_chain_filter_begin(filter->chain);
}

uint64_t crd_hmm_filter_steps(const crd_hmm_filter *filter) {
    return crd_i_chain_filter_steps(filter->chain);
}

static crd_status hmm_filter_bind(crd_hmm_filter *filter, const crd_sequences *sequences, crd_error *error) {
    if (filter->binding != NULL && filter->serial == sequences->serial) return CRD_OK;
    hmm_filter_unbind(filter);
    crd_status status =
        crd_i_emission_bind(filter->hmm->emission, sequences, filter->hmm->states, &filter->binding, error);
    if (status == CRD_OK) status = crd_i_emission_room_create(filter->binding, &filter->workspace, error);
    if (status != CRD_OK) hmm_filter_unbind(filter);
    filter->serial = sequences->serial;
    return status;
}

crd_status crd_hmm_filter_push(crd_hmm_filter *filter, const crd_sequences *sequences, size_t sequence, uint64_t step,
                               double *log_likelihood, crd_error *error) {
    double unused;
    if (sequence >= crd_sequences_count(sequences) || step >= crd_sequences_length(sequences, sequence))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the step does not exist");
    crd_status status = hmm_filter_bind(filter, sequences, error);
    if (status == CRD_OK)
        status = crd_i_emission_fill(filter->binding, sequence, step, step + 1, filter->logs,
                                     crd_i_chain_stride(filter->hmm->chain), filter->workspace, error);
    if (status != CRD_OK) return status;
    return crd_i_chain_filter_push(filter->chain, filter->logs, log_likelihood != NULL ? log_likelihood : &unused,
                                   error);
}

crd_status crd_hmm_filter_posterior(crd_hmm_filter *filter, size_t back, int is_ended, double *probabilities,
                                    crd_error *error) {
    return crd_i_chain_filter_posterior(filter->chain, back, is_ended != 0, probabilities, error);
}

crd_status crd_hmm_filter_forecast(crd_hmm_filter *filter, uint64_t ahead, double *probabilities, crd_error *error) {
    return crd_i_chain_filter_forecast(filter->chain, ahead, probabilities, error);
}
