/* SPDX-License-Identifier: MIT */
/* xdsl_write.c - see xdsl.h. */
#include "network/formats/network_draft.h"
#include "network/formats/network_identifiers.h"
#include "network/formats/network_writer.h"
#include "network/formats/xdsl.h"

static const crd_i_identifier_rules rules = {.further = ""};

static void put_id(crd_i_writing *writing, const char *tag, crd_text identifier, const char *end) {
    crd_i_put_words(writing, "<");
    crd_i_put_words(writing, tag);
    crd_i_put_words(writing, " id=\"");
    crd_i_put(writing, identifier.bytes, identifier.length);
    crd_i_put_words(writing, end);
}

static void put_numbers(crd_i_writing *writing, const char *tag, const crd_i_node *node) {
    const size_t count = node->rows * crd_i_node_states(node);
    crd_i_put_words(writing, "      <");
    crd_i_put_words(writing, tag);
    crd_i_put_words(writing, ">");
    for (size_t i = 0; i < count && !writing->failed; i++) {
        if (i > 0) crd_i_put_words(writing, " ");
        crd_i_put_number(writing, node->table[i]);
    }
    crd_i_put_words(writing, "</");
    crd_i_put_words(writing, tag);
    crd_i_put_words(writing, ">\n");
}

static void put_properties(crd_i_writing *writing, const crd_i_network_identifiers *identifiers, size_t index) {
    const crd_i_node *node = &identifiers->network->nodes[index];
    if (crd_i_network_identifiers_rename(identifiers, index)) {
        crd_i_put_words(writing, "      <property id=\"" CRD_I_XDSL_NAME "\">");
        crd_i_put_encoded(writing, node->name);
        crd_i_put_words(writing, "</property>\n");
    }
    if (node->kind != CRD_NODE_UTILITY && crd_i_network_identifiers_rename_states(identifiers, index)) {
        crd_i_put_words(writing, "      <property id=\"" CRD_I_XDSL_STATES "\">");
        crd_i_put_encoded_list(writing, node->states);
        crd_i_put_words(writing, "</property>\n");
    }
}

static void xdsl_write_put_node(crd_i_writing *writing, const crd_i_network_identifiers *identifiers, size_t index) {
    static const char *const tags[] = {
        [CRD_NODE_CHANCE] = "cpt", [CRD_NODE_DECISION] = "decision", [CRD_NODE_UTILITY] = "utility"};
    const crd_i_node *node = &identifiers->network->nodes[index];
    const char *tag = tags[node->kind];
    crd_i_put_words(writing, "    ");
    put_id(writing, tag, crd_i_dictionary_text(identifiers->nodes, index), "\">\n");
    for (size_t i = 0; node->kind != CRD_NODE_UTILITY && i < crd_i_node_states(node); i++) {
        crd_i_put_words(writing, "      ");
        put_id(writing, "state", crd_i_dictionary_text(identifiers->states[index], i), "\" />\n");
    }
    for (size_t i = 0; i < node->parent_count; i++) {
        const crd_text parent = crd_i_dictionary_text(identifiers->nodes, node->parents[i]);
        crd_i_put_words(writing, i == 0 ? "      <parents>" : " ");
        crd_i_put(writing, parent.bytes, parent.length);
    }
    if (node->parent_count > 0) crd_i_put_words(writing, "</parents>\n");
    if (node->table != NULL) put_numbers(writing, node->kind == CRD_NODE_UTILITY ? "utilities" : "probabilities", node);
    put_properties(writing, identifiers, index);
    crd_i_put_words(writing, "    </");
    crd_i_put_words(writing, tag);
    crd_i_put_words(writing, ">\n");
}

/* Writes the names that GeNIe displays. Some readers require this element. */
static void put_extensions(crd_i_writing *writing, const crd_i_network_identifiers *identifiers) {
    crd_i_put_words(writing, "  <extensions>\n    <genie version=\"1.0\" app=\"Credence\" name=\"network\">\n");
    for (size_t i = 0; i < identifiers->network->count; i++) {
        const crd_text name = crd_i_dictionary_text(identifiers->nodes, i);
        crd_i_put_words(writing, "      ");
        put_id(writing, "node", name, "\">\n        <name>");
        crd_i_put(writing, name.bytes, name.length);
        crd_i_put_words(writing, "</name>\n      </node>\n");
    }
    crd_i_put_words(writing, "    </genie>\n  </extensions>\n");
}

crd_status crd_i_xdsl_write(const crd_network *network, crd_i_buffer *out, crd_error *error) {
    crd_i_writing writing = {out, false, {NULL, 0}};
    crd_i_network_identifiers identifiers;
    writing.failed = !crd_i_network_identifiers_create(&identifiers, network, &rules, &rules);
    crd_i_put_words(&writing, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<smile version=\"1.0\" id=\"");
    const bool has_name = crd_i_is_identifier(network->name, &rules);
    const crd_text name = has_name ? network->name : crd_text_of(CRD_I_NETWORK_UNNAMED);
    crd_i_put(&writing, name.bytes, name.length);
    crd_i_put_words(&writing, "\">\n");
    if (!has_name && network->name.length > 0) {
        crd_i_put_words(&writing, "  <properties>\n    <property id=\"" CRD_I_XDSL_NAME "\">");
        crd_i_put_encoded(&writing, network->name);
        crd_i_put_words(&writing, "</property>\n  </properties>\n");
    }
    crd_i_put_words(&writing, "  <nodes>\n");
    for (size_t i = 0; !writing.failed && i < network->count; i++) xdsl_write_put_node(&writing, &identifiers, i);
    crd_i_put_words(&writing, "  </nodes>\n");
    if (!writing.failed) put_extensions(&writing, &identifiers);
    crd_i_put_words(&writing, "</smile>\n");
    crd_i_network_identifiers_clear(&identifiers);
    return crd_i_writing_end(&writing, "cannot be written: it contains a NUL byte", error);
}
