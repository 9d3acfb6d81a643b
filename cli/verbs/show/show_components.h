/* SPDX-License-Identifier: MIT */
/* show_components.h - what a classifier has beyond prior and attributes: joint densities, pairs, members, calibration;
 * and what was kept for them. */
#ifndef CREDENCE_CLI_SHOW_COMPONENTS_H
#define CREDENCE_CLI_SHOW_COMPONENTS_H

#include "core/report.h"

/* Members of the object that is open, each where there is something of it. */
void components_report_kept(report *r, const crd_summary *summary);
int components_report(report *r, const crd_classifier *classifier, bool all);

#endif
