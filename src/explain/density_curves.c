/* SPDX-License-Identifier: MIT */
/* density_curves.c - densities of a numeric attribute at points of an axis, and the decision from this attribute and
 * the priors only: see credence/curves.h.
 *
 * The decision at x is the class c with the largest log prior(c) + w log p(x | c), where w is the attribute's weight;
 * the first class wins ties. If no class can have x, the value is ignored and the priors decide, as in a classifier. */
#include "base/error.h"
#include "base/memory.h"
#include "classify/classify_row.h"

#include <credence/curves.h>

#include <math.h>
#include <stdlib.h>

/* The curves that are being computed. */
typedef struct curves_drawing {
    const crd_classifier *classifier;
    const crd_i_attribute *attribute;
    /* index of `attribute` in the classifier */
    size_t index;
    double weight;
    double *logs; /* work space: one log density per class */
} curves_drawing;

enum { MOST_POINTS = 100000 };

/* ---- Log densities and decisions at a point ---- */

/* Computes the log density of x under each class into d->logs. Returns false if no class can have x; then all of them
 * are -INFINITY. */
static bool log_densities(const curves_drawing *d, double x) {
    const crd_value value = {CRD_TYPE_NUMERIC, x, {NULL, 0}};
    crd_i_one_cell cell;
    bool is_possible = crd_i_classifier_cell(d->classifier, d->index, &value, &cell, NULL) == CRD_OK &&
                       cell.is_present && !cell.is_unseen;
    for (size_t c = 0; c < d->classifier->class_count; c++) d->logs[c] = is_possible ? 0 : -INFINITY;
    if (!is_possible) return false;
    const crd_i_cells cells = crd_i_cells_of(&cell);
    d->attribute->density->family->add(d->attribute->density, &cells, d->logs);
    return true;
}

/* Returns the class that the attribute and the priors decide for at x. The first class wins ties. */
static size_t decision_at(const curves_drawing *d, double x) {
    const bool is_possible = log_densities(d, x) && d->weight != 0;
    size_t best = 0;
    double most = -INFINITY;
    for (size_t c = 0; c < d->classifier->class_count; c++) {
        const double sum = d->classifier->log_priors[c] + (is_possible ? d->weight * d->logs[c] : 0);
        if (sum > most) best = c, most = sum;
    }
    return best;
}

/* ---- The axis ---- */

static bool density_curves_add_point(crd_density_curves *density_curves, double x) {
    if (!crd_i_reserve(density_curves->context, &density_curves->x, &density_curves->room, density_curves->count + 1,
                       sizeof *density_curves->x))
        return false;
    density_curves->x[density_curves->count++] = x;
    return true;
}

/* Adds `count` equidistant points from `start` to `end`, both included. A discrete axis gets at most one point per
 * whole number. */
static bool density_curves_add_points(crd_density_curves *density_curves, double start, double end, size_t count) {
    if (density_curves->is_discrete && end - start < (double)count) count = (size_t)(end - start) + 1;
    bool is_done = true;
    for (size_t i = 0; is_done && i < count; i++) {
        double x = i + 1 == count ? end : start + (end - start) * ((double)i / (double)(count - 1));
        is_done = density_curves_add_point(density_curves, density_curves->is_discrete ? round(x) : x);
    }
    return is_done;
}

