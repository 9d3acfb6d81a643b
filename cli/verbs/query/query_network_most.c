/* SPDX-License-Identifier: MIT */
/* query_network_most.c - the most probable explanation (MPE) of all nodes, or the most probable joint states of
 * some nodes
 * (MAP), given evidence. */
#include "verbs/query/query_network.h"

#include "core/messages.h"
#include "describe/network_picture.h"

#include <math.h>
#include <stdlib.h>

typedef struct most_explanation {
    network_question *q;
    size_t *nodes; /* the nodes of --of; NULL: all nodes without evidence */
    size_t count;
    size_t *states;                       /* of `nodes`, or by node number if `nodes` is NULL */
    double log_probability, log_evidence; /* log P(states, evidence) and log P(evidence) */
} most_explanation;

static size_t shown_count(const most_explanation *e) {
    return e->nodes == NULL ? crd_network_node_count(e->q->network) : e->count;
}

/* Returns whether a node has certain evidence and was not queried. The text report omits such nodes. */
static bool mpe_query_is_known(const most_explanation *e, size_t node) {
    const crd_finding *finding = network_evidence_of(&e->q->known, node);
    return e->nodes == NULL && finding != NULL && finding->likelihoods == NULL;
}

/* Reports the most probable states and their posterior probability. */
static void mpe_query_report_answer(most_explanation *e) {
    network_question *q = e->q;
    crd_result *r = q->report;
    string share = {0};
    network_question_open(q);
    network_question_report_evidence(q, e->log_evidence, 0);
    network_question_heading(q, "Most probable explanation (MPE)");
    crd_result_begin(r, CRD_OBJECT, "most_probable");
    crd_result_table *t = crd_result_add_table(r, "states");
    t->shape = CRD_TABLE_MAP;
    t->is_headed = false;
    crd_result_add_column(t, "node", "");
    crd_result_add_column(t, "state", "")->is_left = true;
    for (size_t i = 0; i < shown_count(e); i++) {
        size_t node = e->nodes == NULL ? i : e->nodes[i];
        if (crd_network_node_kind(q->network, node) != CRD_NODE_CHANCE) continue;
        t->audience = mpe_query_is_known(e, node) ? CRD_FOR_JSON : CRD_FOR_ALL;
        crd_cell_name(t, q->known.names[node]);
        crd_cell_name(t, crd_network_state(q->network, node, e->states[i]));
    }
    /* The probability given the evidence. Rounding could make it slightly larger than 1. */
    const double log_probability = fmin(e->log_probability - e->log_evidence, 0);
    crd_result_number(r, "log_probability", log_probability);
    crd_result_end(r);
    crd_result_number(r, "log_evidence", e->log_evidence);
    network_add_probability(&share, log_probability);
    crd_result_line(r, CRD_PARAGRAPH, "Their probability%s is %s.", q->known.count > 0 ? " given the evidence" : "",
                    report_take(r, &share));
}

static int mpe_query_ask(most_explanation *e) {
    const network_question *q = e->q;
    const crd_network_query query = network_question_query(q, e->nodes, e->count);
    crd_error error;
    crd_inference_result result = CRD_INFERENCE_RESULT_INIT;
    e->states = memory_resize(NULL, shown_count(e), sizeof *e->states);
    if (crd_network_mpe(q->network, &query, e->states, &e->log_probability, &result, &error) != CRD_OK)
        return inference_failed(q->call, &error, NULL);
    e->log_evidence = q->known.count == 0 ? 0 : result.log_evidence;
    return ENDED_WELL;
}

/* Draws the graph with the most probable states. Evidence is marked. */
static int mpe_query_draw_answer(most_explanation *e) {
    network_question *q = e->q;
    size_t count = crd_network_node_count(q->network);
    crd_text *notes = memory_resize(NULL, count, sizeof *notes);
    for (size_t i = 0; i < count; i++) notes[i] = (crd_text){NULL, 0};
    for (size_t i = 0; i < shown_count(e); i++) {
        size_t node = e->nodes == NULL ? i : e->nodes[i];
        if (crd_network_node_kind(q->network, node) == CRD_NODE_CHANCE)
            notes[node] = crd_network_state(q->network, node, e->states[i]);
    }
    const network_picture picture = {.network = q->network,
                                     .title = "Most probable explanation (MPE)",
                                     .findings = q->known.items,
                                     .finding_count = q->known.count,
                                     .notes = notes};
    int ended = network_picture_add(q->report, &picture);
    free(notes);
    return ended;
}

int network_most_probable_answer(network_question *q) {
    most_explanation e = {.q = q};
    int ended = network_find_nodes(&q->known, q->call, "of", &e.nodes, &e.count);
    if (ended == ENDED_WELL) ended = mpe_query_ask(&e);
    if (ended == ENDED_WELL) mpe_query_report_answer(&e);
    if (ended == ENDED_WELL) ended = mpe_query_draw_answer(&e);
    free(e.nodes);
    free(e.states);
    return ended;
}
