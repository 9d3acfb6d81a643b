/* SPDX-License-Identifier: MIT */
/* sequence_part.c - sequences without labels. See sequence_part.h. */
#include "sequence/data/sequence_part.h"

#include "base/error.h"
#include "base/memory.h"
#include "sequence/data/sequences.h"

#include <string.h>

/* Returns a copy of the schema without its target; NULL: out of memory. */
static crd_i_schema *schema_without_target(const crd_i_schema *source_schema) {
    crd_i_schema *schema = crd_i_schema_clone(source_schema);
    if (schema == NULL || schema->target == SIZE_MAX) return schema;
    const size_t target = schema->target, limit = schema->count - target - 1;
    const crd_i_schema_column column = schema->columns[target];
    memmove(schema->columns + target, schema->columns + target + 1, limit * sizeof column);
    schema->columns[schema->count - 1] = column;
    schema->target = SIZE_MAX;
    crd_i_schema_drop_last(schema);
    return schema;
}

static crd_i_sequence_columns *columns_without_target(const crd_i_sequence_columns *like) {
    crd_i_sequence_columns *columns = crd_i_sequence_columns_create(like->context, like->count);
    crd_i_schema *schema = columns == NULL ? NULL : schema_without_target(like->schema);
    if (schema == NULL) {
        crd_i_sequence_columns_release(columns);
        return NULL;
    }
    columns->count = like->count;
    columns->schema = schema;
    for (size_t i = 0; i < like->count; i++) {
        const size_t place = like->schema_columns[i];
        columns->values[i] = like->values[i];
        columns->schema_columns[i] = place > like->schema->target ? place - 1 : place;
    }
    return columns;
}

crd_status crd_i_sequences_unlabelled(const crd_sequences *sequences, crd_sequences **out, crd_error *error) {
    const size_t count = crd_sequences_count(sequences);
    size_t *all = crd_i_alloc(sequences->context, count, sizeof *all);
    *out = NULL;
    if (all == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < count; i++) all[i] = i;
    crd_status status = crd_sequences_select(sequences, all, count, out, error);
    crd_free(sequences->context, all);
    if (status != CRD_OK) return status;
    crd_i_sequence_columns *columns = columns_without_target((*out)->columns);
    if (columns == NULL) {
        crd_sequences_destroy(*out);
        *out = NULL;
        return crd_i_fail_memory(error);
    }
    crd_i_sequence_columns_release((*out)->columns);
    (*out)->columns = columns;
    return CRD_OK;
}
