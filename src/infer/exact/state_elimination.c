/* SPDX-License-Identifier: MIT */
/* state_elimination.c - see state_elimination.h. */
#include "infer/exact/state_elimination.h"

#include "base/error.h"

#include <string.h>

static size_t state_elimination_family_size(const crd_i_node *node) {
    return node->parent_count + 1;
}

/* Returns a member of a node's family: the parents in order, then the node itself. */
static uint32_t state_elimination_family(const crd_network *network, uint32_t node, size_t place) {
    const crd_i_node *own_node = &network->nodes[node];
    return place < own_node->parent_count ? own_node->parents[place] : node;
}

crd_status crd_i_state_elimination_open(crd_i_state_elimination *narrowing, const crd_network *network,
                                        const bool *tables, const crd_i_evidence *findings, crd_error *error) {
    crd_i_arena *arena = crd_i_arena_create(network->context);
    size_t max_states = 1, total = 0;
    crd_i_state_elimination elimination = {
        .arena = arena, .network = network, .tables = tables, .findings = findings, .widest = 1};
    for (size_t i = 0; i < network->count; i++) {
        size_t states = 0, family_size = state_elimination_family_size(&network->nodes[i]);
        total += crd_i_node_states(&network->nodes[i]);
        if (!tables[i]) continue;
        for (size_t j = 0; j < family_size; j++)
            states += crd_i_node_states(&network->nodes[state_elimination_family(network, (uint32_t)i, j)]);
        if (states > max_states) max_states = states;
        if (family_size > elimination.widest) elimination.widest = family_size;
    }
    elimination.starts = crd_i_arena_alloc(arena, network->count + 1, sizeof *elimination.starts);
    elimination.sizes = crd_i_arena_alloc(arena, network->count, sizeof *elimination.sizes);
    elimination.waiting = crd_i_arena_alloc(arena, network->count, sizeof *elimination.waiting);
    elimination.is_waiting = crd_i_arena_alloc_zeroed(arena, network->count, sizeof *elimination.is_waiting);
    elimination.states = crd_i_arena_alloc(arena, total, sizeof *elimination.states);
    elimination.is_seen = crd_i_arena_alloc(arena, max_states, sizeof *elimination.is_seen);
    elimination.places = crd_i_arena_alloc(arena, elimination.widest, sizeof *elimination.places);
    elimination.seen_at = crd_i_arena_alloc(arena, elimination.widest, sizeof *elimination.seen_at);
    *narrowing = elimination;
    if (crd_i_arena_failed(arena)) {
        crd_i_arena_destroy(arena);
        return crd_i_fail_memory(error);
    }
    elimination.starts[0] = 0;
    for (size_t i = 0; i < network->count; i++)
        elimination.starts[i + 1] = elimination.starts[i] + crd_i_node_states(&network->nodes[i]);
    return CRD_OK;
}

void crd_i_state_elimination_close(crd_i_state_elimination *narrowing) {
    crd_i_arena_destroy(narrowing->arena);
}

static void begin_node(crd_i_state_elimination *elimination, size_t node, bool counts) {
    const crd_i_evidence *findings = elimination->findings;
    uint32_t *states = elimination->states + elimination->starts[node], left = 0;
    for (uint32_t i = 0; i < elimination->starts[node + 1] - elimination->starts[node]; i++) {
        if (counts && findings->states[node] >= 0 && findings->states[node] != (int32_t)i) continue;
        if (counts && findings->likelihoods != NULL && findings->likelihoods[node] != NULL &&
            !(findings->likelihoods[node][i] > 0))
            continue;
        states[left++] = i;
    }
    elimination->sizes[node] = left;
}

static void state_elimination_mark(crd_i_state_elimination *elimination, size_t index, size_t *unseen) {
    if (!elimination->is_seen[index]) --*unseen;
    elimination->is_seen[index] = true;
}

/* Scans the rows of a family's table over the remaining states and marks states with a positive entry, until all are
 * marked. Returns the number of unmarked states. */
