/* SPDX-License-Identifier: MIT */
/* evidence_conflict.c - finds contradictory findings.
 *
 * Findings are entered one after the other. Bisection finds the shortest impossible prefix; its last finding must be
 * part of every contradiction within the prefix. That finding is kept, and the search is repeated on the findings
 * before it, until the kept findings are impossible on their own. Each of them is necessary. Finding k of n takes
 * about k log n queries. Each query has its own tree, of the ancestors of its findings. */
#include "infer/exact/junction_types.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

typedef struct conflict_search {
    const crd_i_junction *junction;
    const crd_i_evidence *findings;
    int32_t *states;
    const double **likelihoods;
    bool *tables, *observed; /* by node */
    uint32_t *nodes;         /* nodes with findings */
    bool *is_kept;           /* by node */
    size_t count;
    crd_status stopped; /* because of cancellation or lack of memory */
} conflict_search;

/* Enters the first findings and the kept ones, and marks the tables that they need. */
static void take_some(conflict_search *search, size_t first) {
    const crd_network *network = search->junction->network;
    for (size_t i = 0; i < network->count; i++) {
        search->states[i] = -1;
        search->likelihoods[i] = NULL;
        search->tables[i] = search->observed[i] = false;
    }
    for (size_t i = 0; i < search->count; i++) {
        uint32_t node = search->nodes[i];
        if (i >= first && !search->is_kept[node]) continue;
        search->states[node] = search->findings->states[node];
        search->observed[node] = search->states[node] >= 0;
        if (search->findings->likelihoods != NULL) search->likelihoods[node] = search->findings->likelihoods[node];
        search->tables[node] = true;
    }
    for (size_t i = network->count; i-- > 0;) {
        const crd_i_node *node = &network->nodes[network->order[i]];
        if (!search->tables[network->order[i]]) continue;
        for (size_t j = 0; j < node->parent_count; j++) search->tables[node->parents[j]] = true;
    }
    /* A decision without its finding is open: a combination is possible if any of its states allows it. So a
     * decision that is part of the contradiction is named. */
    for (size_t i = 0; i < network->count; i++)
        search->tables[i] =
            search->tables[i] && (search->junction->has_table[i] || network->nodes[i].kind == CRD_NODE_DECISION);
}

/* Returns whether the first findings and the kept ones are possible together. Fewer findings make larger tables. If
 * memory does not suffice for them, the findings count as possible. */
static bool evidence_conflict_is_possible(conflict_search *search, size_t first) {
    take_some(search, first);
    const crd_i_evidence some = {.states = search->states, .likelihoods = search->likelihoods};
    const crd_i_junction_options options = {.tables = search->tables,
                                            .observed = search->observed,
                                            .memory = search->junction->memory,
                                            .threads = search->junction->threads,
                                            .is_for_one_case = true,
                                            .opens_decisions = true};
    crd_i_junction *tree = NULL;
    crd_i_junction_work *work = NULL;
    crd_status status = crd_i_junction_compile(search->junction->network, &options, &tree, NULL);
    if (status == CRD_OK) status = crd_i_junction_work_create(tree, &work, NULL);
    if (status == CRD_OK) status = crd_i_junction_begin(work, &some, false, NULL);
    if (status == CRD_OK) status = crd_i_junction_collect(work, false, NULL);
    if (status == CRD_ERROR_MEMORY || crd_i_is_cancelled(status)) search->stopped = status;
    bool is_impossible = status == CRD_ERROR_PROBABILITY;
    crd_i_junction_work_destroy(work);
    crd_i_junction_destroy(tree);
    return !is_impossible;
}

static void evidence_conflict_find(conflict_search *search) {
    size_t end = search->count;
    while (end > 0 && evidence_conflict_is_possible(search, 0) && search->stopped == CRD_OK) {
        size_t possible = 0, impossible = end;
        while (impossible - possible > 1 && search->stopped == CRD_OK) {
            size_t middle = possible + (impossible - possible) / 2;
            if (evidence_conflict_is_possible(search, middle)) possible = middle;
            else impossible = middle;
        }
        search->is_kept[search->nodes[impossible - 1]] = true;
        end = impossible - 1;
    }
}

static crd_status evidence_conflict_describe(const conflict_search *search, crd_error *error) {
    const crd_network *network = search->junction->network;
    size_t listed = 0;
    crd_status status = crd_i_fail(error, CRD_ERROR_PROBABILITY,
                                   "the evidence has probability zero: these findings contradict each other: ");
    for (size_t i = 0; i < search->count; i++) {
        const crd_i_node *node = &network->nodes[search->nodes[i]];
        int32_t state = search->findings->states[search->nodes[i]];
        char quoted[2][CRD_I_QUOTED_ROOM], words[2 * CRD_I_QUOTED_ROOM + 2];
        if (!search->is_kept[search->nodes[i]]) continue;
        crd_i_quote(node->name, quoted[0]);
        if (state >= 0)
            snprintf(words, sizeof words, "%s=%s", quoted[0],
                     crd_i_quote(crd_i_dictionary_text(node->states, (size_t)state), quoted[1]));
        else snprintf(words, sizeof words, "the likelihoods of %s", quoted[0]);
        crd_i_error_item(error, listed++, crd_text_of(words));
    }
    return status;
}

crd_status crd_i_junction_impossible(crd_i_junction_work *work, const crd_i_evidence *findings, crd_error *error) {
    const crd_i_junction *junction = work->junction;
    conflict_search search = {.junction = junction, .findings = findings};
    if (error == NULL) return CRD_ERROR_PROBABILITY;
    crd_i_arena *scratch = crd_i_arena_create(junction->context);
    search.states = crd_i_arena_alloc(scratch, junction->count, sizeof *search.states);
    search.likelihoods = crd_i_arena_alloc_zeroed(scratch, junction->count, sizeof *search.likelihoods);
    search.nodes = crd_i_arena_alloc(scratch, junction->count, sizeof *search.nodes);
    search.is_kept = crd_i_arena_alloc_zeroed(scratch, junction->count, sizeof *search.is_kept);
    search.tables = crd_i_arena_alloc(scratch, junction->count, sizeof *search.tables);
    search.observed = crd_i_arena_alloc(scratch, junction->count, sizeof *search.observed);
    crd_status status = crd_i_arena_check(scratch, error);
    if (status == CRD_OK) {
        for (uint32_t i = 0; i < junction->count; i++) {
            if (findings->states[i] >= 0 || (findings->likelihoods != NULL && findings->likelihoods[i] != NULL))
                search.nodes[search.count++] = i;
        }
        bool is_by_numbers = findings->set_logs != NULL && evidence_conflict_is_possible(&search, search.count) &&
                             search.stopped == CRD_OK;
        if (!is_by_numbers) evidence_conflict_find(&search);
        if (is_by_numbers)
            status = crd_i_fail(error, CRD_ERROR_PROBABILITY,
                                "the evidence has probability zero: the observed numbers are impossible in all states "
                                "of the discrete nodes");
        else
            status = search.stopped != CRD_OK ? crd_i_junction_stopped(search.stopped, error)
                                              : evidence_conflict_describe(&search, error);
    }
    crd_i_arena_destroy(scratch);
    return status;
}
