/* SPDX-License-Identifier: MIT */
/* schema_model.h - reports the columns of a model, that is, the values that a row to predict may have. */
#ifndef CREDENCE_CLI_SCHEMA_MODEL_H
#define CREDENCE_CLI_SCHEMA_MODEL_H

#include "core/report.h"

/* Reports the columns of a model like schema_profile_report does for a table, as far as the model contains the
 * information. Categories have all their values. */
int schema_model_report(crd_result *r, const crd_schema *schema, const crd_model *model);

#endif
