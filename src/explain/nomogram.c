/* SPDX-License-Identifier: MIT */
/* nomogram.c - point scales of the attributes whose sum gives the log odds of two classes (nomogram for naive Bayes:
 * Mozina et al. 2004): see credence/curves.h.
 *
 *   log odds = log prior odds + sum over attributes of w_i(x_i),   w_i(x) = log P(x | a) - log P(x | b)
 *   points_i(x) = (w_i(x) - min w_i) / unit,   unit = largest range of finite w_i / 100
 *   log odds = base + unit * (sum of points),  base = log prior odds + sum of min w_i */
#include "base/arena.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "classify/classifier_internal.h"

#include <credence/curves.h>
#include <credence/explain.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* A scale whose points are not yet known. */
typedef struct scale {
    size_t attribute, count;
    crd_text *names;
    double *x, *weights;
    double least, range; /* minimum and range of the finite weights and 0, the weight of a missing cell */
} scale;

/* Length of the longest scale, in points. */
static const double POINTS = 100;

/* ---- Values and their weights ---- */

/* Computes the weight of evidence of a value and stores it at `index`. */
static crd_status nomogram_add_weight(const crd_classifier *classifier, const size_t classes[2], const crd_value *value,
                                      scale *target_scale, size_t index, crd_error *error) {
    crd_term terms[2] = {CRD_TERM_INIT, CRD_TERM_INIT};
    for (size_t k = 0; k < 2; k++) {
        crd_status status =
            crd_classifier_term(classifier, target_scale->attribute, classes[k], value, &terms[k], error);
        if (status != CRD_OK) return status;
    }
    /* If neither class can have the value, it does not distinguish them, and its weight is 0. */
    const double weight = crd_weight_of_evidence(terms[0].log_value, terms[1].log_value);
    target_scale->weights[index] = isnan(weight) ? 0 : weight;
    return CRD_OK;
}

/* Returns the smallest density that is visible next to the largest one: for a normal density, about 3 standard
 * deviations from the mean. */
static double least_seen(const double *densities, size_t count) {
    static const double SEEN = 0.01;
    double most = 0;
    for (size_t i = 0; i < count; i++)
        if (isfinite(densities[i])) most = fmax(most, densities[i]);
    return fmax(SEEN * most, DBL_MIN);
}

/* Computes the scale of a numeric attribute. Values that only other classes have are excluded, because they would
 * stretch the scale. */
static crd_status weigh_numbers(const crd_classifier *classifier, const size_t classes[2], size_t points,
                                crd_i_arena *arena, scale *target_scale, crd_error *error) {
    crd_density_curves *curves = NULL;
    crd_status status = crd_density_curves_create(classifier, target_scale->attribute, points, &curves, error);
    if (status != CRD_OK) return status == CRD_ERROR_EMPTY ? CRD_OK : status;
    const size_t count = curves->count;
    const double *x = curves->x;
    const double *a = curves->densities + classes[0] * count, *b = curves->densities + classes[1] * count;
    const double least_a = least_seen(a, count), least_b = least_seen(b, count);
    target_scale->x = crd_i_arena_alloc(arena, count, sizeof *target_scale->x);
    target_scale->weights = crd_i_arena_alloc(arena, count, sizeof *target_scale->weights);
    status = crd_i_arena_check(arena, error);
    for (size_t i = 0; status == CRD_OK && i < count; i++) {
        const crd_value value = {CRD_TYPE_NUMERIC, x[i], {NULL, 0}};
        if (!(a[i] >= least_a || b[i] >= least_b)) continue;
        target_scale->x[target_scale->count] = x[i];
        status = nomogram_add_weight(classifier, classes, &value, target_scale, target_scale->count++, error);
    }
    crd_density_curves_destroy(curves);
    return status;
}

