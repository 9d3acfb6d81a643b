/* SPDX-License-Identifier: MIT */
/* classifier.c - creates classifiers and returns their properties. The scorer (scorer.h) scores the rows. */
#include "classify/classifier_internal.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

/* ---- Deriving ---- */

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
        attribute->kind = crd_i_model_column_kind(model, column);
        attribute->name = crd_i_text_copy(context, schema->columns[column].name);
        if (attribute->name.bytes == NULL) return crd_i_fail_memory(error);
        if (attribute->kind != CRD_KIND_CATEGORY) continue;
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

/* ---- Properties ---- */

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

crd_kind crd_classifier_kind(const crd_classifier *classifier, size_t attribute) {
    return classifier->attributes[attribute].kind;
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
