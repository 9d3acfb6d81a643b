/* SPDX-License-Identifier: MIT */
/* expectation.h - the E step of Baum-Welch: expected transition counts, and statistics of the observations of each
 * state, given all observations and labels.
 *
 * Sequences are divided into chunks that depend only on the problem. Each chunk is summed in order, and the chunks are
 * added in order. So results are bit-identical for any number of threads. */
#ifndef CRD_SEQUENCE_EXPECTATION_H
#define CRD_SEQUENCE_EXPECTATION_H

#include "sequence/hmm_internal.h"
#include "sequence/train/emission_sums.h"

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

#endif
