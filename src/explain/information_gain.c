/* SPDX-License-Identifier: MIT */
/* information_gain.c - expected information gain of a missing cell: the mutual information between the cell and the
 * class (Lindley 1956).
 *
 *   I(C; X | x) = H(C | x) - sum over v of P(X = v | x) H(C | x, X = v)
 *
 * x are the cells that are present. P(v | x) is the ratio of the evidence with and without v. For numbers, the sum is
 * an integral over p(v | x). It is computed by importance sampling at quantiles of the mixture
 *
 *   q(v) = sum over c of P(c | x) p(v | c),
 *
 * where p(v | c) is the attribute's own density. The points of a class have equal probability under p(v | c), and each
 * has the importance weight p(v | x) / q(v). The weights are 1 if attributes are independent given the class, and
 * differ from 1 if a joint density makes them dependent.
 *
 * The expected entropy is subtracted from the entropy of the mean posterior over all points. Up to the resolution of
 * the points, the mean posterior equals the row's own posterior. Using it guarantees that no gain is negative. */
#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "classify/classifier_internal.h"
#include "explain/counterfactuals.h"
#include "math/functions/elementary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Points of a numeric attribute over all classes, and minimum per class. */
enum { POINTS = 256, LEAST_POINTS_OF_CLASS = 8 };
/* Classes with a smaller posterior get no points. Together they matter less than the error of the points. */
static const double LEAST_SHARE = 1e-4;
/* Whole numbers are summed one by one if there are fewer than MOST_WHOLE. TAIL is the probability that is ignored at
 * either end of each class. */
enum { MOST_WHOLE = 1024 };
static const double TAIL = 1e-12;
/* Approximate number of terms to compute for one row if the search is not thorough: a fraction of a second. */
static const double TERMS_AFFORDED = 3e7;
enum { LEAST_LOOKED_AT = 8 };

static const double NATS_OF_BIT = 0.69314718055994530942;

/* State of the search for one row. */
typedef struct gain_inquiry {
    crd_i_trial trial;   /* the row with one more cell */
    double *posterior;   /* log posteriors of the unchanged row */
    double *shares;      /* posteriors of the unchanged row */
    double log_evidence; /* log evidence of the unchanged row */
    /* number of ignored cells (values never seen in training) in the unchanged row */
    uint32_t unseen;
    double *densities; /* work space, for each class: log P(c | x) p(v | c) at a point v */
    /* Sums over the values that were tried, all weighted by the value's probability: */
    double *mean;   /* posteriors */
    double entropy; /* entropies of the posteriors, in nats */
    /* the weights themselves */
    double weight;
} gain_inquiry;

/* Returns the entropy, in nats, of the probabilities divided by `total`. */
static double information_gain_entropy(const double *probabilities, size_t count, double total) {
    double sum = 0;
    for (size_t k = 0; k < count; k++) {
        double p = probabilities[k] / total;
        if (p > 0) sum -= p * crd_log(p);
    }
    return sum;
}

/* ---- Values ---- */

static void begin_values(gain_inquiry *in) {
    memset(in->mean, 0, in->trial.what_if->class_count * sizeof *in->mean);
    in->entropy = in->weight = 0;
}

/* Adds the posterior of the current trial with a weight. */
static void information_gain_add_value(gain_inquiry *in, double weight) {
    size_t classes = in->trial.what_if->class_count;
    for (size_t k = 0; k < classes; k++) in->mean[k] += weight * in->trial.probabilities[k];
    in->entropy += weight * information_gain_entropy(in->trial.probabilities, classes, 1);
    in->weight += weight;
}

/* Returns the information gain in bits from the sums. */
static double bits_told(const gain_inquiry *in) {
    if (!(in->weight > 0)) return 0;
    double before = information_gain_entropy(in->mean, in->trial.what_if->class_count, in->weight);
    return fmax(0, (before - in->entropy / in->weight) / NATS_OF_BIT);
}

/* Predicts the row with `value` in an attribute. Sets *counts to false if the value would be ignored, or is impossible
 * under every class. */
