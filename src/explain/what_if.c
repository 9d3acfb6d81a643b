/* SPDX-License-Identifier: MIT */
/* what_if.c - the units in which changes of attributes are measured, and predictions for changed rows.
 *
 * Changes of different attributes are compared in a common unit, such that two random rows have the mean squared
 * difference 2 units^2. For numbers, this is the standard deviation s over all rows: E (x - y)^2 = 2 s^2. Two
 * categories have the distance 0 or 1, so the mean squared difference is the probability 1 - sum of p^2 that they
 * differ (the Gini index), and the unit is sqrt((1 - sum of p^2) / 2). An attribute with values 0 and 1 has s^2 =
 * p (1 - p) both as a number and as a category. */
#include "explain/what_if.h"

#include "base/error.h"
#include "base/memory.h"
#include "classify/classifier_internal.h"
#include "explain/relevance.h"
#include "model/model_internal.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- Spread ---- */

/* Computes the mean and standard deviation over all classes. The standard deviation can be infinite or 0 if the squares
 * are outside the range of a double. */
static void spread_of_numbers(const crd_summary *summary, size_t attribute, double *mean, double *deviation) {
    crd_moments all = crd_summary_column_moments(summary, attribute);
    *mean = all.rows > 0 ? all.mean : 0;
    *deviation = all.rows > 0 ? sqrt(all.variance) : 0;
}

/* Computes a rough mean and standard deviation when squares are outside the range of a double. It uses the means and
 * standard deviations of the classes, scaled by the largest of them, and gives all classes the same weight. */
static void spread_of_extremes(const crd_what_if *what_if, size_t attribute, double *mean, double *deviation) {
    double parts = 0, greatest = 0, sum = 0;
    *mean = 0;
    for (int pass = 0; pass < 3; pass++)
        for (size_t k = 0; k < what_if->class_count; k++) {
            double centre, spread;
            if (crd_classifier_moments(what_if->classifier, attribute, k, &centre, &spread, NULL) != CRD_OK) return;
            if (pass == 0) *mean += centre / (double)what_if->class_count;
            else if (pass == 1) greatest = fmax(greatest, fmax(fabs(centre - *mean), spread));
            else {
                double off = (centre - *mean) / greatest, own = spread / greatest;
                sum += off * off + own * own;
                parts++;
            }
        }
    *deviation = greatest > 0 && isfinite(greatest) ? fmin(DBL_MAX, greatest * sqrt(sum / parts)) : 0;
}

/* Returns the unit of a categorical attribute. */
static double spread_of_categories(const crd_summary *summary, size_t attribute) {
    double rows = 0, differ = 0;
    size_t values = crd_summary_value_count(summary, attribute);
    for (size_t v = 0; v < values; v++) rows += crd_summary_value_rows(summary, attribute, v);
    for (size_t v = 0; v < values && rows > 0; v++) {
        double share = crd_summary_value_rows(summary, attribute, v) / rows;
        differ += share * (1 - share);
    }
    return sqrt(differ / 2);
}

/* Computes the unit, the mean and the relevance of every attribute. */
static void what_if_measure(crd_what_if *what_if) {
    for (size_t a = 0; a < what_if->attribute_count; a++) {
        switch (crd_summary_kind(what_if->summary, a)) {
        case CRD_KIND_NUMBER:
            spread_of_numbers(what_if->summary, a, &what_if->means[a], &what_if->deviations[a]);
            if (!(what_if->deviations[a] > 0) || !isfinite(what_if->deviations[a]))
                spread_of_extremes(what_if, a, &what_if->means[a], &what_if->deviations[a]);
            break;
        case CRD_KIND_CATEGORY: what_if->deviations[a] = spread_of_categories(what_if->summary, a); break;
        case CRD_KIND_TEXT:
        case CRD_KIND_NONE: break;
        }
        if (!isfinite(what_if->deviations[a])) what_if->deviations[a] = 0;
        what_if->relevances[a] = crd_i_relevance(what_if->summary, a);
    }
}

/* ---- Creation ---- */

