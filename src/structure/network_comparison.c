/* SPDX-License-Identifier: MIT */
/* network_comparison.c - two networks compared, arc by arc and table by table, and a network with all that are equivalent
 * to it: see credence/network.h. */
#include "base/error.h"
#include "base/memory.h"
#include "math/functions/elementary.h"
#include "network/network_internal.h"
#include "structure/graph_equivalence.h"

#include <math.h>

enum { MOST_NODES = 1 << 15 };

typedef struct arc {
    uint32_t from, to;
    crd_arc_relation relation;
} arc;

typedef struct table_difference {
    crd_cpt_relation relation;
    double difference, divergence;
} table_difference;

struct crd_network_comparison {
    crd_context *context;
    crd_i_dictionary *names; /* of the nodes of both */
    arc *arcs;
    table_difference *tables; /* by node */
    crd_network_comparison_facts facts;
};

/* Node numbers of one network by those of the comparison, and the other way round. */
typedef struct numbering {
    uint32_t *own;   /* UINT32_MAX: it has no such node */
    uint32_t *joint; /* by node of the network */
} numbering;

/* ---- Nodes ---- */

static crd_status add_names(crd_network_comparison *to, const crd_network *network, uint32_t *joint, crd_error *error) {
    for (size_t i = 0; i < network->count; i++) {
        int32_t code = crd_i_dictionary_add(to->names, network->nodes[i].name);
        if (code < 0) return crd_i_fail_memory(error);
        joint[i] = (uint32_t)code;
    }
    return CRD_OK;
}

static crd_status number_nodes(crd_network_comparison *to, const crd_network *const networks[2], numbering numbers[2],
                               crd_error *error) {
    crd_status status = CRD_OK;
    to->names = crd_i_dictionary_create(to->context);
    if (to->names == NULL) return crd_i_fail_memory(error);
    for (size_t n = 0; n < 2 && status == CRD_OK; n++) {
        numbers[n].joint = crd_i_alloc(to->context, networks[n]->count, sizeof *numbers[n].joint);
        status =
            numbers[n].joint == NULL ? crd_i_fail_memory(error) : add_names(to, networks[n], numbers[n].joint, error);
    }
    if (status != CRD_OK) return status;
    to->facts.nodes = crd_i_dictionary_size(to->names);
    if (to->facts.nodes > MOST_NODES)
        return crd_i_fail(error, CRD_ERROR_LIMIT, "networks of at most %d nodes are compared, not of %zu", MOST_NODES,
                          to->facts.nodes);
    for (size_t n = 0; n < 2; n++) {
        numbers[n].own = crd_i_alloc(to->context, to->facts.nodes, sizeof *numbers[n].own);
        if (numbers[n].own == NULL) return crd_i_fail_memory(error);
        for (size_t i = 0; i < to->facts.nodes; i++) numbers[n].own[i] = UINT32_MAX;
        for (size_t i = 0; i < networks[n]->count; i++) numbers[n].own[numbers[n].joint[i]] = (uint32_t)i;
    }
    to->facts.only_first_nodes = to->facts.nodes - networks[1]->count;
    to->facts.only_second_nodes = to->facts.nodes - networks[0]->count;
    return CRD_OK;
}

/* ---- Arcs ---- */

static crd_i_graph *graph_of(crd_context *context, const crd_network *network, const numbering *numbers, size_t count) {
    crd_i_graph *graph = crd_i_graph_create(context, count);
    for (size_t i = 0; graph != NULL && i < network->count; i++)
        for (size_t k = 0; k < network->nodes[i].parent_count; k++)
            crd_i_graph_add(graph, numbers->joint[network->nodes[i].parents[k]], numbers->joint[i]);
    return graph;
}

static size_t *counter_of(crd_network_comparison_facts *facts, crd_arc_relation relation) {
    size_t *const counters[] = {[CRD_ARC_SAME] = &facts->same,
                                [CRD_ARC_REVERSED] = &facts->reversed,
                                [CRD_ARC_ONLY_FIRST] = &facts->only_first_arcs,
                                [CRD_ARC_ONLY_SECOND] = &facts->only_second_arcs};
    return counters[relation];
}

