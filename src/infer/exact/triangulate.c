/* SPDX-License-Identifier: MIT */
/* triangulate.c - see triangulate.h.
 *
 * One run keeps, for every node that is left, its fill-in: how many pairs of its neighbours are not joined, plain and
 * weighted by the product of their numbers of states. It is counted once, and then changes in two ways only:
 *   - an edge a-b that is added takes one missing pair from each common neighbour of a and b, and gives a the pairs of
 * b with those of a's neighbours that are not b's, and b likewise;
 *   - where v is eliminated, once its neighbours are all joined, each neighbour u loses the pairs of v with those of
 * u's neighbours that are not v's. How many pairs those are is a difference of degrees. So large sparse graphs cost
 * little more than reading them, also where one node is next to nearly all others: the pairs that are joined at the
 * beginning are the triangles of the graph, found as below, and a node with many neighbours has a table of them, so that
 * no other's elimination goes through its list. Weights of cliques are sums of logarithms in fixed point, which adding and subtracting
 * leaves exact, so that equal cliques tie. */
#include "infer/exact/triangulate.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/functions/elementary.h"

#include <math.h>
#include <string.h>

typedef enum rule { LEAST_FILL, LEAST_WEIGHTED_FILL, SMALLEST_CLIQUE, FEWEST_NEIGHBOURS, RULES } rule;

/* As many tries with random ties at most, and none after so many in vain and as many as the best took. */
enum { RANDOM_TRIES = 64, PATIENCE = 18 };
/* No other order makes as many cells few enough for any memory, while looking for it takes long in such graphs. */
static const double HOPELESS = 0x1p60;

/* A list that is longer is looked up, not gone through. */
enum { LONG = 256 };

/* Neighbours that have been eliminated stay in a list until they are half of it. */
typedef struct place {
    uint32_t *near;
    size_t length, room, degree;
    uint32_t *table; /* of a long list, by hash: 1 + a neighbour, or 0; at most half full; else NULL */
    unsigned table_bits;
    int64_t weight;           /* of the node and its neighbours: the logarithm of the number of cells */
    double neighbours_states; /* their sum */
    double fill, weighted_fill;
    uint32_t heap_at;
    bool is_gone;
} place;

typedef struct run {
    crd_context *context;
    const crd_i_domain_graph *graph;
    rule rule;
    uint64_t seed; /* how ties are broken; 0: by the smaller number */
    place *places;
    int64_t *logs;
    uint32_t *marks, stamp;
    uint32_t *heap;
    size_t heap_count;
    uint32_t *around; /* the neighbours of the node that is eliminated */
    size_t around_count, around_room;
    size_t later_room;
} run;

void crd_i_elimination_clear(crd_context *context, crd_i_elimination *elimination) {
    crd_free(context, elimination->order);
    crd_free(context, elimination->later);
    crd_free(context, elimination->starts);
    memset(elimination, 0, sizeof *elimination);
}

/* ---- The heap: the node to eliminate next is on top ---- */

