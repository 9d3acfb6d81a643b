/* query_network_decide.c - what to decide so that utility can be expected to be greatest, and what it would be worth to
 * know more before. */
#include "verbs/query/query_network.h"

#include "core/messages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A node that may be looked at before the first decision. */
typedef struct candidate {
    size_t node;
    double utility; /* expected with it; NaN where it cannot be known in time */
    double worth;   /* by how much that is more than without */
} candidate;

typedef struct decide {
    network_question *q;
    size_t *observed; /* with room for one more */
    size_t observed_count;
    crd_policy *policy;
    candidate *candidates;
    size_t count;
} decide;

/* ---- Asking ---- */

static int read_observed(decide *d) {
    int ended = network_find_nodes(&d->q->known, d->q->call, "observe", &d->observed, &d->observed_count);
    d->observed = memory_resize(d->observed, d->observed_count + 1, sizeof *d->observed);
    return ended;
}

static bool is_observed(const decide *d, size_t node) {
    for (size_t i = 0; i < d->observed_count; i++) {
        if (d->observed[i] == node) return true;
    }
    return false;
}

static void note_worthless(const decide *d, size_t node, bool is_known) {
    string shown = {0};
    string_add_shown(&shown, d->q->known.names[node]);
    message_note("--value-of: '%s' is %s already, so looking at it is worth 0", string_text(&shown),
                 is_known ? "known" : "looked at");
    string_free(&shown);
}

/* What is known or looked at anyway is worth nothing more, which is said where it was named. */
static int read_candidates(decide *d) {
    size_t count = 0, *nodes = NULL;
    bool names_all = network_names_all(&d->q->known, d->q->call, "value-of");
    int ended = network_find_nodes(&d->q->known, d->q->call, "value-of", &nodes, &count);
    d->candidates = memory_resize(NULL, count, sizeof *d->candidates);
    for (size_t i = 0; i < count && ended == ENDED_WELL; i++) {
        bool is_known = network_evidence_of(&d->q->known, nodes[i]) != NULL;
        if (is_known || is_observed(d, nodes[i])) {
            if (!names_all) note_worthless(d, nodes[i], is_known);
            continue;
        }
        d->candidates[d->count++] = (candidate){nodes[i], NAN, NAN};
    }
    free(nodes);
    return ended;
}

static crd_status create(const decide *d, size_t observed, crd_policy **out, crd_error *error) {
    const network_question *q = d->q;
    return crd_policy_create(q->network, q->known.items, q->known.count, d->observed, observed, &q->options, out,
                             error);
}

static bool depends_on(const crd_policy *policy, size_t node) {
    for (size_t i = 0; i < crd_policy_decision_count(policy); i++) {
        for (size_t k = 0; k < crd_policy_known_count(policy, i); k++) {
            if (crd_policy_known(policy, i, k) == node) return true;
        }
    }
    return false;
}

/* Where no decision depends on a node, what is known of it is worth nothing; elsewhere it does no harm. In both cases
 * the sums may differ by what was rounded. */
static void weigh(const decide *d, candidate *c, const crd_policy *policy) {
    double utility = crd_policy_utility(d->policy), more = crd_policy_utility(policy);
    c->utility = depends_on(policy, c->node) && more > utility ? more : utility;
    c->worth = c->utility - utility;
}

static int ask(decide *d) {
    crd_error error;
    if (create(d, d->observed_count, &d->policy, &error) != CRD_OK) {
        int ended = inference_failed(d->q->call, &error, NULL);
        if (error.status == CRD_ERROR_EMPTY)
            message_hint(
                "BIF declares them by \"property credence decision;\" and \"property credence utility;\", XMLBIF "
                "by TYPE, NET by blocks of their own");
        return ended;
    }
    for (size_t i = 0; i < d->count; i++) {
        crd_policy *policy = NULL;
        d->observed[d->observed_count] = d->candidates[i].node;
        crd_status status = create(d, d->observed_count + 1, &policy, &error);
        if (status == CRD_OK) weigh(d, &d->candidates[i], policy);
        crd_policy_destroy(policy);
        /* What a decision has an effect on cannot be known before it. */
        if (status != CRD_OK && status != CRD_ERROR_SCHEMA_DIFFERS) return inference_failed(d->q->call, &error, NULL);
    }
    return ENDED_WELL;
}

static size_t combinations_of(const decide *d, size_t i) {
    size_t combinations = 1;
    for (size_t k = 0; k < crd_policy_known_count(d->policy, i); k++) {
        combinations *= crd_network_state_count(d->q->network, crd_policy_known(d->policy, i, k));
    }
    return combinations;
}

/* The state of a node that decision i depends on. */
static crd_text known_state(const decide *d, size_t i, size_t which, size_t combination) {
    const crd_network *network = d->q->network;
    for (size_t k = crd_policy_known_count(d->policy, i); k-- > which + 1;) {
        combination /= crd_network_state_count(network, crd_policy_known(d->policy, i, k));
    }
    size_t node = crd_policy_known(d->policy, i, which);
    return crd_network_state(network, node, combination % crd_network_state_count(network, node));
}

/* ---- For people ---- */

