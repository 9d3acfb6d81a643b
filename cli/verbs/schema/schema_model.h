/* SPDX-License-Identifier: MIT */
/* schema_model.h - the columns of a model: what the cells of a row may be that it is asked about. */
#ifndef CREDENCE_CLI_SCHEMA_MODEL_H
#define CREDENCE_CLI_SCHEMA_MODEL_H

#include "core/report.h"

/* As schema_profile_report has it of a table, as far as the model knows: of categories all values. */
int schema_model_report(report *r, const crd_schema *schema, const crd_model *model);

#endif
