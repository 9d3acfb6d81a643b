/* SPDX-License-Identifier: MIT */
/* hmm_decode.c - decodes sequences with several threads, and delivers the results in order. See credence/hmm_decode.h.
 *
 * Groups of sequences are tasks (thread_pool.h), whose results are held in slots. A sequence that is too long for a
 * slot is decoded when its turn comes, by the delivering thread, and is delivered while it is computed. Its path is
 * computed window by window together with its posteriors, both in ascending order.
 *
 * Contents:
 *   1. Decoder
 *   2. Filtering
 *   3. Ordered delivery
 *   4. Results in arrays */
#include "base/error.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "math/functions/elementary.h"
#include "sequence/chain/chain.h"
#include "sequence/data/sequences.h"
#include "sequence/hmm_internal.h"

#include <credence/hmm_decode.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

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

/* ======== 1. Decoder ========
 *
 * A decoder is the common base of the functions in credence/hmm_decode.h: a model, sequences whose columns are bound
 * to it, and a workspace for each thread. */

static void sequence_decoder_clear(crd_i_sequence_decoder *decoder) {
    for (size_t i = 0; i < decoder->room_count; i++) {
        crd_i_emission_room_destroy(decoder->rooms[i].emissions);
        crd_i_chain_workspace_destroy(decoder->rooms[i].work);
        crd_i_chain_workspace_destroy(decoder->rooms[i].path_work);
    }
    crd_i_emission_binding_destroy(decoder->binding);
    crd_free(decoder->hmm->context, decoder->rooms);
    *decoder = (crd_i_sequence_decoder){.hmm = decoder->hmm};
}

static crd_status sequence_decoder_create(crd_i_sequence_decoder *decoder, const crd_hmm *hmm,
                                          const crd_sequences *sequences, size_t rooms, crd_error *error) {
    *decoder = (crd_i_sequence_decoder){.hmm = hmm, .sequences = sequences};
    decoder->rooms = crd_i_alloc_zeroed(hmm->context, rooms, sizeof *decoder->rooms);
    if (decoder->rooms == NULL) return crd_i_fail_memory(error);
    decoder->room_count = rooms;
    crd_status status = crd_i_emission_bind(hmm->emission, sequences, hmm->states, &decoder->binding, error);
    if (status != CRD_OK) sequence_decoder_clear(decoder);
    return status;
}

