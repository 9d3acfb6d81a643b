/* SPDX-License-Identifier: MIT */
/* schema_part_file.h - what a schema of a part of a table has for merging, written into its file and read from it. */
#ifndef CRD_IO_SCHEMA_PART_FILE_H
#define CRD_IO_SCHEMA_PART_FILE_H

#include "io/byte_codec.h"
#include "io/schema_merge.h"
#include "table/formats/json.h"

/* A text in quotes, with what has to be escaped; see schema_file.c. */
void crd_i_schema_put_text(crd_i_encoder *to, crd_text text);

/* The member "part" behind the others. */
void crd_i_schema_put_part(crd_i_encoder *to, const crd_schema *schema);

/* The part as it is read, before the columns may be known. */
typedef struct crd_i_schema_part_field {
    crd_text name; /* in the bytes being read */
    uint64_t line;
    unsigned members; /* bits of those that were read */
    crd_i_field_evidence evidence;
} crd_i_schema_part_field;

typedef struct crd_i_schema_part_draft {
    crd_context *context;
    bool is_there;
    unsigned members;          /* bits of those that were read */
    crd_i_part_evidence facts; /* without fields */
    crd_i_schema_part_field *fields;
    size_t count, capacity;
} crd_i_schema_part_draft;

/* The value of the member, which is next. */
CRD_MUST_USE crd_status crd_i_schema_read_part(crd_i_json *json, crd_i_schema_part_draft *draft, crd_error *error);
/* Gives the schema what was read. */
CRD_MUST_USE crd_status crd_i_schema_take_part(crd_schema *schema, crd_i_schema_part_draft *draft, crd_error *error);
void crd_i_schema_clear_part_draft(crd_i_schema_part_draft *draft);

#endif
