/* SPDX-License-Identifier: MIT */
/* credence/schema.h - descriptions of columns: names, types, values, target, weight, missing-value texts.
 *
 * Readers infer column types from a whole input. Parts of it, on several machines, may lead to other types and contain
 * other values. If you create one schema and use it for every part, the parts agree. Schema files are JSON that people
 * can read and edit. */
#ifndef CREDENCE_SCHEMA_H
#define CREDENCE_SCHEMA_H

#include <credence/credence.h>
#include <credence/data.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A description of the columns of files. */
typedef struct crd_schema crd_schema;

/* Creates a schema in *out from what a reader has inferred about its columns so far. It is complete once the reader has
 * delivered its last frame. If with_values is not 0, the schema declares all values that have occurred. Otherwise it
 * declares only values that the files themselves declare. Destroy the schema with crd_schema_destroy. */
CRD_API CRD_MUST_USE crd_status crd_schema_from_reader(const crd_reader *reader, int with_values, crd_schema **out,
                                                       crd_error *error);
/* Reads all rows of a reader and creates a schema of its columns in *out. Uses the threads of the reader's options and
 * computes nothing else. with_values works as in crd_schema_from_reader. */
CRD_API CRD_MUST_USE crd_status crd_schema_from_rows(crd_reader *reader, int with_values, crd_schema **out,
                                                     crd_error *error);
/* Frees the schema. `schema` may be NULL. */
CRD_API void crd_schema_destroy(crd_schema *schema);

/* ---- Building a schema in code ---- */

/* Creates a schema without columns in *out. It specifies that files have a header and uses the default missing
 * texts. */
CRD_API CRD_MUST_USE crd_status crd_schema_create(crd_context *context, crd_schema **out, crd_error *error);

/* The role of a column. */
typedef enum crd_role {
    CRD_ROLE_ATTRIBUTE = 0,
    CRD_ROLE_TARGET = 1, /* categorical; at most one column */
    CRD_ROLE_WEIGHT = 2, /* numeric; at most one column */
    CRD_ROLE_IGNORED = 3
} crd_role;

/* A column for crd_schema_add_column. Initialize it with CRD_SCHEMA_COLUMN_INIT. */
typedef struct crd_schema_column {
    size_t size;
    crd_text name;
    crd_role role;
    crd_column_type type;   /* CRD_TYPE_NONE: inferred from the values */
    const crd_text *values; /* declared values of a categorical column, whether or not a row has them; NULL: none */
    size_t value_count;
    crd_text
        format; /* the name of a format, see crd_reader_set_column_format; empty: plain. The format determines the type */
    const double *cuts; /* ascending cut points that discretize the column; see crd_reader_set_cuts. NULL: none */
    size_t cut_count;
} crd_schema_column;

#define CRD_SCHEMA_COLUMN_INIT                                                                                         \
    { sizeof(crd_schema_column), {0, 0}, CRD_ROLE_ATTRIBUTE, CRD_TYPE_NONE, 0, 0, {0, 0}, 0, 0 }

/* Adds a column after the existing ones and copies everything. A column with values is categorical. Returns
 * CRD_ERROR_COLUMN if the name is empty or already used, if there is a second target or weight, or if the type does not
 * fit the role. */
CRD_API CRD_MUST_USE crd_status crd_schema_add_column(crd_schema *schema, const crd_schema_column *column,
                                                      crd_error *error);

/* Merges the schema of another part of a table into `schema`.
 *
 * Columns with the same name are merged; columns that only `other` has are added at the end. A merged column is a text
 * if it is a text in either schema. Otherwise it is categorical if it is categorical in either, and numeric if it is
 * numeric in either. It has the values of both. If only one schema names a target or a weight, the result has it. If a
 * column is numeric in one part and categorical in another, the values of the numeric part are unknown. Returns
 * CRD_ERROR_SCHEMA_DIFFERS if the schemas name different targets or weights, ignore different columns, have different
 * missing texts, or only one has a header.
 *
 * Schemas that are marked as parts are merged exactly: any tree of merges, in any order, gives
 * the same schema. After crd_schema_complete, the merged schema of all parts is byte-identical to the schema of the
 * whole table. JSON columns are ordered by name; other columns have the order of the first schema. Returns
 * CRD_ERROR_LIMIT if the values of a column are needed that a part read as numbers, or in another format, and that were
 * too many to keep. Returns CRD_ERROR_SCHEMA_DIFFERS if only one of the schemas is a part. */
CRD_API CRD_MUST_USE crd_status crd_schema_merge(crd_schema *schema, const crd_schema *other, crd_error *error);
/* Completes a schema after all parts have been merged. Afterwards it describes a whole table and contains no data for
 * merging. Returns CRD_ERROR_NUMBER if a column that is numeric in every part has an infinite value; then the schema is
 * unchanged. */
