/* SPDX-License-Identifier: MIT */
/* class_mixture.c - creation, M step and distances of a class mixture. See class_mixture.h for the formulas. */
#include "em/class_mixture_internal.h"

#include "base/error.h"
#include "base/memory.h"
#include "density/univariate/family.h"
#include "model/column_family.h"

#include <math.h>

enum { OF_NUMBER = 4 };

/* Limit of the length of the statistics array. Larger problems are rejected even if enough memory is free. */
static const size_t MOST_STATISTICS = (size_t)1 << 26;

/* Lower bound of a class variance as a fraction of the column's variance, in case no pseudo-counts bound it. */
static const double LEAST_VARIANCE = 1e-6;

static const double HALF_LOG_TWO_PI = 0x1.d67f1c864beb5p-1; /* log(2 pi) / 2 */
static const double SQRT_HALF = 0x1.6a09e667f3bcdp-1;

/* ---- Creation ---- */

/* Finds the standardization of a numeric column: its weighted mean and standard deviation. Returns false if the column
 * has no spread and so cannot separate classes. */
static bool class_mixture_find_scale(const crd_i_case_table *table, crd_i_mixture_column *column) {
    const double *x = table->columns[column->of].numbers;
    double most = 0, total = 0, mean = 0, squares = 0;
    int exponent = 0;
    for (size_t i = 0; i < table->rows; i++)
        if (fabs(x[i]) > most) most = fabs(x[i]);
    frexp(most, &exponent);
    /* Values are scaled into [-1/2, 1/2], so their differences are at most 1. The unit is a power of two, so scaling is
     * exact. */
    column->unit = ldexp(1, exponent > -1022 ? -exponent - 1 : 1021);
    for (size_t i = 0; i < table->rows; i++) {
        if (x[i] != x[i]) continue;
        const double weight = crd_i_case_weight(table, i), start = x[i] * column->unit - mean;
        total += weight;
        mean += start * (weight / total);
        squares += weight * start * (x[i] * column->unit - mean);
    }
    const double deviation = total > 0 ? sqrt(squares / total) : 0;
    column->centre = mean;
    if (!(deviation > 1e-12 * fabs(mean)) || !(deviation > 0x1p-500)) return false;
    column->factor = 1 / deviation;
    column->log_factor = crd_log(column->factor) + crd_log(column->unit);
    return true;
}

/* Computes the probability that two random rows differ in a categorical column: 1 - sum_v p_v^2. `shares` is scratch
 * space for the counts of the values. */
static void class_mixture_find_difference(const crd_i_case_table *table, crd_i_mixture_column *column, double *shares) {
    const crd_i_case_column *case_column = &table->columns[column->of];
    double total = 0, alike = 0;
    for (size_t v = 0; v < column->states; v++) shares[v] = 0;
    for (size_t i = 0; i < table->rows; i++) {
        const uint32_t code = crd_i_case_code(case_column, i);
        if (code == CRD_I_CASE_MISSING32) continue;
        shares[code] += crd_i_case_weight(table, i);
        total += crd_i_case_weight(table, i);
    }
    for (size_t v = 0; v < column->states; v++) alike += shares[v] / total * (shares[v] / total);
    column->differ = total > 0 ? 1 - alike : 0;
}

