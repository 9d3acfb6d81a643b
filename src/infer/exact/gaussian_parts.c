/* SPDX-License-Identifier: MIT */
/* gaussian_parts.c - see gaussian_parts.h. */
#include "infer/exact/gaussian_parts.h"

#include "base/error.h"
#include "base/memory.h"
#include "infer/exact/junction_types.h"
#include "infer/exact/triangulate.h"

#include <math.h>
#include <string.h>

static const uint32_t NOWHERE = UINT32_MAX;
/* Regressions take the square of a clique's size, so that no further orders are looked for. */
static const double ANY_CELLS = 1e300;

typedef struct dividing {
    const crd_network *network;
    crd_context *context;
    const bool *observed, *asked;
    bool together;
    bool *needed;     /* by node */
    uint32_t *leader; /* by node: union-find */
    uint32_t *rank;   /* by node, in the order of the network */
    uint32_t *marks;  /* by node */
    uint32_t stamp;
    crd_i_gaussian_parts *made;
    double memory;
} dividing;

static bool is_gaussian(const dividing *own, uint32_t node) {
    return own->network->nodes[node].kind == CRD_NODE_GAUSSIAN;
}

static bool is_hidden(const dividing *own, uint32_t node) {
    return is_gaussian(own, node) && !own->observed[node];
}

static bool is_asked(const dividing *own, uint32_t node) {
    return own->asked != NULL && own->asked[node] && is_hidden(own, node);
}

/* ---- Which nodes belong together ---- */

static uint32_t leader_of(dividing *own, uint32_t node) {
    while (own->leader[node] != node) {
        own->leader[node] = own->leader[own->leader[node]];
        node = own->leader[node];
    }
    return node;
}

static void unite(dividing *own, uint32_t a, uint32_t b) {
    uint32_t first = leader_of(own, a), second = leader_of(own, b);
    if (first < second) own->leader[second] = first;
    else own->leader[first] = second;
}

/* Children come before parents here, so that nodes are marked before they are reached. */
static void mark_needed(dividing *own) {
    const crd_network *network = own->network;
    for (size_t i = network->count; i-- > 0;) {
        uint32_t index = network->order[i];
        const crd_i_node *node = &network->nodes[index];
        own->rank[index] = (uint32_t)i;
        own->leader[index] = index;
        if (!is_gaussian(own, index)) continue;
        if (own->observed[index] || (own->asked != NULL && own->asked[index])) own->needed[index] = true;
        for (size_t j = 0; own->needed[index] && j < node->parent_count; j++)
            if (is_hidden(own, node->parents[j])) own->needed[node->parents[j]] = true;
    }
}

/* Hidden nodes that meet in a regression are in one part, and so are observed ones without hidden parents that have the
 * same only discrete parent, or none: their likelihoods are one table. */
static void join(dividing *own) {
    const crd_network *network = own->network;
    uint32_t *same = own->marks; /* by discrete node: a node that has it for its only one */
    uint32_t alone = NOWHERE;
    for (size_t i = 0; i < network->count; i++) same[i] = NOWHERE;
    for (uint32_t i = 0; i < network->count; i++) {
        const crd_i_node *node = &network->nodes[i];
        uint32_t only = NOWHERE;
        size_t open = 0;
        bool is_alone = own->observed[i];
        if (!own->needed[i]) continue;
        for (size_t j = 0; j < node->parent_count; j++) {
            uint32_t parent = node->parents[j];
            if (is_hidden(own, parent)) {
                unite(own, i, parent);
                is_alone = false;
            } else if (!is_gaussian(own, parent) && !own->observed[parent]) {
                only = parent;
                open++;
            }
        }
        if (!is_alone || open > 1) continue;
        uint32_t *first = open == 0 ? &alone : &same[only];
        if (*first != NOWHERE) unite(own, i, *first);
        *first = i;
    }
    uint32_t first_asked = NOWHERE;
    for (uint32_t i = 0; own->together && i < network->count; i++) {
        if (!is_asked(own, i)) continue;
        if (first_asked != NOWHERE) unite(own, i, first_asked);
        first_asked = i;
    }
    memset(own->marks, 0, network->count * sizeof *own->marks);
}

