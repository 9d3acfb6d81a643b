/* SPDX-License-Identifier: MIT */
/* family_selection.h - the family auto: chooses the family of a numeric column by how well each family predicts the
 * classes of held-out rows. */
#ifndef CRD_FIT_FAMILY_SELECTION_H
#define CRD_FIT_FAMILY_SELECTION_H

#include "classify/family_comparison.h"
#include "model/model_internal.h"

/* Chooses the family of a column that has a tally. `classes` are the names of the view's conditions. Returns
 * CRD_ERROR_SETTING if the model does not store the tally grid. The caller frees *out with crd_free. */
CRD_MUST_USE crd_status crd_i_family_selection(const crd_model *model, size_t column, const crd_i_view *view,
                                               const crd_i_dictionary *classes, const crd_settings *settings,
                                               crd_i_comparison **out, crd_error *error);

#endif
