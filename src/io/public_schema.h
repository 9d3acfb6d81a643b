/* SPDX-License-Identifier: MIT */
/* public_schema.h - a schema as the public calls know it: with the fields that are ignored in their places. */
#ifndef CRD_IO_PUBLIC_SCHEMA_H
#define CRD_IO_PUBLIC_SCHEMA_H

#include "table/column_schema.h"
#include "table/part_evidence.h"

#include <credence/schema.h>

/* A field of the file. */
typedef struct crd_i_schema_field {
    crd_text name;   /* owned; empty where nobody knows it */
    size_t column;   /* of the inner schema; of several parts the first; SIZE_MAX: the weight, or ignored */
    size_t parts;    /* how many columns it feeds */
    int32_t *values; /* the codes of the column's values in order; NULL: none are declared */
} crd_i_schema_field;

struct crd_schema {
    crd_context *context;
    crd_i_schema *inner;        /* its positions are indices of fields */
    crd_i_schema_field *fields; /* inner->width of them */
    crd_i_part_evidence *part;  /* of a part of a table: evidence of each field, for merging; NULL: of a whole one */
};

/* Takes over the schema, also when it fails. The names of ignored fields are left empty. */
CRD_MUST_USE crd_status crd_i_schema_wrap(crd_i_schema *inner, crd_schema **out, crd_error *error);

/* Once values of the inner schema's columns have changed: their order anew. */
CRD_MUST_USE crd_status crd_i_schema_order_fields(crd_schema *schema, crd_error *error);

/* The order of a column's values into its field, which has none; false: out of memory. */
CRD_MUST_USE bool crd_i_schema_field_order(crd_context *context, const crd_i_schema_column *column,
                                           crd_i_schema_field *field);

/* The form of a field, which may have several parts. */
crd_i_form crd_i_schema_field_form(const crd_schema *schema, size_t column);
/* Adds a column of that form to an inner schema, or one for each part of it, at its next position. On failure there may be
 * some. */
CRD_MUST_USE bool crd_i_schema_add_formed(crd_i_schema *inner, crd_text name, crd_i_form form, size_t position);

#endif
