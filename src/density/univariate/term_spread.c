/* SPDX-License-Identifier: MIT */
/* term_spread.c - empirical Bayes smoothing of terms: see term_spread.h. */
#include "density/univariate/term_spread.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/functions/elementary.h"
#include "math/functions/special.h"

#include <math.h>

static const double CONCENTRATIONS[CRD_I_SPREADS] = {0.5, 4, 32, 256};

/* The number of EM steps. If there are more than MOST_TERMS terms, omega is estimated from a sample of about that size,
 * selected by a hash of their bytes. */
enum { STEPS = 40, MOST_TERMS = 1 << 17 };

size_t crd_i_term_spread_count(size_t conditions) {
    return 2 * conditions + 1 + CRD_I_SPREADS;
}

/* ---- One term ---- */

/* Returns log Gamma(x) - log sqrt(2 pi) by Stirling's series. For x >= 12 its next term is below 1e-16. */
static double term_spread_stirling(double x) {
    const double r = 1 / x, s = r * r;
    return (x - 0.5) * crd_log(x) - x +
           r * (1.0 / 12 - s * (1.0 / 360 - s * (1.0 / 1260 - s * (1.0 / 1680 - s / 1188))));
}

/* Returns log Gamma(a + n) - log Gamma(a). It is called for each term of a text and each concentration, so it must be
 * fast. If n is a small integer, it multiplies the n factors. Otherwise it multiplies factors up to an argument for
 * which Stirling's series is accurate. */
static double term_spread_log_rising(double a, double n) {
    enum { FEW = 16, LEAST_ARGUMENT = 12 };
    const bool are_few = n <= FEW && n == floor(n);
    double product = 1, start = a;
    for (double j = 0; are_few ? j < n : start < LEAST_ARGUMENT; j++, start = a + j) product *= start;
    if (!(product > 1e-280)) return crd_i_log_gamma(a + n) - crd_i_log_gamma(a);
    if (are_few) return crd_log(product);
    double upper = a + n, above = 1;
    for (; upper < LEAST_ARGUMENT; upper++) above *= upper;
    return term_spread_stirling(upper) - term_spread_stirling(start) + crd_log(product) -
           (above > 1 ? crd_log(above) : 0);
}

/* A cache of values that many terms have in common. Most terms occur in few texts of one class. */
typedef struct spread_memo {
    size_t conditions;
    /* [j][condition][n] for n < KNOWN: term_spread_log_rising; the last condition means all of them; NaN: not computed yet */
    double *rising;
    /* [condition][n] for n < KNOWN: terms that occur in n texts of one condition only */
    struct spread_single *singles;
} spread_memo;
enum { KNOWN = 64, MOST_KNOWN_CONDITIONS = 1024 };

typedef struct spread_single {
    bool is_known, has_spread;
    double parts[CRD_I_SPREADS]; /* L_j divided by the largest of them */
    crd_i_term_spread spread;    /* the result for the last weight N_t */
    uint32_t number;             /* 1 + index of its likelihoods in `sample`; 0: not in the sample */
} spread_single;

/* Returns the cache entry of a term that occurs in few texts of one condition only; NULL for other terms. */
static spread_single *find_single(const spread_memo *memo, const crd_i_term_class *classes, size_t count) {
    if (memo == NULL || memo->singles == NULL || count != 1) return NULL;
    double n = classes[0].documents;
    if (!(n < KNOWN) || n != floor(n)) return NULL;
    return &memo->singles[(size_t)classes[0].condition * KNOWN + (size_t)n];
}

/* Returns log Gamma(a + n) - log Gamma(a) with a = kappa_j pi_c, or a = kappa_j if `condition` is the number of
 * conditions. `memo` may be NULL: nothing is cached. */
static double rising_log(const spread_memo *memo, size_t j, size_t condition, double share, double n) {
    double a = CONCENTRATIONS[j] * share;
    if (memo == NULL || memo->rising == NULL || !(n < KNOWN) || n != floor(n)) return term_spread_log_rising(a, n);
    double *value = &memo->rising[(j * (memo->conditions + 1) + condition) * KNOWN + (size_t)n];
    if (isnan(*value)) *value = term_spread_log_rising(a, n);
    return *value;
}