static bool number_parts(dividing *own) {
    crd_i_gaussian_parts *made = own->made;
    size_t count = own->network->count;
    made->part_of = crd_i_alloc(own->context, count, sizeof *made->part_of);
    made->member_of = crd_i_alloc(own->context, count, sizeof *made->member_of);
    if (made->part_of == NULL || made->member_of == NULL) return false;
    for (uint32_t i = 0; i < count; i++) {
        made->part_of[i] = NOWHERE;
        if (own->needed[i] && leader_of(own, i) == i) made->part_of[i] = (uint32_t)made->count++;
    }
    made->parts = crd_i_alloc_zeroed(own->context, made->count, sizeof *made->parts);
    made->sets = crd_i_alloc_zeroed(own->context, made->count, sizeof *made->sets);
    if (made->parts == NULL || made->sets == NULL) return false;
    for (uint32_t i = 0; i < count; i++) {
        if (!own->needed[i]) continue;
        made->part_of[i] = made->part_of[leader_of(own, i)];
        made->parts[made->part_of[i]].count++;
        made->parts[made->part_of[i]].hidden_count += is_hidden(own, i);
    }
    for (size_t i = 0; i < made->count; i++) {
        made->parts[i].nodes = crd_i_alloc(own->context, made->parts[i].count, sizeof *made->parts[i].nodes);
        if (made->parts[i].nodes == NULL) return false;
        made->parts[i].count = 0;
    }
    /* Hidden ones first. */
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < count; i++) {
            if (!own->needed[i] || is_hidden(own, i) != (pass == 0)) continue;
            crd_i_gaussian_part *part = &made->parts[made->part_of[i]];
            made->member_of[i] = (uint32_t)part->count;
            part->nodes[part->count++] = i;
            part->is_asked = part->is_asked || (own->asked != NULL && own->asked[i] && !own->observed[i]);
        }
    return true;
}

/* ---- The order of elimination ---- */

static uint32_t new_stamp(dividing *own) {
    return ++own->stamp;
}

/* The neighbours of hidden member i: those that it meets in its own regression, or in one of its children's. */
static bool add_neighbours(dividing *own, const crd_i_gaussian_part *part, uint32_t i, crd_i_domain_graph *graph,
                           size_t *used, size_t *room) {
    const crd_network *network = own->network;
    const crd_i_node *node = &network->nodes[part->nodes[i]];
    uint32_t stamp = new_stamp(own);
    own->marks[part->nodes[i]] = stamp;
    for (uint32_t j = 0; own->together && is_asked(own, part->nodes[i]) && j < part->hidden_count; j++) {
        if (j == i || !is_asked(own, part->nodes[j])) continue;
        if (!crd_i_reserve(own->context, &graph->near, room, *used + 1, sizeof *graph->near)) return false;
        own->marks[part->nodes[j]] = stamp;
        graph->near[(*used)++] = j;
    }
    for (size_t c = 0; c <= node->child_count; c++) {
        uint32_t child = c < node->child_count ? node->children[c] : part->nodes[i];
        const crd_i_node *family = &network->nodes[child];
        if (!own->needed[child]) continue;
        for (size_t j = 0; j <= family->parent_count; j++) {
            uint32_t near = j < family->parent_count ? family->parents[j] : child;
            if (!is_hidden(own, near) || own->marks[near] == stamp) continue;
            if (!crd_i_reserve(own->context, &graph->near, room, *used + 1, sizeof *graph->near)) return false;
            own->marks[near] = stamp;
            graph->near[(*used)++] = own->made->member_of[near];
        }
    }
    return true;
}

/* Puts the hidden members into the order of elimination, and lists the neighbours of each as positions. */
static bool take_order(dividing *own, crd_i_gaussian_part *part, const crd_i_elimination *elimination) {
    size_t hidden = part->hidden_count, total = elimination->starts[hidden];
    uint32_t *nodes = crd_i_alloc(own->context, hidden, sizeof *nodes);
    part->later_starts = crd_i_alloc(own->context, hidden + 1, sizeof *part->later_starts);
    part->later = crd_i_alloc(own->context, total, sizeof *part->later);
    bool done = nodes != NULL && part->later_starts != NULL && part->later != NULL;
    if (done) {
        memcpy(nodes, part->nodes, hidden * sizeof *nodes);
        for (uint32_t i = 0; i < hidden; i++) {
            part->nodes[i] = nodes[elimination->order[i]];
            own->made->member_of[part->nodes[i]] = i;
        }
        for (size_t i = 0; i <= hidden; i++) part->later_starts[i] = elimination->starts[i];
        for (size_t i = 0; i < hidden; i++) {
            size_t begin = elimination->starts[i], count = elimination->starts[i + 1] - begin;
            for (size_t j = 0; j < count; j++)
                part->later[begin + j] = own->made->member_of[nodes[elimination->later[begin + j]]];
            crd_i_sort_positions(part->later + begin, count);
            if (count > part->width) part->width = count;
        }
    }
    crd_free(own->context, nodes);
    return done;
}

/* As that of a junction tree. A node that is asked alone is eliminated last: its regression then is its posterior, which
 * is not rounded by those of others. */