static crd_status information_gain_ask(gain_inquiry *in, size_t attribute, crd_value value, bool *counts,
                                       crd_error *error) {
    in->trial.values[attribute] = value;
    crd_status status = crd_i_trial_ask(&in->trial, error);
    in->trial.values[attribute] = crd_i_value_missing();
    *counts = status == CRD_OK && in->trial.answer.decision >= 0 && in->trial.answer.unseen == in->unseen;
    return status;
}

/* Adds a value with weight P(value | x). */
static crd_status add_probable(gain_inquiry *in, size_t attribute, crd_value value, crd_error *error) {
    bool counts;
    crd_status status = information_gain_ask(in, attribute, value, &counts, error);
    double probability = crd_exp(in->trial.answer.log_evidence - in->log_evidence);
    if (status == CRD_OK && counts && isfinite(probability)) information_gain_add_value(in, probability);
    return status;
}

static crd_status information_gain_add_categories(gain_inquiry *in, size_t attribute, bool is_thorough,
                                                  crd_error *error) {
    const crd_summary *summary = in->trial.what_if->summary;
    size_t values = summary->attributes[attribute].value_count;
    crd_status status = CRD_OK;
    if (!is_thorough && values > CRD_WHAT_IF_VALUES) values = CRD_WHAT_IF_VALUES;
    for (size_t v = 0; status == CRD_OK && v < values; v++) {
        crd_value value = {CRD_TYPE_CATEGORICAL, 0, crd_summary_value(summary, attribute, v)};
        status = add_probable(in, attribute, value, error);
    }
    return status;
}

/* ---- Numbers ---- */

/* Returns log q(x). */
static double log_density_of_points(gain_inquiry *in, size_t attribute, double x) {
    const crd_i_density *density = in->trial.what_if->classifier->attributes[attribute].density;
    size_t classes = in->trial.what_if->class_count;
    const crd_i_cells cells = {.rows = 1, .numbers = &x};
    memcpy(in->densities, in->posterior, classes * sizeof *in->densities);
    density->family->add(density, &cells, in->densities);
    return crd_i_log_sum_exp(in->densities, classes);
}

/* Adds a point v of a number with the weight `weight` times p(v | x) / q(v). */
static crd_status information_gain_add_point(gain_inquiry *in, size_t attribute, double x, double weight,
                                             crd_error *error) {
    bool counts;
    if (!isfinite(x)) return CRD_OK;
    crd_status status = information_gain_ask(in, attribute, crd_i_value_of(x), &counts, error);
    if (status != CRD_OK || !counts) return status;
    double log_ratio = in->trial.answer.log_evidence - in->log_evidence - log_density_of_points(in, attribute, x);
    double ratio = crd_exp(log_ratio);
    if (isfinite(ratio)) information_gain_add_value(in, weight * ratio);
    return CRD_OK;
}

/* Adds quantiles of each class's density: at least LEAST_POINTS_OF_CLASS per class, and about `points` in all. Classes
 * below LEAST_SHARE are skipped. */
static crd_status information_gain_add_points(gain_inquiry *in, size_t attribute, size_t points, crd_error *error) {
    const crd_classifier *classifier = in->trial.what_if->classifier;
    size_t classes = in->trial.what_if->class_count, counted = 0;
    crd_status status = CRD_OK;
    for (size_t k = 0; k < classes; k++) counted += in->shares[k] >= LEAST_SHARE;
    size_t each = points / (counted == 0 ? 1 : counted);
    if (each < LEAST_POINTS_OF_CLASS) each = LEAST_POINTS_OF_CLASS;
    for (size_t k = 0; k < classes; k++) {
        if (!(in->shares[k] >= LEAST_SHARE)) continue;
        for (size_t i = 0; status == CRD_OK && i < each; i++) {
            double x, p = ((double)i + .5) / (double)each;
            status = crd_classifier_quantile(classifier, attribute, k, p, &x, error);
            if (status == CRD_OK)
                status = information_gain_add_point(in, attribute, x, in->shares[k] / (double)each, error);
        }
    }
    return status;
}