/* Selects the columns that can separate classes, and lays out their statistics and parameters. */
static crd_status describe_columns(crd_i_class_mixture *mixture, const crd_i_case_table *like, const bool *is_left_out,
                                   crd_error *error) {
    const size_t classes = mixture->classes;
    size_t most = 0;
    for (size_t c = 0; c < like->column_count; c++)
        if (like->columns[c].state_count > most) most = like->columns[c].state_count;
    double *shares = crd_i_alloc(mixture->context, most, sizeof *shares);
    if (shares == NULL) return crd_i_fail_memory(error);
    crd_status status = CRD_OK;
    mixture->statistics = mixture->parameters = classes;
    for (size_t c = 0; status == CRD_OK && c < like->column_count; c++) {
        const crd_i_case_column *column = &like->columns[c];
        crd_i_mixture_column mixture_column = {.of = c,
                                               .is_number = column->kind == CRD_KIND_NUMBER,
                                               .states = column->state_count,
                                               .statistics = mixture->statistics,
                                               .parameters = mixture->parameters};
        if (crd_i_context_cancelled(mixture->context)) status = crd_i_fail_cancelled(error);
        if (is_left_out != NULL && is_left_out[c]) continue;
        if (mixture_column.is_number ? !class_mixture_find_scale(like, &mixture_column) : mixture_column.states < 2)
            continue;
        if (!mixture_column.is_number) class_mixture_find_difference(like, &mixture_column, shares);
        if (mixture_column.states >= MOST_STATISTICS / classes - mixture->statistics / classes) {
            char quoted[CRD_I_QUOTED_ROOM];
            status = crd_i_fail(error, CRD_ERROR_LIMIT, "column '%s' has too many values, %zu, for %zu classes",
                                crd_i_quote(column->name, quoted), mixture_column.states, classes);
            crd_i_error_subject(error, column->name);
        }
        mixture->statistics += (mixture_column.is_number ? 3 : mixture_column.states) * classes;
        mixture->parameters += (mixture_column.is_number ? OF_NUMBER : mixture_column.states + 1) * classes;
        mixture->columns[mixture->column_count++] = mixture_column;
    }
    mixture->parameters++;
    crd_free(mixture->context, shares);
    return status;
}

/* Rejects settings that the M step does not implement: pooled variances, and families other than gaussian. */
static crd_status check_densities(const crd_i_case_table *table, const bool *is_left_out, const crd_settings *settings,
                                  crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    if (settings->share_classes || settings->share_attributes) {
        crd_i_fail(
            error, CRD_ERROR_SETTING,
            "EM over hidden classes estimates a variance for each class and column: share-variance must be none");
        crd_i_error_subject(error, crd_text_of("share-variance"));
        return CRD_ERROR_SETTING;
    }
    for (size_t c = 0; c < table->column_count; c++) {
        const crd_i_case_column *column = &table->columns[c];
        if (column->kind != CRD_KIND_NUMBER || (is_left_out != NULL && is_left_out[c])) continue;
        const crd_i_family *family = crd_i_column_family_family(settings, column->name, CRD_KIND_NUMBER);
        if (family == &crd_i_family_gaussian) continue;
        crd_i_fail(error, CRD_ERROR_SETTING,
                   "EM over hidden classes needs normal densities for number columns (family gaussian), but '%s' has "
                   "the family %s",
                   crd_i_quote(column->name, quoted), family->name);
        crd_i_error_subject(error, crd_text_of("family"));
        return CRD_ERROR_SETTING;
    }
    return CRD_OK;
}

crd_status crd_i_class_mixture_create(const crd_i_case_table *like, const bool *is_left_out, size_t classes,
                                      const crd_settings *settings, crd_i_class_mixture **out, crd_error *error) {
    crd_context *context = like->context;
    *out = NULL;
    crd_status status = check_densities(like, is_left_out, settings, error);
    if (status != CRD_OK) return status;
    crd_i_class_mixture *mixture = crd_i_alloc_zeroed(context, 1, sizeof *mixture);
    if (mixture == NULL) return crd_i_fail_memory(error);
    mixture->context = context;
    mixture->lanes = crd_i_simd_columns_best();
    mixture->classes = classes;
    mixture->smoothing = settings->smoothing_bdeu > 0 ? CRD_I_SMOOTHING_M : settings->smoothing;
    mixture->strength =
        settings->smoothing_bdeu > 0 ? settings->smoothing_bdeu / (double)classes : settings->smoothing_strength;
    mixture->is_marginal = settings->smoothing_marginal;
    mixture->min_deviation = settings->min_deviation;
    mixture->columns = crd_i_alloc_zeroed(context, like->column_count, sizeof *mixture->columns);
    status = mixture->columns == NULL ? crd_i_fail_memory(error) : describe_columns(mixture, like, is_left_out, error);
    if (status == CRD_OK) {
        mixture->state = crd_i_alloc_zeroed(context, mixture->parameters, sizeof *mixture->state);
        if (mixture->state == NULL) status = crd_i_fail_memory(error);
    }
    if (status == CRD_OK) *out = mixture;
    else crd_i_class_mixture_destroy(mixture);
    return status;
}

