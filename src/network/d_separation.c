/* SPDX-License-Identifier: MIT */
/* d_separation.c - independence implied by the arcs: see credence/network.h.
 *
 * A path connects two nodes if every node between them lets it pass. A collider passes if it or one of its
 * descendants is given; any other node passes if it is not given (Pearl 1988). The search is breadth first over
 * pairs of a node and the direction from which it was reached, each pair once. It looks at every arc a few times and
 * does not recurse.
 *
 * The first walk found is a shortest one, and it is a path. If it visited a node twice, continuing at the first
 * visit as at the second would be shorter and pass as well. The only doubtful case is a node that is a collider in
 * the shortened walk, while the original walk went down from it and came back from below. Such a walk turns at a
 * collider below the node, so something below the node is given.
 *
 * Contents:
 *   1. Separation
 *   2. Paths
 *   3. Markov blanket */
#include "network/d_separation.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"

#include <string.h>

/* ======== 1. Separation ======== */

typedef struct separation_search {
    const crd_network *network;
    const bool *is_given;
    bool *is_above; /* the node or one of its descendants has evidence */
    size_t *came;   /* by step: the step before it; itself at the start; NOT_YET */
    size_t *steps;  /* steps in the order in which they are taken: node * 2, plus 1 if the step follows an arc's
                     * direction */
    size_t count;
} separation_search;

#define NOT_YET SIZE_MAX

static bool is_marked(const bool *marks, size_t node) {
    return marks != NULL && marks[node];
}

static void step_to(separation_search *search, size_t node, bool along, size_t source) {
    size_t step = node * 2 + along;
    if (search->came[step] != NOT_YET) return;
    search->came[step] = source;
    search->steps[search->count++] = step;
}

/* Marks the nodes with evidence and all their ancestors. */
static void d_separation_mark_above(separation_search *search, const bool *is_hinted) {
    const crd_network *network = search->network;
    for (size_t i = network->count; i-- > 0;) {
        size_t index = network->order[i];
        const crd_i_node *node = &network->nodes[index];
        if (is_marked(search->is_given, index) || is_marked(is_hinted, index)) search->is_above[index] = true;
        for (size_t j = 0; search->is_above[index] && j < node->parent_count; j++)
            search->is_above[node->parents[j]] = true;
    }
}

/* Returns the step that first reaches a node of b from a node of a, or NOT_YET. A path through another node of a is
 * never the shortest, because the rest of it after that node is a path as well. */
static size_t d_separation_find(separation_search *search, const size_t *a, size_t a_count, const bool *is_b) {
    for (size_t i = 0; i < 2 * search->network->count; i++) search->came[i] = NOT_YET;
    /* The start counts as reached against an arc, so the path may continue to parents and to children. */
    for (size_t i = 0; i < a_count; i++) step_to(search, a[i], false, a[i] * 2);
    for (size_t i = 0; i < search->count; i++) {
        size_t step = search->steps[i], index = step / 2;
        bool along = step % 2 == 1, is_given = is_marked(search->is_given, index);
        const crd_i_node *node = &search->network->nodes[index];
        if (is_b[index]) return step;
        if (along ? search->is_above[index] : !is_given)
            for (size_t j = 0; j < node->parent_count; j++) step_to(search, node->parents[j], false, step);
        if (!is_given)
            for (size_t j = 0; j < node->child_count; j++) step_to(search, node->children[j], true, step);
    }
    return NOT_YET;
}

/* Copies the nodes of the path that ends with the step `last`. */
static crd_status d_separation_take_path(const separation_search *search, size_t last, size_t **path, size_t *length,
                                         crd_error *error) {
    size_t count = 1;
    for (size_t step = last; search->came[step] != step; step = search->came[step]) count++;
    size_t *nodes = crd_i_alloc(search->network->context, count, sizeof *nodes);
    if (nodes == NULL) return crd_i_fail_memory(error);
    for (size_t i = count, step = last; i-- > 0; step = search->came[step]) nodes[i] = step / 2;
    *path = nodes;
    *length = count;
    return CRD_OK;
}

crd_status crd_i_separation(const crd_network *network, const size_t *a, size_t a_count, const bool *is_b,
                            const bool *is_given, const bool *is_hinted, size_t **path, size_t *length,
                            crd_error *error) {
    crd_i_arena *scratch = crd_i_arena_create(network->context);
    separation_search search = {.network = network, .is_given = is_given};
    *path = NULL;
    *length = 0;
    search.is_above = crd_i_arena_alloc_zeroed(scratch, network->count, sizeof *search.is_above);
    search.came = crd_i_arena_alloc(scratch, 2 * network->count, sizeof *search.came);
    search.steps = crd_i_arena_alloc(scratch, 2 * network->count, sizeof *search.steps);
    crd_status status = crd_i_arena_check(scratch, error);
    if (status == CRD_OK) {
        d_separation_mark_above(&search, is_hinted);
        size_t last = d_separation_find(&search, a, a_count, is_b);
        if (last != NOT_YET) status = d_separation_take_path(&search, last, path, length, error);
    }
    crd_i_arena_destroy(scratch);
    return status;
}

