/* SPDX-License-Identifier: MIT */
/* tallied_kind.c - models of rows that store sufficient statistics (tallies), and how classifiers are derived from
 * them.
 *
 * Priors and densities are derived from the tallies under the classifier's settings. Then the method derives its
 * scorer. */
#include "model/model_internal.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "classify/classifier_internal.h"
#include "classify/joint_scorer.h"
#include "fit/fit_internal.h"
#include "model/column_family.h"
#include "model/model_parts.h"
#include "network_model/model_network.h"
#include "processes/group.h"
#include "table/column_schema.h"

/* ---- Deriving ---- */

/* Sets the classes and derives their priors. Returns CRD_ERROR_EMPTY if the model has no rows. */
static crd_status tallied_kind_derive_priors(crd_classifier *classifier, const crd_model *model,
                                             const crd_i_schema_view *view, crd_error *error) {
    const crd_i_view *classes = &view->views[model->schema->target];
    crd_context *context = classifier->context;
    /* Classes may be declared without having any rows. */
    if (classes->value_count == 0 || crd_i_tally_is_empty(crd_i_model_target(model)->tally))
        return crd_i_fail(error, CRD_ERROR_EMPTY, "the model has learned no rows");
    classifier->class_count = classes->value_count;
    classifier->classes = crd_i_schema_view_dictionary(context, crd_i_model_target(model)->values, classes);
    classifier->priors = crd_i_alloc(context, classes->value_count, sizeof *classifier->priors);
    classifier->log_priors = crd_i_alloc(context, classes->value_count, sizeof *classifier->log_priors);
    double *counts = crd_i_alloc(context, classes->value_count, sizeof *counts);
    crd_status status = CRD_OK;
    if (classifier->classes == NULL || classifier->priors == NULL || classifier->log_priors == NULL || counts == NULL) {
        status = crd_i_fail_memory(error);
    } else {
        for (size_t i = 0; i < classes->value_count; i++)
            counts[i] = crd_i_model_class_rows(model, (size_t)classes->values[i]);
        status = crd_i_prior_derive(classifier->settings, classifier->classes, counts, classifier->priors, error);
        for (size_t i = 0; status == CRD_OK && i < classes->value_count; i++)
            classifier->log_priors[i] = classifier->priors[i].log_value;
    }
    crd_free(context, counts);
    bool estimated =
        classifier->settings->prior == CRD_I_PRIOR_FREQUENCY || classifier->settings->prior == CRD_I_PRIOR_LAPLACE;
    if (status == CRD_OK &&
        !crd_i_estimates_add(&classifier->estimates, "class probabilities", estimated ? classes->value_count - 1 : 0))
        status = crd_i_fail_memory(error);
    return status;
}

/* Replaces a prior by class frequencies with a uniform prior if all densities produce scores that are compared without
 * a prior. A specified prior stays. */
static crd_status drop_prior(crd_classifier *classifier, crd_error *error) {
    bool is_dropped = false;
    for (size_t i = 0; i < classifier->attribute_count; i++) {
        const crd_i_attribute *attribute = &classifier->attributes[i];
        bool has_no_prior = attribute->density != NULL && attribute->density->has_no_prior;
        if (crd_i_attribute_has_density(attribute) && !has_no_prior) return CRD_OK;
        is_dropped |= has_no_prior;
    }
    if (!is_dropped || classifier->settings->prior != CRD_I_PRIOR_FREQUENCY) return CRD_OK;
    crd_status status = crd_settings_set(classifier->settings, "prior", crd_text_of("uniform"), error);
    for (size_t i = 0; status == CRD_OK && i < classifier->class_count; i++) {
        crd_term *prior = &classifier->priors[i];
        if (prior->count == 0) continue; /* a class without rows stays impossible */
        crd_i_prior_fill(classifier->settings, prior->count, prior->total, classifier->class_count, prior);
        classifier->log_priors[i] = prior->log_value;
    }
    return status;
}

/* Derives the densities of all attributes of one family, after the parameters that they share. `tallied` has room for
 * all attributes. */
