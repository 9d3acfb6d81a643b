/* SPDX-License-Identifier: MIT */
/* network_paths.c - the paths between two nodes, and what each node on them does: see credence/network.h.
 *
 * Paths come in the order of their lengths: for one length after the other, depth first. How many steps are left from a node
 * at the least is known from a search from the end, breadth first, over pairs of a node and whether the path came to it
 * along an arc; what cannot end in time is not gone into. There may be exponentially many paths, so steps are counted. */
#include "base/error.h"
#include "base/memory.h"
#include "network/network_internal.h"

#include <string.h>

/* Beyond these, what was found is what there is. */
enum { MOST_STEPS = 2000000 };

#define NOT_REACHED SIZE_MAX

typedef struct path_search {
    const crd_network *network;
    bool *is_given;
    bool *is_above; /* it is given, or arcs lead from it to a node that is */
    size_t from, to;
    bool is_open; /* open paths only */
    size_t most;
    size_t *left;  /* by node * 2, plus 1 where along an arc: how many steps to the end at the least */
    size_t *queue; /* of as many */
    /* The path at hand: nodes, whether each was come to along an arc, and which of its neighbours is next. */
    size_t *nodes, *next;
    bool *along, *is_on;
    size_t taken;
    bool is_cut; /* something longer was not gone into */
    size_t *found, *lengths;
    size_t count, total, capacity;
    bool is_more;
} path_search;

/* Whether a path that came to a node along an arc, or not, may leave it to a parent, or to a child. */
static bool lets_pass(const path_search *own, size_t node, bool along, bool to_parent) {
    if (!own->is_open) return true;
    return along && to_parent ? own->is_above[node] : !own->is_given[node];
}

/* ---- The least number of steps ---- */

static void reach(path_search *own, size_t node, bool to_parent, size_t steps, size_t *count) {
    if (node == own->to) return;
    for (size_t along = 0; along < 2; along++) {
        size_t state = node * 2 + along;
        if (own->left[state] != NOT_REACHED || !lets_pass(own, node, along == 1, to_parent)) continue;
        own->left[state] = steps;
        own->queue[(*count)++] = state;
    }
}

static void measure(path_search *own) {
    size_t count = 0;
    for (size_t i = 0; i < 2 * own->network->count; i++) own->left[i] = NOT_REACHED;
    for (size_t along = 0; along < 2; along++) {
        own->left[own->to * 2 + along] = 0;
        own->queue[count++] = own->to * 2 + along;
    }
    for (size_t i = 0; i < count; i++) {
        size_t at = own->queue[i] / 2, steps = own->left[own->queue[i]] + 1;
        const crd_i_node *node = &own->network->nodes[at];
        /* Come to along an arc: from a parent, which left to a child. */
        if (own->queue[i] % 2 == 1)
            for (size_t j = 0; j < node->parent_count; j++) reach(own, node->parents[j], false, steps, &count);
        else
            for (size_t j = 0; j < node->child_count; j++) reach(own, node->children[j], true, steps, &count);
    }
}

/* ---- Paths of one length ---- */

static crd_status keep(path_search *own, size_t length, crd_error *error) {
    crd_context *context = own->network->context;
    if (own->count == own->most) {
        own->is_more = true;
        return CRD_OK;
    }
    if (own->total + length > own->capacity) {
        size_t capacity = 2 * own->capacity + length, *larger = crd_i_alloc(context, capacity, sizeof *larger);
        if (larger == NULL) return crd_i_fail_memory(error);
        if (own->total > 0) memcpy(larger, own->found, own->total * sizeof *larger);
        crd_free(context, own->found);
        own->found = larger;
        own->capacity = capacity;
    }
    memcpy(own->found + own->total, own->nodes, length * sizeof *own->nodes);
    own->total += length;
    own->lengths[own->count++] = length;
    return CRD_OK;
}

