/* SPDX-License-Identifier: MIT */
/* hugin_net_write.c - see hugin_net.h. */
#include "network/formats/hugin_net.h"
#include "network/formats/hugin_normal.h"
#include "network/formats/network_writer.h"

#include <stdio.h>
#include <string.h>

enum { MADE_ROOM = 64 };

static bool hugin_net_write_is_identifier(crd_text name) {
    static const char *const keywords[] = {"net",       "class",    "node",     "decision",   "utility",
                                           "potential", "function", "discrete", "continuous", "instance"};
    for (size_t i = 0; i < name.length; i++) {
        const char byte = name.bytes[i];
        const bool is_letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_';
        if (!is_letter && (i == 0 || byte < '0' || byte > '9')) return false;
    }
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (crd_text_equal(name, crd_text_of(keywords[i]))) return false;
    return name.length > 0;
}

/* Returns the identifier of a node in the file: its name, or, if the name is not an identifier, a new one made of
 * the node number that is not the name of a node. New identifiers are distinct because their first numbers are. */
static crd_text hugin_net_write_identifier(const crd_network *network, size_t node, char buffer[MADE_ROOM]) {
    if (hugin_net_write_is_identifier(network->nodes[node].name)) return network->nodes[node].name;
    crd_text view = {buffer, (size_t)snprintf(buffer, MADE_ROOM, "node_%zu", node)};
    for (size_t i = 2; crd_i_network_find(network, view) >= 0; i++)
        view.length = (size_t)snprintf(buffer, MADE_ROOM, "node_%zu_%zu", node, i);
    return view;
}

static void put_identifier(crd_i_writing *writing, const crd_network *network, size_t node) {
    char buffer[MADE_ROOM];
    const crd_text text = hugin_net_write_identifier(network, node, buffer);
    crd_i_put(writing, text.bytes, text.length);
}

static void hugin_net_write_put_field(crd_i_writing *writing, const char *name, crd_text value) {
    crd_i_put_words(writing, "    ");
    crd_i_put_words(writing, name);
    crd_i_put_words(writing, " = ");
    crd_i_put_quoted(writing, value);
    crd_i_put_words(writing, ";\n");
}

static void hugin_net_write_put_node(crd_i_writing *writing, const crd_network *network, size_t index) {
    static const char *const words[] = {[CRD_NODE_CHANCE] = "node ",
                                        [CRD_NODE_DECISION] = "decision ",
                                        [CRD_NODE_UTILITY] = "utility ",
                                        [CRD_NODE_GAUSSIAN] = "continuous node "};
    const crd_i_node *node = &network->nodes[index];
    crd_i_put_words(writing, words[node->kind]);
    put_identifier(writing, network, index);
    crd_i_put_words(writing, "\n{\n");
    if (!hugin_net_write_is_identifier(node->name)) {
        hugin_net_write_put_field(writing, "label", node->name);
        hugin_net_write_put_field(writing, CRD_I_NET_NAME, node->name);
    }
    if (node->kind == CRD_NODE_CHANCE || node->kind == CRD_NODE_DECISION) {
        crd_i_put_words(writing, "    states = (");
        for (size_t i = 0; i < crd_i_node_states(node); i++) {
            if (i > 0) crd_i_put_words(writing, " ");
            crd_i_put_quoted(writing, crd_i_dictionary_text(node->states, i));
        }
        crd_i_put_words(writing, ");\n");
    }
    crd_i_put_words(writing, "}\n");
}

static void put_data(crd_i_writing *writing, const crd_network *network, const crd_i_node *node) {
    const bool is_gaussian = node->kind == CRD_NODE_GAUSSIAN;
    const size_t width = crd_i_node_width(node), continuous = is_gaussian ? width - 2 : 0;
    /* Utilities and normal distributions have brackets only for their discrete parents. */
    const bool has_own = node->kind == CRD_NODE_CHANCE || node->parent_count == continuous;
    crd_i_put_words(writing, "    data =");
    for (size_t row = 0; row < node->rows && !writing->failed; row++) {
        crd_i_put_words(writing, "\n        ");
        crd_i_put_brackets(writing, network, node, row, "(");
        if (has_own) crd_i_put_words(writing, "(");
        const double *numbers = node->table + row * width;
        if (is_gaussian) crd_i_net_put_normal(writing, network, node, numbers, put_identifier);
        for (size_t i = 0; !is_gaussian && i < width; i++) {
            if (i > 0) crd_i_put_words(writing, " ");
            crd_i_put_number(writing, numbers[i]);
        }
        if (has_own) crd_i_put_words(writing, ")");
        crd_i_put_brackets(writing, network, node, row + 1, ")");
    }
    crd_i_put_words(writing, ";\n");
}

static void put_potential(crd_i_writing *writing, const crd_network *network, size_t index) {
    const crd_i_node *node = &network->nodes[index];
    if (node->table == NULL && node->parent_count == 0) return;
    crd_i_put_words(writing, "potential ( ");
    put_identifier(writing, network, index);
    for (size_t i = 0; i < node->parent_count; i++) {
        crd_i_put_words(writing, i == 0 ? " | " : " ");
        put_identifier(writing, network, node->parents[i]);
    }
    crd_i_put_words(writing, " )\n{\n");
    if (node->table != NULL) put_data(writing, network, node);
    crd_i_put_words(writing, "}\n");
}

crd_status crd_i_net_write(const crd_network *network, crd_i_buffer *out, crd_error *error) {
    crd_i_writing writing = {out, false, {NULL, 0}};
    crd_i_put_words(&writing, "net\n{\n");
    hugin_net_write_put_field(&writing, "name", network->name);
    crd_i_put_words(&writing, "}\n");
    for (size_t i = 0; i < network->count; i++) hugin_net_write_put_node(&writing, network, i);
    for (size_t i = 0; i < network->count; i++) put_potential(&writing, network, i);
    return crd_i_writing_end(&writing, "cannot be written: it contains a NUL byte", error);
}
