/* SPDX-License-Identifier: MIT */
/* query_network_decide.c - the policy of maximum expected utility in an influence diagram, and the value of
 * information of
 * nodes that could be observed before the first decision (Howard 1966). */
#include "verbs/query/query_network.h"

#include "core/messages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A node that could be observed before the first decision. */
typedef struct decide_candidate {
    size_t node;
    double utility; /* maximum expected utility if it is observed; NaN: it cannot be observed in time */
    double worth;   /* value of information: `utility` minus the maximum expected utility without it */
} decide_candidate;

typedef struct decide {
    network_question *q;
    size_t *observed; /* with room for one more node */
    size_t observed_count;
    crd_policy *policy;
    decide_candidate *candidates;
    size_t count;
} decide;

/* ---- Computation ---- */

static int read_observed(decide *d) {
    int ended = network_find_nodes(&d->q->known, d->q->call, "observe", &d->observed, &d->observed_count);
    d->observed = memory_resize(d->observed, d->observed_count + 1, sizeof *d->observed);
    return ended;
}

static bool decision_query_is_observed(const decide *d, size_t node) {
    for (size_t i = 0; i < d->observed_count; i++) {
        if (d->observed[i] == node) return true;
    }
    return false;
}

static void note_worthless(const decide *d, size_t node, bool is_known) {
    string shown = {0};
    string_add_shown(&shown, d->q->known.names[node]);
    message_note("--value-of: '%s' is %s already, so observing it is worth 0", string_text(&shown),
                 is_known ? "known" : "observed");
    string_free(&shown);
}

/* Reads the nodes of --value-of. Skips nodes that are known or observed anyway, with a note if the option names them.
 */
static int read_candidates(decide *d) {
    size_t count = 0, *nodes = NULL;
    bool names_all = network_names_all(&d->q->known, d->q->call, "value-of");
    int ended = network_find_nodes(&d->q->known, d->q->call, "value-of", &nodes, &count);
    d->candidates = memory_resize(NULL, count, sizeof *d->candidates);
    for (size_t i = 0; i < count && ended == ENDED_WELL; i++) {
        bool is_known = network_evidence_of(&d->q->known, nodes[i]) != NULL;
        if (is_known || decision_query_is_observed(d, nodes[i])) {
            if (!names_all) note_worthless(d, nodes[i], is_known);
            continue;
        }
        d->candidates[d->count++] = (decide_candidate){nodes[i], NAN, NAN};
    }
    free(nodes);
    return ended;
}

static crd_status decision_query_create(const decide *d, size_t observed, crd_policy **out, crd_error *error) {
    const network_question *q = d->q;
    return crd_policy_create(q->network, q->known.items, q->known.count, d->observed, observed, &q->options, out,
                             error);
}

static bool depends_on(const crd_policy *policy, size_t node) {
    for (size_t i = 0; i < policy->decision_count; i++) {
        const crd_policy_decision *decision = &policy->decisions[i];
        for (size_t k = 0; k < decision->known_count; k++)
            if (decision->known[k] == node) return true;
    }
    return false;
}

/* Computes the value of information of a candidate. It is 0 if no decision depends on the node, and never negative.
 * Both rules also remove rounding errors from the difference of two utilities. */
static void decision_query_weigh(const decide *d, decide_candidate *c, const crd_policy *policy) {
    double utility = d->policy->utility, more = policy->utility;
    c->utility = depends_on(policy, c->node) && more > utility ? more : utility;
    c->worth = c->utility - utility;
}

/* Computes the policy, and for each candidate the policy that also observes it. */
static int decision_query_ask(decide *d) {
    crd_error error;
    if (decision_query_create(d, d->observed_count, &d->policy, &error) != CRD_OK) {
        int ended = inference_failed(d->q->call, &error, NULL);
        if (error.status == CRD_ERROR_EMPTY)
            message_hint("BIF declares them by \"property credence decision;\" and \"property credence utility;\", "
                         "XMLBIF by TYPE, NET by blocks "
                         "of their own");
        return ended;
    }
    for (size_t i = 0; i < d->count; i++) {
        crd_policy *policy = NULL;
        d->observed[d->observed_count] = d->candidates[i].node;
        crd_status status = decision_query_create(d, d->observed_count + 1, &policy, &error);
        if (status == CRD_OK) decision_query_weigh(d, &d->candidates[i], policy);
        crd_policy_destroy(policy);
        /* A node that a decision influences cannot be observed before that decision. Its value stays NaN. */
        if (status != CRD_OK && status != CRD_ERROR_SCHEMA_DIFFERS) return inference_failed(d->q->call, &error, NULL);
    }
    return ENDED_WELL;
}

/* Returns the state of the known node `which` in a combination of states. */
static crd_text decision_query_known_state(const crd_network *network, const crd_policy_decision *decision,
                                           size_t which, size_t combination) {
    for (size_t k = decision->known_count; k-- > which + 1;)
        combination /= crd_network_state_count(network, decision->known[k]);
    size_t node = decision->known[which];
    return crd_network_state(network, node, combination % crd_network_state_count(network, node));
}

