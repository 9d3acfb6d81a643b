/* SPDX-License-Identifier: MIT */
/* baum_welch.h - Baum and Welch's algorithm (EM) from a start to its end.
 *
 *   E   posteriors of states and of pairs that follow each other, by forward-backward (expectation.h)
 *   M   the parameters of the greatest posterior given these expected counts: those that a model derives from them
 *
 * Where the M step maximises, log likelihood and log prior together never fall. Under settings by which it does not (families that
 * are no maximum of anything, interpolated transitions), the best step is what is kept.
 *
 * A state that is left without steps begins anew at what the model explains worst; the steps of a run are counted from there. */
#ifndef CRD_SEQUENCE_BAUM_WELCH_H
#define CRD_SEQUENCE_BAUM_WELCH_H

#include "sequence/train/sequence_starts.h"

typedef struct crd_i_training_limits {
    double tolerance; /* a run ends where a step raises the objective by no more than this part of it */
    size_t most_steps;
} crd_i_training_limits;

/* What a run has come to. All zero but for the context at first; emptied by clear. */
typedef struct crd_i_training_run {
    crd_context *context;
    crd_i_training_model *before; /* the model whose expected counts `model` is made of; NULL: `model` is a start */
    crd_i_training_model *model;
    double *log_likelihoods, *objectives; /* of the start and after each step */
    size_t steps, capacity;
    size_t best; /* the step that `model` is of */
    bool is_converged;
    bool may_fall;        /* steps need not raise the objective */
    size_t rescued;       /* states that began anew */
    size_t empty;         /* states without steps, at the end */
    size_t impossible_at; /* of segments; SIZE_MAX: all are possible */
} crd_i_training_run;

void crd_i_training_run_clear(crd_i_training_run *run);

/* From the model that the run has, appending to its steps; one whose model was evaluated goes on. A cancelled call leaves the run at its
 * latest step. */
CRD_MUST_USE crd_status crd_i_baum_welch(const crd_i_training_shape *shape, const crd_i_training_steps *steps,
                                         const crd_i_step_sample *sample, const crd_i_training_limits *limits,
                                         crd_i_training_run *run, crd_error *error);

#endif
