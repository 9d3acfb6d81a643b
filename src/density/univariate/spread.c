/* SPDX-License-Identifier: MIT */
/* spread.c - bins with weights on a normalized scale: see family.h. */
#include "density/univariate/family.h"

#include "base/arena.h"
#include "base/memory.h"
#include "math/functions/elementary.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- The scale ---- */

double crd_i_scale_to(const crd_i_spread_scale *scale, double x) {
    static const double FARTHEST = 0x1p400;
    double t = (x * 0.5 - scale->half_center) * scale->factor * 2;
    return t > FARTHEST ? FARTHEST : t < -FARTHEST ? -FARTHEST : t;
}

bool crd_i_scale_list_parameters(const crd_i_spread_scale *scale, crd_i_parameter_list *parameter) {
    return crd_i_parameter_list_number(parameter, "half_center", scale->half_center) &&
           crd_i_parameter_list_number(parameter, "factor", scale->factor) &&
           crd_i_parameter_list_number(parameter, "log_unit", scale->log_unit);
}

double crd_i_scale_from(const crd_i_spread_scale *scale, double t) {
    double half = t * 0.5 / scale->factor + scale->half_center;
    return half > DBL_MAX / 2 ? DBL_MAX : half < -DBL_MAX / 2 ? -DBL_MAX : half * 2;
}

/* Chooses the scale of a column from its range and its middle bin. */
static crd_i_spread_scale spread_scale(const crd_i_grid_view *grid) {
    static const double LOG_2 = 0x1.62e42fefa39efp-1;
    crd_i_spread_scale scale = {0, 1, 0};
    int exponent = 0;
    if (grid->count == 0) return scale;
    double first = grid->values[0] * 0.5, last = grid->values[grid->count - 1] * 0.5;
    double range = grid->count > 1 ? last - first : fabs(first);
    if (range > 0) (void)frexp(range, &exponent);
    /* Keep the inverse of the factor finite, too. */
    exponent = exponent > 1000 ? 1000 : exponent < -1000 ? -1000 : exponent;
    scale.half_center = grid->values[grid->count / 2] * 0.5;
    scale.factor = ldexp(1, -exponent);
    scale.log_unit = exponent * LOG_2;
    return scale;
}

/* ---- Bins ---- */

/* Merges bins whose values are equal after conversion to the scale, because they are tiny compared with its center. */
static void join_equal(crd_i_grid_view *grid, const crd_i_spread_scale *scale) {
    size_t kept = 0;
    for (size_t i = 1; i < grid->count; i++) {
        double *source = grid->counts + i * grid->conditions;
        bool is_same = crd_i_scale_to(scale, grid->values[i]) == crd_i_scale_to(scale, grid->values[kept]);
        double *destination = grid->counts + (is_same ? kept : ++kept) * grid->conditions;
        if (!is_same) grid->values[kept] = grid->values[i];
        for (size_t k = 0; k < grid->conditions; k++) destination[k] = is_same ? destination[k] + source[k] : source[k];
    }
    if (grid->count > 0) grid->count = kept + 1;
}

/* Fills in the row counts, and the weights with M pseudo-counts per condition (1 if a condition would have no weight).
 */
static void spread_weigh(crd_i_spread_cells *cells, const crd_i_grid_view *grid, const crd_settings *settings) {
    double M = crd_i_pseudo_counts_rows(settings);
    for (size_t i = 0; i < cells->count; i++) {
        cells->whole[i] = 0;
        for (size_t k = 0; k < cells->conditions; k++) {
            double rows = grid->counts[i * cells->conditions + k];
            cells->rows[k * cells->count + i] = rows;
            cells->whole[i] += rows;
        }
        cells->total += cells->whole[i];
    }
    for (size_t k = 0; k < cells->conditions; k++) {
        const double *rows = cells->rows + k * cells->count;
        double *weights = cells->weights + k * cells->count, own = 0;
        for (size_t i = 0; i < cells->count; i++) own += rows[i];
        double more = own + M > 0 ? M : 1;
        cells->sums[k] = 0;
        for (size_t i = 0; i < cells->count; i++) {
            weights[i] = rows[i] + (more > 0 ? more * (cells->whole[i] / cells->total) : 0);
            cells->sums[k] += weights[i];
        }
    }
}

bool crd_i_spread_cells_init(crd_i_spread_cells *cells, crd_context *context, crd_i_arena *arena,
                             const crd_i_tallied *attribute, const crd_settings *settings) {
    crd_i_grid_view grid;
    memset(cells, 0, sizeof *cells);
    bool done = crd_i_grid_view_init(&grid, context, attribute->tally, &attribute->view);
    if (!done) goto end;
    cells->scale = spread_scale(&grid);
    join_equal(&grid, &cells->scale);
    size_t count = grid.count, conditions = grid.conditions;
    cells->count = count;
    cells->conditions = conditions;
    cells->t = crd_i_arena_alloc(arena, count, sizeof *cells->t);
    cells->whole = crd_i_arena_alloc(arena, count, sizeof *cells->whole);
    cells->rows = crd_i_arena_alloc(arena, count * conditions, sizeof *cells->rows);
    cells->weights = crd_i_arena_alloc(arena, count * conditions, sizeof *cells->weights);
    cells->sums = crd_i_arena_alloc_zeroed(arena, conditions, sizeof *cells->sums);
    done = !crd_i_arena_failed(arena);
    if (!done) goto end;
    cells->is_exact = grid.is_exact;
    cells->width = grid.width * cells->scale.factor;
    for (size_t i = 0; i < count; i++) cells->t[i] = crd_i_scale_to(&cells->scale, grid.values[i]);
    if (count > 1) cells->gap = (cells->t[count - 1] - cells->t[0]) / (double)(count - 1);
    spread_weigh(cells, &grid, settings);
end:
    crd_i_grid_view_clear(&grid);
    return done;
}

void crd_i_spread_moments(const crd_i_spread_cells *cells, const double *weights, double *mean, double *deviation) {
    double n = 0, sum = 0, squares = 0;
    for (size_t i = 0; i < cells->count; i++) {
        n += weights[i];
        sum += weights[i] * cells->t[i];
    }
    *mean = sum / n;
    for (size_t i = 0; i < cells->count; i++) {
        double away = cells->t[i] - *mean;
        squares += weights[i] * (away * away);
    }
    *deviation = sqrt(squares / n + cells->width * cells->width / 12);
}

double crd_i_spread_quantile(const crd_i_spread_cells *cells, const double *weights, double p) {
    double n = 0, before = 0;
    size_t i = 0;
    for (size_t index = 0; index < cells->count; index++) n += weights[index];
    double wanted = n * p;
    while (i + 1 < cells->count && before + weights[i] < wanted) before += weights[i++];
    double part = weights[i] > 0 ? (wanted - before) / weights[i] : 0.5;
    return cells->t[i] + cells->width * ((part > 1 ? 1 : part) - 0.5);
}

double crd_i_spread_invert(const crd_i_spread_curve *curve, double low, double high, double p) {
    enum { STEPS = 200 };
    double t = low + (high - low) / 2;
    for (int step = 0; step < STEPS; step++) {
        double error = curve->below(curve->data, t) - p;
        if (error == 0) break;
        if (error < 0) low = t;
        else high = t;
        double next = t - error / curve->density(curve->data, t);
        if (!(next > low && next < high)) next = low + (high - low) / 2;
        if (!(next > low && next < high) || fabs(next - t) <= 1e-16 * (fabs(low) + fabs(high))) break;
        t = next;
    }
    return t;
}

double crd_i_spread_power(double n, double power) {
    return crd_exp(power * crd_log(n));
}
