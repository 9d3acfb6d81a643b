/* SPDX-License-Identifier: MIT */
/* schema_profile.h - reports the profile of a table's columns. */
#ifndef CREDENCE_CLI_SCHEMA_PROFILE_H
#define CREDENCE_CLI_SCHEMA_PROFILE_H

#include "core/report.h"

/* Reports all columns of the schema, including ignored ones. The profile describes all others. */
void schema_profile_report(crd_result *r, const crd_schema *schema, const crd_profile *profile);

#endif
