/* SPDX-License-Identifier: MIT */
/* network_text.c - see network_text.h. */
#include "describe/network_text.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "source/input_file.h"

#include <stdlib.h>
#include <string.h>

void network_add_node(string *target_string, const crd_network *network, size_t node) {
    string_add_shown(target_string, crd_network_node_name(network, node));
}

void network_add_state(string *target_string, const crd_network *network, size_t node, size_t state) {
    network_add_node(target_string, network, node);
    string_add_char(target_string, '=');
    string_add_shown(target_string, crd_network_state(network, node, state));
}

/* Adds a finding: a state, a number, or a likelihood for each state. */
void network_add_finding(string *target_string, const crd_network *network, const crd_finding *finding) {
    if (crd_network_node_kind(network, finding->node) == CRD_NODE_GAUSSIAN) {
        network_add_node(target_string, network, finding->node);
        string_add_char(target_string, '=');
        string_add_number(target_string, finding->number);
        return;
    }
    if (finding->likelihoods == NULL) {
        network_add_state(target_string, network, finding->node, finding->state);
        return;
    }
    network_add_node(target_string, network, finding->node);
    for (size_t i = 0; i < crd_network_state_count(network, finding->node); i++) {
        string_format(target_string, i == 0 ? " (" : ", ");
        string_add_shown(target_string, crd_network_state(network, finding->node, i));
        string_add_char(target_string, ':');
        string_add_number(target_string, finding->likelihoods[i]);
    }
    string_add_char(target_string, ')');
}

bool network_has_arrow(const crd_network *network, size_t source, size_t target) {
    for (size_t i = 0; i < crd_network_parent_count(network, target); i++)
        if (crd_network_parent(network, target, i) == source) return true;
    return false;
}

void network_add_path(string *target_string, const crd_network *network, const size_t *nodes, size_t count) {
    enum { SHOWN = 12, AT_ITS_END = 5 };
    for (size_t i = 0; i < count; i++) {
        if (i > 0) string_format(target_string, network_has_arrow(network, nodes[i - 1], nodes[i]) ? " -> " : " <- ");
        if (count > SHOWN && i == SHOWN - AT_ITS_END) {
            i = count - AT_ITS_END;
            string_format(target_string, "...");
            string_format(target_string, network_has_arrow(network, nodes[i - 1], nodes[i]) ? " -> " : " <- ");
        }
        network_add_node(target_string, network, nodes[i]);
    }
}

/* Reports the graph as a drawing for people and as a list of arcs in JSON. */
int network_report_graph(crd_result *r, const crd_network *network, bool is_cpdag) {
    size_t count = crd_network_node_count(network), arc_count = 0;
    for (size_t i = 0; i < count; i++) arc_count += crd_network_parent_count(network, i);
    crd_text *names = memory_resize(NULL, count, sizeof *names);
    crd_result_arc *arcs = memory_resize(NULL, arc_count, sizeof *arcs);
    unsigned char *is_compelled = memory_resize(NULL, arc_count, sizeof *is_compelled);
    crd_error error;
    memset(is_compelled, 1, arc_count);
    int ended = ENDED_WELL;
    if (is_cpdag && crd_network_compelled_arcs(network, is_compelled, &error) != CRD_OK) ended = message_error(&error);
    crd_result_begin(r, CRD_ARRAY, "arcs");
    for (size_t i = 0, index = 0; i < count; i++) {
        names[i] = crd_network_node_name(network, i);
        for (size_t k = 0; k < crd_network_parent_count(network, i); k++) {
            arcs[index] = (crd_result_arc){.first = crd_network_parent(network, i, k), .end = i};
            arcs[index].is_undirected = !is_compelled[index];
            index++;
            crd_result_begin(r, CRD_SHORT_OBJECT, NULL);
            crd_result_text(r, "from", crd_network_node_name(network, arcs[index - 1].first));
            crd_result_text(r, "to", names[i]);
            if (is_cpdag) crd_result_boolean(r, "directed", !arcs[index - 1].is_undirected);
            crd_result_end(r);
        }
    }
    crd_result_end(r);
    crd_result_heading(r, 2, "Graph",
                       is_cpdag ? " of all equivalent networks (CPDAG): lines without an arrowhead can be reversed"
                                : "");
    crd_result_add_graph(r, names, count, arcs, arc_count);
    free(names);
    free(arcs);
    free(is_compelled);
    return ended;
}

/* Adds the settings that affect the tables. In a network with its own structure all tables are smoothed counts, so the
 * prior is shown only if it is not the default. */
static void network_text_report_settings(crd_result *r, const crd_settings *settings) {
    const char *prior = crd_settings_get(settings, "prior");
    bool has_structure = method_is_network(crd_settings_get(settings, "method"));
    string line = {0};
    string_format(&line, "smoothing %s", crd_settings_get(settings, "smoothing"));
    if (!has_structure || strcmp(prior, "frequency") != 0) {
        string_format(&line, ", prior ");
        string_add_shown(&line, crd_text_of(prior));
    }
    crd_result_line(r, CRD_LIST_LINE, "Settings: %s", report_take(r, &line));
}

void network_report_opening(crd_result *r, const invocation *call, const crd_network *network,
                            const crd_settings *settings) {
    size_t nodes = crd_network_node_count(network);
    const char *path = input_file_name(call->arguments.operands[0]);
    string actions = {0};
    size_t index = 0;
    for (const char *value; (value = arguments_next(&call->arguments, "do", &index)) != NULL;)
        string_format(&actions, "%s%s", actions.length == 0 ? ", after do(" : ", ", value);
    if (actions.length > 0) string_add_char(&actions, ')');
    crd_result_line(r, CRD_LINE, "Network %s: %zu node%s%s", crd_result_show(r, crd_text_of(path)), nodes,
                    nodes == 1 ? "" : "s", crd_result_show(r, crd_text_of(string_text(&actions))));
    string_free(&actions);
    if (settings != NULL) network_text_report_settings(r, settings);
}
