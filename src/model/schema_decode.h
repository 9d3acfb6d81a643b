/* SPDX-License-Identifier: MIT */
/* schema_decode.h - decodes the schema sections of a model file from untrusted bytes. */
#ifndef CRD_MODEL_SCHEMA_DECODE_H
#define CRD_MODEL_SCHEMA_DECODE_H

#include "io/byte_codec.h"
#include "table/column_schema.h"

CRD_MUST_USE crd_status crd_i_schema_decode(crd_context *context, crd_i_cursor *cursor, uint32_t version,
                                            crd_i_schema **out, crd_error *error);
/* Decodes the weight into a decoded schema. */
CRD_MUST_USE crd_status crd_i_schema_decode_weight(crd_i_cursor *cursor, crd_i_schema *schema, crd_error *error);

/* Decodes the column formats into a decoded schema. */
CRD_MUST_USE crd_status crd_i_schema_decode_forms(crd_i_cursor *cursor, crd_i_schema *schema, crd_error *error);
/* Checks that columns share a field only as parts of it. Call it after weight and formats are decoded. */
CRD_MUST_USE crd_status crd_i_schema_check_fields(const crd_i_schema *schema, crd_error *error);
/* Decodes the cut points of discretized columns into a decoded schema. Their labels are declared values. */
CRD_MUST_USE crd_status crd_i_schema_decode_cuts(crd_i_cursor *cursor, crd_i_schema *schema, crd_error *error);
/* Checks that the declared values of discretized columns are their interval labels. Call it after everything is
 * decoded. */
CRD_MUST_USE crd_status crd_i_schema_check_labels(const crd_i_schema *schema, crd_error *error);

#endif
