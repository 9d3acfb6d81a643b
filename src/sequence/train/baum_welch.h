/* SPDX-License-Identifier: MIT */
/* baum_welch.h - the Baum-Welch algorithm (EM for hidden Markov models; Baum, Petrie, Soules and Weiss 1970; Rabiner
 * 1989).
 *
 *   E   gamma_t(i) = P(s_t = i | x) and xi_t(i, j) = P(s_t = i, s_{t+1} = j | x), by forward-backward (hmm_training.h)
 *   M   the maximum a posteriori parameters given these expected counts, as a model derives them from counts; without
 *       smoothing, P(s_1 = i) is proportional to gamma_1(i), P(j | i) = sum_t xi_t(i, j) / sum_t gamma_t(i), and densities are
 *       estimated from the observations weighted by gamma_t(i)
 *
 * If the M step maximizes, the sum of log likelihood and log prior never decreases. Some settings do not maximize it
 * (for example families without such an estimate, or interpolated transitions). Then the best step is kept.
 *
 * A state without steps is reinitialized with the steps that the model explains worst. The steps of a run are counted
 * from there. */
#ifndef CRD_SEQUENCE_TRAIN_BAUM_WELCH_H
#define CRD_SEQUENCE_TRAIN_BAUM_WELCH_H

#include "sequence/train/sequence_starts.h"

typedef struct crd_i_training_limits {
    double tolerance; /* a run stops when a step increases the objective by no more than this fraction of it */
    size_t most_steps;
} crd_i_training_limits;

/* Result of a run. Initialize to zero with `context` set; free with crd_i_training_run_clear. */
typedef struct crd_i_training_run {
    crd_context *context;
    /* the model whose expected counts `model` is derived from; NULL: `model` is an initial model */
    crd_i_training_model *before;
    crd_i_training_model *model;
    double *log_likelihoods, *objectives; /* values for the initial model and after each step */
    size_t steps, capacity;
    size_t best; /* the step that `model` belongs to */
    bool is_converged;
    bool may_fall;        /* steps may decrease the objective */
    size_t rescued;       /* number of states that were reinitialized */
    size_t empty;         /* number of states without steps at the end */
    size_t impossible_at; /* index of the first impossible segment; SIZE_MAX: all segments are possible */
} crd_i_training_run;

void crd_i_training_run_clear(crd_i_training_run *run);

/* Runs Baum-Welch from the run's model and appends to its steps. A run whose model was already evaluated is continued.
 * If cancelled, the run stays at its latest step. */
CRD_MUST_USE crd_status crd_i_baum_welch(const crd_i_training_shape *shape, const crd_i_training_steps *steps,
                                         const crd_i_step_sample *sample, const crd_i_training_limits *limits,
                                         crd_i_training_run *run, crd_error *error);

#endif