/* ---- Common causes ---- */

/* Searches descendants of a node, breadth first. `before` gets each node's predecessor and `steps` its distance. The
 * search does not continue below a given node or the effect, and never visits `barred`. */
static void go_down(const separation_search *search, size_t start, size_t barred, size_t effect, size_t *before,
                    size_t *steps, size_t *queue) {
    size_t count = 0;
    for (size_t i = 0; i < search->network->count; i++) before[i] = NOT_YET;
    before[start] = start;
    steps[start] = 0;
    queue[count++] = start;
    for (size_t i = 0; i < count; i++) {
        size_t index = queue[i];
        const crd_i_node *node = &search->network->nodes[index];
        if (index == effect || (index != start && is_marked(search->is_given, index))) continue;
        for (size_t j = 0; j < node->child_count; j++) {
            size_t child = node->children[j];
            if (before[child] != NOT_YET || child == barred) continue;
            before[child] = index;
            steps[child] = steps[index] + 1;
            queue[count++] = child;
        }
    }
}

/* Marks the effect and all its ancestors that lead to it through nodes that are not given. */
static void mark_causes(const separation_search *search, size_t effect) {
    const crd_network *network = search->network;
    search->is_above[effect] = true;
    for (size_t i = network->count; i-- > 0;) {
        size_t index = network->order[i];
        const crd_i_node *node = &network->nodes[index];
        for (size_t j = 0; search->is_above[index] && j < node->parent_count; j++)
            if (!is_marked(search->is_given, node->parents[j])) search->is_above[node->parents[j]] = true;
    }
}

/* Returns the nodes from a to the meeting node and on to b. The two halves share no other node, because they would
 * otherwise have met there in fewer steps. Returns NULL if memory runs out. */
static size_t *join_ways(crd_context *context, size_t meeting, const size_t *before_a, size_t steps_a,
                         const size_t *before_b, size_t steps_b) {
    size_t *path = crd_i_alloc(context, steps_a + steps_b + 1, sizeof *path);
    if (path == NULL) return NULL;
    for (size_t i = steps_a + 1, index = meeting; i-- > 0; index = before_a[index]) path[i] = index;
    for (size_t i = steps_a, index = meeting; i <= steps_a + steps_b; i++, index = before_b[index]) path[i] = index;
    return path;
}

crd_status crd_i_meeting(const crd_network *network, size_t a, size_t b, size_t effect, const bool *is_given,
                         size_t **path, size_t *length, crd_error *error) {
    crd_context *context = network->context;
    const size_t count = network->count;
    separation_search search = {.network = network, .is_given = is_given};
    *path = NULL;
    *length = 0;
    crd_i_arena *scratch = crd_i_arena_create(context);
    search.is_above = crd_i_arena_alloc_zeroed(scratch, count, sizeof *search.is_above);
    size_t *before_a = crd_i_arena_alloc(scratch, count, sizeof *before_a);
    size_t *before_b = crd_i_arena_alloc(scratch, count, sizeof *before_b);
    size_t *steps_a = crd_i_arena_alloc(scratch, count, sizeof *steps_a);
    size_t *steps_b = crd_i_arena_alloc(scratch, count, sizeof *steps_b);
    size_t *queue = crd_i_arena_alloc(scratch, count, sizeof *queue);
    crd_status status = crd_i_arena_check(scratch, error);
    if (status == CRD_OK) {
        size_t best = NOT_YET;
        go_down(&search, a, b, effect, before_a, steps_a, queue);
        go_down(&search, b, a, effect, before_b, steps_b, queue);
        mark_causes(&search, effect);
        for (size_t i = 0; i < count; i++) {
            if (!search.is_above[i] || before_a[i] == NOT_YET || before_b[i] == NOT_YET) continue;
            if (best == NOT_YET || steps_a[i] + steps_b[i] < steps_a[best] + steps_b[best]) best = i;
        }
        if (best != NOT_YET) {
            *path = join_ways(context, best, before_a, steps_a[best], before_b, steps_b[best]);
            if (*path == NULL) status = crd_i_fail_memory(error);
            else *length = steps_a[best] + steps_b[best] + 1;
        }
    }
    crd_i_arena_destroy(scratch);
    return status;
}

/* ---- Sets of nodes ---- */

/* Marks the nodes of a set. Fails if a node is marked in one of the other sets. */
static crd_status mark_set(const crd_network *network, const size_t *nodes, size_t count, bool *marks,
                           const bool *other, const bool *another, crd_error *error) {
    for (size_t i = 0; i < count; i++) {
        if (nodes[i] >= network->count)
            return crd_i_fail(error, CRD_ERROR_ARGUMENT, "invalid node %zu: the network has %zu nodes", nodes[i],
                              network->count);
        if (other[nodes[i]] || another[nodes[i]])
            return crd_i_fail(error, CRD_ERROR_ARGUMENT, "node %zu is in two of the sets", nodes[i]);
        marks[nodes[i]] = true;
    }
    return CRD_OK;
}

