/* SPDX-License-Identifier: MIT */
/* expected_utility_order.c - an elimination order from the graph of all tables: see expected_utility_tables.h. */
#include "infer/decision/expected_utility_tables.h"

#include "base/error.h"
#include "base/memory.h"
#include "infer/exact/triangulate.h"

#include <string.h>

/* With this many cells per node and try, searching for a better order takes about as long as the elimination. */
static const double CELLS_A_TRY = 4096;

/* Appends the variables that share a table with `var`, each once. */
static bool utility_order_gather(const crd_i_expecting *run, uint32_t var, uint64_t *marks, crd_i_domain_graph *graph,
                                 size_t *workspace) {
    const crd_i_touching *near = &run->touching[var];
    size_t count = graph->starts[var];
    marks[var] = var + 1;
    for (size_t i = 0; i < near->count; i++) {
        const crd_i_expected *table = &run->tables[near->tables[i]];
        for (size_t j = 0; table->vars != NULL && j < table->count; j++) {
            uint32_t other = table->vars[j];
            if (marks[other] == var + 1) continue;
            marks[other] = var + 1;
            if (!crd_i_reserve(run->context, &graph->near, workspace, count + 1, sizeof *graph->near)) return false;
            graph->near[count++] = other;
        }
    }
    graph->starts[var + 1] = count;
    return true;
}

crd_status crd_i_expectation_order(const crd_i_expecting *run, uint32_t *order, crd_error *error) {
    crd_context *context = run->context;
    size_t left = run->var_count - run->kept_count, capacity = 0;
    size_t *states = crd_i_alloc(context, run->var_count, sizeof *states);
    uint64_t *marks = crd_i_alloc_zeroed(context, run->var_count, sizeof *marks);
    bool *is_last = crd_i_alloc(context, run->var_count, sizeof *is_last);
    crd_i_domain_graph graph = {.count = run->var_count, .states = states, .is_last = is_last};
    crd_i_elimination elimination = {0};
    graph.starts = crd_i_alloc_zeroed(context, run->var_count + 1, sizeof *graph.starts);
    bool done = states != NULL && marks != NULL && is_last != NULL && graph.starts != NULL;
    for (uint32_t i = 0; done && i < run->var_count; i++) {
        states[i] = run->states_at[i];
        is_last[i] = i >= left;
        done = utility_order_gather(run, i, marks, &graph, &capacity);
    }
    crd_status status =
        done ? crd_i_triangulate(context, &graph, CELLS_A_TRY, &elimination, error) : crd_i_fail_memory(error);
    if (status == CRD_OK) memcpy(order, elimination.order, left * sizeof *order);
    crd_i_elimination_clear(context, &elimination);
    crd_free(context, states);
    crd_free(context, marks);
    crd_free(context, is_last);
    crd_free(context, graph.starts);
    crd_free(context, graph.near);
    return status;
}
