/* SPDX-License-Identifier: MIT */
/* show_curves.h - series that pictures are drawn from: densities of a number attribute with the decision by it alone, and nomograms. */
#ifndef CREDENCE_CLI_SHOW_CURVES_H
#define CREDENCE_CLI_SHOW_CURVES_H

#include "verbs/show/show_values.h"

/* Points of an axis. */
enum { CURVE_POINTS = 121 };

/* The curves of a number attribute, an object for machines; nothing where there is none to be drawn. */
int curves_report(report *r, const attribute_view *v);
/* Two classes: the second against the first. More: each against the one of the greatest prior. An array for machines, empty where
 * the log odds are no sum over attributes. */
int nomograms_report(report *r, const crd_classifier *classifier);

/* The class that others are against, and how many nomograms there are. */
size_t nomogram_reference(const crd_classifier *classifier);

#endif
