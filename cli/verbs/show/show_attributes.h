/* SPDX-License-Identifier: MIT */
/* show_attributes.h - what a classifier has of each attribute: probabilities of its values, or its densities, the
 * families that they were chosen from, and the points where the decision by it alone changes. */
#ifndef CREDENCE_CLI_SHOW_ATTRIBUTES_H
#define CREDENCE_CLI_SHOW_ATTRIBUTES_H

#include "verbs/show/show_values.h"

/* An object. The view has to live until the report is written. */
int attribute_report(report *r, const attribute_view *v);

#endif
