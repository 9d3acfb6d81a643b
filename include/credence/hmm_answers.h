/* SPDX-License-Identifier: MIT */
/* credence/hmm_answers.h - queries, evaluation, explanation and sampling of hidden Markov models, in addition to
 * decoding.
 *
 *   evaluation   labeled sequences          -->  scores of items, sequences, spans and unseen words
 *   query        states at some steps       -->  their probability given the observations; forecasts
 *   explanation  a step of a sequence       -->  the contributions of past, observation and future to each state
 *   sampler      a seed and a number        -->  a new sequence of states and observations */
#ifndef CREDENCE_HMM_ANSWERS_H
#define CREDENCE_HMM_ANSWERS_H

#ifndef CRD_EXPERIMENTAL
#error "credence/hmm_answers.h is experimental: define CRD_EXPERIMENTAL before you include it"
#endif

#include <credence/evaluate.h>
#include <credence/hmm_decode.h>
#include <credence/hmm_train.h>
#include <credence/query.h>
#include <credence/result.h>
#include <credence/sequence_classes.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Stationary distribution, durations and frequent contexts ---- */

/* Computes properties of the state chain. `stationary` receives the stationary distribution: the share of time that the
 * chain spends in each state, if sequences do not end. `durations` receives the mean number of steps of a visit to each
 * state, INFINITY if the state is never left. Either array may be NULL; otherwise it has one entry per state. */
CRD_API CRD_MUST_USE crd_status crd_hmm_long_run(const crd_hmm *hmm, double *stationary, double *durations,
                                                 crd_error *error);

/* A context: the consecutive states on which the next state depends. */
typedef struct crd_state_context {
    /* States, earliest first, and their number; fewer than the order: the context begins a sequence. */
    size_t states[3], length;
    double count; /* number of occurrences in training; expected number if states were hidden */
} crd_state_context;

/* Writes the contexts that occurred in training to `out`, at most `most`, the most frequent first. Ties are in the
 * order of the states. Sets *total to the number of all contexts. */
CRD_API CRD_MUST_USE crd_status crd_hmm_contexts(const crd_hmm *hmm, crd_state_context *out, size_t most, size_t *total,
                                                 crd_error *error);

/* Adds the state chain to the open object of a result: an array of the states, the transition matrix or, for a higher
 * order, an array of the most frequent contexts, and the weights of mixture components. `summary` belongs to the HMM's
 * model. */
CRD_API CRD_MUST_USE crd_status crd_hmm_report(const crd_hmm *hmm, const crd_summary *summary, crd_result *result,
                                               crd_error *error);

/* ---- Evaluation ---- */

/* Scores of decoded sequences. */
typedef struct crd_sequence_evaluation crd_sequence_evaluation;

/* Options of an evaluation. Initialize it with CRD_SEQUENCE_EVALUATION_OPTIONS_INIT. */
typedef struct crd_sequence_evaluation_options {
    size_t size;
    /* The decoding whose states are scored. Losses and calibration always use the posteriors. */
    crd_decoding decoding;
    crd_span_scheme spans;
    unsigned threads; /* 0: one per CPU core; results do not depend on it */
} crd_sequence_evaluation_options;

#define CRD_SEQUENCE_EVALUATION_OPTIONS_INIT                                                                           \
    { sizeof(crd_sequence_evaluation_options), CRD_DECODING_VITERBI, CRD_SPANS_AUTO, 0 }

/* Creates an empty evaluation in *out. `classes` are the labels that all evaluated models can predict, as for
 * crd_evaluation_create. Without labels, for example if states are hidden, no items are scored. `options` may be NULL.
 * Destroy it with crd_sequence_evaluation_destroy. */
CRD_API CRD_MUST_USE crd_status crd_sequence_evaluation_create(crd_context *context, const crd_text *classes,
                                                               size_t class_count,
                                                               const crd_sequence_evaluation_options *options,
                                                               crd_sequence_evaluation **out, crd_error *error);
