/* SPDX-License-Identifier: MIT */
/* junction_families.c - see junction_families.h. */
#include "infer/exact/junction_families.h"

#include "base/error.h"
#include "base/memory.h"
#include "infer/exact/junction_types.h"
#include "math/functions/elementary.h"

#include <math.h>

struct crd_i_family_counter {
    const crd_i_junction *junction;
    const size_t *starts;
    crd_i_junction_work *work;
    size_t *strides_at; /* by position: stride in the output table; all 0 between two families */
    size_t *strides;    /* scratch: the strides by variable of a clique */
    double *workspace;  /* scratch for the table of any family */
};

void crd_i_family_counter_destroy(crd_i_family_counter *counter) {
    if (counter == NULL) return;
    crd_context *context = counter->junction->context;
    crd_i_junction_work_destroy(counter->work);
    crd_free(context, counter->strides_at);
    crd_free(context, counter->strides);
    crd_free(context, counter->workspace);
    crd_free(context, counter);
}

crd_status crd_i_family_counter_create(const crd_i_junction *junction, const size_t *starts, crd_i_family_counter **out,
                                       crd_error *error) {
    crd_context *context = junction->context;
    const crd_network *network = junction->network;
    size_t most = 1;
    *out = NULL;
    for (size_t i = 0; i < network->count; i++) {
        size_t cells = network->nodes[i].rows * crd_i_node_states(&network->nodes[i]);
        if (cells > most) most = cells;
    }
    crd_i_family_counter *counter = crd_i_alloc_zeroed(context, 1, sizeof *counter);
    if (counter == NULL) return crd_i_fail_memory(error);
    counter->junction = junction;
    counter->starts = starts;
    counter->strides_at = crd_i_alloc_zeroed(context, junction->count, sizeof *counter->strides_at);
    counter->strides = crd_i_alloc(context, junction->count, sizeof *counter->strides);
    counter->workspace = crd_i_alloc(context, most, sizeof *counter->workspace);
    crd_status status = counter->strides_at == NULL || counter->strides == NULL || counter->workspace == NULL
                            ? crd_i_fail_memory(error)
                            : crd_i_junction_work_create(junction, &counter->work, error);
    if (status == CRD_OK) *out = counter;
    else crd_i_family_counter_destroy(counter);
    return status;
}

/* ---- One family ---- */

/* Returns the i-th member of a node's family: its parents, then itself. */
static uint32_t member_at(const crd_network *network, size_t node, size_t i) {
    return i < network->nodes[node].parent_count ? network->nodes[node].parents[i] : (uint32_t)node;
}

/* Returns the known state of a node, or -1. */
static int32_t junction_families_known_state(const crd_i_junction *junction, const crd_i_evidence *evidence,
                                             uint32_t node) {
    return evidence->states[node] >= 0 ? evidence->states[node] : junction->only_state[node];
}

/* Returns the clique from which a family is summed; CRD_I_NONE if all members are known. */
static int32_t clique_of(const crd_i_junction *junction, const crd_i_evidence *evidence, size_t node) {
    const crd_network *network = junction->network;
    uint32_t first = UINT32_MAX;
    bool is_open = false;
    for (size_t i = 0; i <= network->nodes[node].parent_count; i++) {
        uint32_t member = member_at(network, node, i);
        if (junction->position_of[member] < first) first = junction->position_of[member];
        if (junction_families_known_state(junction, evidence, member) < 0) is_open = true;
    }
    return is_open ? junction->home_at[first] : CRD_I_NONE;
}

/* Adds the posterior of the unknown members, stored in `room`, to the counts of the whole family. */
static void spread_family(const crd_i_family_counter *counter, const crd_i_evidence *evidence, size_t node,
                          size_t cells, double factor, double *counts) {
    const crd_i_junction *junction = counter->junction;
    const crd_network *network = junction->network;
    for (size_t cell = 0; cell < cells; cell++) {
        size_t remainder = cell, target = 0, stride = 1;
        for (size_t i = network->nodes[node].parent_count + 1; i-- > 0;) {
            uint32_t member = member_at(network, node, i);
            int32_t state = junction_families_known_state(junction, evidence, member);
            if (state < 0) {
                size_t extent = junction->states_at[junction->position_of[member]];
                state = crd_i_junction_state(junction, member, (int32_t)(remainder % extent));
                remainder /= extent;
            }
            target += (size_t)state * stride;
            stride *= junction->starts[member + 1] - junction->starts[member];
        }
        counts[target] += factor * counter->workspace[cell];
    }
}

