/* junction_narrow.c - trees for one case, where it needs large tables: see junction_parts.h. */
#include "network/junction_parts.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

/* Compiling a tree takes about as long as asking one with this many cells, and this many more for each node. */
static const double CELLS = 50000, CELLS_A_NODE = 250;

/* Cells of the tables that the findings leave. */
static double cells_left(const crd_i_junction *junction, const crd_i_findings *findings) {
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

static bool is_observed(const crd_i_junction *junction, const crd_i_findings *findings, size_t node) {
    return findings->states[node] >= 0 || (junction->position_of[node] >= junction->graph_count);
}

/* Whether the latest tree was for the same findings. */
static bool is_known(const crd_i_junction_work *work, const crd_i_findings *findings) {
    const crd_i_junction *junction = work->junction;
    if (work->is_narrow_for == NULL) return false;
    for (size_t i = 0; i < junction->count; i++)
        if (work->is_narrow_for[i] != is_observed(junction, findings, i)) return false;
    return true;
}

static crd_status compile(crd_i_junction_work *work, const crd_i_findings *findings, double cells, crd_error *error) {
    const crd_i_junction *junction = work->junction;
    crd_i_junction_work_destroy(work->narrow_work);
    crd_i_junction_destroy(work->narrow);
    work->narrow_work = NULL;
    work->narrow = NULL;
    work->is_worth_it = false;
    if (work->is_narrow_for == NULL)
        work->is_narrow_for = crd_i_alloc(junction->context, junction->count, sizeof *work->is_narrow_for);
    if (work->is_narrow_for == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < junction->count; i++) work->is_narrow_for[i] = is_observed(junction, findings, i);
    const crd_i_junction_options options = {.tables = junction->has_table,
                                            .observed = work->is_narrow_for,
                                            .together = junction->together,
                                            .together_count = junction->together_count,
                                            .threads = work->threads,
                                            .memory = work->memory,
                                            .is_for_one_case = true};
    crd_status status = crd_i_junction_compile(junction->network, &options, &work->narrow, error);
    if (status == CRD_OK) status = crd_i_junction_work_create(work->narrow, &work->narrow_work, error);
    if (status == CRD_OK) {
        work->is_worth_it = 2 * work->narrow->cells < cells;
        return CRD_OK;
    }
    /* What failed halfway is not to be taken for a tree of these findings. */
    crd_free(junction->context, work->is_narrow_for);
    work->is_narrow_for = NULL;
    return status;
}

crd_status crd_i_junction_narrow(crd_i_junction_work **work, const crd_i_findings *findings, crd_error *error) {
    crd_i_junction_work *own = *work;
    const crd_i_junction *junction = own->junction;
    double cells = cells_left(junction, findings);
    size_t observed = 0;
    for (size_t i = 0; i < junction->graph_count; i++) observed += findings->states[junction->node_at[i]] >= 0;
    if (observed == 0 || cells <= CELLS + CELLS_A_NODE * (double)junction->count) return CRD_OK;
    if (!is_known(own, findings)) {
        crd_status status = compile(own, findings, cells, error);
        if (status != CRD_OK) return status;
    }
    if (own->is_worth_it) *work = own->narrow_work;
    return CRD_OK;
}
