/* junction_conflict.c - which findings contradict each other.
 *
 * Findings are taken in one after the other; halving finds the shortest beginning that is impossible, and its last
 * finding must be part of every contradiction within it. That one is kept, and the same is done with the findings
 * before it, until those kept are impossible alone: each of them is needed, and k of n take about k log n questions. */
#include "network/junction_parts.h"

#include "base/error.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

typedef struct search {
    crd_i_junction_work *work;
    const crd_i_findings *findings;
    int32_t *states;
    const double **likelihoods;
    uint32_t *nodes; /* that something is known about */
    bool *is_kept;   /* by node */
    size_t count;
    bool is_out_of_memory;
} search;

/* Whether the first findings and those kept are possible together. Without the memory for the larger tables that fewer
 * findings make, nothing can be said, and they count as possible. */
static bool is_possible(search *own, size_t first) {
    const crd_i_junction *junction = own->work->junction;
    for (size_t i = 0; i < own->count; i++) {
        uint32_t node = own->nodes[i];
        bool is_in = i < first || own->is_kept[node];
        own->states[node] =
            is_in || junction->position_of[node] >= junction->graph_count ? own->findings->states[node] : -1;
        own->likelihoods[node] = is_in && own->findings->likelihoods != NULL ? own->findings->likelihoods[node] : NULL;
    }
    const crd_i_findings some = {own->states, own->likelihoods};
    crd_status status = crd_i_junction_begin(own->work, &some, NULL);
    own->is_out_of_memory = own->is_out_of_memory || status == CRD_ERROR_MEMORY;
    return status != CRD_OK || crd_i_junction_collect(own->work, false);
}

static void find_conflict(search *own) {
    size_t end = own->count, kept = 0;
    while (end > 0 && is_possible(own, 0)) {
        size_t possible = 0, impossible = end;
        while (impossible - possible > 1) {
            size_t middle = possible + (impossible - possible) / 2;
            if (is_possible(own, middle)) possible = middle;
            else impossible = middle;
        }
        own->is_kept[own->nodes[impossible - 1]] = true;
        kept++;
        end = impossible - 1;
    }
    /* The tree cannot be asked without findings that it leaves out: then any of them may be part of it. */
    for (size_t i = 0; kept == 0 && i < own->count; i++) own->is_kept[own->nodes[i]] = true;
}

static crd_status describe(const search *own, crd_error *error) {
    const crd_network *network = own->work->junction->network;
    size_t listed = 0;
    crd_status status = crd_i_fail(error, CRD_ERROR_PROBABILITY, "impossible: these findings contradict each other: ");
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

/* A tree that leaves out observed nodes cannot be asked without them: another one is needed, unless it takes too much
 * memory. */
static crd_status compile_whole(const crd_i_junction *junction, crd_i_junction **whole, crd_i_junction_work **work,
                                crd_error *error) {
    bool leaves_out = false;
    for (size_t i = junction->graph_count; i < junction->count; i++)
        leaves_out = leaves_out || junction->has_table[junction->node_at[i]];
    if (!leaves_out) return CRD_OK;
    const crd_i_junction_options options = {
        .tables = junction->has_table, .memory = junction->memory, .is_for_one_case = true};
    crd_status status = crd_i_junction_compile(junction->network, &options, whole, error);
    if (status == CRD_OK) status = crd_i_junction_work_create(*whole, work, error);
    return status == CRD_ERROR_LIMIT ? CRD_OK : status;
}

crd_status crd_i_junction_impossible(crd_i_junction_work *work, const crd_i_findings *findings, crd_error *error) {
    const crd_i_junction *junction = work->junction;
    crd_context *context = junction->context;
    crd_i_junction *whole = NULL;
    crd_i_junction_work *whole_work = NULL;
    search own = {.work = work, .findings = findings};
    if (error == NULL) return CRD_ERROR_PROBABILITY;
    own.states = crd_i_alloc(context, junction->count, sizeof *own.states);
    own.likelihoods = crd_i_alloc_zeroed(context, junction->count, sizeof *own.likelihoods);
    own.nodes = crd_i_alloc(context, junction->count, sizeof *own.nodes);
    own.is_kept = crd_i_alloc_zeroed(context, junction->count, sizeof *own.is_kept);
    crd_status status = CRD_OK;
    if (own.states == NULL || own.likelihoods == NULL || own.nodes == NULL || own.is_kept == NULL)
        status = crd_i_fail_memory(error);
    else status = compile_whole(junction, &whole, &whole_work, error);
    if (status == CRD_OK) {
        if (whole_work != NULL) own.work = whole_work;
        for (uint32_t i = 0; i < junction->count; i++) {
            own.states[i] = -1;
            if (findings->states[i] >= 0 || (findings->likelihoods != NULL && findings->likelihoods[i] != NULL))
                own.nodes[own.count++] = i;
        }
        find_conflict(&own);
        status = own.is_out_of_memory ? crd_i_fail_memory(error) : describe(&own, error);
    }
    crd_i_junction_work_destroy(whole_work);
    crd_i_junction_destroy(whole);
    crd_free(context, own.states);
    crd_free(context, own.likelihoods);
    crd_free(context, own.nodes);
    crd_free(context, own.is_kept);
    return status;
}