void crd_i_class_mixture_destroy(crd_i_class_mixture *mixture) {
    if (mixture == NULL) return;
    crd_free(mixture->context, mixture->columns);
    crd_free(mixture->context, mixture->state);
    crd_free(mixture->context, mixture);
}

size_t crd_i_class_mixture_statistics(const crd_i_class_mixture *mixture) {
    return mixture->statistics;
}

size_t crd_i_class_mixture_parameters(const crd_i_class_mixture *mixture) {
    return mixture->parameters;
}

double *crd_i_class_mixture_state(crd_i_class_mixture *mixture) {
    return mixture->state;
}

/* ---- The M step ---- */

/* Estimates P(v | k) of a categorical column from counts[value][class]. Returns the log prior density of the
 * estimates. */
static double estimate_category(crd_i_class_mixture *mixture, const crd_i_mixture_column *column,
                                const double *counts) {
    const size_t classes = mixture->classes, states = column->states;
    double *logs = mixture->state + column->parameters, total = 0, live = 0, prior = 0;
    /* Until the end of this function, the entries for missing values hold the sums of the classes. */
    for (size_t k = 0; k < classes; k++) logs[k * (states + 1) + states] = 0;
    for (size_t v = 0; v < states; v++) {
        double whole = 0;
        for (size_t k = 0; k < classes; k++) {
            logs[k * (states + 1) + states] += counts[v * classes + k];
            whole += counts[v * classes + k];
        }
        total += whole;
        live += whole > 0;
    }
    const double pseudo_sum = mixture->smoothing == CRD_I_SMOOTHING_M         ? mixture->strength
                              : mixture->smoothing == CRD_I_SMOOTHING_LAPLACE ? mixture->strength * live
                                                                              : 0;
    for (size_t v = 0; v < states; v++) {
        double whole = 0;
        for (size_t k = 0; k < classes; k++) whole += counts[v * classes + k];
        const double pseudo = pseudo_sum * (mixture->is_marginal ? whole / total : 1 / live);
        for (size_t k = 0; k < classes; k++) {
            double *input = logs + k * (states + 1), sum = input[states];
            /* A value without rows has factor 1, as in classifiers. A class without rows gets the overall
             * distribution. */
            if (!(whole > 0)) input[v] = 0;
            else if (sum + pseudo_sum > 0) input[v] = crd_log((counts[v * classes + k] + pseudo) / (sum + pseudo_sum));
            else input[v] = crd_log(whole / total);
            if (pseudo > 0 && whole > 0) prior += pseudo * input[v];
        }
    }
    for (size_t k = 0; k < classes; k++) logs[k * (states + 1) + states] = 0;
    return prior;
}

/* Estimates the mean and variance of each class in a numeric column, and stores them as parabolas. Returns the log
 * prior density of the estimates. */
static double estimate_number(crd_i_class_mixture *mixture, const crd_i_mixture_column *column, const double *sums) {
    const size_t classes = mixture->classes;
    double *centres = mixture->state + column->parameters, *slopes = centres + 2 * classes, *tops = slopes + classes;
    double n = 0, s = 0, q = 0, prior = 0;
    for (size_t k = 0; k < classes; k++) {
        n += sums[k];
        s += sums[classes + k];
        q += sums[2 * classes + k];
    }
    const double mean = n > 0 ? s / n : 0, whole = n > 0 ? fmax(q / n - mean * mean, 0) : 0;
    const double pseudo = mixture->smoothing == CRD_I_SMOOTHING_M ? mixture->strength : 0;
    const double least = fmin(mixture->min_deviation * column->unit * column->factor, 0x1p500);
    for (size_t k = 0; k < classes; k++) {
        double centre = mean, variance = whole;
        if (sums[k] > 0) {
            centre = sums[classes + k] / sums[k];
            variance = fmax(sums[2 * classes + k] / sums[k] - centre * centre, 0);
            variance = (sums[k] * variance + pseudo * whole) / (sums[k] + pseudo);
        }
        variance = fmax(variance, fmax(least * least, LEAST_VARIANCE * whole));
        if (whole == 0) {
            /* These rows have no spread, so the column cannot separate the classes: its factor is 1. */
            centres[k] = slopes[k] = tops[k] = 0;
            continue;
        }
        centres[k] = centre;
        slopes[k] = SQRT_HALF / sqrt(variance);
        tops[k] = -HALF_LOG_TWO_PI - crd_log(variance) / 2;
        prior -= pseudo / 2 * (crd_log(variance) + whole / variance);
    }
    return prior;
}

