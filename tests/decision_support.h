/* SPDX-License-Identifier: MIT */
/* decision_support.h - networks with decisions, utilities and Gaussian nodes in tests. */
#ifndef DECISION_SUPPORT_H
#define DECISION_SUPPORT_H

#include "network_support.h"

/* States and parents are words with blanks between them. A decision has no numbers, a utility and a Gaussian node no
 * states. */
typedef struct node_spec {
    const char *name;
    crd_node_kind kind;
    const char *states, *parents;
    double numbers[24];
} node_spec;

static inline size_t cut_words(const char *text, crd_text *words) {
    size_t count = 0;
    while (*text != '\0') {
        size_t length = strcspn(text, " ");
        words[count].bytes = text;
        words[count++].length = length;
        text += length;
        while (*text == ' ') text++;
    }
    return count;
}

static inline crd_network *build_network(crd_context *context, const node_spec *specs, size_t count) {
    crd_network *network = NULL;
    crd_error error;
    crd_text words[128];
    assert_done(crd_i_network_create(context, crd_text_of("built"), &network, &error), error);
    for (size_t i = 0; i < count; i++) {
        size_t node, states = cut_words(specs[i].kind == CRD_NODE_UTILITY ? "value" : specs[i].states, words);
        if (specs[i].kind == CRD_NODE_GAUSSIAN) {
            assert_done(crd_i_network_add_gaussian(network, crd_text_of(specs[i].name), &node, &error), error);
            continue;
        }
        assert_done(crd_i_network_add(network, crd_text_of(specs[i].name), words, states, &node, &error), error);
        crd_i_network_set_kind(network, node, specs[i].kind);
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t parents[128];
        size_t parent_count = cut_words(specs[i].parents, words);
        for (size_t j = 0; j < parent_count; j++) {
            int32_t parent = crd_i_network_find(network, words[j]);
            assert_true(parent >= 0);
            parents[j] = (uint32_t)parent;
        }
        assert_done(crd_i_network_set_parents(network, i, parents, parent_count, &error), error);
        if (specs[i].kind == CRD_NODE_DECISION) continue;
        size_t cells = network->nodes[i].rows * crd_i_node_width(&network->nodes[i]);
        double *table = crd_i_alloc(context, cells, sizeof *table);
        assert_non_null(table);
        assert_true(cells <= 24);
        memcpy(table, specs[i].numbers, cells * sizeof *table);
        assert_done(crd_i_network_take_table(network, i, table, &error), error);
    }
    assert_done(crd_i_network_finish(network, &error), error);
    return network;
}

#endif
