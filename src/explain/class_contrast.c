/* SPDX-License-Identifier: MIT */
/* class_contrast.c - how an attribute differs between a class and all other classes: see credence/explain.h.
 *
 * The measure is the Kullback-Leibler divergence (Kullback and Leibler 1951) of the class from the rest, in nats:
 *
 *   numbers      KL = log(s / s_k) + (s_k^2 + (m_k - m)^2) / (2 s^2) - 1/2, for normal densities
 *   categories   KL = sum over v of p_v log(p_v / q_v),   p_v = (n_v + 1 / t) / (n + 1) for t values
 *
 * m_k and s_k are the mean and standard deviation of the class, m and s of the rest. p_v and q_v are the
 * smoothed relative frequencies of value v in the class and in the rest: n_v of the n rows there have the value.
 *
 * Contents:
 *   1. Class contrasts
 *   2. Weights of evidence */
#include "base/error.h"
#include "base/struct_size.h"
#include "math/functions/elementary.h"

#include <credence/explain.h>
#include <float.h>
#include <math.h>

/* ======== 1. Class contrasts ======== */

/* Smallest variance of the class or of the rest, as a share of the variance of the whole column. */
static const double LEAST_VARIANCE = 1e-6;

/* Pooled moments of several groups of rows. The variance divides by `rows`, not by rows - 1. */
typedef struct contrast_spread {
    double rows, mean, variance;
} contrast_spread;

/* Adds another group of rows to the pooled mean and variance (Chan, Golub and LeVeque 1983). A group without rows
 * changes nothing. */
static void class_contrast_add(contrast_spread *spread, const crd_moments *more) {
    if (!(more->rows > 0)) return;
    const double rows = spread->rows + more->rows, share = more->rows / rows, apart = more->mean - spread->mean;
    spread->variance += (more->variance - spread->variance) * share + apart * apart * share * (1 - share);
    spread->mean += apart * share;
    spread->rows = rows;
}

/* Computes the contrast of a numeric attribute between class k and the rest. The means are NaN without rows.
 * The divergence stays 0 if the class or the rest has no rows, or if the whole column has no finite positive
 * variance. */
static void contrast_numbers(const crd_summary *summary, size_t attribute, size_t k, crd_class_contrast *out) {
    contrast_spread spread = {0}, others = {0}, all = {0};
    for (size_t c = 0; c < summary->class_count; c++) {
        const crd_moments moments = crd_summary_moments(summary, attribute, c);
        class_contrast_add(c == k ? &spread : &others, &moments);
        class_contrast_add(&all, &moments);
    }
    out->mean = spread.rows > 0 ? spread.mean : (double)NAN;
    out->others_mean = others.rows > 0 ? others.mean : (double)NAN;
    out->standardized_difference = (out->mean - out->others_mean) / sqrt(all.variance);
    if (!(spread.rows > 0) || !(others.rows > 0) || !(all.variance > 0) || !isfinite(all.variance)) {
        out->standardized_difference = (double)NAN;
        return;
    }
    const double least = LEAST_VARIANCE * all.variance, apart = spread.mean - others.mean;
    const double of_class = fmax(spread.variance, least), of_rest = fmax(others.variance, least);
    out->divergence = (crd_log(of_rest / of_class) + (of_class + apart * apart) / of_rest - 1) / 2;
}

/* Computes the contrast of a categorical attribute between class k and the rest. `value` becomes the value with the
 * largest term in the divergence; its frequencies are not smoothed. Changes nothing if the class or the rest has no
 * cells. */
static void contrast_categories(const crd_summary *summary, size_t attribute, size_t k, crd_class_contrast *out) {
    const size_t values = summary->attributes[attribute].value_count;
    double own = crd_summary_present(summary, attribute, k), all = 0, most = -INFINITY;
    for (size_t c = 0; c < summary->class_count; c++) all += crd_summary_present(summary, attribute, c);
    const double others = fmax(all - own, 0);
    if (!(own > 0) || !(others > 0)) return;
    for (size_t v = 0; v < values; v++) {
        const double count = crd_summary_count(summary, attribute, v, k);
        const double remainder = fmax(crd_summary_value_rows(summary, attribute, v) - count, 0);
        const double p = (count + 1 / (double)values) / (own + 1), q = (remainder + 1 / (double)values) / (others + 1);
        const double part = p * crd_log(p / q);
        out->divergence += part;
        if (!(part > most)) continue;
        most = part;
        out->value = v;
        out->frequency = count / own;
        out->others_frequency = remainder / others;
    }
}

crd_status crd_summary_contrast(const crd_summary *summary, size_t attribute, size_t class_index,
                                crd_class_contrast *out, crd_error *error) {
    crd_class_contrast contrast = CRD_CLASS_CONTRAST_INIT;
    if (attribute >= summary->attribute_count || class_index >= summary->class_count)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "unknown attribute or class");
    contrast.mean = contrast.others_mean = contrast.standardized_difference = (double)NAN;
    contrast.frequency = contrast.others_frequency = (double)NAN;
    contrast.value = SIZE_MAX;
    switch (summary->attributes[attribute].type) {
    case CRD_TYPE_NUMERIC: contrast_numbers(summary, attribute, class_index, &contrast); break;
    case CRD_TYPE_CATEGORICAL: contrast_categories(summary, attribute, class_index, &contrast); break;
    case CRD_TYPE_TEXT:
    case CRD_TYPE_NONE: break;
    }
    crd_i_copy_out(&contrast, sizeof contrast, out);
    return CRD_OK;
}

/* ======== 2. Weights of evidence ========
 *
 * The weight of evidence is log P(x | a) - log P(x | b) (Good 1950). Differences that are only rounding errors become
 * 0. */

/* Each logarithm has an error of a few units in the last place: relative to the logarithm, or to 1 if the quotient
 * inside it was rounded. */
double crd_weight_settle(double difference, double scale) {
    static const double UNITS = 8;
    if (!isfinite(difference)) return difference;
    return fabs(difference) <= UNITS * DBL_EPSILON * scale ? 0 : difference;
}

double crd_weight_of_evidence(double log_a, double log_b) {
    return crd_weight_settle(log_a - log_b, fmax(1, fmax(fabs(log_a), fabs(log_b))));
}
