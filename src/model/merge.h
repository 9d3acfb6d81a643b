/* SPDX-License-Identifier: MIT */
/* merge.h - what two models have learned, added up or taken out of each other. */
#ifndef CRD_MODEL_MERGE_H
#define CRD_MODEL_MERGE_H

#include "model/model_internal.h"

/* Adds (sign 1) or takes out (sign -1) what `other`, not the same object, has learned: all or nothing. Adding leaves
 * the lesser of the two layouts, so that it commutes; see credence/model.h. */
CRD_MUST_USE crd_status crd_i_model_combine(crd_model *model, const crd_model *other, int sign, crd_error *error);
/* The same by all processes of the context's group, which have the same two models: in all of them, or in none. */
CRD_MUST_USE crd_status crd_i_model_combine_together(crd_model *model, const crd_model *other, int sign,
                                                     crd_error *error);
/* CRD_ERROR_CANNOT_FORGET where an extra tally can never have rows taken out. */
CRD_MUST_USE crd_status crd_i_model_check_forgets(const crd_model *model, crd_error *error);
/* Adds `other` to the main tallies alone, or takes it out of them: what is in the extra ones and in joint tallies means
 * nothing any more. */
CRD_MUST_USE crd_status crd_i_model_add_main(crd_model *model, const crd_model *other, crd_error *error);
CRD_MUST_USE crd_status crd_i_model_subtract_main(crd_model *model, const crd_model *other, crd_error *error);

#endif
