/* SPDX-License-Identifier: MIT */
/* explain_findings.c - see explain_findings.h. */
#include "verbs/explain/explain_findings.h"

#include <math.h>

bool explained_is_premise(const explained *e, size_t finding) {
    return crd_network_node_kind(e->network, e->findings[finding].node) == CRD_NODE_DECISION;
}

bool explained_differ(const explained *e, double from, double to) {
    static const double OF_A_DIFFERENCE = 1.4142135623730951; /* between two answers, in errors of one */
    return from != to && !(fabs(from - to) <= 2 * OF_A_DIFFERENCE * crd_evidence_analysis_error(e->reasons));
}

static bool is_moved(const explained *e, const double *from, const double *to) {
    bool is = false;
    for (size_t s = 0; s < crd_network_state_count(e->network, e->node); s++)
        is = is || explained_differ(e, from[s], to[s]);
    return is;
}

size_t explained_most(const explained *e) {
    size_t most = SIZE_MAX;
    double greatest = 0;
    for (size_t i = 0; i < e->count; i++) {
        double information = explained_is_premise(e, i) ? 0 : crd_evidence_analysis_information(e->reasons, i);
        if (!(information > greatest)) continue;
        if (!is_moved(e, crd_evidence_analysis_without(e->reasons, i), crd_evidence_analysis_after(e->reasons)))
            continue;
        greatest = information;
        most = i;
    }
    return most;
}

static crd_interaction find_interplay(const explained *e, size_t i, size_t k, size_t *state) {
    const double *without = crd_evidence_analysis_without(e->reasons, k),
                 *with = crd_evidence_analysis_after(e->reasons);
    crd_interaction interplay = crd_evidence_analysis_interaction(e->reasons, i, k, e->state);
    bool is_found = interplay == CRD_INTERACTION_EXPLAINS_AWAY;
    *state = e->state;
    if (is_found) return interplay;
    for (size_t s = 0; s < crd_network_state_count(e->network, e->node); s++) {
        if (crd_evidence_analysis_interaction(e->reasons, i, k, s) != CRD_INTERACTION_EXPLAINS_AWAY) continue;
        if (is_found && !(without[s] - with[s] > without[*state] - with[*state])) continue;
        is_found = true;
        *state = s;
    }
    return is_found ? CRD_INTERACTION_EXPLAINS_AWAY : interplay;
}

crd_interaction explained_interplay(const explained *e, size_t i, size_t k, size_t *state) {
    const crd_evidence_analysis *r = e->reasons;
    crd_interaction interplay = find_interplay(e, i, k, state);
    if (interplay == CRD_INTERACTION_NONE || crd_evidence_analysis_approximation(r) == CRD_APPROXIMATION_NEVER)
        return interplay;
    /* Of estimates nothing is claimed that may be chance. */
    double from = crd_evidence_analysis_before(r)[*state], to = crd_evidence_analysis_alone(r, i)[*state];
    if (interplay != CRD_INTERACTION_SCREENS_OFF) {
        from = crd_evidence_analysis_without(r, interplay == CRD_INTERACTION_OPENS ? i : k)[*state];
        to = crd_evidence_analysis_after(r)[*state];
    }
    return explained_differ(e, from, to) ? interplay : CRD_INTERACTION_NONE;
}