static crd_status order_part(dividing *own, crd_i_gaussian_part *part, crd_error *error) {
    size_t hidden = part->hidden_count, used = 0, room = 0, asked = 0;
    crd_i_domain_graph graph = {.count = hidden};
    crd_i_elimination elimination = {0};
    size_t *states = crd_i_alloc(own->context, hidden, sizeof *states);
    bool *is_last = crd_i_alloc_zeroed(own->context, hidden, sizeof *is_last);
    graph.starts = crd_i_alloc(own->context, hidden + 1, sizeof *graph.starts);
    bool done = states != NULL && is_last != NULL && graph.starts != NULL;
    for (uint32_t i = 0; done && i < hidden; i++) {
        states[i] = 2;
        is_last[i] = is_asked(own, part->nodes[i]);
        asked += is_last[i];
        graph.starts[i] = used;
        done = add_neighbours(own, part, i, &graph, &used, &room);
    }
    if (done) graph.starts[hidden] = used;
    graph.states = states;
    graph.is_last = asked == 1 || own->together ? is_last : NULL;
    crd_status status =
        done ? crd_i_triangulate(own->context, &graph, ANY_CELLS, &elimination, error) : crd_i_fail_memory(error);
    if (status == CRD_OK && !take_order(own, part, &elimination)) status = crd_i_fail_memory(error);
    crd_i_elimination_clear(own->context, &elimination);
    crd_free(own->context, graph.starts);
    crd_free(own->context, graph.near);
    crd_free(own->context, states);
    crd_free(own->context, is_last);
    return status;
}

/* ---- Regressions and boundaries ---- */

static void sort_slopes(crd_i_slope *slopes, size_t count) {
    for (size_t i = 1; i < count; i++) {
        crd_i_slope slope = slopes[i];
        size_t j = i;
        for (; j > 0 && slopes[j - 1].at > slope.at; j--) slopes[j] = slopes[j - 1];
        slopes[j] = slope;
    }
}

/* The parents of a member. */
static void list_parents(const dividing *own, crd_i_gaussian_part *part, size_t member, size_t *steps, size_t *slopes) {
    const crd_network *network = own->network;
    const crd_i_node *node = &network->nodes[part->nodes[member]];
    size_t stride = 1;
    part->ranks[member] = own->rank[part->nodes[member]];
    part->step_starts[member] = *steps;
    part->known_starts[member] = *slopes;
    for (size_t j = node->parent_count; j-- > 0;) {
        uint32_t parent = node->parents[j];
        if (is_gaussian(own, parent)) continue;
        part->steps[*steps].node = parent;
        part->steps[(*steps)++].stride = stride;
        stride *= crd_i_node_states(&network->nodes[parent]);
    }
    for (int pass = 0; pass < 2; pass++) {
        uint32_t column = 0;
        if (pass == 1) part->slope_starts[member] = *slopes;
        for (size_t j = 0; j < node->parent_count; j++) {
            uint32_t parent = node->parents[j];
            if (!is_gaussian(own, parent)) continue;
            column++;
            if (is_hidden(own, parent) != (pass == 1)) continue;
            part->slopes[*slopes].at = pass == 1 ? own->made->member_of[parent] : parent;
            part->slopes[(*slopes)++].column = column;
        }
    }
    sort_slopes(part->slopes + part->slope_starts[member], *slopes - part->slope_starts[member]);
}

static bool list_members(dividing *own, crd_i_gaussian_part *part) {
    crd_context *context = own->context;
    size_t arcs = 0, steps = 0, slopes = 0;
    for (size_t i = 0; i < part->count; i++) arcs += own->network->nodes[part->nodes[i]].parent_count;
    part->ranks = crd_i_alloc(context, part->count, sizeof *part->ranks);
    part->step_starts = crd_i_alloc(context, part->count + 1, sizeof *part->step_starts);
    part->known_starts = crd_i_alloc(context, part->count + 1, sizeof *part->known_starts);
    part->slope_starts = crd_i_alloc(context, part->count, sizeof *part->slope_starts);
    part->steps = crd_i_alloc(context, arcs, sizeof *part->steps);
    part->slopes = crd_i_alloc(context, arcs, sizeof *part->slopes);
    if (part->ranks == NULL || part->step_starts == NULL || part->known_starts == NULL || part->slope_starts == NULL ||
        part->steps == NULL || part->slopes == NULL)
        return false;
    for (size_t i = 0; i < part->count; i++) list_parents(own, part, i, &steps, &slopes);
    part->step_starts[part->count] = steps;
    part->known_starts[part->count] = slopes;
    return true;
}

