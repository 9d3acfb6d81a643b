/* SPDX-License-Identifier: MIT */
/* term_bernoulli.c - the Bernoulli family of texts: a text has each term of the vocabulary or not, independently.
 *
 *   p_tc = (d_tc + A) / (d_c + 2 A)
 *   log P(text | c) = sum over the terms in the text of log p_tc + sum over all other terms of log(1 - p_tc)
 *
 * d_tc is the number of texts of the class that have the term, d_c the number of its texts, and A the setting
 * term-smoothing. The sum over the absent terms is the sum over the whole vocabulary, which is computed once, minus the
 * sum over the terms in the text. */
#include "density/univariate/term_density.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/functions/elementary.h"

static size_t term_bernoulli_sum_count(const crd_i_term_density *density) {
    return density->base.conditions;
}

/* Returns log(1 - p) of a term that `documents` texts of the class have. The number may exceed the number of texts by one
 * while the terms of a removed text are being subtracted; it is then limited. */
static double log_absent(const crd_i_term_density *density, size_t condition, double documents) {
    double of_class = density->selection.documents[condition], a = density->smoothing;
    double without = of_class > documents ? of_class - documents : 0;
    return crd_i_log_ratio(without + a, of_class + 2 * a);
}

/* Computes the sum over all terms of log(1 - p_tc): first as if the class had no term, then the differences for the
 * terms that it has. */
static crd_status term_bernoulli_sum(const crd_i_term_density *density, double *out, crd_error *error) {
    crd_i_term_pass pass;
    bool more = true;
    crd_status status = CRD_OK;
    for (size_t k = 0; k < density->base.conditions; k++) out[k] = density->terms * log_absent(density, k, 0);
    crd_i_term_pass_begin(&pass, density->store, &density->selection, CRD_I_TF_COUNT);
    while (status == CRD_OK) {
        status = crd_i_term_pass_next(&pass, &more, error);
        if (status != CRD_OK || !more) break;
        for (size_t i = 0; i < pass.class_count; i++) {
            size_t k = (size_t)pass.classes[i].condition;
            out[k] += log_absent(density, k, pass.classes[i].documents) - log_absent(density, k, 0);
        }
    }
    crd_i_term_pass_end(&pass);
    return status;
}

/* Sets own[c] = log(p / (1 - p)) of a term that no text of the class has. */
static crd_status term_bernoulli_prepare(crd_i_term_density *density, crd_error *error) {
    size_t conditions = density->base.conditions;
    crd_status status = crd_i_term_density_room(density, conditions, error);
    if (status != CRD_OK) return status;
    double a = density->smoothing;
    for (size_t k = 0; k < conditions; k++)
        density->values[k] = crd_i_log_ratio(a, density->selection.documents[k] + a);
    return CRD_OK;
}

static void term_bernoulli_weigh(const crd_i_term_density *density, const crd_i_term_counts *counts,
                                 const crd_i_term_class *classes, size_t count, crd_i_term_value *values,
                                 double *constant) {
    (void)counts;
    *constant = 0;
    for (size_t i = 0; i < count; i++) {
        size_t k = (size_t)classes[i].condition;
        double factor = classes[i].documents, without = density->selection.documents[k] - factor,
               a = density->smoothing;
        values[i].condition = classes[i].condition;
        values[i].value = crd_i_log_ratio(factor + a, without + a) - density->values[k];
    }
}

static void term_bernoulli_correct(const crd_i_term_density *density, const crd_i_term_value *values, size_t count,
                                   uint32_t times, double tf, double *logs) {
    (void)density, (void)times, (void)tf;
    for (size_t i = 0; i < count; i++) logs[values[i].condition] += values[i].value;
}

static void term_bernoulli_baseline(const crd_i_term_density *density, const crd_i_document_terms *document,
                                    double *logs) {
    double distinct = (double)document->distinct;
    for (size_t k = 0; k < density->base.conditions; k++) logs[k] += distinct * density->values[k];
}

static void term_bernoulli_whole(const crd_i_term_density *density, const crd_i_document_terms *document,
                                 double *logs) {
    (void)document;
    for (size_t k = 0; k < density->base.conditions; k++) logs[k] += density->sums[k];
}

static double term_bernoulli_probability(const crd_i_term_density *density, const crd_i_term_value *value,
                                         double constant, size_t condition) {
    (void)constant;
    double odds = crd_exp(density->values[condition] + (value == NULL ? 0 : value->value));
    return odds / (1 + odds);
}

/* Adds log(1 - p) of a term to the sums of the conditions that have it, then to the sums of the other conditions. */
static void add_absent(crd_i_term_density *density, const crd_i_term_class *classes, size_t count, double sign) {
    size_t next = 0;
    for (size_t k = 0; k < density->base.conditions; k++) {
        bool has_it = next < count && classes[next].condition == (int32_t)k;
        density->sums[k] += sign * log_absent(density, k, has_it ? classes[next].documents : 0);
        next += has_it;
    }
}

static double documents_of(const crd_i_term_class *classes, size_t count, size_t condition) {
    for (size_t i = 0; i < count; i++)
        if ((size_t)classes[i].condition == condition) return classes[i].documents;
    return 0;
}

static void term_bernoulli_take_out(crd_i_term_density *density, const crd_i_term_change *change) {
    if (change->did_count != change->counts) {
        if (change->did_count) add_absent(density, change->before, change->before_count, -1);
        else add_absent(density, change->after, change->after_count, 1);
    } else if (change->counts) {
        size_t own = change->own;
        density->sums[own] += log_absent(density, own, documents_of(change->after, change->after_count, own)) -
                              log_absent(density, own, documents_of(change->before, change->before_count, own));
    }
}

static const crd_i_term_math math = {.family = &crd_i_family_term_bernoulli,
                                     .is_presence = true,
                                     .sum_count = term_bernoulli_sum_count,
                                     .auto_smoothing = 0.1,
                                     .sum = term_bernoulli_sum,
                                     .sums_texts = true,
                                     .take_out = term_bernoulli_take_out,
                                     .prepare = term_bernoulli_prepare,
                                     .weigh = term_bernoulli_weigh,
                                     .correct = term_bernoulli_correct,
                                     .baseline = term_bernoulli_baseline,
                                     .whole = term_bernoulli_whole,
                                     .probability = term_bernoulli_probability};

CRD_I_TERM_FAMILY(crd_i_family_term_bernoulli, "bernoulli",
                  "each term of the vocabulary is present in a text or absent")
