/* SPDX-License-Identifier: MIT */
/* term_spread.c - see term_spread.h. */
#include "density/univariate/term_spread.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/functions/elementary.h"
#include "math/functions/special.h"

#include <math.h>

static const double CONCENTRATIONS[CRD_I_SPREADS] = {0.5, 4, 32, 256};

/* Steps of EM; terms that omega is estimated from, of more about so many, which their bytes choose. */
enum { STEPS = 40, MOST_TERMS = 1 << 17 };

size_t crd_i_term_spread_count(size_t conditions) {
    return 2 * conditions + 1 + CRD_I_SPREADS;
}

/* ---- One term ---- */

/* log Gamma(x) less log sqrt(2 pi), by Stirling's series, whose next term is below 1e-16 from 12 on. */
static double stirling(double x) {
    const double r = 1 / x, s = r * r;
    return (x - 0.5) * crd_log(x) - x +
           r * (1.0 / 12 - s * (1.0 / 360 - s * (1.0 / 1260 - s * (1.0 / 1680 - s / 1188))));
}

/* log Gamma(a + n) - log Gamma(a): this is computed for each term of a text and each concentration, so that a few products and logarithms have
 * to do. Few factors are multiplied; of more, those up to an argument for which Stirling's series holds. */
static double log_rising(double a, double n) {
    enum { FEW = 16, LEAST_ARGUMENT = 12 };
    const bool are_few = n <= FEW && n == floor(n);
    double product = 1, from = a;
    for (double j = 0; are_few ? j < n : from < LEAST_ARGUMENT; j++, from = a + j) product *= from;
    if (!(product > 1e-280)) return crd_i_log_gamma(a + n) - crd_i_log_gamma(a);
    if (are_few) return crd_log(product);
    double to = a + n, above = 1;
    for (; to < LEAST_ARGUMENT; to++) above *= to;
    return stirling(to) - stirling(from) + crd_log(product) - (above > 1 ? crd_log(above) : 0);
}

/* Values of log_rising that were computed before: of most terms, which are in few texts, there are few. */
typedef struct rising_logs {
    size_t conditions;
    double *values; /* of each n below KNOWN_RISING, of each condition and behind them all, of each j; NaN: not yet */
} rising_logs;
enum { KNOWN_RISING = 64, MOST_KNOWN_CONDITIONS = 1024 };

/* log Gamma(a + n) - log Gamma(a), a = kappa_j pi_c, or kappa_j where the condition is behind the last. NULL: none are known. */
static double rising_log(const rising_logs *known, size_t j, size_t condition, double share, double n) {
    double a = CONCENTRATIONS[j] * share;
    if (known == NULL || known->values == NULL || !(n < KNOWN_RISING) || n != floor(n)) return log_rising(a, n);
    double *value = &known->values[(j * (known->conditions + 1) + condition) * KNOWN_RISING + (size_t)n];
    if (isnan(*value)) *value = log_rising(a, n);
    return *value;
}

/* log L_j, less a number that is the same for all j. */
static void likelihoods(size_t conditions, const double *shares, const crd_i_term_class *classes, size_t count,
                        const rising_logs *known, double logs[CRD_I_SPREADS]) {
    double all = 0;
    for (size_t i = 0; i < count; i++) all += classes[i].documents;
    for (size_t j = 0; j < CRD_I_SPREADS; j++) {
        logs[j] = -rising_log(known, j, conditions, 1, all);
        for (size_t i = 0; i < count; i++)
            logs[j] +=
                rising_log(known, j, (size_t)classes[i].condition, shares[classes[i].condition], classes[i].documents);
    }
}

/* L_j over the greatest. */
static void relative(double logs[CRD_I_SPREADS]) {
    double greatest = logs[0];
    for (size_t j = 1; j < CRD_I_SPREADS; j++)
        if (logs[j] > greatest) greatest = logs[j];
    for (size_t j = 0; j < CRD_I_SPREADS; j++) logs[j] = crd_exp(logs[j] - greatest);
}

static void weigh(double parts[CRD_I_SPREADS], const double *omega) {
    double sum = 0;
    for (size_t j = 0; j < CRD_I_SPREADS; j++) sum += parts[j] *= omega[j];
    for (size_t j = 0; j < CRD_I_SPREADS; j++) parts[j] = sum > 0 ? parts[j] / sum : 1.0 / CRD_I_SPREADS;
}

static crd_i_term_spread spread_of(const crd_i_term_density *density, const double *numbers,
                                   const crd_i_term_class *classes, size_t count, const rising_logs *known) {
    size_t conditions = density->base.conditions;
    double parts[CRD_I_SPREADS];
    crd_i_term_spread spread = {0, 0, 0};
    for (size_t i = 0; i < count; i++) spread.weight += classes[i].weight;
    likelihoods(conditions, numbers + conditions, classes, count, known, parts);
    relative(parts);
    weigh(parts, numbers + 2 * conditions + 1);
    for (size_t j = 0; j < CRD_I_SPREADS; j++) {
        double half = CONCENTRATIONS[j] / 2, part = parts[j] / (spread.weight + half);
        spread.elsewhere += part * half;
        spread.factor += part;
    }
    return spread;
}

crd_i_term_spread crd_i_term_spread_of(const crd_i_term_density *density, const double *numbers,
                                       const crd_i_term_class *classes, size_t count) {
    return spread_of(density, numbers, classes, count, NULL);
}

/* ---- All terms ---- */

