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

/* An interval of a numeric attribute in which the attribute and the class priors, without other attributes, predict one
 * class. */
typedef struct crd_decision_region {
    double from, to;
    size_t class_index;
} crd_decision_region;

/* The density of a numeric attribute under each class, evaluated at points of an axis. Read-only. */
typedef struct crd_density_curves {
    crd_context *context;
    size_t count; /* number of points */
    double *x;    /* the points of the axis in ascending order */
    size_t class_count;
    double *densities; /* densities[class * count + point]; for discrete families, probabilities of integers */
    int is_discrete;   /* the family is discrete, and the points of the axis are integers */
    /* The decision regions, which are adjacent, from the first to the last point of the axis. There are none if the
     * prediction from the attribute depends on more than its own density, for example on a joint density or a
     * calibration. If the family can compute where densities cross, the boundaries are exact and complete. Otherwise
     * they are searched from point to point, and a narrower region can be missed. For discrete families, a boundary is
     * halfway between two integers. */
    size_t region_count;
    crd_decision_region *regions;
    size_t room, region_room; /* for the library */
} crd_density_curves;

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

/* The scale of an attribute. Weights are in nats, as crd_weight_of_evidence returns them, and include the attribute's
 * exponent. Weights and points are infinite for a value that rules a class out. */
typedef struct crd_nomogram_scale {
    size_t attribute;
    size_t count; /* number of values on the scale */
    /* names of the values of a categorical attribute; NULL: the attribute is numeric, with values x */
    const crd_text *names;
    const double *x; /* values of a numeric attribute in ascending order; NULL: it is categorical */
    const double *weights, *points;
    double missing; /* points of a missing value, whose weight is 0 */
} crd_nomogram_scale;

/* A nomogram of two classes. Read-only. */
typedef struct crd_nomogram {
    void *arena;                /* for the library */
    double prior;               /* log prior odds of class a against class b, in nats */
    double base;                /* log odds at a total of 0 points, in nats */
    double unit;                /* how many nats of log odds one point represents */
    double most;                /* the largest total of finite points */
    size_t count;               /* number of scales */
    crd_nomogram_scale *scales; /* ordered by the range of their weights, largest first */
} crd_nomogram;

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
/* Returns the total of points at which class a has probability p. Returns NaN if p is not between 0 and 1. */
CRD_API double crd_nomogram_points(const crd_nomogram *nomogram, double p);

#ifdef __cplusplus
}
#endif
#endif
