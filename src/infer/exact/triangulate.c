/* SPDX-License-Identifier: MIT */
/* triangulate.c - see triangulate.h.
 *
 * The fill-in of a node is the number of pairs of its neighbors that are not joined. A run stores the fill-in of every
 * remaining node, plain and weighted by the product of the numbers of states. Fill-ins are counted once. Afterwards
 * they change in only two ways:
 *   - Adding the edge a-b removes one missing pair from each common neighbor of a and b. It gives a the pairs of b with
 *     those neighbors of a that are not neighbors of b, and b the corresponding pairs.
 *   - Eliminating v, after its neighbors are all joined, removes pairs from each neighbor u: the pairs of v with those
 *     neighbors of u that are not neighbors of v. Their number is a difference of degrees.
 *
 * So large sparse graphs cost little more than reading them, even if one node is next to nearly all others. The pairs
 * that are joined at the beginning are the triangles of the graph. A node with many neighbors has a hash table of them,
 * so the elimination of another node does not traverse its list. Weights of cliques are sums of logarithms in fixed
 * point. Adding and subtracting leaves them exact, so equal cliques tie.
 *
 * Contents:
 *   1. Heap
 *   2. Remaining graph
 *   3. Hash tables of long lists
 *   4. Neighbors
 *   5. Initial fill-ins
 *   6. Runs */
#include "infer/exact/triangulate.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "math/functions/elementary.h"

#include <math.h>
#include <string.h>

typedef enum rule { LEAST_FILL, LEAST_WEIGHTED_FILL, SMALLEST_CLIQUE, FEWEST_NEIGHBORS, RULES } rule;

/* Maximum number of tries with random tie-breaking. Stops earlier after so many tries without success, and as many
 * as the best order took. */
enum { RANDOM_TRIES = 64, PATIENCE = 18 };
/* Above this size, no other order would make the tables fit into memory, and searching takes long in such graphs. */
static const double HOPELESS = 0x1p60;

/* Longer lists are looked up in a hash table instead of scanned. */
enum { LONG = 256 };

/* Eliminated neighbors stay in a list until they make up half of it. */
typedef struct place {
    uint32_t *near;
    size_t length, capacity, degree;
    uint32_t *table; /* hash table of a long list: 1 + neighbor, or 0; at most half full; NULL for short lists */
    unsigned table_bits;
    int64_t weight;          /* log of the number of cells of the clique of the node and its neighbors */
    double neighbors_states; /* their sum */
    double fill, weighted_fill;
    uint32_t heap_at;
    bool is_gone;
} place;

typedef struct run {
    crd_context *context;
    crd_i_arena *arena; /* the arrays by node */
    const crd_i_domain_graph *graph;
    rule rule;
    uint64_t seed; /* tie-breaking seed; 0: the smaller node number wins */
    place *places;
    int64_t *logs;
    uint32_t *marks, stamp;
    uint32_t *heap;
    size_t heap_count;
    uint32_t *around; /* the neighbors of the node being eliminated */
    bool *is_around;  /* by node: it is eliminated, or one of these neighbors */
    size_t around_count, around_room;
    size_t later_room;
} run;

void crd_i_elimination_clear(crd_context *context, crd_i_elimination *elimination) {
    crd_free(context, elimination->order);
    crd_free(context, elimination->later);
    crd_free(context, elimination->starts);
    memset(elimination, 0, sizeof *elimination);
}

/* ======== 1. Heap ======== */