static int density_curves_compare_doubles(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts the points of the axis and removes duplicates. */
static void sort_points(crd_density_curves *curves) {
    size_t kept = 0;
    qsort(curves->x, curves->count, sizeof *curves->x, density_curves_compare_doubles);
    for (size_t i = 0; i < curves->count; i++)
        if (kept == 0 || curves->x[i] > curves->x[kept - 1]) curves->x[kept++] = curves->x[i];
    curves->count = kept;
}

/* Computes the range that holds the central 99.73 % of a class's density. Returns false if the range is not finite and
 * cannot be drawn. */
static bool density_curves_range(const curves_drawing *d, bool is_discrete, size_t class_index, double *low,
                                 double *high) {
    /* Probability on either side of the range: for a normal density, beyond 3 standard deviations. */
    static const double LEFT_OUT = 0.0013498980316300933;
    const crd_i_density *density = d->attribute->density;
    *low = density->family->quantile(density, class_index, LEFT_OUT);
    *high = density->family->quantile(density, class_index, 1 - LEFT_OUT);
    if (is_discrete) {
        *low = floor(*low);
        *high = ceil(*high);
    }
    return isfinite(*high - *low);
}

/* Creates the axis: points over the range of all classes, and additional points over each class whose density is so
 * narrow that the first points might miss it. */
static crd_status make_axis(const curves_drawing *d, size_t points, crd_density_curves *curves, crd_error *error) {
    double from = INFINITY, to = -INFINITY, low, high;
    for (size_t c = 0; c < curves->class_count; c++) {
        if (!density_curves_range(d, curves->is_discrete, c, &low, &high)) continue;
        from = fmin(from, low);
        to = fmax(to, high);
    }
    if (!(to > from) || !isfinite(to - from)) {
        char name[CRD_I_QUOTED_ROOM];
        return crd_i_fail(error, CRD_ERROR_EMPTY, "the densities of attribute '%s' have no finite range to draw",
                          crd_i_quote(d->attribute->name, name));
    }
    static const double NARROW = 1.0 / 6;
    bool is_done = density_curves_add_points(curves, from, to, points);
    for (size_t c = 0; is_done && c < curves->class_count; c++)
        if (density_curves_range(d, curves->is_discrete, c, &low, &high) && high > low &&
            high - low < NARROW * (to - from))
            is_done = density_curves_add_points(curves, low, high, points / 4 + 2);
    if (!is_done) return crd_i_fail_memory(error);
    sort_points(curves);
    return CRD_OK;
}

/* ---- Regions ---- */

/* Appends a region from the end of the last one to `until`, or extends the last one if it has the same class. */
static bool add_region(crd_density_curves *density_curves, double until, size_t class_index) {
    crd_decision_region *last =
        density_curves->region_count > 0 ? &density_curves->regions[density_curves->region_count - 1] : NULL;
    if (last != NULL && last->class_index == class_index) {
        last->to = until;
        return true;
    }
    const double start = last != NULL ? last->to : density_curves->x[0];
    if (!(until > start)) return true;
    if (!crd_i_reserve(density_curves->context, &density_curves->regions, &density_curves->region_room,
                       density_curves->region_count + 1, sizeof *density_curves->regions))
        return false;
    density_curves->regions[density_curves->region_count++] = (crd_decision_region){start, until, class_index};
    return true;
}

/* Returns where the decision stops being `class_low`, by bisection between two points with different decisions. On a
 * discrete axis the border is half-way between two whole numbers. */
static double find_border(const curves_drawing *d, bool is_discrete, double low, double high, size_t class_low) {
    enum { HALVINGS = 64 };
    for (int i = 0; i < HALVINGS && (!is_discrete || high - low > 1); i++) {
        double middle = low + (high - low) / 2;
        if (is_discrete) middle = floor(middle);
        if (!(middle > low && middle < high)) break;
        if (decision_at(d, middle) == class_low) low = middle;
        else high = middle;
    }
    return is_discrete ? low + (high - low) / 2 : high;
}

/* Finds the regions by comparing decisions at neighboring points of the axis. Between two points, up to MOST_BETWEEN
 * borders are found. */
static bool search_regions(const curves_drawing *d, crd_density_curves *curves) {
    enum { MOST_BETWEEN = 8 };
    size_t now = decision_at(d, curves->x[0]);
    for (size_t i = 1; i < curves->count; i++) {
        double low = curves->x[i - 1];
        const double high = curves->x[i];
        const size_t next = decision_at(d, high);
        for (size_t k = 0; now != next && k < MOST_BETWEEN; k++) {
            const double border = find_border(d, curves->is_discrete, low, high, now);
            if (!add_region(curves, border, now)) return false;
            low = curves->is_discrete ? ceil(border) : border;
            now = k + 1 < MOST_BETWEEN ? decision_at(d, low) : next;
        }
    }
    return add_region(curves, curves->x[curves->count - 1], now);
}

/* Finds the regions from the decision boundaries that the family computes exactly, and adds these points to the axis.
 * Sets *is_known to false if the family does not compute them. */
static crd_status exact_regions(const curves_drawing *d, crd_density_curves *curves, bool *is_known, crd_error *error) {
    crd_context *context = curves->context;
    crd_cut_point *cuts = NULL;
    size_t count = 0;
    crd_status status = crd_classifier_cut_points(d->classifier, d->index, NULL, 0, &count, NULL);
    *is_known = status == CRD_OK;
    if (status == CRD_ERROR_COLUMN) return CRD_OK;
    if (status == CRD_OK && (cuts = crd_i_alloc(context, count, sizeof *cuts)) == NULL) status = CRD_ERROR_MEMORY;
    if (status == CRD_OK) status = crd_classifier_cut_points(d->classifier, d->index, cuts, count, &count, NULL);
    const double start = curves->x[0], upper = curves->x[curves->count - 1];
    size_t last = decision_at(d, start);
    bool is_done = status == CRD_OK;
    for (size_t i = 0; is_done && i < count; i++) {
        if (cuts[i].at >= upper) break;
        last = cuts[i].above;
        if (cuts[i].at > start)
            is_done = add_region(curves, cuts[i].at, cuts[i].below) && density_curves_add_point(curves, cuts[i].at);
    }
    crd_free(context, cuts);
    if (!is_done || !add_region(curves, upper, last)) return crd_i_fail_memory(error);
    sort_points(curves);
    return CRD_OK;
}

/* Finds the decision regions. There are none if a joint density covers the attribute or if probabilities are
 * calibrated, because then more than the attribute's own density decides. */
static crd_status find_regions(const curves_drawing *d, crd_density_curves *curves, crd_error *error) {
    if (d->attribute->is_joint || d->classifier->scorer->type->correction != NULL) return CRD_OK;
    bool is_known = false;
    crd_status status = exact_regions(d, curves, &is_known, error);
    if (status == CRD_OK && !is_known && !search_regions(d, curves)) status = crd_i_fail_memory(error);
    return status;
}

/* ---- The whole ---- */

/* Computes the density of every class at every point of the axis. */
static crd_status compute_densities(const curves_drawing *d, crd_density_curves *curves, crd_error *error) {
    curves->densities = crd_i_alloc(curves->context, curves->class_count * curves->count, sizeof *curves->densities);
    if (curves->densities == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < curves->count; i++) {
        log_densities(d, curves->x[i]);
        for (size_t c = 0; c < curves->class_count; c++) curves->densities[c * curves->count + i] = crd_exp(d->logs[c]);
    }
    return CRD_OK;
}

/* Checks the arguments of crd_density_curves_create. */
static crd_status density_curves_check(const crd_classifier *classifier, size_t attribute, size_t points,
                                       crd_error *error) {
    double ignored;
    if (points < 2 || points > MOST_POINTS)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "a curve cannot have %zu points", points);
    if (classifier->class_count == 0) return crd_i_fail(error, CRD_ERROR_EMPTY, "the classifier has no classes");
    /* Fails unless the attribute is numeric and has a density. */
    return crd_classifier_quantile(classifier, attribute, 0, 0.5, &ignored, error);
}