static uint64_t tie_of(const run *own, uint32_t node) {
    uint64_t mixed = (node + own->seed) * UINT64_C(0x9e3779b97f4a7c15);
    return own->seed == 0 ? node : (mixed ^ mixed >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
}

static bool comes_first(const run *own, uint32_t a, uint32_t b) {
    const place *left = &own->places[a], *right = &own->places[b];
    const bool *is_last = own->graph->is_last;
    if (is_last != NULL && is_last[a] != is_last[b]) return is_last[b];
    double keys[2][2] = {{left->fill, (double)left->weight}, {right->fill, (double)right->weight}};
    if (own->rule == LEAST_WEIGHTED_FILL) {
        keys[0][0] = left->weighted_fill;
        keys[1][0] = right->weighted_fill;
    } else if (own->rule == SMALLEST_CLIQUE) {
        keys[0][0] = (double)left->weight;
        keys[1][0] = (double)right->weight;
        keys[0][1] = left->fill;
        keys[1][1] = right->fill;
    } else if (own->rule == FEWEST_NEIGHBOURS) {
        keys[0][0] = (double)left->degree;
        keys[1][0] = (double)right->degree;
    }
    if (keys[0][0] != keys[1][0]) return keys[0][0] < keys[1][0];
    if (keys[0][1] != keys[1][1] && own->seed == 0) return keys[0][1] < keys[1][1];
    return tie_of(own, a) < tie_of(own, b);
}

static void heap_put(run *own, size_t at, uint32_t node) {
    own->heap[at] = node;
    own->places[node].heap_at = (uint32_t)at;
}

static void heap_settle(run *own, uint32_t node) {
    size_t at = own->places[node].heap_at;
    while (at > 0 && comes_first(own, node, own->heap[(at - 1) / 2])) {
        heap_put(own, at, own->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= own->heap_count) break;
        if (child + 1 < own->heap_count && comes_first(own, own->heap[child + 1], own->heap[child])) child++;
        if (!comes_first(own, own->heap[child], node)) break;
        heap_put(own, at, own->heap[child]);
        at = child;
    }
    heap_put(own, at, node);
}

static void heap_add(run *own, uint32_t node) {
    heap_put(own, own->heap_count++, node);
    heap_settle(own, node);
}

static void heap_remove(run *own, uint32_t node) {
    size_t at = own->places[node].heap_at;
    uint32_t last = own->heap[--own->heap_count];
    if (last == node) return;
    heap_put(own, at, last);
    heap_settle(own, last);
}

/* ---- The graph that is left ---- */

static double states_of(const run *own, uint32_t node) {
    return (double)own->graph->states[node];
}

static uint32_t new_stamp(run *own) {
    if (++own->stamp == 0) {
        memset(own->marks, 0, own->graph->count * sizeof *own->marks);
        own->stamp = 1;
    }
    return own->stamp;
}

/* ---- Tables of long lists ---- */

static uint32_t *table_place(const place *at, uint32_t node) {
    uint32_t mask = (UINT32_C(1) << at->table_bits) - 1, here = (node * UINT32_C(0x9e3779b1)) >> (32 - at->table_bits);
    while (at->table[here] != 0 && at->table[here] != node + 1) here = (here + 1) & mask;
    return &at->table[here];
}

/* A table of all that is in the list, with as much room again. */
static bool make_table(run *own, place *at) {
    unsigned bits = 1;
    while (bits < 31 && (size_t)1 << bits < 4 * at->length) bits++;
    crd_free(own->context, at->table);
    at->table = crd_i_alloc_zeroed(own->context, (size_t)1 << bits, sizeof *at->table);
    at->table_bits = bits;
    if (at->table == NULL) return false;
    for (size_t i = 0; i < at->length; i++) *table_place(at, at->near[i]) = at->near[i] + 1;
    return true;
}

static bool drop_gone(run *own, place *at) {
    size_t kept = 0;
    for (size_t i = 0; i < at->length; i++)
        if (!own->places[at->near[i]].is_gone) at->near[kept++] = at->near[i];
    at->length = kept;
    if (at->table == NULL) return true;
    if (kept > LONG) return make_table(own, at);
    crd_free(own->context, at->table);
    at->table = NULL;
    return true;
}

/* ---- Neighbours ---- */

static void mark_neighbours(run *own, const place *at) {
    uint32_t stamp = new_stamp(own);
    for (size_t i = 0; i < at->length; i++) own->marks[at->near[i]] = stamp;
}

/* Of `node`, whose neighbours are marked unless it has a table of them. */
static bool is_neighbour(const run *own, const place *at, uint32_t node) {
    return at->table != NULL ? *table_place(at, node) != 0 : own->marks[node] == own->stamp;
}

static bool add_neighbour(run *own, uint32_t node, uint32_t other) {
    place *at = &own->places[node];
    if (!crd_i_reserve(own->context, &at->near, &at->room, at->length + 1, sizeof *at->near)) return false;
    at->near[at->length++] = other;
    at->degree++;
    at->weight += own->logs[other];
    at->neighbours_states += states_of(own, other);
    if (at->length <= LONG) return true;
    if (at->table == NULL || at->length > (size_t)1 << (at->table_bits - 1)) return make_table(own, at);
    *table_place(at, other) = other + 1;
    return true;
}

/* Gives `node` the pairs of `other`, a new neighbour, with those of its neighbours that are not other's. */
static void add_pairs(run *own, uint32_t node, uint32_t other, double common, double common_states) {
    place *at = &own->places[node];
    at->fill += (double)at->degree - common;
    at->weighted_fill += states_of(own, other) * (at->neighbours_states - common_states);
}

/* Joins a and b, two neighbours of the node that is being eliminated; a's neighbours are marked, unless it has a
 * table of them. Those around are in no heap now. */
static bool join(run *own, uint32_t a, uint32_t b, const bool *is_around) {
    const place *first = &own->places[a], *second = &own->places[b];
    double product = states_of(own, a) * states_of(own, b), common = 0, common_states = 0;
    /* Through the list of the one, as far as the other has the same neighbours: the shorter, if both can be asked. */
    bool through_first = second->table != NULL && (first->table == NULL || first->length < second->length);
    const place *listed = through_first ? first : second, *asked = through_first ? second : first;
    for (size_t i = 0; i < listed->length; i++) {
        uint32_t node = listed->near[i];
        place *at = &own->places[node];
        if (at->is_gone || !is_neighbour(own, asked, node)) continue;
        common++;
        common_states += states_of(own, node);
        at->fill--;
        at->weighted_fill -= product;
        if (!is_around[node]) heap_settle(own, node);
    }
    add_pairs(own, a, b, common, common_states);
    add_pairs(own, b, a, common, common_states);
    own->marks[b] = own->stamp;
    return add_neighbour(own, a, b) && add_neighbour(own, b, a);
}

static bool list_around(run *own, const place *at, bool *is_around) {
    own->around_count = 0;
    if (!crd_i_reserve(own->context, &own->around, &own->around_room, at->degree, sizeof *own->around)) return false;
    for (size_t i = 0; i < at->length; i++) {
        if (own->places[at->near[i]].is_gone) continue;
        own->around[own->around_count++] = at->near[i];
        is_around[at->near[i]] = true;
    }
    return true;
}

static bool eliminate(run *own, uint32_t node, bool *is_around) {
    place *gone = &own->places[node];
    bool was_complete = gone->fill == 0;
    if (!list_around(own, gone, is_around)) return false;
    is_around[node] = true;
    /* What several nodes of a heap are worth must not change at the same time. */
    for (size_t i = 0; i < own->around_count; i++) heap_remove(own, own->around[i]);
    for (size_t i = 0; !was_complete && i < own->around_count; i++) {
        const place *at = &own->places[own->around[i]];
        if (at->table == NULL) mark_neighbours(own, at);
        for (size_t j = i + 1; j < own->around_count; j++)
            if (!is_neighbour(own, at, own->around[j]) && !join(own, own->around[i], own->around[j], is_around))
                return false;
    }
    gone->is_gone = true;
    for (size_t i = 0; i < own->around_count; i++) {
        place *at = &own->places[own->around[i]];
        double own_states = states_of(own, node);
        at->fill -= (double)(at->degree - gone->degree);
        at->weighted_fill -= own_states * (at->neighbours_states - own_states -
                                           (gone->neighbours_states - states_of(own, own->around[i])));
        at->degree--;
        at->weight -= own->logs[node];
        at->neighbours_states -= own_states;
        if (at->length > 2 * at->degree + 8 && !drop_gone(own, at)) return false;
    }
    for (size_t i = 0; i < own->around_count; i++) {
        is_around[own->around[i]] = false;
        heap_add(own, own->around[i]);
    }
    is_around[node] = false;
    return true;
}

/* ---- The fill-ins of the whole graph ---- */

/* Edges go from the node with fewer neighbours to the one with more. Then no node has more than sqrt(2 * edges) that go
 * out, and no triangle is found twice. */
static bool goes_out(const crd_i_domain_graph *graph, uint32_t from, uint32_t to) {
    size_t here = graph->starts[from + 1] - graph->starts[from], there = graph->starts[to + 1] - graph->starts[to];
    return here != there ? here < there : from < to;
}

static void add_triangle(run *own, const uint32_t nodes[3]) {
    for (int i = 0; i < 3; i++) {
        place *at = &own->places[nodes[i]];
        at->fill--;
        at->weighted_fill -= states_of(own, nodes[(i + 1) % 3]) * states_of(own, nodes[(i + 2) % 3]);
    }
}

/* All pairs of neighbours, but those that are joined: with the node itself these are the triangles. */
static bool count_fills(run *own) {
    const crd_i_domain_graph *graph = own->graph;
    size_t edges = graph->starts[graph->count], used = 0;
    size_t *starts = crd_i_alloc(own->context, graph->count + 1, sizeof *starts);
    uint32_t *out = crd_i_alloc(own->context, edges, sizeof *out);
    bool done = starts != NULL && out != NULL;
    for (uint32_t i = 0; done && i < graph->count; i++) {
        place *at = &own->places[i];
        double squares = 0;
        starts[i] = used;
        for (size_t j = graph->starts[i]; j < graph->starts[i + 1]; j++) {
            double states = states_of(own, graph->near[j]);
            squares += states * states;
            if (goes_out(graph, i, graph->near[j])) out[used++] = graph->near[j];
        }
        at->fill = (double)at->degree * ((double)at->degree - 1) / 2;
        at->weighted_fill = (at->neighbours_states * at->neighbours_states - squares) / 2;
    }
    if (done) starts[graph->count] = used;
    for (uint32_t i = 0; done && i < graph->count; i++) {
        uint32_t stamp = new_stamp(own);
        for (size_t j = starts[i]; j < starts[i + 1]; j++) own->marks[out[j]] = stamp;
        for (size_t j = starts[i]; j < starts[i + 1]; j++)
            for (size_t k = starts[out[j]]; k < starts[out[j] + 1]; k++)
                if (own->marks[out[k]] == stamp) add_triangle(own, (const uint32_t[3]){i, out[j], out[k]});
    }
    crd_free(own->context, starts);
    crd_free(own->context, out);
    return done;
}

/* ---- Runs ---- */

static void clear_run(run *own) {
    for (size_t i = 0; own->places != NULL && i < own->graph->count; i++) {
        crd_free(own->context, own->places[i].near);
        crd_free(own->context, own->places[i].table);
    }
    crd_free(own->context, own->places);
    crd_free(own->context, own->logs);
    crd_free(own->context, own->marks);
    crd_free(own->context, own->heap);
    crd_free(own->context, own->around);
}

static bool begin(run *own) {
    const crd_i_domain_graph *graph = own->graph;
    own->places = crd_i_alloc_zeroed(own->context, graph->count, sizeof *own->places);
    own->logs = crd_i_alloc_zeroed(own->context, graph->count, sizeof *own->logs);
    own->marks = crd_i_alloc_zeroed(own->context, graph->count, sizeof *own->marks);
    own->heap = crd_i_alloc(own->context, graph->count, sizeof *own->heap);
    if (own->places == NULL || own->logs == NULL || own->marks == NULL || own->heap == NULL) return false;
    for (size_t i = 0; i < graph->count; i++)
        if (graph->states[i] > 0) own->logs[i] = (int64_t)(crd_log((double)graph->states[i]) * 0x1p32);
    for (size_t i = 0; i < graph->count; i++) {
        if (graph->states[i] == 0) continue;
        own->places[i].weight = own->logs[i];
        for (size_t j = graph->starts[i]; j < graph->starts[i + 1]; j++)
            if (!add_neighbour(own, (uint32_t)i, graph->near[j])) return false;
    }
    if (!count_fills(own)) return false;
    for (uint32_t i = 0; i < graph->count; i++)
        if (graph->states[i] > 0) heap_add(own, i);
    return true;
}

/* Writes down the clique of the node that was eliminated. */
static bool note(run *own, crd_i_elimination *out, uint32_t node) {
    size_t start = out->starts[out->count];
    if (!crd_i_reserve(own->context, &out->later, &own->later_room, start + own->around_count, sizeof *out->later))
        return false;
    double cells = states_of(own, node);
    for (size_t i = 0; i < own->around_count; i++) {
        out->later[start + i] = own->around[i];
        cells *= states_of(own, own->around[i]);
    }
    out->cells += cells;
    out->order[out->count++] = node;
    out->starts[out->count] = start + own->around_count;
    return true;
}

/* Gives up, with out->cells beyond the limit, as soon as the order is dearer than that. */
static crd_status try_order(run *own, double limit, crd_i_elimination *out, crd_error *error) {
    crd_context *context = own->context;
    crd_status status = CRD_OK;
    bool *is_around = crd_i_alloc_zeroed(context, own->graph->count, sizeof *is_around);
    out->order = crd_i_alloc(context, own->graph->count, sizeof *out->order);
    out->starts = crd_i_alloc_zeroed(context, own->graph->count + 1, sizeof *out->starts);
    if (is_around == NULL || out->order == NULL || out->starts == NULL || !begin(own)) {
        status = crd_i_fail_memory(error);
        goto end;
    }
    while (own->heap_count > 0 && out->cells <= limit) {
        if (crd_i_context_cancelled(context)) {
            status = crd_i_fail_cancelled(error);
            goto end;
        }
        uint32_t node = own->heap[0];
        heap_remove(own, node);
        if (!eliminate(own, node, is_around) || !note(own, out, node)) {
            status = crd_i_fail_memory(error);
            goto end;
        }
    }
end:
    crd_free(context, is_around);
    clear_run(own);
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
        run own = {.context = context, .graph = graph, .rule = i < RULES ? (rule)i : (rule)(i % 2)};
        own.seed = i < RULES ? 0 : i;
        crd_i_elimination found = {0};
        crd_status status = try_order(&own, out->cells, &found, error);
        if (status != CRD_OK) {
            crd_i_elimination_clear(context, &found);
            crd_i_elimination_clear(context, out);
            return status;
        }
        if (!has_one || found.cells < out->cells) {
            crd_i_elimination_clear(context, out);
            *out = found;
            has_one = true;
            best = i;
        } else {
            crd_i_elimination_clear(context, &found);
        }
    }
    return CRD_OK;
}