/* Computes log L_j, up to a constant that does not depend on j. */
static void term_spread_likelihoods(size_t conditions, const double *shares, const crd_i_term_class *classes,
                                    size_t count, const spread_memo *memo, double logs[CRD_I_SPREADS]) {
    double all = 0;
    for (size_t i = 0; i < count; i++) all += classes[i].documents;
    for (size_t j = 0; j < CRD_I_SPREADS; j++) {
        logs[j] = -rising_log(memo, j, conditions, 1, all);
        for (size_t i = 0; i < count; i++)
            logs[j] +=
                rising_log(memo, j, (size_t)classes[i].condition, shares[classes[i].condition], classes[i].documents);
    }
}

/* Replaces log L_j by L_j divided by the largest of them. */
static void term_spread_relative(double logs[CRD_I_SPREADS]) {
    double greatest = logs[0];
    for (size_t j = 1; j < CRD_I_SPREADS; j++)
        if (logs[j] > greatest) greatest = logs[j];
    for (size_t j = 0; j < CRD_I_SPREADS; j++) logs[j] = crd_exp(logs[j] - greatest);
}

/* Computes L_j of a term divided by the largest of them, using the cache. */
static void relative_likelihoods(size_t conditions, const double *shares, const crd_i_term_class *classes, size_t count,
                                 const spread_memo *memo, double parts[CRD_I_SPREADS]) {
    spread_single *of_one = find_single(memo, classes, count);
    if (of_one == NULL || !of_one->is_known) {
        term_spread_likelihoods(conditions, shares, classes, count, memo, parts);
        term_spread_relative(parts);
    }
    if (of_one == NULL) return;
    for (size_t j = 0; j < CRD_I_SPREADS; j++) {
        if (of_one->is_known) parts[j] = of_one->parts[j];
        else of_one->parts[j] = parts[j];
    }
    of_one->is_known = true;
}

/* Replaces L_j by the posterior probabilities r_j. */
static void term_spread_weigh(double parts[CRD_I_SPREADS], const double *omega) {
    double sum = 0;
    for (size_t j = 0; j < CRD_I_SPREADS; j++) sum += parts[j] *= omega[j];
    for (size_t j = 0; j < CRD_I_SPREADS; j++) parts[j] = sum > 0 ? parts[j] / sum : 1.0 / CRD_I_SPREADS;
}

/* Computes b(t), g(t) and N_t of a term, using the cache. */
static crd_i_term_spread term_spread_spread(const crd_i_term_density *density, const double *numbers,
                                            const crd_i_term_class *classes, size_t count, const spread_memo *memo) {
    size_t conditions = density->base.conditions;
    double parts[CRD_I_SPREADS];
    crd_i_term_spread spread = {0, 0, 0};
    for (size_t i = 0; i < count; i++) spread.weight += classes[i].weight;
    spread_single *of_one = find_single(memo, classes, count);
    if (of_one != NULL && of_one->has_spread && of_one->spread.weight == spread.weight) return of_one->spread;
    relative_likelihoods(conditions, numbers + conditions, classes, count, memo, parts);
    term_spread_weigh(parts, numbers + 2 * conditions + 1);
    for (size_t j = 0; j < CRD_I_SPREADS; j++) {
        double half = CONCENTRATIONS[j] / 2, part = parts[j] / (spread.weight + half);
        spread.elsewhere += part * half;
        spread.factor += part;
    }
    if (of_one != NULL) {
        of_one->spread = spread;
        of_one->has_spread = true;
    }
    return spread;
}

crd_i_term_spread crd_i_term_spread_of(const crd_i_term_density *density, const double *numbers,
                                       const crd_i_term_class *classes, size_t count) {
    return term_spread_spread(density, numbers, classes, count, NULL);
}

/* ---- All terms ---- */

