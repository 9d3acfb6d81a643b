/* SPDX-License-Identifier: MIT */
/* network_comparison.c - compares two networks arc by arc and table by table, and finds the compelled arcs of a
 * network; see credence/network.h. */
#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "math/functions/elementary.h"
#include "network/network_internal.h"
#include "structure/graph.h"

#include <math.h>

enum { MOST_NODES = 1 << 15 };

/* Maps node numbers of the comparison to node numbers of one network, and back. */
typedef struct comparison_numbering {
    uint32_t *values; /* node of the network, by node of the comparison; UINT32_MAX: the network does not have this
                       * node */
    uint32_t *joint;  /* node of the comparison, by node of the network */
} comparison_numbering;

/* ---- Nodes ---- */

static crd_status network_comparison_add_names(crd_i_dictionary *names, const crd_network *network, uint32_t *joint,
                                               crd_error *error) {
    for (size_t i = 0; i < network->count; i++) {
        int32_t code = crd_i_dictionary_add(names, network->nodes[i].name);
        if (code < 0) return crd_i_fail_memory(error);
        joint[i] = (uint32_t)code;
    }
    return CRD_OK;
}

/* Numbers the nodes of both networks jointly, by name, and counts the nodes that only one of them has. */
static crd_status network_comparison_number_nodes(crd_network_comparison *comparison,
                                                  const crd_network *const networks[2], comparison_numbering numbers[2],
                                                  crd_error *error) {
    crd_i_dictionary *names = crd_i_dictionary_create(networks[0]->context);
    crd_status status = names == NULL ? crd_i_fail_memory(error) : CRD_OK;
    for (size_t n = 0; n < 2 && status == CRD_OK; n++) {
        numbers[n].joint = crd_i_arena_alloc(comparison->arena, networks[n]->count, sizeof *numbers[n].joint);
        status = numbers[n].joint == NULL ? crd_i_fail_memory(error)
                                          : network_comparison_add_names(names, networks[n], numbers[n].joint, error);
    }
    comparison->nodes = status == CRD_OK ? crd_i_dictionary_size(names) : 0;
    comparison->cpts = crd_i_arena_alloc_zeroed(comparison->arena, comparison->nodes, sizeof *comparison->cpts);
    for (size_t i = 0; comparison->cpts != NULL && i < comparison->nodes; i++)
        comparison->cpts[i].name = crd_i_arena_copy_text(comparison->arena, crd_i_dictionary_text(names, i));
    crd_i_dictionary_destroy(names);
    if (status == CRD_OK) status = crd_i_arena_check(comparison->arena, error);
    if (status != CRD_OK) return status;
    if (comparison->nodes > MOST_NODES)
        return crd_i_fail(error, CRD_ERROR_LIMIT, "only networks of at most %d nodes can be compared, got %zu",
                          MOST_NODES, comparison->nodes);
    for (size_t n = 0; n < 2; n++) {
        numbers[n].values = crd_i_arena_alloc(comparison->arena, comparison->nodes, sizeof *numbers[n].values);
        if (numbers[n].values == NULL) return crd_i_fail_memory(error);
        for (size_t i = 0; i < comparison->nodes; i++) numbers[n].values[i] = UINT32_MAX;
        for (size_t i = 0; i < networks[n]->count; i++) numbers[n].values[numbers[n].joint[i]] = (uint32_t)i;
    }
    comparison->only_first_nodes = comparison->nodes - networks[1]->count;
    comparison->only_second_nodes = comparison->nodes - networks[0]->count;
    return CRD_OK;
}

/* ---- Arcs ---- */

/* Creates the graph of a network over the joint node numbers. Returns NULL if memory runs out. */
static crd_i_graph *graph_of(crd_context *context, const crd_network *network, const comparison_numbering *numbers,
                             size_t count) {
    crd_i_graph *graph = crd_i_graph_create(context, count);
    for (size_t i = 0; graph != NULL && i < network->count; i++)
        for (size_t k = 0; k < network->nodes[i].parent_count; k++)
            crd_i_graph_add(graph, numbers->joint[network->nodes[i].parents[k]], numbers->joint[i]);
    return graph;
}

/* Returns the counter of a kind of arc. */
static size_t *counter_of(crd_network_comparison *comparison, crd_arc_relation relation) {
    size_t *const counters[] = {[CRD_ARC_SAME] = &comparison->same,
                                [CRD_ARC_REVERSED] = &comparison->reversed,
                                [CRD_ARC_ONLY_FIRST] = &comparison->only_first_arcs,
                                [CRD_ARC_ONLY_SECOND] = &comparison->only_second_arcs};
    return counters[relation];
}

