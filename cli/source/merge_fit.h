/* SPDX-License-Identifier: MIT */
/* merge_fit.h - whether models fit each other, found before any of them is merged. */
#ifndef CREDENCE_CLI_MERGE_FIT_H
#define CREDENCE_CLI_MERGE_FIT_H

#include "core/verb.h"

/* The columns of all model files among the paths: the same names, kinds, forms and roles in all of them. Where two differ, both files and what
 * each has are reported. */
int merge_fit_check(const invocation *call, const char *const *paths, size_t count);

#endif
