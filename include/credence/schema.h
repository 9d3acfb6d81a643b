/* credence/schema.h - what the columns of files are, written down: names, kinds, values, target, weight, missing texts.
 *
 * Kinds are guessed from a whole input; parts of it, on several machines, may give other guesses, and know other
 * values. A schema made once and used for each part makes them agree. Its file is JSON, for people to read and edit. */
#ifndef CREDENCE_SCHEMA_H
#define CREDENCE_SCHEMA_H

#include <credence/base.h>
#include <credence/data.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct crd_schema crd_schema;

/* What is known of a reader's columns by now: all there is once it has delivered its last frame. with_values: the
 * values that cells have had are declared; else only those that the files themselves declare. */
CRD_API CRD_MUST_USE crd_status crd_schema_create(const crd_reader *reader, int with_values, crd_schema **out,
                                                  crd_error *error);
CRD_API void crd_schema_destroy(crd_schema *schema);

/* Makes a fresh reader deliver frames with exactly the columns that are not ignored, with their kinds, missing texts
 * (unless the reader's options gave others) and target: they meet the files' columns as a model's do, but a target must
 * be there, and so must a weight. A model that is trained from it knows the declared values. */
CRD_API CRD_MUST_USE crd_status crd_schema_apply(const crd_schema *schema, crd_reader *reader, crd_error *error);

/* Columns in the order of the file; ignored ones are among them. */
CRD_API size_t crd_schema_column_count(const crd_schema *schema);
CRD_API crd_text crd_schema_column_name(const crd_schema *schema, size_t column);
CRD_API crd_kind crd_schema_column_kind(const crd_schema *schema, size_t column);
CRD_API int crd_schema_is_ignored(const crd_schema *schema, size_t column);
/* Declared values: by number where all are numbers, else by code point. */
CRD_API size_t crd_schema_value_count(const crd_schema *schema, size_t column);
CRD_API crd_text crd_schema_value(const crd_schema *schema, size_t column, size_t value);
/* The target's index, or SIZE_MAX where there is none. */
CRD_API size_t crd_schema_target(const crd_schema *schema);
/* Another target: a column that is not ignored, and not one of numbers; it becomes a category. */
CRD_API CRD_MUST_USE crd_status crd_schema_set_target(crd_schema *schema, crd_text name, crd_error *error);

/* Whether files have a header that names the columns. Where they have none, a file that the schema is applied to is taken
 * to have none either, unless the reader's options say otherwise; see crd_model_has_header. */
CRD_API int crd_schema_has_header(const crd_schema *schema);

/* The index of the weight, a column of numbers, or SIZE_MAX where there is none. */
CRD_API size_t crd_schema_weight(const crd_schema *schema);

/* The text of its file, freed with crd_free, and back. What is wrong with a file is told with its line. */
CRD_API CRD_MUST_USE crd_status crd_schema_encode(const crd_schema *schema, char **text, size_t *length,
                                                  crd_error *error);
CRD_API CRD_MUST_USE crd_status crd_schema_decode(crd_context *context, const char *text, size_t length,
                                                  crd_schema **out, crd_error *error);
CRD_API CRD_MUST_USE crd_status crd_schema_save(const crd_schema *schema, const char *path, crd_error *error);
CRD_API CRD_MUST_USE crd_status crd_schema_load(crd_context *context, const char *path, crd_schema **out,
                                                crd_error *error);

/* The texts that mean missing where nobody says which do: "", ?, NA, NaN, null. */
CRD_API const crd_text *crd_schema_usual_missing(size_t *count);

#ifdef __cplusplus
}
#endif
#endif