static crd_status derive_family(crd_classifier *classifier, const crd_i_family *family, const crd_i_tallied *all,
                                crd_i_tallied *tallied, crd_error *error) {
    size_t count = 0;
    for (size_t i = 0; i < classifier->attribute_count; i++)
        if (classifier->attributes[i].family == family && all[i].tally != NULL) tallied[count++] = all[i];
    void *shared = NULL;
    crd_status status = CRD_OK;
    if (family->share != NULL)
        status = family->share(classifier->context, tallied, count, classifier->settings, &shared, error);
    for (size_t i = 0; status == CRD_OK && i < classifier->attribute_count; i++) {
        crd_i_attribute *attribute = &classifier->attributes[i];
        if (attribute->family != family || all[i].tally == NULL) continue;
        status = family->derive(classifier->context, &all[i], classifier->settings, shared, &attribute->density, error);
    }
    crd_free(classifier->context, shared);
    return status;
}

/* Sets the names, types, values and families of the attributes, and finds their tallies. Selects a family for columns
 * with family auto. */
static crd_status tallied_kind_name_attributes(crd_classifier *classifier, const crd_model *model,
                                               const crd_i_schema_view *schema_view, crd_i_tallied *all,
                                               crd_error *error) {
    bool is_network = classifier->settings->method == CRD_I_METHOD_NETWORK;
    for (size_t column = 0; column < model->schema->count; column++) {
        if (column == model->schema->target) continue;
        if (crd_i_context_cancelled(model->context)) return crd_i_fail_cancelled(error);
        const crd_i_variable *variable = &model->variables[column];
        crd_i_attribute *attribute = &classifier->attributes[classifier->attribute_count];
        attribute->name = crd_i_text_copy(classifier->context, model->schema->columns[column].name);
        if (attribute->name.bytes == NULL) return crd_i_fail_memory(error);
        crd_i_tallied *tallied = &all[classifier->attribute_count++];
        attribute->type = crd_i_model_column_type(model, column);
        attribute->family = crd_i_column_family_family(classifier->settings, attribute->name, attribute->type);
        const crd_i_view *view = &schema_view->views[column];
        if (attribute->type == CRD_TYPE_CATEGORICAL) {
            attribute->values = crd_i_schema_view_dictionary(classifier->context, variable->values, view);
            if (attribute->values == NULL || !crd_i_intervals_copy(classifier->context, &attribute->intervals,
                                                                   &model->schema->columns[column].intervals))
                return crd_i_fail_memory(error);
        }
        /* A network replaces the densities. */
        if (attribute->type == CRD_TYPE_NONE || variable->tally == NULL || is_network) continue;
        crd_status status = CRD_OK;
        if (attribute->family == &crd_i_family_auto) {
            status = crd_i_family_selection(model, column, view, classifier->classes, classifier->settings,
                                            &attribute->comparison, error);
            if (status == CRD_OK) attribute->family = attribute->comparison->chosen;
        }
        if (status == CRD_OK) status = crd_i_column_family_open(model, column, attribute->family, view, tallied, error);
        if (status == CRD_OK)
            status = crd_i_term_fits_find(model, attribute->name, attribute->family, classifier->settings, tallied,
                                          &classifier->fitted, error);
        if (status != CRD_OK) return status;
    }
    return CRD_OK;
}

/* Creates the attributes and derives their densities, family by family. */
static crd_status derive_attributes(crd_classifier *classifier, const crd_model *model, const crd_i_schema_view *view,
                                    crd_i_tallied *all, crd_error *error) {
    crd_context *context = classifier->context;
    size_t capacity = model->schema->count;
    crd_status status = crd_i_column_family_check(classifier->settings, model, error);
    if (status != CRD_OK) return status;
    classifier->attributes = crd_i_alloc_zeroed(context, capacity, sizeof *classifier->attributes);
    crd_i_tallied *tallied = crd_i_alloc_zeroed(context, capacity, sizeof *tallied);
    if (classifier->attributes == NULL || tallied == NULL) status = crd_i_fail_memory(error);
    else status = tallied_kind_name_attributes(classifier, model, view, all, error);
    size_t families;
    const crd_i_family *const *table = crd_i_family_table(&families);
    for (size_t i = 0; status == CRD_OK && i < families; i++)
        status = derive_family(classifier, table[i], all, tallied, error);
    crd_free(context, tallied);
    return status;
}

