/* SPDX-License-Identifier: MIT */
/* emission_prior.c - the log density of the prior that smoothing corresponds to. See emission_sums.h.
 *
 * With M or L pseudo-counts, a family's estimate is the posterior mode under a conjugate prior. The log prior
 * densities, up to constants, are
 *
 *   categorical, Bernoulli   sum_v a_v log p_v,   a_v = M / t, M times the overall share of v, or L
 *   normal, lognormal        -M / 2 (log s^2 + V / s^2),   V the variance of the whole column
 *   Poisson                  M (m0 log m - m),   m0 the overall mean
 *   exponential              -M (log m + m0 / m)
 *
 * where t is the number of values. So EM never decreases the sum of log likelihood and log prior (Dempster, Laird and
 * Rubin 1977). */
#include "sequence/train/emission_sums_internal.h"

#include "math/functions/elementary.h"

#include <math.h>

static bool is_m(const crd_settings *settings) {
    return settings->smoothing == CRD_I_SMOOTHING_M;
}

/* Returns the sum of a statistic over all classes. */
static double emission_prior_overall(const crd_i_emission_sums *layout, const double *statistic) {
    double sum = 0;
    for (size_t k = 0; k < layout->classes; k++) sum += statistic[k];
    return sum;
}

/* Returns the number of values that have a probability: those that occurred, and those that are declared. */
static size_t known_values(const crd_i_emission_sums *layout, size_t c, const double *counts) {
    const crd_i_summed_column *column = &layout->columns[c];
    const crd_i_dictionary *values = crd_i_sequences_values(layout->sequences, c);
    const crd_i_schema *schema = crd_i_sequences_schema(layout->sequences);
    const crd_i_dictionary *declared = schema->columns[crd_i_sequences_schema_column(layout->sequences, c)].values;
    size_t known = 0;
    for (size_t v = 0; v < column->facts->values; v++)
        known += emission_prior_overall(layout, counts + v * layout->stride) > 0;
    for (size_t v = 0; declared != NULL && v < crd_i_dictionary_size(declared); v++) {
        const int32_t code = crd_i_dictionary_find(values, crd_i_dictionary_text(declared, v));
        known += code < 0 || !(emission_prior_overall(layout, counts + (size_t)code * layout->stride) > 0);
    }
    return known;
}

/* Computes the Dirichlet prior of a categorical column. */
static double category_prior(const crd_i_emission_sums *layout, size_t c, const double *sums) {
    const crd_i_summed_column *column = &layout->columns[c];
    const crd_settings *settings = layout->settings;
    const double *counts = sums + (column->slot + column->has_missing) * layout->stride;
    const size_t known = known_values(layout, c, counts);
    const bool is_marginal = is_m(settings) && settings->smoothing_marginal;
    const double strength = settings->smoothing_strength;
    const double all = is_m(settings) ? strength : strength * (double)known;
    const double even = is_m(settings) ? strength / (double)known : strength;
    const double present =
        emission_prior_overall(layout, sums + (column->has_missing ? column->slot : 0) * layout->stride);
    double prior = 0;
    size_t met = 0;
    for (size_t v = 0; v < column->facts->values; v++) {
        const double *input = counts + v * layout->stride, whole = emission_prior_overall(layout, input);
        const double pseudo = is_marginal ? strength * whole / present : even;
        if (!(whole > 0)) continue;
        met++;
        for (size_t k = 0; k < layout->classes; k++)
            prior += pseudo * crd_log((input[k] + pseudo) / (crd_i_summed_weight(layout, column, sums, k) + all));
    }
    for (size_t k = 0; !is_marginal && met < known && k < layout->classes; k++)
        prior += (double)(known - met) * even * crd_log(even / (crd_i_summed_weight(layout, column, sums, k) + all));
    return prior;
}

/* Statistics of a numeric column over all classes. */
typedef struct whole_column {
    double mean, variance; /* of the standardized values z */
} whole_column;

