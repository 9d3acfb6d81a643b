/* SPDX-License-Identifier: MIT */
/* network_picture.c - see network_picture.h. */
#include "describe/network_picture.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "source/input_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NODES = 1000 };

/* Computes the probabilities of all chance nodes, concatenated; begins[i] is the offset of node i. Leaves *beliefs NULL
 * if the computation would need too much memory. */
static int network_picture_find_beliefs(const network_picture *p, size_t *begins, double **beliefs) {
    const crd_network *network = p->network;
    size_t count = 0, capacity = 0;
    crd_error error;
    if (p->options == NULL) return ENDED_WELL;
    size_t *nodes = memory_resize(NULL, crd_network_node_count(network), sizeof *nodes);
    for (size_t i = 0; i < crd_network_node_count(network); i++) {
        begins[i] = capacity;
        if (crd_network_node_kind(network, i) != CRD_NODE_CHANCE) continue;
        nodes[count++] = i;
        capacity += crd_network_state_count(network, i);
    }
    *beliefs = memory_resize(NULL, capacity, sizeof **beliefs);
    crd_inference_result result = CRD_INFERENCE_RESULT_INIT;
    const crd_network_query query = {sizeof query, p->findings, p->finding_count, nodes, count, p->options};
    crd_status status =
        count == 0 ? CRD_ERROR_EMPTY : crd_network_posteriors(network, &query, *beliefs, NULL, &result, &error);
    free(nodes);
    if (status == CRD_OK) return ENDED_WELL;
    free(*beliefs);
    *beliefs = NULL;
    /* Other errors also occur in the query itself, which reports them. */
    return status == CRD_ERROR_CANCELLED || status == CRD_ERROR_MEMORY ? message_error(&error) : ENDED_WELL;
}

static crd_plot_node_kind network_picture_kind(const crd_network *network, size_t node) {
    switch (crd_network_node_kind(network, node)) {
    case CRD_NODE_DECISION: return CRD_PLOT_DECISION;
    case CRD_NODE_UTILITY: return CRD_PLOT_UTILITY;
    case CRD_NODE_CHANCE:
    case CRD_NODE_GAUSSIAN: break;
    }
    return CRD_PLOT_CHANCE;
}

static void mark_evidence(const network_picture *p, crd_plot_node *nodes) {
    for (size_t i = 0; i < p->finding_count; i++) {
        crd_plot_node *node = &nodes[p->findings[i].node];
        const bool is_state = p->findings[i].likelihoods == NULL &&
                              p->findings[i].state < crd_network_state_count(p->network, p->findings[i].node);
        if (is_state) node->evidence = p->findings[i].state;
        else node->has_evidence = 1;
    }
}

/* Fills the nodes of the plot with names, states, beliefs and notes. Returns the array of states, which the caller
 * frees. */
static crd_text *network_picture_fill_nodes(const network_picture *p, const size_t *begins, const double *beliefs,
                                            crd_plot_node *nodes) {
    const crd_network *network = p->network;
    size_t count = crd_network_node_count(network), total = 0, index = 0;
    for (size_t i = 0; i < count; i++) total += crd_network_state_count(network, i);
    crd_text *states = memory_resize(NULL, total, sizeof *states);
    for (size_t i = 0; i < count; i++) {
        nodes[i] = (crd_plot_node)CRD_PLOT_NODE_INIT;
        nodes[i].name = crd_network_node_name(network, i);
        nodes[i].kind = network_picture_kind(network, i);
        nodes[i].states = states + index;
        if (crd_network_node_kind(network, i) == CRD_NODE_CHANCE) {
            nodes[i].state_count = crd_network_state_count(network, i);
            nodes[i].beliefs = beliefs == NULL ? NULL : beliefs + begins[i];
        }
        for (size_t s = 0; s < crd_network_state_count(network, i); s++)
            states[index++] = crd_network_state(network, i, s);
        nodes[i].is_target = p->is_target != NULL && p->is_target[i];
        if (p->notes != NULL) nodes[i].note = p->notes[i];
    }
    mark_evidence(p, nodes);
    return states;
}

/* Draws the graph and adds the picture to the report. */
static int network_picture_draw(crd_result *r, const network_picture *p, const crd_plot_node *nodes) {
    const crd_network *network = p->network;
    size_t count = crd_network_node_count(network), arc_count = 0, index = 0;
    for (size_t i = 0; i < count; i++) arc_count += crd_network_parent_count(network, i);
    crd_plot_arc *arcs = memory_resize(NULL, arc_count, sizeof *arcs);
    unsigned char *is_compelled = memory_resize(NULL, arc_count, sizeof *is_compelled);
    crd_error error;
    char *svg = NULL;
    memset(is_compelled, 1, arc_count);
    crd_status status = p->is_cpdag ? crd_network_compelled_arcs(network, is_compelled, &error) : CRD_OK;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < crd_network_parent_count(network, i); k++, index++)
            arcs[index] = (crd_plot_arc){crd_network_parent(network, i, k), i, !is_compelled[index], NAN};
    crd_plot_graph plot = CRD_PLOT_GRAPH_INIT;
    plot.nodes = nodes;
    plot.node_count = count;
    plot.arcs = arcs;
    plot.arc_count = arc_count;
    crd_plot_options options = CRD_PLOT_OPTIONS_INIT;
    options.title = crd_text_of(p->title);
    if (status == CRD_OK) status = crd_plot_draw_graph(crd_result_context(r), &plot, &options, &svg, &error);
    free(arcs);
    free(is_compelled);
    return report_add_picture(r, status, &svg, &error);
}

const char *network_picture_name(crd_result *r, const invocation *call, const crd_network *network) {
    crd_text name = crd_network_name(network);
    return crd_result_show(r, name.length > 0 ? name : crd_text_of(input_file_name(call->arguments.operands[0])));
}

/* Draws the network with its beliefs, and adds the picture to the report. */
int network_picture_add(crd_result *r, const network_picture *picture) {
    size_t count = crd_network_node_count(picture->network);
    if (!crd_result_is_for(r, CRD_FOR_PICTURES) || count == 0 || count > MOST_NODES) return ENDED_WELL;
    size_t *begins = memory_resize(NULL, count, sizeof *begins);
    crd_plot_node *nodes = memory_resize(NULL, count, sizeof *nodes);
    double *beliefs = NULL;
    int ended = network_picture_find_beliefs(picture, begins, &beliefs);
    if (ended == ENDED_WELL) {
        crd_text *states = network_picture_fill_nodes(picture, begins, beliefs, nodes);
        ended = network_picture_draw(r, picture, nodes);
        free(states);
    }
    free(beliefs);
    free(nodes);
    free(begins);
    return ended;
}