/* ---- The report ---- */

/* Reports the best choice in each situation of a decision, and the expected utility of each choice. */
static void report_decision(network_question *q, const crd_policy_decision *decision) {
    crd_result *r = q->report;
    size_t node = decision->node, known = decision->known_count, choices = decision->choice_count, possible = 0;
    crd_result_heading(r, 2, crd_result_show(r, q->known.names[node]),
                       known == 0 ? "" : ", given the states known then");
    crd_result_begin(r, CRD_OBJECT, NULL);
    crd_result_text(r, "decision", q->known.names[node]);
    crd_result_table *t = crd_result_add_table(r, "choices");
    if (!q->all) t->rows_shown = QUERY_VALUES_SHOWN;
    t->group = "known";
    if (known == 0) crd_result_add_column(t, "none", NULL); /* a JSON object without members */
    for (size_t k = 0; k < known; k++) {
        column_add_named(t, q->known.names[decision->known[k]]);
        t->columns[k].is_left = true;
    }
    t->group = NULL;
    crd_result_add_column(t, "choice", "decide")->is_left = true;
    t->group = "expected_utility";
    for (size_t c = 0; c < choices; c++) {
        crd_text choice = crd_network_state(q->network, node, c);
        column_add_named(t, choice);
        t->columns[t->column_count - 1].title = crd_result_format(r, "EU(%s)", crd_result_show(r, choice));
    }
    for (size_t combination = 0; combination < decision->combinations; combination++) {
        size_t choice = decision->choices[combination];
        if (choice == CRD_NONE) continue;
        possible++;
        if (known == 0) crd_cell_absent(t, NULL);
        for (size_t k = 0; k < known; k++)
            crd_cell_name(t, decision_query_known_state(q->network, decision, k, combination));
        crd_cell_name(t, crd_network_state(q->network, node, choice));
        const double *utilities = decision->utilities + combination * choices;
        for (size_t c = 0; c < choices; c++) crd_cell_number(t, utilities[c]);
    }
    crd_result_end(r);
    if (possible > t->rows_shown) crd_result_line(r, CRD_REMARK, "and %zu more (--all)", possible - t->rows_shown);
}

static int by_utility(const void *a, const void *b) {
    const decide_candidate *x = a, *y = b;
    if (isnan(x->utility) || isnan(y->utility)) return isnan(x->utility) - isnan(y->utility);
    return (x->utility < y->utility) - (x->utility > y->utility);
}

/* Reports the value of information of the candidates, largest expected utility first. */
static void decision_query_report_values(decide *d) {
    network_question *q = d->q;
    if (d->count == 0) return;
    qsort(d->candidates, d->count, sizeof *d->candidates, by_utility);
    crd_result_heading(q->report, 2, "Value of information before the first decision", "");
    crd_result_table *t = crd_result_add_table(q->report, "value_of");
    t->shape = CRD_TABLE_MAP;
    crd_result_add_column(t, "node", "node");
    crd_result_add_column(t, "worth", "worth");
    crd_result_add_column(t, NULL, "expected utility");
    for (size_t i = 0; i < d->count; i++) {
        const decide_candidate *c = &d->candidates[i];
        crd_cell_name(t, q->known.names[c->node]);
        crd_cell_number(t, c->worth);
        crd_cell_number(t, c->utility);
        if (isnan(c->utility)) crd_cell_show_as(t, "cannot be observed in time", NULL);
    }
}

/* Reports the evidence, the maximum expected utility, the policy and the values of information. */
static void decision_query_report_answer(decide *d) {
    network_question *q = d->q;
    crd_result *r = q->report;
    char buffer[CRD_NUMBER_ROOM];
    double utility = d->policy->utility, log_evidence = d->policy->log_evidence;
    network_question_open(q);
    network_question_report_evidence(q, log_evidence, 0);
    crd_result_line(r, CRD_LINE, "Expected utility = %s", crd_number_round(utility, buffer));
    crd_result_number(r, "expected_utility", utility);
    crd_result_begin(r, CRD_ARRAY, "policy");
    for (size_t i = 0; i < d->policy->decision_count; i++) report_decision(q, &d->policy->decisions[i]);
    crd_result_end(r);
    decision_query_report_values(d);
    crd_result_number(r, "log_evidence", log_evidence);
}

int network_decide_answer(network_question *q) {
    decide d = {.q = q};
    int ended = read_observed(&d);
    if (ended == ENDED_WELL) ended = read_candidates(&d);
    if (ended == ENDED_WELL) ended = decision_query_ask(&d);
    if (ended == ENDED_WELL) decision_query_report_answer(&d);
    crd_policy_destroy(d.policy);
    free(d.candidates);
    free(d.observed);
    return ended;
}
