/* SPDX-License-Identifier: MIT */
/* uniform.c - the uniform family: constant density between the minimum and the maximum.
 *
 *   p(x | c) = n / (n + M) u(x; min_c, max_c) + M / (n + M) u(x; min, max)
 *
 * Here u(x; a, b) = 1 / (b - a) for a <= x <= b and 0 elsewhere. Condition c has n rows with minimum min_c and maximum
 * max_c; min and max are taken over the whole column. Smoothing m:M gives the number M of pseudo-counts, which are
 * uniform in the column's range. Other smoothings have M = 0. A condition without rows has the column's range.
 *
 * So a number outside the range of a class makes the class unlikely, and impossible only without smoothing. A number
 * outside the range of the whole column is ignored, like a category that was never seen. If all values of a condition
 * are equal, its range is a small part of the column's range around them. */
#include "density/univariate/family.h"

#include "base/error.h"
#include "base/memory.h"

#include <float.h>
#include <math.h>

static const double NARROWEST = 0x1.09456549be1bdp-15; /* sqrt(1e-9), as in gaussian.c */

/* A range. Half of the width is stored because the width may overflow. */
typedef struct uniform_range {
    double least, greatest, half_width;
} uniform_range;

typedef struct uniform_piece {
    uniform_range range;
    double share; /* the weight n / (n + M) of the condition's own range */
} uniform_piece;

typedef struct uniform {
    crd_i_density base;
    uniform_range overall;
    uniform_piece pieces[]; /* one per condition */
} uniform;

static uniform_range uniform_range_of(double least, double greatest) {
    const uniform_range range = {least, greatest, greatest / 2 - least / 2};
    return range;
}

/* Returns u(x; a, b). */
static double uniform_height(const uniform_range *range, double x) {
    return x >= range->least && x <= range->greatest && range->half_width > 0 ? 0.5 / range->half_width : 0;
}

static double uniform_part_below(const uniform_range *range, double x) {
    if (x >= range->greatest) return 1;
    return x <= range->least ? 0 : (x / 2 - range->least / 2) / range->half_width;
}

/* ---- Derivation ---- */

/* Returns the range and weight of condition k. */
static uniform_piece derive_piece(const crd_i_tallied *attribute, size_t k, const uniform_range *overall,
                                  const crd_settings *settings) {
    size_t condition = (size_t)attribute->view.conditions[k];
    double rows = crd_i_tally_total(attribute->tally, condition), imaginary = crd_i_pseudo_counts_rows(settings);
    uniform_piece piece = {*overall, 1};
    double least, greatest;
    if (!crd_i_extremes_value(attribute->more[0], condition, &least, &greatest)) return piece;
    double narrow = overall->half_width * NARROWEST;
    if (greatest / 2 - least / 2 < narrow) {
        double middle = least / 2 + greatest / 2;
        /* At least one double wide on each side, in case the column's range is small compared with its numbers. */
        least = fmax(fmin(middle - narrow, nextafter(middle, -INFINITY)), overall->least);
        greatest = fmin(fmax(middle + narrow, nextafter(middle, INFINITY)), overall->greatest);
    }
    piece.range = uniform_range_of(least, greatest);
    if (imaginary > 0) piece.share = rows / (rows + imaginary);
    return piece;
}

static crd_status uniform_derive(crd_context *context, const crd_i_tallied *attribute, const crd_settings *settings,
                                 const void *shared, crd_i_density **out, crd_error *error) {
    (void)shared;
    *out = NULL;
    size_t conditions = attribute->view.condition_count;
    uniform *density =
        crd_i_density_create(context, &crd_i_family_uniform, conditions, sizeof *density, sizeof(uniform_piece));
    if (density == NULL) return crd_i_fail_memory(error);
    double least = INFINITY, greatest = -INFINITY, own_least, own_greatest;
    for (size_t k = 0; k < conditions; k++) {
        if (!crd_i_extremes_value(attribute->more[0], (size_t)attribute->view.conditions[k], &own_least, &own_greatest))
            continue;
        least = fmin(least, own_least);
        greatest = fmax(greatest, own_greatest);
    }
    density->base.is_silent = !(least < greatest);
    density->overall = uniform_range_of(least, greatest);
    for (size_t k = 0; !density->base.is_silent && k < conditions; k++)
        density->pieces[k] = derive_piece(attribute, k, &density->overall, settings);
    *out = &density->base;
    return CRD_OK;
}

/* ---- Evaluation ---- */

