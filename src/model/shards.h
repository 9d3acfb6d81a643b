/* SPDX-License-Identifier: MIT */
/* shards.h - the shards of a table that a model contains, if column kinds were derived from each shard's own cells; and
 * the evidence from these cells.
 *
 * The cells of all shards determine the kind and format of a column, but each shard counted the column by its own
 * cells. Whether that was right is known after the last shard is merged. Then the model is the model of the whole table
 * and stores no shards, or merging fails. Shards that were read with a schema need none of this. */
#ifndef CRD_MODEL_SHARDS_H
#define CRD_MODEL_SHARDS_H

#include "io/byte_codec.h"
#include "table/part_evidence.h"

typedef struct crd_i_shards crd_i_shards;

/* Creates a record for shard number `shard` of `count`, from 1, and the evidence about the model's columns. If a
 * field has several columns, the first has the evidence. Takes over the evidence, even on failure. *out is NULL if
 * there is no other shard, or if no column kind depends on cells. */
CRD_MUST_USE crd_status crd_i_shards_create(crd_context *context, unsigned shard, unsigned count,
                                            crd_i_part_evidence *columns, crd_i_shards **out, crd_error *error);
/* NULL is allowed in the functions below: a model without shards. */
void crd_i_shards_destroy(crd_i_shards *shards);
CRD_MUST_USE crd_status crd_i_shards_clone(const crd_i_shards *shards, crd_i_shards **out, crd_error *error);

/* Checks that two sets of shards can be merged. CRD_ERROR_DUPLICATE, CRD_ERROR_OVERLAP: all, or some, of `theirs`
 * are also in `mine`; CRD_ERROR_SCHEMA_DIFFERS: they are not shards of the same table. */
CRD_MUST_USE crd_status crd_i_shards_check_apart(const crd_i_shards *mine, const crd_i_shards *theirs,
                                                 crd_error *error);
/* Unites two disjoint sets of shards with the same columns. Here and in the functions below, shards must not be
 * NULL. */
CRD_MUST_USE crd_status crd_i_shards_unite(const crd_i_shards *mine, const crd_i_shards *theirs, crd_i_shards **out,
                                           crd_error *error);
/* Returns whether these are all shards of their table. */
bool crd_i_shards_are_all(const crd_i_shards *shards);
/* Returns the evidence about the model's columns. */
const crd_i_part_evidence *crd_i_shards_columns(const crd_i_shards *shards);
/* Adds a hint to an error about shards that do not agree. */
void crd_i_shards_hint(crd_error *error);

/* Write and read the content of the file section; reading fails with CRD_ERROR_DAMAGED. */
void crd_i_shards_write(const crd_i_shards *shards, crd_i_encoder *encoder);
CRD_MUST_USE crd_status crd_i_shards_read(crd_context *context, crd_i_cursor *cursor, crd_i_shards **out,
                                          crd_error *error);

#endif