/* Computes the range that contains all classes except for their tails. */
static crd_status information_gain_find_range(const gain_inquiry *in, size_t attribute, double *least, double *greatest,
                                              crd_error *error) {
    crd_status status = CRD_OK;
    *least = INFINITY;
    *greatest = -INFINITY;
    for (size_t k = 0; status == CRD_OK && k < in->trial.what_if->class_count; k++) {
        double low, high;
        if (!(in->shares[k] > 0)) continue;
        status = crd_classifier_quantile(in->trial.what_if->classifier, attribute, k, TAIL, &low, error);
        if (status == CRD_OK)
            status = crd_classifier_quantile(in->trial.what_if->classifier, attribute, k, 1 - TAIL, &high, error);
        if (status != CRD_OK) break;
        *least = fmin(*least, low);
        *greatest = fmax(*greatest, high);
    }
    return status;
}

/* Adds the values of a numeric attribute: all whole numbers if they are few, otherwise quantiles. */
static crd_status information_gain_add_numbers(gain_inquiry *in, size_t attribute, size_t points, crd_error *error) {
    double least, greatest;
    crd_status status = CRD_OK;
    if (!crd_i_what_if_is_discrete(in->trial.what_if, attribute))
        return information_gain_add_points(in, attribute, points, error);
    status = information_gain_find_range(in, attribute, &least, &greatest, error);
    if (status != CRD_OK) return status;
    if (!(greatest - least < MOST_WHOLE)) return information_gain_add_points(in, attribute, points, error);
    for (double x = least; status == CRD_OK && x <= greatest; x++)
        status = add_probable(in, attribute, crd_i_value_of(x), error);
    return status;
}

/* ---- Which cells ---- */

typedef struct gain_candidate {
    size_t attribute;
    double relevance;
} gain_candidate;

static int information_gain_compare_candidates(const void *a, const void *b) {
    const gain_candidate *x = a, *y = b;
    if (x->relevance != y->relevance) return x->relevance < y->relevance ? 1 : -1;
    return (x->attribute > y->attribute) - (x->attribute < y->attribute);
}

/* Lists the missing cells, most relevant first, and sets the number of points per numeric attribute. If the search is
 * not thorough, first the number of points and then the number of cells is reduced to what TERMS_AFFORDED allows. */
static void information_gain_find_candidates(const crd_what_if *what_if, const crd_value *values,
                                             crd_information_gain_search *search, gain_candidate *out, size_t *points) {
    size_t count = 0;
    for (size_t a = 0; a < what_if->attribute_count; a++) {
        if (crd_i_value_is_present(&values[a]) ||
            crd_classifier_attribute_type(what_if->classifier, a) == CRD_TYPE_NONE ||
            crd_classifier_attribute_type(what_if->classifier, a) == CRD_TYPE_TEXT)
            continue;
        out[count].attribute = a;
        out[count++].relevance = what_if->relevances[a];
    }
    qsort(out, count, sizeof *out, information_gain_compare_candidates);
    search->missing = search->looked_at = count;
    *points = POINTS;
    double each = crd_i_trial_cost(what_if);
    if (search->is_thorough || each * POINTS * (double)count <= TERMS_AFFORDED) return;
    double afforded = TERMS_AFFORDED / each / (double)count;
    *points = afforded < LEAST_POINTS_OF_CLASS ? LEAST_POINTS_OF_CLASS : (size_t)afforded;
    double most = TERMS_AFFORDED / each / (double)*points;
    if ((double)count > most) search->looked_at = most < LEAST_LOOKED_AT ? LEAST_LOOKED_AT : (size_t)most;
    if (search->looked_at > count) search->looked_at = count;
}

/* Orders by information gain, largest first, then by attribute. */
static int compare_told(const void *a, const void *b) {
    const crd_information_gain *x = a, *y = b;
    if (x->bits != y->bits) return x->bits < y->bits ? 1 : -1;
    return (x->attribute > y->attribute) - (x->attribute < y->attribute);
}

