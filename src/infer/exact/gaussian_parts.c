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
/* Regressions only take the square of a clique's size, so no further orders are tried. */
static const double ANY_CELLS = 1e300;

typedef struct parts_division {
    const crd_network *network;
    crd_context *context;
    const bool *observed, *asked;
    bool together;
    bool *needed;     /* by node */
    uint32_t *leader; /* by node: union-find */
    uint32_t *rank;   /* by node, in the order of the network */
    uint32_t *marks;  /* by node */
    uint32_t stamp;
    crd_i_gaussian_parts *parts;
    double memory;
} parts_division;

static bool is_gaussian(const parts_division *division, uint32_t node) {
    return division->network->nodes[node].kind == CRD_NODE_GAUSSIAN;
}

static bool gaussian_parts_is_hidden(const parts_division *division, uint32_t node) {
    return is_gaussian(division, node) && !division->observed[node];
}

static bool gaussian_parts_is_asked(const parts_division *division, uint32_t node) {
    return division->asked != NULL && division->asked[node] && gaussian_parts_is_hidden(division, node);
}

/* ---- Connected parts ---- */

static uint32_t leader_of(parts_division *division, uint32_t node) {
    while (division->leader[node] != node) {
        division->leader[node] = division->leader[division->leader[node]];
        node = division->leader[node];
    }
    return node;
}

static void gaussian_parts_unite(parts_division *division, uint32_t a, uint32_t b) {
    uint32_t first = leader_of(division, a), second = leader_of(division, b);
    if (first < second) division->leader[second] = first;
    else division->leader[first] = second;
}

/* The loop visits children before parents, so nodes are marked before they are reached. */
static void gaussian_parts_mark_needed(parts_division *division) {
    const crd_network *network = division->network;
    for (size_t i = network->count; i-- > 0;) {
        uint32_t index = network->order[i];
        const crd_i_node *node = &network->nodes[index];
        division->rank[index] = (uint32_t)i;
        division->leader[index] = index;
        if (!is_gaussian(division, index)) continue;
        if (division->observed[index] || (division->asked != NULL && division->asked[index]))
            division->needed[index] = true;
        for (size_t j = 0; division->needed[index] && j < node->parent_count; j++)
            if (gaussian_parts_is_hidden(division, node->parents[j])) division->needed[node->parents[j]] = true;
    }
}

/* Joins hidden nodes that occur in the same regression. Also joins observed nodes without hidden parents that have
 * the same single discrete parent, or none: their likelihoods form one table. */
static void gaussian_parts_join(parts_division *division) {
    const crd_network *network = division->network;
    uint32_t *same = division->marks; /* by discrete node: a node whose only discrete parent it is */
    uint32_t alone = NOWHERE;
    for (size_t i = 0; i < network->count; i++) same[i] = NOWHERE;
    for (uint32_t i = 0; i < network->count; i++) {
        const crd_i_node *node = &network->nodes[i];
        uint32_t only = NOWHERE;
        size_t open = 0;
        bool is_alone = division->observed[i];
        if (!division->needed[i]) continue;
        for (size_t j = 0; j < node->parent_count; j++) {
            uint32_t parent = node->parents[j];
            if (gaussian_parts_is_hidden(division, parent)) {
                gaussian_parts_unite(division, i, parent);
                is_alone = false;
            } else if (!is_gaussian(division, parent) && !division->observed[parent]) {
                only = parent;
                open++;
            }
        }
        if (!is_alone || open > 1) continue;
        uint32_t *first = open == 0 ? &alone : &same[only];
        if (*first != NOWHERE) gaussian_parts_unite(division, i, *first);
        *first = i;
    }
    uint32_t first_asked = NOWHERE;
    for (uint32_t i = 0; division->together && i < network->count; i++) {
        if (!gaussian_parts_is_asked(division, i)) continue;
        if (first_asked != NOWHERE) gaussian_parts_unite(division, i, first_asked);
        first_asked = i;
    }
    memset(division->marks, 0, network->count * sizeof *division->marks);
}

