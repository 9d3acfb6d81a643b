/* query_network_most.c - the most probable states of all nodes together, or of some of them, once others are known. */
#include "verbs/query/query_network.h"

#include "core/messages.h"

#include <math.h>
#include <stdlib.h>

typedef struct explanation {
    network_question *q;
    size_t *nodes; /* of --of; NULL: all that nothing is known about */
    size_t count;
    size_t *states; /* of these nodes, or of all by their number */
    double log_probability, log_evidence;
} explanation;

static size_t shown_count(const explanation *e) {
    return e->nodes == NULL ? crd_network_node_count(e->q->network) : e->count;
}

/* The node of a line; whether it is written, as those are not that were given for certain, unless they are asked for.
 */
static bool shown_node(const explanation *e, size_t i, size_t *node) {
    *node = e->nodes == NULL ? i : e->nodes[i];
    const crd_finding *finding = network_evidence_of(&e->q->known, *node);
    bool is_certain = e->nodes == NULL && finding != NULL && finding->likelihoods == NULL;
    return crd_network_node_kind(e->q->network, *node) == CRD_NODE_CHANCE && !is_certain;
}

static void print_answer(explanation *e) {
    network_question *q = e->q;
    string share = {0};
    size_t node;
    network_question_print_evidence(q, e->log_evidence, 0);
    network_question_heading(q, "Most probable states together");
    table *t = table_create_for(&q->out, 2);
    table_align_left(t, 1);
    table_omit_heading(t);
    for (size_t i = 0; i < shown_count(e); i++) {
        if (!shown_node(e, i, &node)) continue;
        table_add_name(t, q->known.names[node]);
        table_add_name(t, crd_network_state(q->network, node, e->states[i]));
    }
    table_print(t, q->out.stream, 2, 0);
    table_destroy(t);
    /* What is certain may be a little above by rounding. */
    network_add_probability(&share, fmin(e->log_probability - e->log_evidence, 0));
    output_paragraph(&q->out, "Their probability%s is %s.", q->known.count > 0 ? " given the findings" : "",
                     string_text(&share));
    string_free(&share);
}

static void write_answer(explanation *e) {
    network_question *q = e->q;
    json *j = &q->json;
    json_object(j);
    json_key(j, "most_probable");
    json_object(j);
    json_key(j, "states");
    json_object(j);
    for (size_t i = 0; i < shown_count(e); i++) {
        size_t node = e->nodes == NULL ? i : e->nodes[i];
        if (crd_network_node_kind(q->network, node) != CRD_NODE_CHANCE) continue;
        json_key_text(j, q->known.names[node]);
        json_text(j, crd_network_state(q->network, node, e->states[i]));
    }
    json_end_object(j);
    json_member_number(j, "log_probability", e->log_probability);
    json_end_object(j);
    json_member_number(j, "log_evidence", e->log_evidence);
    json_end_object(j);
    json_end_line(j);
}

static int ask(explanation *e) {
    const network_question *q = e->q;
    crd_error error;
    crd_inference_result asked = CRD_INFERENCE_RESULT_INIT;
    e->states = memory_resize(NULL, shown_count(e), sizeof *e->states);
    if (crd_network_mpe(q->network, q->known.items, q->known.count, e->nodes, e->count, &q->options, e->states,
                        &e->log_probability, &asked, &error) != CRD_OK)
        return inference_failed(q->call, &error, NULL);
    e->log_evidence = q->known.count == 0 ? 0 : asked.log_evidence;
    return ENDED_WELL;
}

int network_most_probable_answer(network_question *q) {
    explanation e = {.q = q};
    int ended = network_find_nodes(&q->known, q->call, "of", &e.nodes, &e.count);
    if (ended == ENDED_WELL) ended = ask(&e);
    if (ended == ENDED_WELL) ended = network_question_open(q);
    if (ended == ENDED_WELL && q->out.format == FORMAT_JSON) write_answer(&e);
    else if (ended == ENDED_WELL) print_answer(&e);
    free(e.nodes);
    free(e.states);
    return ended;
}
