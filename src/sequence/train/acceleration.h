/* SPDX-License-Identifier: MIT */
/* acceleration.h - longer steps for Baum and Welch's algorithm (SQUAREM; Varadhan and Roland 2008).
 *
 * EM converges linearly, and slowly where states overlap. One step of EM takes expected statistics S to F(S). With three in a row,
 * r = S1 - S0 and v = (S2 - S1) - r, the next step starts from
 *
 *   S0 - 2 a r + a^2 v,   a = -|r| / |v|
 *
 * which is S2 for a = -1. The extrapolated statistics need not be possible: counts, rates and variances that would become too small
 * stay near those of S2. The caller compares objectives, and goes back to S2 if the longer step has lost. */
#ifndef CRD_SEQUENCE_ACCELERATION_H
#define CRD_SEQUENCE_ACCELERATION_H

#include "sequence/train/hmm_training.h"

typedef struct crd_i_acceleration {
    crd_context *context;
    double *history;  /* S0, S1, S2, each `length` long */
    size_t sums;      /* doubles of the sums */
    size_t length;    /* and of the counts of nodes and transitions behind them */
    size_t count;     /* how many of the three there are */
    double most;      /* bound on -a: it grows while longer steps gain */
    bool is_long;     /* the last statistics were extrapolated, and not yet judged */
    bool is_at_bound; /* their a was */
} crd_i_acceleration; /* all zero but for the context at first */

void crd_i_acceleration_clear(crd_i_acceleration *acceleration);

/* Takes the statistics of an E step under a model. After three in a row, replaces them by extrapolated ones and sets is_long. */
CRD_MUST_USE crd_status crd_i_acceleration_take(crd_i_acceleration *acceleration, const crd_i_training_shape *shape,
                                                const crd_hmm *hmm, crd_i_expectation *statistics, crd_error *error);
/* Takes note of whether the model of the extrapolated statistics is better than the one before. If not, sets `statistics`, of an E step
 * under `hmm`, to S2. Returns false if these have another length, because the model has lost transitions. */
bool crd_i_acceleration_judge(crd_i_acceleration *acceleration, bool is_better, const crd_hmm *hmm,
                              crd_i_expectation *statistics);
/* Forgets the statistics before: a state begins anew. */
void crd_i_acceleration_restart(crd_i_acceleration *acceleration);

#endif
