/* network_words.c - see network_words.h. */
#include "network_words.h"

#include "report.h"

void network_add_node(string *to, const crd_network *network, size_t node) {
    string_add_shown(to, crd_network_node_name(network, node));
}

void network_add_state(string *to, const crd_network *network, size_t node, size_t state) {
    network_add_node(to, network, node);
    string_add_char(to, '=');
    string_add_shown(to, crd_network_state(network, node, state));
}

void network_add_finding(string *to, const crd_network *network, const crd_finding *finding) {
    if (finding->likelihoods == NULL) {
        network_add_state(to, network, finding->node, finding->state);
        return;
    }
    network_add_node(to, network, finding->node);
    for (size_t i = 0; i < crd_network_state_count(network, finding->node); i++) {
        string_format(to, i == 0 ? " (" : ", ");
        string_add_shown(to, crd_network_state(network, finding->node, i));
        string_add_char(to, ':');
        string_add_number(to, finding->likelihoods[i]);
    }
    string_add_char(to, ')');
}

bool network_has_arrow(const crd_network *network, size_t from, size_t to) {
    for (size_t i = 0; i < crd_network_parent_count(network, to); i++)
        if (crd_network_parent(network, to, i) == from) return true;
    return false;
}

void network_add_path(string *to, const crd_network *network, const size_t *nodes, size_t count) {
    enum { SHOWN = 12, AT_ITS_END = 5 };
    for (size_t i = 0; i < count; i++) {
        if (i > 0) string_format(to, network_has_arrow(network, nodes[i - 1], nodes[i]) ? " -> " : " <- ");
        if (count > SHOWN && i == SHOWN - AT_ITS_END) {
            i = count - AT_ITS_END;
            string_format(to, "...");
            string_format(to, network_has_arrow(network, nodes[i - 1], nodes[i]) ? " -> " : " <- ");
        }
        network_add_node(to, network, nodes[i]);
    }
}

int network_refuse_options(const invocation *call, const char *const *names) {
    for (; *names != NULL; names++)
        if (arguments_have(&call->arguments, *names))
            return report_usage("%s is a network: --%s is for tables and other models", call->arguments.operands[0],
                                *names);
    return ENDED_WELL;
}

int network_refuse_own_options(const invocation *call, const char *const *names) {
    for (; *names != NULL; names++)
        if (arguments_have(&call->arguments, *names))
            return report_usage("%s is no network: --%s is for networks", call->arguments.operands[0], *names);
    return ENDED_WELL;
}

int network_refuse_settings(const invocation *call) {
    size_t count = 0;
    const crd_setting *settings = crd_setting_table(&count);
    for (size_t i = 0; i < count; i++)
        if (arguments_have(&call->arguments, settings[i].name))
            return report_usage("%s states its tables: --%s is for what is counted", call->arguments.operands[0],
                                settings[i].name);
    return ENDED_WELL;
}