crd_status crd_what_if_create(const crd_model *model, const crd_classifier *classifier, crd_what_if **out,
                              crd_error *error) {
    crd_summary *summary = NULL;
    *out = NULL;
    crd_status status = crd_i_model_check_of_rows(model, "predict changed rows", error);
    if (status == CRD_OK) status = crd_summary_create(model, &summary, error);
    if (status != CRD_OK) return status;
    size_t attributes = crd_summary_attribute_count(summary);
    if (attributes != crd_classifier_attribute_count(classifier) ||
        crd_summary_class_count(summary) != crd_classifier_class_count(classifier)) {
        crd_summary_destroy(summary);
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the classifier does not belong to the model");
    }
    crd_context *context = model->context;
    crd_what_if *what_if = crd_i_alloc_zeroed(context, 1, sizeof *what_if);
    if (what_if == NULL) {
        crd_summary_destroy(summary);
        return crd_i_fail_memory(error);
    }
    what_if->context = context;
    what_if->classifier = classifier;
    what_if->summary = summary;
    what_if->class_count = crd_classifier_class_count(classifier);
    what_if->attribute_count = attributes;
    what_if->deviations = crd_i_alloc_zeroed(context, attributes, sizeof *what_if->deviations);
    what_if->means = crd_i_alloc_zeroed(context, attributes, sizeof *what_if->means);
    what_if->relevances = crd_i_alloc_zeroed(context, attributes, sizeof *what_if->relevances);
    if (what_if->deviations == NULL || what_if->means == NULL || what_if->relevances == NULL) {
        crd_what_if_destroy(what_if);
        return crd_i_fail_memory(error);
    }
    what_if_measure(what_if);
    *out = what_if;
    return CRD_OK;
}

void crd_what_if_destroy(crd_what_if *what_if) {
    if (what_if == NULL) return;
    crd_summary_destroy(what_if->summary);
    crd_free(what_if->context, what_if->deviations);
    crd_free(what_if->context, what_if->means);
    crd_free(what_if->context, what_if->relevances);
    crd_free(what_if->context, what_if);
}

/* ---- Trials ---- */

bool crd_i_what_if_is_discrete(const crd_what_if *what_if, size_t attribute) {
    crd_family family = CRD_FAMILY_INIT;
    return crd_classifier_family(what_if->classifier, attribute, &family) && family.is_discrete;
}

bool crd_i_value_is_present(const crd_value *value) {
    return value->kind == CRD_KIND_CATEGORY || (value->kind == CRD_KIND_NUMBER && !isnan(value->number));
}

crd_value crd_i_value_of(double number) {
    const crd_value value = {CRD_KIND_NUMBER, number, {NULL, 0}};
    return value;
}

crd_value crd_i_value_missing(void) {
    const crd_value value = {CRD_KIND_NONE, 0, {NULL, 0}};
    return value;
}

crd_status crd_i_trial_open(const crd_what_if *what_if, const crd_value *values, crd_i_trial *out, crd_error *error) {
    const crd_i_trial fresh = {.what_if = what_if};
    *out = fresh;
    out->values = crd_i_alloc(what_if->context, what_if->attribute_count, sizeof *out->values);
    out->log_posterior = crd_i_alloc(what_if->context, what_if->class_count, sizeof *out->log_posterior);
    out->probabilities = crd_i_alloc(what_if->context, what_if->class_count, sizeof *out->probabilities);
    if (out->values == NULL || out->log_posterior == NULL || out->probabilities == NULL) {
        crd_i_trial_close(out);
        return crd_i_fail_memory(error);
    }
    if (what_if->attribute_count > 0) memcpy(out->values, values, what_if->attribute_count * sizeof *values);
    return CRD_OK;
}

void crd_i_trial_close(crd_i_trial *trial) {
    if (trial->what_if == NULL) return;
    crd_context *context = trial->what_if->context;
    crd_free(context, trial->values);
    crd_free(context, trial->log_posterior);
    crd_free(context, trial->probabilities);
    trial->what_if = NULL;
}

double crd_i_trial_cost(const crd_what_if *what_if) {
    double terms = (double)what_if->attribute_count * (double)what_if->class_count;
    return what_if->classifier->scorer->type->is_naive ? terms : terms * (double)what_if->attribute_count;
}

crd_status crd_i_trial_ask(crd_i_trial *trial, crd_error *error) {
    if (crd_i_context_cancelled(trial->what_if->context)) return crd_i_fail_cancelled(error);
    return crd_classifier_probabilities(trial->what_if->classifier, trial->values, trial->log_posterior,
                                        trial->probabilities, &trial->answer, error);
}