/* Adds the numbers of estimated parameters of attributes that are not scored jointly. Returns false if memory runs
 * out. */
static bool estimate_attributes(const crd_classifier *classifier, const crd_i_tallied *all,
                                crd_i_estimates *target_estimates) {
    size_t families;
    const crd_i_family *const *table = crd_i_family_table(&families);
    for (size_t f = 0; f < families; f++) {
        bool is_first = true;
        for (size_t i = 0; i < classifier->attribute_count; i++) {
            const crd_i_attribute *attribute = &classifier->attributes[i];
            if (attribute->family != table[f] || all[i].tally == NULL || attribute->is_joint) continue;
            if (!table[f]->estimates(attribute->density, &all[i], classifier->settings, is_first, target_estimates))
                return false;
            is_first = false;
        }
    }
    return true;
}

/* Inserts the estimates of the attributes after the estimates of the class probabilities and before the estimates of
 * joint densities, which were added earlier. If the scorer is an ensemble, its estimates are replaced by the sum over
 * its members. */
static crd_status tallied_kind_count_estimates(crd_classifier *classifier, const crd_i_tallied *all, crd_error *error) {
    crd_i_estimates counted = {.context = classifier->context}, *own_estimates = &classifier->estimates;
    bool done = true;
    const crd_i_scorer *scorer = crd_i_scorer_uncorrected(classifier->scorer);
    const crd_i_scorer_members *members = scorer->type->members;
    if (members != NULL && members->count(scorer) > 0) {
        done = members->estimates(scorer, &counted);
    } else {
        for (size_t i = 0; done && i < own_estimates->count; i++) {
            done = crd_i_estimates_add(&counted, own_estimates->entries[i].what, own_estimates->entries[i].count) &&
                   (i > 0 || estimate_attributes(classifier, all, &counted));
        }
    }
    crd_i_estimates_clear(done ? own_estimates : &counted);
    if (done) *own_estimates = counted;
    return done ? CRD_OK : crd_i_fail_memory(error);
}

/* ---- The scorer ---- */

/* Returns CRD_ERROR_SETTING if a method does not support the settings joint or attribute-weights. Ignoring them silently would
 * mislead the user. */
static crd_status tallied_kind_check_together(const crd_settings *settings, const char *takes_all, crd_error *error) {
    if (takes_all == NULL || (settings->joint == CRD_I_TOGETHER_NONE && !settings->attribute_weights_fitted))
        return CRD_OK;
    const char *description = settings->attribute_weights_fitted ? "attribute-weights" : "joint";
    crd_i_fail(error, CRD_ERROR_SETTING, "the setting %s is not supported by the method %s, which %s", description,
               crd_settings_get(settings, "method"), takes_all);
    crd_i_error_subject(error, crd_text_of(description));
    return CRD_ERROR_SETTING;
}

/* Returns CRD_ERROR_COLUMN if there are text columns and the method does not support them. */
static crd_status tallied_kind_check_texts(const crd_classifier *classifier, crd_error *error) {
    const crd_i_method method = classifier->settings->method;
    const char *description = method == CRD_I_METHOD_AODE || method == CRD_I_METHOD_PAIRWISE
                                  ? "pairwise methods support"
                              : method == CRD_I_METHOD_NETWORK ? "networks support"
                                                               : NULL;
    for (size_t i = 0; description != NULL && i < classifier->attribute_count; i++)
        if (classifier->attributes[i].type == CRD_TYPE_TEXT)
            return crd_i_fail_text(error, classifier->attributes[i].name, description);
    return CRD_OK;
}

/* Derives the scorer of the method, and then wraps it for calibration if requested. */
static crd_status derive_scorer(crd_classifier *classifier, const crd_model *model, const crd_i_schema_view *view,
                                crd_error *error) {
    const crd_i_method_entry *method = &crd_i_methods[classifier->settings->method];
    crd_status status = tallied_kind_check_together(classifier->settings, method->takes_all, error);
    if (status == CRD_OK) status = tallied_kind_check_texts(classifier, error);
    if (status == CRD_OK) status = method->derive(classifier, model, view, error);
    const crd_i_calibration_rule calibration = classifier->settings->calibration;
    if (status == CRD_OK && calibration == CRD_I_CALIBRATION_KNOWN_WORDS)
        status = crd_i_known_words_scorer_derive(classifier, error);
    else if (status == CRD_OK && calibration != CRD_I_CALIBRATION_NONE)
        status = crd_i_calibrated_scorer_derive(classifier, model, view, error);
    /* Fits that are cancelled end early without a usable result. */
    if (status == CRD_OK && crd_i_context_cancelled(classifier->context)) status = crd_i_fail_cancelled(error);
    return status;
}

