/* SPDX-License-Identifier: MIT */
/* found_structure.c - see found_structure.h. */
#include "structure/found_structure.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/struct_size.h"
#include "base/text.h"
#include "structure/graph_equivalence.h"
#include "structure/structure_settings.h"

#include <math.h>
#include <string.h>

const char *crd_structure_search(const crd_settings *settings) {
    size_t dependence;
    const crd_i_search *search = crd_i_structure_search_of(settings, &dependence);
    return search == NULL ? NULL : search->name;
}

void crd_structure_destroy(crd_structure *structure) {
    if (structure == NULL) return;
    crd_context *context = structure->context;
    for (size_t i = 0; structure->names != NULL && i < structure->count; i++)
        crd_free(context, (void *)structure->names[i].bytes);
    for (size_t i = 0; structure->left_out != NULL && i < structure->left_out_count; i++)
        crd_free(context, (void *)structure->left_out[i].bytes);
    crd_free(context, structure->names);
    crd_free(context, structure->left_out);
    crd_i_graph_destroy(structure->found.graph);
    crd_i_bootstrap_result_clear(&structure->average);
    crd_free(context, structure->pairs);
    crd_free(context, structure->arcs);
    crd_free(context, structure);
}

/* ---- Making ---- */

static crd_status name_nodes(crd_structure *to, const crd_i_case_table *table, crd_error *error) {
    to->names = crd_i_alloc(to->context, table->column_count, sizeof *to->names);
    to->left_out = crd_i_alloc(to->context, table->column_count, sizeof *to->left_out);
    bool done = to->names != NULL && to->left_out != NULL;
    for (size_t i = 0; done && i < table->column_count; i++) {
        bool is_node = crd_i_structure_is_node(&table->columns[i]);
        crd_text *name = is_node ? &to->names[to->count] : &to->left_out[to->left_out_count];
        *name = crd_i_text_copy(to->context, table->columns[i].name);
        done = name->bytes != NULL;
        if (done && is_node) to->count++;
        else if (done) to->left_out_count++;
    }
    return done ? CRD_OK : crd_i_fail_memory(error);
}

/* ---- Averaging ---- */

static double strength_of(const crd_structure *of, const uint32_t *pair) {
    return of->average.strengths[pair[0] * of->average.count + pair[1]];
}

/* Pairs of nodes that are joined, by their numbers, the more frequent direction first. */
static bool list_pairs(crd_structure *to) {
    const crd_i_bootstrap_result *from = &to->average;
    size_t nodes = from->count, count = 0;
    for (size_t i = 0; i < nodes; i++)
        for (size_t j = 0; j < i; j++) count += from->strengths[i * nodes + j] > 0;
    to->pairs = crd_i_alloc(to->context, 2 * count, sizeof *to->pairs);
    for (size_t i = 0; to->pairs != NULL && i < nodes; i++)
        for (size_t j = i + 1; j < nodes; j++) {
            if (!(from->strengths[i * nodes + j] > 0)) continue;
            bool is_backward = from->directions[j * nodes + i] > from->directions[i * nodes + j];
            uint32_t *pair = to->pairs + 2 * to->pair_count++;
            pair[0] = (uint32_t)(is_backward ? j : i);
            pair[1] = (uint32_t)(is_backward ? i : j);
        }
    return to->pairs != NULL;
}

/* By descending strength; those of the same stay in their order. Merges runs of doubling lengths. */
static bool sort_pairs(crd_structure *to) {
    size_t count = to->pair_count;
    uint32_t *room = crd_i_alloc(to->context, 2 * count, sizeof *room);
    if (room == NULL) return false;
    for (size_t run = 1; run < count; run *= 2) {
        for (size_t begin = 0; begin < count; begin += 2 * run) {
            size_t middle = begin + run < count ? begin + run : count;
            size_t end = begin + 2 * run < count ? begin + 2 * run : count, a = begin, b = middle;
            for (size_t at = begin; at < end; at++) {
                bool is_second =
                    a == middle || (b < end && strength_of(to, to->pairs + 2 * b) > strength_of(to, to->pairs + 2 * a));
                memcpy(room + 2 * at, to->pairs + 2 * (is_second ? b++ : a++), 2 * sizeof *room);
            }
        }
        memcpy(to->pairs, room, 2 * count * sizeof *room);
    }
    crd_free(to->context, room);
    return true;
}

