/* SPDX-License-Identifier: MIT */
/* dne_write.c - see dne.h. */
#include "network/formats/dne.h"
#include "network/formats/network_draft.h"
#include "network/formats/network_identifiers.h"
#include "network/formats/network_writer.h"

static const char *const keywords[] = {"bnet", "node", "visual", NULL};
static const crd_i_identifier_rules rules = {.further = "", .most_bytes = 30, .keywords = keywords};

static void put_list(crd_i_writing *writing, const char *field, const crd_i_dictionary *names, const uint32_t *codes,
                     size_t count) {
    crd_i_put_words(writing, "    ");
    crd_i_put_words(writing, field);
    crd_i_put_words(writing, " = (");
    for (size_t i = 0; i < count; i++) {
        const crd_text name = crd_i_dictionary_text(names, codes == NULL ? i : codes[i]);
        if (i > 0) crd_i_put_words(writing, ", ");
        crd_i_put(writing, name.bytes, name.length);
    }
    crd_i_put_words(writing, ");\n");
}

static void dne_write_put_table(crd_i_writing *writing, const crd_network *network, const crd_i_node *node) {
    const size_t states = crd_i_node_states(node);
    /* Utilities have brackets only for their parents. */
    const bool has_own = node->kind == CRD_NODE_CHANCE || node->parent_count == 0;
    crd_i_put_words(writing, node->kind == CRD_NODE_UTILITY ? "    functable =" : "    probs =");
    for (size_t row = 0; row < node->rows && !writing->failed; row++) {
        crd_i_put_words(writing, row == 0 ? "\n      " : ",\n      ");
        crd_i_put_brackets(writing, network, node, row, "(");
        if (has_own) crd_i_put_words(writing, "(");
        for (size_t i = 0; i < states; i++) {
            if (i > 0) crd_i_put_words(writing, ", ");
            crd_i_put_number(writing, node->table[row * states + i]);
        }
        if (has_own) crd_i_put_words(writing, ")");
        crd_i_put_brackets(writing, network, node, row + 1, ")");
    }
    crd_i_put_words(writing, ";\n");
}

static void put_titles(crd_i_writing *writing, const crd_i_network_identifiers *identifiers, size_t index) {
    const crd_i_node *node = &identifiers->network->nodes[index];
    if (crd_i_network_identifiers_rename(identifiers, index)) {
        crd_i_put_words(writing, "    title = ");
        crd_i_put_quoted(writing, node->name);
        crd_i_put_words(writing, ";\n");
    }
    if (node->kind == CRD_NODE_UTILITY || !crd_i_network_identifiers_rename_states(identifiers, index)) return;
    crd_i_put_words(writing, "    statetitles = (");
    for (size_t i = 0; i < crd_i_node_states(node); i++) {
        if (i > 0) crd_i_put_words(writing, ", ");
        crd_i_put_quoted(writing, crd_i_dictionary_text(node->states, i));
    }
    crd_i_put_words(writing, ");\n");
}

static void dne_write_put_node(crd_i_writing *writing, const crd_i_network_identifiers *identifiers, size_t index) {
    static const char *const kinds[] = {
        [CRD_NODE_CHANCE] = "NATURE", [CRD_NODE_DECISION] = "DECISION", [CRD_NODE_UTILITY] = "UTILITY"};
    const crd_i_node *node = &identifiers->network->nodes[index];
    const crd_text name = crd_i_dictionary_text(identifiers->nodes, index);
    const bool is_utility = node->kind == CRD_NODE_UTILITY;
    crd_i_put_words(writing, "  node ");
    crd_i_put(writing, name.bytes, name.length);
    crd_i_put_words(writing, " {\n    kind = ");
    crd_i_put_words(writing, kinds[node->kind]);
    crd_i_put_words(writing, is_utility ? ";\n    discrete = FALSE;\n" : ";\n    discrete = TRUE;\n");
    if (!is_utility) put_list(writing, "states", identifiers->states[index], NULL, crd_i_node_states(node));
    put_list(writing, "parents", identifiers->nodes, node->parents, node->parent_count);
    if (node->table != NULL) dne_write_put_table(writing, identifiers->network, node);
    put_titles(writing, identifiers, index);
    crd_i_put_words(writing, "  };\n");
}

crd_status crd_i_dne_write(const crd_network *network, crd_i_buffer *out, crd_error *error) {
    crd_i_writing writing = {out, false, {NULL, 0}};
    crd_i_network_identifiers identifiers;
    writing.failed = !crd_i_network_identifiers_create(&identifiers, network, &rules, &rules);
    const bool has_name = crd_i_is_identifier(network->name, &rules);
    const crd_text name = has_name ? network->name : crd_text_of(CRD_I_NETWORK_UNNAMED);
    crd_i_put_words(&writing, "// ~->[DNET-1]->~\nbnet ");
    crd_i_put(&writing, name.bytes, name.length);
    crd_i_put_words(&writing, " {\n");
    for (size_t i = 0; !writing.failed && i < network->count; i++) dne_write_put_node(&writing, &identifiers, i);
    crd_i_put_words(&writing, "};\n");
    crd_i_network_identifiers_clear(&identifiers);
    return crd_i_writing_end(&writing, "cannot be written: it contains a NUL byte", error);
}
