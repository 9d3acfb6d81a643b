/* SPDX-License-Identifier: MIT */
/* acceleration.c - SQUAREM extrapolation. See acceleration.h. */
#include "sequence/train/acceleration.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

/* The initial bound of -a, and the factor by which it grows or shrinks. */
static const double FIRST_BOUND = 4, GROWTH = 4;

/* An extrapolated count is at least this fraction of the last count. */
static const double LEAST_PART = 0.1;

void crd_i_acceleration_clear(crd_i_acceleration *acceleration) {
    const crd_i_acceleration none = {.context = acceleration->context};
    crd_free(acceleration->context, acceleration->history);
    *acceleration = none;
}

void crd_i_acceleration_restart(crd_i_acceleration *acceleration) {
    acceleration->count = 0;
    acceleration->is_long = false;
}

/* Returns -a, from 1 to the bound. */
static double step_length(const crd_i_acceleration *acceleration) {
    const double *s0 = acceleration->history, *s1 = s0 + acceleration->length, *s2 = s1 + acceleration->length;
    double rr = 0, vv = 0;
    for (size_t i = 0; i < acceleration->length; i++) {
        const double r = s1[i] - s0[i], v = s2[i] - s1[i] - r;
        rr += r * r;
        vv += v * v;
    }
    const double length = vv > 0 ? sqrt(rr / vv) : acceleration->most;
    return length > 1 && length < INFINITY ? fmin(length, acceleration->most) : 1;
}

static void acceleration_extrapolate(crd_i_acceleration *acceleration, const crd_i_training_shape *shape, double length,
                                     size_t sums, double *out) {
    const double *s0 = acceleration->history, *s1 = s0 + acceleration->length, *s2 = s1 + acceleration->length;
    for (size_t i = 0; i < acceleration->length; i++) {
        const double r = s1[i] - s0[i], v = s2[i] - s1[i] - r;
        out[i] = s0[i] + 2 * length * r + length * length * v;
    }
    crd_i_emission_sums_mend(shape->layout, s2, LEAST_PART, out);
    for (size_t i = sums; i < acceleration->length; i++) out[i] = fmax(out[i], LEAST_PART * s2[i]);
}

static size_t acceleration_length(size_t sums, const crd_hmm *hmm) {
    return sums + 2 * crd_i_chain_nodes(hmm->chain) + crd_i_chain_transition_count(hmm->chain);
}

crd_status crd_i_acceleration_take(crd_i_acceleration *acceleration, const crd_i_training_shape *shape,
                                   const crd_hmm *hmm, crd_i_expectation *statistics, crd_error *error) {
    const size_t sums = crd_i_emission_sums_size(shape->layout);
    const size_t length = acceleration_length(sums, hmm);
    acceleration->is_long = false;
    if (acceleration->history == NULL ||
        acceleration->length != length) { /* a chain may lose transitions, which then have no counts */
        crd_free(acceleration->context, acceleration->history);
        acceleration->count = 0;
        acceleration->length = length;
        acceleration->sums = sums;
        acceleration->most = FIRST_BOUND;
        acceleration->history = crd_i_alloc(acceleration->context, 3 * length, sizeof *acceleration->history);
        if (acceleration->history == NULL) return crd_i_fail_memory(error);
    }
    /* The sums and counts of an E step are contiguous in memory. */
    memcpy(acceleration->history + acceleration->count++ * length, statistics->sums,
           length * sizeof *acceleration->history);
    if (acceleration->count < 3) return CRD_OK;
    acceleration->count = 0;
    const double step = step_length(acceleration);
    acceleration->is_at_bound = step >= acceleration->most;
    acceleration->is_long = step > 1;
    if (acceleration->is_long) acceleration_extrapolate(acceleration, shape, step, sums, statistics->sums);
    return CRD_OK;
}

bool crd_i_acceleration_judge(crd_i_acceleration *acceleration, bool is_better, const crd_hmm *hmm,
                              crd_i_expectation *statistics) {
    acceleration->is_long = false;
    if (is_better) {
        if (acceleration->is_at_bound) acceleration->most *= GROWTH;
        return true;
    }
    acceleration->most = fmax(FIRST_BOUND, acceleration->most / GROWTH);
    if (acceleration_length(acceleration->sums, hmm) != acceleration->length) return false;
    memcpy(statistics->sums, acceleration->history + 2 * acceleration->length,
           acceleration->length * sizeof *acceleration->history);
    return true;
}
