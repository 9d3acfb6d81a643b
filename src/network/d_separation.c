/* SPDX-License-Identifier: MIT */
/* d_separation.c - what the arcs alone say about independence: see credence/network.h.
 *
 * A path joins two nodes where each node on it between them lets it pass: one at which two arcs meet, if it or
 * something that arcs lead to from it is given; any other, if it is not given (Pearl 1988). Steps go breadth first
 * over pairs of a node and whether the path came to it along an arc, each pair once, so the time is that of looking
 * at every arc a few times, and nothing recurses.
 *
 * The first way found is a shortest walk, and it is a path: if it came to a node twice, going on the first time as it
 * did the second would be shorter and pass as well. The one case in which that would not be obvious is that two arcs
 * meet there then, while before the walk went down from it and came back from below; but such a walk turns where arcs
 * meet below the node, so something is given below it. */
#include "network/d_separation.h"

#include "base/error.h"
#include "base/memory.h"

typedef struct search {
    const crd_network *network;
    const bool *is_given;
    bool *is_above; /* something is known of it, or arcs lead from it to a node of which something is */
    size_t *came;   /* by step: the step before it; itself at the start; NOT_YET */
    size_t *steps;  /* steps in the order in which they are taken: node * 2, plus 1 where along an arc */
    size_t count;
} search;

#define NOT_YET SIZE_MAX

static bool is_marked(const bool *marks, size_t node) {
    return marks != NULL && marks[node];
}

static void step_to(search *own, size_t node, bool along, size_t from) {
    size_t step = node * 2 + along;
    if (own->came[step] != NOT_YET) return;
    own->came[step] = from;
    own->steps[own->count++] = step;
}

static void mark_above(search *own, const bool *is_hinted) {
    const crd_network *network = own->network;
    for (size_t i = network->count; i-- > 0;) {
        size_t at = network->order[i];
        const crd_i_node *node = &network->nodes[at];
        if (is_marked(own->is_given, at) || is_marked(is_hinted, at)) own->is_above[at] = true;
        for (size_t j = 0; own->is_above[at] && j < node->parent_count; j++) own->is_above[node->parents[j]] = true;
    }
}

/* The step that comes first to a node of b from one of a, or NOT_YET. A path that passes through another node of a is
 * never the shortest: what follows that node is a path as well. */
static size_t find(search *own, const size_t *a, size_t a_count, const bool *is_b) {
    for (size_t i = 0; i < 2 * own->network->count; i++) own->came[i] = NOT_YET;
    /* Against an arc, so that it may go on to parents and to children. */
    for (size_t i = 0; i < a_count; i++) step_to(own, a[i], false, a[i] * 2);
    for (size_t i = 0; i < own->count; i++) {
        size_t step = own->steps[i], at = step / 2;
        bool along = step % 2 == 1, is_given = is_marked(own->is_given, at);
        const crd_i_node *node = &own->network->nodes[at];
        if (is_b[at]) return step;
        if (along ? own->is_above[at] : !is_given)
            for (size_t j = 0; j < node->parent_count; j++) step_to(own, node->parents[j], false, step);
        if (!is_given)
            for (size_t j = 0; j < node->child_count; j++) step_to(own, node->children[j], true, step);
    }
    return NOT_YET;
}

static crd_status take_path(const search *own, size_t last, size_t **path, size_t *length, crd_error *error) {
    size_t count = 1;
    for (size_t step = last; own->came[step] != step; step = own->came[step]) count++;
    size_t *nodes = crd_i_alloc(own->network->context, count, sizeof *nodes);
    if (nodes == NULL) return crd_i_fail_memory(error);
    for (size_t i = count, step = last; i-- > 0; step = own->came[step]) nodes[i] = step / 2;
    *path = nodes;
    *length = count;
    return CRD_OK;
}

crd_status crd_i_separation(const crd_network *network, const size_t *a, size_t a_count, const bool *is_b,
                            const bool *is_given, const bool *is_hinted, size_t **path, size_t *length,
                            crd_error *error) {
    crd_context *context = network->context;
    search own = {.network = network, .is_given = is_given};
    *path = NULL;
    *length = 0;
    own.is_above = crd_i_alloc_zeroed(context, network->count, sizeof *own.is_above);
    own.came = crd_i_alloc(context, 2 * network->count, sizeof *own.came);
    own.steps = crd_i_alloc(context, 2 * network->count, sizeof *own.steps);
    crd_status status = CRD_OK;
    if (own.is_above == NULL || own.came == NULL || own.steps == NULL) {
        status = crd_i_fail_memory(error);
    } else {
        mark_above(&own, is_hinted);
        size_t last = find(&own, a, a_count, is_b);
        if (last != NOT_YET) status = take_path(&own, last, path, length, error);
    }
    crd_free(context, own.is_above);
    crd_free(context, own.came);
    crd_free(context, own.steps);
    return status;
}

