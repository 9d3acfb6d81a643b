/* SPDX-License-Identifier: MIT */
/* schema_decode.h - the sections of a model file that hold its schema, from bytes that may be hostile. */
#ifndef CRD_MODEL_SCHEMA_DECODE_H
#define CRD_MODEL_SCHEMA_DECODE_H

#include "io/byte_codec.h"
#include "table/column_schema.h"

CRD_MUST_USE crd_status crd_i_schema_decode(crd_context *context, crd_i_cursor *cursor, uint32_t version,
                                            crd_i_schema **out, crd_error *error);
/* The weight, into a schema that was decoded. */
CRD_MUST_USE crd_status crd_i_schema_decode_weight(crd_i_cursor *cursor, crd_i_schema *schema, crd_error *error);

/* The forms of columns, into a schema that was decoded. */
CRD_MUST_USE crd_status crd_i_schema_decode_forms(crd_i_cursor *cursor, crd_i_schema *schema, crd_error *error);
/* Once weight and forms are there: columns share a field only as parts of it. */
CRD_MUST_USE crd_status crd_i_schema_check_fields(const crd_i_schema *schema, crd_error *error);
/* The cut points of columns of intervals, into a schema that was decoded. Their labels are declared values. */
CRD_MUST_USE crd_status crd_i_schema_decode_cuts(crd_i_cursor *cursor, crd_i_schema *schema, crd_error *error);
/* Once all is decoded: whether the declared values of columns of intervals are their labels. */
CRD_MUST_USE crd_status crd_i_schema_check_labels(const crd_i_schema *schema, crd_error *error);

#endif
