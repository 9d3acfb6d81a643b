/* SPDX-License-Identifier: MIT */
/* cut_points.c - where the decision by one number attribute changes.
 *
 * Over the line of numbers, each class has a curve of log prior + log density; the decision is the highest. The outline
 * of all curves is made by halves: two outlines are laid over each other, and in each piece, where one class of either
 * is ahead, the family computes where the two cross. With C classes this takes C log C crossings instead of C^2, and no
 * curve is ever evaluated, so nothing can be missed between two samples. */
#include "classify/classifier_internal.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>

/* The class ahead from `from` (the first: from -INFINITY) to the next piece's. */
typedef struct piece {
    double from;
    uint32_t class_index;
} piece;

typedef struct outline {
    piece *pieces;
    size_t count, capacity;
} outline;

static bool append(crd_context *context, outline *to, double from, uint32_t class_index) {
    if (to->count > 0 && to->pieces[to->count - 1].class_index == class_index) return true;
    if (!crd_i_reserve(context, &to->pieces, &to->capacity, to->count + 1, sizeof *to->pieces)) return false;
    piece next = {from, class_index};
    to->pieces[to->count++] = next;
    return true;
}

/* Between `from` and `end`, a and b contend; a has the lower class index, so it wins where they tie. */
static bool contend(const crd_classifier *classifier, const crd_i_density *density, uint32_t a, uint32_t b, double from,
                    double end, outline *to) {
    double lead = classifier->priors[a].log_value - classifier->priors[b].log_value, points[2];
    bool a_ahead[3];
    size_t count = density->family->crossings(density, a, b, lead, points, a_ahead);
    size_t i = 0;
    while (i < count && points[i] <= from) i++;
    if (!append(classifier->context, to, from, a_ahead[i] ? a : b)) return false;
    for (; i < count && points[i] < end; i++)
        if (!append(classifier->context, to, points[i], a_ahead[i + 1] ? a : b)) return false;
    return true;
}

static bool overlay(const crd_classifier *classifier, const crd_i_density *density, const outline *a, const outline *b,
                    outline *to) {
    double from = -INFINITY;
    for (size_t i = 0, j = 0; i < a->count && j < b->count;) {
        double a_end = i + 1 < a->count ? a->pieces[i + 1].from : INFINITY;
        double b_end = j + 1 < b->count ? b->pieces[j + 1].from : INFINITY;
        double end = a_end < b_end ? a_end : b_end;
        if (!contend(classifier, density, a->pieces[i].class_index, b->pieces[j].class_index, from, end, to))
            return false;
        i += a_end == end;
        j += b_end == end;
        from = end;
    }
    return true;
}

/* The outline of the classes first .. first + count - 1 of `classes`, which are in ascending order. */
static bool draw(const crd_classifier *classifier, const crd_i_density *density, const uint32_t *classes, size_t count,
                 outline *to) {
    if (count == 1) return append(classifier->context, to, -INFINITY, classes[0]);
    outline low = {NULL, 0, 0}, high = {NULL, 0, 0};
    bool done = draw(classifier, density, classes, count / 2, &low) &&
                draw(classifier, density, classes + count / 2, count - count / 2, &high) &&
                overlay(classifier, density, &low, &high, to);
    crd_free(classifier->context, low.pieces);
    crd_free(classifier->context, high.pieces);
    return done;
}

crd_status crd_classifier_cut_points(const crd_classifier *classifier, size_t attribute, crd_cut_point *out,
                                     size_t room, size_t *count, crd_error *error) {
    *count = 0;
    if (attribute >= classifier->attribute_count)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "there is no attribute %zu", attribute);
    const crd_i_attribute *asked = &classifier->attributes[attribute];
    if (!crd_i_attribute_has_density(asked)) return CRD_OK;
    const crd_i_scorer *scorer = classifier->scorer;
    if (asked->is_joint || scorer->type->correction != NULL || crd_i_scorer_weight(scorer, attribute) != 1) {
        char name[CRD_I_QUOTED_ROOM];
        crd_i_fail(error, CRD_ERROR_COLUMN,
                   "the points where decisions by '%s' change are not known where more than its own density decides",
                   crd_i_quote(asked->name, name));
        crd_i_error_subject(error, asked->name);
        return CRD_ERROR_COLUMN;
    }
    if (asked->density->family->crossings == NULL) {
        char name[CRD_I_QUOTED_ROOM];
        crd_i_quote(asked->name, name);
        if (asked->kind == CRD_KIND_NUMBER)
            crd_i_fail(error, CRD_ERROR_COLUMN,
                       "the points where decisions by '%s' change are not known of the family '%s'", name,
                       asked->family->name);
        else crd_i_fail(error, CRD_ERROR_COLUMN, "attribute '%s' is no number", name);
        crd_i_error_subject(error, asked->name);
        return CRD_ERROR_COLUMN;
    }
    uint32_t *classes = crd_i_alloc(classifier->context, classifier->class_count, sizeof *classes);
    outline whole = {NULL, 0, 0};
    size_t possible = 0;
    bool done = classes != NULL;
    for (size_t k = 0; done && k < classifier->class_count; k++)
        if (classifier->priors[k].log_value > -INFINITY) classes[possible++] = (uint32_t)k;
    done = done && draw(classifier, asked->density, classes, possible, &whole);
    for (size_t i = 1; done && i < whole.count; i++, (*count)++) {
        crd_cut_point cut = {whole.pieces[i].from, whole.pieces[i - 1].class_index, whole.pieces[i].class_index};
        if (i - 1 < room) out[i - 1] = cut;
    }
    crd_free(classifier->context, classes);
    crd_free(classifier->context, whole.pieces);
    return done ? CRD_OK : crd_i_fail_memory(error);
}
