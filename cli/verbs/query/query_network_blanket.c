/* SPDX-License-Identifier: MIT */
/* query_network_blanket.c - the Markov blanket of nodes: the parents, the children and the other parents of the
 * children
 * (Pearl 1988). Given its blanket, a node is independent of all other nodes. So the blanket contains all features
 * that a classifier of the node needs. */
#include "verbs/query/query_network.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "describe/network_text.h"

#include <stdlib.h>

/* Returns the relation of a blanket node `other` to `node`. If there are several, a parent or child takes
 * precedence over
 * a parent of a child. */
static const char *blanket_query_relation(const crd_network *network, size_t node, size_t other) {
    if (network_has_arrow(network, other, node)) return "parent";
    return network_has_arrow(network, node, other) ? "child" : "parent of a child";
}

/* Reports the Markov blanket of a node, with the relation of each of its nodes. */
static int report_blanket(network_question *q, size_t node) {
    const crd_text *names = q->known.names;
    crd_result *r = q->report;
    size_t *blanket = NULL, count = 0;
    crd_error error;
    string only = {0};
    if (crd_network_markov_blanket(q->network, node, &blanket, &count, &error) != CRD_OK) return message_error(&error);
    crd_result_prose(r, CRD_HEADING_ABOVE, 2, "",
                     crd_result_format(r, "Markov blanket of %s", crd_result_show(r, names[node])), "");
    crd_result_begin(r, CRD_OBJECT, NULL);
    crd_result_text(r, "node", names[node]);
    network_question_report_names(q, "blanket", blanket, count);
    crd_result_table *t = crd_result_add_table(r, "relations");
    t->is_headed = false;
    t->is_short = true;
    if (!q->all) t->rows_shown = QUERY_VALUES_SHOWN;
    crd_result_add_column(t, "node", "");
    crd_result_add_column(t, "relation", "")->is_left = true;
    for (size_t i = 0; i < count; i++) {
        crd_cell_name(t, names[blanket[i]]);
        crd_cell_words(t, blanket_query_relation(q->network, node, blanket[i]));
        if (i > 0) string_add_char(&only, ',');
        list_add_typed(&only, names[blanket[i]]);
    }
    if (count > t->rows_shown) crd_result_line(r, CRD_REMARK, "and %zu more (--all)", count - t->rows_shown);
    if (count == 0) crd_result_line(r, CRD_REMARK, "none: the node is independent of all other nodes");
    else crd_result_line(r, CRD_REMARK, "as the features of a classifier: --only %s", report_take(r, &only));
    crd_result_end(r);
    crd_free(q->call->context, blanket);
    return ENDED_WELL;
}

int network_blanket_answer(network_question *q) {
    size_t *nodes = NULL, count = 0;
    int ended = network_find_nodes(&q->known, q->call, "markov-blanket", &nodes, &count);
    if (ended == ENDED_WELL) {
        network_question_open(q);
        crd_result_begin(q->report, CRD_ARRAY, "blankets");
        for (size_t i = 0; ended == ENDED_WELL && i < count; i++) ended = report_blanket(q, nodes[i]);
        crd_result_end(q->report);
    }
    free(nodes);
    return ended;
}