static whole_column whole_of(const crd_i_emission_sums *layout, const crd_i_summed_column *column, const double *sums) {
    const double *first = sums + (column->slot + column->has_missing) * layout->stride;
    const double n = emission_prior_overall(layout, sums + (column->has_missing ? column->slot : 0) * layout->stride);
    whole_column whole = {0, 1};
    if (!(n > 0)) return whole;
    whole.mean = emission_prior_overall(layout, first) / n;
    if (column->form == CRD_I_SUM_NORMAL || column->form == CRD_I_SUM_LOGNORMAL)
        whole.variance = emission_prior_overall(layout, first + layout->stride) / n - whole.mean * whole.mean;
    return whole;
}

static double bernoulli_prior(const crd_i_emission_sums *layout, const crd_i_summed_column *column,
                              const double *sums) {
    const crd_settings *settings = layout->settings;
    const double strength = settings->smoothing_strength;
    const double ones = column->centre + whole_of(layout, column, sums).mean / column->factor;
    const double share = is_m(settings) && settings->smoothing_marginal ? fmin(fmax(ones, 0), 1) : 0.5;
    const double all = is_m(settings) ? strength : 2 * strength;
    double prior = 0;
    for (size_t k = 0; k < layout->classes; k++) {
        const double n = crd_i_summed_weight(layout, column, sums, k);
        const double z = n > 0 ? crd_i_summed_mean(layout, column, sums, k) : 0;
        const double p = (n * fmin(fmax(column->centre + z / column->factor, 0), 1) + all * share) / (n + all);
        if (share > 0) prior += all * share * crd_log(p);
        if (share < 1) prior += all * (1 - share) * crd_log(1 - p);
    }
    return prior;
}

/* Computes the prior of a family that only M pseudo-counts affect. */
static double number_prior(const crd_i_emission_sums *layout, const crd_i_summed_column *column, const double *sums) {
    const whole_column whole = whole_of(layout, column, sums);
    const double M = layout->settings->smoothing_strength, mean = column->centre + whole.mean / column->factor;
    double prior = 0;
    for (size_t k = 0; k < layout->classes; k++) {
        const double n = crd_i_summed_weight(layout, column, sums, k);
        const double z = n > 0 ? crd_i_summed_mean(layout, column, sums, k) : 0;
        if (column->form == CRD_I_SUM_NORMAL || column->form == CRD_I_SUM_LOGNORMAL) {
            const double own = n > 0 ? crd_i_summed_variance(layout, column, sums, k) : 0;
            const double variance = (n * own + M * whole.variance) / (n + M);
            prior -= M / 2 * (crd_log(variance) + whole.variance / variance);
            continue;
        }
        const double own = (n * (column->centre + z / column->factor) + M * mean) / (n + M);
        if (!(own > 0) || !(mean > 0)) continue;
        if (column->form == CRD_I_SUM_POISSON) prior += M * (mean * crd_log(own) - own);
        else prior -= M * (crd_log(own) + mean / own);
    }
    return prior;
}

double crd_i_emission_sums_log_prior(const crd_i_emission_sums *layout, const double *sums) {
    const crd_settings *settings = layout->settings;
    double prior = 0;
    if (settings->smoothing == CRD_I_SMOOTHING_NONE || !(settings->smoothing_strength > 0)) return 0;
    for (size_t c = 0; c < layout->column_count; c++) {
        const crd_i_summed_column *column = &layout->columns[c];
        switch (column->form) {
        case CRD_I_SUM_CATEGORY: prior += category_prior(layout, c, sums); break;
        case CRD_I_SUM_BERNOULLI: prior += bernoulli_prior(layout, column, sums); break;
        case CRD_I_SUM_NORMAL:
        case CRD_I_SUM_LOGNORMAL:
        case CRD_I_SUM_POISSON:
        case CRD_I_SUM_EXPONENTIAL:
            if (is_m(settings)) prior += number_prior(layout, column, sums);
            break;
        case CRD_I_SUM_NOTHING:
        case CRD_I_SUM_CONSTANT:
        case CRD_I_SUM_JOINT: break;
        }
    }
    return prior;
}
