/* SPDX-License-Identifier: MIT */
/* hmm_arrays.c - decodes all sequences at once, into arrays. See credence/hmm_decode.h. Threads take sequences one by
 * one, and each sequence has its own place in the arrays. The error of the first failing sequence is returned,
 * whichever thread failed first. */
#include "sequence/sequence_decoder.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/thread_pool.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

typedef struct arrays {
    crd_i_sequence_decoder decoder;
    size_t count;
    const uint64_t *first_rows;
    double *posteriors;
    int32_t *states;
    double *logs; /* NULL: not requested */
    crd_status (*compute)(const struct arrays *target_arrays, const crd_i_decoded_sequence *sequence, double *log,
                          crd_error *error);
    _Atomic size_t next;
    atomic_bool has_failed;
    pthread_mutex_t mutex; /* guards the following members */
    size_t failed;
    crd_status status;
    crd_error error;
} arrays;

/* ---- One sequence ---- */

static crd_status compute_likelihood(const arrays *target_arrays, const crd_i_decoded_sequence *sequence, double *log,
                                     crd_error *error) {
    const crd_i_emissions emissions = crd_i_sequence_decoder_emissions(sequence);
    crd_i_chain_answer answer;
    crd_status status = crd_i_chain_likelihood(target_arrays->decoder.hmm->chain, &emissions, sequence->workspace->work,
                                               &answer, error);
    *log = answer.log_likelihood;
    return status;
}

typedef struct rows {
    double *cursor;
    size_t states, stride;
} rows;

static crd_status hmm_arrays_take_posteriors(void *user, uint64_t source, uint64_t target, double *posteriors,
                                             crd_error *error) {
    (void)error;
    const rows *source_rows = user;
    double *place = source_rows->cursor + source * source_rows->states;
    for (const double *row = posteriors; row < posteriors + (target - source) * source_rows->stride;
         row += source_rows->stride)
        for (size_t k = 0; k < source_rows->states; k++) *place++ = row[k];
    return CRD_OK;
}

static crd_status compute_posteriors(const arrays *target_arrays, const crd_i_decoded_sequence *decoded, double *log,
                                     crd_error *error) {
    const crd_i_chain *chain = target_arrays->decoder.hmm->chain;
    const size_t states = target_arrays->decoder.hmm->state_count;
    rows place = {target_arrays->posteriors + target_arrays->first_rows[decoded->sequence] * states, states,
                  crd_i_chain_stride(chain)};
    const crd_i_emissions emissions = crd_i_sequence_decoder_emissions(decoded);
    const crd_i_posterior_sink sink = {.user = &place, .take = hmm_arrays_take_posteriors};
    crd_i_chain_answer answer;
    crd_status status = crd_i_chain_posteriors(chain, &emissions, decoded->workspace->work, &sink, &answer, error);
    *log = answer.log_likelihood;
    for (uint64_t i = 0; status == CRD_OK && answer.is_impossible && i < emissions.steps * states; i++)
        place.cursor[i] = NAN;
    return status;
}

static crd_status hmm_arrays_take_path(void *user, uint64_t source, uint64_t target, const int32_t *states,
                                       crd_error *error) {
    (void)error;
    memcpy((int32_t *)user + source, states, (size_t)(target - source) * sizeof *states);
    return CRD_OK;
}

static crd_status compute_path(const arrays *target_arrays, const crd_i_decoded_sequence *decoded, double *log,
                               crd_error *error) {
    int32_t *place = target_arrays->states + target_arrays->first_rows[decoded->sequence];
    const crd_i_emissions emissions = crd_i_sequence_decoder_emissions(decoded);
    const crd_i_path_sink sink = {place, hmm_arrays_take_path};
    crd_i_chain_answer answer;
    crd_status status = crd_i_chain_viterbi(target_arrays->decoder.hmm->chain, &emissions,
                                            decoded->workspace->path_work, &sink, &answer, error);
    *log = answer.log_likelihood;
    for (uint64_t t = 0; status == CRD_OK && answer.is_impossible && t < emissions.steps; t++) place[t] = -1;
    return status;
}

/* ---- All sequences ---- */

static void hmm_arrays_fail(arrays *all, size_t sequence, crd_status status, const crd_error *error) {
    pthread_mutex_lock(&all->mutex);
    if (all->status == CRD_OK || sequence < all->failed) {
        all->failed = sequence;
        all->status = status;
        all->error = *error;
    }
    pthread_mutex_unlock(&all->mutex);
    atomic_store(&all->has_failed, true);
}

