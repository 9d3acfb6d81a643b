/* SPDX-License-Identifier: MIT */
/* model_create.h - making models and copies of them. */
#ifndef CRD_MODEL_MODEL_CREATE_H
#define CRD_MODEL_MODEL_CREATE_H

#include "model/model_internal.h"

/* Takes over the schema, also when it fails; copies the settings (NULL: defaults), and keeps the extra tallies and
 * the joint tallies that are read under them; bare: none. Where these count a stated network, the schema need have
 * no target. */
CRD_MUST_USE crd_status crd_i_model_create(crd_context *context, crd_i_schema *schema, const crd_settings *settings,
                                           crd_model **out, crd_error *error);
CRD_MUST_USE crd_status crd_i_model_create_bare(crd_context *context, crd_i_schema *schema,
                                                const crd_settings *settings, crd_model **out, crd_error *error);
/* Keeps further tallies and joint tallies from now on. The model has learned nothing yet; on failure it is as it
 * was. */
CRD_MUST_USE crd_status crd_i_model_keep(crd_model *model, crd_i_kept kept, crd_error *error);
/* Keeps what another with the same columns does, and no more: settings may have come later that would need others. The
 * model has learned nothing yet, and is bare. */
CRD_MUST_USE crd_status crd_i_model_keep_like(crd_model *model, const crd_model *like, crd_error *error);
/* With the same columns, settings, extra tallies and joint tallies, but nothing learned. */
CRD_MUST_USE crd_status crd_i_model_create_like(const crd_model *model, crd_model **out, crd_error *error);
/* With all that it learned. */
CRD_MUST_USE crd_status crd_i_model_clone(const crd_model *model, crd_model **out, crd_error *error);

#endif