static crd_status find_boundary(dividing *own, crd_i_gaussian_part *part, crd_error *error) {
    uint32_t stamp = new_stamp(own);
    size_t room = 0;
    double combinations = 1;
    for (size_t i = 0; i < part->step_starts[part->count]; i++) {
        uint32_t node = part->steps[i].node;
        if (own->observed[node] || own->marks[node] == stamp) continue;
        own->marks[node] = stamp;
        if (!crd_i_reserve(own->context, &part->set.nodes, &room, part->set.count + 1, sizeof *part->set.nodes))
            return crd_i_fail_memory(error);
        part->set.nodes[part->set.count++] = node;
        combinations *= (double)crd_i_node_states(&own->network->nodes[node]);
    }
    crd_i_sort_positions(part->set.nodes, part->set.count);
    double bytes = combinations * (double)sizeof(double);
    char bytes_room[CRD_I_BYTES_ROOM], quoted[CRD_I_QUOTED_ROOM];
    if (combinations > CRD_I_MOST_CELLS || (own->memory > 0 && bytes > own->memory)) {
        crd_i_fail(error, CRD_ERROR_LIMIT,
                   "an exact answer needs all %.3g combinations of the states of %zu discrete nodes, on which %s "
                   "and what it is connected with depend: %s of memory",
                   combinations, part->set.count, crd_i_quote(own->network->nodes[part->nodes[0]].name, quoted),
                   crd_i_describe_bytes(bytes, bytes_room));
        crd_i_error_hint(error, "evidence on these nodes makes them fewer; nothing estimates what depends on numbers");
        return CRD_ERROR_LIMIT;
    }
    part->combinations = (size_t)combinations;
    return CRD_OK;
}

/* ---- The whole ---- */

void crd_i_gaussian_parts_destroy(crd_i_gaussian_parts *parts) {
    if (parts == NULL) return;
    crd_context *context = parts->context;
    for (size_t i = 0; parts->parts != NULL && i < parts->count; i++) {
        crd_i_gaussian_part *part = &parts->parts[i];
        crd_free(context, part->nodes);
        crd_free(context, part->ranks);
        crd_free(context, part->step_starts);
        crd_free(context, part->known_starts);
        crd_free(context, part->slope_starts);
        crd_free(context, part->steps);
        crd_free(context, part->slopes);
        crd_free(context, part->later_starts);
        crd_free(context, part->later);
        crd_free(context, part->set.nodes);
    }
    crd_free(context, parts->parts);
    crd_free(context, parts->sets);
    crd_free(context, parts->part_of);
    crd_free(context, parts->member_of);
    crd_free(context, parts);
}

static crd_status divide(dividing *own, crd_error *error) {
    crd_i_gaussian_parts *made = own->made;
    mark_needed(own);
    join(own);
    if (!number_parts(own)) return crd_i_fail_memory(error);
    for (size_t i = 0; i < made->count; i++) {
        crd_i_gaussian_part *part = &made->parts[i];
        crd_status status = order_part(own, part, error);
        if (status == CRD_OK && !list_members(own, part)) status = crd_i_fail_memory(error);
        if (status == CRD_OK) status = find_boundary(own, part, error);
        if (status != CRD_OK) return status;
        made->sets[i] = part->set;
        size_t later = part->later_starts[part->hidden_count];
        if (part->count > made->most_members) made->most_members = part->count;
        if (part->width > made->most_width) made->most_width = part->width;
        if (later > made->most_later) made->most_later = later;
    }
    return CRD_OK;
}

crd_status crd_i_gaussian_parts_create(const crd_network *network, const bool *observed, const bool *asked,
                                       bool together, double memory, crd_i_gaussian_parts **out, crd_error *error) {
    crd_context *context = network->context;
    dividing own = {.network = network,
                    .context = context,
                    .observed = observed,
                    .asked = asked,
                    .together = together,
                    .memory = memory};
    *out = NULL;
    own.needed = crd_i_alloc_zeroed(context, network->count, sizeof *own.needed);
    own.leader = crd_i_alloc(context, network->count, sizeof *own.leader);
    own.rank = crd_i_alloc(context, network->count, sizeof *own.rank);
    own.marks = crd_i_alloc(context, network->count, sizeof *own.marks);
    own.made = crd_i_alloc_zeroed(context, 1, sizeof *own.made);
    crd_status status = CRD_OK;
    if (own.made != NULL) own.made->context = context;
    if (own.needed == NULL || own.leader == NULL || own.rank == NULL || own.marks == NULL || own.made == NULL) {
        status = crd_i_fail_memory(error);
    } else {
        own.made->network = network;
        status = divide(&own, error);
    }
    crd_free(context, own.needed);
    crd_free(context, own.leader);
    crd_free(context, own.rank);
    crd_free(context, own.marks);
    if (status == CRD_OK) *out = own.made;
    else crd_i_gaussian_parts_destroy(own.made);
    return status;
}
