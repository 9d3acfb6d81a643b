/* SPDX-License-Identifier: MIT */
/* network_graph.c - the section about a network's graph: nodes, arcs and prior probabilities. */
#include "base/error.h"
#include "base/memory.h"
#include "report/network_study.h"

#include <math.h>

/* Maximum number of nodes in a graph with bars, in a graph with names only, and in the table; maximum number of states
 * listed. */
enum { WITH_BARS = 16, DRAWN = 200, LISTED = 400, STATES = 6 };

/* Fills in the nodes of the picture. Their states point into `states`. */
static crd_status network_graph_fill_nodes(const crd_i_network_study *study, bool with_bars, crd_plot_node *nodes,
                                           crd_text *states) {
    size_t index = 0;
    for (size_t i = 0; i < study->nodes; i++) {
        crd_node_kind kind = crd_network_node_kind(study->network, i);
        nodes[i] = (crd_plot_node)CRD_PLOT_NODE_INIT;
        nodes[i].name = crd_network_node_name(study->network, i);
        if (kind == CRD_NODE_DECISION) nodes[i].kind = CRD_PLOT_DECISION;
        if (kind == CRD_NODE_UTILITY) nodes[i].kind = CRD_PLOT_UTILITY;
        if (!with_bars || study->beliefs == NULL || study->first[i] == CRD_NONE) continue;
        nodes[i].states = states + index;
        nodes[i].beliefs = study->beliefs + study->first[i];
        nodes[i].state_count = crd_network_state_count(study->network, i);
        for (size_t k = 0; k < nodes[i].state_count; k++) states[index++] = crd_network_state(study->network, i, k);
    }
    return CRD_OK;
}

/* Draws the graph, with prior probabilities if it is small. */
static crd_status network_graph_draw(crd_i_network_study *study, crd_error *error) {
    crd_context *context = study->page.context;
    size_t states = 0, index = 0;
    for (size_t i = 0; i < study->nodes; i++) states += crd_network_state_count(study->network, i);
    crd_plot_node *nodes = crd_i_alloc(context, study->nodes, sizeof *nodes);
    crd_plot_arc *arcs = crd_i_alloc(context, study->arcs, sizeof *arcs);
    crd_text *names = crd_i_alloc(context, states, sizeof *names);
    crd_plot_graph plot = CRD_PLOT_GRAPH_INIT;
    crd_plot_options options = CRD_PLOT_OPTIONS_INIT;
    char *svg = NULL;
    bool with_bars = study->nodes <= WITH_BARS;
    crd_status status = nodes == NULL || arcs == NULL || names == NULL
                            ? crd_i_fail_memory(error)
                            : network_graph_fill_nodes(study, with_bars, nodes, names);
    for (size_t i = 0; status == CRD_OK && i < study->nodes; i++)
        for (size_t k = 0; k < crd_network_parent_count(study->network, i); k++)
            arcs[index++] = (crd_plot_arc){crd_network_parent(study->network, i, k), i, 0, NAN};
    plot.nodes = nodes;
    plot.node_count = study->nodes;
    plot.arcs = arcs;
    plot.arc_count = index;
    if (status == CRD_OK) status = crd_plot_draw_graph(context, &plot, &options, &svg, error);
    crd_free(context, nodes);
    crd_free(context, arcs);
    crd_free(context, names);
    return crd_i_page_picture(&study->page, status, svg,
                              with_bars && study->beliefs != NULL
                                  ? "The graph, with the prior probability of each state."
                                  : "The graph. Arcs go from parents to children.",
                              error);
}

static void network_graph_add_nodes(crd_i_html *out, const crd_i_network_study *study, size_t node, bool of_parents) {
    size_t count =
        of_parents ? crd_network_parent_count(study->network, node) : crd_network_child_count(study->network, node);
    crd_i_html_open_cell(out);
    for (size_t i = 0; i < count && i < STATES; i++) {
        size_t other =
            of_parents ? crd_network_parent(study->network, node, i) : crd_network_child(study->network, node, i);
        crd_i_html_add(out, i > 0 ? ", %t" : "%t", crd_network_node_name(study->network, other));
    }
    if (count > STATES) crd_i_html_add(out, " and %u more", (uint64_t)(count - STATES));
    crd_i_html_close_cell(out);
}

/* Adds a cell with the states of a node and their prior probabilities: "yes 1%, no 99%". */
static void network_graph_add_states(crd_i_html *out, const crd_i_network_study *study, size_t node) {
    static const char *const kinds[] = {"", "a decision", "a utility", "continuous"};
    size_t count = crd_network_state_count(study->network, node);
    crd_node_kind kind = crd_network_node_kind(study->network, node);
    crd_i_html_open_cell(out);
    if (kind != CRD_NODE_CHANCE) crd_i_html_add(out, "%s", kinds[kind]);
    for (size_t k = 0; (kind == CRD_NODE_CHANCE || kind == CRD_NODE_DECISION) && k < count && k < STATES; k++) {
        crd_i_html_add(out, k > 0 || kind == CRD_NODE_DECISION ? ", %t" : "%t",
                       crd_network_state(study->network, node, k));
        if (study->beliefs != NULL && study->first[node] != CRD_NONE)
            crd_i_html_add(out, " %p", study->beliefs[study->first[node] + k]);
    }
    if (count > STATES) crd_i_html_add(out, " and %u more states", (uint64_t)(count - STATES));
    crd_i_html_close_cell(out);
}

/* Adds the table of nodes. */
static void network_graph_add_table(crd_i_network_study *study) {
    crd_i_html *out = &study->page.body;
    crd_i_html_open_table(out, "Nodes, in their order, with the prior probabilities of their states");
    crd_i_html_column(out, false, "node");
    crd_i_html_column(out, false, "states");
    crd_i_html_column(out, false, "parents");
    crd_i_html_column(out, false, "children");
    crd_i_html_column(out, true, "rows of its table");
    for (size_t i = 0; i < study->nodes && i < LISTED; i++) {
        size_t rows = 0;
        (void)crd_network_cpt(study->network, i, &rows);
        crd_i_html_row(out, NULL);
        crd_i_html_cell(out, "%t", crd_network_node_name(study->network, i));
        network_graph_add_states(out, study, i);
        network_graph_add_nodes(out, study, i, true);
        network_graph_add_nodes(out, study, i, false);
        crd_i_html_cell(out, "%u", (uint64_t)rows);
    }
    crd_i_html_close_table(out);
    if (study->nodes > LISTED)
        crd_i_html_add(out, "<p class=\"soft\">Further nodes that are not listed: %u.</p>\n",
                       (uint64_t)(study->nodes - LISTED));
}

crd_status crd_i_network_study_graph(crd_i_network_study *study, crd_error *error) {
    crd_status status = CRD_OK;
    crd_i_page_open_section(&study->page, "graph", "The network");
    if (study->nodes > DRAWN)
        crd_i_html_add(&study->page.body, "<p class=\"soft\">A graph of more than %u nodes is not drawn.</p>\n",
                       (uint64_t)DRAWN);
    else status = network_graph_draw(study, error);
    if (study->beliefs == NULL)
        crd_i_html_add(&study->page.body,
                       "<p class=\"soft\">Prior probabilities are not shown: they depend on decisions that are "
                       "open, take too much memory, or no node has states.</p>\n");
    network_graph_add_table(study);
    crd_i_page_close_section(&study->page);
    return status;
}