static crd_status tallied_kind_derive(crd_classifier *classifier, const crd_model *model, const crd_i_schema_view *view,
                                      crd_error *error) {
    crd_i_tallied *all = crd_i_alloc_zeroed(classifier->context, model->schema->count, sizeof *all);
    crd_status status =
        all == NULL ? crd_i_fail_memory(error) : tallied_kind_derive_priors(classifier, model, view, error);
    if (status == CRD_OK) crd_i_settings_for_classes(classifier->settings, classifier->class_count);
    if (status == CRD_OK) status = derive_attributes(classifier, model, view, all, error);
    if (status == CRD_OK) status = drop_prior(classifier, error);
    if (status == CRD_OK) status = derive_scorer(classifier, model, view, error);
    if (status == CRD_OK) status = tallied_kind_count_estimates(classifier, all, error);
    crd_free(classifier->context, all);
    return status;
}

const crd_i_model_kind crd_i_tallied_kind = {
    .name = "tallied", .write = crd_i_tallied_write, .derive = tallied_kind_derive};

/* ---- Fitting beforehand ---- */

/* Fits the tables of a network and stores them in the model. The network may lack a target, in which case no classifier
 * exists. */
static crd_status fit_network(crd_model *model, crd_error *error) {
    crd_i_schema_view *view;
    crd_network *network = NULL;
    crd_i_fit_cache fitted = {.context = model->context};
    crd_status status = crd_i_schema_view_create(model, &view, error);
    if (status != CRD_OK) return status;
    model->group = model->context->group;
    status = crd_i_network_of_rows(model, model->settings, view, &fitted, NULL, &network, error);
    model->group = NULL;
    if (status == CRD_OK && !crd_i_fit_cache_join(&model->fitted, &fitted)) status = crd_i_fail_memory(error);
    crd_i_fit_cache_clear(&fitted);
    crd_network_destroy(network);
    crd_i_schema_view_destroy(view);
    return status;
}

/* Fits everything that the settings require and that takes time, such as weights, calibration or a structure search.
 * The results are stored in the model. Does nothing if the model has no rows or nothing is to be fitted. */
crd_status crd_model_fit(crd_model *model, crd_error *error) {
    const crd_settings *settings = model->settings;
    crd_classifier *classifier;
    size_t dependence;
    bool is_searched = crd_i_settings_search(settings, &dependence) != CRD_I_SEARCH_NONE;
    bool is_network_first =
        crd_i_settings_estimator(settings) != CRD_I_ESTIMATOR_COUNTS || (is_searched && model->schema->lacks_target);
    bool is_calibrated =
        settings->calibration != CRD_I_CALIBRATION_NONE && settings->calibration != CRD_I_CALIBRATION_KNOWN_WORDS;
    bool fits = is_searched || crd_i_methods[settings->method].is_fitted || crd_i_joint_scorer_fits_rows(settings) ||
                settings->attribute_weights_fitted || is_calibrated || crd_i_term_fits_apply(model);
    if (crd_i_tally_is_empty(crd_i_model_target(model)->tally)) return CRD_OK;
    crd_status status = CRD_OK;
    if (is_network_first) {
        status = crd_i_group_end(model->context->group, fit_network(model, error), error);
        /* Keep the results fitted before the call was stopped, and start nothing else. */
        bool is_all = model->schema->lacks_target || crd_i_context_cancelled(model->context);
        if (status != CRD_OK || is_all) return status;
    }
    if (!fits) return CRD_OK;
    status = crd_classifier_create(model, NULL, &classifier, error);
    if (status != CRD_OK) return status;
    if (!crd_i_fit_cache_join(&model->fitted, &classifier->fitted)) status = crd_i_fail_memory(error);
    crd_classifier_destroy(classifier);
    return status;
}
