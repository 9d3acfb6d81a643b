/* SPDX-License-Identifier: MIT */
/* hmm_training.h - what training of hidden Markov models works on: sequences and settings, the states that are looked for, and
 * models of one step of EM after the other. */
#ifndef CRD_SEQUENCE_HMM_TRAINING_H
#define CRD_SEQUENCE_HMM_TRAINING_H

#include "sequence/train/expectation.h"

/* What is learned from, and under which settings. */
typedef struct crd_i_training_problem {
    crd_context *context;
    const crd_sequences *sequences;
    crd_settings *settings;          /* of the model of sequences */
    crd_settings *emission_settings; /* of its tallied model */
    crd_i_schema *schema; /* of observations, and the target, whose states are declared where they are labels */
    bool is_hidden;       /* no label counts */
    crd_i_segment *segments;
    size_t segment_count;
    uint64_t steps;
    crd_i_observation_facts *facts;
    crd_hmm *start; /* what EM starts from, and whose states are looked for; NULL: starts are made */
    unsigned threads;
} crd_i_training_problem;

/* States that are looked for, and what is estimated of them. */
typedef struct crd_i_training_shape {
    const crd_i_training_problem *problem;
    size_t states, components, classes;
    crd_text *state_names; /* in the order of states */
    crd_text *class_names; /* state by state, those of its components */
    char *texts;
    crd_settings *settings; /* of the model, with the number of states */
    crd_settings *prior_settings;
    crd_i_schema *schema;        /* of the tallied model: the target's declared values are the classes */
    crd_i_emission_sums *layout; /* NULL: densities are estimated from weighted rows */
} crd_i_training_shape;

/* So many hidden states; 0: those that are declared in the schema. */
CRD_MUST_USE crd_status crd_i_training_shape_create(const crd_i_training_problem *problem, size_t states,
                                                    crd_i_training_shape **out, crd_error *error);
void crd_i_training_shape_destroy(crd_i_training_shape *shape); /* NULL is fine */
/* How the statistics of its E steps are kept. */
crd_i_expectation_form crd_i_training_form(const crd_i_training_shape *shape);
/* All that is learned from. */
crd_i_training_steps crd_i_training_all(const crd_i_training_problem *problem);

/* A model on the way, immutable and shared by reference. */
typedef struct crd_i_training_model {
    crd_context *context;
    crd_i_hmm_content *content; /* NULL, where the hmm is borrowed: */
    crd_hmm *hmm;
    double log_prior;  /* of its parameters */
    bool is_maximised; /* statistics of which it is made were turned into the parameters of the greatest posterior */
    size_t references;
} crd_i_training_model;

/* Statistics of observations and counts of states that follow each other: what a model is made of. */
typedef struct crd_i_training_statistics {
    const double *sums; /* NULL: */
    crd_model *rows;
    crd_i_ngram_counts *ngrams;
} crd_i_training_statistics;

/* The M step. Rows and n-grams are taken over also on failure, and set to NULL. */
CRD_MUST_USE crd_status crd_i_training_model_create(const crd_i_training_shape *shape,
                                                    crd_i_training_statistics *statistics, crd_i_training_model **out,
                                                    crd_error *error);
/* One that the problem starts from. */
CRD_MUST_USE crd_status crd_i_training_model_start(const crd_i_training_shape *shape, crd_i_training_model **out,
                                                   crd_error *error);
/* Empty counts of n-grams whose states have the shape's numbers. */
CRD_MUST_USE crd_status crd_i_training_ngrams(const crd_i_training_shape *shape, const crd_text *names,
                                              crd_i_ngram_counts **out, crd_error *error);
crd_i_training_model *crd_i_training_model_hold(crd_i_training_model *model); /* NULL is fine */
void crd_i_training_model_release(crd_i_training_model *model);               /* NULL is fine */

#endif
