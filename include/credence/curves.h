/* SPDX-License-Identifier: MIT */
/* credence/curves.h - data for drawing a classifier: density curves of a numeric attribute with its decision regions,
 * and nomograms.
 *
 * All objects are immutable, and threads may share them. Arrays that a function returns live as long as its object. */
#ifndef CREDENCE_CURVES_H
#define CREDENCE_CURVES_H

#ifndef CRD_EXPERIMENTAL
#error "credence/curves.h is experimental: define CRD_EXPERIMENTAL before you include it"
#endif

#include <credence/classifier.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Densities of a numeric attribute under each class ---- */

/* The density of a numeric attribute under each class, evaluated at points of an axis. */
typedef struct crd_density_curves crd_density_curves;

/* An interval of a numeric attribute in which the attribute and the class priors, without other attributes, predict one
 * class. */
typedef struct crd_decision_region {
    double from, to;
    size_t class_index;
} crd_decision_region;

/* Evaluates the densities of attribute number `attribute` at about `points` points, from 2 to 100,000. It adds points
 * where a class has a narrow density, and at each decision boundary. The axis covers every class except 0.13 % of its
 * probability on either side; for a normal density these are 3 standard deviations. The classifier need not outlive the
 * call. The caller destroys *out.
 *
 * CRD_ERROR_COLUMN: the attribute is not numeric. CRD_ERROR_EMPTY: it has no density that can be drawn.
 * CRD_ERROR_ARGUMENT: `attribute` or `points` is out of range. */
CRD_API CRD_MUST_USE crd_status crd_density_curves_create(const crd_classifier *classifier, size_t attribute,
                                                          size_t points, crd_density_curves **out, crd_error *error);
/* Frees density curves. NULL is allowed. */
CRD_API void crd_density_curves_destroy(crd_density_curves *curves);

/* Returns the points of the axis in ascending order, and sets *count to their number. */
CRD_API const double *crd_density_curves_x(const crd_density_curves *curves, size_t *count);
/* Returns the density of a class at each point of the axis. For discrete families these are probabilities of integers.
 * Returns NULL if the class does not exist. */
CRD_API const double *crd_density_curves_of(const crd_density_curves *curves, size_t class_index);
/* Returns non-zero if the family is discrete. Then the points of the axis are integers. */
CRD_API int crd_density_curves_is_discrete(const crd_density_curves *curves);
/* Returns the decision regions, which are adjacent, from the first to the last point of the axis. Sets *count to their
 * number. It is 0 if the prediction from the attribute depends on more than its own density, for example on a joint
 * density or a calibration. If the family can compute where densities cross, the boundaries are exact and complete.
 * Otherwise they are searched from point to point, and a narrower region can be missed. For discrete families, a
 * boundary is halfway between two integers. */
CRD_API const crd_decision_region *crd_density_curves_regions(const crd_density_curves *curves, size_t *count);

/* ---- Nomograms ----
 *
 * In naive Bayes, the log odds of two classes are a sum: the log prior odds, and a weight of evidence for each
 * attribute.
 *
 *   log P(a | x) / P(b | x) = log P(a) / P(b) + sum over attributes j of log P(x_j | a) / P(x_j | b)
 *
 * A nomogram has a scale in points for each attribute. The attribute whose weights have the largest range gets 100
 * points, and the smallest weight of each attribute is at 0 points. A total of points corresponds to log odds, and
 * therefore to a probability. Nomograms for logistic regression: Lubsen, Pool and van der Does (1978); for naive Bayes:
 * Mozina et al. (2004). */
typedef struct crd_nomogram crd_nomogram;

/* The scale of an attribute. Weights are in nats, as crd_weight_of_evidence returns them, and include the attribute's
 * exponent. Weights and points are infinite for a value that rules a class out. Initialize it with
 * CRD_NOMOGRAM_SCALE_INIT. */
typedef struct crd_nomogram_scale {
    size_t size;
    size_t attribute;
    size_t count; /* number of values on the scale */
    /* names of the values of a categorical attribute; NULL: the attribute is numeric, with values x */
    const crd_text *names;
    const double *x; /* values of a numeric attribute in ascending order; NULL: it is categorical */
    const double *weights, *points;
    double missing; /* points of a missing value, whose weight is 0 */
} crd_nomogram_scale;

#define CRD_NOMOGRAM_SCALE_INIT                                                                                        \
    { sizeof(crd_nomogram_scale), 0, 0, NULL, NULL, NULL, NULL, 0 }

/* Creates a nomogram of class a against class b. Scales of numeric attributes have about `points` values, like density
 * curves. The probability is P(a | a or b, x); with two classes this is the posterior of a. Text attributes have no
 * scale. A scale omits values in the tails that would weigh more than 10 nats and more than 3 times the median of the
 * attributes' largest weights. Otherwise the other values would be unreadable. The caller destroys *out.
 *
 * CRD_ERROR_COLUMN: the log odds are not a sum over attributes (a method other than naive Bayes, or calibrated
 * probabilities), or no numeric or categorical attribute has a weight. CRD_ERROR_ARGUMENT: the classes are equal or do
 * not exist. */
CRD_API CRD_MUST_USE crd_status crd_nomogram_create(const crd_classifier *classifier, size_t class_a, size_t class_b,
                                                    size_t points, crd_nomogram **out, crd_error *error);
/* Frees a nomogram. NULL is allowed. */
CRD_API void crd_nomogram_destroy(crd_nomogram *nomogram);
/* Returns the number of scales. They are ordered by the range of their weights, largest first. */
CRD_API size_t crd_nomogram_count(const crd_nomogram *nomogram);
/* Writes scale `index` to *out. Its arrays live as long as the nomogram. CRD_ERROR_ARGUMENT: the index is out of
 * range. */
CRD_API CRD_MUST_USE crd_status crd_nomogram_scale_at(const crd_nomogram *nomogram, size_t index,
                                                      crd_nomogram_scale *out, crd_error *error);
/* Returns the log prior odds of class a against class b, in nats. */
CRD_API double crd_nomogram_prior(const crd_nomogram *nomogram);
/* Returns the log odds at a total of 0 points, in nats. */
CRD_API double crd_nomogram_base(const crd_nomogram *nomogram);
/* Returns how many nats of log odds one point represents. */
CRD_API double crd_nomogram_unit(const crd_nomogram *nomogram);
/* Returns the largest total of finite points. */
CRD_API double crd_nomogram_most(const crd_nomogram *nomogram);
/* Returns the total of points at which class a has probability p. Returns NaN if p is not between 0 and 1. */
CRD_API double crd_nomogram_points(const crd_nomogram *nomogram, double p);

#ifdef __cplusplus
}
#endif
#endif