static const uniform_piece *uniform_piece_of(const crd_i_density *density, size_t condition) {
    return &((const uniform *)density)->pieces[condition];
}

static const uniform_range *overall_of(const crd_i_density *density) {
    return &((const uniform *)density)->overall;
}

static bool uniform_covers(const crd_i_density *density, double x) {
    return x >= overall_of(density)->least && x <= overall_of(density)->greatest;
}

static double uniform_family_log_density(const crd_i_density *density, size_t condition, double x) {
    const uniform_piece *piece = uniform_piece_of(density, condition);
    double sum =
        piece->share * uniform_height(&piece->range, x) + (1 - piece->share) * uniform_height(overall_of(density), x);
    return sum > 0 ? crd_log(sum) : -INFINITY;
}

static size_t uniform_parameters(const crd_i_density *density, size_t condition, crd_term_parameter *out) {
    const uniform_piece *piece = uniform_piece_of(density, condition);
    const crd_term_parameter parameter = {"from", piece->range.least}, term_parameter = {"to", piece->range.greatest};
    const crd_term_parameter share = {"share", piece->share};
    out[0] = parameter;
    out[1] = term_parameter;
    out[2] = share;
    return 3;
}

static bool uniform_list_parameters(const crd_i_density *base, crd_i_parameter_list *parameter) {
    size_t conditions = base->conditions;
    const uniform_range *all = overall_of(base);
    double *source = crd_i_parameter_list_vector(parameter, "from", conditions);
    double *until = source == NULL ? NULL : crd_i_parameter_list_vector(parameter, "to", conditions);
    double *shares = until == NULL ? NULL : crd_i_parameter_list_vector(parameter, "share", conditions);
    for (size_t k = 0; shares != NULL && k < conditions; k++) {
        source[k] = uniform_piece_of(base, k)->range.least;
        until[k] = uniform_piece_of(base, k)->range.greatest;
        shares[k] = uniform_piece_of(base, k)->share;
    }
    return shares != NULL && crd_i_parameter_list_number(parameter, "overall_from", all->least) &&
           crd_i_parameter_list_number(parameter, "overall_to", all->greatest);
}

/* Computes the moments of a mixture of two uniform distributions, in units of the column's half width. */
static void uniform_moments(const crd_i_density *density, size_t condition, double *mean, double *deviation) {
    const uniform_piece *piece = uniform_piece_of(density, condition);
    const uniform_range *range = &piece->range, *all = overall_of(density);
    double share = piece->share, own_mean = range->least / 2 + range->greatest / 2,
           all_mean = all->least / 2 + all->greatest / 2;
    double unit = all->half_width;
    *mean = share * own_mean + (1 - share) * all_mean;
    double a = (own_mean - *mean) / unit, b = (all_mean - *mean) / unit, width = range->half_width / unit;
    *deviation = unit * sqrt(share * (a * a + width * width / 3) + (1 - share) * (b * b + 1.0 / 3));
}

static double uniform_below(const crd_i_density *density, size_t condition, double x) {
    const uniform_piece *piece = uniform_piece_of(density, condition);
    return piece->share * uniform_part_below(&piece->range, x) +
           (1 - piece->share) * uniform_part_below(overall_of(density), x);
}

/* Inverts the distribution function, which is piecewise linear with knots at the ends of the two ranges. */
static double uniform_family_quantile(const crd_i_density *density, size_t condition, double p) {
    const uniform_piece *piece = uniform_piece_of(density, condition);
    const uniform_range *all = overall_of(density);
    double points[4] = {all->least, piece->range.least, piece->range.greatest, all->greatest};
    for (int i = 0; i < 3; i++) {
        double start = uniform_below(density, condition, points[i]),
               upper = uniform_below(density, condition, points[i + 1]);
        if (p > upper && i < 2) continue;
        if (!(upper > start)) return points[i + 1];
        double part = (p - start) / (upper - start);
        return points[i] * (1 - part) + points[i + 1] * part;
    }
    return all->greatest;
}

const crd_i_family crd_i_family_uniform = {
    .name = "uniform",
    .summary = "any number between the minimum and the maximum; cannot forget",
    .reads = {&crd_i_moments, &crd_i_extremes},
    .estimated = {"minimum values", "maximum values"},
    .covers = uniform_covers,
    .derive = uniform_derive,
    .log_density = uniform_family_log_density,
    .parameters = uniform_parameters,
    .list_parameters = uniform_list_parameters,
    .moments = uniform_moments,
    .below = uniform_below,
    .quantile = uniform_family_quantile,
    CRD_I_GENERIC,
};
