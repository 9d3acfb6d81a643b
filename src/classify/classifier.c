/* SPDX-License-Identifier: MIT */
/* classifier.c - creates classifiers and returns their properties. The scorer (classifier_internal.h) scores the rows.
 *
 * Contents:
 *   1. Creation
 *   2. Properties
 *   3. Class prior
 *   4. Unseen values */
#include "classify/classifier_internal.h"

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "density/univariate/family.h"
#include "table/read/reader.h"
#include "table/values/column_format.h"

#include <credence/number.h>
#include <math.h>
#include <stdio.h>

/* ======== 1. Creation ======== */

static crd_status classifier_name_classes(crd_classifier *classifier, const crd_model *model,
                                          const crd_i_schema_view *schema_view, crd_error *error) {
    crd_context *context = classifier->context;
    const crd_i_view *view = &schema_view->views[model->schema->target];
    classifier->class_count = view->value_count;
    classifier->classes = crd_i_schema_view_dictionary(context, crd_i_model_target(model)->values, view);
    classifier->priors = crd_i_alloc(context, view->value_count, sizeof *classifier->priors);
    classifier->log_priors = crd_i_alloc_zeroed(context, view->value_count, sizeof *classifier->log_priors);
    bool done = classifier->classes != NULL && classifier->priors != NULL && classifier->log_priors != NULL;
    return done ? CRD_OK : crd_i_fail_memory(error);
}

/* Creates the attributes in schema order, without the target: names, column types, and the values of categorical
 * attributes. */
static crd_status classifier_name_attributes(crd_classifier *classifier, const crd_model *model,
                                             const crd_i_schema_view *view, crd_error *error) {
    crd_context *context = classifier->context;
    const crd_i_schema *schema = model->schema;
    classifier->attributes = crd_i_alloc_zeroed(context, schema->count, sizeof *classifier->attributes);
    if (classifier->attributes == NULL) return crd_i_fail_memory(error);
    for (size_t column = 0; column < schema->count; column++) {
        if (column == schema->target) continue;
        crd_i_attribute *attribute = &classifier->attributes[classifier->attribute_count++];
        attribute->is_joint = true;
        attribute->type = crd_i_model_column_type(model, column);
        attribute->name = crd_i_text_copy(context, schema->columns[column].name);
        if (attribute->name.bytes == NULL) return crd_i_fail_memory(error);
        if (attribute->type != CRD_TYPE_CATEGORICAL) continue;
        attribute->values =
            crd_i_schema_view_dictionary(context, model->variables[column].values, &view->views[column]);
        if (attribute->values == NULL) return crd_i_fail_memory(error);
        if (!crd_i_intervals_copy(context, &attribute->intervals, &schema->columns[column].intervals))
            return crd_i_fail_memory(error);
    }
    return CRD_OK;
}

crd_status crd_i_classifier_declare(crd_classifier *classifier, const crd_model *model, const crd_i_schema_view *view,
                                    crd_error *error) {
    crd_status status = classifier_name_classes(classifier, model, view, error);
    return status == CRD_OK ? classifier_name_attributes(classifier, model, view, error) : status;
}

/* Copies the settings (NULL: the model's) and lets the kind of model derive the densities and the scorer. */
crd_status crd_classifier_create(const crd_model *model, const crd_settings *settings, crd_classifier **out,
                                 crd_error *error) {
    *out = NULL;
    crd_i_schema_view *view = NULL;
    crd_i_stage stage;
    crd_context *context = model->context;
    crd_status status = crd_i_model_check_target(model, error);
    if (status == CRD_OK && settings != NULL) status = crd_i_model_check_counted(model, settings, error);
    if (status != CRD_OK) return status;
    crd_classifier *classifier = crd_i_alloc_zeroed(context, 1, sizeof *classifier);
    if (classifier == NULL) return crd_i_fail_memory(error);
    classifier->context = classifier->estimates.context = classifier->fitted.context = context;
    classifier->serial = crd_i_context_serial(context);
    classifier->lanes = crd_i_simd_columns_best();
    status = crd_i_settings_copy(context, settings == NULL ? model->settings : settings, &classifier->settings, error);
    if (status == CRD_OK) status = crd_i_schema_view_create(model, &view, error);
    crd_i_stage_begin(&stage, "deriving the classifier", 0);
    if (status == CRD_OK) status = model->kind->derive(classifier, model, view, error);
    crd_i_stage_end(&stage);
    crd_i_schema_view_destroy(view);
    if (status != CRD_OK) {
        crd_classifier_destroy(classifier);
        return status;
    }
    *out = classifier;
    return CRD_OK;
}

void crd_classifier_destroy(crd_classifier *classifier) {
    if (classifier == NULL) return;
    for (size_t i = 0; i < classifier->attribute_count; i++) {
        crd_i_attribute *attribute = &classifier->attributes[i];
        crd_free(classifier->context, (void *)attribute->name.bytes);
        crd_i_density_destroy(attribute->density);
        crd_i_dictionary_destroy(attribute->values);
        crd_i_intervals_clear(classifier->context, &attribute->intervals);
        crd_free(classifier->context, attribute->comparison);
    }
    crd_free(classifier->context, classifier->attributes);
    crd_free(classifier->context, classifier->priors);
    crd_free(classifier->context, classifier->log_priors);
    crd_i_dictionary_destroy(classifier->classes);
    crd_settings_destroy(classifier->settings);
    crd_i_estimates_clear(&classifier->estimates);
    crd_i_scorer_destroy(classifier->scorer);
    crd_i_fit_cache_clear(&classifier->fitted);
    crd_free(classifier->context, classifier);
}