static uint64_t tie_of(const run *own_run, uint32_t node) {
    uint64_t mixed = (node + own_run->seed) * UINT64_C(0x9e3779b97f4a7c15);
    return own_run->seed == 0 ? node : (mixed ^ mixed >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
}

static bool comes_first(const run *own_run, uint32_t a, uint32_t b) {
    const place *left = &own_run->places[a], *right = &own_run->places[b];
    const bool *is_last = own_run->graph->is_last;
    if (is_last != NULL && is_last[a] != is_last[b]) return is_last[b];
    double keys[2][2] = {{left->fill, (double)left->weight}, {right->fill, (double)right->weight}};
    if (own_run->rule == LEAST_WEIGHTED_FILL) {
        keys[0][0] = left->weighted_fill;
        keys[1][0] = right->weighted_fill;
    } else if (own_run->rule == SMALLEST_CLIQUE) {
        keys[0][0] = (double)left->weight;
        keys[1][0] = (double)right->weight;
        keys[0][1] = left->fill;
        keys[1][1] = right->fill;
    } else if (own_run->rule == FEWEST_NEIGHBORS) {
        keys[0][0] = (double)left->degree;
        keys[1][0] = (double)right->degree;
    }
    if (keys[0][0] != keys[1][0]) return keys[0][0] < keys[1][0];
    if (keys[0][1] != keys[1][1] && own_run->seed == 0) return keys[0][1] < keys[1][1];
    return tie_of(own_run, a) < tie_of(own_run, b);
}

static void heap_put(run *own_run, size_t index, uint32_t node) {
    own_run->heap[index] = node;
    own_run->places[node].heap_at = (uint32_t)index;
}

static void heap_settle(run *own_run, uint32_t node) {
    size_t index = own_run->places[node].heap_at;
    while (index > 0 && comes_first(own_run, node, own_run->heap[(index - 1) / 2])) {
        heap_put(own_run, index, own_run->heap[(index - 1) / 2]);
        index = (index - 1) / 2;
    }
    for (;;) {
        size_t child = 2 * index + 1;
        if (child >= own_run->heap_count) break;
        if (child + 1 < own_run->heap_count && comes_first(own_run, own_run->heap[child + 1], own_run->heap[child]))
            child++;
        if (!comes_first(own_run, own_run->heap[child], node)) break;
        heap_put(own_run, index, own_run->heap[child]);
        index = child;
    }
    heap_put(own_run, index, node);
}

static void heap_add(run *own_run, uint32_t node) {
    heap_put(own_run, own_run->heap_count++, node);
    heap_settle(own_run, node);
}

static void heap_remove(run *own_run, uint32_t node) {
    size_t index = own_run->places[node].heap_at;
    uint32_t last = own_run->heap[--own_run->heap_count];
    if (last == node) return;
    heap_put(own_run, index, last);
    heap_settle(own_run, last);
}

/* ======== 2. Remaining graph ======== */

static double triangulate_states(const run *own_run, uint32_t node) {
    return (double)own_run->graph->states[node];
}

static uint32_t triangulate_new_stamp(run *own_run) {
    if (++own_run->stamp == 0) {
        memset(own_run->marks, 0, own_run->graph->count * sizeof *own_run->marks);
        own_run->stamp = 1;
    }
    return own_run->stamp;
}

/* ======== 3. Hash tables of long lists ======== */

static uint32_t *table_place(const place *current_place, uint32_t node) {
    uint32_t mask = (UINT32_C(1) << current_place->table_bits) - 1,
             here = (node * UINT32_C(0x9e3779b1)) >> (32 - current_place->table_bits);
    while (current_place->table[here] != 0 && current_place->table[here] != node + 1) here = (here + 1) & mask;
    return &current_place->table[here];
}

/* Creates a hash table of all list entries, with as much spare room. */
static bool triangulate_make_table(run *own_run, place *current_place) {
    unsigned bits = 1;
    while (bits < 31 && (size_t)1 << bits < 4 * current_place->length) bits++;
    crd_free(own_run->context, current_place->table);
    current_place->table = crd_i_alloc_zeroed(own_run->context, (size_t)1 << bits, sizeof *current_place->table);
    current_place->table_bits = bits;
    if (current_place->table == NULL) return false;
    for (size_t i = 0; i < current_place->length; i++)
        *table_place(current_place, current_place->near[i]) = current_place->near[i] + 1;
    return true;
}

static bool drop_gone(run *own_run, place *current_place) {
    size_t kept = 0;
    for (size_t i = 0; i < current_place->length; i++)
        if (!own_run->places[current_place->near[i]].is_gone) current_place->near[kept++] = current_place->near[i];
    current_place->length = kept;
    if (current_place->table == NULL) return true;
    if (kept > LONG) return triangulate_make_table(own_run, current_place);
    crd_free(own_run->context, current_place->table);
    current_place->table = NULL;
    return true;
}

/* ======== 4. Neighbors ======== */

static void mark_neighbors(run *own_run, const place *current_place) {
    uint32_t stamp = triangulate_new_stamp(own_run);
    for (size_t i = 0; i < current_place->length; i++) own_run->marks[current_place->near[i]] = stamp;
}

/* Returns whether `node` is a neighbor. The neighbors are marked unless `current_place` has a hash table. */
static bool is_neighbor(const run *own_run, const place *current_place, uint32_t node) {
    return current_place->table != NULL ? *table_place(current_place, node) != 0
                                        : own_run->marks[node] == own_run->stamp;
}

static bool add_neighbor(run *own_run, uint32_t node, uint32_t other) {
    place *current_place = &own_run->places[node];
    if (!crd_i_reserve(own_run->context, &current_place->near, &current_place->capacity, current_place->length + 1,
                       sizeof *current_place->near))
        return false;
    current_place->near[current_place->length++] = other;
    current_place->degree++;
    current_place->weight += own_run->logs[other];
    current_place->neighbors_states += triangulate_states(own_run, other);
    if (current_place->length <= LONG) return true;
    if (current_place->table == NULL || current_place->length > (size_t)1 << (current_place->table_bits - 1))
        return triangulate_make_table(own_run, current_place);
    *table_place(current_place, other) = other + 1;
    return true;
}

/* Adds to the fill-in of `node` the pairs of its new neighbor `other` with neighbors that are not adjacent to
 * `other`. */
static void triangulate_add_pairs(run *own_run, uint32_t node, uint32_t other, double common, double common_states) {
    place *current_place = &own_run->places[node];
    current_place->fill += (double)current_place->degree - common;
    current_place->weighted_fill +=
        triangulate_states(own_run, other) * (current_place->neighbors_states - common_states);
}

/* Connects a and b, two neighbors of the node being eliminated. The neighbors of a are marked unless it has a hash
 * table. The nodes around are not in the heap at this time. */
static bool triangulate_join(run *own_run, uint32_t a, uint32_t b) {
    const place *first = &own_run->places[a], *second = &own_run->places[b];
    double product = triangulate_states(own_run, a) * triangulate_states(own_run, b), common = 0, common_states = 0;
    /* Scans the list of one node for common neighbors: the shorter list, if both nodes have hash tables. */
    bool through_first = second->table != NULL && (first->table == NULL || first->length < second->length);
    const place *listed = through_first ? first : second, *place_result = through_first ? second : first;
    for (size_t i = 0; i < listed->length; i++) {
        uint32_t node = listed->near[i];
        place *current_place = &own_run->places[node];
        if (current_place->is_gone || !is_neighbor(own_run, place_result, node)) continue;
        common++;
        common_states += triangulate_states(own_run, node);
        current_place->fill--;
        current_place->weighted_fill -= product;
        if (!own_run->is_around[node]) heap_settle(own_run, node);
    }
    triangulate_add_pairs(own_run, a, b, common, common_states);
    triangulate_add_pairs(own_run, b, a, common, common_states);
    own_run->marks[b] = own_run->stamp;
    return add_neighbor(own_run, a, b) && add_neighbor(own_run, b, a);
}

static bool list_around(run *own_run, const place *current_place) {
    own_run->around_count = 0;
    if (!crd_i_reserve(own_run->context, &own_run->around, &own_run->around_room, current_place->degree,
                       sizeof *own_run->around))
        return false;
    for (size_t i = 0; i < current_place->length; i++) {
        if (own_run->places[current_place->near[i]].is_gone) continue;
        own_run->around[own_run->around_count++] = current_place->near[i];
        own_run->is_around[current_place->near[i]] = true;
    }
    return true;
}

static bool triangulate_eliminate(run *own_run, uint32_t node) {
    place *gone = &own_run->places[node];
    bool was_complete = gone->fill == 0;
    if (!list_around(own_run, gone)) return false;
    own_run->is_around[node] = true;
    /* The heap keys of several nodes must not change at the same time. */
    for (size_t i = 0; i < own_run->around_count; i++) heap_remove(own_run, own_run->around[i]);
    for (size_t i = 0; !was_complete && i < own_run->around_count; i++) {
        const place *current_place = &own_run->places[own_run->around[i]];
        if (current_place->table == NULL) mark_neighbors(own_run, current_place);
        for (size_t j = i + 1; j < own_run->around_count; j++)
            if (!is_neighbor(own_run, current_place, own_run->around[j]) &&
                !triangulate_join(own_run, own_run->around[i], own_run->around[j]))
                return false;
    }
    gone->is_gone = true;
    for (size_t i = 0; i < own_run->around_count; i++) {
        place *current_place = &own_run->places[own_run->around[i]];
        double own_states = triangulate_states(own_run, node);
        current_place->fill -= (double)(current_place->degree - gone->degree);
        current_place->weighted_fill -=
            own_states * (current_place->neighbors_states - own_states -
                          (gone->neighbors_states - triangulate_states(own_run, own_run->around[i])));
        current_place->degree--;
        current_place->weight -= own_run->logs[node];
        current_place->neighbors_states -= own_states;
        if (current_place->length > 2 * current_place->degree + 8 && !drop_gone(own_run, current_place)) return false;
    }
    for (size_t i = 0; i < own_run->around_count; i++) {
        own_run->is_around[own_run->around[i]] = false;
        heap_add(own_run, own_run->around[i]);
    }
    own_run->is_around[node] = false;
    return true;
}

/* ======== 5. Initial fill-ins ======== */

/* Directs edges from the node with fewer neighbors to the one with more. Then no node has more than sqrt(2 * edges)
 * outgoing edges, and no triangle is found twice. */
static bool goes_out(const crd_i_domain_graph *graph, uint32_t source, uint32_t target) {
    size_t here = graph->starts[source + 1] - graph->starts[source],
           there = graph->starts[target + 1] - graph->starts[target];
    return here != there ? here < there : source < target;
}

static void add_triangle(run *own_run, const uint32_t nodes[3]) {
    for (int i = 0; i < 3; i++) {
        place *current_place = &own_run->places[nodes[i]];
        current_place->fill--;
        current_place->weighted_fill -=
            triangulate_states(own_run, nodes[(i + 1) % 3]) * triangulate_states(own_run, nodes[(i + 2) % 3]);
    }
}

/* Counts all pairs of neighbors that are not connected. The connected pairs form triangles with the node. */
static bool count_fills(run *own_run) {
    const crd_i_domain_graph *graph = own_run->graph;
    size_t edges = graph->starts[graph->count], used = 0;
    crd_i_arena *scratch = crd_i_arena_create(own_run->context);
    size_t *starts = crd_i_arena_alloc(scratch, graph->count + 1, sizeof *starts);
    uint32_t *out = crd_i_arena_alloc(scratch, edges, sizeof *out);
    if (out == NULL) {
        crd_i_arena_destroy(scratch);
        return false;
    }
    for (uint32_t i = 0; i < graph->count; i++) {
        place *current_place = &own_run->places[i];
        double squares = 0;
        starts[i] = used;
        for (size_t j = graph->starts[i]; j < graph->starts[i + 1]; j++) {
            double states = triangulate_states(own_run, graph->near[j]);
            squares += states * states;
            if (goes_out(graph, i, graph->near[j])) out[used++] = graph->near[j];
        }
        current_place->fill = (double)current_place->degree * ((double)current_place->degree - 1) / 2;
        current_place->weighted_fill =
            (current_place->neighbors_states * current_place->neighbors_states - squares) / 2;
    }
    starts[graph->count] = used;
    for (uint32_t i = 0; i < graph->count; i++) {
        uint32_t stamp = triangulate_new_stamp(own_run);
        for (size_t j = starts[i]; j < starts[i + 1]; j++) own_run->marks[out[j]] = stamp;
        for (size_t j = starts[i]; j < starts[i + 1]; j++)
            for (size_t k = starts[out[j]]; k < starts[out[j] + 1]; k++)
                if (own_run->marks[out[k]] == stamp) add_triangle(own_run, (const uint32_t[3]){i, out[j], out[k]});
    }
    crd_i_arena_destroy(scratch);
    return true;
}

/* ======== 6. Runs ======== */

static void clear_run(run *own_run) {
    for (size_t i = 0; own_run->places != NULL && i < own_run->graph->count; i++) {
        crd_free(own_run->context, own_run->places[i].near);
        crd_free(own_run->context, own_run->places[i].table);
    }
    crd_free(own_run->context, own_run->around);
    crd_i_arena_destroy(own_run->arena);
}

static bool triangulate_begin(run *own_run) {
    const crd_i_domain_graph *graph = own_run->graph;
    own_run->places = crd_i_arena_alloc_zeroed(own_run->arena, graph->count, sizeof *own_run->places);
    own_run->logs = crd_i_arena_alloc_zeroed(own_run->arena, graph->count, sizeof *own_run->logs);
    own_run->marks = crd_i_arena_alloc_zeroed(own_run->arena, graph->count, sizeof *own_run->marks);
    own_run->heap = crd_i_arena_alloc(own_run->arena, graph->count, sizeof *own_run->heap);
    own_run->is_around = crd_i_arena_alloc_zeroed(own_run->arena, graph->count, sizeof *own_run->is_around);
    if (crd_i_arena_failed(own_run->arena)) return false;
    for (size_t i = 0; i < graph->count; i++)
        if (graph->states[i] > 0) own_run->logs[i] = (int64_t)(crd_log((double)graph->states[i]) * 0x1p32);
    for (size_t i = 0; i < graph->count; i++) {
        if (graph->states[i] == 0) continue;
        own_run->places[i].weight = own_run->logs[i];
        for (size_t j = graph->starts[i]; j < graph->starts[i + 1]; j++)
            if (!add_neighbor(own_run, (uint32_t)i, graph->near[j])) return false;
    }
    if (!count_fills(own_run)) return false;
    for (uint32_t i = 0; i < graph->count; i++)
        if (graph->states[i] > 0) heap_add(own_run, i);
    return true;
}

/* Records the clique of the eliminated node. */
static bool triangulate_note(run *own_run, crd_i_elimination *out, uint32_t node) {
    size_t start = out->starts[out->count];
    if (!crd_i_reserve(own_run->context, &out->later, &own_run->later_room, start + own_run->around_count,
                       sizeof *out->later))
        return false;
    double cells = triangulate_states(own_run, node);
    for (size_t i = 0; i < own_run->around_count; i++) {
        out->later[start + i] = own_run->around[i];
        cells *= triangulate_states(own_run, own_run->around[i]);
    }
    out->cells += cells;
    out->order[out->count++] = node;
    out->starts[out->count] = start + own_run->around_count;
    return true;
}

/* Tries an elimination order. Stops, with out->cells above the limit, as soon as the order is more expensive than
 * `limit`. */
static crd_status try_order(run *own_run, double limit, crd_i_elimination *out, crd_error *error) {
    crd_context *context = own_run->context;
    out->order = crd_i_alloc(context, own_run->graph->count, sizeof *out->order);
    out->starts = crd_i_alloc_zeroed(context, own_run->graph->count + 1, sizeof *out->starts);
    own_run->arena = crd_i_arena_create(context);
    bool done = out->order != NULL && out->starts != NULL && triangulate_begin(own_run);
    crd_status status = done ? CRD_OK : crd_i_fail_memory(error);
    while (status == CRD_OK && own_run->heap_count > 0 && out->cells <= limit) {
        uint32_t node = own_run->heap[0];
        heap_remove(own_run, node);
        done = triangulate_eliminate(own_run, node) && triangulate_note(own_run, out, node);
        if (!done) status = crd_i_fail_memory(error);
        else if (crd_i_context_cancelled(context)) status = crd_i_fail_cancelled(error);
    }
    clear_run(own_run);
    return status;
}

crd_status crd_i_triangulate(crd_context *context, const crd_i_domain_graph *graph, double cells_a_try,
                             crd_i_elimination *out, crd_error *error) {
    memset(out, 0, sizeof *out);
    out->cells = INFINITY;
    bool has_one = false;
    size_t best = 0;
    for (size_t i = 0; i < RULES + RANDOM_TRIES && i <= 2 * best + PATIENCE; i++) {
        if (i >= RULES && out->cells <= cells_a_try * (double)i * (double)graph->count) break;
        if (has_one && out->cells > HOPELESS) break;
        run own_run = {.context = context, .graph = graph, .rule = i < RULES ? (rule)i : (rule)(i % 2)};
        own_run.seed = i < RULES ? 0 : i;
        crd_i_elimination elimination = {0};
        crd_status status = try_order(&own_run, out->cells, &elimination, error);
        if (status != CRD_OK) {
            crd_i_elimination_clear(context, &elimination);
            crd_i_elimination_clear(context, out);
            return status;
        }
        if (!has_one || elimination.cells < out->cells) {
            crd_i_elimination_clear(context, out);
            *out = elimination;
            has_one = true;
            best = i;
        } else {
            crd_i_elimination_clear(context, &elimination);
        }
    }
    return CRD_OK;
}