static void print_decision(decide *d, size_t i) {
    network_question *q = d->q;
    char room[ROUNDED_ROOM];
    size_t node = crd_policy_decision(d->policy, i), known = crd_policy_known_count(d->policy, i);
    size_t choices = crd_network_state_count(q->network, node), combinations = combinations_of(d, i);
    size_t possible = 0, shown = 0;
    string what = {0};
    string_add_shown(&what, q->known.names[node]);
    output_heading(&q->out, 2, string_text(&what), known == 0 ? "" : ", by what is known then");
    table *t = table_create_for(&q->out, known + 1 + choices);
    for (size_t k = 0; k < known; k++) {
        table_align_left(t, k);
        table_add_name(t, q->known.names[crd_policy_known(d->policy, i, k)]);
    }
    table_align_left(t, known);
    table_add(t, "decide");
    for (size_t c = 0; c < choices; c++) {
        string_clear(&what);
        string_format(&what, "EU(");
        string_add_shown(&what, crd_network_state(q->network, node, c));
        string_add_char(&what, ')');
        table_add(t, string_text(&what));
    }
    string_free(&what);
    for (size_t combination = 0; combination < combinations; combination++) {
        size_t choice = crd_policy_choice(d->policy, i, combination);
        if (choice == SIZE_MAX) continue;
        possible++;
        if (!q->all && shown == QUERY_VALUES_SHOWN) continue;
        shown++;
        for (size_t k = 0; k < known; k++) table_add_name(t, known_state(d, i, k, combination));
        table_add_name(t, crd_network_state(q->network, node, choice));
        const double *utilities = crd_policy_utilities(d->policy, i, combination);
        for (size_t c = 0; c < choices; c++) table_add(t, output_round(utilities[c], room));
    }
    table_print(t, q->out.stream, 2, 0);
    table_destroy(t);
    if (shown < possible) output_remark(&q->out, "and %zu more (--all)", possible - shown);
}

static int by_utility(const void *a, const void *b) {
    const candidate *x = a, *y = b;
    if (isnan(x->utility) || isnan(y->utility)) return isnan(x->utility) - isnan(y->utility);
    return (x->utility < y->utility) - (x->utility > y->utility);
}

static void print_values(decide *d) {
    network_question *q = d->q;
    char room[ROUNDED_ROOM];
    if (d->count == 0) return;
    qsort(d->candidates, d->count, sizeof *d->candidates, by_utility);
    output_heading(&q->out, 2, "Worth of looking at a node before the first decision", "");
    table *t = table_create_for(&q->out, 3);
    table_add(t, "node");
    table_add(t, "worth");
    table_add(t, "expected utility");
    for (size_t i = 0; i < d->count; i++) {
        const candidate *c = &d->candidates[i];
        table_add_name(t, q->known.names[c->node]);
        table_add(t, isnan(c->utility) ? "-" : output_round(c->worth, room));
        table_add(t, isnan(c->utility) ? "not known by then" : output_round(c->utility, room));
    }
    table_print(t, q->out.stream, 2, 0);
    table_destroy(t);
}

static void print_answer(decide *d) {
    network_question *q = d->q;
    char room[ROUNDED_ROOM];
    network_question_print_evidence(q, crd_policy_log_evidence(d->policy), 0);
    output_line(&q->out, "Expected utility = %s", output_round(crd_policy_utility(d->policy), room));
    for (size_t i = 0; i < crd_policy_decision_count(d->policy); i++) print_decision(d, i);
    print_values(d);
}

/* ---- JSON ---- */

static void write_combination(decide *d, size_t i, size_t combination) {
    const crd_network *network = d->q->network;
    json *j = &d->q->json;
    size_t node = crd_policy_decision(d->policy, i), choice = crd_policy_choice(d->policy, i, combination);
    if (choice == SIZE_MAX) return;
    const double *utilities = crd_policy_utilities(d->policy, i, combination);
    json_object(j);
    json_key(j, "known");
    json_object(j);
    for (size_t k = 0; k < crd_policy_known_count(d->policy, i); k++) {
        json_key_text(j, d->q->known.names[crd_policy_known(d->policy, i, k)]);
        json_text(j, known_state(d, i, k, combination));
    }
    json_end_object(j);
    json_member_text(j, "choice", crd_network_state(network, node, choice));
    json_key(j, "expected_utility");
    json_object(j);
    for (size_t c = 0; c < crd_network_state_count(network, node); c++) {
        json_key_text(j, crd_network_state(network, node, c));
        json_number(j, utilities[c]);
    }
    json_end_object(j);
    json_end_object(j);
}

static void write_answer(decide *d) {
    json *j = &d->q->json;
    json_object(j);
    json_member_number(j, "expected_utility", crd_policy_utility(d->policy));
    json_key(j, "policy");
    json_array(j);
    for (size_t i = 0; i < crd_policy_decision_count(d->policy); i++) {
        json_object(j);
        json_member_text(j, "decision", d->q->known.names[crd_policy_decision(d->policy, i)]);
        json_key(j, "choices");
        json_array(j);
        for (size_t c = 0; c < combinations_of(d, i); c++) write_combination(d, i, c);
        json_end_array(j);
        json_end_object(j);
    }
    json_end_array(j);
    if (d->count > 0) {
        json_key(j, "value_of");
        json_object(j);
    }
    for (size_t i = 0; i < d->count; i++) {
        json_key_text(j, d->q->known.names[d->candidates[i].node]);
        json_number(j, d->candidates[i].worth);
    }
    if (d->count > 0) json_end_object(j);
    json_member_number(j, "log_evidence", crd_policy_log_evidence(d->policy));
    json_end_object(j);
    json_end_line(j);
}

int network_decide_answer(network_question *q) {
    decide d = {.q = q};
    int ended = read_observed(&d);
    if (ended == ENDED_WELL) ended = read_candidates(&d);
    if (ended == ENDED_WELL) ended = ask(&d);
    if (ended == ENDED_WELL) ended = network_question_open(q);
    if (ended == ENDED_WELL && q->out.format == FORMAT_JSON) write_answer(&d);
    else if (ended == ENDED_WELL) print_answer(&d);
    crd_policy_destroy(d.policy);
    free(d.candidates);
    free(d.observed);
    return ended;
}
