/* SPDX-License-Identifier: MIT */
/* network_paths.c - the paths between two nodes, and the role of each node on them: see credence/network.h.
 *
 * Paths are listed by length: a depth-first search is run for each length in turn. A breadth-first search from the
 * end, over pairs of a node and its direction, gives the minimum number of remaining steps, which prunes the search.
 * The number of paths may be exponential, so steps are limited. */
#include "base/error.h"
#include "base/memory.h"
#include "network/network_internal.h"

#include <string.h>

/* The search stops after this many steps, and the result is marked as incomplete. */
enum { MOST_STEPS = 2000000 };

#define NOT_REACHED SIZE_MAX

typedef struct path_search {
    const crd_network *network;
    bool *is_given;
    bool *is_above; /* the node or one of its descendants is given */
    size_t source, target;
    bool is_open; /* find only open (d-connecting) paths */
    size_t most;
    size_t *left;  /* by node * 2, plus 1 if reached along an arc: minimum number of steps to the end */
    size_t *queue; /* as long as `left` */
    /* The current path: its nodes, whether each was reached along an arc, and the next neighbor to try. */
    size_t *nodes, *next;
    bool *along, *is_on;
    size_t taken;
    bool is_cut; /* a longer path was cut off at the current length */
    size_t *result, *lengths;
    size_t count, total, capacity;
    bool is_more;
} path_search;

/* Returns whether a path that reached a node, along an arc or against one, may continue to a parent or to a child. */
static bool lets_pass(const path_search *search, size_t node, bool along, bool to_parent) {
    if (!search->is_open) return true;
    return along && to_parent ? search->is_above[node] : !search->is_given[node];
}

/* ---- Minimum number of steps ---- */

/* Records the number of steps for a node from which the path can continue, unless it is known. */
static void network_paths_reach(path_search *search, size_t node, bool to_parent, size_t steps, size_t *count) {
    if (node == search->target) return;
    for (size_t along = 0; along < 2; along++) {
        size_t state = node * 2 + along;
        if (search->left[state] != NOT_REACHED || !lets_pass(search, node, along == 1, to_parent)) continue;
        search->left[state] = steps;
        search->queue[(*count)++] = state;
    }
}

/* Computes the minimum number of steps to the target from every node and direction, breadth first from the target. */
static void network_paths_measure(path_search *search) {
    size_t count = 0;
    for (size_t i = 0; i < 2 * search->network->count; i++) search->left[i] = NOT_REACHED;
    for (size_t along = 0; along < 2; along++) {
        search->left[search->target * 2 + along] = 0;
        search->queue[count++] = search->target * 2 + along;
    }
    for (size_t i = 0; i < count; i++) {
        size_t index = search->queue[i] / 2, steps = search->left[search->queue[i]] + 1;
        const crd_i_node *node = &search->network->nodes[index];
        /* Reached along an arc: the step came from a parent and went to a child. */
        if (search->queue[i] % 2 == 1)
            for (size_t j = 0; j < node->parent_count; j++)
                network_paths_reach(search, node->parents[j], false, steps, &count);
        else
            for (size_t j = 0; j < node->child_count; j++)
                network_paths_reach(search, node->children[j], true, steps, &count);
    }
}

/* ---- Paths of one length ---- */

/* Stores the current path in the result, unless the result is full. */
static crd_status network_paths_keep(path_search *search, size_t length, crd_error *error) {
    crd_context *context = search->network->context;
    if (search->count == search->most) {
        search->is_more = true;
        return CRD_OK;
    }
    if (search->total + length > search->capacity) {
        size_t capacity = 2 * search->capacity + length, *larger = crd_i_alloc(context, capacity, sizeof *larger);
        if (larger == NULL) return crd_i_fail_memory(error);
        if (search->total > 0) memcpy(larger, search->result, search->total * sizeof *larger);
        crd_free(context, search->result);
        search->result = larger;
        search->capacity = capacity;
    }
    memcpy(search->result + search->total, search->nodes, length * sizeof *search->nodes);
    search->total += length;
    search->lengths[search->count++] = length;
    return CRD_OK;
}

/* Continues from the node at `depth` to its next neighbor from which the path can end in `steps` steps. Returns
 * false if there is none. */
static bool network_paths_go_on(path_search *search, size_t depth, size_t steps) {
    size_t index = search->nodes[depth];
    const crd_i_node *node = &search->network->nodes[index];
    size_t neighbours = node->parent_count + node->child_count;
    while (search->next[depth] < neighbours) {
        size_t which = search->next[depth]++;
        bool to_parent = which < node->parent_count;
        size_t other = to_parent ? node->parents[which] : node->children[which - node->parent_count];
        size_t left = search->left[other * 2 + !to_parent];
        search->taken++;
        if (search->is_on[other] || left == NOT_REACHED) continue;
        if (depth > 0 && !lets_pass(search, index, search->along[depth], to_parent)) continue;
        if (depth + 1 + left > steps) {
            search->is_cut = true;
            continue;
        }
        if (other == search->target && depth + 1 < steps) continue; /* it was found among the shorter paths */
        search->nodes[depth + 1] = other;
        search->along[depth + 1] = !to_parent;
        search->next[depth + 1] = 0;
        search->is_on[other] = true;
        return true;
    }
    return false;
}

