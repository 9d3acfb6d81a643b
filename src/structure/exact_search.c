/* SPDX-License-Identifier: MIT */
/* exact_search.c - the structure with the maximum score, by dynamic programming over sets of nodes (Silander and
 * Myllymaki 2006).
 *
 * The best structure over a set U of nodes has a sink v, whose parents are among the other nodes of U:
 *
 *   best(U) = max over v in U of  best(U - v) + score(v, best parents of v in U - v)
 *
 * Subsets have smaller numbers than their supersets, so one pass over all sets by number finds the best node order.
 * A set is pruned if its score plus an upper bound on what the remaining nodes can add is below the score of a
 * structure that tabu search has found. The bound is the static k-cycle conflict heuristic (Yuan and Malone 2012):
 * it divides the nodes into two groups and lets each group come in its best order after all nodes of the other
 * group. */
#include "base/call.h"
#include "base/error.h"
#include "base/memory.h"
#include "structure/parent_sets.h"

#include <math.h>
#include <string.h>

/* 2^25 sets take 300 MB. */
enum { MOST_NODES = 25 };
/* Random restarts of the tabu search. Each costs little compared with the time that a better bound saves. */
enum { RESTARTS = 20 };

typedef struct search_sort_orders {
    crd_context *context;
    size_t count;
    const crd_i_parent_sets *sets;
    double *best;     /* by set of nodes: score of the best structure over the set; -INFINITY: none found */
    uint8_t *sink;    /* by set of nodes: the sink of the best structure */
    double least;     /* a score that some structure reaches, minus an allowance for rounding */
    size_t split;     /* nodes below `split` form the first group */
    double *rests[2]; /* for each group, by the set of its remaining nodes: upper bound on the score they add */
} search_sort_orders;

/* Returns the best parent set of a node within the set `among`. Returns NULL if required parents are not in it. The
 * sets are sorted by descending score. */
static const crd_i_parent_set *best_parents(const crd_i_parent_sets *parent, uint32_t among) {
    for (size_t i = 0; i < parent->count; i++)
        if ((parent->sets[i].mask & ~among) == 0) return &parent->sets[i];
    return NULL;
}

/* Computes the upper bound for every set of remaining nodes of a group. The next of these nodes chooses its parents
 * among all nodes that are not in the set, including the whole other group. */
static void bound_group(const search_sort_orders *sort_orders, size_t first, size_t size, double *rests) {
    uint32_t all = (uint32_t)(((uint64_t)1 << sort_orders->count) - 1);
    rests[0] = 0;
    for (size_t set = 1; set < (size_t)1 << size; set++) {
        rests[set] = -INFINITY;
        for (size_t i = 0; i < size; i++) {
            if ((set >> i & 1) == 0) continue;
            const crd_i_parent_set *parents =
                best_parents(&sort_orders->sets[first + i], all & ~(uint32_t)(set << first));
            double sum = parents == NULL ? -INFINITY : rests[set & ~((size_t)1 << i)] + parents->score;
            if (sum > rests[set]) rests[set] = sum;
        }
    }
}

/* Returns an upper bound on the score that the nodes outside `set` add. */
static double bound_of_rest(const search_sort_orders *sort_orders, size_t set) {
    size_t to_come = ~set & (((size_t)1 << sort_orders->count) - 1);
    return sort_orders->rests[0][to_come & (((size_t)1 << sort_orders->split) - 1)] +
           sort_orders->rests[1][to_come >> sort_orders->split];
}

/* Runs the dynamic program: extends each set that is not pruned by each further node. */
static crd_status search_orders(const search_sort_orders *sort_orders, crd_error *error) {
    size_t sets = (size_t)1 << sort_orders->count;
    crd_i_stage stage;
    crd_status status = CRD_OK;
    for (size_t set = 0; set < sets; set++) sort_orders->best[set] = -INFINITY;
    sort_orders->best[0] = 0;
    crd_i_stage_begin(&stage, "searching orders", sets);
    for (size_t set = 0; set + 1 < sets; set++) {
        if (set % 4096 == 0) {
            if (crd_i_context_cancelled(sort_orders->context)) {
                status = crd_i_fail_cancelled(error);
                break;
            }
            crd_i_stage_add(&stage, 4096);
        }
        if (sort_orders->best[set] == -INFINITY ||
            sort_orders->best[set] + bound_of_rest(sort_orders, set) < sort_orders->least)
            continue;
        for (size_t v = 0; v < sort_orders->count; v++) {
            if ((set >> v & 1) != 0) continue;
            const crd_i_parent_set *parents = best_parents(&sort_orders->sets[v], (uint32_t)set);
            size_t with = set | (size_t)1 << v;
            if (parents == NULL || !(sort_orders->best[set] + parents->score > sort_orders->best[with])) continue;
            sort_orders->best[with] = sort_orders->best[set] + parents->score;
            sort_orders->sink[with] = (uint8_t)v;
        }
    }
    crd_i_stage_end(&stage);
    return status;
}