static void junction_families_add(crd_i_family_counter *counter, const crd_i_evidence *evidence, size_t node,
                                  int32_t home, double weight, double *counts) {
    const crd_i_junction *junction = counter->junction;
    const crd_i_junction_work *work = counter->work;
    const crd_network *network = junction->network;
    size_t members = network->nodes[node].parent_count + 1, cells = 1;
    for (size_t i = members; i-- > 0;) {
        uint32_t member = member_at(network, node, i), position = junction->position_of[member];
        if (junction_families_known_state(junction, evidence, member) >= 0) continue;
        counter->strides_at[position] = cells;
        cells *= junction->states_at[position];
    }
    counter->workspace[0] = work->scale == CRD_I_PLAIN ? 1 : 0;
    if (home != CRD_I_NONE) {
        crd_i_walk walk;
        const crd_i_clique *clique = &junction->cliques[home];
        const uint32_t *vars = crd_i_clique_vars(junction, clique);
        for (size_t i = 0; i < clique->var_count; i++) counter->strides[i] = counter->strides_at[vars[i]];
        crd_i_walk_joint(work, clique, counter->strides, &walk);
        crd_i_message_sum(work->scale, &walk, work->cells + work->cliques[home].table_at, counter->workspace, cells);
    }
    double most = -INFINITY, sum = 0;
    for (size_t i = 0; i < cells; i++) most = counter->workspace[i] > most ? counter->workspace[i] : most;
    for (size_t i = 0; i < cells; i++) {
        if (work->scale == CRD_I_LOGS) counter->workspace[i] = crd_exp(counter->workspace[i] - most);
        sum += counter->workspace[i];
    }
    spread_family(counter, evidence, node, cells, weight / sum, counts);
    for (size_t i = 0; i < members; i++) counter->strides_at[junction->position_of[member_at(network, node, i)]] = 0;
}

/* ---- One case ---- */

/* Passes messages back to the cliques from which families are summed. */
static crd_status send_back(crd_i_family_counter *counter, const crd_i_evidence *evidence, const bool *wanted,
                            crd_error *error) {
    const crd_i_junction *junction = counter->junction;
    crd_i_junction_work *work = counter->work;
    for (size_t i = 0; i < junction->graph_count; i++) work->source_at[i] = CRD_I_NONE;
    for (size_t i = 0; i < junction->clique_count; i++) {
        work->cliques[i].is_needed = work->cliques[i].is_message_needed = false;
        work->cliques[i].first_joint = CRD_I_NONE;
    }
    for (size_t i = 0; i < junction->count; i++) {
        int32_t home = wanted[i] ? clique_of(junction, evidence, i) : CRD_I_NONE;
        for (; home != CRD_I_NONE && !work->cliques[home].is_needed; home = junction->cliques[home].parent)
            work->cliques[home].is_needed = work->cliques[home].is_message_needed = true;
    }
    return crd_i_junction_distribute(work, NULL, NULL, error);
}

crd_status crd_i_family_counter_add(crd_i_family_counter *counter, const crd_i_evidence *evidence, const bool *wanted,
                                    double weight, double *counts, double *log_evidence, crd_error *error) {
    const crd_i_junction *junction = counter->junction;
    /* All clique tables are stored, because they are read after all messages have been passed. */
    crd_status status = crd_i_junction_begin(counter->work, evidence, true, error);
    if (status == CRD_OK) status = crd_i_junction_collect(counter->work, false, error);
    if (status != CRD_OK) return status;
    *log_evidence = crd_i_junction_log_evidence(counter->work);
    status = send_back(counter, evidence, wanted, error);
    for (size_t i = 0; status == CRD_OK && i < junction->count; i++)
        if (wanted[i])
            junction_families_add(counter, evidence, i, clique_of(junction, evidence, i), weight,
                                  counts + counter->starts[i]);
    return status;
}

/* ---- Other numbers ---- */

crd_status crd_i_junction_reload(crd_i_junction *junction, crd_error *error) {
    crd_context *context = junction->context;
    crd_free(context, junction->factors);
    crd_free(context, junction->factor_vars);
    crd_free(context, junction->factor_strides);
    crd_free(context, junction->tables);
    junction->factors = NULL;
    junction->factor_vars = NULL;
    junction->factor_strides = NULL;
    junction->tables = NULL;
    junction->factor_count = junction->clique_factor_count = 0;
    junction->table_cells = 0;
    return crd_i_junction_add_factors(junction, error);
}
