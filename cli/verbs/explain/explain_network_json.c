/* explain_network_json.c - see explain_network_json.h. */
#include "verbs/explain/explain_network_json.h"

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

static void write_distribution(json *j, const char *key, const explained *e, size_t node, const double *numbers) {
    json_key(j, key);
    json_object(j);
    for (size_t i = 0; i < crd_network_state_count(e->network, node); i++) {
        json_key_text(j, crd_network_state(e->network, node, i));
        json_number(j, numbers[i]);
    }
    json_end_object(j);
}

static void write_path(json *j, const explained *e, const size_t *path, size_t length) {
    json_key(j, "path");
    if (path == NULL) {
        json_null(j);
        return;
    }
    json_array(j);
    for (size_t i = 0; i < length; i++) json_text(j, crd_network_node_name(e->network, path[i]));
    json_end_array(j);
}

static void write_finding(json *j, const explained *e, size_t index) {
    const crd_finding *finding = &e->findings[index];
    json_object(j);
    json_member_text(j, "node", crd_network_node_name(e->network, finding->node));
    if (finding->likelihoods == NULL)
        json_member_text(j, "state", crd_network_state(e->network, finding->node, finding->state));
    else write_distribution(j, "likelihood", e, finding->node, finding->likelihoods);
    if (!explained_is_premise(e, index)) {
        write_distribution(j, "alone", e, e->node, crd_evidence_analysis_alone(e->reasons, index));
        write_distribution(j, "without", e, e->node, crd_evidence_analysis_without(e->reasons, index));
        json_member_number(j, "weight", crd_evidence_analysis_weight(e->reasons, index, e->state));
        json_member_number(j, "information", crd_evidence_analysis_information(e->reasons, index));
        size_t length;
        const size_t *path = crd_evidence_analysis_path(e->reasons, index, &length);
        write_path(j, e, path, length);
    }
    json_end_object(j);
}

static void write_interplay(json *j, const explained *e) {
    static const char *const words[] = {[CRD_INTERACTION_EXPLAINS_AWAY] = "explains away",
                                        [CRD_INTERACTION_SCREENS_OFF] = "screens off",
                                        [CRD_INTERACTION_OPENS] = "opens"};
    json_key(j, "interplay");
    json_array(j);
    for (size_t i = 0; i < e->count; i++)
        for (size_t k = 0; k < e->count; k++) {
            size_t state, length;
            crd_interaction interplay = explained_interplay(e, i, k, &state);
            if (interplay == CRD_INTERACTION_NONE) continue;
            json_object(j);
            json_member_text(j, "finding", crd_network_node_name(e->network, e->findings[k].node));
            json_member_text(j, "does", crd_text_of(words[interplay]));
            json_member_text(j, "to", crd_network_node_name(e->network, e->findings[i].node));
            write_distribution(j, "without_both", e, e->node, crd_evidence_analysis_without_both(e->reasons, i, k));
            json_member_text(j, "of", crd_network_state(e->network, e->node, state));
            if (interplay == CRD_INTERACTION_EXPLAINS_AWAY) {
                const size_t *path = crd_evidence_analysis_meeting(e->reasons, i, k, &length);
                write_path(j, e, path, length);
            }
            json_end_object(j);
        }
    json_end_array(j);
}

void explained_write_json(json *j, const explained *e, const char *impossible) {
    static const char *const approximations[] = {[CRD_APPROXIMATION_WEIGHTING] = "weighting",
                                                 [CRD_APPROXIMATION_GIBBS] = "gibbs",
                                                 [CRD_APPROXIMATION_LOOPY] = "loopy"};
    json_object(j);
    json_member_text(j, "node", crd_network_node_name(e->network, e->node));
    if (e->unseen_count > 0) json_member_number(j, "unseen", (double)e->unseen_count);
    if (e->reasons == NULL) {
        json_member_text(j, "impossible", crd_text_of(impossible));
        json_end_object(j);
        json_end_line(j);
        return;
    }
    size_t most = explained_most(e);
    json_member_text(j, "state", crd_network_state(e->network, e->node, e->state));
    write_distribution(j, "before", e, e->node, crd_evidence_analysis_before(e->reasons));
    write_distribution(j, "posterior", e, e->node, crd_evidence_analysis_after(e->reasons));
    json_member_number(j, "log_evidence", crd_evidence_analysis_log_evidence(e->reasons));
    json_key(j, "findings");
    json_array(j);
    for (size_t i = 0; i < e->count; i++) write_finding(j, e, i);
    json_end_array(j);
    json_key(j, "moved_most");
    if (most == SIZE_MAX) json_null(j);
    else json_text(j, crd_network_node_name(e->network, e->findings[most].node));
    write_interplay(j, e);
    crd_approximation approximation = crd_evidence_analysis_approximation(e->reasons);
    if (approximation != CRD_APPROXIMATION_NEVER) {
        json_member_text(j, "approximation", crd_text_of(approximations[approximation]));
        json_member_number(j, "largest_standard_error", crd_evidence_analysis_error(e->reasons));
    }
    json_end_object(j);
    json_end_line(j);
}
