/* SPDX-License-Identifier: MIT */
/* evidence_conflict.c - which evidence contradict each other.
 *
 * Findings are taken in one after the other; halving finds the shortest beginning that is impossible, and its last
 * finding must be part of every contradiction within it. That one is kept, and the same is done with the evidence
 * before it, until those kept are impossible alone: each of them is needed, and k of n take about k log n questions.
 * Each has a tree of its own, of the nodes from which arcs lead to its evidence. */
#include "infer/exact/junction_types.h"

#include "base/error.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

typedef struct search {
    const crd_i_junction *junction;
    const crd_i_evidence *findings;
    int32_t *states;
    const double **likelihoods;
    bool *tables, *observed; /* by node */
    uint32_t *nodes;         /* that something is known about */
    bool *is_kept;           /* by node */
    size_t count;
    crd_status stopped; /* by cancelling, or by lack of memory */
} search;

/* Takes in the first evidence and those kept, and the tables that count for them. */
static void take_some(search *own, size_t first) {
    const crd_network *network = own->junction->network;
    for (size_t i = 0; i < network->count; i++) {
        own->states[i] = -1;
        own->likelihoods[i] = NULL;
        own->tables[i] = own->observed[i] = false;
    }
    for (size_t i = 0; i < own->count; i++) {
        uint32_t node = own->nodes[i];
        if (i >= first && !own->is_kept[node]) continue;
        own->states[node] = own->findings->states[node];
        own->observed[node] = own->states[node] >= 0;
        if (own->findings->likelihoods != NULL) own->likelihoods[node] = own->findings->likelihoods[node];
        own->tables[node] = true;
    }
    for (size_t i = network->count; i-- > 0;) {
        const crd_i_node *node = &network->nodes[network->order[i]];
        if (!own->tables[network->order[i]]) continue;
        for (size_t j = 0; j < node->parent_count; j++) own->tables[node->parents[j]] = true;
    }
    /* A decision without its finding is open: what is possible by any of its states is possible. So where it is part of
     * the contradiction, it is named. */
    for (size_t i = 0; i < network->count; i++)
        own->tables[i] = own->tables[i] && (own->junction->has_table[i] || network->nodes[i].kind == CRD_NODE_DECISION);
}

/* Whether the first evidence and those kept are possible together. Without the memory for the larger tables that fewer
 * evidence make, nothing can be said, and they count as possible. */
static bool is_possible(search *own, size_t first) {
    take_some(own, first);
    const crd_i_evidence some = {.states = own->states, .likelihoods = own->likelihoods};
    const crd_i_junction_options options = {.tables = own->tables,
                                            .observed = own->observed,
                                            .memory = own->junction->memory,
                                            .threads = own->junction->threads,
                                            .is_for_one_case = true,
                                            .opens_decisions = true};
    crd_i_junction *tree = NULL;
    crd_i_junction_work *work = NULL;
    crd_status status = crd_i_junction_compile(own->junction->network, &options, &tree, NULL);
    if (status == CRD_OK) status = crd_i_junction_work_create(tree, &work, NULL);
    if (status == CRD_OK) status = crd_i_junction_begin(work, &some, false, NULL);
    if (status == CRD_OK) status = crd_i_junction_collect(work, false, NULL);
    if (status == CRD_ERROR_MEMORY || crd_i_is_cancelled(status)) own->stopped = status;
    bool is_impossible = status == CRD_ERROR_PROBABILITY;
    crd_i_junction_work_destroy(work);
    crd_i_junction_destroy(tree);
    return !is_impossible;
}

static void find_conflict(search *own) {
    size_t end = own->count;
    while (end > 0 && is_possible(own, 0) && own->stopped == CRD_OK) {
        size_t possible = 0, impossible = end;
        while (impossible - possible > 1 && own->stopped == CRD_OK) {
            size_t middle = possible + (impossible - possible) / 2;
            if (is_possible(own, middle)) possible = middle;
            else impossible = middle;
        }
        own->is_kept[own->nodes[impossible - 1]] = true;
        end = impossible - 1;
    }
}

static crd_status describe(const search *own, crd_error *error) {
    const crd_network *network = own->junction->network;
    size_t listed = 0;
    crd_status status = crd_i_fail(error, CRD_ERROR_PROBABILITY,
                                   "the evidence has probability zero: these findings contradict each other: ");
    for (size_t i = 0; i < own->count; i++) {
        const crd_i_node *node = &network->nodes[own->nodes[i]];
        int32_t state = own->findings->states[own->nodes[i]];
        char quoted[2][CRD_I_QUOTED_ROOM], words[2 * CRD_I_QUOTED_ROOM + 2];
        if (!own->is_kept[own->nodes[i]]) continue;
        crd_i_quote(node->name, quoted[0]);
        if (state >= 0)
            snprintf(words, sizeof words, "%s=%s", quoted[0],
                     crd_i_quote(crd_i_dictionary_text(node->states, (size_t)state), quoted[1]));
        else snprintf(words, sizeof words, "what was seen of %s", quoted[0]);
        crd_i_error_item(error, listed++, crd_text_of(words));
    }
    return status;
}

crd_status crd_i_junction_impossible(crd_i_junction_work *work, const crd_i_evidence *findings, crd_error *error) {
    const crd_i_junction *junction = work->junction;
    crd_context *context = junction->context;
    search own = {.junction = junction, .findings = findings};
    if (error == NULL) return CRD_ERROR_PROBABILITY;
    own.states = crd_i_alloc(context, junction->count, sizeof *own.states);
    own.likelihoods = crd_i_alloc_zeroed(context, junction->count, sizeof *own.likelihoods);
    own.nodes = crd_i_alloc(context, junction->count, sizeof *own.nodes);
    own.is_kept = crd_i_alloc_zeroed(context, junction->count, sizeof *own.is_kept);
    own.tables = crd_i_alloc(context, junction->count, sizeof *own.tables);
    own.observed = crd_i_alloc(context, junction->count, sizeof *own.observed);
    crd_status status = CRD_OK;
    if (own.states == NULL || own.likelihoods == NULL || own.nodes == NULL || own.is_kept == NULL ||
        own.tables == NULL || own.observed == NULL)
        status = crd_i_fail_memory(error);
    if (status == CRD_OK) {
        for (uint32_t i = 0; i < junction->count; i++) {
            if (findings->states[i] >= 0 || (findings->likelihoods != NULL && findings->likelihoods[i] != NULL))
                own.nodes[own.count++] = i;
        }
        bool is_by_numbers = findings->set_logs != NULL && is_possible(&own, own.count) && own.stopped == CRD_OK;
        if (!is_by_numbers) find_conflict(&own);
        if (is_by_numbers)
            status = crd_i_fail(error, CRD_ERROR_PROBABILITY,
                                "the evidence has probability zero: no state of the discrete nodes allows for the "
                                "numbers that were observed");
        else status = own.stopped != CRD_OK ? crd_i_junction_stopped(own.stopped, error) : describe(&own, error);
    }
    crd_free(context, own.states);
    crd_free(context, own.likelihoods);
    crd_free(context, own.nodes);
    crd_free(context, own.is_kept);
    crd_free(context, own.tables);
    crd_free(context, own.observed);
    return status;
}
