/* SPDX-License-Identifier: MIT */
/* show_components.h - the parts of a classifier other than prior and attributes: joint densities, pairs, members and
 * calibration, and the sufficient statistics stored for them. */
#ifndef CREDENCE_CLI_SHOW_COMPONENTS_H
#define CREDENCE_CLI_SHOW_COMPONENTS_H

#include "core/report.h"

/* Adds members to the current object, for each part that the model has. */
void components_report_kept(crd_result *r, const crd_summary *summary);
int components_report(crd_result *r, const crd_classifier *classifier, bool all);

#endif
