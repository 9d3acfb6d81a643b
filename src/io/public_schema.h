/* SPDX-License-Identifier: MIT */
/* public_schema.h - a schema as the public functions present it, including the ignored fields in their positions. */
#ifndef CRD_IO_PUBLIC_SCHEMA_H
#define CRD_IO_PUBLIC_SCHEMA_H

#include "table/column_schema.h"
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
crd_i_form crd_i_schema_field_form(const crd_schema *schema, size_t column);
/* Adds a column with this format to an inner schema, or one column per part of the format, at its next position. On
 * failure, some columns may have been added. */
CRD_MUST_USE bool crd_i_schema_add_formed(crd_i_schema *inner, crd_text name, crd_i_form form, size_t position);

#endif
