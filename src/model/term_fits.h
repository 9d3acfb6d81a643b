/* SPDX-License-Identifier: MIT */
/* term_fits.h - caches in the model the parameters of text densities that need a pass over all terms, so a program
 * that classifies one text does not make this pass.
 *
 * They depend only on the column, its family and the text settings. */
#ifndef CRD_MODEL_TERM_FITS_H
#define CRD_MODEL_TERM_FITS_H

#include "model/model_internal.h"

/* Sets the fitted parameters of the attribute for its family: from the model if it has them, otherwise fitted now
 * and added to `fitted`. Does nothing for families without such parameters. */
CRD_MUST_USE crd_status crd_i_term_fits_find(const crd_model *model, crd_text name, const crd_i_family *family,
                                             const crd_settings *settings, crd_i_tallied *attribute,
                                             crd_i_fit_cache *fitted, crd_error *error);
/* Returns whether the model has a column that may need such a fit. */
bool crd_i_term_fits_apply(const crd_model *model);

#endif
