/* SPDX-License-Identifier: MIT */
/* complement.c - the complement family of texts: how little a text resembles the other classes, with normalized weights
 * (Rennie, Shih, Teevan and Karger 2003, "Tackling the poor assumptions of naive Bayes text classifiers").
 *
 *   q_tc = (n_t - n_tc + A) / (n - n_c + A V)      w_tc = -log q_tc
 *   score of c = sum over t of tf(x_t) w_tc S / S_c,     S_c = sum over all t of w_tc
 *
 * n_tc, n_c, V and A are as in multinomial.c. n_t and n are the sums over all classes, and S is the mean of S_c over the
 * classes with a text. With the setting complement-weights plain, the factor S / S_c is 1. The article divides by S_c
 * only. The factor S does not change decisions. It puts the scores on the scale of log densities, so they can be added
 * to the densities of other columns. The scores are not probabilities of a text, and as in the article they have
 * no prior. If no other column counts, the classes are assumed to be equally probable unless a prior is specified. */
#include "density/univariate/term_density.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/functions/elementary.h"

static size_t complement_sum_count(const crd_i_term_density *density) {
    return density->is_plain ? 0 : density->base.conditions;
}

static double sum_of(const double *numbers, size_t count) {
    double sum = 0;
    for (size_t k = 0; k < count; k++) sum += numbers[k];
    return sum;
}

static double complement_weight(const crd_i_term_class *classes, size_t count) {
    double all = 0;
    for (size_t i = 0; i < count; i++) all += classes[i].weight;
    return all;
}

/* Returns log((n_t + A) / (n_t - n_tc + A)), the correction of w_tc for a class that has the term. Rounding may make
 * n_t - n_tc slightly negative; it then counts as 0. */
static double complement_correction(const crd_i_term_density *density, double of_all, double of_class) {
    double others = of_all > of_class ? of_all - of_class : 0;
    return crd_i_log_ratio(of_all + density->smoothing, others + density->smoothing);
}

/* Computes S_c = V log(n - n_c + A V) - sum over t of log(n_t + A) + sum over the terms of c of their corrections. */
static crd_status complement_sum(const crd_i_term_density *density, double *out, crd_error *error) {
    crd_i_term_pass pass;
    bool more = true;
    double logs = 0;
    size_t conditions = density->base.conditions;
    crd_status status = CRD_OK;
    for (size_t k = 0; k < conditions; k++) out[k] = 0;
    crd_i_term_pass_begin(&pass, density->store, &density->selection, density->tf);
    while (status == CRD_OK) {
        status = crd_i_term_pass_next(&pass, &more, error);
        if (status != CRD_OK || !more) break;
        double of_all = complement_weight(pass.classes, pass.class_count);
        logs += crd_log(of_all + density->smoothing);
        for (size_t i = 0; i < pass.class_count; i++)
            out[pass.classes[i].condition] += complement_correction(density, of_all, pass.classes[i].weight);
    }
    crd_i_term_pass_end(&pass);
    double all = sum_of(density->totals, conditions);
    for (size_t k = 0; k < conditions; k++)
        out[k] += density->terms * crd_log(all - density->totals[k] + density->smoothing * density->terms) - logs;
    return status;
}

/* Sets own[c] = log(n - n_c + A V), followed by the factors S / S_c. If all w are 0, as for a single term, the factors
 * are 1. */
static crd_status complement_prepare(crd_i_term_density *density, crd_error *error) {
    size_t conditions = density->base.conditions;
    crd_status status = crd_i_term_density_room(density, 2 * conditions, error);
    if (status != CRD_OK) return status;
    double sum_of_sums = 0, classes = 0;
    for (size_t k = 0; k < conditions; k++) {
        if (!(density->selection.documents[k] > 0)) continue;
        sum_of_sums += density->is_plain ? 0 : density->sums[k];
        classes++;
    }
    double mean = classes > 0 ? sum_of_sums / classes : 1;
    for (size_t k = 0; k < conditions; k++) {
        bool is_one = density->is_plain || !(density->sums[k] > 0);
        density->values[conditions + k] = is_one ? 1 : mean / density->sums[k];
    }
    double all = sum_of(density->totals, conditions);
    for (size_t k = 0; k < conditions; k++)
        density->values[k] = crd_log(all - density->totals[k] + density->smoothing * density->terms);
    return CRD_OK;
}

