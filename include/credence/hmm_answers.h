/* SPDX-License-Identifier: MIT */
/* credence/hmm_answers.h - questions to a sequence model beyond decoding: how good its answers are, how
 * probable states and sequences are, why answers are as they are, and new sequences.
 *
 *   evaluation    sequences with labels   -->  scores of items, sequences, spans, and words never seen
 *   query         states at some steps    -->  their probability given the observations; forecasts
 *                 a step of a sequence    -->  what the past, the observation and the future contribute to each state
 *   sampler       a number and a length   -->  a sequence of states and observations */
#ifndef CREDENCE_HMM_ANSWERS_H
#define CREDENCE_HMM_ANSWERS_H

#include <credence/evaluate.h>
#include <credence/hmm_decode.h>
#include <credence/hmm_train.h>
#include <credence/query.h>
#include <credence/sequence_classes.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- States in the long run ---- */

/* Of each state: the part of the time that it is visited in the long run, where sequences do not end: the stationary
 * distribution; and how many steps a visit lasts on average, INFINITY where it is never left. Either array may be NULL. */
CRD_API CRD_MUST_USE crd_status crd_hmm_long_run(const crd_hmm *hmm, double *stationary, double *durations,
                                                 crd_error *error);

/* States in a row, that the next one depends on. */
typedef struct crd_state_context {
    size_t states[3], length; /* fewer than the order: those that began a sequence */
    double count;             /* how often they were met; expected, where states were hidden */
} crd_state_context;

/* At most `most` of the contexts that were met, the most frequent first (of equals in the order of states); *total is how many
 * there are. */
CRD_API CRD_MUST_USE crd_status crd_hmm_contexts(const crd_hmm *hmm, crd_state_context *out, size_t most, size_t *total,
                                                 crd_error *error);

/* ---- Evaluation ---- */

typedef struct crd_sequence_evaluation crd_sequence_evaluation;

typedef struct crd_sequence_evaluation_options {
    size_t size;
    crd_decoding
        decoding; /* whose decisions are judged; losses and calibration are those of the posteriors either way */
    crd_span_scheme spans;
    unsigned threads; /* 0: one for each processor. No result depends on it */
} crd_sequence_evaluation_options;

#define CRD_SEQUENCE_EVALUATION_OPTIONS_INIT                                                                           \
    { sizeof(crd_sequence_evaluation_options), CRD_DECODING_PATH, CRD_SPANS_AUTO, 0 }

/* The labels that can be predicted, as crd_evaluation_create takes them: those of all models that answer. options may be
 * NULL. Without labels, as where states are hidden, no items are judged. */
CRD_API CRD_MUST_USE crd_status crd_sequence_evaluation_create(crd_context *context, const crd_text *classes,
                                                               size_t class_count,
                                                               const crd_sequence_evaluation_options *options,
                                                               crd_sequence_evaluation **out, crd_error *error);
CRD_API void crd_sequence_evaluation_destroy(crd_sequence_evaluation *evaluation);
/* Decodes sequences and judges the items that have a label. Of a model whose states were hidden no item is judged. Of several processes
 * (credence/communicator.h) all add the same sequences, each decodes some of them, and all have the results. */
CRD_API CRD_MUST_USE crd_status crd_sequence_evaluation_add(crd_sequence_evaluation *evaluation, const crd_hmm *hmm,
                                                            const crd_sequences *sequences, crd_error *error);
/* The fold of what is added from here on, as crd_evaluation_set_fold. */
CRD_API void crd_sequence_evaluation_set_fold(crd_sequence_evaluation *evaluation, uint32_t fold);

/* The sequences of another evaluation, with the same labels to predict and scheme of spans, behind one's own, as if they had been added
 * one by one: all scores of parts that are merged are those of all sequences, to the bit. */
CRD_API CRD_MUST_USE crd_status crd_sequence_evaluation_merge(crd_sequence_evaluation *evaluation,
                                                              const crd_sequence_evaluation *other, crd_error *error);
/* As bytes, for another process to merge: see crd_evaluation_encode. */
CRD_API CRD_MUST_USE crd_status crd_sequence_evaluation_encode(const crd_sequence_evaluation *evaluation,
                                                               unsigned char **bytes, size_t *length, crd_error *error);
CRD_API CRD_MUST_USE crd_status crd_sequence_evaluation_decode(crd_context *context, const unsigned char *bytes,
                                                               size_t length, crd_sequence_evaluation **out,
                                                               crd_error *error);

