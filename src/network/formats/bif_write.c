/* SPDX-License-Identifier: MIT */
/* bif_write.c - see bif.h. */
#include "network/formats/bif.h"

#include "network/formats/network_draft.h"
#include "network/formats/network_identifiers.h"
#include "network/formats/network_writer.h"

/* Names that bnlearn, pgmpy and pyAgrum can all read. */
static const char *const keywords[] = {"network",  "variable", "probability", "property", "type",
                                       "discrete", "table",    "default",     NULL};
static const crd_i_identifier_rules node_rules = {.further = "-", .keywords = keywords};
static const crd_i_identifier_rules state_rules = {.further = ".-", .may_begin_with_digit = true, .keywords = keywords};

typedef struct write_writer {
    crd_i_writing output;
    const crd_network *network;
    crd_i_network_identifiers identifiers;
} write_writer;

static void bif_write_put_text(write_writer *writer, crd_text text) {
    crd_i_put(&writer->output, text.bytes, text.length);
}

static void put_name_property(write_writer *writer, crd_text name) {
    crd_i_put_words(&writer->output, "  property " CRD_I_BIF_NAME " = \"");
    crd_i_put_encoded(&writer->output, name);
    crd_i_put_words(&writer->output, "\";\n");
}

static void bif_write_put_variable(write_writer *writer, size_t index) {
    crd_i_writing *writing = &writer->output;
    const crd_i_node *node = &writer->network->nodes[index];
    const crd_text name = crd_i_dictionary_text(writer->identifiers.nodes, index);
    crd_i_put_words(writing, "variable ");
    bif_write_put_text(writer, name);
    crd_i_put_words(writing, " {\n  type discrete [ ");
    crd_i_put_count(writing, crd_i_node_states(node));
    crd_i_put_words(writing, " ] { ");
    for (size_t i = 0; i < crd_i_node_states(node); i++) {
        if (i > 0) crd_i_put_words(writing, ", ");
        bif_write_put_text(writer, crd_i_dictionary_text(writer->identifiers.states[index], i));
    }
    crd_i_put_words(writing, " };\n");
    if (crd_i_network_identifiers_rename(&writer->identifiers, index)) put_name_property(writer, node->name);
    if (crd_i_network_identifiers_rename_states(&writer->identifiers, index)) {
        crd_i_put_words(writing, "  property " CRD_I_BIF_STATES " = \"");
        crd_i_put_encoded_list(writing, node->states);
        crd_i_put_words(writing, "\";\n");
    }
    if (node->kind == CRD_NODE_DECISION)
        crd_i_put_words(writing, "  property " CRD_I_BIF_OWN " " CRD_I_BIF_DECISION ";\n");
    if (node->kind == CRD_NODE_UTILITY)
        crd_i_put_words(writing, "  property " CRD_I_BIF_OWN " " CRD_I_BIF_UTILITY ";\n");
    crd_i_put_words(writing, "}\n");
}

static void bif_write_put_row(crd_i_writing *writing, const double *row, size_t count) {
    for (size_t i = 0; i < count; i++) {
        crd_i_put_words(writing, i == 0 ? " " : ", ");
        crd_i_put_number(writing, row[i]);
    }
    crd_i_put_words(writing, ";\n");
}

/* Writes equal probabilities for a decision, which has no table. */
static void put_even(crd_i_writing *writing, size_t states) {
    crd_i_put_words(writing, "  default");
    for (size_t i = 0; i < states; i++) {
        crd_i_put_words(writing, i == 0 ? " " : ", ");
        crd_i_put_number(writing, 1.0 / (double)states);
    }
    crd_i_put_words(writing, ";\n");
}

static void put_rows(write_writer *writer, const crd_i_node *node) {
    crd_i_writing *writing = &writer->output;
    const size_t states = crd_i_node_states(node);
    for (size_t row = 0; row < node->rows && !writing->failed; row++) {
        size_t stride = node->rows;
        crd_i_put_words(writing, node->parent_count == 0 ? "  table" : "  (");
        for (size_t i = 0; i < node->parent_count; i++) {
            const crd_i_dictionary *parent = writer->identifiers.states[node->parents[i]];
            stride /= crd_i_dictionary_size(parent);
            if (i > 0) crd_i_put_words(writing, ", ");
            bif_write_put_text(writer, crd_i_dictionary_text(parent, row / stride % crd_i_dictionary_size(parent)));
        }
        if (node->parent_count > 0) crd_i_put_words(writing, ")");
        bif_write_put_row(writing, node->table + row * states, states);
    }
}

static void bif_write_put_table(write_writer *writer, size_t index) {
    crd_i_writing *writing = &writer->output;
    const crd_i_node *node = &writer->network->nodes[index];
    crd_i_put_words(writing, "probability ( ");
    bif_write_put_text(writer, crd_i_dictionary_text(writer->identifiers.nodes, index));
    for (size_t i = 0; i < node->parent_count; i++) {
        crd_i_put_words(writing, i == 0 ? " | " : ", ");
        bif_write_put_text(writer, crd_i_dictionary_text(writer->identifiers.nodes, node->parents[i]));
    }
    crd_i_put_words(writing, " ) {\n");
    if (node->table == NULL) put_even(writing, crd_i_node_states(node));
    else put_rows(writer, node);
    crd_i_put_words(writing, "}\n");
}

/* Writes the network block. A name that is not an identifier is written only as a property. */
static void put_network(write_writer *writer) {
    const crd_text name = writer->network->name;
    const bool is_plain = crd_i_is_identifier(name, &node_rules);
    crd_i_put_words(&writer->output, "network ");
    bif_write_put_text(writer, is_plain ? name : crd_text_of(CRD_I_NETWORK_UNNAMED));
    crd_i_put_words(&writer->output, " {\n");
    if (!is_plain && name.length > 0) put_name_property(writer, name);
    crd_i_put_words(&writer->output, "}\n");
}

crd_status crd_i_bif_write(const crd_network *network, crd_i_buffer *out, crd_error *error) {
    write_writer writer = {.output = {out, false, {NULL, 0}}, .network = network};
    writer.output.failed = !crd_i_network_identifiers_create(&writer.identifiers, network, &node_rules, &state_rules);
    if (!writer.output.failed) {
        put_network(&writer);
        for (size_t i = 0; i < network->count; i++) bif_write_put_variable(&writer, i);
        for (size_t i = 0; i < network->count; i++) bif_write_put_table(&writer, i);
    }
    crd_i_network_identifiers_clear(&writer.identifiers);
    return crd_i_writing_end(&writer.output, "cannot be written: it contains a NUL byte", error);
}
