/* SPDX-License-Identifier: MIT */
/* acceleration.c - see acceleration.h. */
#include "sequence/train/acceleration.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

/* The first bound on -a, and by what it grows. */
static const double FIRST_BOUND = 4, GROWTH = 4;

/* A count may fall to this part of the last one. */
static const double LEAST_PART = 0.1;

void crd_i_acceleration_clear(crd_i_acceleration *of) {
    const crd_i_acceleration none = {.context = of->context};
    crd_free(of->context, of->history);
    *of = none;
}

void crd_i_acceleration_restart(crd_i_acceleration *of) {
    of->count = 0;
    of->is_long = false;
}

/* -a, at least 1. */
static double step_length(const crd_i_acceleration *of) {
    const double *s0 = of->history, *s1 = s0 + of->length, *s2 = s1 + of->length;
    double rr = 0, vv = 0;
    for (size_t i = 0; i < of->length; i++) {
        const double r = s1[i] - s0[i], v = s2[i] - s1[i] - r;
        rr += r * r;
        vv += v * v;
    }
    const double length = vv > 0 ? sqrt(rr / vv) : of->most;
    return length > 1 && length < INFINITY ? fmin(length, of->most) : 1;
}

static void extrapolate(crd_i_acceleration *of, const crd_i_training_shape *shape, double length, size_t sums,
                        double *out) {
    const double *s0 = of->history, *s1 = s0 + of->length, *s2 = s1 + of->length;
    for (size_t i = 0; i < of->length; i++) {
        const double r = s1[i] - s0[i], v = s2[i] - s1[i] - r;
        out[i] = s0[i] + 2 * length * r + length * length * v;
    }
    crd_i_emission_sums_mend(shape->layout, s2, LEAST_PART, out);
    for (size_t i = sums; i < of->length; i++) out[i] = fmax(out[i], LEAST_PART * s2[i]);
}

static size_t length_of(size_t sums, const crd_hmm *hmm) {
    return sums + 2 * crd_i_chain_nodes(hmm->chain) + crd_i_chain_transition_count(hmm->chain);
}

crd_status crd_i_acceleration_take(crd_i_acceleration *of, const crd_i_training_shape *shape, const crd_hmm *hmm,
                                   crd_i_expectation *statistics, crd_error *error) {
    const size_t sums = crd_i_emission_sums_size(shape->layout);
    const size_t length = length_of(sums, hmm);
    of->is_long = false;
    if (of->history == NULL || of->length != length) { /* a chain may lose transitions, which then have no counts */
        crd_free(of->context, of->history);
        of->count = 0;
        of->length = length;
        of->sums = sums;
        of->most = FIRST_BOUND;
        of->history = crd_i_alloc(of->context, 3 * length, sizeof *of->history);
        if (of->history == NULL) return crd_i_fail_memory(error);
    }
    /* The sums and counts of an E step lie side by side. */
    memcpy(of->history + of->count++ * length, statistics->sums, length * sizeof *of->history);
    if (of->count < 3) return CRD_OK;
    of->count = 0;
    const double step = step_length(of);
    of->is_at_bound = step >= of->most;
    of->is_long = step > 1;
    if (of->is_long) extrapolate(of, shape, step, sums, statistics->sums);
    return CRD_OK;
}

bool crd_i_acceleration_judge(crd_i_acceleration *of, bool is_better, const crd_hmm *hmm,
                              crd_i_expectation *statistics) {
    of->is_long = false;
    if (is_better) {
        if (of->is_at_bound) of->most *= GROWTH;
        return true;
    }
    of->most = fmax(FIRST_BOUND, of->most / GROWTH);
    if (length_of(of->sums, hmm) != of->length) return false;
    memcpy(statistics->sums, of->history + 2 * of->length, of->length * sizeof *of->history);
    return true;
}
