/* SPDX-License-Identifier: MIT */
/* named_distribution.c - densities that are a standard distribution under each condition: see family.h. */
#include "density/univariate/family.h"

#include "density/univariate/gaussian.h"

#include <float.h>
#include <math.h>

crd_i_named *crd_i_named_create(crd_context *context, const crd_i_family *family, size_t conditions,
                                const crd_i_distribution_type *type) {
    crd_i_named *density = crd_i_density_create(context, family, conditions, sizeof *density, sizeof(crd_distribution));
    for (size_t k = 0; density != NULL && k < conditions; k++) {
        density->each[k].context = context;
        density->each[k].type = type;
        density->each[k].dimension = 1;
    }
    return density;
}

static const crd_distribution *named_distribution_at(const crd_i_density *density, size_t condition) {
    return &((const crd_i_named *)density)->each[condition];
}

double crd_i_named_log_density(const crd_i_density *density, size_t condition, double x) {
    return crd_distribution_log_density(named_distribution_at(density, condition), &x);
}

size_t crd_i_named_parameters(const crd_i_density *density, size_t condition, crd_term_parameter *out) {
    const crd_distribution *d = named_distribution_at(density, condition);
    for (size_t i = 0; i < d->type->kind.parameter_count; i++) {
        const crd_term_parameter parameter = {d->type->kind.parameters[i].name, d->parameter[i]};
        out[i] = parameter;
    }
    return d->type->kind.parameter_count;
}

void crd_i_named_moments(const crd_i_density *density, size_t condition, double *mean, double *deviation) {
    crd_distribution_mean(named_distribution_at(density, condition), mean);
    *deviation = crd_distribution_deviation(named_distribution_at(density, condition));
}

double crd_i_named_below(const crd_i_density *density, size_t condition, double x) {
    return crd_distribution_below(named_distribution_at(density, condition), x);
}

double crd_i_named_quantile(const crd_i_density *density, size_t condition, double p) {
    double x = crd_distribution_quantile(named_distribution_at(density, condition), p);
    return x > DBL_MAX ? DBL_MAX : x < -DBL_MAX ? -DBL_MAX : x;
}

bool crd_i_named_covers(const crd_i_density *density, double x) {
    if (density->family->is_discrete && x != floor(x)) return false;
    for (size_t k = 0; k < density->conditions; k++) {
        const crd_distribution *d = named_distribution_at(density, k);
        double low, high;
        d->type->support(d, &low, &high);
        if (x >= low && x <= high) return true;
    }
    return false;
}

/* ---- Means ---- */

double crd_i_pseudo_counts_rows(const crd_settings *settings) {
    return settings->smoothing == CRD_I_SMOOTHING_M ? settings->smoothing_strength : 0;
}

static bool read_mean(crd_i_moment_cell cell, double *rows, double *mean) {
    bool defined = true;
    *mean = 0;
    *rows = crd_i_sums_value(cell.n, cell.cell);
    return *rows == 0 || crd_i_moments_mean(cell, mean, NULL, &defined);
}

bool crd_i_means_read(crd_context *context, const crd_i_tallied *attribute, const crd_settings *settings,
                      double *means) {
    size_t conditions = attribute->view.condition_count;
    double rows, overall, imaginary = crd_i_pseudo_counts_rows(settings);
    crd_i_sums whole[3];
    for (int power = 0; power < 3; power++) crd_i_sums_init(&whole[power], context);
    const crd_i_moment_cell all = {&whole[0], &whole[1], &whole[2], 0};
    bool done = crd_i_facts_gather(attribute, whole) && read_mean(all, &rows, &overall);
    for (size_t k = 0; done && k < conditions; k++) {
        size_t condition = (size_t)attribute->view.conditions[k];
        means[k] = rows = 0;
        if (condition < attribute->tally->conditions)
            done = read_mean(crd_i_moments_cell(attribute->tally, condition), &rows, &means[k]);
        double together = rows + imaginary;
        means[k] = rows == 0 ? overall : means[k] * (rows / together) + overall * (imaginary / together);
    }
    if (done) means[conditions] = overall;
    for (int power = 0; power < 3; power++) crd_i_sums_clear(&whole[power]);
    return done;
}