/* Lists the arcs to `node` in `graph`. An arc that the other graph also has, in any direction, is listed only if
 * `is_first`. */
static size_t network_comparison_list_arcs(crd_network_comparison *comparison, const crd_i_graph *graph,
                                           const crd_i_graph *other, bool is_first, size_t node, size_t count) {
    const uint64_t *parents = crd_i_graph_parents(graph, node);
    for (size_t source = crd_i_bit_next(parents, graph->words, 0); source < graph->count;
         source = crd_i_bit_next(parents, graph->words, source + 1)) {
        crd_arc_relation relation = crd_i_graph_has(other, source, node)   ? CRD_ARC_SAME
                                    : crd_i_graph_has(other, node, source) ? CRD_ARC_REVERSED
                                    : is_first                             ? CRD_ARC_ONLY_FIRST
                                                                           : CRD_ARC_ONLY_SECOND;
        if (!is_first && relation != CRD_ARC_ONLY_SECOND) continue;
        comparison->arcs[count++] =
            (crd_arc_comparison){comparison->cpts[source].name, comparison->cpts[node].name, relation};
        ++*counter_of(comparison, relation);
    }
    return count;
}

/* Compares the arcs of both networks, and computes both distances. */
static crd_status compare_arcs(crd_network_comparison *comparison, const crd_network *const networks[2],
                               const comparison_numbering numbers[2], crd_error *error) {
    crd_i_graph *graphs[2] = {NULL, NULL};
    crd_status status = CRD_OK;
    for (size_t n = 0; n < 2; n++)
        graphs[n] = graph_of(networks[0]->context, networks[n], &numbers[n], comparison->nodes);
    if (graphs[0] == NULL || graphs[1] == NULL) status = crd_i_fail_memory(error);
    if (status == CRD_OK) {
        size_t most = crd_i_graph_edge_count(graphs[0]) + crd_i_graph_edge_count(graphs[1]), count = 0;
        comparison->arcs = crd_i_arena_alloc(comparison->arena, most, sizeof *comparison->arcs);
        if (comparison->arcs == NULL) status = crd_i_fail_memory(error);
        for (size_t node = 0; status == CRD_OK && node < comparison->nodes; node++) {
            count = network_comparison_list_arcs(comparison, graphs[0], graphs[1], true, node, count);
            count = network_comparison_list_arcs(comparison, graphs[1], graphs[0], false, node, count);
        }
        comparison->arc_count = count;
        comparison->arc_distance = crd_i_graph_distance(graphs[0], graphs[1]);
    }
    if (status == CRD_OK)
        status = crd_i_graph_hamming_distance(graphs[0], graphs[1], &comparison->hamming_distance, error);
    crd_i_graph_destroy(graphs[0]);
    crd_i_graph_destroy(graphs[1]);
    return status;
}

/* ---- Tables ---- */

/* A node that both networks have, and the correspondence between the entries of its two tables. */
typedef struct comparison_matched {
    const crd_i_node *first, *second;
    uint32_t *places; /* for each parent in the first network, its position among the parents in the second */
    size_t *strides;  /* for each parent in the first network: rows of the second table from one of its states to the
                       * next; 0: continuous */
    size_t *columns;  /* for each column of the first table, the corresponding column of the second */
    uint32_t *states; /* states in the second network by states in the first, for one parent after the other */
} comparison_matched;

/* Maps the states of a node to the states of the same node in the other network. Returns false if the kinds or
 * states differ. */
static bool network_comparison_match_states(const crd_i_node *first, const crd_i_node *second, uint32_t *states) {
    if (first->kind != second->kind) return false;
    if (!crd_i_node_is_discrete(first)) return true;
    if (crd_i_node_states(first) != crd_i_node_states(second)) return false;
    for (size_t s = 0; s < crd_i_node_states(first); s++) {
        int32_t found = crd_i_node_find(second, crd_i_dictionary_text(first->states, s));
        if (found < 0) return false;
        states[s] = (uint32_t)found;
    }
    return true;
}

/* Returns the row of the second table that corresponds to row `row` of the first. */
static size_t network_comparison_find_row(const comparison_matched *m, const crd_network *network, size_t row) {
    size_t found = 0, left = m->first->rows, source = 0;
    for (size_t k = 0; k < m->first->parent_count; k++) {
        const crd_i_node *parent = &network->nodes[m->first->parents[k]];
        if (!crd_i_node_is_discrete(parent)) continue;
        size_t states = crd_i_node_states(parent);
        left /= states;
        found += m->states[source + row / left % states] * m->strides[k];
        source += states;
    }
    return found;
}