/* Computes the scale of a categorical attribute. */
static crd_status weigh_categories(const crd_classifier *classifier, const size_t classes[2], crd_i_arena *arena,
                                   scale *target_scale, crd_error *error) {
    const crd_i_dictionary *values = classifier->attributes[target_scale->attribute].values;
    target_scale->count = crd_i_dictionary_size(values);
    target_scale->names = crd_i_arena_alloc(arena, target_scale->count, sizeof *target_scale->names);
    target_scale->weights = crd_i_arena_alloc(arena, target_scale->count, sizeof *target_scale->weights);
    for (size_t v = 0; target_scale->names != NULL && v < target_scale->count; v++)
        target_scale->names[v] = crd_i_arena_copy_text(arena, crd_i_dictionary_text(values, v));
    crd_status status = crd_i_arena_check(arena, error);
    for (size_t v = 0; status == CRD_OK && v < target_scale->count; v++) {
        const crd_value value = {CRD_TYPE_CATEGORICAL, 0, target_scale->names[v]};
        status = nomogram_add_weight(classifier, classes, &value, target_scale, v, error);
    }
    return status;
}

/* ---- Points ---- */

static int nomogram_compare_doubles(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Computes the minimum and the range of the finite weights. 0 always belongs to them. */
static void nomogram_measure(scale *of) {
    double least = 0, greatest = 0;
    for (size_t i = 0; i < of->count; i++) {
        if (!isfinite(of->weights[i])) continue;
        least = fmin(least, of->weights[i]);
        greatest = fmax(greatest, of->weights[i]);
    }
    of->least = least;
    of->range = greatest - least;
}

/* Returns the largest absolute weight of a scale. */
static double reach_of(const scale *source_scale) {
    return fmax(-source_scale->least, source_scale->range + source_scale->least);
}

/* Removes numbers in the tails of a density. Their weight can be a hundred times the weight of any other attribute,
 * which would make the other scales unreadable. Values are removed if their absolute weight exceeds both 10 nats and 3
 * times the median over the attributes. */
static crd_status leave_out_tails(crd_nomogram *nomogram, scale *scales, crd_error *error) {
    static const double TIMES = 3, LEAST = 10;
    double *reaches = crd_i_arena_alloc(nomogram->arena, nomogram->count, sizeof *reaches);
    if (reaches == NULL) return crd_i_fail_memory(error);
    for (size_t s = 0; s < nomogram->count; s++) reaches[s] = reach_of(&scales[s]);
    qsort(reaches, nomogram->count, sizeof *reaches, nomogram_compare_doubles);
    const double most = fmax(LEAST, TIMES * reaches[nomogram->count / 2]);
    for (size_t s = 0; s < nomogram->count; s++) {
        scale *source_scale = &scales[s];
        size_t kept = 0, within = 0;
        if (source_scale->x == NULL || reach_of(source_scale) <= most) continue;
        for (size_t i = 0; i < source_scale->count; i++) within += fabs(source_scale->weights[i]) <= most;
        for (size_t i = 0; within > 1 && i < source_scale->count; i++) {
            if (!(fabs(source_scale->weights[i]) <= most)) continue;
            source_scale->x[kept] = source_scale->x[i];
            source_scale->weights[kept++] = source_scale->weights[i];
        }
        if (within > 1) source_scale->count = kept;
        nomogram_measure(source_scale);
    }
    return CRD_OK;
}

/* Returns whether some value distinguishes the two classes. */
static bool is_telling(const scale *source_scale) {
    for (size_t i = 0; i < source_scale->count; i++)
        if (source_scale->weights[i] != 0) return true;
    return false;
}

/* Orders by range, largest first, then by attribute. */
static int compare_scales(const void *a, const void *b) {
    const scale *one = a, *other = b;
    if (one->range != other->range) return one->range > other->range ? -1 : 1;
    return (one->attribute > other->attribute) - (one->attribute < other->attribute);
}

/* Sorts the scales, chooses the unit, and computes the points of all values. */
static crd_status nomogram_add_points(crd_nomogram *nomogram, scale *scales, crd_error *error) {
    qsort(scales, nomogram->count, sizeof *scales, compare_scales);
    /* If no range is positive (all weights are infinite or 0), any unit will do. */
    nomogram->unit = scales[0].range > 0 ? scales[0].range / POINTS : 1;
    nomogram->base = nomogram->prior;
    nomogram->scales = crd_i_arena_alloc(nomogram->arena, nomogram->count, sizeof *nomogram->scales);
    for (size_t s = 0; s < nomogram->count; s++) {
        const scale *source = &scales[s];
        double *points = crd_i_arena_alloc(nomogram->arena, source->count, sizeof *points);
        if (crd_i_arena_failed(nomogram->arena)) return crd_i_fail_memory(error);
        for (size_t i = 0; i < source->count; i++) points[i] = (source->weights[i] - source->least) / nomogram->unit;
        nomogram->scales[s] = (crd_nomogram_scale){.attribute = source->attribute,
                                                   .count = source->count,
                                                   .names = source->names,
                                                   .x = source->x,
                                                   .weights = source->weights,
                                                   .points = points,
                                                   .missing = -source->least / nomogram->unit};
        nomogram->base += source->least;
        nomogram->most += source->range / nomogram->unit;
    }
    return CRD_OK;
}

/* ---- The whole ---- */

/* Checks that the classes differ and that the log odds are a sum over attributes. */
static crd_status nomogram_check(const crd_classifier *classifier, size_t class_a, size_t class_b, crd_error *error) {
    const crd_i_scorer_type *type = classifier->scorer->type;
    if (class_a >= classifier->class_count || class_b >= classifier->class_count || class_a == class_b)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "a nomogram needs two different classes");
    bool is_sum = type->joints == NULL && type->pairs == NULL && type->members == NULL && type->correction == NULL &&
                  (type->is_naive || type->weight != NULL);
    if (!is_sum)
        return crd_i_fail(error, CRD_ERROR_COLUMN,
                          "a nomogram needs log odds that are a sum over attributes: naive Bayes, not calibrated");
    return CRD_OK;
}