/* ---- Where causes meet ---- */

/* Goes down from a node, breadth first: `before` gets the node that each is come to from, `steps` how many arcs that
 * takes. Nothing goes on below a node that is given or the effect, and nothing comes to `barred`. */
static void go_down(const search *own, size_t start, size_t barred, size_t effect, size_t *before, size_t *steps,
                    size_t *queue) {
    size_t count = 0;
    for (size_t i = 0; i < own->network->count; i++) before[i] = NOT_YET;
    before[start] = start;
    steps[start] = 0;
    queue[count++] = start;
    for (size_t i = 0; i < count; i++) {
        size_t at = queue[i];
        const crd_i_node *node = &own->network->nodes[at];
        if (at == effect || (at != start && is_marked(own->is_given, at))) continue;
        for (size_t j = 0; j < node->child_count; j++) {
            size_t child = node->children[j];
            if (before[child] != NOT_YET || child == barred) continue;
            before[child] = at;
            steps[child] = steps[at] + 1;
            queue[count++] = child;
        }
    }
}

/* Marks the effect, and what arcs lead from to it through nodes that are not given. */
static void mark_causes(const search *own, size_t effect) {
    const crd_network *network = own->network;
    own->is_above[effect] = true;
    for (size_t i = network->count; i-- > 0;) {
        size_t at = network->order[i];
        const crd_i_node *node = &network->nodes[at];
        for (size_t j = 0; own->is_above[at] && j < node->parent_count; j++)
            if (!is_marked(own->is_given, node->parents[j])) own->is_above[node->parents[j]] = true;
    }
}

/* The nodes from a to where the ways meet, and on to b. They share no other node: arcs would meet there at fewer
 * steps. */
static size_t *join_ways(crd_context *context, size_t meeting, const size_t *before_a, size_t steps_a,
                         const size_t *before_b, size_t steps_b) {
    size_t *path = crd_i_alloc(context, steps_a + steps_b + 1, sizeof *path);
    if (path == NULL) return NULL;
    for (size_t i = steps_a + 1, at = meeting; i-- > 0; at = before_a[at]) path[i] = at;
    for (size_t i = steps_a, at = meeting; i <= steps_a + steps_b; i++, at = before_b[at]) path[i] = at;
    return path;
}

crd_status crd_i_meeting(const crd_network *network, size_t a, size_t b, size_t effect, const bool *is_given,
                         size_t **path, size_t *length, crd_error *error) {
    crd_context *context = network->context;
    const size_t count = network->count;
    search own = {.network = network, .is_given = is_given};
    *path = NULL;
    *length = 0;
    own.is_above = crd_i_alloc_zeroed(context, count, sizeof *own.is_above);
    /* From a and from b one after the other, and a queue. */
    size_t *room = crd_i_alloc(context, 5 * count, sizeof *room);
    crd_status status = own.is_above == NULL || room == NULL ? crd_i_fail_memory(error) : CRD_OK;
    if (status == CRD_OK) {
        size_t *before_a = room, *before_b = room + count, *steps_a = room + 2 * count, *steps_b = room + 3 * count;
        size_t best = NOT_YET;
        go_down(&own, a, b, effect, before_a, steps_a, room + 4 * count);
        go_down(&own, b, a, effect, before_b, steps_b, room + 4 * count);
        mark_causes(&own, effect);
        for (size_t i = 0; i < count; i++) {
            if (!own.is_above[i] || before_a[i] == NOT_YET || before_b[i] == NOT_YET) continue;
            if (best == NOT_YET || steps_a[i] + steps_b[i] < steps_a[best] + steps_b[best]) best = i;
        }
        if (best != NOT_YET) {
            *path = join_ways(context, best, before_a, steps_a[best], before_b, steps_b[best]);
            if (*path == NULL) status = crd_i_fail_memory(error);
            else *length = steps_a[best] + steps_b[best] + 1;
        }
    }
    crd_free(context, own.is_above);
    crd_free(context, room);
    return status;
}

/* ---- Sets of nodes ---- */

/* Marks the nodes of a set; none of them may be marked in one of the others. */
static crd_status mark_set(const crd_network *network, const size_t *nodes, size_t count, bool *marks,
                           const bool *other, const bool *another, crd_error *error) {
    for (size_t i = 0; i < count; i++) {
        if (nodes[i] >= network->count)
            return crd_i_fail(error, CRD_ERROR_ARGUMENT, "there is no node %zu: there are %zu", nodes[i],
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
