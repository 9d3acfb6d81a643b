/* SPDX-License-Identifier: MIT */
/* shard_merge.h - checks that models of shards counted their columns with the kinds that the cells of all shards
 * determine. See shards.h. */
#ifndef CRD_MODEL_SHARD_MERGE_H
#define CRD_MODEL_SHARD_MERGE_H

#include "model/model_internal.h"

/* Computes the shards of the model after `other` is merged into it (sign 1) or retracted (-1), owned by the caller;
 * NULL: no shards remain to be merged. Call it before merging. CRD_ERROR_SCHEMA_DIFFERS: all shards together show
 * that a column was counted with the wrong kind or form. Other errors are those of crd_i_shards_check_apart. */
CRD_MUST_USE crd_status crd_i_shard_merge_prepare(const crd_model *model, const crd_model *other, int sign,
                                                  crd_i_shards **out, crd_error *error);
/* Adds a hint after merging has failed, if the model contains only some shards and the columns of the two models do
 * not match. Returns `status`. */
crd_status crd_i_shard_merge_explain(const crd_model *model, crd_status status, crd_error *error);

#endif
