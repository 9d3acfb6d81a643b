/* SPDX-License-Identifier: MIT */
/* column_schema.h - the columns of a model or a file: names, kinds, which one is the target, which the
 * weight, where they stood. */
#ifndef CRD_TABLE_COLUMN_SCHEMA_H
#define CRD_TABLE_COLUMN_SCHEMA_H

#include "base/dictionary.h"
#include "table/forms/form.h"
#include "table/forms/truth_words.h"
#include "table/intervals.h"

#include <credence/data.h>

typedef struct crd_i_schema_column {
    crd_text name; /* owned */
    crd_kind kind;
    size_t position;          /* field of the file from 0: files without a header meet by it */
    crd_i_dictionary *values; /* owned: declared, so known at a count of zero; NULL: none. A CATEGORY's only */
    bool keeps_order;         /* networks have the declared values in the order of their declaration, not sorted */
    crd_i_form form;     /* how a cell's text becomes a value; its kind is that of the form where it is not plain */
    crd_text field;      /* owned: the file's name of the field, where that is another: of a part; else bytes NULL */
    bool has_words_only; /* of a model's CATEGORY: see crd_i_schema_are_words; for strict readers */
    crd_i_truth_words truth; /* of a model's CATEGORY or a network's node: the words that it knows */
    bool has_mark;           /* of a model's target: ? is one of its classes */
    double scale;            /* of a model's numbers with decimal commas: the root of their mean square; 0: not known */
    crd_i_intervals intervals; /* of a CATEGORY whose cells are numbers; its values are their labels */
} crd_i_schema_column;

/* The column whose numbers say how many rows a row stands for: none of `columns`, since nothing is learned of it. */
typedef struct crd_i_schema_weight {
    crd_text name; /* owned; bytes NULL: every row stands for one */
    size_t position;
} crd_i_schema_weight;

typedef struct crd_i_schema {
    crd_context *context;
    crd_i_schema_column *columns; /* attributes and target, without ignored columns, in the file's order */
    size_t count, capacity;
    size_t target; /* index into columns; SIZE_MAX: none */
    /* Of a model: nothing is to be predicted, and the target, the last of the columns, stands in for one. No file has
     * it, and all rows are of its one class. */
    bool lacks_target;
    crd_i_schema_weight weight;
    size_t width;    /* fields in a row of the file it comes from, ignored ones included */
    bool has_header; /* false: names are c1, c2, ... and mean positions */
    /* Of a file of fields between tabs, some of them texts: quotes are bytes like others. */
    bool has_literal_quotes;
    crd_text *missing; /* owned texts that mean missing, sorted by bytes, no duplicates */
    size_t missing_count;
    bool missing_any_case; /* the usual ones among them mean it in any case of letters */
} crd_i_schema;

/* Empty, with the usual missing texts. NULL: out of memory. */
crd_i_schema *crd_i_schema_create(crd_context *context);
void crd_i_schema_destroy(crd_i_schema *schema);
crd_i_schema *crd_i_schema_clone(const crd_i_schema *schema);
CRD_MUST_USE bool crd_i_schema_add(crd_i_schema *schema, crd_text name, crd_kind kind, size_t position);
/* One more value that the column, a category, is known to have. */
CRD_MUST_USE bool crd_i_schema_declare(crd_i_schema *schema, size_t column, crd_text value);
/* A column's form, and of a part the name of its field; bytes NULL: it is the column's. Columns of one field follow each
 * other. */
CRD_MUST_USE bool crd_i_schema_set_form(crd_i_schema *schema, size_t column, crd_i_form form, crd_text field);
/* Takes away the latest column. */
void crd_i_schema_drop_last(crd_i_schema *schema);
/* What files call the column's field. */
static inline crd_text crd_i_schema_field_name(const crd_i_schema_column *column) {
    return column->field.bytes != NULL ? column->field : column->name;
}
/* Makes a column of numbers one of intervals, with their labels for values. */
CRD_MUST_USE bool crd_i_schema_set_intervals(crd_i_schema *schema, size_t column, const double *cuts, size_t count);
CRD_MUST_USE bool crd_i_schema_set_weight(crd_i_schema *schema, crd_text name, size_t position);
/* Gives a schema without a target one that stands in for it, and takes it away again. Its name and position are those
 * of no other column; the name of its class is empty. */
CRD_MUST_USE bool crd_i_schema_stand_in(crd_i_schema *schema);
void crd_i_schema_drop_stand_in(crd_i_schema *schema);
/* Makes a column, not the target, the weight. */
void crd_i_schema_take_weight(crd_i_schema *schema, size_t column);
CRD_MUST_USE bool crd_i_schema_set_missing(crd_i_schema *schema, const crd_text *missing, size_t count, bool any_case);
/* Usual texts that are among the values mean missing no longer, in any case of letters, but for those that stand for all
 * of them in files: so models from before there were more of them read their values as they did. */
CRD_MUST_USE bool crd_i_schema_keep_values(crd_i_schema *schema, const crd_i_dictionary *values);
bool crd_i_schema_equal_missing(const crd_i_schema *a, const crd_i_schema *b);

/* In files: "", ?, NA, NaN and null stand for all usual texts in any case of letters, so that files from before there
 * were more of them are read, and those of most tables have few. A list that would be taken for that and is not, or one
 * that has some of the usual texts in any case, is `stated`: then its texts are all there, and any_case beside them. */
bool crd_i_schema_states_missing(const crd_i_schema *schema);
/* Those to be written, of which there is room for missing_count; returns how many. */
size_t crd_i_schema_written_missing(const crd_i_schema *schema, crd_text *texts);
/* As a file has them without stating it: the reverse. */
CRD_MUST_USE bool crd_i_schema_read_missing(crd_i_schema *schema, const crd_text *texts, size_t count);
/* Whether there are values, and none is a number: numbers in their column are no values that were not seen before, but
 * another kind. NULL: there are none. */
bool crd_i_schema_are_words(const crd_i_dictionary *values);
/* Reads a cell that a person typed for a column of this kind, by the column's form. A plain number such as 1.601 is this number,
 * whatever the decimal mark of the form, unless files have 1601 for it and that is nearer to the column's scale; this is logged. A
 * part of a date can be given itself: 5 for a month. *out is NONE if the cell lacks the part, and its text lives as long as
 * `cell`. CRD_ERROR_NUMBER: the cell has not the form. */
CRD_MUST_USE crd_status crd_i_schema_read_cell(crd_context *context, const crd_i_schema_column *column, crd_kind kind,
                                               crd_text cell, crd_value *out, crd_error *error);
/* Index into columns, or SIZE_MAX. Linear: for many names build a dictionary. */
size_t crd_i_schema_find(const crd_i_schema *schema, crd_text name);

#endif
