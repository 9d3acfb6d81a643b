/* SPDX-License-Identifier: MIT */
/* public_schema.h - a schema as the public functions present it, including the ignored fields in their positions. */
#ifndef CRD_IO_PUBLIC_SCHEMA_H
#define CRD_IO_PUBLIC_SCHEMA_H

#include "base/byte_codec.h"
#include "table/column_schema.h"
#include "table/formats/json.h"
#include "table/part_evidence.h"

#include <credence/schema.h>

/* A field of the file. */
typedef struct crd_i_schema_field {
    crd_text name;   /* owned; empty if unknown */
    size_t column;   /* column of the inner schema, the first of several parts; SIZE_MAX: the weight, or ignored */
    size_t parts;    /* number of columns that it fills */
    int32_t *values; /* codes of the column's values in display order; NULL: none are declared */
} crd_i_schema_field;

struct crd_schema {
    crd_context *context;
    crd_i_schema *inner;        /* its positions are field indices */
    crd_i_schema_field *fields; /* array of inner->width fields */
    /* for a part of a table: the evidence of each field, for merging; NULL: a complete table */
    crd_i_part_evidence *part;
};

/* Wraps an inner schema. Takes ownership of it, even on failure. The names of ignored fields are left empty. */
CRD_MUST_USE crd_status crd_i_schema_wrap(crd_i_schema *inner, crd_schema **out, crd_error *error);

/* Recomputes the value order of all fields. Call it after the values of inner columns have changed. */
CRD_MUST_USE crd_status crd_i_schema_order_fields(crd_schema *schema, crd_error *error);

/* Stores the order of a column's values in its field, which must have none yet. Returns false if memory runs out. */
CRD_MUST_USE bool crd_i_schema_field_order(crd_context *context, const crd_i_schema_column *column,
                                           crd_i_schema_field *field);

/* Returns the column format of a field, which may have several parts. */
crd_i_column_format crd_i_schema_field_format(const crd_schema *schema, size_t column);
/* Adds a column with this format to an inner schema, or one column per part of the format, at its next position. On
 * failure, some columns may have been added. */
CRD_MUST_USE bool crd_i_schema_add_formed(crd_i_schema *inner, crd_text name, crd_i_column_format format,
                                          size_t position);

/* ======== Merging schemas of parts ========
 *
 * See schema_part.c. */

/* Returns CRD_ERROR_SCHEMA_DIFFERS and fills in the error for a column. */
crd_status crd_i_schema_fail_differ(crd_text name, const char *description, crd_error *error);

/* Checks that both schemas describe parts that were read with the same options, or that neither describes a part. */
CRD_MUST_USE crd_status crd_i_schema_check_parts(const crd_schema *a, const crd_schema *b, crd_error *error);
/* Adds the evidence of field of_a of one schema and field of_b of the other to field `index`. Each may be SIZE_MAX:
 * absent. */
CRD_MUST_USE crd_status crd_i_schema_combine_evidence(crd_i_part_evidence *part, size_t index, const crd_schema *a,
                                                      size_t of_a, const crd_schema *b, size_t of_b, crd_error *error);
/* Decides the type, format and values of an open field after all evidence has been combined. The caller frees the array
 * of values. */
CRD_MUST_USE crd_status crd_i_schema_decide(const crd_i_part_evidence *part, size_t index, char convention,
                                            const crd_schema *const *schemas, const size_t *fields,
                                            crd_schema_column *column, crd_error *error);
/* Stores the texts of an open field of a merged schema: the texts of its parts, unless they are its values. Returns
 * false if memory runs out. */
CRD_MUST_USE bool crd_i_schema_keep_texts(crd_schema *schema, size_t index, const crd_schema *const *schemas,
                                          const size_t *fields);

/* ======== Merge information ========
 *
 * The schema file of a table part contains what merging needs. */

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

/* Returns the cut points of a discretized column and sets *count. They are valid until the schema is changed. Returns
 * NULL if the column is not discretized. A column of several parts has no cut points; each part may have its own. */
const double *crd_i_schema_cuts(const crd_schema *schema, size_t column, size_t *count);

/* Returns the cut points of one part of a column and sets *count. They are valid until the schema is changed. Returns
 * NULL if the part is not discretized. */
const double *crd_i_schema_part_cuts(const crd_schema *schema, size_t column, size_t part, size_t *count);

/* Returns non-zero if the schema is a part: crd_schema_from_rows made it from a reader of a part of the rows (see
 * crd_reader_options.shard). Part 1 of 1 means all rows of files that are themselves a part. Such a schema contains the
 * data that is needed to decide the types, formats and values of the whole table. */
int crd_i_schema_is_part(const crd_schema *schema);

/* Returns non-zero if two schemas are equal: the same columns in the same order, with the same roles, types and values,
 * and all other properties equal. */
bool crd_i_schema_equal(const crd_schema *a, const crd_schema *b);

#endif