/* The arcs of `graph`, those that are in the other too but for its own only where it is the first. */
static size_t list_arcs(crd_network_comparison *to, const crd_i_graph *graph, const crd_i_graph *other, bool is_first,
                        size_t node, size_t count) {
    const uint64_t *parents = crd_i_graph_parents(graph, node);
    for (size_t from = crd_i_bit_next(parents, graph->words, 0); from < graph->count;
         from = crd_i_bit_next(parents, graph->words, from + 1)) {
        crd_arc_relation relation = crd_i_graph_has(other, from, node)   ? CRD_ARC_SAME
                                    : crd_i_graph_has(other, node, from) ? CRD_ARC_REVERSED
                                    : is_first                           ? CRD_ARC_ONLY_FIRST
                                                                         : CRD_ARC_ONLY_SECOND;
        if (!is_first && relation != CRD_ARC_ONLY_SECOND) continue;
        to->arcs[count++] = (arc){(uint32_t)from, (uint32_t)node, relation};
        ++*counter_of(&to->facts, relation);
    }
    return count;
}

static crd_status compare_arcs(crd_network_comparison *to, const crd_network *const networks[2],
                               const numbering numbers[2], crd_error *error) {
    crd_i_graph *graphs[2] = {NULL, NULL};
    crd_status status = CRD_OK;
    for (size_t n = 0; n < 2; n++) graphs[n] = graph_of(to->context, networks[n], &numbers[n], to->facts.nodes);
    if (graphs[0] == NULL || graphs[1] == NULL) status = crd_i_fail_memory(error);
    if (status == CRD_OK) {
        size_t most = crd_i_graph_edge_count(graphs[0]) + crd_i_graph_edge_count(graphs[1]), count = 0;
        to->arcs = crd_i_alloc(to->context, most, sizeof *to->arcs);
        if (to->arcs == NULL) status = crd_i_fail_memory(error);
        for (size_t node = 0; status == CRD_OK && node < to->facts.nodes; node++) {
            count = list_arcs(to, graphs[0], graphs[1], true, node, count);
            count = list_arcs(to, graphs[1], graphs[0], false, node, count);
        }
        to->facts.arc_distance = crd_i_graph_distance(graphs[0], graphs[1]);
    }
    if (status == CRD_OK)
        status = crd_i_graph_hamming_distance(graphs[0], graphs[1], &to->facts.hamming_distance, error);
    crd_i_graph_destroy(graphs[0]);
    crd_i_graph_destroy(graphs[1]);
    return status;
}

/* ---- Tables ---- */

/* A node of both networks, and where its table has in the second what it has in the first. */
typedef struct matched {
    const crd_i_node *first, *second;
    uint32_t *places; /* for each parent of the first its place among those of the second */
    size_t *strides;  /* by parent of the first: rows of the second from one state to the next; 0 of continuous ones */
    size_t *columns;  /* for each number of a row of the first its place in a row of the second */
    uint32_t *states; /* of the second by those of the first, parent by parent */
} matched;

