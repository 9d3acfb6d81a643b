/* SPDX-License-Identifier: MIT */
/* transition_rules.c - the transitions that the settings topology, forbidden and ends allow. See transition_model.h. */
#include "sequence/transition_model.h"

#include "base/memory.h"
#include "base/text.h"

/* Maximum number of states. The transitions of this many states take 0.5 GiB as doubles. */
enum { MOST_STATES = 8192 };

void crd_i_transition_rules_clear(crd_i_transition_rules *rules) {
    crd_free(rules->context, rules->start);
    crd_free(rules->context, rules->end);
    crd_free(rules->context, rules->next);
    rules->start = rules->end = rules->next = NULL;
}

/* Sets the transitions that the topology allows. Left to right: sequences begin with the first state, never go back,
 * and skip at most `most_skipped` states. */
static void set_topology(crd_i_transition_rules *rules, const crd_settings *settings) {
    size_t states = rules->states;
    bool is_ordered = settings->is_left_to_right;
    for (size_t i = 0; i < states; i++) {
        rules->start[i] = !is_ordered || i == 0;
        rules->end[i] = rules->has_end;
        for (size_t j = 0; j < states; j++)
            rules->next[i * states + j] =
                !is_ordered || (j >= i && (j <= i + 1 || j - i - 1 <= settings->most_skipped));
    }
}

/* Finds the number of a state; `states` for the begin or the end, which is called `mark`. */
static crd_status transition_rules_find_state(const crd_i_dictionary *states, crd_text name, const char *mark,
                                              size_t *out, crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    int32_t found = crd_i_dictionary_find(states, name);
    *out = found >= 0 ? (size_t)found : crd_i_dictionary_size(states);
    if (found >= 0 || crd_text_equal(name, crd_text_of(mark))) return CRD_OK;
    crd_i_fail(error, CRD_ERROR_SETTING, "the setting forbidden names '%s', which is not a state",
               crd_i_quote(name, quoted));
    crd_i_error_subject(error, crd_text_of("forbidden"));
    return CRD_ERROR_SETTING;
}

/* Forbids one transition between states, from the begin, or to the end. */
static crd_status transition_rules_forbid(crd_i_transition_rules *rules, const crd_i_dictionary *states, crd_text view,
                                          crd_text target_text, crd_error *error) {
    size_t i, j;
    crd_status status = transition_rules_find_state(states, view, "start", &i, error);
    if (status == CRD_OK) status = transition_rules_find_state(states, target_text, "end", &j, error);
    if (status != CRD_OK) return status;
    if (j == rules->states && (i == rules->states || !rules->has_end)) {
        crd_i_fail(error, CRD_ERROR_SETTING,
                   "the setting forbidden has a transition to the end, which needs ends=counted");
        crd_i_error_subject(error, crd_text_of("forbidden"));
        return CRD_ERROR_SETTING;
    }
    if (i == rules->states) rules->start[j] = false;
    else if (j == rules->states) rules->end[i] = false;
    else rules->next[i * rules->states + j] = false;
    return CRD_OK;
}

static crd_status set_forbidden(crd_i_transition_rules *rules, const crd_i_arcs *arcs, const crd_i_dictionary *states,
                                crd_error *error) {
    if (arcs->nodes == NULL) return CRD_OK;
    for (size_t child = 0, index = 0; child < crd_i_dictionary_size(arcs->nodes); child++) {
        for (; index < arcs->ends[child]; index++) {
            crd_status status =
                transition_rules_forbid(rules, states, crd_i_dictionary_text(arcs->nodes, arcs->parents[index]),
                                        crd_i_dictionary_text(arcs->nodes, child), error);
            if (status != CRD_OK) return status;
        }
    }
    return CRD_OK;
}

/* Checks that some state may begin a sequence, and that something may follow each state. */
static crd_status check_ways_on(const crd_i_transition_rules *rules, const crd_i_dictionary *states, crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    size_t first = 0, bad = rules->states;
    while (first < rules->states && !rules->start[first]) first++;
    for (size_t i = 0; i < rules->states && bad == rules->states; i++) {
        bool goes_on = rules->end[i];
        for (size_t j = 0; j < rules->states && !goes_on; j++) goes_on = rules->next[i * rules->states + j];
        if (!goes_on) bad = i;
    }
    if (first < rules->states && bad == rules->states) return CRD_OK;
    if (first == rules->states)
        crd_i_fail(error, CRD_ERROR_SETTING, "the forbidden transitions leave no state at which a sequence can begin");
    else
        crd_i_fail(error, CRD_ERROR_SETTING, "the forbidden transitions leave no state that can follow the state '%s'",
                   crd_i_quote(crd_i_dictionary_text(states, bad), quoted));
    crd_i_error_subject(error, crd_text_of("forbidden"));
    return CRD_ERROR_SETTING;
}

crd_status crd_i_transition_rules_init(crd_i_transition_rules *rules, const crd_settings *settings,
                                       const crd_i_dictionary *states, crd_error *error) {
    crd_context *context = settings->context;
    size_t count = crd_i_dictionary_size(states);
    if (count > MOST_STATES)
        return crd_i_fail(error, CRD_ERROR_LIMIT, "too many states: %zu; transitions can be derived for at most %d",
                          count, MOST_STATES);
    const crd_i_transition_rules transition = {.context = context,
                                               .states = count,
                                               .has_end = settings->counts_ends,
                                               .start = crd_i_alloc(context, count, sizeof(bool)),
                                               .end = crd_i_alloc(context, count, sizeof(bool)),
                                               .next = crd_i_alloc(context, count * count, sizeof(bool))};
    *rules = transition;
    if (transition.start == NULL || transition.end == NULL || transition.next == NULL) {
        crd_i_transition_rules_clear(rules);
        return crd_i_fail_memory(error);
    }
    set_topology(rules, settings);
    crd_status status = set_forbidden(rules, &settings->forbidden, states, error);
    if (status == CRD_OK) status = check_ways_on(rules, states, error);
    if (status != CRD_OK) crd_i_transition_rules_clear(rules);
    return status;
}