/* Finds the paths with exactly `steps` steps, depth first. */
static crd_status find_long(path_search *search, size_t steps, crd_error *error) {
    crd_status status = CRD_OK;
    size_t depth = 0;
    search->nodes[0] = search->source;
    search->next[0] = 0;
    search->is_cut = false;
    memset(search->is_on, 0, search->network->count * sizeof *search->is_on);
    search->is_on[search->source] = true;
    for (;;) {
        if (search->is_more || search->taken > MOST_STEPS) return CRD_OK;
        if (search->nodes[depth] != search->target && network_paths_go_on(search, depth, steps)) {
            depth++;
            continue;
        }
        if (search->nodes[depth] == search->target) status = network_paths_keep(search, depth + 1, error);
        if (status != CRD_OK || depth == 0) return status;
        search->is_on[search->nodes[depth--]] = false;
    }
}

static crd_status network_paths_find(path_search *search, crd_error *error) {
    crd_status status = CRD_OK;
    network_paths_measure(search);
    search->is_cut = true;
    for (size_t steps = 1; status == CRD_OK && search->is_cut && steps < search->network->count; steps++) {
        status = find_long(search, steps, error);
        if (search->is_more || search->taken > MOST_STEPS) break;
    }
    search->is_more = search->is_more || search->taken > MOST_STEPS;
    return status;
}

/* ---- Given nodes ---- */

static crd_status network_paths_mark_given(const crd_network *network, const size_t *given, size_t count,
                                           bool *is_given, crd_error *error) {
    for (size_t i = 0; i < count; i++) {
        if (given[i] >= network->count)
            return crd_i_fail(error, CRD_ERROR_ARGUMENT, "invalid node %zu: the network has %zu nodes", given[i],
                              network->count);
        is_given[given[i]] = true;
    }
    return CRD_OK;
}

static void network_paths_mark_above(const crd_network *network, const bool *is_given, bool *is_above) {
    for (size_t i = network->count; i-- > 0;) {
        size_t index = network->order[i];
        const crd_i_node *node = &network->nodes[index];
        if (is_given[index]) is_above[index] = true;
        for (size_t j = 0; is_above[index] && j < node->parent_count; j++) is_above[node->parents[j]] = true;
    }
}

static crd_status check_ends(const crd_network *network, size_t a, size_t b, crd_error *error) {
    if (a >= network->count || b >= network->count)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "invalid node %zu: the network has %zu nodes", a < b ? b : a,
                          network->count);
    if (a == b) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "a path must lead from a node to another node");
    return CRD_OK;
}

crd_status crd_network_paths(const crd_network *network, size_t a, size_t b, const size_t *given, size_t given_count,
                             int is_open, size_t most, size_t **nodes, size_t **lengths, size_t *count,
                             int *is_complete, crd_error *error) {
    crd_context *context = network->context;
    const size_t size = network->count;
    path_search search = {.network = network, .source = a, .target = b, .is_open = is_open != 0, .most = most};
    *nodes = *lengths = NULL;
    *count = 0;
    *is_complete = 0;
    crd_status status = check_ends(network, a, b, error);
    if (status != CRD_OK) return status;
    bool *marks = crd_i_alloc_zeroed(context, 4 * size, sizeof *marks);
    size_t *workspace = crd_i_alloc(context, 6 * size, sizeof *workspace);
    search.lengths = crd_i_alloc(context, most + 1, sizeof *search.lengths);
    if (marks == NULL || workspace == NULL || search.lengths == NULL) {
        status = crd_i_fail_memory(error);
    } else {
        search.is_given = marks;
        search.is_above = marks + size;
        search.along = marks + 2 * size;
        search.is_on = marks + 3 * size;
        search.left = workspace;
        search.queue = workspace + 2 * size;
        search.nodes = workspace + 4 * size;
        search.next = workspace + 5 * size;
        status = network_paths_mark_given(network, given, given_count, search.is_given, error);
    }
    if (status == CRD_OK) {
        network_paths_mark_above(network, search.is_given, search.is_above);
        status = network_paths_find(&search, error);
    }
    crd_free(context, marks);
    crd_free(context, workspace);
    if (status != CRD_OK) {
        crd_free(context, search.result);
        crd_free(context, search.lengths);
        return status;
    }
    *nodes = search.result;
    *lengths = search.lengths;
    *count = search.count;
    *is_complete = !search.is_more;
    return CRD_OK;
}

/* ---- The nodes of a path ---- */

static bool has_arc(const crd_network *network, size_t parent, size_t child) {
    const crd_i_node *node = &network->nodes[child];
    for (size_t i = 0; i < node->parent_count; i++)
        if (node->parents[i] == parent) return true;
    return false;
}

/* Returns the nearest given node among a node and its descendants, or CRD_NONE. */
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
            status = crd_i_fail(error, CRD_ERROR_ARGUMENT, "no arc leads to node %zu of the path", i);
    }
    if (status == CRD_OK) status = network_paths_mark_given(network, given, given_count, marks, error);
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
