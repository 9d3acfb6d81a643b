/* SPDX-License-Identifier: MIT */
/* dependence_pairs.c - conditional mutual information of pairs of attributes given the class, and a test whether it
 * exceeds chance.
 *
 * Each type of pair has a likelihood-ratio statistic G: twice the gain in log likelihood of a joint density over the
 * product of the two marginal densities. Under independence, G is approximately chi-squared with d degrees of freedom,
 * where d is the number of additional parameters of the joint density. G and d add up over the classes. With n rows in
 * a class:
 *
 *   two categorical   G-squared of the contingency table       d = (values - 1)(values - 1)
 *   two numeric       G = -(n - 5/2) log(1 - r^2)              d = 1
 *   one of each       G = -(n - (k + 3)/2) log(1 - e^2)        d = k - 1, for k categories
 *
 * r is the correlation, and e^2 is the share of the variance between categories. The factors that replace n are
 * Bartlett's corrections (1950 for two numeric attributes, 1947 for the mixed pair), which make the mean of G right for
 * few rows. The mutual information is G / (2 n); subtracting its mean under independence gives (G - d) / (2 n). */
#include "explain/dependence.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/functions/elementary.h"
#include "math/independence_tests.h"

#include <math.h>
#include <stdlib.h>

/* Smallest unexplained share of a variance: rounding to steps can leave this much where nothing is unexplained. */
static const double NOTHING_LEFT = 1e-7;
static const double NATS_OF_BIT = 0.69314718055994530942;
/* Significance level: the probability that a table without any dependence is reported to have some. */
static const double LEVEL = .01;

/* G, its degrees of freedom and the rows, added up over the classes. */
typedef struct pairs_evidence {
    double rows, statistic, degrees;
} pairs_evidence;

/* Returns the sum of squared deviations from the mean. */
static double dependence_pairs_spread(double rows, double sum, double squares) {
    return fmax(0, squares - sum * sum / rows);
}

/* Adds a statistic -factor * log(unexplained). Too few rows make the factor negative and add nothing. */
static void dependence_pairs_add_gain(pairs_evidence *evidence, double factor, double unexplained, double degrees) {
    if (!(factor > 0)) return;
    evidence->statistic -= factor * crd_log(fmax(NOTHING_LEFT, fmin(1, unexplained)));
    evidence->degrees += degrees;
}

/* Adds the evidence of one class for two numeric columns. */
static void dependence_pairs_judge_numbers(const double *sums, pairs_evidence *evidence) {
    double rows = sums[CRD_I_SUM_ROWS];
    if (!(rows > 0)) return;
    evidence->rows += rows;
    double xx = dependence_pairs_spread(rows, sums[CRD_I_SUM_X], sums[CRD_I_SUM_XX]);
    double yy = dependence_pairs_spread(rows, sums[CRD_I_SUM_Y], sums[CRD_I_SUM_YY]);
    double xy = sums[CRD_I_SUM_XY] - sums[CRD_I_SUM_X] * (sums[CRD_I_SUM_Y] / rows);
    if (xx > 0 && yy > 0) dependence_pairs_add_gain(evidence, rows - 2.5, 1 - xy / xx * (xy / yy), 1);
}

/* Adds the evidence of one class for a categorical and a numeric column. Categories with at most one row are excluded
 * from the statistic. */
static void judge_number_by_category(const double *sums, size_t values, pairs_evidence *evidence) {
    double rows = 0, sum = 0, squares = 0, within = 0, groups = 0;
    for (size_t v = 0; v < values; v++) {
        const double *input = sums + v * CRD_I_SUMS_OF_ONE;
        evidence->rows += input[CRD_I_SUM_ROWS];
        if (!(input[CRD_I_SUM_ROWS] > 1)) continue;
        rows += input[CRD_I_SUM_ROWS];
        sum += input[CRD_I_SUM_X];
        squares += input[CRD_I_SUM_XX];
        within += dependence_pairs_spread(input[CRD_I_SUM_ROWS], input[CRD_I_SUM_X], input[CRD_I_SUM_XX]);
        groups++;
    }
    if (groups < 2) return;
    double all = dependence_pairs_spread(rows, sum, squares);
    if (all > 0) dependence_pairs_add_gain(evidence, rows - (groups + 3) / 2, within / all, groups - 1);
}

/* Computes the evidence of two categorical columns from their contingency tables, one per class. */
static crd_status judge_categories(const crd_dependence *dependence, const crd_i_column_pair *pair,
                                   pairs_evidence *evidence, crd_error *error) {
    size_t values = crd_i_dictionary_size(pair->first->values), others = crd_i_dictionary_size(pair->second->values);
    double *workspace = crd_i_alloc(dependence->context, values + others, sizeof *workspace);
    crd_i_contingency tables = {.rows = 0};
    if (workspace == NULL) return crd_i_fail_memory(error);
    for (size_t k = 0; k < dependence->class_count; k++)
        crd_i_contingency_add(&tables, pair->sums + k * values * others, values, others, workspace, workspace + values);
    crd_free(dependence->context, workspace);
    evidence->rows = tables.rows;
    evidence->statistic = tables.g_squared;
    evidence->degrees = tables.degrees;
    return CRD_OK;
}