/* Goes on from the node at `depth` to the next of its neighbours that can end in `steps`: false where there is none. */
static bool go_on(path_search *own, size_t depth, size_t steps) {
    size_t at = own->nodes[depth];
    const crd_i_node *node = &own->network->nodes[at];
    size_t neighbours = node->parent_count + node->child_count;
    while (own->next[depth] < neighbours) {
        size_t which = own->next[depth]++;
        bool to_parent = which < node->parent_count;
        size_t other = to_parent ? node->parents[which] : node->children[which - node->parent_count];
        size_t left = own->left[other * 2 + !to_parent];
        own->taken++;
        if (own->is_on[other] || left == NOT_REACHED) continue;
        if (depth > 0 && !lets_pass(own, at, own->along[depth], to_parent)) continue;
        if (depth + 1 + left > steps) {
            own->is_cut = true;
            continue;
        }
        if (other == own->to && depth + 1 < steps) continue; /* was found among the shorter ones */
        own->nodes[depth + 1] = other;
        own->along[depth + 1] = !to_parent;
        own->next[depth + 1] = 0;
        own->is_on[other] = true;
        return true;
    }
    return false;
}

static crd_status find_long(path_search *own, size_t steps, crd_error *error) {
    crd_status status = CRD_OK;
    size_t depth = 0;
    own->nodes[0] = own->from;
    own->next[0] = 0;
    own->is_cut = false;
    memset(own->is_on, 0, own->network->count * sizeof *own->is_on);
    own->is_on[own->from] = true;
    for (;;) {
        if (own->is_more || own->taken > MOST_STEPS) return CRD_OK;
        if (own->nodes[depth] != own->to && go_on(own, depth, steps)) {
            depth++;
            continue;
        }
        if (own->nodes[depth] == own->to) status = keep(own, depth + 1, error);
        if (status != CRD_OK || depth == 0) return status;
        own->is_on[own->nodes[depth--]] = false;
    }
}

static crd_status find_paths(path_search *own, crd_error *error) {
    crd_status status = CRD_OK;
    measure(own);
    own->is_cut = true;
    for (size_t steps = 1; status == CRD_OK && own->is_cut && steps < own->network->count; steps++) {
        status = find_long(own, steps, error);
        if (own->is_more || own->taken > MOST_STEPS) break;
    }
    own->is_more = own->is_more || own->taken > MOST_STEPS;
    return status;
}

/* ---- What is known ---- */

static crd_status mark_given(const crd_network *network, const size_t *given, size_t count, bool *is_given,
                             crd_error *error) {
    for (size_t i = 0; i < count; i++) {
        if (given[i] >= network->count)
            return crd_i_fail(error, CRD_ERROR_ARGUMENT, "there is no node %zu: there are %zu", given[i],
                              network->count);
        is_given[given[i]] = true;
    }
    return CRD_OK;
}

static void mark_above(const crd_network *network, const bool *is_given, bool *is_above) {
    for (size_t i = network->count; i-- > 0;) {
        size_t at = network->order[i];
        const crd_i_node *node = &network->nodes[at];
        if (is_given[at]) is_above[at] = true;
        for (size_t j = 0; is_above[at] && j < node->parent_count; j++) is_above[node->parents[j]] = true;
    }
}

static crd_status check_ends(const crd_network *network, size_t a, size_t b, crd_error *error) {
    if (a >= network->count || b >= network->count)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "there is no node %zu: there are %zu", a < b ? b : a,
                          network->count);
    if (a == b) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "a path leads from a node to another one");
    return CRD_OK;
}

