/* SPDX-License-Identifier: MIT */
/* show_contrast.h - compares each class with the rest, the most informative columns first. */
#ifndef CREDENCE_CLI_SHOW_CONTRAST_H
#define CREDENCE_CLI_SHOW_CONTRAST_H

#include "core/report.h"

/* Reports one line per column for each of these classes, by descending divergence. The report for people has the
 * first lines, or all of them if `all` is set. */
int show_contrast(crd_result *r, const crd_summary *summary, const size_t *classes, size_t class_count, bool all);

#endif
