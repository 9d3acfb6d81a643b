/* SPDX-License-Identifier: MIT */
/* evidence_interplay.c - the most influential finding, and interactions between findings. For approximate results,
 * effects that may be due to chance are not reported. */
#include "infer/query/evidence_analysis_internal.h"

#include <math.h>

int crd_evidence_analysis_is_premise(const crd_evidence_analysis *reasons, size_t i) {
    return reasons->is_premise[i];
}

/* Returns whether two results differ by more than two standard errors of their difference, which is sqrt(2) times
 * the error of one. */
static bool evidence_interplay_differ(const crd_evidence_analysis *reasons, double start, double upper) {
    static const double OF_A_DIFFERENCE = 1.4142135623730951;
    return start != upper && !(fabs(start - upper) <= 2 * OF_A_DIFFERENCE * reasons->error);
}

static bool is_moved(const crd_evidence_analysis *reasons, const double *source, const double *destination) {
    bool is = false;
    for (size_t s = 0; s < reasons->states; s++)
        is = is || evidence_interplay_differ(reasons, source[s], destination[s]);
    return is;
}

size_t crd_evidence_analysis_most(const crd_evidence_analysis *reasons) {
    size_t most = CRD_NONE;
    double greatest = 0;
    for (size_t i = 0; i < reasons->count; i++) {
        double information = reasons->is_premise[i] ? 0 : crd_evidence_analysis_information(reasons, i);
        if (!(information > greatest)) continue;
        if (!is_moved(reasons, crd_evidence_analysis_without(reasons, i), crd_evidence_analysis_after(reasons)))
            continue;
        greatest = information;
        most = i;
    }
    return most;
}

/* Finds the interaction of i and k. For explaining away, sets the state that finding k affects most if it is not the
 * queried state. */
static crd_interaction find_interplay(const crd_evidence_analysis *reasons, size_t i, size_t k, size_t *state) {
    const double *without = crd_evidence_analysis_without(reasons, k), *factor = crd_evidence_analysis_after(reasons);
    crd_interaction interplay = crd_evidence_analysis_interaction(reasons, i, k, *state);
    bool is_found = interplay == CRD_INTERACTION_EXPLAINS_AWAY;
    if (is_found) return interplay;
    for (size_t s = 0; s < reasons->states; s++) {
        if (crd_evidence_analysis_interaction(reasons, i, k, s) != CRD_INTERACTION_EXPLAINS_AWAY) continue;
        if (is_found && !(without[s] - factor[s] > without[*state] - factor[*state])) continue;
        is_found = true;
        *state = s;
    }
    return is_found ? CRD_INTERACTION_EXPLAINS_AWAY : interplay;
}

crd_interaction crd_evidence_analysis_interplay(const crd_evidence_analysis *reasons, size_t i, size_t k,
                                                size_t *state) {
    crd_interaction interplay = find_interplay(reasons, i, k, state);
    if (interplay == CRD_INTERACTION_NONE || reasons->approximation == CRD_APPROXIMATION_NEVER) return interplay;
    double start = crd_evidence_analysis_before(reasons)[*state],
           upper = crd_evidence_analysis_alone(reasons, i)[*state];
    if (interplay != CRD_INTERACTION_SCREENS_OFF) {
        start = crd_evidence_analysis_without(reasons, interplay == CRD_INTERACTION_OPENS ? i : k)[*state];
        upper = crd_evidence_analysis_after(reasons)[*state];
    }
    return evidence_interplay_differ(reasons, start, upper) ? interplay : CRD_INTERACTION_NONE;
}