typedef struct crd_sequence_totals {
    size_t size;
    uint64_t sequences;    /* all of them, empty ones too */
    uint64_t labelled;     /* those with a labelled item */
    uint64_t correct;      /* of these, those whose labelled items are all right */
    uint64_t impossible;   /* sequences of probability zero */
    uint64_t items;        /* steps, labelled or not */
    double log_likelihood; /* the sum of log P(observations) over sequences that are not impossible */
    uint64_t possible_items;
    /* Labelled items that have a category never seen in training in some column, and those that have none. */
    uint64_t unseen_items, unseen_correct;
    uint64_t seen_items, seen_correct;
} crd_sequence_totals;

#define CRD_SEQUENCE_TOTALS_INIT                                                                                       \
    { sizeof(crd_sequence_totals), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

CRD_API void crd_sequence_evaluation_totals(const crd_sequence_evaluation *evaluation, crd_sequence_totals *out);
/* Labelled items, NULL without labels to predict, and their spans; as long as the evaluation. */
CRD_API const crd_evaluation *crd_sequence_evaluation_items(const crd_sequence_evaluation *evaluation);
CRD_API const crd_spans *crd_sequence_evaluation_spans(const crd_sequence_evaluation *evaluation);

/* Models of all sequences but those of a fold answer these: K-fold cross-validation, or a holdout, of whole sequences. Folds are
 * drawn as crd_folds does, by the seed, as `split` has their number (NULL: 10); its column and given folds are not read. Models are
 * trained as crd_hmm_train does with target, settings and training. `folds` has room for each sequence, or is NULL: the fold that
 * it was in, of a holdout 1 for those held out, else 0. *out is the caller's. CRD_ERROR_EMPTY: fewer than two sequences.
 * Several processes that have read the sequences together divide the folds, or, where there are fewer folds than processes, the work on each. */
CRD_API CRD_MUST_USE crd_status crd_sequence_validate(const crd_sequences *sequences, crd_text target,
                                                      const crd_settings *settings,
                                                      const crd_hmm_train_options *training,
                                                      const crd_split_options *split,
                                                      const crd_sequence_evaluation_options *options, uint32_t *folds,
                                                      crd_sequence_evaluation **out, crd_error *error);

/* ---- Evaluation of classes of whole sequences ---- */

/* Adds each sequence with a label as one row: its class by the first of its labels, and the posteriors of the classifier. *unlabelled,
 * unless NULL, grows by the sequences without a label. Several processes share the work as in crd_sequence_evaluation_add. */
CRD_API CRD_MUST_USE crd_status crd_sequence_classifier_evaluate(const crd_sequence_classifier *classifier,
                                                                 const crd_sequences *sequences, unsigned threads,
                                                                 crd_evaluation *evaluation, uint64_t *unlabelled,
                                                                 crd_error *error);
/* As crd_sequence_validate, of models that crd_sequence_classes_train makes; folds are stratified by class, and CRD_NO_FOLD is that of
 * sequences without a label. */
CRD_API CRD_MUST_USE crd_status crd_sequence_classes_validate(const crd_sequences *sequences,
                                                              const crd_settings *settings,
                                                              const crd_hmm_train_options *training,
                                                              const crd_split_options *split, unsigned threads,
                                                              uint32_t *folds, crd_evaluation **out, crd_error *error);

/* ---- Queries: single sequences of a batch, for one thread ---- */

typedef struct crd_sequence_query crd_sequence_query;

/* Both must outlive it. Columns meet by name, as in decoding. */
CRD_API CRD_MUST_USE crd_status crd_sequence_query_create(const crd_hmm *hmm, const crd_sequences *sequences,
                                                          crd_sequence_query **out, crd_error *error);
CRD_API void crd_sequence_query_destroy(crd_sequence_query *query);

typedef struct crd_state_at {
    uint64_t step; /* from 0 */
    size_t state;
} crd_state_at;

/* log P(observations of a sequence), and log P(these, states as they are given at these steps, ascending), of which the
 * difference is the log probability of a state at a time, of a path or of parts of it, given the observations. */
CRD_API CRD_MUST_USE crd_status crd_sequence_query_joint(crd_sequence_query *query, size_t sequence,
                                                         const crd_state_at *states, size_t count,
                                                         double *log_likelihood, double *log_joint, crd_error *error);
/* The most probable path among those with these states: log P(path, observations); path, with room for all steps, may be
 * NULL. */
CRD_API CRD_MUST_USE crd_status crd_sequence_query_best_path(crd_sequence_query *query, size_t sequence,
                                                             const crd_state_at *states, size_t count,
                                                             double *log_probability, int32_t *path, crd_error *error);
/* P(state at step T + h | all T observations) for h = 1 .. horizon, given that the sequence goes on: horizon x states. All are
 * NaN where the sequence is impossible. */
CRD_API CRD_MUST_USE crd_status crd_sequence_query_forecast(crd_sequence_query *query, size_t sequence, size_t horizon,
                                                            double *probabilities, crd_error *error);

/* Distributions of the columns of an observation: a query (credence/query.h) whose classes are those of crd_hmm_emissions, each
 * column by itself. The model must be one of sequences. settings NULL: its own. */
CRD_API CRD_MUST_USE crd_status crd_hmm_observation_query(const crd_model *model, const crd_settings *settings,
                                                          crd_query **out, crd_error *error);
/* The log probabilities of these classes, of which there are crd_classifier_class_count, from those of the states. */
CRD_API void crd_hmm_log_classes(const crd_hmm *hmm, const double *state_probabilities, double *log_classes);

/* ---- Explanation of a step ----
 *
 *   log P(s_t = k | x) = past + observation + future - log of the sum over states
 *
 *   past         log P(s_t = k | observations before the step)
 *   observation  log P(x_t | s_t = k)
 *   future       log P(observations behind the step | s_t = k, those before it), less the same without s_t = k
 *
 * So the log odds of two states are the sum of three differences. */

typedef struct crd_step_explanation {
    size_t size;
    double log_likelihood; /* -INFINITY: the sequence is impossible, and nothing is explained */
    int32_t posterior;     /* the state of the greatest posterior at the step; -1 where the sequence is impossible */
    int32_t path;          /* that of the most probable path; -1 likewise */
    double log_path;       /* log P(most probable path, observations) */
} crd_step_explanation;

#define CRD_STEP_EXPLANATION_INIT                                                                                      \
    { sizeof(crd_step_explanation), 0, -1, -1, 0 }

/* Of a step, from 0, of a sequence; the arrays have room for all states. */
CRD_API CRD_MUST_USE crd_status crd_sequence_query_explain(crd_sequence_query *query, size_t sequence, uint64_t step,
                                                           double *past, double *observation, double *future,
                                                           double *log_posterior, crd_step_explanation *out,
                                                           crd_error *error);

/* The terms that the observation's part of a step is the sum of: (attributes of crd_hmm_emissions + 1) x states. The last row has
 * what is not of single columns: joint densities, mixtures of components. */
CRD_API CRD_MUST_USE crd_status crd_sequence_query_terms(crd_sequence_query *query, size_t sequence, uint64_t step,
                                                         double *terms, crd_error *error);

/* ---- Sampler: new sequences, each a function of the seed and its number ---- */

typedef struct crd_sequence_sampler crd_sequence_sampler;

/* settings NULL: the model's own. For one thread at a time. The model must outlive it. */
CRD_API CRD_MUST_USE crd_status crd_sequence_sampler_create(const crd_model *model, const crd_settings *settings,
                                                            uint64_t seed, crd_sequence_sampler **out,
                                                            crd_error *error);
CRD_API void crd_sequence_sampler_destroy(crd_sequence_sampler *sampler);
/* The columns of a step, the states' among them. */
CRD_API size_t crd_sequence_sampler_column_count(const crd_sequence_sampler *sampler);
CRD_API crd_text crd_sequence_sampler_column_name(const crd_sequence_sampler *sampler, size_t column);
CRD_API crd_kind crd_sequence_sampler_column_kind(const crd_sequence_sampler *sampler, size_t column);
/* Whether sequences end by themselves: the model has end probabilities. */
CRD_API int crd_sequence_sampler_ends(const crd_sequence_sampler *sampler);
/* Begins with sequence `number`. */
CRD_API void crd_sequence_sampler_begin(crd_sequence_sampler *sampler, uint64_t number);
/* The next step: `values` has room for each column, and texts live as long as the sampler. 0: the sequence has ended, by an
 * end probability where `may_end`, or since no state can follow. */
CRD_API int crd_sequence_sampler_next(crd_sequence_sampler *sampler, int may_end, crd_value *values);

#ifdef __cplusplus
}
#endif
#endif
