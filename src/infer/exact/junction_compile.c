/* SPDX-License-Identifier: MIT */
/* junction_compile.c - compiling a junction tree: see junction_tree.h. */
#include "infer/exact/factor_blocks.h"

#include "base/error.h"
#include "base/memory.h"
#include "infer/exact/triangulate.h"

#include <math.h>
#include <string.h>

/* With this many cells per node and try, searching for a better order takes about as long as a query (or, for larger
 * values, a small fraction of it). */
static const double CELLS_A_TRY = 256, ONE_CASE_CELLS_A_TRY = 4096;

void crd_i_junction_destroy(crd_i_junction *junction) {
    if (junction == NULL) return;
    crd_context *context = junction->context;
    crd_free(context, junction->position_of);
    crd_free(context, junction->node_at);
    crd_free(context, junction->states_at);
    crd_free(context, junction->home_at);
    crd_free(context, junction->has_table);
    crd_free(context, junction->starts);
    crd_free(context, junction->live);
    crd_free(context, junction->place_of);
    crd_free(context, junction->only_state);
    crd_free(context, junction->cliques);
    crd_free(context, junction->clique_vars);
    crd_free(context, junction->factor_vars);
    crd_free(context, junction->factor_strides);
    crd_free(context, junction->factors);
    crd_free(context, junction->tables);
    crd_free(context, junction->together);
    crd_i_junction_clear_sets(junction);
    crd_free(context, junction);
}

double crd_i_junction_cells(const crd_i_junction *junction) {
    return junction->cells;
}

double crd_i_junction_bytes(const crd_i_junction *junction) {
    return (junction->kept_cells + junction->message_cells + junction->table_cells) * (double)sizeof(double);
}

size_t crd_i_junction_start(const crd_i_junction *junction, size_t node) {
    return junction->starts[node];
}

/* ---- The moral graph: all variables of a table are neighbors ---- */

typedef struct compile_collector {
    const size_t *states;
    uint32_t *marks, stamp;
    uint32_t *near;
    size_t count, capacity;
    crd_context *context;
} compile_collector;

static bool junction_compile_gather(compile_collector *collector, uint32_t node) {
    if (collector->states[node] == 0 || collector->marks[node] == collector->stamp) return true;
    if (!crd_i_reserve(collector->context, &collector->near, &collector->capacity, collector->count + 1,
                       sizeof *collector->near))
        return false;
    collector->marks[node] = collector->stamp;
    collector->near[collector->count++] = node;
    return true;
}

static bool junction_compile_gather_family(compile_collector *collector, const crd_network *network, uint32_t child) {
    const crd_i_node *node = &network->nodes[child];
    bool done = junction_compile_gather(collector, child);
    for (size_t i = 0; done && i < node->parent_count; i++) done = junction_compile_gather(collector, node->parents[i]);
    return done;
}

static bool gather_sets(compile_collector *collector, const crd_i_junction *junction, uint32_t node) {
    bool done = true;
    for (size_t i = junction->member_starts[node]; i < junction->member_starts[node + 1]; i++) {
        const crd_i_node_set *set = &junction->node_sets[junction->members[i]];
        for (size_t j = 0; done && j < set->count; j++) done = junction_compile_gather(collector, set->nodes[j]);
    }
    return done;
}

static crd_status make_graph(const crd_i_junction *junction, const size_t *states, crd_i_domain_graph *graph,
                             crd_error *error) {
    const crd_network *network = junction->network;
    crd_context *context = junction->context;
    compile_collector collector = {.states = states, .context = context};
    collector.marks = crd_i_alloc_zeroed(context, network->count, sizeof *collector.marks);
    graph->count = network->count;
    graph->states = states;
    graph->starts = crd_i_alloc_zeroed(context, network->count + 1, sizeof *graph->starts);
    bool done = collector.marks != NULL && graph->starts != NULL;
    for (uint32_t i = 0; done && i < network->count; i++) {
        const crd_i_node *node = &network->nodes[i];
        graph->starts[i] = collector.count;
        if (states[i] == 0) continue;
        collector.stamp = i + 1;
        collector.marks[i] = collector.stamp;
        if (junction->has_table[i]) done = junction_compile_gather_family(&collector, network, i);
        for (size_t j = 0; done && j < node->child_count; j++)
            if (junction->has_table[node->children[j]])
                done = junction_compile_gather_family(&collector, network, node->children[j]);
        bool is_together = false;
        for (size_t j = 0; j < junction->together_count; j++) is_together = is_together || junction->together[j] == i;
        for (size_t j = 0; done && is_together && j < junction->together_count; j++)
            done = junction_compile_gather(&collector, junction->together[j]);
        if (done && junction->member_starts != NULL) done = gather_sets(&collector, junction, i);
    }
    crd_free(context, collector.marks);
    graph->near = collector.near;
    if (!done) return crd_i_fail_memory(error);
    graph->starts[network->count] = collector.count;
    return CRD_OK;
}

/* ---- Cliques ---- */

