/* SPDX-License-Identifier: MIT */
/* acceleration.h - acceleration of Baum-Welch by extrapolation (SQUAREM; Varadhan and Roland 2008).
 *
 * EM converges linearly, and slowly if states overlap. One step of EM maps expected statistics S to F(S). Given three
 * successive statistics S0, S1, S2, with r = S1 - S0 and v = (S2 - S1) - r, the next step starts from
 *
 *   S0 - 2 a r + a^2 v,   a = -|r| / |v|
 *
 * which is S2 for a = -1. The extrapolation works on sufficient statistics, not on parameters, and its result may be
 * invalid. Counts, rates and variances that would become too small are therefore kept near those in S2. The caller
 * compares objectives, and returns to S2 if the longer step is worse. */
#ifndef CRD_SEQUENCE_ACCELERATION_H
#define CRD_SEQUENCE_ACCELERATION_H

#include "sequence/train/hmm_training.h"

typedef struct crd_i_acceleration {
    crd_context *context;
    double *history; /* S0, S1, S2, each `length` long */
    size_t sums;     /* number of doubles in the emission sums */
    /* number of doubles in the emission sums and the counts of nodes and transitions that follow them */
    size_t length;
    size_t count;     /* number of statistics in `history` */
    double most;      /* upper bound of -a; it grows while longer steps succeed */
    bool is_long;     /* the last statistics were extrapolated and not yet judged */
    bool is_at_bound; /* their -a was at the bound */
} crd_i_acceleration; /* initialize to zero with `context` set */

void crd_i_acceleration_clear(crd_i_acceleration *acceleration);

/* Records the statistics of an E step under a model. After three in a row, replaces them by extrapolated statistics and
 * sets is_long. */
CRD_MUST_USE crd_status crd_i_acceleration_take(crd_i_acceleration *acceleration, const crd_i_training_shape *shape,
                                                const crd_hmm *hmm, crd_i_expectation *statistics, crd_error *error);
/* Records whether the model of the extrapolated statistics is better than the previous model. If it is not, sets
 * `statistics`, which belong to an E step under `hmm`, to S2. Returns false if S2 has a different length, because the
 * model has lost transitions. */
bool crd_i_acceleration_judge(crd_i_acceleration *acceleration, bool is_better, const crd_hmm *hmm,
                              crd_i_expectation *statistics);
/* Discards the recorded statistics, because a state is reinitialized. */
void crd_i_acceleration_restart(crd_i_acceleration *acceleration);

#endif
