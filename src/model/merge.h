/* SPDX-License-Identifier: MIT */
/* merge.h - adds the sufficient statistics of two models, or subtracts them. */
#ifndef CRD_MODEL_MERGE_H
#define CRD_MODEL_MERGE_H

#include "model/model_internal.h"

/* Adds (sign 1) or subtracts (sign -1) everything that `other`, a different object, has learned: all or nothing.
 * Adding keeps the smaller of the two layouts, so it is commutative; see credence/model.h. */
CRD_MUST_USE crd_status crd_i_model_combine(crd_model *model, const crd_model *other, int sign, crd_error *error);
/* Combines two models like crd_i_model_combine in all processes of the context's group, which have the same two
 * models. It succeeds in all processes or in none. */
CRD_MUST_USE crd_status crd_i_model_combine_together(crd_model *model, const crd_model *other, int sign,
                                                     crd_error *error);
/* Returns CRD_ERROR_CANNOT_FORGET if rows can never be removed from an extra tally. */
CRD_MUST_USE crd_status crd_i_model_check_forgets(const crd_model *model, crd_error *error);
/* Add `other` to the main tallies only, or subtract it. The extra tallies and joint tallies are invalid afterwards. */
CRD_MUST_USE crd_status crd_i_model_add_main(crd_model *model, const crd_model *other, crd_error *error);
CRD_MUST_USE crd_status crd_i_model_subtract_main(crd_model *model, const crd_model *other, crd_error *error);

#endif