/* Creates a workspace on first use. Only one thread at a time may use a workspace. */
static crd_status sequence_decoder_open(crd_i_sequence_decoder *decoder, size_t capacity, crd_error *error) {
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

static crd_i_emissions sequence_decoder_emissions(const crd_i_decoded_sequence *decoded) {
    return (crd_i_emissions){decoded, crd_sequences_length(decoded->decoder->sequences, decoded->sequence),
                             sequence_decoder_fill};
}

/* ======== 2. Filtering ========
 *
 * Steps are processed one by one as they arrive. */

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

/* ======== 3. Ordered delivery ======== */

/* Approximate number of steps of a group; the longest sequence that a slot holds; and the maximum number of posteriors
 * in a slot. */
enum { GROUP_STEPS = 4096, LONGEST_KEPT = 65536, MOST_KEPT_NUMBERS = 1 << 21 };

/* Result of decoding a sequence. */
typedef struct decode_outcome {
    crd_i_chain_answer answer; /* answer of the posteriors if they are computed, otherwise of the path */
    double log_likelihood;
    size_t path_count;
} decode_outcome;

/* Results of a group, with its sequences one after the other. */
typedef struct decoded_group {
    decode_outcome *outcomes;
    int32_t *states;
    double *posteriors, *evidence;
    double *logs; /* log probabilities of paths: `best` entries per sequence */
    size_t outcome_capacity, state_capacity, posterior_capacity, evidence_capacity, log_capacity;
} decoded_group;

typedef struct decode_decoding {
    crd_i_sequence_decoder decoder;
    crd_decode_options options;
    size_t best, states;
    bool has_path, has_posteriors; /* which results are computed */
    crd_decode_sink sink;
    void *user;
    size_t *first; /* first sequence of each group; then the number of sequences */
    size_t groups;
    decoded_group *slots;
    size_t slot_count;
} decode_decoding;

/* State of one sequence being decoded, into a group or directly to the caller's sink. When streaming, the last block is
 * held back until the sequence-level results are known, and is delivered with them. */
typedef struct decode_passage {
    const decode_decoding *all;
    size_t sequence;
    int32_t *states;
    double *posteriors, *evidence;
    const double *log_evidence; /* log evidence of the current steps */
    bool is_streamed;
    bool is_bounded;     /* the path is computed after the posteriors, which bound it: see find_path */
    crd_decoded waiting; /* the block held back; 0 steps: none */
    crd_i_viterbi_run path;
    size_t path_at; /* position in the path's window */
    crd_i_chain_answer path_answer;
} decode_passage;

/* ---- Steps as they are computed ---- */

static crd_status send_waiting(decode_passage *p, crd_error *error) {
    const size_t steps = p->waiting.steps;
    crd_status status = steps == 0 ? CRD_OK : p->all->sink(p->all->user, &p->waiting, error);
    p->waiting.steps = 0;
    return status;
}

/* Destination of steps. */
typedef struct decode_places {
    int32_t *states;
    double *posteriors, *evidence; /* NULL: not requested */
} decode_places;

/* Gets the destination of the next steps. When streaming, first delivers the block held back. */
static crd_status place_steps(decode_passage *p, uint64_t source, size_t steps, decode_places *out, crd_error *error) {
    const uint64_t index = p->is_streamed ? 0 : source;
    out->states = p->states + index;
    out->posteriors = p->posteriors == NULL ? NULL : p->posteriors + index * p->all->states;
    out->evidence = p->evidence == NULL ? NULL : p->evidence + index;
    if (!p->is_streamed) return CRD_OK;
    crd_status status = send_waiting(p, error);
    p->waiting.from = source;
    p->waiting.steps = steps;
    return status;
}

/* Copies the next states of the path. */
static crd_status hmm_decode_next_states(decode_passage *p, size_t steps, int32_t *states, crd_error *error) {
    const crd_i_chain_workspace *work = p->path.work;
    for (size_t done = 0; done < steps;) {
        if (p->path.window == 0 || p->path_at == work->steps) {
            crd_status status = crd_i_viterbi_next(&p->path, &p->path_answer, error);
            if (status != CRD_OK) return status;
            p->path_at = 0;
        }
        const size_t left = work->steps - p->path_at, count = left < steps - done ? left : steps - done;
        memcpy(states + done, work->path + p->path_at, count * sizeof *states);
        p->path_at += count;
        done += count;
    }
    return CRD_OK;
}

static int32_t greatest_state(const double *row, size_t states) {
    size_t greatest = 0;
    for (size_t k = 1; k < states; k++)
        if (row[k] > row[greatest]) greatest = k;
    return (int32_t)greatest;
}

/* Posterior sink: copies posteriors and evidence, and chooses the states. */
static crd_status hmm_decode_take_posteriors(void *user, uint64_t source, uint64_t target, double *posteriors,
                                             crd_error *error) {
    decode_passage *p = user;
    const size_t steps = (size_t)(target - source), states = p->all->states,
                 stride = crd_i_chain_stride(p->all->decoder.hmm->chain);
    decode_places places;
    crd_status status = place_steps(p, source, steps, &places, error);
    const bool has_path = p->all->has_path && !p->is_bounded;
    if (status == CRD_OK && has_path && p->all->best == 1)
        status = hmm_decode_next_states(p, steps, places.states, error);
    if (status == CRD_OK && places.evidence != NULL)
        memcpy(places.evidence, p->log_evidence, steps * sizeof *places.evidence);
    for (size_t t = 0; status == CRD_OK && t < steps; t++) {
        const double *row = posteriors + t * stride;
        if (places.posteriors != NULL) memcpy(places.posteriors + t * states, row, states * sizeof *row);
        if (!has_path) places.states[t] = greatest_state(row, states);
    }
    return status;
}

static crd_status hmm_decode_take_states(void *user, uint64_t source, uint64_t target, const int32_t *states,
                                         crd_error *error) {
    decode_passage *p = user;
    decode_places places;
    crd_status status = place_steps(p, source, (size_t)(target - source), &places, error);
    if (status == CRD_OK) memcpy(places.states, states, (size_t)(target - source) * sizeof *states);
    return status;
}

/* ---- Path search bounded by posteriors ---- */

/* Emissions restricted to states with a sufficient posterior probability. */
typedef struct likely_states {
    const crd_i_emissions *all;
    const double *posteriors;
    size_t states, stride;
    double least;
} likely_states;

static crd_status fill_likely(const void *user, uint64_t source, uint64_t target, double *logs, crd_error *error) {
    const likely_states *likely = user;
    crd_status status = likely->all->fill(likely->all->user, source, target, logs, error);
    for (uint64_t t = source; status == CRD_OK && t < target; t++)
        for (size_t k = 0; k < likely->states; k++)
            if (likely->posteriors[t * likely->states + k] < likely->least)
                logs[(t - source) * likely->stride + k] = -INFINITY;
    return status;
}

/* Finds the most likely path, given all posteriors and the most probable state of each step in p->states. These states
 * are also a path, with P(path | x) = b. A path through a state whose posterior is below b has probability below b, so
 * such states are excluded. In a chain with many contexts few states remain. The bound is b / 2, to allow for rounding.
 * Nothing is excluded if b is so small that posteriors may have lost digits. */
static crd_status find_path(decode_passage *p, const crd_i_emissions *emissions, crd_i_chain_workspace *work,
                            double log_likelihood, crd_error *error) {
    const crd_i_chain *chain = p->all->decoder.hmm->chain;
    const double least_log = -400;
    const crd_i_path_sink sink = {p, hmm_decode_take_states};
    crd_i_chain_answer bound;
    crd_status status = crd_i_chain_path(chain, emissions, p->states, work, &bound, error);
    if (status != CRD_OK) return status;
    const double log_bound = bound.log_likelihood - log_likelihood;
    const likely_states likely = {
        .all = emissions,
        .posteriors = p->posteriors,
        .states = p->all->states,
        .stride = crd_i_chain_stride(chain),
        .least = log_bound > least_log ? crd_exp(log_bound) / 2 : 0,
    };
    const crd_i_emissions narrowed = {&likely, emissions->steps, fill_likely};
    return crd_i_chain_viterbi(chain, &narrowed, work, &sink, &p->path_answer, error);
}

/* ---- A sequence ---- */

/* Computes the evidence of the steps of an impossible sequence. An observation that is impossible given the earlier
 * ones is treated as missing for the later steps. */
static crd_status filter_steps(crd_i_chain_filter *filter, const crd_i_emissions *emissions, uint64_t source,
                               size_t steps, double *logs, double *evidence, crd_error *error) {
    for (size_t t = 0; t < steps; t++) {
        crd_status status = emissions->fill(emissions->user, source + t, source + t + 1, logs, error);
        if (status == CRD_OK) status = crd_i_chain_filter_push(filter, logs, &evidence[t], error);
        if (status != CRD_OK) return status;
    }
    return CRD_OK;
}

/* Delivers the results of an impossible sequence: no states, and NaN posteriors. */
static crd_status hmm_decode_place_nothing(decode_passage *p, const crd_i_emissions *emissions, crd_error *error) {
    const crd_i_chain *chain = p->all->decoder.hmm->chain;
    crd_context *context = p->all->decoder.hmm->context;
    const uint64_t steps = emissions->steps;
    crd_i_chain_filter *filter = NULL;
    double *logs = crd_i_alloc(context, crd_i_chain_stride(chain), sizeof *logs);
    crd_status status = logs == NULL ? crd_i_fail_memory(error) : CRD_OK;
    if (status == CRD_OK && p->evidence != NULL) status = crd_i_chain_filter_create(chain, 0, &filter, error);
    for (uint64_t source = 0; source < steps && status == CRD_OK; source += CRD_I_CHAIN_BLOCK) {
        const size_t count = steps - source < CRD_I_CHAIN_BLOCK ? (size_t)(steps - source) : CRD_I_CHAIN_BLOCK;
        decode_places places;
        status = place_steps(p, source, count, &places, error);
        for (size_t t = 0; t < count; t++) places.states[t] = -1;
        for (size_t i = 0; places.posteriors != NULL && i < count * p->all->states; i++) places.posteriors[i] = NAN;
        if (status == CRD_OK && places.evidence != NULL)
            status = filter_steps(filter, emissions, source, count, logs, places.evidence, error);
    }
    crd_i_chain_filter_destroy(filter);
    crd_free(context, logs);
    return status;
}

/* Decodes the sequence of an initialized passage. `logs` receives the log probabilities of paths. */
static crd_status decode_sequence(decode_passage *p, const crd_i_decoder_room *workspace, double *logs,
                                  decode_outcome *out, crd_error *error) {
    const decode_decoding *all = p->all;
    const crd_i_chain *chain = all->decoder.hmm->chain;
    const crd_i_decoded_sequence decoded = {&all->decoder, workspace, p->sequence};
    const crd_i_emissions emissions = sequence_decoder_emissions(&decoded);
    crd_status status = CRD_OK;
    *out = (decode_outcome){.log_likelihood = NAN, .path_count = 1};
    logs[0] = all->has_path ? 0 : NAN;
    if (all->best > 1)
        status = crd_i_chain_best_paths(chain, &emissions, workspace->path_work, all->best, p->states, logs,
                                        &out->path_count, &out->answer, error);
    if (all->has_posteriors) {
        const crd_i_posterior_sink sink = {p, hmm_decode_take_posteriors,
                                           p->evidence == NULL ? NULL : &p->log_evidence};
        const bool has_path = all->has_path && all->best == 1 && emissions.steps > 0;
        p->is_bounded = has_path && !p->is_streamed && p->posteriors != NULL && !chain->is_dense;
        if (status == CRD_OK && has_path && !p->is_bounded)
            status = crd_i_viterbi_begin(&p->path, &emissions, workspace->path_work, error);
        if (status == CRD_OK)
            status = crd_i_chain_posteriors(chain, &emissions, workspace->work, &sink, &out->answer, error);
        out->log_likelihood = out->answer.log_likelihood;
        if (status == CRD_OK && p->is_bounded && !out->answer.is_impossible)
            status = find_path(p, &emissions, workspace->path_work, out->log_likelihood, error);
        if (all->has_path && all->best == 1) logs[0] = p->path_answer.log_likelihood;
    } else if (all->best == 1) {
        const crd_i_path_sink sink = {p, hmm_decode_take_states};
        status = crd_i_chain_viterbi(chain, &emissions, workspace->path_work, &sink, &out->answer, error);
        logs[0] = out->answer.log_likelihood;
    }
    if (status != CRD_OK || !out->answer.is_impossible) return status;
    logs[0] = all->has_path ? -INFINITY : NAN;
    out->path_count = 1;
    return hmm_decode_place_nothing(p, &emissions, error);
}

static crd_decoded hmm_decode_piece(const decode_decoding *all, size_t sequence) {
    return (crd_decoded){
        .sequence = sequence,
        .length = crd_sequences_length(all->decoder.sequences, sequence),
        .path_count = 1,
        .log_likelihood = NAN,
    };
}

static void complete_piece(crd_decoded *piece, const decode_outcome *outcome) {
    piece->is_impossible = outcome->answer.is_impossible;
    piece->impossible_at = outcome->answer.impossible_at;
    piece->path_count = outcome->path_count;
    piece->log_likelihood = outcome->log_likelihood;
}

/* ---- Groups ---- */

/* Returns whether a sequence is streamed, because it is too long for a slot. Several best paths are never streamed. */
static bool is_streamed(const decode_decoding *all, uint64_t length) {
    const uint64_t numbers = all->options.with_probabilities ? length * all->states : 0;
    return all->best == 1 && (length > LONGEST_KEPT || numbers > MOST_KEPT_NUMBERS) && length > CRD_I_CHAIN_BLOCK;
}

/* Divides the sequences into groups of about GROUP_STEPS steps. Streamed sequences are groups of their own. */
static crd_status make_groups(decode_decoding *all, crd_error *error) {
    const crd_sequences *sequences = all->decoder.sequences;
    const size_t count = crd_sequences_count(sequences);
    uint64_t steps = 0;
    all->first = crd_i_alloc(all->decoder.hmm->context, count + 1, sizeof *all->first);
    if (all->first == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < count; i++) {
        const uint64_t length = crd_sequences_length(sequences, i);
        const bool is_own = is_streamed(all, length) || all->best > 1;
        if (i == 0 || steps >= GROUP_STEPS || is_own) {
            all->first[all->groups++] = i;
            steps = 0;
        }
        /* At least one step, so that empty sequences fill a group, too. A streamed sequence fills its group, so the
         * next one begins another. */
        steps += is_own ? GROUP_STEPS : length + 1;
    }
    all->first[all->groups] = count;
    return CRD_OK;
}

/* Makes room in a slot for the results of a group. */
static crd_status reserve_group(const decode_decoding *all, size_t task, decoded_group *group, crd_error *error) {
    crd_context *context = all->decoder.hmm->context;
    const size_t count = all->first[task + 1] - all->first[task];
    uint64_t steps = 1; /* at least 1, so that the arrays exist even if all sequences are empty */
    for (size_t i = all->first[task]; i < all->first[task + 1]; i++)
        steps += crd_sequences_length(all->decoder.sequences, i);
    if (steps > SIZE_MAX / (all->states > all->best ? all->states : all->best)) return crd_i_fail_memory(error);
    const size_t numbers = all->options.with_probabilities ? (size_t)steps * all->states : 0;
    if (!crd_i_reserve(context, &group->outcomes, &group->outcome_capacity, count, sizeof *group->outcomes) ||
        !crd_i_reserve(context, &group->logs, &group->log_capacity, count * all->best, sizeof *group->logs) ||
        !crd_i_reserve(context, &group->states, &group->state_capacity, (size_t)steps * all->best,
                       sizeof *group->states) ||
        !crd_i_reserve(context, &group->posteriors, &group->posterior_capacity, numbers, sizeof *group->posteriors) ||
        (all->options.with_probabilities &&
         !crd_i_reserve(context, &group->evidence, &group->evidence_capacity, (size_t)steps, sizeof *group->evidence)))
        return crd_i_fail_memory(error);
    return CRD_OK;
}

static bool is_group_streamed(const decode_decoding *all, size_t task) {
    return is_streamed(all, crd_sequences_length(all->decoder.sequences, all->first[task]));
}

/* Task of a worker thread: decodes the sequences of a group into a slot. */
static crd_status work_on_group(void *user, unsigned member, size_t task, unsigned slot, crd_error *error) {
    decode_decoding *all = user;
    decoded_group *group = &all->slots[slot];
    if (is_group_streamed(all, task)) return CRD_OK;
    crd_status status = sequence_decoder_open(&all->decoder, member, error);
    if (status == CRD_OK) status = reserve_group(all, task, group, error);
    uint64_t before = 0;
    for (size_t i = all->first[task]; status == CRD_OK && i < all->first[task + 1]; i++) {
        const size_t number = i - all->first[task];
        if (crd_i_context_cancelled(all->decoder.hmm->context)) return crd_i_fail_cancelled(error);
        decode_passage p = {
            .all = all,
            .sequence = i,
            .states = group->states + before,
            .posteriors = all->options.with_probabilities ? group->posteriors + before * all->states : NULL,
            .evidence = all->options.with_probabilities ? group->evidence + before : NULL,
        };
        status = decode_sequence(&p, &all->decoder.rooms[member], group->logs + number * all->best,
                                 &group->outcomes[number], error);
        before += crd_sequences_length(all->decoder.sequences, i);
    }
    return status;
}

/* Decodes and delivers a long sequence in the delivering thread. */
static crd_status stream_sequence(decode_decoding *all, size_t sequence, crd_error *error) {
    crd_context *context = all->decoder.hmm->context;
    const size_t capacity = all->decoder.room_count - 1;
    decode_passage p = {
        .all = all, .sequence = sequence, .is_streamed = true, .waiting = hmm_decode_piece(all, sequence)};
    double log = NAN;
    const double unknown = NAN;
    decode_outcome out = {0};
    p.states = crd_i_alloc(context, CRD_I_CHAIN_BLOCK, sizeof *p.states);
    if (all->options.with_probabilities) {
        p.posteriors = crd_i_alloc(context, CRD_I_CHAIN_BLOCK * all->states, sizeof *p.posteriors);
        p.evidence = crd_i_alloc(context, CRD_I_CHAIN_BLOCK, sizeof *p.evidence);
    }
    p.waiting.states = p.states;
    p.waiting.posteriors = p.posteriors;
    p.waiting.log_evidence = p.evidence;
    p.waiting.log_probabilities = &unknown;
    crd_status status = sequence_decoder_open(&all->decoder, capacity, error);
    if (p.states == NULL || (all->options.with_probabilities && (p.posteriors == NULL || p.evidence == NULL)))
        status = crd_i_fail_memory(error);
    if (status == CRD_OK) status = decode_sequence(&p, &all->decoder.rooms[capacity], &log, &out, error);
    if (status == CRD_OK) {
        complete_piece(&p.waiting, &out);
        p.waiting.log_probabilities = &log;
        status = send_waiting(&p, error);
    }
    crd_free(context, p.states);
    crd_free(context, p.posteriors);
    crd_free(context, p.evidence);
    return status;
}

/* Delivers the results of a group, in order. Long sequences are decoded here. */
static crd_status take_group(void *user, size_t task, unsigned slot, crd_error *error) {
    decode_decoding *all = user;
    const decoded_group *group = &all->slots[slot];
    if (is_group_streamed(all, task)) return stream_sequence(all, all->first[task], error);
    crd_status status = CRD_OK;
    uint64_t before = 0;
    for (size_t i = all->first[task]; status == CRD_OK && i < all->first[task + 1]; i++) {
        const size_t number = i - all->first[task];
        crd_decoded piece = hmm_decode_piece(all, i);
        piece.steps = (size_t)piece.length;
        piece.states = group->states + before;
        piece.posteriors = all->options.with_probabilities ? group->posteriors + before * all->states : NULL;
        piece.log_evidence = all->options.with_probabilities ? group->evidence + before : NULL;
        piece.log_probabilities = group->logs + number * all->best;
        complete_piece(&piece, &group->outcomes[number]);
        before += piece.length;
        status = all->sink(all->user, &piece, error);
    }
    return status;
}

/* ---- All sequences ---- */

static crd_status hmm_decode_run(decode_decoding *all, const crd_hmm *hmm, const crd_sequences *sequences,
                                 crd_error *error) {
    const unsigned threads = crd_i_thread_pool_size(all->options.threads);
    crd_status status = sequence_decoder_create(&all->decoder, hmm, sequences, (size_t)threads + 1, error);
    if (status != CRD_OK) return status;
    status = make_groups(all, error);
    all->slots = crd_i_alloc_zeroed(hmm->context, (size_t)threads * CRD_I_SLOTS_OF_THREAD, sizeof *all->slots);
    if (status == CRD_OK && all->slots == NULL) status = crd_i_fail_memory(error);
    if (status == CRD_OK) {
        all->slot_count = (size_t)threads * CRD_I_SLOTS_OF_THREAD;
        const crd_i_ordered_work work = {all, all->groups, threads, work_on_group, take_group};
        status = crd_i_ordered_work_run(hmm->context, &work, error);
    }
    for (size_t i = 0; i < all->slot_count; i++) {
        crd_free(hmm->context, all->slots[i].outcomes);
        crd_free(hmm->context, all->slots[i].states);
        crd_free(hmm->context, all->slots[i].posteriors);
        crd_free(hmm->context, all->slots[i].evidence);
        crd_free(hmm->context, all->slots[i].logs);
    }
    crd_free(hmm->context, all->slots);
    crd_free(hmm->context, all->first);
    sequence_decoder_clear(&all->decoder);
    return status;
}

crd_status crd_hmm_decode(const crd_hmm *hmm, const crd_sequences *sequences, const crd_decode_options *options,
                          crd_decode_sink sink, void *user, crd_error *error) {
    decode_decoding all = {.options = CRD_DECODE_OPTIONS_INIT, .sink = sink, .user = user};
    if (options != NULL && !crd_i_copy_in(options, &all.options, sizeof all.options))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the decoding options are not initialized");
    if (all.options.decoding != CRD_DECODING_VITERBI && all.options.decoding != CRD_DECODING_POSTERIOR)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "unknown decoding");
    all.has_path = all.options.decoding == CRD_DECODING_VITERBI;
    all.best = all.options.best > 1 ? all.options.best : 1;
    if (all.best > 1 && !all.has_path)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "posterior decoding finds only one path");
    all.has_posteriors = !all.has_path || all.options.with_probabilities;
    all.states = hmm->state_count;
    return hmm_decode_run(&all, hmm, sequences, error);
}