static bool number_parts(parts_division *division) {
    crd_i_gaussian_parts *gaussian = division->parts;
    size_t count = division->network->count;
    gaussian->part_of = crd_i_alloc(division->context, count, sizeof *gaussian->part_of);
    gaussian->member_of = crd_i_alloc(division->context, count, sizeof *gaussian->member_of);
    if (gaussian->part_of == NULL || gaussian->member_of == NULL) return false;
    for (uint32_t i = 0; i < count; i++) {
        gaussian->part_of[i] = NOWHERE;
        if (division->needed[i] && leader_of(division, i) == i) gaussian->part_of[i] = (uint32_t)gaussian->count++;
    }
    gaussian->parts = crd_i_alloc_zeroed(division->context, gaussian->count, sizeof *gaussian->parts);
    gaussian->sets = crd_i_alloc_zeroed(division->context, gaussian->count, sizeof *gaussian->sets);
    if (gaussian->parts == NULL || gaussian->sets == NULL) return false;
    for (uint32_t i = 0; i < count; i++) {
        if (!division->needed[i]) continue;
        gaussian->part_of[i] = gaussian->part_of[leader_of(division, i)];
        gaussian->parts[gaussian->part_of[i]].count++;
        gaussian->parts[gaussian->part_of[i]].hidden_count += gaussian_parts_is_hidden(division, i);
    }
    for (size_t i = 0; i < gaussian->count; i++) {
        gaussian->parts[i].nodes =
            crd_i_alloc(division->context, gaussian->parts[i].count, sizeof *gaussian->parts[i].nodes);
        if (gaussian->parts[i].nodes == NULL) return false;
        gaussian->parts[i].count = 0;
    }
    /* Hidden nodes come first. */
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < count; i++) {
            if (!division->needed[i] || gaussian_parts_is_hidden(division, i) != (pass == 0)) continue;
            crd_i_gaussian_part *part = &gaussian->parts[gaussian->part_of[i]];
            gaussian->member_of[i] = (uint32_t)part->count;
            part->nodes[part->count++] = i;
            part->is_asked =
                part->is_asked || (division->asked != NULL && division->asked[i] && !division->observed[i]);
        }
    return true;
}

/* ---- The order of elimination ---- */

static uint32_t gaussian_parts_new_stamp(parts_division *division) {
    return ++division->stamp;
}

/* Adds the neighbors of hidden member i: nodes in its own regression or in the regression of one of its children. */
static bool add_neighbours(parts_division *division, const crd_i_gaussian_part *part, uint32_t i,
                           crd_i_domain_graph *graph, size_t *used, size_t *workspace) {
    const crd_network *network = division->network;
    const crd_i_node *node = &network->nodes[part->nodes[i]];
    uint32_t stamp = gaussian_parts_new_stamp(division);
    division->marks[part->nodes[i]] = stamp;
    for (uint32_t j = 0;
         division->together && gaussian_parts_is_asked(division, part->nodes[i]) && j < part->hidden_count; j++) {
        if (j == i || !gaussian_parts_is_asked(division, part->nodes[j])) continue;
        if (!crd_i_reserve(division->context, &graph->near, workspace, *used + 1, sizeof *graph->near)) return false;
        division->marks[part->nodes[j]] = stamp;
        graph->near[(*used)++] = j;
    }
    for (size_t c = 0; c <= node->child_count; c++) {
        uint32_t child = c < node->child_count ? node->children[c] : part->nodes[i];
        const crd_i_node *family = &network->nodes[child];
        if (!division->needed[child]) continue;
        for (size_t j = 0; j <= family->parent_count; j++) {
            uint32_t near = j < family->parent_count ? family->parents[j] : child;
            if (!gaussian_parts_is_hidden(division, near) || division->marks[near] == stamp) continue;
            if (!crd_i_reserve(division->context, &graph->near, workspace, *used + 1, sizeof *graph->near))
                return false;
            division->marks[near] = stamp;
            graph->near[(*used)++] = division->parts->member_of[near];
        }
    }
    return true;
}

/* Reorders the hidden members by elimination and lists their neighbors as positions. */
static bool take_order(parts_division *division, crd_i_gaussian_part *part, const crd_i_elimination *elimination) {
    size_t hidden = part->hidden_count, total = elimination->starts[hidden];
    uint32_t *nodes = crd_i_alloc(division->context, hidden, sizeof *nodes);
    part->later_starts = crd_i_alloc(division->context, hidden + 1, sizeof *part->later_starts);
    part->later = crd_i_alloc(division->context, total, sizeof *part->later);
    bool done = nodes != NULL && part->later_starts != NULL && part->later != NULL;
    if (done) {
        memcpy(nodes, part->nodes, hidden * sizeof *nodes);
        for (uint32_t i = 0; i < hidden; i++) {
            part->nodes[i] = nodes[elimination->order[i]];
            division->parts->member_of[part->nodes[i]] = i;
        }
        for (size_t i = 0; i <= hidden; i++) part->later_starts[i] = elimination->starts[i];
        for (size_t i = 0; i < hidden; i++) {
            size_t begin = elimination->starts[i], count = elimination->starts[i + 1] - begin;
            for (size_t j = 0; j < count; j++)
                part->later[begin + j] = division->parts->member_of[nodes[elimination->later[begin + j]]];
            crd_i_sort_positions(part->later + begin, count);
            if (count > part->width) part->width = count;
        }
    }
    crd_free(division->context, nodes);
    return done;
}

