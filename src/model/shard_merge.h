/* SPDX-License-Identifier: MIT */
/* shard_merge.h - whether models of shards have counted their columns as what the cells of all shards make them. See shards.h. */
#ifndef CRD_MODEL_SHARD_MERGE_H
#define CRD_MODEL_SHARD_MERGE_H

#include "model/model_internal.h"

/* Before `other` is merged into a model (sign 1), or retracted from it (-1): the shards that the model is to have then, for who calls; NULL:
 * none are left to be merged. CRD_ERROR_SCHEMA_DIFFERS: all shards together show a column to be something else than it was counted as; else as
 * crd_i_shards_check_apart. */
CRD_MUST_USE crd_status crd_i_shard_merge_prepare(const crd_model *model, const crd_model *other, int sign,
                                                  crd_i_shards **out, crd_error *error);
/* After merging has failed: where the model is of some shards, and its columns and other's do not fit, what helps. Returns `status`. */
crd_status crd_i_shard_merge_explain(const crd_model *model, crd_status status, crd_error *error);

#endif