static bool match_states(const crd_i_node *first, const crd_i_node *second, uint32_t *states) {
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

/* The row of the second that is row `row` of the first; `states` are those of the parents, one after the other. */
static size_t find_row(const matched *m, const crd_network *network, size_t row) {
    size_t found = 0, left = m->first->rows, from = 0;
    for (size_t k = 0; k < m->first->parent_count; k++) {
        const crd_i_node *parent = &network->nodes[m->first->parents[k]];
        if (!crd_i_node_is_discrete(parent)) continue;
        size_t states = crd_i_node_states(parent);
        left /= states;
        found += m->states[from + row / left % states] * m->strides[k];
        from += states;
    }
    return found;
}

/* Sum of p log(p / q) of two rows, each divided by its sum. */
static double diverge(const double *first, const double *second, const size_t *columns, size_t width) {
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

static void compare_rows(const matched *m, const crd_network *first, table_difference *out) {
    const size_t width = crd_i_node_width(m->first);
    const bool has_probabilities = m->first->kind == CRD_NODE_CHANCE;
    out->difference = 0;
    out->divergence = has_probabilities ? 0 : NAN;
    for (size_t row = 0; row < m->first->rows; row++) {
        const double *a = m->first->table + row * width, *b = m->second->table + find_row(m, first, row) * width;
        for (size_t i = 0; i < width; i++) out->difference = fmax(out->difference, fabs(a[i] - b[m->columns[i]]));
        if (has_probabilities) out->divergence = fmax(out->divergence, diverge(a, b, m->columns, width));
    }
}

/* Finds the parents of the first among those of the second, and their states. */
static crd_cpt_relation match_parents(matched *m, const crd_network *const networks[2], const numbering numbers[2]) {
    size_t stride = 1, from = 0, continuous = 0;
    for (size_t k = 0; k < m->first->parent_count; k++) {
        uint32_t wanted = numbers[1].own[numbers[0].joint[m->first->parents[k]]];
        m->places[k] = UINT32_MAX;
        for (size_t i = 0; i < m->second->parent_count && wanted != UINT32_MAX; i++)
            if (m->second->parents[i] == wanted) m->places[k] = (uint32_t)i;
        if (m->places[k] == UINT32_MAX) return CRD_CPT_OTHER_PARENTS;
    }
    for (size_t k = 0; k < m->first->parent_count; k++) {
        const crd_i_node *parent = &networks[0]->nodes[m->first->parents[k]];
        if (!match_states(parent, &networks[1]->nodes[m->second->parents[m->places[k]]], m->states + from))
            return CRD_CPT_OTHER_STATES;
        from += crd_i_node_is_discrete(parent) ? crd_i_node_states(parent) : 0;
    }
    for (size_t i = m->second->parent_count; i-- > 0;) {
        const crd_i_node *parent = &networks[1]->nodes[m->second->parents[i]];
        size_t k = 0;
        while (m->places[k] != i) k++;
        m->strides[k] = crd_i_node_is_discrete(parent) ? stride : 0;
        if (crd_i_node_is_discrete(parent)) stride *= crd_i_node_states(parent);
    }
    /* Coefficients stand behind the intercept, in the order of continuous parents. */
    for (size_t k = 0; k < m->first->parent_count && m->first->kind == CRD_NODE_GAUSSIAN; k++) {
        if (m->strides[k] != 0) continue;
        size_t at = 0;
        for (size_t i = 0; i < m->places[k]; i++)
            at += !crd_i_node_is_discrete(&networks[1]->nodes[m->second->parents[i]]);
        m->columns[1 + continuous++] = 1 + at;
    }
    return CRD_CPT_COMPARED;
}

static crd_cpt_relation match_own(const matched *m, uint32_t *states) {
    const size_t width = crd_i_node_width(m->first);
    if (!match_states(m->first, m->second, states)) return CRD_CPT_OTHER_STATES;
    if (m->first->parent_count != m->second->parent_count) return CRD_CPT_OTHER_PARENTS;
    for (size_t i = 0; i < width; i++) m->columns[i] = m->first->kind == CRD_NODE_GAUSSIAN ? i : states[i];
    return CRD_CPT_COMPARED;
}

static crd_status compare_tables(crd_context *context, const crd_network *const networks[2], const numbering numbers[2],
                                 size_t first, size_t second, table_difference *out, crd_error *error) {
    matched m = {.first = &networks[0]->nodes[first], .second = &networks[1]->nodes[second]};
    const size_t parents = m.first->parent_count, width = crd_i_node_width(m.first);
    size_t states = width;
    for (size_t k = 0; k < parents; k++)
        if (crd_i_node_is_discrete(&networks[0]->nodes[m.first->parents[k]]))
            states += crd_i_node_states(&networks[0]->nodes[m.first->parents[k]]);
    m.places = crd_i_alloc(context, parents, sizeof *m.places);
    m.strides = crd_i_alloc(context, parents, sizeof *m.strides);
    m.columns = crd_i_alloc(context, width, sizeof *m.columns);
    m.states = crd_i_alloc(context, states, sizeof *m.states);
    crd_status status = CRD_OK;
    if (m.places == NULL || m.strides == NULL || m.columns == NULL || m.states == NULL) {
        status = crd_i_fail_memory(error);
    } else {
        out->relation = match_own(&m, m.states);
        if (out->relation == CRD_CPT_COMPARED) out->relation = match_parents(&m, networks, numbers);
        if (out->relation == CRD_CPT_COMPARED && m.first->table == NULL) out->relation = CRD_CPT_NONE;
        if (out->relation == CRD_CPT_COMPARED) compare_rows(&m, networks[0], out);
    }
    crd_free(context, m.places);
    crd_free(context, m.strides);
    crd_free(context, m.columns);
    crd_free(context, m.states);
    return status;
}

static crd_status compare_all_tables(crd_network_comparison *to, const crd_network *const networks[2],
                                     const numbering numbers[2], crd_error *error) {
    crd_status status = CRD_OK;
    to->tables = crd_i_alloc(to->context, to->facts.nodes, sizeof *to->tables);
    if (to->tables == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < to->facts.nodes && status == CRD_OK; i++) {
        uint32_t first = numbers[0].own[i], second = numbers[1].own[i];
        to->tables[i] = (table_difference){CRD_CPT_ONLY_FIRST, NAN, NAN};
        if (first == UINT32_MAX) to->tables[i].relation = CRD_CPT_ONLY_SECOND;
        else if (second != UINT32_MAX)
            status = compare_tables(to->context, networks, numbers, first, second, &to->tables[i], error);
    }
    return status;
}

/* ---- Equivalent networks ---- */

crd_status crd_network_compelled_arcs(const crd_network *network, unsigned char *is_compelled, crd_error *error) {
    crd_i_graph *dag = NULL, *completed = NULL;
    if (network->count > MOST_NODES)
        return crd_i_fail(error, CRD_ERROR_LIMIT, "equivalent networks are found of at most %d nodes, not of %zu",
                          MOST_NODES, network->count);
    crd_status status = CRD_OK;
    dag = crd_i_graph_create(network->context, network->count);
    if (dag == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < network->count; i++)
        for (size_t k = 0; k < network->nodes[i].parent_count; k++)
            crd_i_graph_add(dag, network->nodes[i].parents[k], i);
    status = crd_i_graph_complete(dag, NULL, &completed, error);
    for (size_t i = 0, at = 0; status == CRD_OK && i < network->count; i++)
        for (size_t k = 0; k < network->nodes[i].parent_count; k++)
            is_compelled[at++] = crd_i_graph_is_directed(completed, network->nodes[i].parents[k], i);
    crd_i_graph_destroy(dag);
    crd_i_graph_destroy(completed);
    return status;
}

/* ---- The whole ---- */

crd_status crd_network_compare(const crd_network *first, const crd_network *second, crd_network_comparison **out,
                               crd_error *error) {
    const crd_network *const networks[2] = {first, second};
    crd_context *context = first->context;
    numbering numbers[2] = {{NULL, NULL}, {NULL, NULL}};
    *out = NULL;
    crd_network_comparison *made = crd_i_alloc_zeroed(context, 1, sizeof *made);
    if (made == NULL) return crd_i_fail_memory(error);
    made->context = context;
    crd_status status = number_nodes(made, networks, numbers, error);
    if (status == CRD_OK) status = compare_arcs(made, networks, numbers, error);
    if (status == CRD_OK) status = compare_all_tables(made, networks, numbers, error);
    for (size_t n = 0; n < 2; n++) {
        crd_free(context, numbers[n].own);
        crd_free(context, numbers[n].joint);
    }
    if (status == CRD_OK) *out = made;
    else crd_network_comparison_destroy(made);
    return status;
}

void crd_network_comparison_destroy(crd_network_comparison *comparison) {
    if (comparison == NULL) return;
    crd_context *context = comparison->context;
    crd_i_dictionary_destroy(comparison->names);
    crd_free(context, comparison->arcs);
    crd_free(context, comparison->tables);
    crd_free(context, comparison);
}

void crd_network_comparison_describe(const crd_network_comparison *comparison, crd_network_comparison_facts *out) {
    crd_i_copy_out(&comparison->facts, sizeof comparison->facts, out);
}

int crd_network_comparison_arc(const crd_network_comparison *comparison, size_t index, crd_arc_comparison *out) {
    const crd_network_comparison_facts *facts = &comparison->facts;
    if (index >= facts->same + facts->reversed + facts->only_first_arcs + facts->only_second_arcs) return 0;
    const arc *at = &comparison->arcs[index];
    const crd_arc_comparison found = {sizeof found, crd_i_dictionary_text(comparison->names, at->from),
                                      crd_i_dictionary_text(comparison->names, at->to), at->relation};
    crd_i_copy_out(&found, sizeof found, out);
    return 1;
}

void crd_network_comparison_cpt(const crd_network_comparison *comparison, size_t node, crd_cpt_comparison *out) {
    const table_difference *at = &comparison->tables[node];
    const crd_cpt_comparison found = {sizeof found, crd_i_dictionary_text(comparison->names, node), at->relation,
                                      at->difference, at->divergence};
    crd_i_copy_out(&found, sizeof found, out);
}
