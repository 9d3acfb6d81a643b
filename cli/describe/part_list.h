/* SPDX-License-Identifier: MIT */
/* part_list.h - reports the manifest of a model: the parts that it was merged from. */
#ifndef CREDENCE_CLI_PART_LIST_H
#define CREDENCE_CLI_PART_LIST_H

#include "core/report.h"

/* Adds the number of parts and the first few for people, and all parts for machines. Adds nothing if there are none.
 * `model` may be NULL. */
int part_list_report(crd_result *r, crd_context *context, const crd_model *model);

#endif
