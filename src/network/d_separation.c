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
 * collider below the node, so something below the node is given. */
#include "network/d_separation.h"

#include "base/error.h"
#include "base/memory.h"

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
    crd_context *context = network->context;
    separation_search search = {.network = network, .is_given = is_given};
    *path = NULL;
    *length = 0;
    search.is_above = crd_i_alloc_zeroed(context, network->count, sizeof *search.is_above);
    search.came = crd_i_alloc(context, 2 * network->count, sizeof *search.came);
    search.steps = crd_i_alloc(context, 2 * network->count, sizeof *search.steps);
    crd_status status = CRD_OK;
    if (search.is_above == NULL || search.came == NULL || search.steps == NULL) {
        status = crd_i_fail_memory(error);
    } else {
        d_separation_mark_above(&search, is_hinted);
        size_t last = d_separation_find(&search, a, a_count, is_b);
        if (last != NOT_YET) status = d_separation_take_path(&search, last, path, length, error);
    }
    crd_free(context, search.is_above);
    crd_free(context, search.came);
    crd_free(context, search.steps);
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
    search.is_above = crd_i_alloc_zeroed(context, count, sizeof *search.is_above);
    /* Two arrays each for a and b, and a queue. */
    size_t *workspace = crd_i_alloc(context, 5 * count, sizeof *workspace);
    crd_status status = search.is_above == NULL || workspace == NULL ? crd_i_fail_memory(error) : CRD_OK;
    if (status == CRD_OK) {
        size_t *before_a = workspace, *before_b = workspace + count, *steps_a = workspace + 2 * count,
               *steps_b = workspace + 3 * count;
        size_t best = NOT_YET;
        go_down(&search, a, b, effect, before_a, steps_a, workspace + 4 * count);
        go_down(&search, b, a, effect, before_b, steps_b, workspace + 4 * count);
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
    crd_free(context, search.is_above);
    crd_free(context, workspace);
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
