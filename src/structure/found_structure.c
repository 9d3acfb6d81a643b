/* SPDX-License-Identifier: MIT */
/* found_structure.c - see found_structure.h. */
#include "structure/found_structure.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/struct_size.h"
#include "base/text.h"
#include "structure/graph.h"

#include <math.h>
#include <string.h>

const char *crd_structure_search(const crd_settings *settings) {
    size_t dependence;
    const crd_i_search *search = crd_i_structure_search_of(settings, &dependence);
    return search == NULL ? NULL : search->name;
}

void crd_structure_destroy(crd_structure *structure) {
    if (structure == NULL) return;
    crd_i_graph_destroy(structure->result.graph);
    crd_i_bootstrap_result_clear(&structure->average);
    crd_free(structure->context, structure->arcs);
    crd_i_arena_destroy(structure->arena);
}

/* ---- Creating ---- */

/* Copies the names of the columns that are nodes, and separately the names of the columns that are not. */
static crd_status name_nodes(crd_structure *target_structure, const crd_i_case_table *table, crd_error *error) {
    crd_i_arena *arena = target_structure->arena;
    target_structure->names = crd_i_arena_alloc(arena, table->column_count, sizeof *target_structure->names);
    target_structure->left_out = crd_i_arena_alloc(arena, table->column_count, sizeof *target_structure->left_out);
    for (size_t i = 0; !crd_i_arena_failed(arena) && i < table->column_count; i++) {
        bool is_node = crd_i_structure_is_node(&table->columns[i]);
        crd_text *name = is_node ? &target_structure->names[target_structure->count++]
                                 : &target_structure->left_out[target_structure->left_out_count++];
        *name = crd_i_arena_copy_text(arena, table->columns[i].name);
    }
    return crd_i_arena_check(arena, error);
}

/* ---- Bootstrap ---- */

static double strength_of(const crd_structure *source_structure, const uint32_t *pair) {
    return source_structure->average.strengths[pair[0] * source_structure->average.count + pair[1]];
}

/* Lists the pairs of nodes that are joined in some resample, in the order of their numbers. Within a pair, the node
 * that is more often the parent is first. Returns false if memory runs out. */
static bool found_structure_list_pairs(crd_structure *target_structure) {
    const crd_i_bootstrap_result *result = &target_structure->average;
    size_t nodes = result->count, count = 0;
    for (size_t i = 0; i < nodes; i++)
        for (size_t j = 0; j < i; j++) count += result->strengths[i * nodes + j] > 0;
    target_structure->pairs = crd_i_arena_alloc(target_structure->arena, 2 * count, sizeof *target_structure->pairs);
    for (size_t i = 0; target_structure->pairs != NULL && i < nodes; i++)
        for (size_t j = i + 1; j < nodes; j++) {
            if (!(result->strengths[i * nodes + j] > 0)) continue;
            bool is_backward = result->directions[j * nodes + i] > result->directions[i * nodes + j];
            uint32_t *pair = target_structure->pairs + 2 * target_structure->pair_count++;
            pair[0] = (uint32_t)(is_backward ? j : i);
            pair[1] = (uint32_t)(is_backward ? i : j);
        }
    return target_structure->pairs != NULL;
}

/* Sorts the pairs by descending strength. The sort is stable: a merge sort of runs of doubling length. */
static bool sort_pairs(crd_structure *target_structure) {
    size_t count = target_structure->pair_count;
    uint32_t *workspace = crd_i_alloc(target_structure->context, 2 * count, sizeof *workspace);
    if (workspace == NULL) return false;
    for (size_t run = 1; run < count; run *= 2) {
        for (size_t begin = 0; begin < count; begin += 2 * run) {
            size_t middle = begin + run < count ? begin + run : count;
            size_t end = begin + 2 * run < count ? begin + 2 * run : count, a = begin, b = middle;
            for (size_t index = begin; index < end; index++) {
                bool is_second =
                    a == middle || (b < end && strength_of(target_structure, target_structure->pairs + 2 * b) >
                                                   strength_of(target_structure, target_structure->pairs + 2 * a));
                memcpy(workspace + 2 * index, target_structure->pairs + 2 * (is_second ? b++ : a++),
                       2 * sizeof *workspace);
            }
        }
        memcpy(target_structure->pairs, workspace, 2 * count * sizeof *workspace);
    }
    crd_free(target_structure->context, workspace);
    return true;
}

/* Runs the bootstrap and makes the averaged network the result. */
static crd_status found_structure_average(crd_structure *target_structure, const crd_i_case_table *table,
                                          const crd_settings *settings, const crd_structure_options *options,
                                          crd_error *error) {
    crd_status status = crd_i_structure_bootstrap(table, settings, options, &target_structure->average, error);
    if (status != CRD_OK) return status;
    target_structure->result.graph = target_structure->average.graph;
    target_structure->result.is_stopped = target_structure->average.is_stopped;
    target_structure->result.rows = target_structure->average.rows;
    target_structure->average.graph = NULL;
    return found_structure_list_pairs(target_structure) && sort_pairs(target_structure) ? CRD_OK
                                                                                        : crd_i_fail_memory(error);
}

