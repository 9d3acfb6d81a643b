/* SPDX-License-Identifier: MIT */
/* family_selection.h - the family auto: which family a number column has, by how well each predicts the classes of
 * rows that were held out. */
#ifndef CRD_FIT_FAMILY_SELECTION_H
#define CRD_FIT_FAMILY_SELECTION_H

#include "classify/family_comparison.h"
#include "model/model_internal.h"

/* Chooses for a column that has a tally; `classes` are those of the view's conditions. CRD_ERROR_SETTING where the
 * model did not keep the grid. */
CRD_MUST_USE crd_status crd_i_family_selection(const crd_model *model, size_t column, const crd_i_view *view,
                                               const crd_i_dictionary *classes, const crd_settings *settings,
                                               crd_i_comparison **out, crd_error *error);

#endif
