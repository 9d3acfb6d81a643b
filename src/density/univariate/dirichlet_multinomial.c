/* SPDX-License-Identifier: MIT */
/* dirichlet_multinomial.c - the family words-dirichlet of texts: a Dirichlet compound multinomial (Polya) distribution.
 * Under it, a word that occurs in a text is likely to occur again.
 *
 *   log P(text | c) = log Gamma(s_c) - log Gamma(s_c + n) + sum over t of log Gamma(a_tc + x_t) - log Gamma(a_tc)
 *
 * n is the length of the text, s_c the sum of a_tc over all terms. The parameters maximize the likelihood (Minka 2000,
 * "Estimating a Dirichlet distribution") of the texts of the class and of A single-term texts for each term, where A is
 * the setting term-smoothing. The single-term texts do not affect repetition, and they keep all parameters positive. At
 * the maximum, the derivatives are zero:
 *
 *   sum over k >= 1 of d_k(t, c) / (a_tc + k - 1) + A / a_tc = D_c
 *   D_c = sum over texts of sum over j < n of 1 / (s_c + j) + A V / s_c,
 *
 * where d_k is the number of texts in which t occurs at least k times. So a_tc follows from D_c and the counts of the
 * term, and is computed when a reader first meets the term. Only one number per class is fitted, s_c. For this fit,
 * terms with the same counts are grouped. If texts do not repeat words more than by chance, or have one word each, the
 * likelihood has no maximum at a finite s_c. Then s_c is MOST_PRECISION, and the density is practically multinomial. If
 * only some terms are selected, the lengths of texts are reduced in proportion. */
#include "density/univariate/term_density.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/functions/elementary.h"
#include "math/functions/special.h"

#include <math.h>
#include <string.h>

#define LEAST_PRECISION 1e-6
#define MOST_PRECISION 1e7

/* ---- Sums of reciprocals and of logarithms ---- */

/* Adds the sums of 1 / (a + j) and of 1 / (a + j)^2 over j from `start` to `upper` - 1, times e. Adds few or small
 * terms one by one, and uses the asymptotic series of psi and psi' for the others. */
static void add_reciprocals(double a, double start, double upper, double e, double *first, double *second) {
    enum { FEW = 24 };
    double begin = a + start, end = a + upper;
    if (upper - start > FEW) {
        double x = begin < FEW ? begin + ceil(FEW - begin) : begin;
        double u = 1 / x, v = 1 / end, ratio = (end - x) / x, grown = 1 + ratio;
        /* log(1 + ratio), accurate for small ratios */
        double logarithm = grown == 1 ? ratio : crd_log(grown) * (ratio / (grown - 1));
        *first += e * (logarithm + (u - v) / 2 + (u * u - v * v) / 12 - (u * u * u * u - v * v * v * v) / 120);
        *second += e * (u - v + (u * u - v * v) / 2 + (u * u * u - v * v * v) / 6);
        end = x;
    }
    for (; begin < end - 0.5; begin++) {
        *first += e / begin;
        *second += e / (begin * begin);
    }
}

/* Returns log Gamma(a + n) - log Gamma(a). */
static double dirichlet_log_rising(double a, double n) {
    enum { FEW = 24 };
    if (n > FEW) return crd_i_log_gamma(a + n) - crd_i_log_gamma(a);
    double sum = 0;
    for (double j = 0; j < n; j++) sum += crd_log(a + j);
    return sum;
}

/* ---- Parameters of terms ---- */

/* Computes a_tc from the counts of a term in one class, sorted by ascending times. The left side minus D is convex and
 * decreasing, so Newton's steps ascend from any point below the root. (d_1 + A) / D is such a point. */
static double parameter_of(const crd_i_term_count *counts, size_t count, double smoothing, double d) {
    enum { MOST_STEPS = 100 };
    double texts = 0;
    for (size_t i = 0; i < count; i++) texts += counts[i].documents;
    double a = (texts + smoothing) / d;
    if (count == 0 || counts[count - 1].times <= 1) return a;
    for (int step = 0; step < MOST_STEPS; step++) {
        double first = smoothing / a, second = smoothing / (a * a), left = texts, start = 0;
        for (size_t i = 0; i < count; i++) {
            add_reciprocals(a, start, counts[i].times, left, &first, &second);
            left -= counts[i].documents;
            start = counts[i].times;
        }
        double change = (first - d) / second;
        a += change > 0 ? change : 0;
        if (!(change > 1e-14 * a)) break;
    }
    return a;
}

/* ---- The precision of each class ---- */

/* Terms of a class with the same counts. */
typedef struct multinomial_shape {
    size_t condition, first, count; /* the position of its counts */
    double terms;
} multinomial_shape;