crd_status crd_density_curves_create(const crd_classifier *classifier, size_t attribute, size_t points,
                                     crd_density_curves **out, crd_error *error) {
    *out = NULL;
    crd_status status = density_curves_check(classifier, attribute, points, error);
    if (status != CRD_OK) return status;
    crd_context *context = classifier->context;
    const crd_i_attribute *attribute_result = &classifier->attributes[attribute];
    curves_drawing d = {.classifier = classifier,
                        .attribute = attribute_result,
                        .index = attribute,
                        .weight = crd_i_scorer_weight(classifier->scorer, attribute),
                        .logs = crd_i_alloc(context, classifier->class_count, sizeof *d.logs)};
    crd_density_curves *curves = crd_i_alloc_zeroed(context, 1, sizeof *curves);
    if (d.logs == NULL || curves == NULL) status = crd_i_fail_memory(error);
    if (status == CRD_OK) {
        curves->context = context;
        curves->class_count = classifier->class_count;
        curves->is_discrete = attribute_result->density->family->is_discrete;
        status = make_axis(&d, points, curves, error);
    }
    if (status == CRD_OK) status = find_regions(&d, curves, error);
    if (status == CRD_OK) status = compute_densities(&d, curves, error);
    crd_free(context, d.logs);
    if (status != CRD_OK) {
        if (curves != NULL) curves->context = context;
        crd_density_curves_destroy(curves);
        return status;
    }
    *out = curves;
    return CRD_OK;
}

void crd_density_curves_destroy(crd_density_curves *curves) {
    if (curves == NULL) return;
    crd_context *context = curves->context;
    crd_free(context, curves->x);
    crd_free(context, curves->densities);
    crd_free(context, curves->regions);
    crd_free(context, curves);
}
