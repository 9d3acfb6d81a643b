/* SPDX-License-Identifier: MIT */
/* column_family.h - which family each attribute has, and the tallies that it is derived from. */
#ifndef CRD_MODEL_COLUMN_FAMILY_H
#define CRD_MODEL_COLUMN_FAMILY_H

#include "model/model_internal.h"

/* Every column that the settings name must be an attribute of its family's kind: else CRD_ERROR_SETTING. */
CRD_MUST_USE crd_status crd_i_column_family_check(const crd_settings *settings, const crd_model *model,
                                                  crd_error *error);
/* The family of a column that passed, or crd_i_family_auto; NULL for no kind. */
const crd_i_family *crd_i_column_family_family(const crd_settings *settings, crd_text column, crd_kind kind);
/* The tally of this type that a column with cells has; NULL: the model does not keep it. */
const crd_i_tally *crd_i_column_family_tally(const crd_i_variable *variable, const crd_i_tally_type *type);
/* The tallies of a column, which has one, as the family reads them. CRD_ERROR_SETTING where the model has not kept one
 * of them, or some cells are none that the family can have given. */
CRD_MUST_USE crd_status crd_i_column_family_open(const crd_model *model, size_t column, const crd_i_family *family,
                                                 const crd_i_view *view, crd_i_tallied *out, crd_error *error);

#endif
