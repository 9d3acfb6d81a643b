/* SPDX-License-Identifier: MIT */
/* expectation.h - the E step of Baum and Welch's algorithm: expected counts of states that follow each other, and statistics of
 * the observations of each state, given all observations and labels.
 *
 * Sequences are divided into chunks that depend on the problem alone; each is summed in its order, and the chunks in theirs, so
 * that results have the same bits with any number of threads. */
#ifndef CRD_SEQUENCE_EXPECTATION_H
#define CRD_SEQUENCE_EXPECTATION_H

#include "sequence/hmm_internal.h"
#include "sequence/train/emission_sums.h"

/* What is learned from. */
typedef struct crd_i_training_steps {
    const crd_sequences *sequences;
    const crd_i_segment *segments; /* none of them empty */
    size_t segment_count;
    uint64_t steps;
    bool clamps;    /* labels are the states of their steps */
    bool is_shared; /* every process of a group has these sequences, and they compute together */
    unsigned threads;
} crd_i_training_steps;

/* What the statistics of observations are. */
typedef struct crd_i_expectation_form {
    const crd_i_emission_sums *layout; /* sums; NULL: a model of weighted rows */
    /* Of that model: copied for each thread's share of it. */
    const crd_i_schema *schema;
    const crd_settings *settings;
    const crd_text *names; /* of emission classes: state * components + component */
} crd_i_expectation_form;

typedef struct crd_i_expectation {
    crd_context *context;
    double log_likelihood; /* -INFINITY where some segment is impossible */
    size_t impossible;     /* segments that are */
    size_t impossible_at;  /* the first of them */
    double *visits;        /* expected steps of each state */
    double *sums;          /* as the layout has them; or */
    crd_model *rows;
    crd_i_chain_counts counts; /* of nodes and transitions */
    double *memory;
} crd_i_expectation;

/* Segments that are impossible count in the states by what their observations are like under each of them, and tell nothing of
 * transitions. */
CRD_MUST_USE crd_status crd_i_expectation_compute(const crd_hmm *hmm, const crd_i_training_steps *steps,
                                                  const crd_i_expectation_form *form, crd_i_expectation *out,
                                                  crd_error *error);
void crd_i_expectation_clear(crd_i_expectation *expectation); /* all zero is fine */

/* The log likelihood alone. */
CRD_MUST_USE crd_status crd_i_expectation_likelihood(const crd_hmm *hmm, const crd_i_training_steps *steps, double *out,
                                                     crd_error *error);

/* The step that the model explains worst among every `stride`-th: that with the least expected log density. */
typedef struct crd_i_worst_step {
    crd_i_segment segment; /* one step */
    double log_density;
} crd_i_worst_step;
CRD_MUST_USE crd_status crd_i_expectation_worst(const crd_hmm *hmm, const crd_i_training_steps *steps,
                                                crd_i_worst_step *out, crd_error *error);

#endif
