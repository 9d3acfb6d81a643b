/* SPDX-License-Identifier: MIT */
/* uniform.c - any number between the least and the greatest, none likelier than the other.
 *
 *   p(x | c) = n / (n + M) u(x; least, greatest) + M / (n + M) u(x; overall least, overall greatest)
 *
 * with u(x; a, b) = 1 / (b - a) from a to b and 0 elsewhere, the n rows of condition c, and M pseudo-counts anywhere in
 * the column's range for smoothing m:M; other smoothings leave M at 0, and a condition without rows has the column's
 * range. So a number that lies outside of a class's own range makes the class unlikely rather than impossible, unless
 * nothing smooths. One that lies outside of the whole column's range says nothing, as a category that was never seen.
 * Where all cells of a condition are alike, its range is made a small part of the column's around them. */
#include "density/univariate/generic_density.h"

#include "base/error.h"
#include "base/memory.h"
#include "density/univariate/named_distribution.h"

#include <float.h>
#include <math.h>

static const double NARROWEST = 0x1.09456549be1bdp-15; /* the root of 1e-9, as in gaussian_parameters.c */

/* Halves, so that no width overflows. */
typedef struct range {
    double least, greatest, half_width;
} range;

typedef struct piece {
    range own;
    double share; /* of the own range; the column's has the rest */
} piece;

typedef struct uniform {
    crd_i_density base;
    range overall;
    piece pieces[]; /* of each condition */
} uniform;

static range range_of(double least, double greatest) {
    const range made = {least, greatest, greatest / 2 - least / 2};
    return made;
}

/* 1 / (b - a) inside. */
static double height(const range *of, double x) {
    return x >= of->least && x <= of->greatest && of->half_width > 0 ? 0.5 / of->half_width : 0;
}

static double part_below(const range *of, double x) {
    if (x >= of->greatest) return 1;
    return x <= of->least ? 0 : (x / 2 - of->least / 2) / of->half_width;
}

/* ---- Deriving ---- */

static void destroy(crd_i_density *density) {
    crd_free(density->context, density);
}

static piece derive_piece(const crd_i_tallied *attribute, size_t k, const range *overall,
                          const crd_settings *settings) {
    size_t condition = (size_t)attribute->view.conditions[k];
    double rows = crd_i_tally_total(attribute->tally, condition), imaginary = crd_i_pseudo_counts_rows(settings);
    piece made = {*overall, 1};
    double least, greatest;
    if (!crd_i_extremes_value(attribute->more[0], condition, &least, &greatest)) return made;
    double narrow = overall->half_width * NARROWEST;
    if (greatest / 2 - least / 2 < narrow) {
        double middle = least / 2 + greatest / 2;
        /* Never less than from one double to the next, where the column's range is small beside its numbers. */
        least = fmax(fmin(middle - narrow, nextafter(middle, -INFINITY)), overall->least);
        greatest = fmin(fmax(middle + narrow, nextafter(middle, INFINITY)), overall->greatest);
    }
    made.own = range_of(least, greatest);
    if (imaginary > 0) made.share = rows / (rows + imaginary);
    return made;
}

static crd_status derive(crd_context *context, const crd_i_tallied *attribute, const crd_settings *settings,
                         const void *shared, crd_i_density **out, crd_error *error) {
    (void)shared;
    *out = NULL;
    size_t conditions = attribute->view.condition_count;
    if (conditions > (SIZE_MAX - sizeof(uniform)) / sizeof(piece)) return crd_i_fail_memory(error);
    uniform *density = crd_i_alloc_zeroed(context, 1, sizeof *density + conditions * sizeof(piece));
    if (density == NULL) return crd_i_fail_memory(error);
    density->base.family = &crd_i_family_uniform;
    density->base.context = context;
    density->base.conditions = conditions;
    double least = INFINITY, greatest = -INFINITY, own_least, own_greatest;
    for (size_t k = 0; k < conditions; k++) {
        if (!crd_i_extremes_value(attribute->more[0], (size_t)attribute->view.conditions[k], &own_least, &own_greatest))
            continue;
        least = fmin(least, own_least);
        greatest = fmax(greatest, own_greatest);
    }
    density->base.is_silent = !(least < greatest);
    density->overall = range_of(least, greatest);
    for (size_t k = 0; !density->base.is_silent && k < conditions; k++)
        density->pieces[k] = derive_piece(attribute, k, &density->overall, settings);
    *out = &density->base;
    return CRD_OK;
}