crd_status crd_network_set_separation(const crd_network *network, const size_t *a, size_t a_count, const size_t *b,
                                      size_t b_count, const size_t *given, size_t given_count, int *is_separated,
                                      size_t **path, size_t *length, crd_error *error) {
    const size_t count = network->count;
    *is_separated = 0;
    *path = NULL;
    *length = 0;
    bool *marks = crd_i_alloc_zeroed(network->context, 3 * count, sizeof *marks);
    if (marks == NULL) return crd_i_fail_memory(error);
    bool *is_a = marks, *is_b = marks + count, *is_given = marks + 2 * count;
    crd_status status = mark_set(network, a, a_count, is_a, is_b, is_given, error);
    if (status == CRD_OK) status = mark_set(network, b, b_count, is_b, is_a, is_given, error);
    if (status == CRD_OK) status = mark_set(network, given, given_count, is_given, is_a, is_b, error);
    if (status == CRD_OK) status = crd_i_separation(network, a, a_count, is_b, is_given, NULL, path, length, error);
    if (status == CRD_OK) *is_separated = *path == NULL;
    crd_free(network->context, marks);
    return status;
}

crd_status crd_network_separation(const crd_network *network, size_t a, size_t b, const size_t *given,
                                  size_t given_count, int *is_separated, size_t **path, size_t *length,
                                  crd_error *error) {
    return crd_network_set_separation(network, &a, 1, &b, 1, given, given_count, is_separated, path, length, error);
}

/* ======== 2. Paths ========
 *
 * Paths are listed by length: a depth-first search is run for each length in turn. A breadth-first search from the
 * end, over pairs of a node and its direction, gives the minimum number of remaining steps, which prunes the search.
 * The number of paths may be exponential, so steps are limited. */

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
    size_t neighbors = node->parent_count + node->child_count;
    while (search->next[depth] < neighbors) {
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
    crd_i_arena *scratch = crd_i_arena_create(context);
    search.is_given = crd_i_arena_alloc_zeroed(scratch, size, sizeof *search.is_given);
    search.is_above = crd_i_arena_alloc_zeroed(scratch, size, sizeof *search.is_above);
    search.along = crd_i_arena_alloc(scratch, size, sizeof *search.along);
    search.is_on = crd_i_arena_alloc(scratch, size, sizeof *search.is_on);
    search.left = crd_i_arena_alloc(scratch, 2 * size, sizeof *search.left);
    search.queue = crd_i_arena_alloc(scratch, 2 * size, sizeof *search.queue);
    search.nodes = crd_i_arena_alloc(scratch, size, sizeof *search.nodes);
    search.next = crd_i_arena_alloc(scratch, size, sizeof *search.next);
    search.lengths = crd_i_alloc(context, most + 1, sizeof *search.lengths);
    status = search.lengths == NULL ? crd_i_fail_memory(error) : crd_i_arena_check(scratch, error);
    if (status == CRD_OK) status = network_paths_mark_given(network, given, given_count, search.is_given, error);
    if (status == CRD_OK) {
        network_paths_mark_above(network, search.is_given, search.is_above);
        status = network_paths_find(&search, error);
    }
    crd_i_arena_destroy(scratch);
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

/* ---- Nodes of a path ---- */

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
    crd_i_arena *scratch = crd_i_arena_create(network->context);
    bool *marks = crd_i_arena_alloc_zeroed(scratch, 2 * network->count, sizeof *marks);
    size_t *queue = crd_i_arena_alloc(scratch, network->count, sizeof *queue);
    crd_status status = crd_i_arena_check(scratch, error);
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
    crd_i_arena_destroy(scratch);
    return status;
}

/* ======== 3. Markov blanket ========
 *
 * The Markov blanket of a node (Pearl 1988) consists of its parents, its children and the other parents of its
 * children. Given them, the node is independent of all other nodes. */

static void mark_parents(const crd_network *network, size_t node, bool *marks) {
    const crd_i_node *current_node = &network->nodes[node];
    for (size_t i = 0; i < current_node->parent_count; i++) marks[current_node->parents[i]] = true;
}

crd_status crd_network_markov_blanket(const crd_network *network, size_t node, size_t **blanket, size_t *count,
                                      crd_error *error) {
    *blanket = NULL;
    *count = 0;
    if (node >= network->count)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "invalid node %zu: the network has %zu nodes", node,
                          network->count);
    bool *marks = crd_i_alloc_zeroed(network->context, network->count, sizeof *marks);
    size_t *nodes = crd_i_alloc(network->context, network->count, sizeof *nodes);
    if (marks == NULL || nodes == NULL) {
        crd_free(network->context, marks);
        crd_free(network->context, nodes);
        return crd_i_fail_memory(error);
    }
    const crd_i_node *current_node = &network->nodes[node];
    mark_parents(network, node, marks);
    for (size_t i = 0; i < current_node->child_count; i++) {
        if (network->nodes[current_node->children[i]].kind == CRD_NODE_UTILITY) continue;
        marks[current_node->children[i]] = true;
        mark_parents(network, current_node->children[i], marks);
    }
    marks[node] = false;
    for (size_t i = 0; i < network->count; i++)
        if (marks[i]) nodes[(*count)++] = i;
    crd_free(network->context, marks);
    *blanket = nodes;
    return CRD_OK;
}
