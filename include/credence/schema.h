/* SPDX-License-Identifier: MIT */
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
CRD_API CRD_MUST_USE crd_status crd_schema_from_reader(const crd_reader *reader, int with_values, crd_schema **out,
                                                       crd_error *error);
/* The same once all rows have been read, which this does, with the threads of the reader's options: nothing else is computed of them. */
CRD_API CRD_MUST_USE crd_status crd_schema_from_rows(crd_reader *reader, int with_values, crd_schema **out,
                                                     crd_error *error);
CRD_API void crd_schema_destroy(crd_schema *schema);

/* ---- Schemas made in code, call by call ---- */

/* Without columns; files have a header, and the usual texts mean missing. */
CRD_API CRD_MUST_USE crd_status crd_schema_create(crd_context *context, crd_schema **out, crd_error *error);

typedef enum crd_role {
    CRD_ROLE_ATTRIBUTE = 0,
    CRD_ROLE_TARGET = 1, /* a category; at most one column */
    CRD_ROLE_WEIGHT = 2, /* numbers; at most one column */
    CRD_ROLE_IGNORED = 3
} crd_role;

typedef struct crd_schema_column {
    size_t size;
    crd_text name;
    crd_role role;
    crd_kind kind;          /* NONE: as the cells show */
    const crd_text *values; /* that a category is known to have, whether or not a row has them; NULL: none */
    size_t value_count;
    crd_text form; /* the name of one, as crd_reader_set_form takes it; empty: plain. The kind is that of the form */
    const double *cuts; /* ascending: the column is a category of intervals; see crd_reader_set_cuts. NULL: none */
    size_t cut_count;
} crd_schema_column;

#define CRD_SCHEMA_COLUMN_INIT                                                                                         \
    { sizeof(crd_schema_column), {0, 0}, CRD_ROLE_ATTRIBUTE, CRD_KIND_NONE, 0, 0, {0, 0}, 0, 0 }

/* One more column, behind those there are; all is copied. CRD_ERROR_COLUMN: a name that is empty or taken, a second
 * target or weight, or a kind that does not fit the role. A column with values is a category. */
CRD_API CRD_MUST_USE crd_status crd_schema_add_column(crd_schema *schema, const crd_schema_column *column,
                                                      crd_error *error);
/* The texts that mean missing in files, as they stand, in the place of those that did. */
CRD_API CRD_MUST_USE crd_status crd_schema_set_missing(crd_schema *schema, const crd_text *texts, size_t count,
                                                       crd_error *error);
/* Non-zero: files have a header, and columns meet by name; else they meet by position. */
CRD_API void crd_schema_set_header(crd_schema *schema, int has_header);

/* The schema of the parts of a table together, from those of the parts: columns of the same name are one, and those
 * that only `other` has come behind. A column is a text where it is one in either, a category where it is no text and a category in either, a number where it is no
 * category and a number in either, and has the values of both. A target or weight that only one of them names is
 * that of both. CRD_ERROR_SCHEMA_DIFFERS: they name different ones, ignore different columns, or take other texts to
 * mean missing; one has a header and the other not. Of a column that is a number in one part and a category in
 * another, the values of the first part are not known.
 *
 * Parts that are known to be some (see crd_schema_is_part) are merged exactly: any tree of merges, in any order, gives the same
 * schema, and that of all parts is, once it is complete, the schema of the whole table to the byte. Columns of JSON are in the order of their names, others in
 * that of the first schema. CRD_ERROR_LIMIT: the values of a column are needed that a part took for numbers, or for another form, and
 * of which it had too many to keep. CRD_ERROR_SCHEMA_DIFFERS: only one is a part. */
CRD_API CRD_MUST_USE crd_status crd_schema_merge(crd_schema *schema, const crd_schema *other, crd_error *error);
/* Non-zero: it was made by crd_schema_from_rows of a reader of a part of the rows (see crd_reader_options.shard; part 1 of 1 is all
 * rows of files that are themselves a part), and has what is needed to decide kinds, forms and values of the whole. */