/* ---- Asking ---- */

static const piece *piece_of(const crd_i_density *density, size_t condition) {
    return &((const uniform *)density)->pieces[condition];
}

static const range *overall_of(const crd_i_density *density) {
    return &((const uniform *)density)->overall;
}

static bool covers(const crd_i_density *density, double x) {
    return x >= overall_of(density)->least && x <= overall_of(density)->greatest;
}

static double log_density(const crd_i_density *density, size_t condition, double x) {
    const piece *at = piece_of(density, condition);
    double sum = at->share * height(&at->own, x) + (1 - at->share) * height(overall_of(density), x);
    return sum > 0 ? crd_log(sum) : -INFINITY;
}

static size_t parameters(const crd_i_density *density, size_t condition, crd_term_parameter *out) {
    const piece *at = piece_of(density, condition);
    const crd_term_parameter from = {"from", at->own.least}, to = {"to", at->own.greatest};
    const crd_term_parameter share = {"share", at->share};
    out[0] = from;
    out[1] = to;
    out[2] = share;
    return 3;
}

static bool list_parameters(const crd_i_density *base, crd_i_parameter_list *to) {
    size_t conditions = base->conditions;
    const range *all = overall_of(base);
    double *from = crd_i_parameter_list_vector(to, "from", conditions);
    double *until = from == NULL ? NULL : crd_i_parameter_list_vector(to, "to", conditions);
    double *shares = until == NULL ? NULL : crd_i_parameter_list_vector(to, "share", conditions);
    for (size_t k = 0; shares != NULL && k < conditions; k++) {
        from[k] = piece_of(base, k)->own.least;
        until[k] = piece_of(base, k)->own.greatest;
        shares[k] = piece_of(base, k)->share;
    }
    return shares != NULL && crd_i_parameter_list_number(to, "overall_from", all->least) &&
           crd_i_parameter_list_number(to, "overall_to", all->greatest);
}

/* Of a mixture: the mean of the means, and of the squares around it. */
static void moments(const crd_i_density *density, size_t condition, double *mean, double *deviation) {
    const piece *at = piece_of(density, condition);
    const range *own = &at->own, *all = overall_of(density);
    double share = at->share, own_mean = own->least / 2 + own->greatest / 2,
           all_mean = all->least / 2 + all->greatest / 2;
    double unit = all->half_width;
    *mean = share * own_mean + (1 - share) * all_mean;
    double a = (own_mean - *mean) / unit, b = (all_mean - *mean) / unit, width = own->half_width / unit;
    *deviation = unit * sqrt(share * (a * a + width * width / 3) + (1 - share) * (b * b + 1.0 / 3));
}

static double below(const crd_i_density *density, size_t condition, double x) {
    const piece *at = piece_of(density, condition);
    return at->share * part_below(&at->own, x) + (1 - at->share) * part_below(overall_of(density), x);
}

/* The distribution function has a bend where the own range begins, and one where it ends. */
static double quantile(const crd_i_density *density, size_t condition, double p) {
    const piece *at = piece_of(density, condition);
    const range *all = overall_of(density);
    double points[4] = {all->least, at->own.least, at->own.greatest, all->greatest};
    for (int i = 0; i < 3; i++) {
        double from = below(density, condition, points[i]), to = below(density, condition, points[i + 1]);
        if (p > to && i < 2) continue;
        if (!(to > from)) return points[i + 1];
        double part = (p - from) / (to - from);
        return points[i] * (1 - part) + points[i + 1] * part;
    }
    return all->greatest;
}

const crd_i_family crd_i_family_uniform = {
    .name = "uniform",
    .summary = "any number between the least and the greatest; cannot forget",
    .reads = {&crd_i_moments, &crd_i_extremes},
    .estimated = {"least values", "greatest values"},
    .covers = covers,
    .derive = derive,
    .destroy = destroy,
    .log_density = log_density,
    .parameters = parameters,
    .list_parameters = list_parameters,
    .moments = moments,
    .below = below,
    .quantile = quantile,
    CRD_I_GENERIC,
};
