/* SPDX-License-Identifier: MIT */
/* part_list.h - the manifest of a model in reports. */
#ifndef CREDENCE_CLI_PART_LIST_H
#define CREDENCE_CLI_PART_LIST_H

#include "core/report.h"

/* How many parts a model holds and the first ones for people, all for machines; nothing where it has none. NULL is no model. */
int part_list_report(report *r, crd_context *context, const crd_model *model);

#endif
