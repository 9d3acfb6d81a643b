/* SPDX-License-Identifier: MIT */
/* hmm_training.h - data structures for training hidden Markov models: the problem (sequences and settings), the shape
 * (the states to be estimated), and the models of successive EM steps. */
#ifndef CRD_SEQUENCE_TRAIN_HMM_TRAINING_H
#define CRD_SEQUENCE_TRAIN_HMM_TRAINING_H

#include "sequence/hmm_internal.h"
#include "sequence/train/emission_sums.h"

/* ---- the E step of Baum-Welch: expected transition counts, and statistics of the observations of each
 * state, given all observations and labels.
 *
 * Sequences are divided into chunks that depend only on the problem. Each chunk is summed in order, and the chunks are
 * added in order. So results are bit-identical for any number of threads. */

/* The training data. */
typedef struct crd_i_training_steps {
    const crd_sequences *sequences;
    const crd_i_segment *segments; /* none of them is empty */
    size_t segment_count;
    uint64_t steps;
    bool clamps;    /* labels determine the states of their steps */
    bool is_shared; /* every process of a group has these sequences, and they compute together */
    unsigned threads;
} crd_i_training_steps;

/* Form of the observation statistics. */
typedef struct crd_i_expectation_form {
    const crd_i_emission_sums *layout; /* layout of sums; NULL: a model of weighted rows */
    /* For a model of weighted rows; copied for each chunk. */
    const crd_i_schema *schema;
    const crd_settings *settings;
    const crd_text *names; /* names of the emission classes: state * components + component */
} crd_i_expectation_form;

typedef struct crd_i_expectation {
    crd_context *context;
    double log_likelihood; /* -INFINITY if some segment is impossible */
    size_t impossible;     /* number of impossible segments */
    size_t impossible_at;  /* index of the first impossible segment */
    double *visits;        /* expected number of steps of each state */
    double *sums;          /* statistics as sums, in the given layout; NULL: they are in `rows` */
    crd_model *rows;
    crd_i_chain_counts counts; /* expected counts of nodes and transitions */
    double *memory;
} crd_i_expectation;

/* Computes the expected statistics. The steps of an impossible segment count in the states by the density of their
 * observations alone, and do not contribute to the transitions. */
CRD_MUST_USE crd_status crd_i_expectation_compute(const crd_hmm *hmm, const crd_i_training_steps *steps,
                                                  const crd_i_expectation_form *form, crd_i_expectation *out,
                                                  crd_error *error);
void crd_i_expectation_clear(crd_i_expectation *expectation); /* an all-zero struct is allowed */

/* Computes only the log likelihood. */
CRD_MUST_USE crd_status crd_i_expectation_likelihood(const crd_hmm *hmm, const crd_i_training_steps *steps, double *out,
                                                     crd_error *error);

/* The step that the model explains worst: the step with the smallest expected log density. */
typedef struct crd_i_worst_step {
    crd_i_segment segment; /* a segment of one step */
    double log_density;
} crd_i_worst_step;
CRD_MUST_USE crd_status crd_i_expectation_worst(const crd_hmm *hmm, const crd_i_training_steps *steps,
                                                crd_i_worst_step *out, crd_error *error);

/* The training data and the settings. */
typedef struct crd_i_training_problem {
    crd_context *context;
    const crd_sequences *sequences;
    crd_settings *settings;          /* settings of the sequence model */
    crd_settings *emission_settings; /* settings of its emission model */
    crd_i_schema *schema;            /* the observations and the target; its states are declared if they are labels */
    bool is_hidden;                  /* labels are not used */
    crd_i_segment *segments;
    size_t segment_count;
    uint64_t steps;
    crd_i_observation_facts *facts;
    crd_hmm *start; /* the model that EM starts from, whose states are used; NULL: initial models are generated */
    unsigned threads;
} crd_i_training_problem;

/* The states to be estimated, and how. */
typedef struct crd_i_training_shape {
    const crd_i_training_problem *problem;
    size_t states, components, classes;
    crd_text *state_names; /* in the order of states */
    crd_text *class_names; /* state by state, the names of its components */
    char *texts;
    crd_settings *settings; /* settings of the model, with the number of states */
    crd_settings *prior_settings;
    crd_i_schema *schema;        /* schema of the emission model; the declared values of its target are the classes */
    crd_i_emission_sums *layout; /* NULL: densities are estimated from weighted rows */
} crd_i_training_shape;

/* Creates a shape with the given number of hidden states. If states are labels, `states` is ignored, and the states
 * declared in the schema are used. */
CRD_MUST_USE crd_status crd_i_training_shape_create(const crd_i_training_problem *problem, size_t states,
                                                    crd_i_training_shape **out, crd_error *error);
void crd_i_training_shape_destroy(crd_i_training_shape *shape); /* NULL is allowed */
/* Returns the form of the statistics of its E steps. */
crd_i_expectation_form crd_i_training_form(const crd_i_training_shape *shape);
/* Returns all training data. */
crd_i_training_steps crd_i_training_all(const crd_i_training_problem *problem);

/* A model during training, immutable and reference-counted. */
typedef struct crd_i_training_model {
    crd_context *context;
    crd_i_hmm_content *content; /* NULL: `hmm` is borrowed */
    crd_hmm *hmm;
    double log_prior;  /* log prior density of its parameters */
    bool is_maximised; /* its parameters are the posterior mode given its statistics */
    size_t references;
} crd_i_training_model;

/* Statistics that a model is derived from: observations, and n-gram counts of states. */
typedef struct crd_i_training_statistics {
    const double *sums; /* NULL: the statistics are in `rows` */
    crd_model *rows;
    crd_i_ngram_counts *ngrams;
} crd_i_training_statistics;

/* Performs the M step. Takes ownership of statistics->rows and ->ngrams, even on failure, and sets them to NULL. */
CRD_MUST_USE crd_status crd_i_training_model_create(const crd_i_training_shape *shape,
                                                    crd_i_training_statistics *statistics, crd_i_training_model **out,
                                                    crd_error *error);
/* Creates the model that the problem starts from (problem->start). */
CRD_MUST_USE crd_status crd_i_training_model_start(const crd_i_training_shape *shape, crd_i_training_model **out,
                                                   crd_error *error);
/* Creates empty n-gram counts in which the states have the shape's numbers. */
CRD_MUST_USE crd_status crd_i_training_ngrams(const crd_i_training_shape *shape, const crd_text *names,
                                              crd_i_ngram_counts **out, crd_error *error);
crd_i_training_model *crd_i_training_model_hold(crd_i_training_model *model); /* NULL is allowed */
void crd_i_training_model_release(crd_i_training_model *model);               /* NULL is allowed */

#endif