/* Sums, for each class, the texts that have a term over all selected terms. */
static crd_status sum_texts(const crd_i_term_density *density, double *sums, crd_error *error) {
    crd_i_term_pass pass;
    bool more = true;
    crd_status status = CRD_OK;
    for (size_t k = 0; k < density->base.conditions; k++) sums[k] = density->texts == NULL ? 0 : density->texts[k];
    if (density->texts != NULL) return CRD_OK;
    crd_i_term_pass_begin(&pass, density->store, &density->selection, CRD_I_TF_COUNT);
    while (status == CRD_OK) {
        status = crd_i_term_pass_next(&pass, &more, error);
        if (status != CRD_OK || !more) break;
        for (size_t i = 0; i < pass.class_count; i++) sums[pass.classes[i].condition] += pass.classes[i].documents;
    }
    crd_i_term_pass_end(&pass);
    return status;
}

/* Computes pi, the share of each class in the sums of sum_texts. A class without texts gets a tiny share, so its factor
 * in L exists if a text of the class appears. */
static crd_status term_spread_find_shares(const crd_i_term_density *density, double *shares, crd_error *error) {
    double all = 0;
    crd_status status = sum_texts(density, shares, error);
    for (size_t k = 0; status == CRD_OK && k < density->base.conditions; k++) all += shares[k];
    for (size_t k = 0; status == CRD_OK && k < density->base.conditions; k++)
        shares[k] = shares[k] > 0 ? shares[k] / all : 1e-12;
    return status;
}

/* Returns the FNV-1a hash of a term. It selects the sample of terms, depending only on their bytes. */
static uint64_t term_spread_hash(crd_text term) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < term.length; i++) hash = (hash ^ (unsigned char)term.bytes[i]) * UINT64_C(0x100000001b3);
    return hash ^ hash >> 32;
}

/* The terms that omega is estimated from. Equal likelihoods are stored once, and which[] refers to them. */
typedef struct sample {
    /* CRD_I_SPREADS values per entry; `posteriors` is scratch space of the same size */
    double *likelihoods, *posteriors;
    size_t distinct, capacity;
    uint32_t *which;
    size_t count, which_capacity;
} sample;

/* Adds the current term of the pass to the sample. Returns false if memory runs out. */
static bool term_spread_add(const crd_i_term_density *density, const double *shares, const crd_i_term_pass *pass,
                            const spread_memo *memo, sample *target_sample) {
    crd_context *context = density->base.context;
    spread_single *of_one = find_single(memo, pass->classes, pass->class_count);
    if (!crd_i_reserve(context, &target_sample->which, &target_sample->which_capacity, target_sample->count + 1,
                       sizeof *target_sample->which))
        return false;
    if (of_one != NULL && of_one->number > 0) {
        target_sample->which[target_sample->count++] = of_one->number - 1;
        return true;
    }
    if (!crd_i_reserve(context, &target_sample->likelihoods, &target_sample->capacity,
                       (target_sample->distinct + 1) * CRD_I_SPREADS, sizeof *target_sample->likelihoods))
        return false;
    relative_likelihoods(density->base.conditions, shares, pass->classes, pass->class_count, memo,
                         target_sample->likelihoods + target_sample->distinct * CRD_I_SPREADS);
    target_sample->which[target_sample->count++] = (uint32_t)target_sample->distinct++;
    if (of_one != NULL) of_one->number = (uint32_t)target_sample->distinct;
    return true;
}