static bool junction_compile_number_nodes(crd_i_junction *junction, const crd_i_elimination *elimination,
                                          const size_t *states, const bool *maximised) {
    const crd_network *network = junction->network;
    size_t count = network->count, last = elimination->count;
    junction->position_of = crd_i_alloc(junction->context, count, sizeof(uint32_t));
    junction->node_at = crd_i_alloc(junction->context, count, sizeof(uint32_t));
    junction->states_at = crd_i_alloc(junction->context, count, sizeof(uint32_t));
    junction->home_at = crd_i_alloc(junction->context, count, sizeof(int32_t));
    if (junction->position_of == NULL || junction->node_at == NULL || junction->states_at == NULL ||
        junction->home_at == NULL)
        return false;
    for (size_t i = 0; i < elimination->count; i++) {
        junction->node_at[i] = elimination->order[i];
        junction->summed_count += maximised != NULL && !maximised[elimination->order[i]];
    }
    for (size_t i = 0; i < count; i++)
        if (states[i] == 0) junction->node_at[last++] = (uint32_t)i;
    for (uint32_t i = 0; i < count; i++) {
        junction->position_of[junction->node_at[i]] = i;
        uint32_t node = junction->node_at[i];
        size_t left = junction->only_state[node] >= 0 ? 1 : states[node];
        junction->states_at[i] = (uint32_t)(left > 0 ? left : crd_i_node_states(&network->nodes[node]));
        junction->home_at[i] = CRD_I_NONE;
    }
    junction->graph_count = elimination->count;
    return true;
}

/* Finds cliques that are subsets of an earlier clique: one smaller, with the variable first among the rest. `base`
 * is then the earlier variable, otherwise the variable itself. They are not merged if one is summed out and the
 * other maximized. */
static void find_bases(const crd_i_junction *junction, const crd_i_elimination *elimination, uint32_t *next,
                       uint32_t *base, uint32_t *top) {
    size_t count = elimination->count;
    const size_t *starts = elimination->starts;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t first = UINT32_MAX;
        for (size_t j = starts[i]; j < starts[i + 1]; j++) {
            uint32_t position = junction->position_of[elimination->later[j]];
            if (position < first) first = position;
        }
        next[i] = first;
        base[i] = i;
    }
    for (uint32_t i = 0; i < count; i++) {
        top[base[i]] = i;
        uint32_t parent = next[i];
        if (parent == UINT32_MAX || base[parent] != parent) continue;
        if ((i < junction->summed_count) != (parent < junction->summed_count)) continue;
        if (starts[i + 1] - starts[i] == starts[parent + 1] - starts[parent] + 1) base[parent] = base[i];
    }
}

void crd_i_sort_positions(uint32_t *vars, size_t count) {
    for (size_t i = 1; i < count; i++) {
        uint32_t value = vars[i];
        size_t j = i;
        for (; j > 0 && vars[j - 1] > value; j--) vars[j] = vars[j - 1];
        vars[j] = value;
    }
}

static void fill_clique(crd_i_junction *junction, const crd_i_elimination *elimination, uint32_t base, uint32_t top,
                        const uint32_t *bases, crd_i_clique *clique) {
    uint32_t *vars = junction->clique_vars + clique->vars_at;
    clique->var_count = 0;
    vars[clique->var_count++] = base;
    for (size_t j = elimination->starts[base]; j < elimination->starts[base + 1]; j++)
        vars[clique->var_count++] = junction->position_of[elimination->later[j]];
    crd_i_sort_positions(vars, clique->var_count);
    clique->own_count = 0;
    while (clique->own_count < clique->var_count && vars[clique->own_count] <= top &&
           bases[vars[clique->own_count]] == base)
        clique->own_count++;
    clique->parent = clique->first_child = clique->next_child = clique->first_set = CRD_I_NONE;
}

static void link_cliques(crd_i_junction *junction) {
    for (size_t i = junction->clique_count; i-- > 0;) {
        crd_i_clique *clique = &junction->cliques[i];
        if (clique->own_count == clique->var_count) continue;
        uint32_t shared = junction->clique_vars[clique->vars_at + clique->own_count];
        clique->parent = junction->home_at[shared];
        crd_i_clique *parent = &junction->cliques[clique->parent];
        clique->next_child = parent->first_child;
        parent->first_child = (int32_t)i;
    }
}