/* ======== 4. Results in arrays ========
 *
 * All sequences are decoded at once. Threads take sequences one by one, and each sequence has its own place in the
 * arrays. The error of the first failing sequence is returned, whichever thread failed first. */

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
    const crd_i_emissions emissions = sequence_decoder_emissions(sequence);
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
    const crd_i_emissions emissions = sequence_decoder_emissions(decoded);
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
    const crd_i_emissions emissions = sequence_decoder_emissions(decoded);
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
    crd_status status = sequence_decoder_open(&all->decoder, member, &error);
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
    crd_status status = sequence_decoder_create(&all->decoder, hmm, sequences, threads, error);
    if (status == CRD_OK && pthread_mutex_init(&all->mutex, NULL) != 0) {
        sequence_decoder_clear(&all->decoder);
        status = crd_i_fail_memory(error);
    }
    if (status == CRD_OK) {
        crd_i_thread_pool_run(hmm->context, threads, hmm_arrays_work, all);
        pthread_mutex_destroy(&all->mutex);
        sequence_decoder_clear(&all->decoder);
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
    crd_status status = sequence_decoder_create(&decoder, hmm, sequences, 1, error);
    if (status != CRD_OK) return status;
    status = sequence_decoder_open(&decoder, 0, error);
    if (status == CRD_OK) {
        const crd_i_decoded_sequence decoded = {&decoder, &decoder.rooms[0], sequence};
        const crd_i_emissions emissions = sequence_decoder_emissions(&decoded);
        crd_i_chain_answer answer;
        status = crd_i_chain_best_paths(hmm->chain, &emissions, decoder.rooms[0].path_work, count, states,
                                        log_probabilities, result, &answer, error);
    }
    sequence_decoder_clear(&decoder);
    return status;
}
