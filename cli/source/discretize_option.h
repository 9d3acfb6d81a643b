/* SPDX-License-Identifier: MIT */
/* discretize_option.h - --discretize: number columns that become categories of intervals. */
#ifndef CREDENCE_CLI_DISCRETIZE_OPTION_H
#define CREDENCE_CLI_DISCRETIZE_OPTION_H

#include "core/invocation.h"

/* Applies --discretize to a reader whose columns have been chosen. Where its rules look for cut points in the rows, *out
 * is the schema that has these, to be applied to another reader of the same paths; where cut points are given and paths
 * can be read once only, the reader has them, and *out is NULL. */
int discretize_option_apply(const invocation *call, crd_reader *reader, const char *const *paths, size_t count,
                            crd_schema **out);
/* Whether a rule of --discretize looks at the rows, or even at their classes, in order to place cut points. */
bool discretize_option_reads_rows(const invocation *call);
bool discretize_option_reads_classes(const invocation *call);

#endif