/* Computes the elimination order as for a junction tree. A single queried node is eliminated last: its regression is
 * then its posterior, free of rounding errors of other nodes. */
static crd_status order_part(parts_division *division, crd_i_gaussian_part *part, crd_error *error) {
    size_t hidden = part->hidden_count, used = 0, capacity = 0, requested = 0;
    crd_i_domain_graph graph = {.count = hidden};
    crd_i_elimination elimination = {0};
    size_t *states = crd_i_alloc(division->context, hidden, sizeof *states);
    bool *is_last = crd_i_alloc_zeroed(division->context, hidden, sizeof *is_last);
    graph.starts = crd_i_alloc(division->context, hidden + 1, sizeof *graph.starts);
    bool done = states != NULL && is_last != NULL && graph.starts != NULL;
    for (uint32_t i = 0; done && i < hidden; i++) {
        states[i] = 2;
        is_last[i] = gaussian_parts_is_asked(division, part->nodes[i]);
        requested += is_last[i];
        graph.starts[i] = used;
        done = add_neighbours(division, part, i, &graph, &used, &capacity);
    }
    if (done) graph.starts[hidden] = used;
    graph.states = states;
    graph.is_last = requested == 1 || division->together ? is_last : NULL;
    crd_status status =
        done ? crd_i_triangulate(division->context, &graph, ANY_CELLS, &elimination, error) : crd_i_fail_memory(error);
    if (status == CRD_OK && !take_order(division, part, &elimination)) status = crd_i_fail_memory(error);
    crd_i_elimination_clear(division->context, &elimination);
    crd_free(division->context, graph.starts);
    crd_free(division->context, graph.near);
    crd_free(division->context, states);
    crd_free(division->context, is_last);
    return status;
}

/* ---- Regressions and boundaries ---- */

static void sort_slopes(crd_i_slope *slopes, size_t count) {
    for (size_t i = 1; i < count; i++) {
        crd_i_slope slope = slopes[i];
        size_t j = i;
        for (; j > 0 && slopes[j - 1].index > slope.index; j--) slopes[j] = slopes[j - 1];
        slopes[j] = slope;
    }
}

/* Lists the parents of a member. */
static void list_parents(const parts_division *division, crd_i_gaussian_part *part, size_t member, size_t *steps,
                         size_t *slopes) {
    const crd_network *network = division->network;
    const crd_i_node *node = &network->nodes[part->nodes[member]];
    size_t stride = 1;
    part->ranks[member] = division->rank[part->nodes[member]];
    part->step_starts[member] = *steps;
    part->known_starts[member] = *slopes;
    for (size_t j = node->parent_count; j-- > 0;) {
        uint32_t parent = node->parents[j];
        if (is_gaussian(division, parent)) continue;
        part->steps[*steps].node = parent;
        part->steps[(*steps)++].stride = stride;
        stride *= crd_i_node_states(&network->nodes[parent]);
    }
    for (int pass = 0; pass < 2; pass++) {
        uint32_t column = 0;
        if (pass == 1) part->slope_starts[member] = *slopes;
        for (size_t j = 0; j < node->parent_count; j++) {
            uint32_t parent = node->parents[j];
            if (!is_gaussian(division, parent)) continue;
            column++;
            if (gaussian_parts_is_hidden(division, parent) != (pass == 1)) continue;
            part->slopes[*slopes].index = pass == 1 ? division->parts->member_of[parent] : parent;
            part->slopes[(*slopes)++].column = column;
        }
    }
    sort_slopes(part->slopes + part->slope_starts[member], *slopes - part->slope_starts[member]);
}

static bool gaussian_parts_list_members(parts_division *division, crd_i_gaussian_part *part) {
    crd_context *context = division->context;
    size_t arcs = 0, steps = 0, slopes = 0;
    for (size_t i = 0; i < part->count; i++) arcs += division->network->nodes[part->nodes[i]].parent_count;
    part->ranks = crd_i_alloc(context, part->count, sizeof *part->ranks);
    part->step_starts = crd_i_alloc(context, part->count + 1, sizeof *part->step_starts);
    part->known_starts = crd_i_alloc(context, part->count + 1, sizeof *part->known_starts);
    part->slope_starts = crd_i_alloc(context, part->count, sizeof *part->slope_starts);
    part->steps = crd_i_alloc(context, arcs, sizeof *part->steps);
    part->slopes = crd_i_alloc(context, arcs, sizeof *part->slopes);
    if (part->ranks == NULL || part->step_starts == NULL || part->known_starts == NULL || part->slope_starts == NULL ||
        part->steps == NULL || part->slopes == NULL)
        return false;
    for (size_t i = 0; i < part->count; i++) list_parents(division, part, i, &steps, &slopes);
    part->step_starts[part->count] = steps;
    part->known_starts[part->count] = slopes;
    return true;
}