/* Computes the scales of all attributes that distinguish the classes. */
static crd_status nomogram_fill(const crd_classifier *classifier, const size_t classes[2], size_t points,
                                crd_nomogram *nomogram, crd_error *error) {
    scale *scales = crd_i_arena_alloc(nomogram->arena, classifier->attribute_count + 1, sizeof *scales);
    crd_status status = scales == NULL ? crd_i_fail_memory(error) : CRD_OK;
    if (status != CRD_OK) return status;
    for (size_t a = 0; a < classifier->attribute_count; a++) {
        scale *next = &scales[nomogram->count];
        const crd_i_attribute *attribute = &classifier->attributes[a];
        *next = (scale){.attribute = a};
        if (!crd_i_attribute_counts(attribute)) continue;
        if (attribute->type == CRD_TYPE_NUMERIC)
            status = weigh_numbers(classifier, classes, points, nomogram->arena, next, error);
        else if (attribute->type == CRD_TYPE_CATEGORICAL)
            status = weigh_categories(classifier, classes, nomogram->arena, next, error);
        if (status != CRD_OK) return status;
        if (!is_telling(next)) continue;
        nomogram_measure(next);
        nomogram->count++;
    }
    if (nomogram->count == 0)
        return crd_i_fail(error, CRD_ERROR_COLUMN, "no numeric or categorical attribute separates the two classes");
    status = leave_out_tails(nomogram, scales, error);
    return status == CRD_OK ? nomogram_add_points(nomogram, scales, error) : status;
}

crd_status crd_nomogram_create(const crd_classifier *classifier, size_t class_a, size_t class_b, size_t points,
                               crd_nomogram **out, crd_error *error) {
    const size_t classes[2] = {class_a, class_b};
    *out = NULL;
    crd_status status = nomogram_check(classifier, class_a, class_b, error);
    if (status != CRD_OK) return status;
    crd_nomogram *nomogram = crd_i_arena_object(classifier->context, sizeof *nomogram);
    if (nomogram == NULL) return crd_i_fail_memory(error);
    nomogram->prior = crd_weight_of_evidence(classifier->log_priors[class_a], classifier->log_priors[class_b]);
    status = nomogram_fill(classifier, classes, points, nomogram, error);
    if (status == CRD_OK) *out = nomogram;
    else crd_nomogram_destroy(nomogram);
    return status;
}

void crd_nomogram_destroy(crd_nomogram *nomogram) {
    if (nomogram != NULL) crd_i_arena_destroy(nomogram->arena);
}

/* ---- Results ---- */

double crd_nomogram_points(const crd_nomogram *nomogram, double p) {
    if (!(p >= 0 && p <= 1)) return NAN;
    return (crd_log(p) - crd_log(1 - p) - nomogram->base) / nomogram->unit;
}