/* pi: each class's part of all sums of texts that have a term. A class without any has a little of it, so that its term of
 * L is there should one come. */
static crd_status find_shares(const crd_i_term_density *density, double *shares, crd_error *error) {
    crd_i_term_pass pass;
    bool more = true;
    double all = 0;
    crd_status status = CRD_OK;
    for (size_t k = 0; k < density->base.conditions; k++) shares[k] = 0;
    crd_i_term_pass_begin(&pass, density->store, &density->selection, CRD_I_TF_COUNT);
    while (status == CRD_OK) {
        status = crd_i_term_pass_next(&pass, &more, error);
        if (status != CRD_OK || !more) break;
        for (size_t i = 0; i < pass.class_count; i++) {
            shares[pass.classes[i].condition] += pass.classes[i].documents;
            all += pass.classes[i].documents;
        }
    }
    crd_i_term_pass_end(&pass);
    for (size_t k = 0; k < density->base.conditions; k++) shares[k] = shares[k] > 0 ? shares[k] / all : 1e-12;
    return status;
}

/* FNV-1a, which chooses terms by their bytes alone. */
static uint64_t hash_of(crd_text term) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < term.length; i++) hash = (hash ^ (unsigned char)term.bytes[i]) * UINT64_C(0x100000001b3);
    return hash ^ hash >> 32;
}

/* The likelihoods of the terms that omega is estimated from. */
static crd_status collect(const crd_i_term_density *density, const double *shares, const rising_logs *known,
                          double **each, size_t *count, crd_error *error) {
    crd_i_term_pass pass;
    bool more = true;
    size_t capacity = 0;
    crd_status status = CRD_OK;
    double part = density->terms > MOST_TERMS ? MOST_TERMS / density->terms : 1;
    crd_i_term_pass_begin(&pass, density->store, &density->selection, CRD_I_TF_COUNT);
    while (status == CRD_OK) {
        status = crd_i_term_pass_next(&pass, &more, error);
        if (status != CRD_OK || !more) break;
        if (part < 1 && (double)(uint32_t)hash_of(pass.term) >= part * 0x1p32) continue;
        if (!crd_i_reserve(density->base.context, each, &capacity, *count + CRD_I_SPREADS, sizeof **each)) {
            status = crd_i_fail_memory(error);
            break;
        }
        likelihoods(density->base.conditions, shares, pass.classes, pass.class_count, known, *each + *count);
        relative(*each + *count);
        *count += CRD_I_SPREADS;
    }
    crd_i_term_pass_end(&pass);
    return status;
}

static void maximise(const double *each, size_t count, double omega[CRD_I_SPREADS]) {
    for (size_t j = 0; j < CRD_I_SPREADS; j++) omega[j] = 1.0 / CRD_I_SPREADS;
    for (int step = 0; step < STEPS && count > 0; step++) {
        double sums[CRD_I_SPREADS] = {0};
        for (size_t i = 0; i < count; i += CRD_I_SPREADS) {
            double parts[CRD_I_SPREADS];
            for (size_t j = 0; j < CRD_I_SPREADS; j++) parts[j] = each[i + j];
            weigh(parts, omega);
            for (size_t j = 0; j < CRD_I_SPREADS; j++) sums[j] += parts[j];
        }
        for (size_t j = 0; j < CRD_I_SPREADS; j++) omega[j] = sums[j] / ((double)count / CRD_I_SPREADS);
    }
}

/* The sums that Z_c is made of. */
static crd_status sum(const crd_i_term_density *density, double *numbers, const rising_logs *known, crd_error *error) {
    crd_i_term_pass pass;
    bool more = true;
    size_t conditions = density->base.conditions;
    crd_status status = CRD_OK;
    for (size_t k = 0; k < conditions; k++) numbers[k] = 0;
    numbers[2 * conditions] = 0;
    crd_i_term_pass_begin(&pass, density->store, &density->selection, density->tf);
    while (status == CRD_OK) {
        status = crd_i_term_pass_next(&pass, &more, error);
        if (status != CRD_OK || !more) break;
        crd_i_term_spread spread = spread_of(density, numbers, pass.classes, pass.class_count, known);
        numbers[2 * conditions] += spread.elsewhere * spread.weight;
        for (size_t i = 0; i < pass.class_count; i++)
            numbers[pass.classes[i].condition] += spread.factor * spread.weight * pass.classes[i].weight;
    }
    crd_i_term_pass_end(&pass);
    return status;
}

crd_status crd_i_term_spread_fit(const crd_i_term_density *density, double *numbers, crd_error *error) {
    double *each = NULL;
    size_t count = 0, conditions = density->base.conditions;
    rising_logs known = {conditions, NULL};
    crd_status status = find_shares(density, numbers + conditions, error);
    if (status == CRD_OK && conditions <= MOST_KNOWN_CONDITIONS) {
        size_t values = CRD_I_SPREADS * (conditions + 1) * KNOWN_RISING;
        known.values = crd_i_alloc(density->base.context, values, sizeof *known.values);
        if (known.values == NULL) status = crd_i_fail_memory(error);
        for (size_t i = 0; status == CRD_OK && i < values; i++) known.values[i] = NAN;
    }
    if (status == CRD_OK) status = collect(density, numbers + conditions, &known, &each, &count, error);
    if (status == CRD_OK) maximise(each, count, numbers + 2 * conditions + 1);
    if (status == CRD_OK) status = sum(density, numbers, &known, error);
    crd_free(density->base.context, known.values);
    crd_free(density->base.context, each);
    return status;
}
