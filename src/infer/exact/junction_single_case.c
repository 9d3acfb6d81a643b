/* SPDX-License-Identifier: MIT */
/* junction_single_case.c - trees for a single case that needs large tables: see junction_types.h. */
#include "infer/exact/junction_types.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

/* Compiling a tree takes about as long as querying one with this many cells, plus so many per node. */
static const double CELLS = 50000, CELLS_A_NODE = 250;

double crd_i_junction_cells_left(const crd_i_junction *junction, const crd_i_evidence *findings) {
    double total = 0;
    for (size_t i = 0; i < junction->clique_count; i++) {
        const crd_i_clique *clique = &junction->cliques[i];
        const uint32_t *vars = crd_i_clique_vars(junction, clique);
        double cells = 1;
        for (size_t j = 0; j < clique->var_count; j++)
            if (findings->states[junction->node_at[vars[j]]] < 0) cells *= junction->states_at[vars[j]];
        total += cells;
    }
    return total;
}

static bool single_case_is_observed(const crd_i_junction *junction, const crd_i_evidence *findings, size_t node) {
    bool is_left_out = junction->position_of[node] >= junction->graph_count && junction->only_state[node] < 0;
    return findings->states[node] >= 0 || is_left_out;
}

/* Returns whether the latest tree was compiled for the same evidence. */
static bool single_case_is_known(const crd_i_junction_work *work, const crd_i_evidence *findings) {
    size_t size = work->junction->count * sizeof *findings->states;
    return work->narrow_states != NULL && memcmp(work->narrow_states, findings->states, size) == 0;
}

/* Compiles a tree without nodes that are observed or in no clique of the general tree, using only the states that
 * the evidence leaves possible. */
static crd_status single_case_make_tree(crd_i_junction_work *work, bool *observed, crd_error *error) {
    const crd_i_junction *junction = work->junction;
    const crd_i_evidence findings = {.states = work->narrow_states};
    for (size_t i = 0; i < junction->count; i++) observed[i] = single_case_is_observed(junction, &findings, i);
    const crd_i_junction_options options = {.tables = junction->has_table,
                                            .observed = observed,
                                            .findings = &findings,
                                            .together = junction->together,
                                            .together_count = junction->together_count,
                                            .sets = junction->node_sets,
                                            .set_count = junction->set_count,
                                            .memory = work->memory,
                                            .threads = work->threads,
                                            .is_for_one_case = true};
    crd_status status = crd_i_junction_compile(junction->network, &options, &work->narrow, error);
    return status == CRD_OK ? crd_i_junction_work_create(work->narrow, &work->narrow_work, error) : status;
}

static crd_status single_case_compile(crd_i_junction_work *work, const crd_i_evidence *findings, double cells,
                                      crd_error *error) {
    const crd_i_junction *junction = work->junction;
    crd_context *context = junction->context;
    crd_i_junction_work_destroy(work->narrow_work);
    crd_i_junction_destroy(work->narrow);
    work->narrow_work = NULL;
    work->narrow = NULL;
    work->is_worth_it = false;
    bool *observed = crd_i_alloc(context, junction->count, sizeof *observed);
    if (work->narrow_states == NULL)
        work->narrow_states = crd_i_alloc(context, junction->count, sizeof *work->narrow_states);
    crd_status status = CRD_OK;
    if (observed == NULL || work->narrow_states == NULL) {
        status = crd_i_fail_memory(error);
    } else {
        memcpy(work->narrow_states, findings->states, junction->count * sizeof *work->narrow_states);
        status = single_case_make_tree(work, observed, error);
    }
    crd_free(context, observed);
    if (status == CRD_OK) {
        /* Compares with the whole memory limit, although one thread's workspace may only have a share: the choice of
         * tree must not depend on the number of threads. */
        bool is_short = junction->memory > 0 && cells * (double)sizeof(double) > junction->memory;
        work->is_worth_it = (is_short ? 1 : 2) * work->narrow->cells < cells;
        return CRD_OK;
    }
    /* A tree that failed halfway must not be reused for this evidence. */
    crd_free(context, work->narrow_states);
    work->narrow_states = NULL;
    return status;
}

crd_status crd_i_junction_narrow(crd_i_junction_work **work, const crd_i_evidence *findings, crd_error *error) {
    crd_i_junction_work *junction_work = *work;
    const crd_i_junction *junction = junction_work->junction;
    double cells = crd_i_junction_cells_left(junction, findings);
    size_t observed = 0;
    for (size_t i = 0; i < junction->graph_count; i++) observed += findings->states[junction->node_at[i]] >= 0;
    if (observed == 0 || cells <= CELLS + CELLS_A_NODE * (double)junction->count) return CRD_OK;
    if (!single_case_is_known(junction_work, findings)) {
        crd_status status = single_case_compile(junction_work, findings, cells, error);
        if (status != CRD_OK) return status;
    }
    if (junction_work->is_worth_it) *work = junction_work->narrow_work;
    return CRD_OK;
}
