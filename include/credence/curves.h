/* SPDX-License-Identifier: MIT */
/* credence/curves.h - what a classifier knows as series to be drawn: densities of a number attribute and the decision by it
 * alone; nomograms.
 *
 * Immutable, shared by threads. Arrays live as long as what they are of. */
#ifndef CREDENCE_CURVES_H
#define CREDENCE_CURVES_H

#include <credence/classifier.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Densities of a number attribute under each class ---- */

typedef struct crd_density_curves crd_density_curves;

/* Where a class is decided for by the attribute alone and the priors. */
typedef struct crd_decision_region {
    double from, to;
    size_t class_index;
} crd_decision_region;

/* Computes the densities at about so many points (2 at least, 100,000 at most), further ones where a class has a narrow density, and at
 * each cut point. The axis reaches over all classes but for 0.13 % on either side: of a normal density, 3 standard deviations.
 * The classifier is read in this call alone. CRD_ERROR_COLUMN where the attribute is no number, CRD_ERROR_EMPTY where it has no density that can
 * be drawn, CRD_ERROR_ARGUMENT where there is no such attribute or the points are out of range. */
CRD_API CRD_MUST_USE crd_status crd_density_curves_create(const crd_classifier *classifier, size_t attribute,
                                                          size_t points, crd_density_curves **out, crd_error *error);
CRD_API void crd_density_curves_destroy(crd_density_curves *curves);

/* The axis, ascending. */
CRD_API const double *crd_density_curves_x(const crd_density_curves *curves, size_t *count);
/* The density at each x, of a family of whole numbers their probabilities; NULL: there is no such class. */
CRD_API const double *crd_density_curves_of(const crd_density_curves *curves, size_t class_index);
/* Whether it is of a family of whole numbers, which the axis then has. */
CRD_API int crd_density_curves_is_discrete(const crd_density_curves *curves);
/* Regions side by side, from the first point of the axis to the last. None where the classifier does not decide by the attribute alone, since
 * more than its own density does: a joint density, a correction of probabilities. Where the family computes where densities cross, their
 * borders are exact, and none is missed; else they are found from point to point, and one narrower than that can be overlooked. Of whole
 * numbers, a border is half-way between two of them. */
CRD_API const crd_decision_region *crd_density_curves_regions(const crd_density_curves *curves, size_t *count);

/* ---- Nomograms ----
 *
 * In naive Bayes, the log odds of two classes are a sum: log prior odds, and the weight of evidence of each attribute. A nomogram
 * is a scale for each attribute, in points: the attribute whose weights differ most has 100 of them, and its lowest weight is at 0 points.
 * The sum of points is a log odds, and so a probability. After Lubsen, Pool and van der Does (1978), for naive Bayes Mozina et al. (2004). */
typedef struct crd_nomogram crd_nomogram;

/* The scale of an attribute. Weights are those of crd_weight_of_evidence, in nats, exponents included; points may be infinite, where a value
 * rules a class out. */
typedef struct crd_nomogram_scale {
    size_t size;
    size_t attribute;
    size_t count;          /* of its values */
    const crd_text *names; /* of a category's values; NULL: it is a number, with values x */
    const double *x;       /* ascending; NULL: it is a category */
    const double *weights, *points;
    double missing; /* points where the cell is missing: its weight is 0 */
} crd_nomogram_scale;

#define CRD_NOMOGRAM_SCALE_INIT                                                                                        \
    { sizeof(crd_nomogram_scale), 0, 0, NULL, NULL, NULL, NULL, 0 }

/* Numbers have about so many values, as the density curves have them. P is that of class a where it is a or b; with two classes, its posterior.
 * CRD_ERROR_COLUMN where the log odds are no sum over attributes: methods other than naive Bayes, calibrated probabilities; and where
 * no attribute is a number or a category that weighs anything. Texts have no scale and are left out.
 * Numbers in the tails that would weigh more than 10 nats, and more than 3 times as much as attributes do in the median, are no values of a scale: the
 * others could not be read beside them. */
CRD_API CRD_MUST_USE crd_status crd_nomogram_create(const crd_classifier *classifier, size_t class_a, size_t class_b,
                                                    size_t points, crd_nomogram **out, crd_error *error);
CRD_API void crd_nomogram_destroy(crd_nomogram *nomogram);
/* Scales, those that differ most first. */
CRD_API size_t crd_nomogram_count(const crd_nomogram *nomogram);
CRD_API CRD_MUST_USE crd_status crd_nomogram_scale_at(const crd_nomogram *nomogram, size_t index,
                                                      crd_nomogram_scale *out, crd_error *error);
/* The log prior odds of a against b; and the log odds where all scales are at 0 points. */
CRD_API double crd_nomogram_prior(const crd_nomogram *nomogram);
CRD_API double crd_nomogram_base(const crd_nomogram *nomogram);
/* Nats of log odds that a point is. */
CRD_API double crd_nomogram_unit(const crd_nomogram *nomogram);
/* The greatest sum of points that are finite. */
CRD_API double crd_nomogram_most(const crd_nomogram *nomogram);
/* The probability of a at a sum of points, and the sum of points at which it is p, from 0 to 1. */
CRD_API double crd_nomogram_probability(const crd_nomogram *nomogram, double points);
CRD_API double crd_nomogram_points(const crd_nomogram *nomogram, double p);

#ifdef __cplusplus
}
#endif
#endif