/* Thread function: takes sequences until none is left, or until some sequence fails. */
static void hmm_arrays_work(void *state, unsigned member) {
    arrays *all = state;
    crd_error error = {0};
    crd_status status = crd_i_sequence_decoder_open(&all->decoder, member, &error);
    if (status != CRD_OK) {
        hmm_arrays_fail(all, 0, status, &error);
        return;
    }
    const crd_i_decoder_room *workspace = &all->decoder.rooms[member];
    while (!atomic_load(&all->has_failed)) {
        const size_t sequence = atomic_fetch_add(&all->next, 1);
        if (sequence >= all->count) return;
        const crd_i_decoded_sequence decoded = {&all->decoder, workspace, sequence};
        double log = 0;
        status = crd_i_context_cancelled(all->decoder.hmm->context) ? crd_i_fail_cancelled(&error)
                                                                    : all->compute(all, &decoded, &log, &error);
        if (status != CRD_OK) hmm_arrays_fail(all, sequence, status, &error);
        else if (all->logs != NULL) all->logs[sequence] = log;
    }
}

/* Runs `compute` for all sequences in several threads. */
static crd_status hmm_arrays_run(arrays *all, const crd_hmm *hmm, const crd_sequences *sequences, unsigned threads,
                                 crd_error *error) {
    all->count = crd_sequences_count(sequences);
    threads = crd_i_thread_pool_size(threads);
    if (threads > all->count) threads = all->count == 0 ? 1 : (unsigned)all->count;
    uint64_t *first_rows = crd_i_alloc(hmm->context, all->count, sizeof *first_rows);
    if (first_rows == NULL) return crd_i_fail_memory(error);
    uint64_t rows_before = 0;
    for (size_t i = 0; i < all->count; i++) {
        first_rows[i] = rows_before;
        rows_before += crd_sequences_length(sequences, i);
    }
    all->first_rows = first_rows;
    crd_status status = crd_i_sequence_decoder_create(&all->decoder, hmm, sequences, threads, error);
    if (status == CRD_OK && pthread_mutex_init(&all->mutex, NULL) != 0) {
        crd_i_sequence_decoder_clear(&all->decoder);
        status = crd_i_fail_memory(error);
    }
    if (status == CRD_OK) {
        crd_i_thread_pool_run(hmm->context, threads, hmm_arrays_work, all);
        pthread_mutex_destroy(&all->mutex);
        crd_i_sequence_decoder_clear(&all->decoder);
        status = all->status;
        if (status != CRD_OK && error != NULL) *error = all->error;
    }
    crd_free(hmm->context, first_rows);
    return status;
}

crd_status crd_hmm_log_likelihoods(const crd_hmm *hmm, const crd_sequences *sequences, unsigned threads,
                                   double *log_likelihoods, crd_error *error) {
    arrays all = {.logs = log_likelihoods, .compute = compute_likelihood};
    return hmm_arrays_run(&all, hmm, sequences, threads, error);
}

crd_status crd_hmm_posteriors(const crd_hmm *hmm, const crd_sequences *sequences, unsigned threads, double *posteriors,
                              double *log_likelihoods, crd_error *error) {
    arrays all = {.posteriors = posteriors, .logs = log_likelihoods, .compute = compute_posteriors};
    return hmm_arrays_run(&all, hmm, sequences, threads, error);
}

crd_status crd_hmm_paths(const crd_hmm *hmm, const crd_sequences *sequences, unsigned threads, int32_t *states,
                         double *log_probabilities, crd_error *error) {
    arrays all = {.states = states, .logs = log_probabilities, .compute = compute_path};
    return hmm_arrays_run(&all, hmm, sequences, threads, error);
}

crd_status crd_hmm_best_paths(const crd_hmm *hmm, const crd_sequences *sequences, size_t sequence, size_t count,
                              int32_t *states, double *log_probabilities, size_t *result, crd_error *error) {
    crd_i_sequence_decoder decoder;
    *result = 0;
    if (sequence >= crd_sequences_count(sequences))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "invalid sequence %zu", sequence);
    crd_status status = crd_i_sequence_decoder_create(&decoder, hmm, sequences, 1, error);
    if (status != CRD_OK) return status;
    status = crd_i_sequence_decoder_open(&decoder, 0, error);
    if (status == CRD_OK) {
        const crd_i_decoded_sequence decoded = {&decoder, &decoder.rooms[0], sequence};
        const crd_i_emissions emissions = crd_i_sequence_decoder_emissions(&decoded);
        crd_i_chain_answer answer;
        status = crd_i_chain_best_paths(hmm->chain, &emissions, decoder.rooms[0].path_work, count, states,
                                        log_probabilities, result, &answer, error);
    }
    crd_i_sequence_decoder_clear(&decoder);
    return status;
}
