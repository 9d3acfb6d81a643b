/* SPDX-License-Identifier: MIT */
/* state_elimination.c - see state_elimination.h. */
#include "infer/exact/state_elimination.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

static size_t family_size(const crd_i_node *node) {
    return node->parent_count + 1;
}

/* Parents in their order, then the node itself. */
static uint32_t family_at(const crd_network *network, uint32_t node, size_t place) {
    const crd_i_node *own = &network->nodes[node];
    return place < own->parent_count ? own->parents[place] : node;
}

crd_status crd_i_state_elimination_open(crd_i_state_elimination *narrowing, const crd_network *network,
                                        const bool *tables, const crd_i_evidence *findings, crd_error *error) {
    crd_context *context = network->context;
    size_t most_states = 1;
    crd_i_state_elimination own = {.network = network, .tables = tables, .findings = findings, .widest = 1};
    own.starts = crd_i_alloc(context, network->count + 1, sizeof *own.starts);
    own.sizes = crd_i_alloc(context, network->count, sizeof *own.sizes);
    own.waiting = crd_i_alloc(context, network->count, sizeof *own.waiting);
    own.is_waiting = crd_i_alloc_zeroed(context, network->count, sizeof *own.is_waiting);
    bool done = own.starts != NULL && own.sizes != NULL && own.waiting != NULL && own.is_waiting != NULL;
    size_t total = 0;
    for (size_t i = 0; done && i < network->count; i++) {
        size_t states = 0;
        own.starts[i] = total;
        total += crd_i_node_states(&network->nodes[i]);
        if (!tables[i]) continue;
        for (size_t j = 0; j < family_size(&network->nodes[i]); j++)
            states += crd_i_node_states(&network->nodes[family_at(network, (uint32_t)i, j)]);
        if (states > most_states) most_states = states;
        if (family_size(&network->nodes[i]) > own.widest) own.widest = family_size(&network->nodes[i]);
    }
    if (done) {
        own.starts[network->count] = total;
        own.states = crd_i_alloc(context, total, sizeof *own.states);
        own.is_seen = crd_i_alloc(context, most_states, sizeof *own.is_seen);
        own.places = crd_i_alloc(context, own.widest, sizeof *own.places);
        own.seen_at = crd_i_alloc(context, own.widest, sizeof *own.seen_at);
        done = own.states != NULL && own.is_seen != NULL && own.places != NULL && own.seen_at != NULL;
    }
    *narrowing = own;
    if (done) return CRD_OK;
    crd_i_state_elimination_close(narrowing);
    return crd_i_fail_memory(error);
}

void crd_i_state_elimination_close(crd_i_state_elimination *narrowing) {
    crd_context *context = narrowing->network->context;
    crd_free(context, narrowing->starts);
    crd_free(context, narrowing->sizes);
    crd_free(context, narrowing->waiting);
    crd_free(context, narrowing->is_waiting);
    crd_free(context, narrowing->states);
    crd_free(context, narrowing->is_seen);
    crd_free(context, narrowing->places);
    crd_free(context, narrowing->seen_at);
}

static void begin_node(crd_i_state_elimination *own, size_t node, bool counts) {
    const crd_i_evidence *findings = own->findings;
    uint32_t *states = own->states + own->starts[node], left = 0;
    for (uint32_t i = 0; i < own->starts[node + 1] - own->starts[node]; i++) {
        if (counts && findings->states[node] >= 0 && findings->states[node] != (int32_t)i) continue;
        if (counts && findings->likelihoods != NULL && findings->likelihoods[node] != NULL &&
            !(findings->likelihoods[node][i] > 0))
            continue;
        states[left++] = i;
    }
    own->sizes[node] = left;
}

static void mark(crd_i_state_elimination *own, size_t at, size_t *unseen) {
    if (!own->is_seen[at]) --*unseen;
    own->is_seen[at] = true;
}

/* Goes through the rows of a family's table, as far as its states are left, and marks the states for which a cell is
 * above 0, until all are marked. Returns how many are not. */
static size_t mark_seen(crd_i_state_elimination *own, uint32_t node) {
    const crd_i_node *at = &own->network->nodes[node];
    size_t parents = at->parent_count, unseen = 0, states = own->starts[node + 1] - own->starts[node];
    const uint32_t *left = own->states + own->starts[node];
    for (size_t i = 0; i <= parents; i++) {
        own->places[i] = 0;
        own->seen_at[i] = unseen;
        unseen += own->sizes[i < parents ? at->parents[i] : node];
    }
    memset(own->is_seen, 0, unseen * sizeof *own->is_seen);
    for (;;) {
        size_t row = 0;
        bool is_possible = false;
        for (size_t i = 0; i < parents; i++) {
            size_t start = own->starts[at->parents[i]];
            row = row * (own->starts[at->parents[i] + 1] - start) + own->states[start + own->places[i]];
        }
        for (size_t i = 0; i < own->sizes[node]; i++) {
            if (!(at->table[row * states + left[i]] > 0)) continue;
            is_possible = true;
            mark(own, own->seen_at[parents] + i, &unseen);
        }
        for (size_t i = 0; is_possible && i < parents; i++) mark(own, own->seen_at[i] + own->places[i], &unseen);
        if (unseen == 0) return 0;
        size_t i = parents;
        while (i > 0 && ++own->places[i - 1] == own->sizes[at->parents[i - 1]]) own->places[--i] = 0;
        if (i == 0) return unseen;
    }
}

/* A ring of nodes whose tables are to be looked at again. */
typedef struct waiting_line {
    size_t next, count;
} waiting_line;

static void wait_for(crd_i_state_elimination *own, waiting_line *line, uint32_t node) {
    if (!own->tables[node] || own->is_waiting[node]) return;
    size_t room = own->network->count;
    own->waiting[(line->next + line->count++) % room] = node;
    own->is_waiting[node] = true;
}

/* Strikes out what was not seen. */
static bool strike_out(crd_i_state_elimination *own, waiting_line *line, uint32_t node) {
    const crd_network *network = own->network;
    for (size_t i = 0; i < family_size(&network->nodes[node]); i++) {
        uint32_t member = family_at(network, node, i), left = 0;
        uint32_t *states = own->states + own->starts[member];
        for (size_t j = 0; j < own->sizes[member]; j++)
            if (own->is_seen[own->seen_at[i] + j]) states[left++] = states[j];
        if (left == own->sizes[member]) continue;
        own->sizes[member] = left;
        if (left == 0) return false;
        wait_for(own, line, member);
        for (size_t j = 0; j < network->nodes[member].child_count; j++)
            wait_for(own, line, network->nodes[member].children[j]);
    }
    return true;
}

bool crd_i_state_elimination_run(crd_i_state_elimination *own, const bool *counts) {
    const crd_network *network = own->network;
    waiting_line line = {0, 0};
    memset(own->is_waiting, 0, network->count * sizeof *own->is_waiting);
    for (size_t i = 0; i < network->count; i++) begin_node(own, i, counts == NULL || counts[i]);
    for (size_t i = 0; i < network->count; i++) wait_for(own, &line, network->order[i]);
    while (line.count > 0) {
        uint32_t node = own->waiting[line.next];
        line.next = (line.next + 1) % network->count;
        line.count--;
        own->is_waiting[node] = false;
        if (mark_seen(own, node) > 0 && !strike_out(own, &line, node)) return false;
    }
    return true;
}