/* Frees an evaluation. NULL is allowed. */
CRD_API void crd_sequence_evaluation_destroy(crd_sequence_evaluation *evaluation);
/* Decodes sequences with `hmm` and scores the labeled items. Items are not scored if the model's states were hidden. In
 * a group of processes (credence/communicator.h) all processes add the same sequences. Each process decodes some of
 * them, and all processes get the results. */
CRD_API CRD_MUST_USE crd_status crd_sequence_evaluation_add(crd_sequence_evaluation *evaluation, const crd_hmm *hmm,
                                                            const crd_sequences *sequences, crd_error *error);

/* Appends the sequences of `other`, which must have the same labels and span scheme. All scores are bit-identical to an
 * evaluation to which the sequences were added one by one. */
CRD_API CRD_MUST_USE crd_status crd_sequence_evaluation_merge(crd_sequence_evaluation *evaluation,
                                                              const crd_sequence_evaluation *other, crd_error *error);
/* Serializes an evaluation, for example to merge it in another process. Sets *bytes and *length. The caller frees
 * *bytes with crd_free. Only the library version that wrote the bytes can read them. */
CRD_API CRD_MUST_USE crd_status crd_sequence_evaluation_encode(const crd_sequence_evaluation *evaluation,
                                                               unsigned char **bytes, size_t *length, crd_error *error);
/* Creates an evaluation in *out from the bytes that crd_sequence_evaluation_encode returned. The caller destroys
 * *out. */
CRD_API CRD_MUST_USE crd_status crd_sequence_evaluation_decode(crd_context *context, const unsigned char *bytes,
                                                               size_t length, crd_sequence_evaluation **out,
                                                               crd_error *error);

/* Totals of an evaluation. Initialize it with CRD_SEQUENCE_TOTALS_INIT. */
typedef struct crd_sequence_totals {
    size_t size;
    uint64_t sequences;    /* number of sequences, including empty ones */
    uint64_t labeled;      /* sequences with at least one labeled item */
    uint64_t correct;      /* labeled sequences in which all labeled items are correct */
    uint64_t impossible;   /* sequences with probability 0 */
    uint64_t items;        /* steps, labeled or not */
    double log_likelihood; /* sum of log P(observations) over the possible sequences */
    uint64_t possible_items;
    /* Labeled items with at least one category that did not occur in training, labeled items without one, and the
     * correct items among both. */
    uint64_t unseen_items, unseen_correct;
    uint64_t seen_items, seen_correct;
} crd_sequence_totals;

