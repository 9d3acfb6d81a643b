/* SPDX-License-Identifier: MIT */
/* junction_sample.c - see junction_sample.h. Columns are summed cumulatively once, so each draw is a binary search. */
#include "infer/exact/junction_sample.h"

#include "infer/exact/junction_types.h"
#include "math/functions/elementary.h"

#include <math.h>

/* Replaces each column by its cumulative sums, as plain numbers. Impossible columns are 0 and are never reached. */
static void add_up_columns(crd_i_factor_scale scale, double *table, size_t rows, size_t width) {
    for (size_t column = 0; column < width; column++) {
        double *cells = table + column, most = -INFINITY, sum = 0;
        for (size_t row = 0; scale == CRD_I_LOGS && row < rows; row++)
            most = cells[row * width] > most ? cells[row * width] : most;
        for (size_t row = 0; row < rows; row++) {
            double cell = cells[row * width];
            if (scale == CRD_I_LOGS) cell = most == -INFINITY ? 0 : crd_exp(cell - most);
            cells[row * width] = sum += cell;
        }
    }
}

crd_status crd_i_junction_draw_begin(crd_i_junction_work *work, const crd_i_evidence *findings, crd_error *error) {
    crd_status status = crd_i_junction_begin(work, findings, true, error);
    if (status == CRD_OK) status = crd_i_junction_collect(work, false, error);
    if (status == CRD_ERROR_PROBABILITY) return crd_i_junction_impossible(work, findings, error);
    if (status != CRD_OK) return status;
    for (size_t i = 0; i < work->junction->clique_count; i++) {
        const crd_i_clique_work *clique = &work->cliques[i];
        add_up_columns(work->scale, work->cells + clique->table_at, clique->rows, clique->width);
    }
    return CRD_OK;
}

/* Draws a row from a column of cumulative sums; never a row with probability 0. */
static size_t junction_sample_draw_row(const double *sums, size_t rows, size_t width, crd_i_random *random) {
    double point = crd_i_random_uniform(random) * sums[(rows - 1) * width];
    size_t low = 0, high = rows - 1;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sums[middle * width] > point) high = middle;
        else low = middle + 1;
    }
    /* The product may have been rounded up to the total. */
    while (low > 0 && sums[low * width] == sums[(low - 1) * width]) low--;
    return low;
}

/* Returns the index of a variable's state among the remaining states. */
static size_t junction_sample_place(const crd_i_junction *junction, uint32_t position, const int32_t *states) {
    uint32_t node = junction->node_at[position];
    return (size_t)junction->place_of[junction->starts[node] + (size_t)states[node]];
}

void crd_i_junction_draw(const crd_i_junction_work *work, crd_i_random *random, int32_t *states) {
    const crd_i_junction *junction = work->junction;
    for (size_t i = 0; i < junction->count; i++)
        if (junction->only_state[i] >= 0) states[i] = junction->only_state[i];
    for (size_t i = junction->clique_count; i-- > 0;) {
        const crd_i_clique *clique = &junction->cliques[i];
        const crd_i_clique_work *clique_work = &work->cliques[i];
        const uint32_t *vars = crd_i_clique_vars(junction, clique);
        size_t column = 0, row = 0;
        for (size_t j = clique->own_count; j < clique->var_count; j++)
            if (work->seen_at[vars[j]] < 0)
                column = column * junction->states_at[vars[j]] + junction_sample_place(junction, vars[j], states);
        if (clique_work->rows > 1)
            row = junction_sample_draw_row(work->cells + clique_work->table_at + column, clique_work->rows,
                                           clique_work->width, random);
        for (size_t j = clique->own_count; j-- > 0;) {
            if (work->seen_at[vars[j]] >= 0) continue;
            uint32_t node = junction->node_at[vars[j]];
            states[node] = crd_i_junction_state(junction, node, (int32_t)(row % junction->states_at[vars[j]]));
            row /= junction->states_at[vars[j]];
        }
    }
}
