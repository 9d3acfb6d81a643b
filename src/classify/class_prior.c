/* SPDX-License-Identifier: MIT */
/* class_prior.c - the class prior P(c). Let n_c of the N rows be in class c, with C classes and pseudo-count L:
 *
 *   frequency   n_c / N
 *   laplace:L   (n_c + L) / (N + L C)
 *   uniform     1 / C
 *
 * A specified prior is used as it was given. */
#include "classify/class_prior.h"

#include "base/error.h"
#include "density/univariate/family.h"

#include <credence/number.h>

#include <math.h>

/* Sets an error about a class of a specified prior. The message lists the classes of the model. */
static crd_status class_prior_refuse(crd_error *error, const crd_i_dictionary *classes, crd_text name,
                                     const char *description) {
    char quoted[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, CRD_ERROR_SETTING, "the prior %s class '%s'; the classes are ", description,
               crd_i_quote(name, quoted));
    for (size_t i = 0; i < crd_i_dictionary_size(classes); i++) {
        crd_i_error_item(error, i, crd_i_dictionary_text(classes, i));
    }
    crd_i_error_subject(error, crd_text_of("prior"));
    return CRD_ERROR_SETTING;
}

static crd_status refuse_sum(crd_error *error, double sum) {
    char shown[CRD_NUMBER_ROOM];
    crd_number_format(sum, shown);
    crd_i_fail(error, CRD_ERROR_SETTING, "the probabilities sum to %s, not to 1", shown);
    crd_i_error_subject(error, crd_text_of("prior"));
    return CRD_ERROR_SETTING;
}

/* Computes a specified prior. It must name the model's classes. It may omit one class, which gets the remaining
 * probability. */
static crd_status derive_given(const crd_settings *settings, const crd_i_dictionary *classes, crd_term *priors,
                               crd_error *error) {
    const crd_i_dictionary *named = settings->prior_classes;
    double sum = 0, remainder = 0;
    size_t missing = 0;
    for (size_t i = 0; i < crd_i_dictionary_size(named); i++) {
        crd_text name = crd_i_dictionary_text(named, i);
        if (crd_i_dictionary_find(classes, name) < 0)
            return class_prior_refuse(error, classes, name, "names an unknown");
        sum += settings->prior_probabilities[i];
    }
    if (1 - sum > CRD_I_PRIOR_SLACK) remainder = 1 - sum;
    for (size_t i = 0; i < crd_i_dictionary_size(classes); i++) {
        crd_text name = crd_i_dictionary_text(classes, i);
        int32_t code = crd_i_dictionary_find(named, name);
        if (code < 0 && remainder == 0) return class_prior_refuse(error, classes, name, "has no probability for");
        if (code < 0 && ++missing > 1)
            return class_prior_refuse(error, classes, name, "omits more than one class, for example");
        priors[i].form = CRD_TERM_GIVEN;
        priors[i].count = code < 0 ? remainder : settings->prior_probabilities[code];
        priors[i].total = sum + remainder;
        priors[i].log_value = crd_i_log_ratio(priors[i].count, sum + remainder);
    }
    if (remainder > 0 && missing == 0) return refuse_sum(error, sum);
    return CRD_OK;
}

void crd_i_prior_fill(const crd_settings *settings, double count, double total, size_t class_count, crd_term *prior) {
    bool uniform = settings->prior == CRD_I_PRIOR_UNIFORM, laplace = settings->prior == CRD_I_PRIOR_LAPLACE;
    prior->form = CRD_TERM_RATIO;
    prior->smoothing = laplace ? CRD_TERM_LAPLACE : CRD_TERM_PLAIN;
    prior->count = uniform ? 1 : count;
    prior->total = uniform ? (double)class_count : total;
    prior->strength = settings->prior_strength;
    prior->values = (double)class_count;
    prior->log_value =
        laplace ? crd_i_log_ratio(prior->count + prior->strength, prior->total + prior->strength * prior->values)
                : crd_i_log_ratio(prior->count, prior->total);
}

/* Derives a specified prior from the settings and all other priors from the counts. */
crd_status crd_i_prior_derive(const crd_settings *settings, const crd_i_dictionary *classes, const double *counts,
                              crd_term *priors, crd_error *error) {
    size_t class_count = crd_i_dictionary_size(classes);
    double total = 0;
    for (size_t i = 0; i < class_count; i++) {
        const crd_term empty = CRD_TERM_INIT;
        priors[i] = empty;
        total += counts[i];
    }
    if (settings->prior == CRD_I_PRIOR_GIVEN) return derive_given(settings, classes, priors, error);
    for (size_t i = 0; i < class_count; i++) crd_i_prior_fill(settings, counts[i], total, class_count, &priors[i]);
    return CRD_OK;
}