typedef struct multinomial_shapes {
    crd_context *context;
    crd_i_dictionary *keys; /* the bytes of condition and counts */
    crd_i_buffer key;
    multinomial_shape *each;
    size_t capacity;
    crd_i_term_count *counts;
    size_t used, space;
    size_t *order, *ends; /* the shapes by condition, and the end of each condition */
    double *present;      /* number of terms of each condition */
} multinomial_shapes;

static void dirichlet_clear(multinomial_shapes *all) {
    crd_i_dictionary_destroy(all->keys);
    crd_i_buffer_clear(&all->key);
    crd_free(all->context, all->each);
    crd_free(all->context, all->counts);
    crd_free(all->context, all->order);
    crd_free(all->context, all->ends);
    crd_free(all->context, all->present);
}

/* The counts of one term under one condition. */
static bool add_shape(multinomial_shapes *all, const crd_i_term_count *counts, size_t count) {
    all->key.length = 0;
    bool done = crd_i_buffer_append(&all->key, &counts->condition, sizeof counts->condition);
    for (size_t i = 0; done && i < count; i++)
        done = crd_i_buffer_append(&all->key, &counts[i].times, sizeof counts->times) &&
               crd_i_buffer_append(&all->key, &counts[i].documents, sizeof counts->documents);
    size_t size = crd_i_dictionary_size(all->keys);
    const crd_text key = {(const char *)all->key.bytes, all->key.length};
    int32_t code = done ? crd_i_dictionary_add(all->keys, key) : -1;
    if (code < 0) return false;
    if ((size_t)code == size) {
        if (!crd_i_reserve(all->context, &all->each, &all->capacity, size + 1, sizeof *all->each) ||
            !crd_i_reserve(all->context, &all->counts, &all->space, all->used + count, sizeof *all->counts))
            return false;
        all->each[size] = (multinomial_shape){(size_t)counts->condition, all->used, count, 0};
        memcpy(all->counts + all->used, counts, count * sizeof *counts);
        all->used += count;
    }
    all->each[code].terms++;
    all->present[counts->condition]++;
    return true;
}

static crd_status dirichlet_gather(const crd_i_term_density *density, multinomial_shapes *all, crd_error *error) {
    crd_i_term_pass pass;
    bool more = true;
    crd_status status = CRD_OK;
    crd_i_term_pass_begin(&pass, density->store, &density->selection, CRD_I_TF_COUNT);
    while (status == CRD_OK) {
        status = crd_i_term_pass_next(&pass, &more, error);
        if (status != CRD_OK || !more) break;
        const crd_i_term_counts *counts = &pass.counts;
        for (size_t i = 0, end; status == CRD_OK && i < counts->count; i = end) {
            for (end = i + 1; end < counts->count && counts->entries[end].condition == counts->entries[i].condition;)
                end++;
            if (!add_shape(all, counts->entries + i, end - i)) status = crd_i_fail_memory(error);
        }
    }
    crd_i_term_pass_end(&pass);
    return status;
}

/* Sorts by condition. Within a condition, the order of insertion stays. */
static bool dirichlet_sort(multinomial_shapes *all, size_t conditions) {
    size_t count = crd_i_dictionary_size(all->keys);
    all->order = crd_i_alloc(all->context, count, sizeof *all->order);
    all->ends = crd_i_alloc_zeroed(all->context, conditions + 1, sizeof *all->ends);
    if (all->order == NULL || all->ends == NULL) return false;
    for (size_t i = 0; i < count; i++) all->ends[all->each[i].condition + 1]++;
    for (size_t k = 0; k < conditions; k++) all->ends[k + 1] += all->ends[k];
    for (size_t i = 0; i < count; i++) all->order[all->ends[all->each[i].condition]++] = i;
    return true;
}

/* Returns the length of a text if the fraction `scale` of its terms counts. */
static double scaled_length(const crd_i_term_count *length, double scale) {
    return floor(length->times * scale + 0.5);
}

/* Computes D_c at a precision from the lengths of the texts of the class, multiplied by `scale`. */
static double dirichlet_slope(const crd_i_term_density *density, const crd_i_term_count *lengths, size_t count,
                              double scale, double precision) {
    double first = density->smoothing * density->terms / precision, second = 0;
    for (size_t i = 0; i < count; i++)
        add_reciprocals(precision, 0, scaled_length(&lengths[i], scale), lengths[i].documents, &first, &second);
    return first;
}

/* Finds the text lengths of one class. Returns the fraction of its term occurrences that are selected. */
static double dirichlet_lengths(const crd_i_term_density *density, const crd_i_term_counts *lengths, size_t condition,
                                const crd_i_term_count **begin, size_t *count) {
    size_t low = 0, high = lengths->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if ((size_t)lengths->entries[middle].condition < condition) low = middle + 1;
        else high = middle;
    }
    *begin = lengths->entries + low;
    *count = 0;
    while (low + *count < lengths->count && (size_t)lengths->entries[low + *count].condition == condition) ++*count;
    double all = crd_i_term_store_occurrences(density->store, condition);
    return all > 0 ? density->totals[condition] / all : 1;
}