static bool make_cliques(crd_i_junction *junction, const crd_i_elimination *elimination) {
    crd_context *context = junction->context;
    size_t count = elimination->count, index = 0;
    uint32_t *next = crd_i_alloc(context, count, sizeof *next), *bases = crd_i_alloc(context, count, sizeof *bases);
    uint32_t *tops = crd_i_alloc(context, count, sizeof *tops);
    junction->cliques = crd_i_alloc_zeroed(context, count, sizeof *junction->cliques);
    junction->clique_vars = crd_i_alloc(context, elimination->starts[count] + count, sizeof(uint32_t));
    bool done =
        next != NULL && bases != NULL && tops != NULL && junction->cliques != NULL && junction->clique_vars != NULL;
    if (done) find_bases(junction, elimination, next, bases, tops);
    for (uint32_t i = 0; done && i < count; i++) {
        /* A clique is placed at its last own variable, after all its children. */
        if (tops[bases[i]] != i) continue;
        crd_i_clique *clique = &junction->cliques[junction->clique_count];
        clique->vars_at = index;
        fill_clique(junction, elimination, bases[i], i, bases, clique);
        index += clique->var_count;
        double cells = 1, shared = 1;
        const uint32_t *vars = junction->clique_vars + clique->vars_at;
        for (size_t j = 0; j < clique->var_count; j++) {
            if (j < clique->own_count) junction->home_at[vars[j]] = (int32_t)junction->clique_count;
            cells *= junction->states_at[vars[j]];
            if (j >= clique->own_count) shared *= junction->states_at[vars[j]];
        }
        junction->cells += cells;
        if (cells <= CRD_I_KEPT_CELLS) junction->kept_cells += cells;
        junction->message_cells += shared;
        junction->clique_count++;
    }
    if (done) link_cliques(junction);
    crd_free(context, next);
    crd_free(context, bases);
    crd_free(context, tops);
    return done;
}

/* ---- The whole ---- */

static crd_status junction_compile_take_options(crd_i_junction *junction, const crd_i_junction_options *options,
                                                size_t *states, crd_error *error) {
    const crd_network *network = junction->network;
    crd_context *context = junction->context;
    junction->has_table = crd_i_alloc(context, network->count, sizeof *junction->has_table);
    junction->starts = crd_i_alloc(context, network->count + 1, sizeof *junction->starts);
    junction->together_count = options->together_count;
    junction->together = crd_i_alloc(context, options->together_count, sizeof *junction->together);
    if (junction->has_table == NULL || junction->starts == NULL || junction->together == NULL)
        return crd_i_fail_memory(error);
    for (size_t i = 0; i < options->together_count; i++) junction->together[i] = options->together[i];
    if (!crd_i_junction_take_sets(junction, options->sets, options->set_count)) return crd_i_fail_memory(error);
    junction->starts[0] = 0;
    for (size_t i = 0; i < network->count; i++) {
        size_t own_states = crd_i_node_states(&network->nodes[i]);
        junction->has_table[i] =
            network->nodes[i].kind == CRD_NODE_CHANCE && (options->tables == NULL || options->tables[i]);
        bool is_open = network->nodes[i].kind == CRD_NODE_DECISION && options->opens_decisions && options->tables[i];
        bool is_left = (junction->has_table[i] || is_open) && (options->observed == NULL || !options->observed[i]);
        states[i] = is_left ? own_states : 0;
        junction->starts[i + 1] = junction->starts[i] + own_states;
    }
    return crd_i_junction_take_live(junction, options->findings, states, error);
}

crd_status crd_i_junction_compile(const crd_network *network, const crd_i_junction_options *options,
                                  crd_i_junction **out, crd_error *error) {
    static const crd_i_junction_options none = {0};
    crd_context *context = network->context;
    crd_i_domain_graph graph = {0};
    crd_i_elimination elimination = {0};
    *out = NULL;
    crd_status status = CRD_OK;
    if (options == NULL) options = &none;
    graph.is_last = options->maximised;
    double cells_a_try = options->is_for_one_case ? ONE_CASE_CELLS_A_TRY : CELLS_A_TRY;
    crd_i_junction *junction = crd_i_alloc_zeroed(context, 1, sizeof *junction);
    size_t *states = crd_i_alloc(context, network->count, sizeof *states);
    if (junction != NULL) junction->context = context;
    if (junction == NULL || states == NULL) {
        status = crd_i_fail_memory(error);
        goto end;
    }
    junction->network = network;
    junction->count = network->count;
    junction->memory = options->memory;
    junction->threads = options->threads;
    junction->is_for_one_case = options->is_for_one_case;
    status = junction_compile_take_options(junction, options, states, error);
    if (status == CRD_OK) status = make_graph(junction, states, &graph, error);
    if (status == CRD_OK) status = crd_i_triangulate(context, &graph, cells_a_try, &elimination, error);
    if (status != CRD_OK) goto end;
    status = crd_i_fail_memory(error);
    if (!junction_compile_number_nodes(junction, &elimination, states, options->maximised) ||
        !make_cliques(junction, &elimination) || !crd_i_junction_place_sets(junction))
        goto end;
    status = options->is_measured_only ? CRD_OK : crd_i_junction_add_factors(junction, error);
    if (options->cells != NULL) *options->cells = crd_i_junction_cells(junction);
    if (options->bytes != NULL) *options->bytes = crd_i_junction_bytes(junction);
end:
    crd_free(context, graph.starts);
    crd_free(context, graph.near);
    crd_i_elimination_clear(context, &elimination);
    crd_free(context, states);
    if (status != CRD_OK) {
        crd_i_junction_destroy(junction);
        return status;
    }
    *out = junction;
    return CRD_OK;
}