/* Collects the likelihoods of all selected terms, or of a sample of them. */
static crd_status term_spread_collect(const crd_i_term_density *density, const double *shares, const spread_memo *memo,
                                      sample *target_sample, crd_error *error) {
    crd_i_term_pass pass;
    bool more = true;
    crd_status status = CRD_OK;
    double part = density->terms > MOST_TERMS ? MOST_TERMS / density->terms : 1;
    crd_i_term_pass_begin(&pass, density->store, &density->selection, CRD_I_TF_COUNT);
    while (status == CRD_OK) {
        status = crd_i_term_pass_next(&pass, &more, error);
        if (status != CRD_OK || !more) break;
        if (part < 1 && (double)(uint32_t)term_spread_hash(pass.term) >= part * 0x1p32) continue;
        if (!term_spread_add(density, shares, &pass, memo, target_sample)) status = crd_i_fail_memory(error);
    }
    crd_i_term_pass_end(&pass);
    if (status != CRD_OK) return status;
    target_sample->posteriors =
        crd_i_alloc(density->base.context, target_sample->distinct * CRD_I_SPREADS, sizeof *target_sample->posteriors);
    return target_sample->posteriors == NULL ? crd_i_fail_memory(error) : CRD_OK;
}

/* Estimates omega by EM, starting from equal probabilities. */
static void term_spread_maximise(const sample *terms, double omega[CRD_I_SPREADS]) {
    for (size_t j = 0; j < CRD_I_SPREADS; j++) omega[j] = 1.0 / CRD_I_SPREADS;
    for (int step = 0; step < STEPS && terms->count > 0; step++) {
        double sums[CRD_I_SPREADS] = {0};
        for (size_t i = 0; i < terms->distinct; i++) {
            double *parts = terms->posteriors + i * CRD_I_SPREADS;
            for (size_t j = 0; j < CRD_I_SPREADS; j++) parts[j] = terms->likelihoods[i * CRD_I_SPREADS + j];
            term_spread_weigh(parts, omega);
        }
        for (size_t i = 0; i < terms->count; i++)
            for (size_t j = 0; j < CRD_I_SPREADS; j++)
                sums[j] += terms->posteriors[terms->which[i] * CRD_I_SPREADS + j];
        for (size_t j = 0; j < CRD_I_SPREADS; j++) omega[j] = sums[j] / (double)terms->count;
    }
}

/* Computes the sums over terms that Z_c consists of. */
static crd_status term_spread_sum(const crd_i_term_density *density, double *numbers, const spread_memo *memo,
                                  crd_error *error) {
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
        crd_i_term_spread spread = term_spread_spread(density, numbers, pass.classes, pass.class_count, memo);
        numbers[2 * conditions] += spread.elsewhere * spread.weight;
        for (size_t i = 0; i < pass.class_count; i++)
            numbers[pass.classes[i].condition] += spread.factor * spread.weight * pass.classes[i].weight;
    }
    crd_i_term_pass_end(&pass);
    return status;
}

static crd_status memo_create(crd_context *context, size_t conditions, spread_memo *out, crd_error *error) {
    *out = (spread_memo){.conditions = conditions};
    if (conditions > MOST_KNOWN_CONDITIONS) return CRD_OK;
    size_t values = CRD_I_SPREADS * (conditions + 1) * KNOWN;
    out->rising = crd_i_alloc(context, values, sizeof *out->rising);
    out->singles = crd_i_alloc_zeroed(context, conditions * KNOWN, sizeof *out->singles);
    if (out->rising == NULL || out->singles == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < values; i++) out->rising[i] = NAN;
    return CRD_OK;
}

crd_status crd_i_term_spread_fit(const crd_i_term_density *density, double *numbers, crd_error *error) {
    crd_context *context = density->base.context;
    size_t conditions = density->base.conditions;
    double *shares = numbers + conditions;
    sample terms = {.distinct = 0};
    spread_memo memo;
    crd_status status = memo_create(context, conditions, &memo, error);
    if (status == CRD_OK) status = term_spread_find_shares(density, shares, error);
    if (status == CRD_OK) status = term_spread_collect(density, shares, &memo, &terms, error);
    if (status == CRD_OK) term_spread_maximise(&terms, numbers + 2 * conditions + 1);
    if (status == CRD_OK) status = term_spread_sum(density, numbers, &memo, error);
    crd_free(context, memo.rising);
    crd_free(context, memo.singles);
    crd_free(context, terms.likelihoods);
    crd_free(context, terms.posteriors);
    crd_free(context, terms.which);
    return status;
}