/* ======== 2. Properties ======== */

const crd_settings *crd_classifier_settings(const crd_classifier *classifier) {
    return classifier->settings;
}

size_t crd_classifier_class_count(const crd_classifier *classifier) {
    return classifier->class_count;
}

crd_text crd_classifier_class(const crd_classifier *classifier, size_t class_index) {
    return crd_i_dictionary_text(classifier->classes, class_index);
}

size_t crd_classifier_attribute_count(const crd_classifier *classifier) {
    return classifier->attribute_count;
}

crd_text crd_classifier_attribute(const crd_classifier *classifier, size_t attribute) {
    return classifier->attributes[attribute].name;
}

crd_column_type crd_classifier_attribute_type(const crd_classifier *classifier, size_t attribute) {
    return classifier->attributes[attribute].type;
}

size_t crd_classifier_estimates(const crd_classifier *classifier, crd_estimate *out, size_t capacity) {
    for (size_t i = 0; i < capacity && i < classifier->estimates.count; i++) out[i] = classifier->estimates.entries[i];
    return classifier->estimates.count;
}

int crd_classifier_family(const crd_classifier *classifier, size_t attribute, crd_family *out) {
    return crd_i_family_describe(classifier->attributes[attribute].family, out);
}

/* Returns 0 if the family was specified, or if `index` is past the last candidate. */
int crd_classifier_candidate(const crd_classifier *classifier, size_t attribute, size_t index, crd_candidate *out) {
    const crd_i_comparison *comparison = classifier->attributes[attribute].comparison;
    crd_candidate candidate = CRD_CANDIDATE_INIT;
    bool is_there = comparison != NULL && index < comparison->count;
    if (is_there) {
        const crd_i_candidate *source_candidate = &comparison->each[index];
        candidate.family = source_candidate->family->name;
        candidate.is_chosen = source_candidate->is_chosen;
        candidate.left_out = source_candidate->left_out[0] == '\0' ? NULL : source_candidate->left_out;
        candidate.score = source_candidate->score;
        candidate.standard_error = source_candidate->standard_error;
    }
    crd_i_copy_out(&candidate, sizeof candidate, out);
    return is_there;
}

bool crd_i_attribute_has_density(const crd_i_attribute *attribute) {
    return attribute->density != NULL && !attribute->density->is_silent;
}

bool crd_i_attribute_counts(const crd_i_attribute *attribute) {
    return !attribute->is_joint && crd_i_attribute_has_density(attribute);
}

/* ======== 3. Class prior ========
 *
 * Let n_c of the N rows be in class c, with C classes and pseudo-count L:
 *
 *   frequency   n_c / N
 *   laplace:L   (n_c + L) / (N + L C)
 *   uniform     1 / C
 *
 * A specified prior is used as it was given. */

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
            return class_prior_refuse(error, classes, name,
                                      "may omit at most one class, but omits several, for example");
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

/* ======== 4. Unseen values ========
 *
 * Warns of categorical columns if all of their values are new to the classifier. See credence/classifier.h.
 *
 * The dictionaries of the reader contain all values that were read, so the rows need not be read again for each column. */

enum { MOST_NAMED = 10, FEWEST_ROWS = 2 };

typedef struct columns_search {
    const crd_i_dictionary *known;
    bool has_values;
} columns_search;

/* Records that the column has values. Returns false, which ends the search, if the classifier has seen this value. */
static bool see_value(void *user, crd_text text) {
    columns_search *s = user;
    s->has_values = true;
    return crd_i_find_value(s->known, text) < 0;
}

/* Returns whether a categorical column has values and none of them occurred in training. */
static bool is_unseen_column(const crd_i_attribute *attribute, const crd_reader *reader) {
    columns_search s = {attribute->values, false};
    if (attribute->type != CRD_TYPE_CATEGORICAL || s.known == NULL || crd_i_intervals_are(&attribute->intervals))
        return false;
    return crd_i_reader_each_value(reader, attribute->name, see_value, &s) && s.has_values;
}

/* Lists at most MOST_NAMED columns by name and counts the others. */
void crd_classifier_warn_unseen(const crd_classifier *classifier, const crd_reader *reader, uint64_t rows) {
    char names[MOST_NAMED * (CRD_I_QUOTED_ROOM + 4) + 32] = "", shown[CRD_I_QUOTED_ROOM];
    crd_text first = {NULL, 0};
    size_t count = 0, length = 0;
    if (rows < FEWEST_ROWS || crd_i_reader_group(reader) != NULL) return;
    for (size_t i = 0; i < classifier->attribute_count; i++) {
        const crd_i_attribute *attribute = &classifier->attributes[i];
        if (!is_unseen_column(attribute, reader)) continue;
        if (count == 0) first = attribute->name;
        if (count++ < MOST_NAMED)
            length += (size_t)snprintf(names + length, sizeof names - length, "%s'%s'", count > 1 ? ", " : "",
                                       crd_i_quote(attribute->name, shown));
    }
    if (count == 0) return;
    if (count > MOST_NAMED) snprintf(names + length, sizeof names - length, " and %zu more", count - MOST_NAMED);
    crd_i_context_log(classifier->context, CRD_LOG_WARNING, CRD_LOG_VALUES_UNSEEN, first,
                      "no value of %s occurred in training: %s ignored", names,
                      count == 1 ? "the column was" : "these columns were");
}
