/* SPDX-License-Identifier: MIT */
/* show_contrast.h - each class against the rest, the most telling columns first. */
#ifndef CREDENCE_CLI_SHOW_CONTRAST_H
#define CREDENCE_CLI_SHOW_CONTRAST_H

#include "core/report.h"

/* For each of these classes a line for each column, by decreasing divergence; people see the first ones, or all. */
int show_contrast(report *r, const crd_summary *summary, const size_t *classes, size_t class_count, bool all);

#endif
