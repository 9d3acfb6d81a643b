/* SPDX-License-Identifier: MIT */
/* tabu_search.c - tabu search (Glover 1989): hill climbing that continues from its optimum. It takes the best step
 * even if it lowers the score, but no step to one of the last graphs. It ends after as many steps in a row without a
 * better graph as the list is long. The result is the best graph of all, so it is never worse than the graph of hill
 * climbing with the same options. */
#include "structure/local_search.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>

enum { DEFAULT_LENGTH = 100 };

/* Returns the hash of an arc. The hash of a graph is the exclusive or of the hashes of its arcs. */
static uint64_t hash_arc(size_t source, size_t target) {
    uint64_t hash = ((uint64_t)source << 32 | (uint64_t)target) + 0x9e3779b97f4a7c15u;
    hash = (hash ^ hash >> 30) * 0xbf58476d1ce4e5b9u;
    hash = (hash ^ hash >> 27) * 0x94d049bb133111ebu;
    return hash ^ hash >> 31;
}

typedef struct tabu_list {
    uint64_t *hashes; /* a ring buffer of the hashes of the last graphs */
    size_t length, count, next;
    uint64_t now;
} tabu_list;

static uint64_t hash_after(const tabu_list *list, const crd_i_step *step) {
    uint64_t hash = list->now ^ hash_arc(step->source, step->target);
    if (step->kind == CRD_I_STEP_REVERSE) hash ^= hash_arc(step->target, step->source);
    return hash;
}

static bool is_taboo(const void *state, const crd_i_step *step) {
    const tabu_list *list = state;
    const uint64_t hash = hash_after(list, step);
    for (size_t i = 0; i < list->count; i++)
        if (list->hashes[i] == hash) return true;
    return false;
}

static void tabu_search_note(tabu_list *list) {
    list->hashes[list->next] = list->now;
    list->next = (list->next + 1) % list->length;
    if (list->count < list->length) list->count++;
}

static uint64_t hash_graph(const crd_i_graph *graph) {
    uint64_t hash = 0;
    for (size_t source = 0; source < graph->count; source++)
        for (size_t target = crd_i_bit_next(crd_i_graph_children(graph, source), graph->words, 0);
             target < graph->count;
             target = crd_i_bit_next(crd_i_graph_children(graph, source), graph->words, target + 1))
            hash ^= hash_arc(source, target);
    return hash;
}

/* Takes steps from search->graph until `length` steps in a row bring no better graph. Copies the best graph to
 * `best`. */
static crd_status tabu_search_walk(crd_i_local_search *search, tabu_list *list, crd_i_graph *best, crd_error *error) {
    double best_score = -INFINITY;
    list->now = hash_graph(search->graph);
    for (size_t fruitless = 0; fruitless <= list->length;) {
        crd_status status = crd_i_local_search_refresh(search, error);
        if (status != CRD_OK) return status;
        const double score = crd_i_local_search_score(search);
        if (score > best_score + crd_i_local_search_tolerance(search)) {
            best_score = score;
            crd_i_graph_assign(best, search->graph);
            fruitless = 0;
        } else {
            fruitless++;
        }
        tabu_search_note(list);
        const crd_i_step step = crd_i_local_search_best_step(search, -INFINITY, is_taboo, list);
        if (step.kind == CRD_I_STEP_NONE) break;
        list->now = hash_after(list, &step);
        crd_i_local_search_take(search, &step);
    }
    return CRD_OK;
}

/* Runs the tabu search from search->graph, and leaves the best graph there. */
static crd_status continue_from_optimum(crd_i_local_search *search, crd_error *error) {
    const size_t length = search->options->tabu == 0 ? DEFAULT_LENGTH : search->options->tabu;
    tabu_list list = {.hashes = crd_i_alloc(search->context, length, sizeof *list.hashes), .length = length};
    crd_i_graph *best = crd_i_graph_clone(search->graph);
    crd_status status =
        list.hashes == NULL || best == NULL ? crd_i_fail_memory(error) : tabu_search_walk(search, &list, best, error);
    if (status == CRD_OK || crd_i_is_cancelled(status)) {
        /* Return to the best graph; its families are scored again. */
        for (size_t node = 0; node < best->count; node++) search->is_stale[node] = true;
        crd_i_graph_assign(search->graph, best);
        if (status == CRD_OK) status = crd_i_local_search_refresh(search, error);
    }
    crd_i_graph_destroy(best);
    crd_free(search->context, list.hashes);
    return status;
}

crd_status crd_i_tabu_search(const crd_i_case_table *table, const crd_i_search_options *options,
                             crd_i_search_result *out, crd_error *error) {
    return crd_i_local_search_run(table, options, continue_from_optimum, out, error);
}
