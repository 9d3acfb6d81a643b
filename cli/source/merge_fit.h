/* SPDX-License-Identifier: MIT */
/* merge_fit.h - checks that models can be merged, before any of them is merged. */
#ifndef CREDENCE_CLI_MERGE_FIT_H
#define CREDENCE_CLI_MERGE_FIT_H

#include "core/verb.h"

/* Checks that all model files among the paths have the same column names, types, formats and roles. If two files
 * differ, reports both files and the difference. */
int merge_fit_check(const invocation *call, const char *const *paths, size_t count);

#endif