CRD_API CRD_MUST_USE crd_status crd_schema_complete(crd_schema *schema, crd_error *error);

/* ---- Using a schema; crd_model_create_from_schema creates a model with its columns ---- */

/* Binds a fresh reader to a schema. Its frames then contain exactly the columns that are not ignored, with their types
 * and the target. The schema's missing texts apply, unless the reader's options list others. Columns are matched to the
 * files as in crd_model_bind, except that the target and the weight must be present. A model that is trained from the
 * reader contains the declared values. */
CRD_API CRD_MUST_USE crd_status crd_schema_apply(const crd_schema *schema, crd_reader *reader, crd_error *error);

/* Returns the number of columns, including ignored ones. They have the order of the file. */
CRD_API size_t crd_schema_column_count(const crd_schema *schema);
/* Returns the name of a column. */
CRD_API crd_text crd_schema_column_name(const crd_schema *schema, size_t column);
/* Returns the type of a column. A column of several parts, such as a date, has no type. */
CRD_API crd_column_type crd_schema_column_type(const crd_schema *schema, size_t column);
/* Returns the name of a column's format, as crd_reader_set_column_format accepts it. Returns an empty text if the format is plain. A
 * column of several parts has no type. */
CRD_API crd_text crd_schema_column_format(const crd_schema *schema, size_t column);
/* Returns how many columns of a frame a column becomes: more than one for a date that is split into parts, 0 if it is
 * ignored. */
CRD_API size_t crd_schema_column_parts(const crd_schema *schema, size_t column);
/* Returns the name of a frame column that a column becomes. This is the column's own name if there is only one part. */
CRD_API crd_text crd_schema_part_name(const crd_schema *schema, size_t column, size_t part);
/* Returns the role of a column. */
CRD_API crd_role crd_schema_role(const crd_schema *schema, size_t column);
/* Returns non-zero if a column is ignored. */
CRD_API int crd_schema_is_ignored(const crd_schema *schema, size_t column);
/* Returns non-zero if a value is an interval label, such as "[1.5, 3)". */
CRD_API int crd_is_interval(crd_text label);
/* Returns non-zero if `label` is an interval label and the interval contains the number. */
CRD_API int crd_interval_contains(crd_text label, double number);
/* Returns the number of declared values of a column. Intervals have their natural order. Other values are ordered by
 * number if all of them are numbers, otherwise by code point. */
CRD_API size_t crd_schema_value_count(const crd_schema *schema, size_t column);
/* Returns a declared value of a column. */
CRD_API crd_text crd_schema_value(const crd_schema *schema, size_t column, size_t value);
/* Returns the index of the target, or SIZE_MAX if there is no target. */
CRD_API size_t crd_schema_target(const crd_schema *schema);
/* Makes another column the target and makes it categorical. The column must not be ignored or numeric. */
CRD_API CRD_MUST_USE crd_status crd_schema_set_target(crd_schema *schema, crd_text name, crd_error *error);

/* Returns non-zero if files have a header that names the columns. If they have none, a file that the schema is applied
 * to is assumed to have none, unless the reader's options specify it; see crd_model_has_header. */
CRD_API int crd_schema_has_header(const crd_schema *schema);

/* Returns the index of the weight, a numeric column, or SIZE_MAX if there is no weight. */
CRD_API size_t crd_schema_weight(const crd_schema *schema);

/* Encodes a schema as the text of its file. Sets *text and *length. Free the text with crd_free. */
CRD_API CRD_MUST_USE crd_status crd_schema_encode(const crd_schema *schema, char **text, size_t *length,
                                                  crd_error *error);
/* Creates a schema in *out from the text of a schema file. If the text is not valid, the error contains the line. */
CRD_API CRD_MUST_USE crd_status crd_schema_decode(crd_context *context, const char *text, size_t length,
                                                  crd_schema **out, crd_error *error);
/* Creates a schema in *out from a schema file. If its text is not valid, the error contains the line. */
CRD_API CRD_MUST_USE crd_status crd_schema_load(crd_context *context, const char *path, crd_schema **out,
                                                crd_error *error);

/* Returns the default missing texts and sets *count. They apply when no other list is given, and match in any letter
 * case. They are the texts of pandas and R together ("", NA, N/A, #N/A, NaN, -NaN, null, None, <NA>, ...), and ?. Each
 * is listed in one spelling. In categorical columns, None is missing only in that spelling: none is a category. */
CRD_API const crd_text *crd_schema_usual_missing(size_t *count);
/* Returns non-zero if a category with this name would be read as missing under the default missing texts. */
CRD_API int crd_schema_is_usual_missing(crd_text text);

#ifdef __cplusplus
}
#endif
#endif