static crd_status gaussian_parts_find_boundary(parts_division *division, crd_i_gaussian_part *part, crd_error *error) {
    uint32_t stamp = gaussian_parts_new_stamp(division);
    size_t capacity = 0;
    double combinations = 1;
    for (size_t i = 0; i < part->step_starts[part->count]; i++) {
        uint32_t node = part->steps[i].node;
        if (division->observed[node] || division->marks[node] == stamp) continue;
        division->marks[node] = stamp;
        if (!crd_i_reserve(division->context, &part->set.nodes, &capacity, part->set.count + 1,
                           sizeof *part->set.nodes))
            return crd_i_fail_memory(error);
        part->set.nodes[part->set.count++] = node;
        combinations *= (double)crd_i_node_states(&division->network->nodes[node]);
    }
    crd_i_sort_positions(part->set.nodes, part->set.count);
    double bytes = combinations * (double)sizeof(double);
    char bytes_room[CRD_I_BYTES_ROOM], quoted[CRD_I_QUOTED_ROOM];
    if (combinations > CRD_I_MOST_CELLS || (division->memory > 0 && bytes > division->memory)) {
        crd_i_fail(error, CRD_ERROR_LIMIT,
                   "an exact result needs all %.3g combinations of the states of %zu discrete nodes, on which %s and "
                   "the nodes connected with it depend: %s of memory",
                   combinations, part->set.count, crd_i_quote(division->network->nodes[part->nodes[0]].name, quoted),
                   crd_i_describe_bytes(bytes, bytes_room));
        crd_i_error_hint(error, "add evidence on these nodes to reduce the combinations; approximate inference does "
                                "not support continuous nodes");
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

static crd_status gaussian_parts_divide(parts_division *division, crd_error *error) {
    crd_i_gaussian_parts *gaussian = division->parts;
    gaussian_parts_mark_needed(division);
    gaussian_parts_join(division);
    if (!number_parts(division)) return crd_i_fail_memory(error);
    for (size_t i = 0; i < gaussian->count; i++) {
        crd_i_gaussian_part *part = &gaussian->parts[i];
        crd_status status = order_part(division, part, error);
        if (status == CRD_OK && !gaussian_parts_list_members(division, part)) status = crd_i_fail_memory(error);
        if (status == CRD_OK) status = gaussian_parts_find_boundary(division, part, error);
        if (status != CRD_OK) return status;
        gaussian->sets[i] = part->set;
        size_t later = part->later_starts[part->hidden_count];
        if (part->count > gaussian->most_members) gaussian->most_members = part->count;
        if (part->width > gaussian->most_width) gaussian->most_width = part->width;
        if (later > gaussian->most_later) gaussian->most_later = later;
    }
    return CRD_OK;
}

crd_status crd_i_gaussian_parts_create(const crd_network *network, const bool *observed, const bool *asked,
                                       bool together, double memory, crd_i_gaussian_parts **out, crd_error *error) {
    crd_context *context = network->context;
    parts_division division = {.network = network,
                               .context = context,
                               .observed = observed,
                               .asked = asked,
                               .together = together,
                               .memory = memory};
    *out = NULL;
    division.needed = crd_i_alloc_zeroed(context, network->count, sizeof *division.needed);
    division.leader = crd_i_alloc(context, network->count, sizeof *division.leader);
    division.rank = crd_i_alloc(context, network->count, sizeof *division.rank);
    division.marks = crd_i_alloc(context, network->count, sizeof *division.marks);
    division.parts = crd_i_alloc_zeroed(context, 1, sizeof *division.parts);
    crd_status status = CRD_OK;
    if (division.parts != NULL) division.parts->context = context;
    if (division.needed == NULL || division.leader == NULL || division.rank == NULL || division.marks == NULL ||
        division.parts == NULL) {
        status = crd_i_fail_memory(error);
    } else {
        division.parts->network = network;
        status = gaussian_parts_divide(&division, error);
    }
    crd_free(context, division.needed);
    crd_free(context, division.leader);
    crd_free(context, division.rank);
    crd_free(context, division.marks);
    if (status == CRD_OK) *out = division.parts;
    else crd_i_gaussian_parts_destroy(division.parts);
    return status;
}