/* Computes the sums of one attribute. Sets *tells to false if the attribute has no density, which is not an error. */
static crd_status information_gain_look(gain_inquiry *in, size_t attribute, size_t points, bool is_thorough,
                                        bool *tells, crd_error *error) {
    begin_values(in);
    crd_status status = crd_classifier_attribute_type(in->trial.what_if->classifier, attribute) == CRD_TYPE_NUMERIC
                            ? information_gain_add_numbers(in, attribute, points, error)
                            : information_gain_add_categories(in, attribute, is_thorough, error);
    *tells = status == CRD_OK && in->weight > 0;
    return status == CRD_ERROR_EMPTY ? CRD_OK : status;
}

/* ---- A row ---- */

/* Initializes the state and predicts the unchanged row. Close the trial in either case. */
static crd_status open_inquiry(gain_inquiry *in, const crd_what_if *what_if, const crd_value *values,
                               crd_error *error) {
    size_t classes = what_if->class_count, bytes = classes * sizeof(double);
    const gain_inquiry fresh = {.weight = 0};
    *in = fresh;
    crd_status status = crd_i_trial_open(what_if, values, &in->trial, error);
    if (status != CRD_OK) return status;
    in->posterior = crd_i_arena_alloc(in->trial.arena, classes, sizeof *in->posterior);
    in->shares = crd_i_arena_alloc(in->trial.arena, classes, sizeof *in->shares);
    in->densities = crd_i_arena_alloc(in->trial.arena, classes, sizeof *in->densities);
    in->mean = crd_i_arena_alloc(in->trial.arena, classes, sizeof *in->mean);
    if (crd_i_arena_failed(in->trial.arena)) return crd_i_fail_memory(error);
    status = crd_i_trial_ask(&in->trial, error);
    if (status != CRD_OK) return status;
    memcpy(in->posterior, in->trial.log_posterior, bytes);
    memcpy(in->shares, in->trial.probabilities, bytes);
    in->log_evidence = in->trial.answer.log_evidence;
    in->unseen = in->trial.answer.unseen;
    return CRD_OK;
}

crd_status crd_what_if_information_gain(const crd_what_if *what_if, const crd_value *values,
                                        crd_information_gain_search *given, crd_information_gain *out, size_t *count,
                                        crd_error *error) {
    crd_information_gain_search search = CRD_INFORMATION_GAIN_SEARCH_INIT;
    size_t points;
    gain_inquiry in;
    crd_i_stage stage;
    *count = 0;
    if (!crd_i_copy_in(given, &search, sizeof search) || !crd_i_has_size(out))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the size member of the search or of the results is not set");
    search.looked_at = search.missing = 0;
    search.uncertainty = NAN;
    crd_status status = open_inquiry(&in, what_if, values, error);
    if (status != CRD_OK || in.trial.answer.decision < 0) goto done;
    search.uncertainty = information_gain_entropy(in.shares, what_if->class_count, 1) / NATS_OF_BIT;
    crd_i_arena *arena = in.trial.arena;
    gain_candidate *candidates = crd_i_arena_alloc(arena, what_if->attribute_count, sizeof *candidates);
    crd_information_gain *gain = crd_i_arena_alloc(arena, what_if->attribute_count, sizeof *gain);
    status = crd_i_arena_check(arena, error);
    if (status != CRD_OK) goto done;
    information_gain_find_candidates(what_if, values, &search, candidates, &points);
    crd_i_stage_begin(&stage, "computing information gain", search.looked_at);
    for (size_t i = 0; status == CRD_OK && i < search.looked_at; i++) {
        bool tells;
        crd_i_stage_add(&stage, 1);
        status = information_gain_look(&in, candidates[i].attribute, points, search.is_thorough != 0, &tells, error);
        if (!tells) continue;
        gain[*count].attribute = candidates[i].attribute;
        gain[(*count)++].bits = bits_told(&in);
    }
    crd_i_stage_end(&stage);
    if (status != CRD_OK) *count = 0;
    if (*count > 0) qsort(gain, *count, sizeof *gain, compare_told);
    for (size_t i = 0; i < *count; i++) crd_i_copy_out_item(&gain[i], sizeof *gain, out, i);
done:
    crd_i_copy_out(&search, sizeof search, given);
    crd_i_trial_close(&in.trial);
    return status;
}
