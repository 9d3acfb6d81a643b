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

/* ---- checks that models of shards counted their columns with the kinds that the cells of all shards
 * determine. See shards.h. */

/* Computes the shards of the model after `other` is merged into it (sign 1) or retracted (-1), owned by the caller;
 * NULL: no shards remain to be merged. Call it before merging. CRD_ERROR_SCHEMA_DIFFERS: all shards together show
 * that a column was counted with the wrong kind or form. Other errors are those of crd_i_shards_check_apart. */
CRD_MUST_USE crd_status crd_i_shard_merge_prepare(const crd_model *model, const crd_model *other, int sign,
                                                  crd_i_shards **out, crd_error *error);
/* Adds a hint after merging has failed, if the model contains only some shards and the columns of the two models do
 * not match. Returns `status`. */
crd_status crd_i_shard_merge_explain(const crd_model *model, crd_status status, crd_error *error);

#endif
