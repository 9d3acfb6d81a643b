/* SPDX-License-Identifier: MIT */
/* univariate_terms.c - the prior, the densities of single attributes, and the terms that they add to the score of a
 * row. The terms come from the functions that also score rows, so an explanation consists of exactly the terms of the
 * prediction. */
#include "classify/classify_row.h"

#include "base/error.h"
#include "base/memory.h"

static crd_status univariate_terms_check_index(size_t index, size_t count, const char *description, crd_error *error) {
    if (index < count) return CRD_OK;
    return crd_i_fail(error, CRD_ERROR_ARGUMENT, "unknown %s %zu", description, index);
}

/* Finds the density of a numeric attribute. Returns CRD_ERROR_COLUMN if the attribute is not numeric, and
 * CRD_ERROR_EMPTY if it has no density. */
static crd_status find_density(const crd_classifier *classifier, size_t attribute, size_t class_index,
                               const crd_i_density **density, crd_error *error) {
    crd_status status = univariate_terms_check_index(class_index, classifier->class_count, "class", error);
    if (status == CRD_OK)
        status = univariate_terms_check_index(attribute, classifier->attribute_count, "attribute", error);
    if (status != CRD_OK) return status;
    const crd_i_attribute *attribute_result = &classifier->attributes[attribute];
    char name[CRD_I_QUOTED_ROOM];
    crd_i_quote(attribute_result->name, name);
    if (attribute_result->kind == CRD_KIND_CATEGORY || attribute_result->kind == CRD_KIND_TEXT)
        status = crd_i_fail(error, CRD_ERROR_COLUMN, "attribute '%s' is not numeric", name);
    else if (!crd_i_attribute_has_density(attribute_result))
        status = crd_i_fail(error, CRD_ERROR_EMPTY, "attribute '%s' has no density: no values, or no variance", name);
    if (status != CRD_OK) crd_i_error_subject(error, attribute_result->name);
    *density = attribute_result->density;
    return status;
}

crd_status crd_classifier_moments(const crd_classifier *classifier, size_t attribute, size_t class_index, double *mean,
                                  double *deviation, crd_error *error) {
    const crd_i_density *density;
    crd_status status = find_density(classifier, attribute, class_index, &density, error);
    if (status == CRD_OK) density->family->moments(density, class_index, mean, deviation);
    return status;
}

crd_status crd_classifier_quantile(const crd_classifier *classifier, size_t attribute, size_t class_index, double p,
                                   double *x, crd_error *error) {
    const crd_i_density *density;
    if (!(p > 0 && p < 1))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the probability of a quantile must be between 0 and 1");
    crd_status status = find_density(classifier, attribute, class_index, &density, error);
    if (status == CRD_OK) *x = density->family->quantile(density, class_index, p);
    return status;
}

crd_status crd_classifier_parameters(const crd_classifier *classifier, size_t attribute, size_t class_index,
                                     crd_term_parameter *out, size_t *count, crd_error *error) {
    const crd_i_density *density;
    *count = 0;
    crd_status status = find_density(classifier, attribute, class_index, &density, error);
    if (status == CRD_OK) *count = density->family->parameters(density, class_index, out);
    return status;
}

int crd_classifier_component(const crd_classifier *classifier, size_t attribute, size_t class_index, size_t index,
                             crd_density_component *component) {
    const crd_i_density *density;
    crd_density_component density_component;
    if (find_density(classifier, attribute, class_index, &density, NULL) != CRD_OK ||
        density->family->component == NULL ||
        !density->family->component(density, class_index, index, &density_component))
        return 0;
    crd_i_copy_out(&density_component, sizeof density_component, component);
    return 1;
}

/* ---- Terms ---- */

crd_status crd_classifier_prior(const crd_classifier *classifier, size_t class_index, crd_term *term,
                                crd_error *error) {
    crd_status status = univariate_terms_check_index(class_index, classifier->class_count, "class", error);
    if (status == CRD_OK) crd_i_copy_out(&classifier->priors[class_index], sizeof *classifier->priors, term);
    return status;
}

/* Returns the term of one attribute for one class, multiplied by the attribute's weight. term->form is the reason if
 * the value adds no term. */
crd_status crd_classifier_term(const crd_classifier *classifier, size_t attribute, size_t class_index,
                               const crd_value *value, crd_term *term, crd_error *error) {
    crd_status status = univariate_terms_check_index(class_index, classifier->class_count, "class", error);
    if (status == CRD_OK)
        status = univariate_terms_check_index(attribute, classifier->attribute_count, "attribute", error);
    crd_i_one_cell cell;
    double *logs = NULL;
    if (status == CRD_OK) status = crd_i_classifier_cell(classifier, attribute, value, &cell, error);
    if (status == CRD_OK) status = crd_i_cell_read_alone(classifier, attribute, &cell, &logs, error);
    if (status != CRD_OK) {
        crd_free(classifier->context, logs);
        return status;
    }
    const crd_i_attribute *attribute_result = &classifier->attributes[attribute];
    crd_term result = CRD_TERM_INIT;
    if (!cell.is_present) {
        result.form = CRD_TERM_MISSING;
    } else if (cell.is_unseen) {
        result.form = CRD_TERM_UNSEEN;
    } else if (attribute_result->is_joint) {
        result.form = CRD_TERM_JOINT;
    } else if (!crd_i_attribute_has_density(attribute_result)) {
        result.form = CRD_TERM_SILENT;
    } else {
        const crd_i_cells cells = crd_i_cells_of(&cell);
        attribute_result->density->family->term(attribute_result->density, &cells, class_index, &result);
        result.exponent = crd_i_scorer_weight(classifier->scorer, attribute);
        if (result.exponent != 1) result.log_value = result.exponent == 0 ? 0 : result.exponent * result.log_value;
    }
    crd_free(classifier->context, logs);
    crd_i_copy_out(&result, sizeof result, term);
    return CRD_OK;
}
