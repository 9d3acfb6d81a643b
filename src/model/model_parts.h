/* SPDX-License-Identifier: MIT */
/* model_parts.h - creates and copies models. */
#ifndef CRD_MODEL_MODEL_PARTS_H
#define CRD_MODEL_MODEL_PARTS_H

#include "model/model_internal.h"

/* Creates a model. Takes over the schema, even if it fails. Copies the settings (NULL: defaults) and stores the
 * extra and joint tallies that they need; the bare version stores none. If the settings specify a network to count,
 * the schema needs no target. */
CRD_MUST_USE crd_status crd_i_model_create(crd_context *context, crd_i_schema *schema, const crd_settings *settings,
                                           crd_model **out, crd_error *error);
CRD_MUST_USE crd_status crd_i_model_create_bare(crd_context *context, crd_i_schema *schema,
                                                const crd_settings *settings, crd_model **out, crd_error *error);
/* Stores further tallies and joint tallies from now on. The model must not have learned anything; on failure it is
 * unchanged. */
CRD_MUST_USE crd_status crd_i_model_keep(crd_model *model, crd_i_kept kept, crd_error *error);
/* Stores the same tallies as another model with the same columns, and no others: later settings might require other
 * tallies. The model must be bare and must not have learned anything. */
CRD_MUST_USE crd_status crd_i_model_keep_like(crd_model *model, const crd_model *like, crd_error *error);
/* Creates a model with the same columns, settings, extra tallies and joint tallies, but without rows. */
CRD_MUST_USE crd_status crd_i_model_create_like(const crd_model *model, crd_model **out, crd_error *error);
/* Copies a model with everything it has learned. */
CRD_MUST_USE crd_status crd_i_model_clone(const crd_model *model, crd_model **out, crd_error *error);

#endif
