/* SPDX-License-Identifier: MIT */
/* network_support.h - small networks in tests, and their answers by enumeration. */
#ifndef NETWORK_SUPPORT_H
#define NETWORK_SUPPORT_H

#include "base/memory.h"
#include "infer/exact/junction_tree.h"
#include "io/page_source.h"
#include "math/random.h"
#include "model_support.h"
#include "network/d_separation.h"
#include "network/formats/network_format.h"

static inline crd_network *read_network(crd_context *context, const char *text) {
    crd_network *network = NULL;
    crd_error error;
    assert_done(crd_i_bif_read(context, crd_text_of(text), "text", &network, &error), error);
    return network;
}

/* A network of data/networks by its name, or NULL where the data are not there. */
static inline crd_network *load_network(crd_context *context, const char *name) {
    char path[512];
    unsigned char *bytes = NULL;
    size_t length = 0;
    crd_error error;
    crd_network *network = NULL;
    snprintf(path, sizeof path, "%s/networks/%s.bif", CREDENCE_DATA, name);
    if (crd_i_file_read(context, path, &bytes, &length, &error) != CRD_OK) return NULL;
    crd_text text = {(const char *)bytes, length};
    assert_done(crd_i_bif_read(context, text, name, &network, &error), error);
    crd_free(context, bytes);
    return network;
}

/* Nodes of 1 to `max_states` states with up to `max_parents` earlier ones as parents; one number in eight is 0. */
static inline crd_network *random_network(crd_context *context, uint64_t seed, size_t count, size_t max_states,
                                          size_t max_parents) {
    crd_i_random random = crd_i_random_at(seed, 0);
    crd_network *network = NULL;
    crd_error error;
    assert_done(crd_i_network_create(context, crd_text_of("random"), &network, &error), error);
    for (size_t i = 0; i < count; i++) {
        char name[32], words[64][24];
        crd_text states[64];
        uint32_t parents[8];
        size_t node, parent_count = 0, state_count = 1 + crd_i_random_below(&random, max_states);
        snprintf(name, sizeof name, "n%zu", i);
        for (size_t j = 0; j < state_count; j++) {
            snprintf(words[j], sizeof words[j], "s%zu", j);
            states[j] = crd_text_of(words[j]);
        }
        assert_done(crd_i_network_add(network, crd_text_of(name), states, state_count, &node, &error), error);
        size_t wanted = crd_i_random_below(&random, max_parents + 1);
        for (size_t j = 0; j < wanted && i > 0; j++) {
            uint32_t parent = (uint32_t)crd_i_random_below(&random, i);
            bool is_new = true;
            for (size_t k = 0; k < parent_count; k++) is_new = is_new && parents[k] != parent;
            if (is_new) parents[parent_count++] = parent;
        }
        assert_done(crd_i_network_set_parents(network, node, parents, parent_count, &error), error);
        size_t rows = network->nodes[node].rows;
        double *table = crd_i_alloc(context, rows * state_count, sizeof *table);
        assert_non_null(table);
        for (size_t row = 0; row < rows; row++) {
            double sum = 0;
            for (size_t j = 0; j < state_count; j++) {
                double p = crd_i_random_below(&random, 8) == 0 ? 0 : crd_i_random_open(&random);
                if (j + 1 == state_count && sum + p == 0) p = 1;
                sum += table[row * state_count + j] = p;
            }
            for (size_t j = 0; j < state_count; j++) table[row * state_count + j] /= sum;
        }
        assert_done(crd_i_network_take_table(network, node, table, &error), error);
    }
    assert_done(crd_i_network_finish(network, &error), error);
    return network;
}

/* The number that the network's tables give for a state of every node, rows divided by their sums. */
static inline double joint_probability(const crd_network *network, const int32_t *states) {
    double product = 1;
    for (size_t i = 0; i < network->count; i++) {
        const crd_i_node *node = &network->nodes[i];
        size_t row = 0, state_count = crd_i_node_states(node);
        for (size_t j = 0; j < node->parent_count; j++)
            row = row * crd_i_node_states(&network->nodes[node->parents[j]]) + (size_t)states[node->parents[j]];
        double sum = 0;
        for (size_t j = 0; j < state_count; j++) sum += node->table[row * state_count + j];
        product *= node->table[row * state_count + (size_t)states[i]] / sum;
    }
    return product;
}

/* By going through every combination of states: posteriors one after the other, the probability of the evidence, and
 * the greatest joint probability. */
static inline double enumerate(const crd_network *network, const crd_i_evidence *findings, double *posteriors,
                               double *most) {
    int32_t states[32] = {0};
    size_t starts[33] = {0};
    double total = 0;
    *most = 0;
    for (size_t i = 0; i < network->count; i++) starts[i + 1] = starts[i] + crd_i_node_states(&network->nodes[i]);
    memset(posteriors, 0, starts[network->count] * sizeof *posteriors);
    for (;;) {
        double p = joint_probability(network, states);
        for (size_t i = 0; i < network->count; i++) {
            if (findings->states[i] >= 0 && findings->states[i] != states[i]) p = 0;
            if (findings->likelihoods != NULL && findings->likelihoods[i] != NULL)
                p *= findings->likelihoods[i][states[i]];
        }
        for (size_t i = 0; i < network->count; i++) posteriors[starts[i] + (size_t)states[i]] += p;
        total += p;
        if (p > *most) *most = p;
        size_t i = 0;
        while (i < network->count && ++states[i] == (int32_t)crd_i_node_states(&network->nodes[i])) states[i++] = 0;
        if (i == network->count) break;
    }
    for (size_t i = 0; i < starts[network->count]; i++) posteriors[i] /= total;
    return total;
}

#endif
