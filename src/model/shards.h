/* SPDX-License-Identifier: MIT */
/* shards.h - which shards of a table a model holds, where columns have the kinds that a shard's own cells show, and what the cells of
 * these shards show of them all.
 *
 * What a column is, is decided by the cells of all shards. Each shard has counted it as its own cells show; whether that was right is
 * known once the last shard is merged: then the model is that of the table, and remembers no shards, or merging is refused. Shards
 * that were read by a schema need none of this. */
#ifndef CRD_MODEL_SHARDS_H
#define CRD_MODEL_SHARDS_H

#include "io/byte_codec.h"
#include "table/part_evidence.h"

typedef struct crd_i_shards crd_i_shards;

/* Shard number `shard` of `count`, from 1, and the evidence of the model's columns: of those that one field feeds, the first has it. The
 * evidence is taken over also on failure; *out = NULL where there is no other shard, or no column is as cells show. */
CRD_MUST_USE crd_status crd_i_shards_create(crd_context *context, unsigned shard, unsigned count,
                                            crd_i_part_evidence *columns, crd_i_shards **out, crd_error *error);
/* NULL is fine in the calls below: a model that remembers no shards. */
void crd_i_shards_destroy(crd_i_shards *shards);
CRD_MUST_USE crd_status crd_i_shards_clone(const crd_i_shards *shards, crd_i_shards **out, crd_error *error);

/* CRD_ERROR_DUPLICATE, CRD_ERROR_OVERLAP: all, or some, of their shards are mine, too; CRD_ERROR_SCHEMA_DIFFERS: they are no shards of one
 * table as mine are. */
CRD_MUST_USE crd_status crd_i_shards_check_apart(const crd_i_shards *mine, const crd_i_shards *theirs,
                                                 crd_error *error);
/* In the calls below there are shards. Both together, which are apart and have the same columns. */
CRD_MUST_USE crd_status crd_i_shards_unite(const crd_i_shards *mine, const crd_i_shards *theirs, crd_i_shards **out,
                                           crd_error *error);
/* Whether they are all shards of their table. */
bool crd_i_shards_are_all(const crd_i_shards *shards);
/* What they show of the model's columns. */
const crd_i_part_evidence *crd_i_shards_columns(const crd_i_shards *shards);
/* Adds to an error what helps where shards do not agree. */
void crd_i_shards_hint(crd_error *error);

/* The content of their section in a file; reading fails with CRD_ERROR_DAMAGED. */
void crd_i_shards_write(const crd_i_shards *shards, crd_i_encoder *encoder);
CRD_MUST_USE crd_status crd_i_shards_read(crd_context *context, crd_i_cursor *cursor, crd_i_shards **out,
                                          crd_error *error);

#endif