/* Returns log(sum of a_tc / s_c) at a precision. It is 0 at the maximum of the likelihood. */
static double dirichlet_excess(const crd_i_term_density *density, const multinomial_shapes *all, size_t condition,
                               const crd_i_term_counts *lengths, double precision) {
    const crd_i_term_count *begin;
    size_t count;
    double scale = dirichlet_lengths(density, lengths, condition, &begin, &count);
    double d = dirichlet_slope(density, begin, count, scale, precision), a = density->smoothing;
    double sum = (density->terms - all->present[condition]) * (a / d);
    for (size_t i = condition == 0 ? 0 : all->ends[condition - 1]; i < all->ends[condition]; i++) {
        const multinomial_shape *shape = &all->each[all->order[i]];
        sum += shape->terms * parameter_of(all->counts + shape->first, shape->count, a, d);
    }
    return crd_log(sum / precision);
}

/* Returns whether any text of the class has a second word. Otherwise the likelihood is the same at every precision. */
static bool has_second_word(const crd_i_term_density *density, const crd_i_term_counts *lengths, size_t condition) {
    const crd_i_term_count *begin;
    size_t count;
    double scale = dirichlet_lengths(density, lengths, condition, &begin, &count);
    bool is_found = false;
    for (size_t i = 0; i < count; i++) is_found |= scaled_length(&begin[i], scale) > 1;
    return is_found;
}

/* Finds the smallest precision at which the excess falls to 0, by doubling and then by the secant method. */
static double find_precision(const crd_i_term_density *density, const multinomial_shapes *all, size_t condition,
                             const crd_i_term_counts *lengths) {
    enum { MOST_STEPS = 60 };
    if (all->present[condition] == 0 || !has_second_word(density, lengths, condition)) return MOST_PRECISION;
    double low = LEAST_PRECISION, high = low, at_low = 0, at_high = 1;
    while (at_high > 0) {
        if (high >= MOST_PRECISION) return MOST_PRECISION;
        low = high;
        at_low = at_high;
        high = 16 * low;
        at_high = dirichlet_excess(density, all, condition, lengths, high);
    }
    if (low == LEAST_PRECISION) at_low = -at_high;
    double x = crd_log(low), y = crd_log(high), middle = x;
    int side = 0;
    for (int step = 0; step < MOST_STEPS && y - x > 1e-10; step++) {
        middle = (x * at_high - y * at_low) / (at_high - at_low);
        if (!(middle > x && middle < y)) middle = (x + y) / 2;
        double there = dirichlet_excess(density, all, condition, lengths, crd_exp(middle));
        if (there == 0) break;
        if (there > 0) {
            x = middle;
            at_low = there;
            if (side == 1) at_high /= 2;
            side = 1;
        } else {
            y = middle;
            at_high = there;
            if (side == -1) at_low /= 2;
            side = -1;
        }
    }
    double result = crd_exp(middle);
    return result < MOST_PRECISION ? result : MOST_PRECISION;
}

static size_t dirichlet_sum_count(const crd_i_term_density *density) {
    return density->base.conditions;
}

static crd_status dirichlet_sum(const crd_i_term_density *density, double *out, crd_error *error) {
    crd_context *context = density->base.context;
    size_t conditions = density->base.conditions;
    crd_i_term_counts lengths = {.context = context};
    multinomial_shapes all = {.context = context, .key = {.context = context}};
    all.keys = crd_i_dictionary_create(context);
    all.present = crd_i_alloc_zeroed(context, conditions, sizeof *all.present);
    crd_status status = all.keys == NULL || all.present == NULL ? crd_i_fail_memory(error) : CRD_OK;
    if (status == CRD_OK) status = crd_i_term_store_lengths(density->store, &lengths, error);
    if (status == CRD_OK) status = dirichlet_gather(density, &all, error);
    if (status == CRD_OK && !dirichlet_sort(&all, conditions)) status = crd_i_fail_memory(error);
    for (size_t k = 0; status == CRD_OK && k < conditions; k++) {
        out[k] = find_precision(density, &all, k, &lengths);
        if (crd_i_context_cancelled(context)) status = crd_i_fail_cancelled(error);
    }
    dirichlet_clear(&all);
    crd_i_term_counts_clear(&lengths);
    return status;
}

/* ---- Terms and documents ---- */

