/* SPDX-License-Identifier: MIT */
/* junction_mpe.c - the most probable explanation: see junction_tree.h.
 *
 * Messages take maxima instead of sums (Dawid 1992). From the roots back, the own variables of each clique get the
 * states of the largest cell that is consistent with the states chosen so far. Cells that differ only by rounding
 * error count as equal, and the first of them is used. */
#include "infer/exact/factor_blocks.h"

#include "base/error.h"

/* Returns the column of the clique's table that matches the states shared with its parent. */
static size_t junction_mpe_column(const crd_i_junction *junction, const crd_i_junction_work *work,
                                  const crd_i_clique *clique, const int32_t *states) {
    const uint32_t *vars = junction->clique_vars + clique->vars_at;
    size_t column = 0;
    for (size_t i = clique->own_count; i < clique->var_count; i++)
        if (work->seen_at[vars[i]] < 0)
            column = column * junction->states_at[vars[i]] + (size_t)states[junction->node_at[vars[i]]];
    return column;
}

crd_status crd_i_junction_most_probable(crd_i_junction_work *work, const crd_i_evidence *findings, int32_t *states,
                                        double *log_probability, crd_error *error) {
    crd_i_junction_work *whole = work;
    crd_status status = crd_i_junction_narrow(&work, findings, error);
    if (status == CRD_OK) status = crd_i_junction_begin(work, findings, false, error);
    if (status != CRD_OK) return status;
    status = crd_i_junction_collect(work, true, error);
    if (status == CRD_ERROR_PROBABILITY) return crd_i_junction_impossible(whole, findings, error);
    if (status != CRD_OK) return status;
    const crd_i_junction *junction = work->junction;
    if (log_probability != NULL) *log_probability = crd_i_junction_log_evidence(work);
    for (size_t i = 0; i < junction->count; i++) states[i] = work->seen_at[junction->position_of[i]];
    for (size_t i = junction->clique_count; i-- > 0;) {
        const crd_i_clique *clique = &junction->cliques[i];
        const crd_i_clique_work *clique_work = &work->cliques[i];
        const uint32_t *vars = junction->clique_vars + clique->vars_at;
        if (vars[0] < junction->summed_count) continue;
        size_t best = 0;
        if (clique_work->is_kept) {
            const double *cells =
                work->cells + clique_work->table_at + junction_mpe_column(junction, work, clique, states);
            for (size_t row = 1; row < clique_work->rows; row++)
                if (crd_i_is_more(work->scale, cells[row * clique_work->width], cells[best * clique_work->width]))
                    best = row;
        } else {
            status = crd_i_blocks_best_row(work, i, states, &best);
            if (status != CRD_OK) return crd_i_junction_stopped(status, error);
        }
        for (size_t j = clique->own_count; j-- > 0;) {
            if (work->seen_at[vars[j]] >= 0) continue;
            states[junction->node_at[vars[j]]] = (int32_t)(best % junction->states_at[vars[j]]);
            best /= junction->states_at[vars[j]];
        }
    }
    for (size_t i = 0; i < junction->count; i++) states[i] = crd_i_junction_state(junction, i, states[i]);
    return CRD_OK;
}
