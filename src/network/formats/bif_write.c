/* SPDX-License-Identifier: MIT */
/* bif_write.c - see bif.h. */
#include "network/formats/bif.h"

#include "network/formats/network_draft.h"
#include "network/formats/network_identifiers.h"
#include "network/formats/network_writer.h"

/* What bnlearn, pgmpy and pyAgrum all read. */
static const char *const keywords[] = {"network",  "variable", "probability", "property", "type",
                                       "discrete", "table",    "default",     NULL};
static const crd_i_identifier_rules node_rules = {.further = "-", .keywords = keywords};
static const crd_i_identifier_rules state_rules = {.further = ".-", .may_begin_with_digit = true, .keywords = keywords};

typedef struct writer {
    crd_i_writing to;
    const crd_network *network;
    crd_i_network_identifiers identifiers;
} writer;

static void put_text(writer *own, crd_text text) {
    crd_i_put(&own->to, text.bytes, text.length);
}

static void put_name_property(writer *own, crd_text name) {
    crd_i_put_words(&own->to, "  property " CRD_I_BIF_NAME " = \"");
    crd_i_put_encoded(&own->to, name);
    crd_i_put_words(&own->to, "\";\n");
}

static void put_variable(writer *own, size_t index) {
    crd_i_writing *to = &own->to;
    const crd_i_node *node = &own->network->nodes[index];
    const crd_text name = crd_i_dictionary_text(own->identifiers.nodes, index);
    crd_i_put_words(to, "variable ");
    put_text(own, name);
    crd_i_put_words(to, " {\n  type discrete [ ");
    crd_i_put_count(to, crd_i_node_states(node));
    crd_i_put_words(to, " ] { ");
    for (size_t i = 0; i < crd_i_node_states(node); i++) {
        if (i > 0) crd_i_put_words(to, ", ");
        put_text(own, crd_i_dictionary_text(own->identifiers.states[index], i));
    }
    crd_i_put_words(to, " };\n");
    if (crd_i_network_identifiers_rename(&own->identifiers, index)) put_name_property(own, node->name);
    if (crd_i_network_identifiers_rename_states(&own->identifiers, index)) {
        crd_i_put_words(to, "  property " CRD_I_BIF_STATES " = \"");
        crd_i_put_encoded_list(to, node->states);
        crd_i_put_words(to, "\";\n");
    }
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

static void put_rows(writer *own, const crd_i_node *node) {
    crd_i_writing *to = &own->to;
    const size_t states = crd_i_node_states(node);
    for (size_t row = 0; row < node->rows && !to->failed; row++) {
        size_t stride = node->rows;
        crd_i_put_words(to, node->parent_count == 0 ? "  table" : "  (");
        for (size_t i = 0; i < node->parent_count; i++) {
            const crd_i_dictionary *parent = own->identifiers.states[node->parents[i]];
            stride /= crd_i_dictionary_size(parent);
            if (i > 0) crd_i_put_words(to, ", ");
            put_text(own, crd_i_dictionary_text(parent, row / stride % crd_i_dictionary_size(parent)));
        }
        if (node->parent_count > 0) crd_i_put_words(to, ")");
        put_row(to, node->table + row * states, states);
    }
}

static void put_table(writer *own, size_t index) {
    crd_i_writing *to = &own->to;
    const crd_i_node *node = &own->network->nodes[index];
    crd_i_put_words(to, "probability ( ");
    put_text(own, crd_i_dictionary_text(own->identifiers.nodes, index));
    for (size_t i = 0; i < node->parent_count; i++) {
        crd_i_put_words(to, i == 0 ? " | " : ", ");
        put_text(own, crd_i_dictionary_text(own->identifiers.nodes, node->parents[i]));
    }
    crd_i_put_words(to, " ) {\n");
    if (node->table == NULL) put_even(to, crd_i_node_states(node));
    else put_rows(own, node);
    crd_i_put_words(to, "}\n");
}

/* A name that is no identifier is in a property alone. */
static void put_network(writer *own) {
    const crd_text name = own->network->name;
    const bool is_plain = crd_i_is_identifier(name, &node_rules);
    crd_i_put_words(&own->to, "network ");
    put_text(own, is_plain ? name : crd_text_of(CRD_I_NETWORK_UNNAMED));
    crd_i_put_words(&own->to, " {\n");
    if (!is_plain && name.length > 0) put_name_property(own, name);
    crd_i_put_words(&own->to, "}\n");
}

crd_status crd_i_bif_write(const crd_network *network, crd_i_buffer *out, crd_error *error) {
    writer own = {.to = {out, false, {NULL, 0}}, .network = network};
    own.to.failed = !crd_i_network_identifiers_create(&own.identifiers, network, &node_rules, &state_rules);
    if (!own.to.failed) {
        put_network(&own);
        for (size_t i = 0; i < network->count; i++) put_variable(&own, i);
        for (size_t i = 0; i < network->count; i++) put_table(&own, i);
    }
    crd_i_network_identifiers_clear(&own.identifiers);
    return crd_i_writing_end(&own.to, "cannot be written: it holds a NUL byte", error);
}
