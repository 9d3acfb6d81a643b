/* SPDX-License-Identifier: MIT */
/* multinomial.c - the multinomial family of texts: every occurrence of a term is drawn from the terms of the class.
 *
 *   P(t | c) = (n_tc + A) / (n_c + A V)         log P(text | c) = sum over t of tf(x_t) log P(t | c)
 *
 * n_tc is the sum of tf(x) over the texts of the class, n_c its sum over all selected terms, V the number of selected
 * terms, and A the setting term-smoothing. If A is auto, P(t | c) is estimated as in section 5 of term_density.h. The
 * probability of a text is the probability of its sequence of terms, given its length. */
#include "density/univariate/term_density.h"

#include "math/functions/elementary.h"

static bool is_estimated(const crd_i_term_density *density) {
    return density->smoothing == 0;
}

static size_t multinomial_sum_count(const crd_i_term_density *density) {
    return is_estimated(density) ? crd_i_term_spread_count(density->base.conditions) : 0;
}

/* Sets own[c] to log P(t | c) of a term that the class never had, minus the term's constant: log(A / (n_c + A V)), or
 * -log(n Z_c). */
static crd_status multinomial_prepare(crd_i_term_density *density, crd_error *error) {
    size_t conditions = density->base.conditions;
    crd_status status = crd_i_term_density_room(density, conditions, error);
    if (status != CRD_OK) return status;
    double smoothing = density->smoothing, all = 0;
    for (size_t k = 0; k < conditions; k++) all += density->totals[k];
    for (size_t k = 0; k < conditions; k++) {
        double total = density->totals[k];
        if (!is_estimated(density)) {
            density->values[k] = crd_i_log_ratio(smoothing, total + smoothing * density->terms);
            continue;
        }
        /* n Z_c */
        double scaled = density->sums[2 * conditions] + (total > 0 ? density->sums[k] * (all / total) : 0);
        density->values[k] = scaled > 0 ? -crd_log(scaled) : 0;
    }
    return CRD_OK;
}

/* Computes the corrections log(theta_tc / (rho_c b(t))), and the constant log(b(t) N_t) of all classes. */
static void weigh_estimated(const crd_i_term_density *density, const crd_i_term_class *classes, size_t count,
                            crd_i_term_value *values, double *constant) {
    crd_i_term_spread spread = crd_i_term_spread_of(density, density->sums, classes, count);
    double all = 0;
    for (size_t k = 0; k < density->base.conditions; k++) all += density->totals[k];
    *constant = crd_log(spread.elsewhere * spread.weight);
    for (size_t i = 0; i < count; i++) {
        double share = density->totals[classes[i].condition] / all, elsewhere = share * spread.elsewhere;
        values[i].condition = classes[i].condition;
        values[i].value = crd_i_log_ratio(elsewhere + spread.factor * classes[i].weight, elsewhere);
    }
}

static void multinomial_weigh(const crd_i_term_density *density, const crd_i_term_counts *counts,
                              const crd_i_term_class *classes, size_t count, crd_i_term_value *values,
                              double *constant) {
    (void)counts;
    *constant = 0;
    if (is_estimated(density)) {
        weigh_estimated(density, classes, count, values, constant);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        values[i].condition = classes[i].condition;
        values[i].value = crd_i_log_ratio(classes[i].weight + density->smoothing, density->smoothing);
    }
}

static void multinomial_correct(const crd_i_term_density *density, const crd_i_term_value *values, size_t count,
                                uint32_t times, double tf, double *logs) {
    (void)density, (void)times;
    for (size_t i = 0; i < count; i++) logs[values[i].condition] += tf * values[i].value;
}

static void multinomial_baseline(const crd_i_term_density *density, const crd_i_document_terms *document,
                                 double *logs) {
    for (size_t k = 0; k < density->base.conditions; k++)
        logs[k] += document->weight * density->values[k] + document->constant;
}

static double multinomial_probability(const crd_i_term_density *density, const crd_i_term_value *value, double constant,
                                      size_t condition) {
    return crd_exp(density->values[condition] + constant + (value == NULL ? 0 : value->value));
}

/* With estimated smoothing, the shares pi and the probabilities omega of all texts are used unchanged. */
static void multinomial_take_out(crd_i_term_density *density, const crd_i_term_change *change) {
    if (!is_estimated(density)) return;
    const crd_i_term_class *const classes[2] = {change->before, change->after};
    const size_t counts[2] = {change->before_count, change->after_count};
    for (int side = 0; side < 2; side++) {
        double sign = side == 0 ? -1 : 1;
        if (counts[side] == 0) continue;
        crd_i_term_spread spread = crd_i_term_spread_of(density, density->sums, classes[side], counts[side]);
        density->sums[2 * density->base.conditions] += sign * spread.elsewhere * spread.weight;
        for (size_t i = 0; i < counts[side]; i++)
            density->sums[classes[side][i].condition] += sign * spread.factor * spread.weight * classes[side][i].weight;
    }
}

static const crd_i_term_math math = {.family = &crd_i_family_multinomial,
                                     .counts_tf = true,
                                     .sum_count = multinomial_sum_count,
                                     .sum = crd_i_term_spread_fit,
                                     .prepare = multinomial_prepare,
                                     .take_out = multinomial_take_out,
                                     .weigh = multinomial_weigh,
                                     .correct = multinomial_correct,
                                     .baseline = multinomial_baseline,
                                     .probability = multinomial_probability};

CRD_I_TERM_FAMILY(crd_i_family_multinomial, "multinomial",
                  "terms of a text drawn independently, with probabilities for each class")
