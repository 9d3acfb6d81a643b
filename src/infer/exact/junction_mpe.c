/* SPDX-License-Identifier: MIT */
/* junction_mpe.c - the most probable explanation: see junction_tree.h.
 *
 * Messages take the greatest instead of the sum (Dawid 1992). Going back from the roots, the states of a clique's own
 * variables are those of the greatest cell among those that go with the states chosen so far; of cells that differ by
 * what was rounded alone, those of the first. */
#include "infer/exact/factor_blocks.h"

#include "base/error.h"

/* The column of the clique's table that goes with the states of what it shares with its parent. */
static size_t column_of(const crd_i_junction *junction, const crd_i_junction_work *work, const crd_i_clique *clique,
                        const int32_t *states) {
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
        const crd_i_clique_work *own = &work->cliques[i];
        const uint32_t *vars = junction->clique_vars + clique->vars_at;
        if (vars[0] < junction->summed_count) continue;
        size_t best = 0;
        if (own->is_kept) {
            const double *cells = work->cells + own->table_at + column_of(junction, work, clique, states);
            for (size_t row = 1; row < own->rows; row++)
                if (crd_i_is_more(work->scale, cells[row * own->width], cells[best * own->width])) best = row;
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