static crd_status average(crd_structure *to, const crd_i_case_table *table, const crd_settings *settings,
                          const crd_structure_options *options, crd_error *error) {
    crd_status status = crd_i_structure_bootstrap(table, settings, options, &to->average, error);
    if (status != CRD_OK) return status;
    to->found.graph = to->average.graph;
    to->found.is_stopped = to->average.is_stopped;
    to->found.rows = to->average.rows;
    to->average.graph = NULL;
    return list_pairs(to) && sort_pairs(to) ? CRD_OK : crd_i_fail_memory(error);
}

static crd_status make_arcs(crd_structure *to, const crd_i_case_table *table, crd_error *error) {
    crd_i_graph *dag;
    crd_status status = crd_i_graph_extend(to->found.graph, &dag, &to->is_consistent, error);
    if (status != CRD_OK) return status;
    to->arcs = crd_i_structure_arcs(table, dag);
    crd_i_graph_destroy(dag);
    return to->arcs == NULL ? crd_i_fail_memory(error) : CRD_OK;
}

crd_status crd_i_structure_of_cases(crd_i_case_table *table, const crd_settings *settings,
                                    const crd_structure_options *options, crd_structure **out, crd_error *error) {
    crd_structure_options used = CRD_STRUCTURE_OPTIONS_INIT;
    size_t dependence;
    *out = NULL;
    if (options != NULL && !crd_i_copy_in(options, &used, sizeof used))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the options were not initialised");
    crd_structure *made = crd_i_alloc_zeroed(table->context, 1, sizeof *made);
    if (made == NULL) return crd_i_fail_memory(error);
    made->context = made->average.context = table->context;
    made->rows = table->total;
    made->search = crd_i_structure_search_of(settings, &dependence);
    crd_status status = name_nodes(made, table, error);
    if (status == CRD_OK) status = crd_i_structure_keep_nodes(table, error);
    if (status == CRD_OK)
        status = used.resamples > 0 ? average(made, table, settings, &used, error)
                                    : crd_i_structure_find(table, settings, &used, &made->found, error);
    if (status == CRD_OK) status = make_arcs(made, table, error);
    if (status == CRD_OK) *out = made;
    else crd_structure_destroy(made);
    return status;
}

/* ---- Reading ---- */

void crd_structure_describe(const crd_structure *structure, crd_structure_facts *out) {
    const crd_i_graph *graph = structure->found.graph;
    crd_structure_facts facts = CRD_STRUCTURE_FACTS_INIT;
    facts.search = structure->search->name;
    facts.rows = structure->rows;
    facts.rows_searched = structure->found.rows;
    facts.nodes = structure->count;
    for (size_t i = 0; i < structure->count; i++)
        for (size_t j = 0; j < i; j++) {
            facts.edges += crd_i_graph_is_undirected(graph, i, j);
            facts.arcs += crd_i_graph_is_directed(graph, i, j) + crd_i_graph_is_directed(graph, j, i);
        }
    bool is_averaged = structure->average.strengths != NULL;
    facts.score = structure->search->has_score && !is_averaged ? structure->found.score : (double)NAN;
    facts.resamples = is_averaged ? structure->average.resamples : 0;
    facts.threshold = is_averaged ? structure->average.threshold : 0;
    facts.pairs = structure->pair_count;
    facts.steps = structure->found.steps;
    facts.tests = structure->found.tests;
    facts.scores_computed = structure->found.scores_computed;
    facts.is_stopped = structure->found.is_stopped;
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
    const crd_i_graph *graph = structure->found.graph;
    crd_structure_arc arc = CRD_STRUCTURE_ARC_INIT;
    for (size_t child = 0; child < structure->count; child++) {
        const uint64_t *parents = crd_i_graph_parents(graph, child);
        for (size_t i = crd_i_bit_next(parents, graph->words, 0); i < structure->count;
             i = crd_i_bit_next(parents, graph->words, i + 1)) {
            bool is_undirected = crd_i_graph_is_undirected(graph, i, child);
            if (is_undirected && i > child) continue; /* listed at the other end */
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
    crd_structure_pair found = CRD_STRUCTURE_PAIR_INIT;
    found.from = structure->names[pair[0]];
    found.to = structure->names[pair[1]];
    found.strength = strength_of(structure, pair);
    found.direction = average_of->directions[pair[0] * average_of->count + pair[1]];
    found.is_averaged = crd_i_graph_is_adjacent(structure->found.graph, pair[0], pair[1]);
    crd_i_copy_out(&found, sizeof found, out);
}
