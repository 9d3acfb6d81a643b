/* SPDX-License-Identifier: MIT */
/* show_attributes.h - the parameters of each attribute in a classifier: the probabilities of its values, or its
 * densities. Reports also the families from which the densities were chosen, and the cut points, at which the
 * decision by the attribute only changes. */
#ifndef CREDENCE_CLI_SHOW_ATTRIBUTES_H
#define CREDENCE_CLI_SHOW_ATTRIBUTES_H

#include "verbs/show/show_values.h"

/* Reports an attribute as an object. The view must exist until the report is written. */
int attribute_report(crd_result *r, const attribute_view *v);

#endif