/* Computes the correction of each class that has the term. The constant -log(n_t + A) applies to all classes. */
static void complement_weigh(const crd_i_term_density *density, const crd_i_term_counts *counts,
                             const crd_i_term_class *classes, size_t count, crd_i_term_value *values,
                             double *constant) {
    (void)counts;
    double of_all = complement_weight(classes, count);
    *constant = -crd_log(of_all + density->smoothing);
    for (size_t i = 0; i < count; i++) {
        double factor = density->values[density->base.conditions + (size_t)classes[i].condition];
        values[i].condition = classes[i].condition;
        values[i].value = factor * complement_correction(density, of_all, classes[i].weight);
    }
}

static void complement_correct(const crd_i_term_density *density, const crd_i_term_value *values, size_t count,
                               uint32_t times, double tf, double *logs) {
    (void)density, (void)times;
    for (size_t i = 0; i < count; i++) logs[values[i].condition] += tf * values[i].value;
}

static void complement_baseline(const crd_i_term_density *density, const crd_i_document_terms *document, double *logs) {
    size_t conditions = density->base.conditions;
    const double *factors = density->values + conditions;
    for (size_t k = 0; k < conditions; k++)
        logs[k] += factors[k] * (document->weight * density->values[k] + document->constant);
}

/* Adds the part that depends on the totals and the number of terms, times `sign`. It is subtracted from the sums before
 * these change, and added again afterwards. */
static void complement_add_totals(crd_i_term_density *density, double sign) {
    double all = sum_of(density->totals, density->base.conditions);
    for (size_t k = 0; !density->is_plain && k < density->base.conditions; k++)
        density->sums[k] +=
            sign * density->terms * crd_log(all - density->totals[k] + density->smoothing * density->terms);
}

static void begin_taking(crd_i_term_density *density) {
    complement_add_totals(density, -1);
}

static void end_taking(crd_i_term_density *density) {
    complement_add_totals(density, 1);
}

static void complement_take_out(crd_i_term_density *density, const crd_i_term_change *change) {
    if (density->is_plain) return;
    double before = complement_weight(change->before, change->before_count),
           after = complement_weight(change->after, change->after_count);
    double logs = (change->did_count ? crd_log(before + density->smoothing) : 0) -
                  (change->counts ? crd_log(after + density->smoothing) : 0);
    for (size_t k = 0; k < density->base.conditions; k++) density->sums[k] += logs;
    for (size_t i = 0; i < change->before_count; i++)
        density->sums[change->before[i].condition] -= complement_correction(density, before, change->before[i].weight);
    for (size_t i = 0; i < change->after_count; i++)
        density->sums[change->after[i].condition] += complement_correction(density, after, change->after[i].weight);
}

static const crd_i_term_math math = {.family = &crd_i_family_complement,
                                     .is_score = true,
                                     .counts_tf = true,
                                     .has_no_prior = true,
                                     .sum_count = complement_sum_count,
                                     .auto_smoothing = 1,
                                     .sum = complement_sum,
                                     .prepare = complement_prepare,
                                     .take_out = complement_take_out,
                                     .begin_taking = begin_taking,
                                     .end_taking = end_taking,
                                     .weigh = complement_weigh,
                                     .correct = complement_correct,
                                     .baseline = complement_baseline};

CRD_I_TERM_FAMILY(crd_i_family_complement, "complement",
                  "dissimilarity of a text to the other classes, weight-normalized")
