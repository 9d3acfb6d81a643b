/* SPDX-License-Identifier: MIT */
/* credence/hmm_decode.h - inference in hidden Markov models: likelihoods, state posteriors, most likely paths,
 * filtering and smoothing (Rabiner 1989).
 *
 * Missing observations contribute no factor. A sequence without steps has probability 1. An impossible sequence is not
 * an error: it has the log probability -INFINITY, states -1 and posteriors NaN.
 *
 * `threads` 0 means one thread per CPU core. Results are bit-identical for any number of threads. Threads share the
 * work by sequence, so one long sequence uses one thread. In addition to the output arrays, memory grows with the
 * square root of the length of a sequence. */
#ifndef CREDENCE_HMM_DECODE_H
#define CREDENCE_HMM_DECODE_H

#include <credence/hmm.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- All sequences at once, with output arrays ---- */

/* Computes log P(observations) of each sequence with the forward algorithm. `log_likelihoods` receives one number per
 * sequence. */
CRD_API CRD_MUST_USE crd_status crd_hmm_log_likelihoods(const crd_hmm *hmm, const crd_sequences *sequences,
                                                        unsigned threads, double *log_likelihoods, crd_error *error);

/* ---- Decoding in bounded memory: a callback receives the results block by block ---- */

/* How the state of each step is chosen. */
typedef enum crd_decoding {
    CRD_DECODING_VITERBI = 0,  /* the most likely path (Viterbi) */
    CRD_DECODING_POSTERIOR = 1 /* the state with the largest posterior at each step; ties go to the first */
} crd_decoding;

/* Options of crd_hmm_decode. Initialize it with CRD_DECODE_OPTIONS_INIT. */
typedef struct crd_decode_options {
    size_t size;
    crd_decoding decoding;
    /* Number of paths per sequence, the most likely first; 0: one. With more than one, all rows are kept in memory. */
    size_t best;
    int with_probabilities; /* non-zero: also compute posteriors and evidence */
    unsigned threads;
} crd_decode_options;

#define CRD_DECODE_OPTIONS_INIT                                                                                        \
    { sizeof(crd_decode_options), CRD_DECODING_VITERBI, 0, 0, 0 }

/* A block of consecutive steps of a sequence, with the results for these steps. */
typedef struct crd_decoded {
    size_t sequence;
    uint64_t from, length; /* number of the first step of the block, and number of steps of the sequence */
    size_t steps;          /* number of steps of the block; 0: the sequence is empty */
    int is_impossible;
    /* If the sequence is impossible: the first step at which the observations so far are impossible; `length`: only the
     * end is impossible. */
    uint64_t impossible_at;
    size_t path_count;     /* at least 1 */
    const int32_t *states; /* states[path * steps + step] */
    /* posteriors[step * state count + state]; NULL: not requested. */
    const double *posteriors;
    /* Results for the whole sequence. They are NaN except in the last block, where from + steps is `length`. */
    double log_likelihood; /* log P(observations); also NaN if posteriors were not requested */
    /* log P(path, observations) of each path; NaN if the states are not a most likely path. */
    const double *log_probabilities;
    /* log P(observation | previous observations) of each step. NULL if posteriors were not requested. -INFINITY if the
     * observation is impossible; later steps then treat it as missing. */
    const double *log_evidence;
} crd_decoded;

/* Receives the blocks in the order of sequences and steps, in the caller's thread. The arrays are valid until it
 * returns. If it returns a status other than CRD_OK, decoding stops with that status. */
typedef crd_status (*crd_decode_sink)(void *user, const crd_decoded *piece, crd_error *error);

/* Decodes all sequences and passes the results to `sink` block by block. `user` is passed to `sink`. `options` may be
 * NULL for the defaults. */
CRD_API CRD_MUST_USE crd_status crd_hmm_decode(const crd_hmm *hmm, const crd_sequences *sequences,
                                               const crd_decode_options *options, crd_decode_sink sink, void *user,
                                               crd_error *error);

/* ---- One sequence ---- */

/* Computes the `count` most likely paths of one sequence (n-best list), the most likely first. Sets *found to their
 * number, which is smaller if fewer paths are possible. states[n * length + step] receives the states, and
 * `log_probabilities` receives log P(path, observations) of each path. */
CRD_API CRD_MUST_USE crd_status crd_hmm_best_paths(const crd_hmm *hmm, const crd_sequences *sequences, size_t sequence,
                                                   size_t count, int32_t *states, double *log_probabilities,
                                                   size_t *found, crd_error *error);

/* ---- Online filtering and fixed-lag smoothing: one step at a time ---- */

/* A filter for one sequence at a time. Only one thread at a time can use it. It stores the data of the latest lag + 1
 * steps. */
typedef struct crd_hmm_filter crd_hmm_filter;

/* Creates a filter in *out that can smooth up to `lag` steps back. The model `hmm` must outlive it. Destroy it with
 * crd_hmm_filter_destroy. */
CRD_API CRD_MUST_USE crd_status crd_hmm_filter_create(const crd_hmm *hmm, size_t lag, crd_hmm_filter **out,
                                                      crd_error *error);
/* Frees a filter. NULL is allowed. */
CRD_API void crd_hmm_filter_destroy(crd_hmm_filter *filter);
/* Begins another sequence. Later calls of crd_hmm_filter_push belong to it. */
CRD_API void crd_hmm_filter_begin(crd_hmm_filter *filter);
/* Adds the next observation: step `step` of a sequence in `sequences`. Sets *log_likelihood to log P(observation |
 * previous observations); it may be NULL. If the observation is impossible, this is -INFINITY, and the filter treats
 * the observation as missing. */
CRD_API CRD_MUST_USE crd_status crd_hmm_filter_push(crd_hmm_filter *filter, const crd_sequences *sequences,
                                                    size_t sequence, uint64_t step, double *log_likelihood,
                                                    crd_error *error);
/* Computes P(state | observations so far) of the step that is `back` steps before the last, 0 <= back <= lag. `back` 0
 * is filtering; larger values are fixed-lag smoothing. A non-zero `is_ended` means that the sequence ends with the last
 * step, which matters if the model has end probabilities. The probabilities are NaN if the sequence cannot end
 * there. */
CRD_API CRD_MUST_USE crd_status crd_hmm_filter_posterior(crd_hmm_filter *filter, size_t back, int is_ended,
                                                         double *probabilities, crd_error *error);
/* Computes P(state) at the step that is `ahead` steps after the last one, ahead >= 1. If the model has end
 * probabilities, these sum to the probability that the sequence is at least that long. */
CRD_API CRD_MUST_USE crd_status crd_hmm_filter_forecast(crd_hmm_filter *filter, uint64_t ahead, double *probabilities,
                                                        crd_error *error);

#ifdef __cplusplus
}
#endif
#endif