/* Returns whether the pair is significant at LEVEL / number of pairs (Bonferroni), so the probability of any false
 * report among all pairs is below LEVEL. */
static bool is_no_chance(const crd_dependence *dependence, const crd_dependent_pair *pair) {
    return pair->degrees > 0 &&
           crd_i_contingency_p(pair->statistic, pair->degrees) <= LEVEL / (double)dependence->pair_count;
}

/* Returns the expected gain in log likelihood of a joint density on new rows, in bits per row (Akaike 1974). Each
 * additional parameter gains half a nat by chance on the training rows, and loses as much on new rows. */
static double expected_gain(const crd_dependent_pair *pair) {
    return pair->rows > 0 ? (pair->statistic - 2 * pair->degrees) / (2 * pair->rows) / NATS_OF_BIT : 0;
}

/* Computes the mutual information of a pair and whether the pair matters: see crd_dependence_pairs. */
static crd_status dependence_pairs_judge(const crd_dependence *dependence, const crd_i_column_pair *pair,
                                         crd_dependent_pair *out, crd_error *error) {
    pairs_evidence evidence = {0, 0, 0};
    crd_status status = CRD_OK;
    if (pair->second->kind == CRD_KIND_CATEGORY) {
        status = judge_categories(dependence, pair, &evidence, error);
    } else if (pair->first->kind == CRD_KIND_CATEGORY) {
        size_t values = crd_i_dictionary_size(pair->first->values);
        for (size_t k = 0; k < dependence->class_count; k++)
            judge_number_by_category(pair->sums + k * values * CRD_I_SUMS_OF_ONE, values, &evidence);
    } else {
        for (size_t k = 0; k < dependence->class_count; k++)
            dependence_pairs_judge_numbers(pair->sums + k * CRD_I_SUMS_OF_TWO, &evidence);
    }
    if (status != CRD_OK) return status;
    size_t a = pair->first->attribute, b = pair->second->attribute;
    out->attributes[0] = a < b ? a : b;
    out->attributes[1] = a < b ? b : a;
    out->rows = evidence.rows;
    out->statistic = evidence.statistic;
    out->degrees = evidence.degrees;
    out->bits =
        evidence.rows > 0 ? fmax(0, (evidence.statistic - evidence.degrees) / (2 * evidence.rows) / NATS_OF_BIT) : 0;
    out->matters = is_no_chance(dependence, out) && expected_gain(out) >= CRD_DEPENDENCE_LEAST;
    return CRD_OK;
}

/* Orders pairs that matter first, then by mutual information (largest first), then by attribute. */
static int dependence_pairs_compare(const void *a, const void *b) {
    const crd_dependent_pair *x = a, *y = b;
    if (x->matters != y->matters) return y->matters - x->matters;
    if (x->bits != y->bits) return x->bits < y->bits ? 1 : -1;
    for (size_t i = 0; i < 2; i++)
        if (x->attributes[i] != y->attributes[i]) return x->attributes[i] < y->attributes[i] ? -1 : 1;
    return 0;
}

crd_status crd_dependence_pairs(const crd_dependence *dependence, crd_dependent_pair *out, size_t capacity,
                                size_t *count, crd_error *error) {
    *count = 0;
    if (capacity > 0 && !crd_i_has_size(out))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the size member of the pairs is not set");
    crd_dependent_pair *pairs = crd_i_alloc(dependence->context, dependence->pair_count, sizeof *pairs);
    if (pairs == NULL) return crd_i_fail_memory(error);
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < dependence->pair_count; i++)
        status = crd_i_context_cancelled(dependence->context)
                     ? crd_i_fail_cancelled(error)
                     : dependence_pairs_judge(dependence, &dependence->pairs[i], &pairs[i], error);
    if (status == CRD_OK) {
        if (dependence->pair_count > 0) qsort(pairs, dependence->pair_count, sizeof *pairs, dependence_pairs_compare);
        for (size_t i = 0; i < capacity && i < dependence->pair_count; i++)
            crd_i_copy_out_item(&pairs[i], sizeof *pairs, out, i);
        *count = dependence->pair_count;
    }
    crd_free(dependence->context, pairs);
    return status;
}

void crd_dependence_facts_of(const crd_dependence *dependence, crd_dependence_facts *out) {
    crd_dependence_facts facts = CRD_DEPENDENCE_FACTS_INIT;
    facts.rows = dependence->rows;
    facts.attributes = dependence->attribute_count;
    facts.columns = dependence->column_count;
    facts.pairs = dependence->pair_count;
    facts.left_out = dependence->left_out;
    crd_i_copy_out(&facts, sizeof facts, out);
}