/* Returns the Kullback-Leibler divergence sum p log(p / q) of two table rows, each normalized to the sum 1. */
static double network_comparison_diverge(const double *first, const double *second, const size_t *columns,
                                         size_t width) {
    double sums[2] = {0, 0}, divergence = 0;
    for (size_t i = 0; i < width; i++) {
        sums[0] += first[i];
        sums[1] += second[i];
    }
    for (size_t i = 0; i < width; i++) {
        double p = first[i] / sums[0], q = second[columns[i]] / sums[1];
        if (p > 0) divergence += q > 0 ? p * crd_log(p / q) : INFINITY;
    }
    return divergence > 0 ? divergence : 0;
}

/* Computes the largest absolute difference of corresponding entries, and the largest divergence of corresponding
 * rows. */
static void network_comparison_compare_rows(const comparison_matched *m, const crd_network *first,
                                            crd_cpt_comparison *out) {
    const size_t width = crd_i_node_width(m->first);
    const bool has_probabilities = m->first->kind == CRD_NODE_CHANCE;
    out->difference = 0;
    out->divergence = has_probabilities ? 0 : NAN;
    for (size_t row = 0; row < m->first->rows; row++) {
        const double *a = m->first->table + row * width,
                     *b = m->second->table + network_comparison_find_row(m, first, row) * width;
        for (size_t i = 0; i < width; i++) out->difference = fmax(out->difference, fabs(a[i] - b[m->columns[i]]));
        if (has_probabilities)
            out->divergence = fmax(out->divergence, network_comparison_diverge(a, b, m->columns, width));
    }
}

/* Finds the parents of the first node among the parents of the second, and maps their states and the table columns. */
static crd_cpt_relation match_parents(comparison_matched *m, const crd_network *const networks[2],
                                      const comparison_numbering numbers[2]) {
    size_t stride = 1, source = 0, continuous = 0;
    for (size_t k = 0; k < m->first->parent_count; k++) {
        uint32_t wanted = numbers[1].values[numbers[0].joint[m->first->parents[k]]];
        m->places[k] = UINT32_MAX;
        for (size_t i = 0; i < m->second->parent_count && wanted != UINT32_MAX; i++)
            if (m->second->parents[i] == wanted) m->places[k] = (uint32_t)i;
        if (m->places[k] == UINT32_MAX) return CRD_CPT_OTHER_PARENTS;
    }
    for (size_t k = 0; k < m->first->parent_count; k++) {
        const crd_i_node *parent = &networks[0]->nodes[m->first->parents[k]];
        if (!network_comparison_match_states(parent, &networks[1]->nodes[m->second->parents[m->places[k]]],
                                             m->states + source))
            return CRD_CPT_OTHER_STATES;
        source += crd_i_node_is_discrete(parent) ? crd_i_node_states(parent) : 0;
    }
    for (size_t i = m->second->parent_count; i-- > 0;) {
        const crd_i_node *parent = &networks[1]->nodes[m->second->parents[i]];
        size_t k = 0;
        while (m->places[k] != i) k++;
        m->strides[k] = crd_i_node_is_discrete(parent) ? stride : 0;
        if (crd_i_node_is_discrete(parent)) stride *= crd_i_node_states(parent);
    }
    /* Coefficients follow the intercept, in the order of the continuous parents. */
    for (size_t k = 0; k < m->first->parent_count && m->first->kind == CRD_NODE_GAUSSIAN; k++) {
        if (m->strides[k] != 0) continue;
        size_t index = 0;
        for (size_t i = 0; i < m->places[k]; i++)
            index += !crd_i_node_is_discrete(&networks[1]->nodes[m->second->parents[i]]);
        m->columns[1 + continuous++] = 1 + index;
    }
    return CRD_CPT_COMPARED;
}

/* Maps the node's own states, and checks that the numbers of parents agree. */
static crd_cpt_relation match_own(const comparison_matched *m, uint32_t *states) {
    const size_t width = crd_i_node_width(m->first);
    if (!network_comparison_match_states(m->first, m->second, states)) return CRD_CPT_OTHER_STATES;
    if (m->first->parent_count != m->second->parent_count) return CRD_CPT_OTHER_PARENTS;
    for (size_t i = 0; i < width; i++) m->columns[i] = m->first->kind == CRD_NODE_GAUSSIAN ? i : states[i];
    return CRD_CPT_COMPARED;
}