CRD_API int crd_schema_is_part(const crd_schema *schema);
/* All parts have been merged: the schema is that of a whole table, and has nothing for merging any more. CRD_ERROR_NUMBER: a
 * column that is a number in every part has an infinite cell; the schema is as it was. */
CRD_API CRD_MUST_USE crd_status crd_schema_complete(crd_schema *schema, crd_error *error);
/* Non-zero: the same columns in the same order, with the same roles, kinds and values, and all else equal. */
CRD_API int crd_schema_equal(const crd_schema *a, const crd_schema *b);

/* ---- Using one; crd_model_create_from_schema makes a model with its columns ---- */

/* Makes a fresh reader deliver frames with exactly the columns that are not ignored, with their kinds, missing texts
 * (unless the reader's options gave others) and target: they meet the files' columns as a model's do, but a target must
 * be there, and so must a weight. A model that is trained from it knows the declared values. */
CRD_API CRD_MUST_USE crd_status crd_schema_apply(const crd_schema *schema, crd_reader *reader, crd_error *error);
/* Gives the frame's columns of the same names the schema's kinds, as crd_frame_set_kind does. On failure some may have
 * theirs. */
CRD_API CRD_MUST_USE crd_status crd_schema_apply_to_frame(const crd_schema *schema, crd_frame *frame, crd_error *error);

/* Columns in the order of the file; ignored ones are among them. */
CRD_API size_t crd_schema_column_count(const crd_schema *schema);
CRD_API crd_text crd_schema_column_name(const crd_schema *schema, size_t column);
CRD_API crd_kind crd_schema_column_kind(const crd_schema *schema, size_t column);
/* The name of its form, as crd_reader_set_form takes it; empty where it is plain. A column of several parts has no kind. */
CRD_API crd_text crd_schema_column_form(const crd_schema *schema, size_t column);
/* How many columns of frames it is: more than one for the parts of a date, 0 where it is ignored. */
CRD_API size_t crd_schema_column_parts(const crd_schema *schema, size_t column);
/* The name of one of these columns: the column's own where it is the only one. */
CRD_API crd_text crd_schema_part_name(const crd_schema *schema, size_t column, size_t part);
CRD_API crd_role crd_schema_role(const crd_schema *schema, size_t column);
CRD_API int crd_schema_is_ignored(const crd_schema *schema, size_t column);
/* The cut points of a column of intervals, which live as long as the schema is unchanged; NULL where it is none. A column of several parts
 * has none; each part may. */
CRD_API const double *crd_schema_cuts(const crd_schema *schema, size_t column, size_t *count);
CRD_API const double *crd_schema_part_cuts(const crd_schema *schema, size_t column, size_t part, size_t *count);
/* Whether a value is the label of an interval; and whether that has the number. */
CRD_API int crd_is_interval(crd_text label);
CRD_API int crd_interval_contains(crd_text label, double number);
/* Declared values: intervals in their order, else by number where all are numbers, else by code point. */
CRD_API size_t crd_schema_value_count(const crd_schema *schema, size_t column);
CRD_API crd_text crd_schema_value(const crd_schema *schema, size_t column, size_t value);
/* The target's index, or SIZE_MAX where there is none. */
CRD_API size_t crd_schema_target(const crd_schema *schema);
/* Another target: a column that is not ignored, and not one of numbers; it becomes a category. */
CRD_API CRD_MUST_USE crd_status crd_schema_set_target(crd_schema *schema, crd_text name, crd_error *error);

/* Whether files have a header that names the columns. Where they have none, a file that the schema is applied to is
 * taken to have none either, unless the reader's options say otherwise; see crd_model_has_header. */
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

/* The texts that mean missing where nobody says which do, in any case of letters: those of pandas and R together ("",
 * NA, N/A, #N/A, NaN, -NaN, null, None, <NA>, ...), and ?. Each is here in one spelling. Among categories None is missing
 * in that spelling alone: none is a category. */
CRD_API const crd_text *crd_schema_usual_missing(size_t *count);
/* Whether a category of this name would be taken for missing. */
CRD_API int crd_schema_is_usual_missing(crd_text text);

#ifdef __cplusplus
}
#endif
#endif
