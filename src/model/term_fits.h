/* SPDX-License-Identifier: MIT */
/* term_fits.h - what densities of texts need a pass over all terms for, cached in the model: so that a program that is started
 * for one text makes none.
 *
 * It depends on the column, its family and the settings of texts alone. */
#ifndef CRD_MODEL_TERM_FITS_H
#define CRD_MODEL_TERM_FITS_H

#include "model/model_internal.h"

/* Gives the attribute, of the column with this name, what was fitted for its family: what the model has, or else what is
 * fitted now and goes to `fitted`. Families without such numbers are left as they are. */
CRD_MUST_USE crd_status crd_i_term_fits_find(const crd_model *model, crd_text name, const crd_i_family *family,
                                             const crd_settings *settings, crd_i_tallied *attribute,
                                             crd_i_fit_cache *fitted, crd_error *error);
/* Whether the model has a column for which there may be something to fit. */
bool crd_i_term_fits_apply(const crd_model *model);

#endif
