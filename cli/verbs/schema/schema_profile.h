/* SPDX-License-Identifier: MIT */
/* schema_profile.h - the profile of a table's columns as a report. */
#ifndef CREDENCE_CLI_SCHEMA_PROFILE_H
#define CREDENCE_CLI_SCHEMA_PROFILE_H

#include "core/report.h"

/* Columns as the schema has them, ignored ones among them, with what the profile has of the others. */
void schema_profile_report(report *r, const crd_schema *schema, const crd_profile *profile);

#endif
