/* SPDX-License-Identifier: MIT */
/* schema_merge.h - the steps of a merge of schemas that concern parts of a table. See schema_part.c. */
#ifndef CRD_IO_SCHEMA_MERGE_H
#define CRD_IO_SCHEMA_MERGE_H

#include "io/public_schema.h"

/* CRD_ERROR_SCHEMA_DIFFERS about a column. */
crd_status crd_i_schema_fail_differ(crd_text name, const char *what, crd_error *error);

/* Whether both are schemas of parts that were read alike, or neither is one. */
CRD_MUST_USE crd_status crd_i_schema_check_parts(const crd_schema *a, const crd_schema *b, crd_error *error);
/* Adds the evidence of field of_a of one schema and of_b of the other, each of which may be SIZE_MAX, to that of field `at`. */
CRD_MUST_USE crd_status crd_i_schema_combine_evidence(crd_i_part_evidence *part, size_t at, const crd_schema *a,
                                                      size_t of_a, const crd_schema *b, size_t of_b, crd_error *error);
/* What an open field is, once all evidence is combined: kind, form and values, whose array is for who calls to free. */
CRD_MUST_USE crd_status crd_i_schema_decide(const crd_i_part_evidence *part, size_t at, char convention,
                                            const crd_schema *const *schemas, const size_t *fields,
                                            crd_schema_column *to, crd_error *error);
/* The texts of an open field of a merged schema: those of its parts, unless they are its values. false: out of memory. */
CRD_MUST_USE bool crd_i_schema_keep_texts(crd_schema *schema, size_t at, const crd_schema *const *schemas,
                                          const size_t *fields);

#endif