static size_t mark_seen(crd_i_state_elimination *elimination, uint32_t node) {
    const crd_i_node *current_node = &elimination->network->nodes[node];
    size_t parents = current_node->parent_count, unseen = 0,
           states = elimination->starts[node + 1] - elimination->starts[node];
    const uint32_t *left = elimination->states + elimination->starts[node];
    for (size_t i = 0; i <= parents; i++) {
        elimination->places[i] = 0;
        elimination->seen_at[i] = unseen;
        unseen += elimination->sizes[i < parents ? current_node->parents[i] : node];
    }
    memset(elimination->is_seen, 0, unseen * sizeof *elimination->is_seen);
    for (;;) {
        size_t row = 0;
        bool is_possible = false;
        for (size_t i = 0; i < parents; i++) {
            size_t start = elimination->starts[current_node->parents[i]];
            row = row * (elimination->starts[current_node->parents[i] + 1] - start) +
                  elimination->states[start + elimination->places[i]];
        }
        for (size_t i = 0; i < elimination->sizes[node]; i++) {
            if (!(current_node->table[row * states + left[i]] > 0)) continue;
            is_possible = true;
            state_elimination_mark(elimination, elimination->seen_at[parents] + i, &unseen);
        }
        for (size_t i = 0; is_possible && i < parents; i++)
            state_elimination_mark(elimination, elimination->seen_at[i] + elimination->places[i], &unseen);
        if (unseen == 0) return 0;
        size_t i = parents;
        while (i > 0 && ++elimination->places[i - 1] == elimination->sizes[current_node->parents[i - 1]])
            elimination->places[--i] = 0;
        if (i == 0) return unseen;
    }
}

/* Ring buffer of nodes whose tables must be checked again. */
typedef struct waiting_line {
    size_t next, count;
} waiting_line;

static void state_elimination_wait_for(crd_i_state_elimination *elimination, waiting_line *line, uint32_t node) {
    if (!elimination->tables[node] || elimination->is_waiting[node]) return;
    size_t capacity = elimination->network->count;
    elimination->waiting[(line->next + line->count++) % capacity] = node;
    elimination->is_waiting[node] = true;
}

/* Removes the unmarked states. */
static bool strike_out(crd_i_state_elimination *elimination, waiting_line *line, uint32_t node) {
    const crd_network *network = elimination->network;
    for (size_t i = 0; i < state_elimination_family_size(&network->nodes[node]); i++) {
        uint32_t member = state_elimination_family(network, node, i), left = 0;
        uint32_t *states = elimination->states + elimination->starts[member];
        for (size_t j = 0; j < elimination->sizes[member]; j++)
            if (elimination->is_seen[elimination->seen_at[i] + j]) states[left++] = states[j];
        if (left == elimination->sizes[member]) continue;
        elimination->sizes[member] = left;
        if (left == 0) return false;
        state_elimination_wait_for(elimination, line, member);
        for (size_t j = 0; j < network->nodes[member].child_count; j++)
            state_elimination_wait_for(elimination, line, network->nodes[member].children[j]);
    }
    return true;
}

bool crd_i_state_elimination_run(crd_i_state_elimination *elimination, const bool *counts) {
    const crd_network *network = elimination->network;
    waiting_line line = {0, 0};
    memset(elimination->is_waiting, 0, network->count * sizeof *elimination->is_waiting);
    for (size_t i = 0; i < network->count; i++) begin_node(elimination, i, counts == NULL || counts[i]);
    for (size_t i = 0; i < network->count; i++) state_elimination_wait_for(elimination, &line, network->order[i]);
    while (line.count > 0) {
        uint32_t node = elimination->waiting[line.next];
        line.next = (line.next + 1) % network->count;
        line.count--;
        elimination->is_waiting[node] = false;
        if (mark_seen(elimination, node) > 0 && !strike_out(elimination, &line, node)) return false;
    }
    return true;
}
