/* SPDX-License-Identifier: MIT */
/* schema_part_file.h - writes and reads the merge information that the schema file of a table part contains. */
#ifndef CRD_IO_SCHEMA_PART_FILE_H
#define CRD_IO_SCHEMA_PART_FILE_H

#include "io/byte_codec.h"
#include "io/schema_merge.h"
#include "table/formats/json.h"

/* Writes a text in quotes with the necessary escapes; see schema_file.c. */
void crd_i_schema_put_text(crd_i_encoder *encoder, crd_text text);

/* Writes the member "part" after the other members. */
void crd_i_schema_put_part(crd_i_encoder *encoder, const crd_schema *schema);

/* The part as it is read, possibly before the columns are known. */
typedef struct crd_i_schema_part_field {
    crd_text name; /* in the bytes being read */
    uint64_t line;
    unsigned members; /* bits of the members read so far */
    crd_i_field_evidence evidence;
} crd_i_schema_part_field;

typedef struct crd_i_schema_part_draft {
    crd_context *context;
    bool is_there;
    unsigned members;          /* bits of the members read so far */
    crd_i_part_evidence facts; /* without fields */
    crd_i_schema_part_field *fields;
    size_t count, capacity;
} crd_i_schema_part_draft;

/* Reads the value of the member, which comes next. */
CRD_MUST_USE crd_status crd_i_schema_read_part(crd_i_json *json, crd_i_schema_part_draft *draft, crd_error *error);
/* Moves the draft into the schema. */
CRD_MUST_USE crd_status crd_i_schema_take_part(crd_schema *schema, crd_i_schema_part_draft *draft, crd_error *error);
void crd_i_schema_clear_part_draft(crd_i_schema_part_draft *draft);

#endif
