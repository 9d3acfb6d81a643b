/* SPDX-License-Identifier: MIT */
/* credence/hmm_decode.h - what a hidden Markov model infers of sequences: their probabilities and their states.
 *
 * Observations that are missing leave their factor out. A sequence of no steps has probability 1. One that is impossible under the
 * model has a log probability of -INFINITY, states of -1 and posteriors of NaN; that is no failure.
 *
 * Threads: 0 is one for each processor. Answers have the same bits for any number of them. Sequences are what the threads share, so that one
 * long sequence is the work of one thread. Memory grows with the square root of the length of a sequence, beside what is
 * returned in arrays. */
#ifndef CREDENCE_HMM_DECODE_H
#define CREDENCE_HMM_DECODE_H

#include <credence/hmm.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- All sequences at once, into arrays ---- */

/* log P(observations) of each sequence. */
CRD_API CRD_MUST_USE crd_status crd_hmm_log_likelihoods(const crd_hmm *hmm, const crd_sequences *sequences,
                                                        unsigned threads, double *log_likelihoods, crd_error *error);

/* P(state | all observations of the sequence), by forward-backward: posteriors[row * states + state], rows being the steps of all
 * sequences one after the other; and log P(observations) of each sequence, unless that is NULL. */
CRD_API CRD_MUST_USE crd_status crd_hmm_posteriors(const crd_hmm *hmm, const crd_sequences *sequences, unsigned threads,
                                                   double *posteriors, double *log_likelihoods, crd_error *error);

/* The most likely path of states, by Viterbi's algorithm, a state a row, of equally likely ones that whose first states come first; and
 * log P(path, observations) of each sequence, unless that is NULL. */
CRD_API CRD_MUST_USE crd_status crd_hmm_paths(const crd_hmm *hmm, const crd_sequences *sequences, unsigned threads,
                                              int32_t *states, double *log_probabilities, crd_error *error);

/* ---- Piece by piece, in bounded memory ---- */

typedef enum crd_decoding {
    CRD_DECODING_PATH = 0,     /* the most likely path */
    CRD_DECODING_POSTERIOR = 1 /* at each step the most likely state, of equally likely ones the first */
} crd_decoding;

typedef struct crd_decode_options {
    size_t size;
    crd_decoding decoding;
    size_t
        best; /* paths of each sequence, the most likely first; 0: one. More than one are kept in memory with all rows. */
    int with_probabilities; /* non-zero: posteriors and evidence too */
    unsigned threads;
} crd_decode_options;

#define CRD_DECODE_OPTIONS_INIT                                                                                        \
    { sizeof(crd_decode_options), CRD_DECODING_PATH, 0, 0, 0 }

/* Steps of a sequence, with what was inferred of them. */
typedef struct crd_decoded {
    size_t sequence;
    uint64_t from, length; /* the first of the steps, and how many the sequence has */
    size_t steps;          /* 0: the sequence has none */
    int is_impossible;
    uint64_t impossible_at; /* the first step up to which observations are impossible; `length`: only the end is */
    size_t path_count;      /* at least 1 */
    const int32_t *states;  /* states[path * steps + step] */
    /* posteriors[step * states of the model + state]; NULL: they were not asked for. */
    const double *posteriors;
    /* Of the whole sequence, once it is known: in the last piece, where from + steps is `length`; NaN before. */
    double log_likelihood; /* log P(observations); NaN too where no posteriors were computed */
    const double *
        log_probabilities; /* log P(path, observations) of each path; NaN where a path is none of the most likely ones */
    /* log P(observation | those before) of each step; NULL: as posteriors. -INFINITY where it is impossible, after which it counts as
     * missing. */
    const double *log_evidence;
} crd_decoded;

/* Takes the pieces, in the order of sequences and steps, in the caller's thread. What they point to lives until it returns. */
typedef crd_status (*crd_decode_sink)(void *user, const crd_decoded *piece, crd_error *error);

CRD_API CRD_MUST_USE crd_status crd_hmm_decode(const crd_hmm *hmm, const crd_sequences *sequences,
                                               const crd_decode_options *options, crd_decode_sink sink, void *user,
                                               crd_error *error);

/* ---- One sequence ---- */

/* The `count` most likely paths, or as many as there are (*found): states[n * length + step], and log P(path, observations). */
CRD_API CRD_MUST_USE crd_status crd_hmm_best_paths(const crd_hmm *hmm, const crd_sequences *sequences, size_t sequence,
                                                   size_t count, int32_t *states, double *log_probabilities,
                                                   size_t *found, crd_error *error);

/* ---- Steps one by one, as they come ---- */

/* For one thread. Keeps as much as lag + 1 steps need. The model must outlive it. */
typedef struct crd_hmm_filter crd_hmm_filter;

CRD_API CRD_MUST_USE crd_status crd_hmm_filter_create(const crd_hmm *hmm, size_t lag, crd_hmm_filter **out,
                                                      crd_error *error);
CRD_API void crd_hmm_filter_destroy(crd_hmm_filter *filter);
/* What is pushed from now on is another sequence. */
CRD_API void crd_hmm_filter_begin(crd_hmm_filter *filter);
/* The next observation: a step of sequences that were read. *log_likelihood, unless NULL: log P(observation | those before); -INFINITY
 * where it is impossible, after which the filter goes on as if it were missing. */
CRD_API CRD_MUST_USE crd_status crd_hmm_filter_push(crd_hmm_filter *filter, const crd_sequences *sequences,
                                                    size_t sequence, uint64_t step, double *log_likelihood,
                                                    crd_error *error);
/* Steps pushed since the sequence began. */
CRD_API uint64_t crd_hmm_filter_steps(const crd_hmm_filter *filter);
/* P(state | observations so far) of the step `back` steps before the last one, at most `lag`: 0 filters, more smooths. `is_ended`:
 * non-zero where the sequence ends with the last one, which matters where ends have probabilities; NaN where it cannot. */
CRD_API CRD_MUST_USE crd_status crd_hmm_filter_posterior(crd_hmm_filter *filter, size_t back, int is_ended,
                                                         double *probabilities, crd_error *error);
/* P(state) at the step `ahead` steps behind the last one that was pushed, at least 1. Where ends have probabilities these sum to that of
 * a sequence that goes on for so long. */
CRD_API CRD_MUST_USE crd_status crd_hmm_filter_forecast(crd_hmm_filter *filter, uint64_t ahead, double *probabilities,
                                                        crd_error *error);

#ifdef __cplusplus
}
#endif
#endif
