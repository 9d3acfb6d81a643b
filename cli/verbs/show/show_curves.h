/* SPDX-License-Identifier: MIT */
/* show_curves.h - the series from which pictures are drawn: densities of a numeric attribute with the decision by
 * this attribute only, and nomograms. */
#ifndef CREDENCE_CLI_SHOW_CURVES_H
#define CREDENCE_CLI_SHOW_CURVES_H

#include "verbs/show/show_values.h"

/* Number of points on an axis. */
enum { CURVE_POINTS = 121 };

/* Reports the curves of a numeric attribute as a JSON object. Reports nothing if the attribute has no curves. */
int curves_report(crd_result *r, const attribute_view *v);
/* Reports the nomograms as a JSON array. For two classes, it is the second against the first. For more classes, each
 * is compared with the class that has the largest prior. The array is empty if the log odds are not a sum over
 * attributes. */
int nomograms_report(crd_result *r, const crd_classifier *classifier);

/* Returns the reference class, with which the nomograms compare the others. */
size_t nomogram_reference(const crd_classifier *classifier);

#endif