void crd_i_class_mixture_maximise(crd_i_class_mixture *mixture, const double *statistics) {
    double total = 0, prior = 0;
    for (size_t k = 0; k < mixture->classes; k++) total += statistics[k];
    for (size_t k = 0; k < mixture->classes; k++)
        mixture->state[k] = statistics[k] > 0 ? crd_log(statistics[k] / total) : -INFINITY;
    for (size_t c = 0; c < mixture->column_count; c++) {
        const crd_i_mixture_column *column = &mixture->columns[c];
        const double *source = statistics + column->statistics;
        prior +=
            column->is_number ? estimate_number(mixture, column, source) : estimate_category(mixture, column, source);
    }
    mixture->state[mixture->parameters - 1] = prior;
}

double crd_i_class_mixture_complete(const crd_i_class_mixture *mixture, const double *statistics) {
    const size_t classes = mixture->classes;
    double sum = 0;
    for (size_t k = 0; k < classes; k++)
        if (statistics[k] > 0) sum += statistics[k] * mixture->state[k];
    for (size_t c = 0; c < mixture->column_count; c++) {
        const crd_i_mixture_column *column = &mixture->columns[c];
        const double *source = mixture->state + column->parameters, *input = statistics + column->statistics;
        for (size_t k = 0; column->is_number && k < classes; k++) {
            const double centre = source[k], slope = source[2 * classes + k], n = input[k];
            const double squares = input[2 * classes + k] - 2 * centre * input[classes + k] + n * centre * centre;
            sum += n * (source[3 * classes + k] + column->log_factor) - slope * slope * squares;
        }
        for (size_t v = 0; !column->is_number && v < column->states; v++)
            for (size_t k = 0; k < classes; k++)
                if (input[v * classes + k] > 0) sum += input[v * classes + k] * source[k * (column->states + 1) + v];
    }
    return sum;
}

double crd_i_class_mixture_free(const crd_i_class_mixture *mixture, const double *statistics) {
    double count = (double)mixture->classes - 1;
    for (size_t c = 0; c < mixture->column_count; c++) {
        const crd_i_mixture_column *column = &mixture->columns[c];
        double live = 0;
        for (size_t v = 0; !column->is_number && v < column->states; v++) {
            double whole = 0;
            for (size_t k = 0; k < mixture->classes; k++)
                whole += statistics[column->statistics + v * mixture->classes + k];
            live += whole > 0;
        }
        count += (double)mixture->classes * (column->is_number ? 2 : fmax(live - 1, 0));
    }
    return count;
}

double crd_i_class_mixture_distance(const crd_i_class_mixture *mixture, const crd_i_case_table *table, size_t a,
                                    size_t b) {
    double sum = 0;
    for (size_t c = 0; c < mixture->column_count; c++) {
        const crd_i_mixture_column *column = &mixture->columns[c];
        const crd_i_case_column *case_column = &table->columns[column->of];
        if (column->is_number) {
            const double z =
                (case_column->numbers[a] * column->unit - case_column->numbers[b] * column->unit) * column->factor;
            sum += z == z ? z * z : 2;
            continue;
        }
        const uint32_t first = crd_i_case_code(case_column, a), second = crd_i_case_code(case_column, b);
        if (first == CRD_I_CASE_MISSING32 || second == CRD_I_CASE_MISSING32) sum += 2;
        else if (first != second && column->differ > 0) sum += 2 / column->differ;
    }
    return sum;
}
