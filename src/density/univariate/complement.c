/* SPDX-License-Identifier: MIT */
/* complement.c - the family complement of texts: how little a text is like the other classes, weight-normalised (Rennie,
 * Shih, Teevan and Karger 2003, "Tackling the poor assumptions of naive Bayes text classifiers").
 *
 *   q_tc = (n_t - n_tc + A) / (n - n_c + A V)      w_tc = -log q_tc
 *   score of c = sum over t of tf(x_t) w_tc S / S_c,     S_c = sum over all t of w_tc,  S the mean of S_c over classes with a text
 *
 * n_tc, n_c, V and A are as in multinomial.c, n_t and n the sums over all classes. With complement-weights plain the
 * factor S / S_c is 1. Division by S_c alone, as in the article, decides likewise; times S the scores are on the scale
 * of log densities, beside those of other columns. They are no probabilities of a text, and as in the article there is no
 * prior: where no other column counts, classes are taken for equally probable unless the settings state a prior. */
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

/* log((n_t + A) / (n_t - n_tc + A)): what the classes that have a term add to w_tc. Rounding may leave a little less than
 * none of the others. */
static double complement_correction(const crd_i_term_density *density, double of_all, double of_class) {
    double others = of_all > of_class ? of_all - of_class : 0;
    return crd_i_log_ratio(of_all + density->smoothing, others + density->smoothing);
}

/* S_c = V log(n - n_c + A V) - sum over t of log(n_t + A) + sum over the terms of c of their corrections */
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

/* own[c] = log(n - n_c + A V), then the factors S / S_c. Where all w are 0, as those of a single term are, they are 1. */
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

/* Of each class that has the term the correction; -log(n_t + A), which all have, is the constant. */
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

/* Sums without the part that totals and the number of terms make, while these change. */
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
