/* SPDX-License-Identifier: MIT */
/* column_family.h - the distribution family of each attribute, and the tallies it is estimated from. */
#ifndef CRD_MODEL_COLUMN_FAMILY_H
#define CRD_MODEL_COLUMN_FAMILY_H

#include "model/model_internal.h"

/* Checks that every column named in the settings is an attribute of its family's type. Otherwise returns
 * CRD_ERROR_SETTING. */
CRD_MUST_USE crd_status crd_i_column_family_check(const crd_settings *settings, const crd_model *model,
                                                  crd_error *error);
/* Returns the family of a checked column, or crd_i_family_auto; NULL for type NONE. */
const crd_i_family *crd_i_column_family_family(const crd_settings *settings, crd_text column, crd_column_type type);
/* Returns the tally of this type for a column with cells; NULL: the model does not store it. */
const crd_i_tally *crd_i_column_family_tally(const crd_i_variable *variable, const crd_i_tally_type *type);
/* Opens the tallies of a column for its family. The column must have a tally. CRD_ERROR_SETTING: the model does not
 * store one of them, or the family's support does not contain all cells. */
CRD_MUST_USE crd_status crd_i_column_family_open(const crd_model *model, size_t column, const crd_i_family *family,
                                                 const crd_i_view *view, crd_i_tallied *out, crd_error *error);

/* ======== Cached term parameters ========
 *
 * Some parameters of text densities need a pass over all terms. The model caches them, so a program that classifies
 * one text does not make this pass.
 *
 * They depend only on the column, its family and the text settings. */

/* Sets the fitted parameters of the attribute for its family: from the model if it has them, otherwise fitted now
 * and added to `fitted`. Does nothing for families without such parameters. */
CRD_MUST_USE crd_status crd_i_term_fits_find(const crd_model *model, crd_text name, const crd_i_family *family,
                                             const crd_settings *settings, crd_i_tallied *attribute,
                                             crd_i_fit_cache *fitted, crd_error *error);
/* Returns whether the model has a column that may need such a fit. */
bool crd_i_term_fits_apply(const crd_model *model);

#endif