/* Directs the undirected edges and formats the arcs of the resulting DAG. */
static crd_status make_arcs(crd_structure *target_structure, const crd_i_case_table *table, crd_error *error) {
    crd_i_graph *dag;
    crd_status status =
        crd_i_graph_extend(target_structure->result.graph, &dag, &target_structure->is_consistent, error);
    if (status != CRD_OK) return status;
    target_structure->arcs = crd_i_structure_arcs(table, dag);
    crd_i_graph_destroy(dag);
    return target_structure->arcs == NULL ? crd_i_fail_memory(error) : CRD_OK;
}

crd_status crd_i_structure_of_cases(crd_i_case_table *table, const crd_settings *settings,
                                    const crd_structure_options *options, crd_structure **out, crd_error *error) {
    crd_structure_options used = CRD_STRUCTURE_OPTIONS_INIT;
    size_t dependence;
    *out = NULL;
    if (options != NULL && !crd_i_copy_in(options, &used, sizeof used))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the options are not initialized");
    crd_structure *new_structure = crd_i_arena_object(table->context, sizeof *new_structure);
    if (new_structure == NULL) return crd_i_fail_memory(error);
    new_structure->context = new_structure->average.context = table->context;
    new_structure->rows = table->total;
    new_structure->search = crd_i_structure_search_of(settings, &dependence);
    crd_status status = name_nodes(new_structure, table, error);
    if (status == CRD_OK) status = crd_i_structure_keep_nodes(table, error);
    if (status == CRD_OK)
        status = used.resamples > 0 ? found_structure_average(new_structure, table, settings, &used, error)
                                    : crd_i_structure_find(table, settings, &used, &new_structure->result, error);
    if (status == CRD_OK) status = make_arcs(new_structure, table, error);
    if (status == CRD_OK) *out = new_structure;
    else crd_structure_destroy(new_structure);
    return status;
}

/* ---- Accessors ---- */

void crd_structure_describe(const crd_structure *structure, crd_structure_facts *out) {
    const crd_i_graph *graph = structure->result.graph;
    crd_structure_facts facts = CRD_STRUCTURE_FACTS_INIT;
    facts.search = structure->search->name;
    facts.rows = structure->rows;
    facts.rows_searched = structure->result.rows;
    facts.nodes = structure->count;
    for (size_t i = 0; i < structure->count; i++)
        for (size_t j = 0; j < i; j++) {
            facts.edges += crd_i_graph_is_undirected(graph, i, j);
            facts.arcs += crd_i_graph_is_directed(graph, i, j) + crd_i_graph_is_directed(graph, j, i);
        }
    bool is_averaged = structure->average.strengths != NULL;
    facts.score = structure->search->has_score && !is_averaged ? structure->result.score : (double)NAN;
    facts.resamples = is_averaged ? structure->average.resamples : 0;
    facts.threshold = is_averaged ? structure->average.threshold : 0;
    facts.pairs = structure->pair_count;
    facts.steps = structure->result.steps;
    facts.tests = structure->result.tests;
    facts.scores_computed = structure->result.scores_computed;
    facts.is_stopped = structure->result.is_stopped;
    facts.is_consistent = structure->is_consistent;
    crd_i_copy_out(&facts, sizeof facts, out);
}

crd_text crd_structure_node(const crd_structure *structure, size_t index) {
    return structure->names[index];
}

crd_text crd_structure_left_out(const crd_structure *structure, size_t index) {
    const crd_text none = {NULL, 0};
    return index < structure->left_out_count ? structure->left_out[index] : none;
}

const char *crd_structure_arcs(const crd_structure *structure) {
    return structure->arcs;
}

void crd_structure_arc_at(const crd_structure *structure, size_t index, crd_structure_arc *out) {
    const crd_i_graph *graph = structure->result.graph;
    crd_structure_arc arc = CRD_STRUCTURE_ARC_INIT;
    for (size_t child = 0; child < structure->count; child++) {
        const uint64_t *parents = crd_i_graph_parents(graph, child);
        for (size_t i = crd_i_bit_next(parents, graph->words, 0); i < structure->count;
             i = crd_i_bit_next(parents, graph->words, i + 1)) {
            bool is_undirected = crd_i_graph_is_undirected(graph, i, child);
            if (is_undirected && i > child) continue; /* listed with the other end */
            if (index-- > 0) continue;
            arc.from = structure->names[i];
            arc.to = structure->names[child];
            arc.is_directed = !is_undirected;
            crd_i_copy_out(&arc, sizeof arc, out);
            return;
        }
    }
}

void crd_structure_pair_at(const crd_structure *structure, size_t index, crd_structure_pair *out) {
    const crd_i_bootstrap_result *average_of = &structure->average;
    const uint32_t *pair = structure->pairs + 2 * index;
    crd_structure_pair structure_pair = CRD_STRUCTURE_PAIR_INIT;
    structure_pair.from = structure->names[pair[0]];
    structure_pair.to = structure->names[pair[1]];
    structure_pair.strength = strength_of(structure, pair);
    structure_pair.direction = average_of->directions[pair[0] * average_of->count + pair[1]];
    structure_pair.is_averaged = crd_i_graph_is_adjacent(structure->result.graph, pair[0], pair[1]);
    crd_i_copy_out(&structure_pair, sizeof structure_pair, out);
}
