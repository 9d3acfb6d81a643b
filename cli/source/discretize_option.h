/* SPDX-License-Identifier: MIT */
/* discretize_option.h - --discretize: converts numeric columns to categories of intervals. */
#ifndef CREDENCE_CLI_DISCRETIZE_OPTION_H
#define CREDENCE_CLI_DISCRETIZE_OPTION_H

#include "core/invocation.h"

/* Applies --discretize to a reader whose columns have been chosen. If rules compute cut points from the rows, *out is
 * the schema that contains them, to be applied to another reader of the same paths. If cut points are given and a path
 * can be read only once, the reader gets them directly, and *out is NULL. */
int discretize_option_apply(const invocation *call, crd_reader *reader, const char *const *paths, size_t count,
                            crd_schema **out);
/* Return whether a rule of --discretize uses the rows, or also their classes, to compute cut points. */
bool discretize_option_reads_rows(const invocation *call);
bool discretize_option_reads_classes(const invocation *call);

#endif
