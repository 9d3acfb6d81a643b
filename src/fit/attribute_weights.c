/* SPDX-License-Identifier: MIT */
/* attribute_weights.c - see fit_internal.h. */
#include "fit/fit_internal.h"

#include "base/error.h"
#include "base/memory.h"
#include "classify/joint_scorer.h"
#include "fit/held_out.h"

#include <math.h>

/* Ridge penalty. Weights that are fitted to few rows shrink towards 1. */
static const double RIDGE = 1;

/* Lower bound of a term. */
static const double LEAST_TERM = -CRD_I_FOLD_WEIGHTS_MOST;

/* The attributes that have a weight. */
typedef struct weights_weighted {
    size_t *attributes;
    size_t count;
} weights_weighted;

/* Returns the scratch size for `place`: one sum per class. */
static size_t attribute_weights_scratch_for(const void *state, const crd_classifier *classifier) {
    (void)state;
    return classifier->class_count;
}

/* Computes the unweighted part of the score: the priors and joint densities, minus the maximum over the classes. */
static crd_status place_base(const crd_i_scored_row *row, const int32_t *classes, double *sums, double *base,
                             crd_error *error) {
    const crd_classifier *source_classifier = row->classifier;
    const crd_i_scorer_joints *joints = source_classifier->scorer->type->joints;
    size_t count = joints == NULL ? 0 : joints->count(source_classifier->scorer);
    crd_status status = CRD_OK;
    double greatest = -INFINITY;
    for (size_t k = 0; k < source_classifier->class_count; k++) sums[k] = source_classifier->log_priors[k];
    for (size_t i = 0; status == CRD_OK && i < count; i++)
        status = joints->add(source_classifier->scorer, row, i, sums, error);
    for (size_t k = 0; k < source_classifier->class_count; k++)
        if (sums[k] > greatest) greatest = sums[k];
    for (size_t k = 0; k < source_classifier->class_count; k++)
        if (sums[k] - greatest > LEAST_TERM) base[classes[k]] = sums[k] - greatest;
    return status;
}

/* Computes the terms of a row: the log density of each weighted attribute under each class, and the unweighted base. */
static crd_status attribute_weights_place(const void *state, const crd_i_scored_row *row, const int32_t *classes,
                                          double *terms, double *base, crd_error *error) {
    const weights_weighted *w = state;
    const crd_classifier *source_classifier = row->classifier;
    double *sums = row->scratch + source_classifier->scorer->scratch;
    crd_status status = place_base(row, classes, sums, base, error);
    for (size_t j = 0; status == CRD_OK && j < w->count; j++) {
        const crd_i_one_cell *cell = &row->cells[w->attributes[j]];
        const crd_i_attribute *attribute = &source_classifier->attributes[w->attributes[j]];
        if (!cell->is_present || cell->is_unseen || !crd_i_attribute_counts(attribute)) continue;
        const crd_i_cells one = crd_i_cells_of(cell);
        for (size_t k = 0; k < source_classifier->class_count; k++) sums[k] = 0;
        attribute->density->family->add(attribute->density, &one, sums);
        for (size_t k = 0; k < source_classifier->class_count; k++)
            terms[(size_t)classes[k] * w->count + j] = sums[k] > LEAST_TERM ? sums[k] : LEAST_TERM;
    }
    return status;
}

/* Fits the weights to the stored rows. `weights` contains 1 for each attribute before the call. */
static crd_status attribute_weights_fit(const crd_classifier *classifier, const crd_i_held_out *inner, double *weights,
                                        crd_error *error) {
    crd_context *context = classifier->context;
    weights_weighted w = {crd_i_alloc(context, classifier->attribute_count, sizeof *w.attributes), 0};
    double *fitted = crd_i_alloc(context, classifier->attribute_count, sizeof *fitted);
    crd_status status = w.attributes == NULL || fitted == NULL ? crd_i_fail_memory(error) : CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < classifier->attribute_count; i++)
        if (crd_i_attribute_counts(&classifier->attributes[i])) {
            fitted[w.count] = 1;
            w.attributes[w.count++] = i;
        }
    const crd_i_fold_weights problem = {.state = &w,
                                        .count = w.count,
                                        .ridge = RIDGE,
                                        .scratch = attribute_weights_scratch_for,
                                        .place = attribute_weights_place};
    if (status == CRD_OK) status = crd_i_fold_weights_fit(&problem, classifier, inner, fitted, error);
    for (size_t j = 0; status == CRD_OK && j < w.count; j++) weights[w.attributes[j]] = fitted[j];
    crd_free(context, w.attributes);
    crd_free(context, fitted);
    return status;
}

/* Returns whether a non-text attribute has a density of its own. Text attributes have weights of terms instead of one
 * weight. */
static bool attribute_weights_has_others(const crd_classifier *classifier) {
    for (size_t i = 0; i < classifier->attribute_count; i++)
        if (classifier->attributes[i].type != CRD_TYPE_TEXT && crd_i_attribute_counts(&classifier->attributes[i]))
            return true;
    return false;
}

/* Finds the weights: uses the model's if they are valid, otherwise fits them and adds them to the classifier's cache.
 * If there are texts, also fits the weights of their terms. */
static crd_status attribute_weights_find(crd_classifier *classifier, const crd_model *model,
                                         const crd_i_schema_view *view, double *weights, crd_error *error) {
    static const char description[] = "attribute-weights";
    size_t count = classifier->attribute_count;
    const bool has_words = crd_i_word_weights_apply(classifier),
               is_fitted = !has_words || attribute_weights_has_others(classifier);
    const crd_i_fit *known = crd_i_fit_cache_find(&model->fitted, description, classifier->settings);
    bool is_known = known != NULL && known->count == count && crd_i_fold_weights_fit_in(known->numbers, count);
    for (size_t i = 0; i < count; i++) weights[i] = is_known && is_fitted ? known->numbers[i] : 1;
    if (is_known && !has_words) return CRD_OK;
    crd_i_held_out *inner;
    crd_status status = crd_i_held_out_create(model, classifier, view, "attribute-weights=fitted", &inner, error);
    if (status == CRD_OK && is_fitted && !is_known) status = attribute_weights_fit(classifier, inner, weights, error);
    if (status == CRD_OK && has_words) {
        for (size_t i = 0; i < count; i++)
            if (classifier->attributes[i].type == CRD_TYPE_TEXT) weights[i] = 1;
        status = crd_i_word_weights_derive(classifier, model, inner, weights, error);
    }
    crd_i_held_out_destroy(inner);
    if (status == CRD_OK &&
        !crd_i_fit_cache_put(&classifier->fitted, description, classifier->settings, weights, count))
        status = crd_i_fail_memory(error);
    return status;
}

crd_status crd_i_attribute_weights_derive(crd_classifier *classifier, const crd_model *model,
                                          const crd_i_schema_view *view, crd_error *error) {
    double *weights = crd_i_alloc(classifier->context, classifier->attribute_count, sizeof *weights);
    if (weights == NULL) return crd_i_fail_memory(error);
    crd_status status = attribute_weights_find(classifier, model, view, weights, error);
    if (status == CRD_OK) crd_i_naive_scorer_set_weights(classifier->scorer, weights);
    else crd_free(classifier->context, weights);
    return status;
}