/* Compares the tables of a node that both networks have. */
static crd_status compare_tables(crd_context *context, const crd_network *const networks[2],
                                 const comparison_numbering numbers[2], size_t first, size_t second,
                                 crd_cpt_comparison *out, crd_error *error) {
    comparison_matched m = {.first = &networks[0]->nodes[first], .second = &networks[1]->nodes[second]};
    const size_t parents = m.first->parent_count, width = crd_i_node_width(m.first);
    size_t states = width;
    for (size_t k = 0; k < parents; k++)
        if (crd_i_node_is_discrete(&networks[0]->nodes[m.first->parents[k]]))
            states += crd_i_node_states(&networks[0]->nodes[m.first->parents[k]]);
    crd_i_arena *scratch = crd_i_arena_create(context);
    m.places = crd_i_arena_alloc(scratch, parents, sizeof *m.places);
    m.strides = crd_i_arena_alloc(scratch, parents, sizeof *m.strides);
    m.columns = crd_i_arena_alloc(scratch, width, sizeof *m.columns);
    m.states = crd_i_arena_alloc(scratch, states, sizeof *m.states);
    crd_status status = crd_i_arena_check(scratch, error);
    if (status == CRD_OK) {
        out->relation = match_own(&m, m.states);
        if (out->relation == CRD_CPT_COMPARED) out->relation = match_parents(&m, networks, numbers);
        if (out->relation == CRD_CPT_COMPARED && m.first->table == NULL) out->relation = CRD_CPT_NONE;
        if (out->relation == CRD_CPT_COMPARED) network_comparison_compare_rows(&m, networks[0], out);
    }
    crd_i_arena_destroy(scratch);
    return status;
}

static crd_status compare_all_tables(crd_network_comparison *comparison, const crd_network *const networks[2],
                                     const comparison_numbering numbers[2], crd_error *error) {
    crd_status status = CRD_OK;
    for (size_t i = 0; i < comparison->nodes && status == CRD_OK; i++) {
        uint32_t first = numbers[0].values[i], second = numbers[1].values[i];
        crd_cpt_comparison *cpt = &comparison->cpts[i];
        cpt->difference = cpt->divergence = NAN;
        cpt->relation = first == UINT32_MAX ? CRD_CPT_ONLY_SECOND : CRD_CPT_ONLY_FIRST;
        if (first != UINT32_MAX && second != UINT32_MAX)
            status = compare_tables(networks[0]->context, networks, numbers, first, second, cpt, error);
    }
    return status;
}

/* ---- Equivalence classes ---- */

crd_status crd_network_compelled_arcs(const crd_network *network, unsigned char *is_compelled, crd_error *error) {
    crd_i_graph *dag = NULL, *completed = NULL;
    if (network->count > MOST_NODES)
        return crd_i_fail(error, CRD_ERROR_LIMIT, "equivalent networks can only be found for at most %d nodes, got %zu",
                          MOST_NODES, network->count);
    crd_status status = CRD_OK;
    dag = crd_i_graph_create(network->context, network->count);
    if (dag == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < network->count; i++)
        for (size_t k = 0; k < network->nodes[i].parent_count; k++)
            crd_i_graph_add(dag, network->nodes[i].parents[k], i);
    status = crd_i_graph_complete(dag, NULL, &completed, error);
    for (size_t i = 0, index = 0; status == CRD_OK && i < network->count; i++)
        for (size_t k = 0; k < network->nodes[i].parent_count; k++)
            is_compelled[index++] = crd_i_graph_is_directed(completed, network->nodes[i].parents[k], i);
    crd_i_graph_destroy(dag);
    crd_i_graph_destroy(completed);
    return status;
}

/* ---- Comparing ---- */

crd_status crd_network_compare(const crd_network *first, const crd_network *second, crd_network_comparison **out,
                               crd_error *error) {
    const crd_network *const networks[2] = {first, second};
    comparison_numbering numbers[2] = {{NULL, NULL}, {NULL, NULL}};
    *out = NULL;
    crd_network_comparison *comparison = crd_i_arena_object(first->context, sizeof *comparison);
    if (comparison == NULL) return crd_i_fail_memory(error);
    crd_status status = network_comparison_number_nodes(comparison, networks, numbers, error);
    if (status == CRD_OK) status = compare_arcs(comparison, networks, numbers, error);
    if (status == CRD_OK) status = compare_all_tables(comparison, networks, numbers, error);
    if (status == CRD_OK) *out = comparison;
    else crd_network_comparison_destroy(comparison);
    return status;
}

void crd_network_comparison_destroy(crd_network_comparison *comparison) {
    if (comparison != NULL) crd_i_arena_destroy(comparison->arena);
}