#define CRD_SEQUENCE_TOTALS_INIT                                                                                       \
    { sizeof(crd_sequence_totals), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* Writes the totals to *out. */
CRD_API void crd_sequence_evaluation_totals(const crd_sequence_evaluation *evaluation, crd_sequence_totals *out);
/* Returns the evaluation of the labeled items, or NULL if the evaluation was created without labels. It lives as long
 * as the sequence evaluation. */
CRD_API const crd_evaluation *crd_sequence_evaluation_items(const crd_sequence_evaluation *evaluation);
/* Returns the scores of the spans of labeled items. They live as long as the sequence evaluation. */
CRD_API const crd_spans *crd_sequence_evaluation_spans(const crd_sequence_evaluation *evaluation);

/* Evaluates by K-fold cross-validation or holdout over whole sequences: each fold is predicted by a model trained on
 * the other folds. Models are trained as by crd_hmm_train with `target`, `settings` and `training`. Folds are random;
 * `split` contains their number and seed (NULL: 10 folds). Its column and given folds are ignored.
 * `folds`, which may be NULL, receives the fold of each sequence; for a holdout, 1 means held out and 0 means trained.
 * The caller destroys *out. CRD_ERROR_EMPTY: there are fewer than two sequences.
 *
 * Several processes that have read the sequences together share the folds. If there are fewer folds than processes,
 * they share the work on each fold. */
CRD_API CRD_MUST_USE crd_status crd_sequence_validate(const crd_sequences *sequences, crd_text target,
                                                      const crd_settings *settings,
                                                      const crd_hmm_train_options *training,
                                                      const crd_split_options *split,
                                                      const crd_sequence_evaluation_options *options, uint32_t *folds,
                                                      crd_sequence_evaluation **out, crd_error *error);

/* ---- Evaluation of sequence classification ---- */

/* Adds each labeled sequence to `evaluation` as one row, with its class (its first label) and the posteriors of the
 * classifier. Increases *unlabeled by the number of sequences without a label; it may be NULL. `threads` 0: one per
 * CPU core. Several processes share the work as in crd_sequence_evaluation_add. */
CRD_API CRD_MUST_USE crd_status crd_sequence_classifier_evaluate(const crd_sequence_classifier *classifier,
                                                                 const crd_sequences *sequences, unsigned threads,
                                                                 crd_evaluation *evaluation, uint64_t *unlabeled,
                                                                 crd_error *error);
/* Evaluates sequence classification by K-fold cross-validation or holdout, with models from crd_sequence_classes_train.
 * Folds are stratified by class. The parameters are the same as for crd_sequence_validate, except that `folds` receives
 * CRD_NO_FOLD for sequences without a label. `threads` 0: one per CPU core. The caller destroys *out. */
CRD_API CRD_MUST_USE crd_status crd_sequence_classes_validate(const crd_sequences *sequences,
                                                              const crd_settings *settings,
                                                              const crd_hmm_train_options *training,
                                                              const crd_split_options *split, unsigned threads,
                                                              uint32_t *folds, crd_evaluation **out, crd_error *error);

/* ---- Queries about single sequences ---- */

/* A query object for the sequences of one batch. Only one thread at a time can use it. */
typedef struct crd_sequence_query crd_sequence_query;

/* Creates a query object in *out for a model and sequences. Both must outlive it. Columns are matched by name, as in
 * decoding. Destroy it with crd_sequence_query_destroy. */
CRD_API CRD_MUST_USE crd_status crd_sequence_query_create(const crd_hmm *hmm, const crd_sequences *sequences,
                                                          crd_sequence_query **out, crd_error *error);
/* Frees a query object. NULL is allowed. */
CRD_API void crd_sequence_query_destroy(crd_sequence_query *query);

/* A state at a step of a sequence. Steps are numbered from 0. */
typedef struct crd_state_at {
    uint64_t step; /* counted from 0 */
    size_t state;
} crd_state_at;

/* Computes log P(observations) of a sequence into *log_likelihood, and log P(observations, given states) into
 * *log_joint. `states` contains `count` states at ascending steps. The difference of the two results is the log
 * probability of these states given the observations: of a state at a step, of a path, or of parts of a path. */
CRD_API CRD_MUST_USE crd_status crd_sequence_query_joint(crd_sequence_query *query, size_t sequence,
                                                         const crd_state_at *states, size_t count,
                                                         double *log_likelihood, double *log_joint, crd_error *error);
/* Computes the most probable path that has the given states at the given steps (constrained Viterbi). Sets
 * *log_probability to log P(path, observations). `path` receives a state for each step of the sequence; it may be
 * NULL. */
CRD_API CRD_MUST_USE crd_status crd_sequence_query_best_path(crd_sequence_query *query, size_t sequence,
                                                             const crd_state_at *states, size_t count,
                                                             double *log_probability, int32_t *path, crd_error *error);
/* Computes P(state at step T + h | all T observations) for h = 1 .. horizon, given that the sequence continues: horizon
 * x states numbers. All are NaN if the sequence is impossible. */
CRD_API CRD_MUST_USE crd_status crd_sequence_query_forecast(crd_sequence_query *query, size_t sequence, size_t horizon,
                                                            double *probabilities, crd_error *error);

/* Creates a query (credence/query.h) for the distributions of the columns of an observation, each column separately.
 * Its classes are the classes of crd_hmm_facts.emissions. `settings` NULL: the model's settings. The caller destroys *out.
 * CRD_ERROR_ARGUMENT: the model is not a hidden Markov model. */
CRD_API CRD_MUST_USE crd_status crd_hmm_observation_query(const crd_model *model, const crd_settings *settings,
                                                          crd_query **out, crd_error *error);
/* Converts state probabilities to log probabilities of the emission classes of crd_hmm_facts.emissions. `log_classes` must
 * have space for crd_classifier_class_count numbers. */
CRD_API void crd_hmm_log_classes(const crd_hmm *hmm, const double *state_probabilities, double *log_classes);

/* ---- Explanation of a step ----
 *
 *   log P(s_t = k | x) = past + observation + future - log of the sum over states
 *
 *   past         log P(s_t = k | x_1 .. x_{t-1})
 *   observation  log P(x_t | s_t = k)
 *   future       log P(x_{t+1} .. x_T | s_t = k, x_1 .. x_t) - log P(x_{t+1} .. x_T | x_1 .. x_t)
 *
 * So the log odds of two states are the sum of three differences. */

/* An explanation of a step. Initialize it with CRD_STEP_EXPLANATION_INIT. */
typedef struct crd_step_explanation {
    size_t size;
    double log_likelihood; /* -INFINITY: the sequence is impossible, and nothing is explained */
    int32_t posterior;     /* the state with the largest posterior at the step; -1 if the sequence is impossible */
    int32_t path;          /* the state of the most probable path at the step; -1 if the sequence is impossible */
    double log_path;       /* log P(most probable path, observations) */
} crd_step_explanation;

#define CRD_STEP_EXPLANATION_INIT                                                                                      \
    { sizeof(crd_step_explanation), 0, -1, -1, 0 }

/* Explains the posterior of step `step`, counted from 0, of a sequence. `past`, `observation`, `future` and
 * `log_posterior` receive one number per state. Writes a summary to *out. */
CRD_API CRD_MUST_USE crd_status crd_sequence_query_explain(crd_sequence_query *query, size_t sequence, uint64_t step,
                                                           double *past, double *observation, double *future,
                                                           double *log_posterior, crd_step_explanation *out,
                                                           crd_error *error);

/* Computes the terms that sum to the observation part of a step: (attributes of crd_hmm_facts.emissions + 1) x states
 * numbers. The last row contains the parts that do not belong to single columns: joint densities, and mixtures of
 * components. */
CRD_API CRD_MUST_USE crd_status crd_sequence_query_terms(crd_sequence_query *query, size_t sequence, uint64_t step,
                                                         double *terms, crd_error *error);

/* ---- Sampler ---- */

/* Draws new sequences. Each sequence depends only on the seed and on its number. Only one thread at a time can use a
 * sampler. */
typedef struct crd_sequence_sampler crd_sequence_sampler;

/* Creates a sampler in *out. `settings` NULL: the model's settings. The model must outlive it. Destroy it with
 * crd_sequence_sampler_destroy. */
CRD_API CRD_MUST_USE crd_status crd_sequence_sampler_create(const crd_model *model, const crd_settings *settings,
                                                            uint64_t seed, crd_sequence_sampler **out,
                                                            crd_error *error);
/* Frees a sampler. NULL is allowed. */
CRD_API void crd_sequence_sampler_destroy(crd_sequence_sampler *sampler);
/* Returns the number of columns of a step, including the state column. */
CRD_API size_t crd_sequence_sampler_column_count(const crd_sequence_sampler *sampler);
/* Returns the name of a column. The text lives as long as the sampler. */
CRD_API crd_text crd_sequence_sampler_column_name(const crd_sequence_sampler *sampler, size_t column);
/* Returns the type of a column. */
CRD_API crd_column_type crd_sequence_sampler_column_type(const crd_sequence_sampler *sampler, size_t column);
/* Returns non-zero if the model has end probabilities, so that drawn sequences end at random. */
CRD_API int crd_sequence_sampler_ends(const crd_sequence_sampler *sampler);
/* Begins the sequence with the given number. */
CRD_API void crd_sequence_sampler_begin(crd_sequence_sampler *sampler, uint64_t number);
/* Draws the next step. `values` receives one value per column; texts live as long as the sampler. Returns 0 if the
 * sequence has ended: because of an end probability if `may_end` is non-zero, or because no state can follow. */
CRD_API int crd_sequence_sampler_next(crd_sequence_sampler *sampler, int may_end, crd_value *values);

#ifdef __cplusplus
}
#endif
#endif
