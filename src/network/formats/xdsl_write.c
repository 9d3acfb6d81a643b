/* SPDX-License-Identifier: MIT */
/* xdsl_write.c - see xdsl.h. */
#include "network/formats/network_draft.h"
#include "network/formats/network_identifiers.h"
#include "network/formats/network_writer.h"
#include "network/formats/xdsl.h"

static const crd_i_identifier_rules rules = {.further = ""};

static void put_id(crd_i_writing *to, const char *tag, crd_text identifier, const char *end) {
    crd_i_put_words(to, "<");
    crd_i_put_words(to, tag);
    crd_i_put_words(to, " id=\"");
    crd_i_put(to, identifier.bytes, identifier.length);
    crd_i_put_words(to, end);
}

static void put_numbers(crd_i_writing *to, const char *tag, const crd_i_node *node) {
    const size_t count = node->rows * crd_i_node_states(node);
    crd_i_put_words(to, "      <");
    crd_i_put_words(to, tag);
    crd_i_put_words(to, ">");
    for (size_t i = 0; i < count && !to->failed; i++) {
        if (i > 0) crd_i_put_words(to, " ");
        crd_i_put_number(to, node->table[i]);
    }
    crd_i_put_words(to, "</");
    crd_i_put_words(to, tag);
    crd_i_put_words(to, ">\n");
}

static void put_properties(crd_i_writing *to, const crd_i_network_identifiers *identifiers, size_t index) {
    const crd_i_node *node = &identifiers->network->nodes[index];
    if (crd_i_network_identifiers_rename(identifiers, index)) {
        crd_i_put_words(to, "      <property id=\"" CRD_I_XDSL_NAME "\">");
        crd_i_put_encoded(to, node->name);
        crd_i_put_words(to, "</property>\n");
    }
    if (node->kind != CRD_NODE_UTILITY && crd_i_network_identifiers_rename_states(identifiers, index)) {
        crd_i_put_words(to, "      <property id=\"" CRD_I_XDSL_STATES "\">");
        crd_i_put_encoded_list(to, node->states);
        crd_i_put_words(to, "</property>\n");
    }
}

static void put_node(crd_i_writing *to, const crd_i_network_identifiers *identifiers, size_t index) {
    static const char *const tags[] = {
        [CRD_NODE_CHANCE] = "cpt", [CRD_NODE_DECISION] = "decision", [CRD_NODE_UTILITY] = "utility"};
    const crd_i_node *node = &identifiers->network->nodes[index];
    const char *tag = tags[node->kind];
    crd_i_put_words(to, "    ");
    put_id(to, tag, crd_i_dictionary_text(identifiers->nodes, index), "\">\n");
    for (size_t i = 0; node->kind != CRD_NODE_UTILITY && i < crd_i_node_states(node); i++) {
        crd_i_put_words(to, "      ");
        put_id(to, "state", crd_i_dictionary_text(identifiers->states[index], i), "\" />\n");
    }
    for (size_t i = 0; i < node->parent_count; i++) {
        const crd_text parent = crd_i_dictionary_text(identifiers->nodes, node->parents[i]);
        crd_i_put_words(to, i == 0 ? "      <parents>" : " ");
        crd_i_put(to, parent.bytes, parent.length);
    }
    if (node->parent_count > 0) crd_i_put_words(to, "</parents>\n");
    if (node->table != NULL) put_numbers(to, node->kind == CRD_NODE_UTILITY ? "utilities" : "probabilities", node);
    put_properties(to, identifiers, index);
    crd_i_put_words(to, "    </");
    crd_i_put_words(to, tag);
    crd_i_put_words(to, ">\n");
}

/* What GeNIe shows, which some readers insist on. */
static void put_extensions(crd_i_writing *to, const crd_i_network_identifiers *identifiers) {
    crd_i_put_words(to, "  <extensions>\n    <genie version=\"1.0\" app=\"Credence\" name=\"network\">\n");
    for (size_t i = 0; i < identifiers->network->count; i++) {
        const crd_text name = crd_i_dictionary_text(identifiers->nodes, i);
        crd_i_put_words(to, "      ");
        put_id(to, "node", name, "\">\n        <name>");
        crd_i_put(to, name.bytes, name.length);
        crd_i_put_words(to, "</name>\n      </node>\n");
    }
    crd_i_put_words(to, "    </genie>\n  </extensions>\n");
}

crd_status crd_i_xdsl_write(const crd_network *network, crd_i_buffer *out, crd_error *error) {
    crd_i_writing to = {out, false, {NULL, 0}};
    crd_i_network_identifiers identifiers;
    to.failed = !crd_i_network_identifiers_create(&identifiers, network, &rules, &rules);
    crd_i_put_words(&to, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<smile version=\"1.0\" id=\"");
    const bool has_name = crd_i_is_identifier(network->name, &rules);
    const crd_text name = has_name ? network->name : crd_text_of(CRD_I_NETWORK_UNNAMED);
    crd_i_put(&to, name.bytes, name.length);
    crd_i_put_words(&to, "\">\n");
    if (!has_name && network->name.length > 0) {
        crd_i_put_words(&to, "  <properties>\n    <property id=\"" CRD_I_XDSL_NAME "\">");
        crd_i_put_encoded(&to, network->name);
        crd_i_put_words(&to, "</property>\n  </properties>\n");
    }
    crd_i_put_words(&to, "  <nodes>\n");
    for (size_t i = 0; !to.failed && i < network->count; i++) put_node(&to, &identifiers, i);
    crd_i_put_words(&to, "  </nodes>\n");
    if (!to.failed) put_extensions(&to, &identifiers);
    crd_i_put_words(&to, "</smile>\n");
    crd_i_network_identifiers_clear(&identifiers);
    return crd_i_writing_end(&to, "cannot be written: it holds a NUL byte", error);
}
