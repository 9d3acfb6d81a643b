/* SPDX-License-Identifier: MIT */
/* bif_write.c - see bif.h. */
#include "network/formats/bif.h"
#include "network/formats/network_writer.h"

#include <string.h>

static bool is_plain(char byte) {
    return byte > ' ' && strchr("(){}[],;|\"", byte) == NULL;
}

/* Quoted where the bare name would be read as something else. */
static void put_name(crd_i_writing *to, crd_text name) {
    static const char *const keywords[] = {"network", "variable", "probability", "property",
                                           "type",    "discrete", "table",       "default"};
    bool is_bare = name.length > 0;
    for (size_t i = 0; i < name.length; i++) {
        const char byte = name.bytes[i];
        if ((unsigned char)byte < 0x80 && !is_plain(byte)) is_bare = false;
        if (byte == '"' || byte == '\n' || byte == '\r' || byte == '\0') crd_i_writing_refuse(to, name);
    }
    if (name.length > 1 && name.bytes[0] == '/' && (name.bytes[1] == '/' || name.bytes[1] == '*')) is_bare = false;
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (crd_text_equal(name, crd_text_of(keywords[i]))) is_bare = false;
    if (!is_bare) crd_i_put_words(to, "\"");
    crd_i_put(to, name.bytes, name.length);
    if (!is_bare) crd_i_put_words(to, "\"");
}

static void put_variable(crd_i_writing *to, const crd_i_node *node) {
    crd_i_put_words(to, "variable ");
    put_name(to, node->name);
    crd_i_put_words(to, " {\n  type discrete [ ");
    crd_i_put_count(to, crd_i_node_states(node));
    crd_i_put_words(to, " ] { ");
    for (size_t i = 0; i < crd_i_node_states(node); i++) {
        if (i > 0) crd_i_put_words(to, ", ");
        put_name(to, crd_i_dictionary_text(node->states, i));
    }
    crd_i_put_words(to, " };\n");
    if (node->kind == CRD_NODE_DECISION) crd_i_put_words(to, "  property " CRD_I_BIF_OWN " " CRD_I_BIF_DECISION ";\n");
    if (node->kind == CRD_NODE_UTILITY) crd_i_put_words(to, "  property " CRD_I_BIF_OWN " " CRD_I_BIF_UTILITY ";\n");
    crd_i_put_words(to, "}\n");
}

static void put_row(crd_i_writing *to, const double *row, size_t count) {
    for (size_t i = 0; i < count; i++) {
        crd_i_put_words(to, i == 0 ? " " : ", ");
        crd_i_put_number(to, row[i]);
    }
    crd_i_put_words(to, ";\n");
}

/* Even odds for a decision, which has no table. */
static void put_even(crd_i_writing *to, size_t states) {
    crd_i_put_words(to, "  default");
    for (size_t i = 0; i < states; i++) {
        crd_i_put_words(to, i == 0 ? " " : ", ");
        crd_i_put_number(to, 1.0 / (double)states);
    }
    crd_i_put_words(to, ";\n");
}

static void put_rows(crd_i_writing *to, const crd_network *network, const crd_i_node *node) {
    const size_t states = crd_i_node_states(node);
    for (size_t row = 0; row < node->rows && !to->failed; row++) {
        size_t stride = node->rows;
        crd_i_put_words(to, node->parent_count == 0 ? "  table" : "  (");
        for (size_t i = 0; i < node->parent_count; i++) {
            const crd_i_node *parent = &network->nodes[node->parents[i]];
            stride /= crd_i_node_states(parent);
            if (i > 0) crd_i_put_words(to, ", ");
            put_name(to, crd_i_dictionary_text(parent->states, row / stride % crd_i_node_states(parent)));
        }
        if (node->parent_count > 0) crd_i_put_words(to, ")");
        put_row(to, node->table + row * states, states);
    }
}

static void put_table(crd_i_writing *to, const crd_network *network, const crd_i_node *node) {
    crd_i_put_words(to, "probability ( ");
    put_name(to, node->name);
    for (size_t i = 0; i < node->parent_count; i++) {
        crd_i_put_words(to, i == 0 ? " | " : ", ");
        put_name(to, network->nodes[node->parents[i]].name);
    }
    crd_i_put_words(to, " ) {\n");
    if (node->table == NULL) put_even(to, crd_i_node_states(node));
    else put_rows(to, network, node);
    crd_i_put_words(to, "}\n");
}

crd_status crd_i_bif_write(const crd_network *network, crd_i_buffer *out, crd_error *error) {
    crd_i_writing to = {out, false, {NULL, 0}};
    crd_i_put_words(&to, "network ");
    put_name(&to, network->name);
    crd_i_put_words(&to, " {\n}\n");
    for (size_t i = 0; i < network->count; i++) put_variable(&to, &network->nodes[i]);
    for (size_t i = 0; i < network->count; i++) put_table(&to, network, &network->nodes[i]);
    return crd_i_writing_end(&to,
                             "cannot be written as BIF, which knows no double quotes and ends of lines in names; "
                             "XMLBIF and NET do",
                             error);
}