/* Sets own[c] = D_c, followed by A / D_c, the parameter of a term that the class never had, and its logarithm. */
static crd_status dirichlet_prepare(crd_i_term_density *density, crd_error *error) {
    size_t conditions = density->base.conditions, count;
    const crd_i_term_count *begin;
    crd_i_term_counts lengths = {.context = density->base.context};
    crd_status status = crd_i_term_density_room(density, 3 * conditions, error);
    if (status == CRD_OK) status = crd_i_term_store_lengths(density->store, &lengths, error);
    for (size_t k = 0; status == CRD_OK && k < conditions; k++) {
        double scale = dirichlet_lengths(density, &lengths, k, &begin, &count), precision = density->sums[k];
        if (!(precision >= LEAST_PRECISION && precision <= MOST_PRECISION)) precision = MOST_PRECISION;
        density->sums[k] = precision;
        density->values[k] = dirichlet_slope(density, begin, count, scale, precision);
        density->values[conditions + k] = density->terms > 0 ? density->smoothing / density->values[k] : 1;
        density->values[2 * conditions + k] = crd_log(density->values[conditions + k]);
    }
    crd_i_term_counts_clear(&lengths);
    return status;
}

/* Computes the corrections log(a_tc / (A / D_c)). */
static void dirichlet_weigh(const crd_i_term_density *density, const crd_i_term_counts *counts,
                            const crd_i_term_class *classes, size_t count, crd_i_term_value *values, double *constant) {
    size_t conditions = density->base.conditions, first = 0;
    *constant = 0;
    for (size_t i = 0; i < count; i++) {
        size_t k = (size_t)classes[i].condition, end = first;
        while (end < counts->count && counts->entries[end].condition == classes[i].condition) end++;
        double a = parameter_of(counts->entries + first, end - first, density->smoothing, density->values[k]);
        values[i].condition = classes[i].condition;
        values[i].value = crd_i_log_ratio(a, density->values[conditions + k]);
        first = end;
    }
}

static void dirichlet_correct(const crd_i_term_density *density, const crd_i_term_value *values, size_t count,
                              uint32_t times, double tf, double *logs) {
    (void)tf;
    const double *unseen = density->values + density->base.conditions;
    for (size_t i = 0; i < count; i++) {
        double value = values[i].value, base = unseen[values[i].condition];
        if (times > 1) {
            double a = base * crd_exp(value);
            value += dirichlet_log_rising(a + 1, times - 1.0) - dirichlet_log_rising(base + 1, times - 1.0);
        }
        logs[values[i].condition] += value;
    }
}

/* Each term that occurs at least j + 1 times adds log(a + j). The number of such terms is equal for runs of j. */
static void dirichlet_baseline(const crd_i_term_density *density, const crd_i_document_terms *document, double *logs) {
    size_t conditions = density->base.conditions, end;
    const double *unseen = density->values + conditions;
    for (size_t j = 0; j < document->repeat_count; j = end) {
        uint64_t terms = document->repeats == NULL ? 1 : document->repeats[j];
        for (end = j + 1; end < document->repeat_count;) {
            if (document->repeats != NULL && document->repeats[end] != terms) break;
            end++;
        }
        for (size_t k = 0; k < conditions; k++) {
            bool is_first = j == 0;
            double sum = is_first ? density->values[2 * conditions + k] : 0;
            if (end - j > is_first)
                sum += dirichlet_log_rising(unseen[k] + (double)(j + is_first), (double)(end - j - is_first));
            logs[k] += (double)terms * sum;
        }
    }
}

static void dirichlet_whole(const crd_i_term_density *density, const crd_i_document_terms *document, double *logs) {
    double length = (double)document->length;
    for (size_t k = 0; k < density->base.conditions; k++) logs[k] -= dirichlet_log_rising(density->sums[k], length);
}

static double dirichlet_probability(const crd_i_term_density *density, const crd_i_term_value *value, double constant,
                                    size_t condition) {
    (void)constant;
    double log_parameter =
        density->values[2 * density->base.conditions + condition] + (value == NULL ? 0 : value->value);
    return crd_exp(log_parameter) / density->sums[condition];
}

static const crd_i_term_math math = {.family = &crd_i_family_dirichlet_multinomial,
                                     .is_spread = true,
                                     .sum_count = dirichlet_sum_count,
                                     .auto_smoothing = 0.1,
                                     .sum = dirichlet_sum,
                                     .prepare = dirichlet_prepare,
                                     .weigh = dirichlet_weigh,
                                     .correct = dirichlet_correct,
                                     .baseline = dirichlet_baseline,
                                     .whole = dirichlet_whole,
                                     .probability = dirichlet_probability};

CRD_I_TERM_FAMILY(crd_i_family_dirichlet_multinomial, "words-dirichlet",
                  "a Dirichlet compound multinomial, for words that tend to occur repeatedly in a text")
