/* SPDX-License-Identifier: MIT */
/* dot.c - see network_format.h.
 *
 * Nodes are identified by their names in double quotes. Graphviz converts only \" to a quote when it reads a name.
 * Other backslashes are interpreted when the name is drawn: \\ is a backslash and \n a line break. So different
 * names stay different and are drawn correctly. */
#include "network/formats/network_format.h"
#include "network/formats/network_writer.h"

static void dot_put_node(crd_i_writing *writing, const crd_i_node *node) {
    static const char *const shapes[] = {[CRD_NODE_CHANCE] = "ellipse",
                                         [CRD_NODE_DECISION] = "box",
                                         [CRD_NODE_UTILITY] = "diamond",
                                         /* A double outline, as textbooks and Hugin draw continuous nodes. */
                                         [CRD_NODE_GAUSSIAN] = "ellipse, peripheries=2"};
    crd_i_put_words(writing, "  ");
    crd_i_put_quoted(writing, node->name);
    crd_i_put_words(writing, " [shape=");
    crd_i_put_words(writing, shapes[node->kind]);
    crd_i_put_words(writing, "];\n");
}

crd_status crd_i_dot_write(const crd_network *network, crd_i_buffer *out, crd_error *error) {
    crd_i_writing writing = {out, false, {NULL, 0}};
    crd_i_put_words(&writing, "digraph ");
    crd_i_put_quoted(&writing, network->name);
    crd_i_put_words(&writing, " {\n");
    for (size_t i = 0; i < network->count; i++) dot_put_node(&writing, &network->nodes[i]);
    for (size_t i = 0; i < network->count; i++)
        for (size_t j = 0; j < network->nodes[i].parent_count; j++) {
            crd_i_put_words(&writing, "  ");
            crd_i_put_quoted(&writing, network->nodes[network->nodes[i].parents[j]].name);
            crd_i_put_words(&writing, " -> ");
            crd_i_put_quoted(&writing, network->nodes[i].name);
            crd_i_put_words(&writing, ";\n");
        }
    crd_i_put_words(&writing, "}\n");
    return crd_i_writing_end(&writing, "cannot be written: it contains a NUL byte", error);
}
