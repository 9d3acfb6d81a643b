/* SPDX-License-Identifier: MIT */
/* cut_points.c - the decision boundaries of one numeric attribute.
 *
 * Each class has a curve of log prior + log density over the real line, and the highest curve determines the decision.
 * The upper envelope of all curves is computed by divide and conquer. Two envelopes are merged piece by piece: in each
 * piece, one class of either envelope leads, and the family computes where these two curves cross. For C classes, this
 * takes O(C log C) crossings instead of C^2. Curves are not sampled, so no boundary can be missed. */
#include "classify/classifier_internal.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>

/* A piece of an envelope: the leading class from `start` (-INFINITY in the first piece) to the start of the next
 * piece. */
typedef struct points_piece {
    double start;
    uint32_t class_index;
} points_piece;

typedef struct points_outline {
    points_piece *pieces;
    size_t count, capacity;
} points_outline;

static bool cut_points_append(crd_context *context, points_outline *outline, double start, uint32_t class_index) {
    if (outline->count > 0 && outline->pieces[outline->count - 1].class_index == class_index) return true;
    if (!crd_i_reserve(context, &outline->pieces, &outline->capacity, outline->count + 1, sizeof *outline->pieces))
        return false;
    points_piece next = {start, class_index};
    outline->pieces[outline->count++] = next;
    return true;
}

/* Appends the leading class of a and b between `start` and `end`. `a` has the lower class index, so it wins ties. */
static bool cut_points_contend(const crd_classifier *classifier, const crd_i_density *density, uint32_t a, uint32_t b,
                               double start, double end, points_outline *outline) {
    double lead = classifier->priors[a].log_value - classifier->priors[b].log_value, points[2];
    bool a_ahead[3];
    size_t count = density->family->crossings(density, a, b, lead, points, a_ahead);
    size_t i = 0;
    while (i < count && points[i] <= start) i++;
    if (!cut_points_append(classifier->context, outline, start, a_ahead[i] ? a : b)) return false;
    for (; i < count && points[i] < end; i++)
        if (!cut_points_append(classifier->context, outline, points[i], a_ahead[i + 1] ? a : b)) return false;
    return true;
}

/* Merges two envelopes into `outline`. Classes of `a` have lower indices than classes of `b`. Returns false if memory
 * runs out. */
static bool cut_points_overlay(const crd_classifier *classifier, const crd_i_density *density, const points_outline *a,
                               const points_outline *b, points_outline *outline) {
    double start = -INFINITY;
    for (size_t i = 0, j = 0; i < a->count && j < b->count;) {
        double a_end = i + 1 < a->count ? a->pieces[i + 1].start : INFINITY;
        double b_end = j + 1 < b->count ? b->pieces[j + 1].start : INFINITY;
        double end = a_end < b_end ? a_end : b_end;
        if (!cut_points_contend(classifier, density, a->pieces[i].class_index, b->pieces[j].class_index, start, end,
                                outline))
            return false;
        i += a_end == end;
        j += b_end == end;
        start = end;
    }
    return true;
}

/* Computes the envelope of `count` classes, which are in ascending order. Returns false if memory runs out. */
static bool cut_points_draw(const crd_classifier *classifier, const crd_i_density *density, const uint32_t *classes,
                            size_t count, points_outline *outline) {
    if (count == 1) return cut_points_append(classifier->context, outline, -INFINITY, classes[0]);
    points_outline low = {NULL, 0, 0}, high = {NULL, 0, 0};
    bool done = cut_points_draw(classifier, density, classes, count / 2, &low) &&
                cut_points_draw(classifier, density, classes + count / 2, count - count / 2, &high) &&
                cut_points_overlay(classifier, density, &low, &high, outline);
    crd_free(classifier->context, low.pieces);
    crd_free(classifier->context, high.pieces);
    return done;
}

/* Computes the boundaries. They exist only if the attribute's own density alone decides: no joint density, no
 * calibration and weight 1. */
crd_status crd_classifier_cut_points(const crd_classifier *classifier, size_t attribute, crd_cut_point *out,
                                     size_t capacity, size_t *count, crd_error *error) {
    *count = 0;
    if (attribute >= classifier->attribute_count)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "unknown attribute %zu", attribute);
    const crd_i_attribute *attribute_result = &classifier->attributes[attribute];
    if (!crd_i_attribute_has_density(attribute_result)) return CRD_OK;
    const crd_i_scorer *scorer = classifier->scorer;
    if (attribute_result->is_joint || scorer->type->correction != NULL || crd_i_scorer_weight(scorer, attribute) != 1) {
        char name[CRD_I_QUOTED_ROOM];
        crd_i_fail(error, CRD_ERROR_COLUMN,
                   "cannot compute decision boundaries of '%s': more than its own density decides",
                   crd_i_quote(attribute_result->name, name));
        crd_i_error_subject(error, attribute_result->name);
        return CRD_ERROR_COLUMN;
    }
    if (attribute_result->density->family->crossings == NULL) {
        char name[CRD_I_QUOTED_ROOM];
        crd_i_quote(attribute_result->name, name);
        if (attribute_result->type == CRD_TYPE_NUMERIC)
            crd_i_fail(error, CRD_ERROR_COLUMN,
                       "cannot compute decision boundaries of '%s': not supported for the family '%s'", name,
                       attribute_result->family->name);
        else crd_i_fail(error, CRD_ERROR_COLUMN, "attribute '%s' is not numeric", name);
        crd_i_error_subject(error, attribute_result->name);
        return CRD_ERROR_COLUMN;
    }
    uint32_t *classes = crd_i_alloc(classifier->context, classifier->class_count, sizeof *classes);
    points_outline whole = {NULL, 0, 0};
    size_t possible = 0;
    bool done = classes != NULL;
    for (size_t k = 0; done && k < classifier->class_count; k++)
        if (classifier->priors[k].log_value > -INFINITY) classes[possible++] = (uint32_t)k;
    done = done && cut_points_draw(classifier, attribute_result->density, classes, possible, &whole);
    for (size_t i = 1; done && i < whole.count; i++, (*count)++) {
        crd_cut_point cut = {whole.pieces[i].start, whole.pieces[i - 1].class_index, whole.pieces[i].class_index};
        if (i - 1 < capacity) out[i - 1] = cut;
    }
    crd_free(classifier->context, classes);
    crd_free(classifier->context, whole.pieces);
    return done ? CRD_OK : crd_i_fail_memory(error);
}