/* Replaces the graph by the best structure over all nodes, read back from the sinks. Returns its score. */
static double exact_search_read_graph(const search_sort_orders *sort_orders, crd_i_graph *graph) {
    double score = 0;
    crd_i_graph_clear(graph);
    for (size_t set = ((size_t)1 << sort_orders->count) - 1; set != 0;) {
        size_t v = sort_orders->sink[set];
        set &= ~((size_t)1 << v);
        const crd_i_parent_set *parents = best_parents(&sort_orders->sets[v], (uint32_t)set);
        for (size_t i = 0; i < sort_orders->count; i++)
            if ((parents->mask >> i & 1) != 0) crd_i_graph_add(graph, i, v);
        score += parents->score;
    }
    return score;
}

/* Replaces the structure in *out, which tabu search has found, by the best structure. Keeps it if no better one
 * exists. */
static crd_status exact_search_improve(const crd_i_case_table *table, const crd_i_search_options *options,
                                       crd_i_search_result *out, crd_error *error) {
    crd_context *context = table->context;
    crd_i_parent_sets parent[MOST_NODES] = {{0}};
    search_sort_orders sort_orders = {.context = context, .count = table->column_count, .sets = parent};
    size_t sets = (size_t)1 << sort_orders.count;
    uint64_t computed;
    crd_status status = crd_i_parent_sets_find(table, options, parent, &computed, error);
    out->scores_computed += computed;
    if (status != CRD_OK) goto done;
    sort_orders.best = crd_i_alloc(context, sets, sizeof *sort_orders.best);
    sort_orders.sink = crd_i_alloc(context, sets, sizeof *sort_orders.sink);
    sort_orders.split = sort_orders.count / 2;
    sort_orders.rests[0] = crd_i_alloc(context, (size_t)1 << sort_orders.split, sizeof **sort_orders.rests);
    sort_orders.rests[1] =
        crd_i_alloc(context, (size_t)1 << (sort_orders.count - sort_orders.split), sizeof **sort_orders.rests);
    if (sort_orders.best == NULL || sort_orders.sink == NULL || sort_orders.rests[0] == NULL ||
        sort_orders.rests[1] == NULL) {
        status = crd_i_fail_memory(error);
        goto done;
    }
    sort_orders.least = out->score - 1e-9 * fabs(out->score) - 1e-9;
    bound_group(&sort_orders, 0, sort_orders.split, sort_orders.rests[0]);
    bound_group(&sort_orders, sort_orders.split, sort_orders.count - sort_orders.split, sort_orders.rests[1]);
    status = search_orders(&sort_orders, error);
    if (status != CRD_OK) goto done;
    if (sort_orders.best[sets - 1] > -INFINITY) out->score = exact_search_read_graph(&sort_orders, out->graph);
done:
    crd_free(context, sort_orders.best);
    crd_free(context, sort_orders.sink);
    crd_free(context, sort_orders.rests[0]);
    crd_free(context, sort_orders.rests[1]);
    crd_i_parent_sets_clear(context, parent, sort_orders.count);
    return status;
}

crd_status crd_i_exact_search(const crd_i_case_table *table, const crd_i_search_options *options,
                              crd_i_search_result *out, crd_error *error) {
    memset(out, 0, sizeof *out);
    if (table->column_count > MOST_NODES) {
        (void)crd_i_fail(error, CRD_ERROR_LIMIT, "exact search supports at most %d columns, got %zu", MOST_NODES,
                         table->column_count);
        crd_i_error_hint(
            error,
            "use structure=tabu, which supports more columns but does not guarantee the optimum; or ignore columns");
        return CRD_ERROR_LIMIT;
    }
    crd_i_search_options bounding = *options;
    if (bounding.restarts < RESTARTS) bounding.restarts = RESTARTS;
    crd_status status = crd_i_tabu_search(table, &bounding, out, error);
    if (status != CRD_OK || out->is_stopped) return status;
    status = exact_search_improve(table, options, out, error);
    if (crd_i_is_cancelled(status)) {
        out->is_stopped = true;
        return CRD_OK;
    }
    if (status != CRD_OK) {
        crd_i_graph_destroy(out->graph);
        memset(out, 0, sizeof *out);
    }
    return status;
}