crd_status crd_network_paths(const crd_network *network, size_t a, size_t b, const size_t *given, size_t given_count,
                             int is_open, size_t most, size_t **nodes, size_t **lengths, size_t *count,
                             int *is_complete, crd_error *error) {
    crd_context *context = network->context;
    const size_t size = network->count;
    path_search own = {.network = network, .from = a, .to = b, .is_open = is_open != 0, .most = most};
    *nodes = *lengths = NULL;
    *count = 0;
    *is_complete = 0;
    crd_status status = check_ends(network, a, b, error);
    if (status != CRD_OK) return status;
    bool *marks = crd_i_alloc_zeroed(context, 4 * size, sizeof *marks);
    size_t *room = crd_i_alloc(context, 6 * size, sizeof *room);
    own.lengths = crd_i_alloc(context, most + 1, sizeof *own.lengths);
    if (marks == NULL || room == NULL || own.lengths == NULL) {
        status = crd_i_fail_memory(error);
    } else {
        own.is_given = marks;
        own.is_above = marks + size;
        own.along = marks + 2 * size;
        own.is_on = marks + 3 * size;
        own.left = room;
        own.queue = room + 2 * size;
        own.nodes = room + 4 * size;
        own.next = room + 5 * size;
        status = mark_given(network, given, given_count, own.is_given, error);
    }
    if (status == CRD_OK) {
        mark_above(network, own.is_given, own.is_above);
        status = find_paths(&own, error);
    }
    crd_free(context, marks);
    crd_free(context, room);
    if (status != CRD_OK) {
        crd_free(context, own.found);
        crd_free(context, own.lengths);
        return status;
    }
    *nodes = own.found;
    *lengths = own.lengths;
    *count = own.count;
    *is_complete = !own.is_more;
    return CRD_OK;
}

/* ---- The nodes of a path ---- */

static bool has_arc(const crd_network *network, size_t parent, size_t child) {
    const crd_i_node *node = &network->nodes[child];
    for (size_t i = 0; i < node->parent_count; i++)
        if (node->parents[i] == parent) return true;
    return false;
}

/* The nearest node that is given among a node and those below it; CRD_NONE: there is none. */
static size_t given_below(const crd_network *network, size_t start, const bool *is_given, bool *is_seen,
                          size_t *queue) {
    size_t reached = 1;
    memset(is_seen, 0, network->count * sizeof *is_seen);
    queue[0] = start;
    is_seen[start] = true;
    for (size_t i = 0; i < reached; i++) {
        const crd_i_node *node = &network->nodes[queue[i]];
        if (is_given[queue[i]]) return queue[i];
        for (size_t j = 0; j < node->child_count; j++) {
            if (!is_seen[node->children[j]]) queue[reached++] = node->children[j];
            is_seen[node->children[j]] = true;
        }
    }
    return CRD_NONE;
}

crd_status crd_network_path_nodes(const crd_network *network, const size_t *path, size_t length, const size_t *given,
                                  size_t given_count, crd_path_node *out, crd_error *error) {
    crd_context *context = network->context;
    bool *marks = crd_i_alloc_zeroed(context, 2 * network->count, sizeof *marks);
    size_t *queue = crd_i_alloc(context, network->count, sizeof *queue);
    crd_status status = marks == NULL || queue == NULL ? crd_i_fail_memory(error) : CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < length; i++) {
        if (path[i] >= network->count ||
            (i > 0 && !has_arc(network, path[i - 1], path[i]) && !has_arc(network, path[i], path[i - 1])))
            status = crd_i_fail(error, CRD_ERROR_ARGUMENT, "no arc leads on to place %zu of the path", i);
    }
    if (status == CRD_OK) status = mark_given(network, given, given_count, marks, error);
    for (size_t i = 0; status == CRD_OK && i < length; i++) {
        out[i] = (crd_path_node){path[i], CRD_PATH_END, 0, CRD_NONE};
        if (i == 0 || i + 1 == length) continue;
        bool from_left = has_arc(network, path[i - 1], path[i]), from_right = has_arc(network, path[i + 1], path[i]);
        out[i].role = from_left && from_right     ? CRD_PATH_COMMON_EFFECT
                      : !from_left && !from_right ? CRD_PATH_COMMON_CAUSE
                                                  : CRD_PATH_CHAIN;
        if (out[i].role == CRD_PATH_COMMON_EFFECT) {
            out[i].opened_by = given_below(network, path[i], marks, marks + network->count, queue);
            out[i].is_blocking = out[i].opened_by == CRD_NONE;
        } else {
            out[i].is_blocking = marks[path[i]];
        }
    }
    crd_free(context, marks);
    crd_free(context, queue);
    return status;
}
