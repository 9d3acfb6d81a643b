/* SPDX-License-Identifier: MIT */
/* column_schema.h - the columns of a model or a file: names, types, positions, the target and the weight. */
#ifndef CRD_TABLE_COLUMN_SCHEMA_H
#define CRD_TABLE_COLUMN_SCHEMA_H

#include "base/dictionary.h"
#include "table/values/column_format.h"

#include <credence/data.h>
#include <credence/number.h>

/* ======== Intervals ========
 *
 * Discretized numbers: cut points c_1 < ... < c_k divide the real line into k + 1 intervals, closed on the left.
 *
 * The value of a number x is the label of its interval: "<c_1", "[c_1, c_2)", ..., ">=c_k". Without cut points it is
 * "(-inf, inf)". Numbers outside the training range belong to the first or the last interval. */

/* Owned by the column. */
typedef struct crd_i_intervals {
    double *cuts; /* ascending, finite, distinct; NULL if the column is not discretized */
    size_t cut_count;
} crd_i_intervals;

enum { CRD_I_INTERVAL_ROOM = 2 * CRD_NUMBER_ROOM + 8 };

/* Returns whether the numbers are valid cut points. */
bool crd_i_cuts_fit(const double *cuts, size_t count);
/* Sets the cut points and frees the old ones. false: out of memory, and *out is unchanged. */
CRD_MUST_USE bool crd_i_intervals_set(crd_context *context, crd_i_intervals *out, const double *cuts, size_t count);
/* Copies the cut points of `intervals`, which may have none. false: out of memory, and *out is unchanged. */
CRD_MUST_USE bool crd_i_intervals_copy(crd_context *context, crd_i_intervals *out, const crd_i_intervals *intervals);
void crd_i_intervals_clear(crd_context *context, crd_i_intervals *intervals);
bool crd_i_intervals_equal(const crd_i_intervals *a, const crd_i_intervals *b);

static inline bool crd_i_intervals_are(const crd_i_intervals *intervals) {
    return intervals->cuts != NULL;
}

/* Returns the interval of a present number, from 0: the number of cut points that are not above it. */
static inline int32_t crd_i_intervals_find(const crd_i_intervals *intervals, double x) {
    size_t low = 0, high = intervals->cut_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (intervals->cuts[middle] <= x) low = middle + 1;
        else high = middle;
    }
    return (int32_t)low;
}

crd_text crd_i_intervals_label(const crd_i_intervals *intervals, size_t interval, char buffer[CRD_I_INTERVAL_ROOM]);
/* Add all labels, in interval order, to an empty dictionary, or to a new one. false or NULL: out of memory. */
CRD_MUST_USE bool crd_i_intervals_add_labels(const crd_i_intervals *intervals, crd_i_dictionary *dictionary);
crd_i_dictionary *crd_i_intervals_labels(crd_context *context, const crd_i_intervals *intervals);
/* Returns the interval of a text, which is a number or a label; negative: neither. */
int32_t crd_i_intervals_find_text(const crd_i_intervals *intervals, crd_text text);
/* Returns the lower end of a label's interval, for sorting labels with crd_i_dictionary_order. */
bool crd_i_interval_begin(crd_text label, double *begin);

typedef struct crd_i_schema_column {
    crd_text name; /* owned */
    crd_column_type type;
    size_t position; /* field of the file from 0; used to match files without a header */
    /* owned: declared values, which are known even without rows; NULL: none. Only for a CATEGORY */
    crd_i_dictionary *values;
    bool keeps_order; /* the declared values keep their declaration order and are not sorted, as networks require */
    crd_i_column_format format; /* how the text of a cell becomes a value; unless it is plain, it determines the type */
    /* owned: the field's name in files if it differs from `name`, for a date part; otherwise bytes is NULL */
    crd_text field;
    bool has_words_only;       /* for a model's CATEGORY: see crd_i_schema_are_words; for strict readers */
    crd_i_truth_words truth;   /* for a model's CATEGORY or a network's node: its spellings of truth values */
    bool has_mark;             /* for a model's target: ? is one of its classes */
    double scale;              /* for a model's numbers with decimal commas: their root mean square; 0: unknown */
    crd_i_intervals intervals; /* for a CATEGORY whose cells are numbers; its values are the interval labels */
} crd_i_schema_column;

/* The column with the row weights. It is not in `columns`, because nothing is learned from it. */
typedef struct crd_i_schema_weight {
    crd_text name; /* owned; bytes NULL: every row has weight 1 */
    size_t position;
} crd_i_schema_weight;

typedef struct crd_i_schema {
    crd_context *context;
    crd_i_schema_column *columns; /* attributes and target, without ignored columns, in file order */
    size_t count, capacity;
    size_t target; /* index into columns; SIZE_MAX: none */
    /* For a model without a target: the last column is a placeholder for the target. No file contains it, and all
     * rows have its only class. */
    bool lacks_target;
    crd_i_schema_weight weight;
    size_t width;    /* number of fields in a row of the original file, including ignored ones */
    bool has_header; /* false: names are c1, c2, ... and denote positions */
    /* For a tab-separated file with text columns: quotes are ordinary characters. */
    bool has_literal_quotes;
    crd_text *missing; /* owned texts that mean missing, sorted by bytes, without duplicates */
    size_t missing_count;
    bool missing_any_case; /* the usual ones among them ignore letter case */
} crd_i_schema;

/* Creates an empty schema with the usual missing texts. NULL: out of memory. */
crd_i_schema *crd_i_schema_create(crd_context *context);
void crd_i_schema_destroy(crd_i_schema *schema);
crd_i_schema *crd_i_schema_clone(const crd_i_schema *schema);
CRD_MUST_USE bool crd_i_schema_add(crd_i_schema *schema, crd_text name, crd_column_type type, size_t position);
/* Adds a declared value to a categorical column. */
CRD_MUST_USE bool crd_i_schema_declare(crd_i_schema *schema, size_t column, crd_text value);
/* Sets the format of a column and, for a part, the name of its field; bytes NULL: the column's name. Columns of one
 * field must be adjacent. */
CRD_MUST_USE bool crd_i_schema_set_column_format(crd_i_schema *schema, size_t column, crd_i_column_format format,
                                                 crd_text field);
/* Removes the last column. */
void crd_i_schema_drop_last(crd_i_schema *schema);
/* Returns the name of the column's field in files. */
static inline crd_text crd_i_schema_field_name(const crd_i_schema_column *column) {
    return column->field.bytes != NULL ? column->field : column->name;
}
/* Discretizes a numeric column: its values are the interval labels. */
CRD_MUST_USE bool crd_i_schema_set_intervals(crd_i_schema *schema, size_t column, const double *cuts, size_t count);
CRD_MUST_USE bool crd_i_schema_set_weight(crd_i_schema *schema, crd_text name, size_t position);
/* Add a placeholder target to a schema without a target, and remove it again. The placeholder's name and position
 * differ from all columns; its class name is empty. */
CRD_MUST_USE bool crd_i_schema_stand_in(crd_i_schema *schema);
void crd_i_schema_drop_stand_in(crd_i_schema *schema);
/* Makes a column that is not the target the weight. */
void crd_i_schema_take_weight(crd_i_schema *schema, size_t column);
CRD_MUST_USE bool crd_i_schema_set_missing(crd_i_schema *schema, const crd_text *missing, size_t count, bool any_case);
/* Stops treating usual missing texts as missing if they are among the values, in any letter case. The texts that
 * abbreviate the usual list in files are excepted. Therefore models written before the list grew read their values
 * as before. */
CRD_MUST_USE bool crd_i_schema_keep_values(crd_i_schema *schema, const crd_i_dictionary *values);
bool crd_i_schema_equal_missing(const crd_i_schema *a, const crd_i_schema *b);

/* Returns whether the missing texts must be written in full. In files, "", ?, NA, NaN and null abbreviate the list
 * of all usual texts in any letter case. This keeps old files readable and most lists short. A list that would be
 * mistaken for the abbreviation, or that contains only some usual texts in any letter case, is written in full,
 * together with any_case. */
bool crd_i_schema_states_missing(const crd_i_schema *schema);
/* Stores the missing texts to write in `texts`, which has room for missing_count. Returns their number. */
size_t crd_i_schema_written_missing(const crd_i_schema *schema, crd_text *texts);
/* Sets the missing texts from a list as written in files, expanding the abbreviation. Reverses
 * crd_i_schema_written_missing. */
CRD_MUST_USE bool crd_i_schema_read_missing(crd_i_schema *schema, const crd_text *texts, size_t count);
/* Returns whether there are values and none of them is a number. Numbers in such a column indicate another type, not
 * new values. NULL: no values. */
bool crd_i_schema_are_words(const crd_i_dictionary *values);
/* Reads a cell that a user typed for a column of this type, using the column's format. A plain number such as 1.601
 * has this value, whatever the decimal mark of the format, unless 1601 is nearer to the column's scale; then it is
 * logged. A date part can be given directly: 5 for a month. *out is NONE if the cell lacks the part; its text lives
 * as long as `cell`. CRD_ERROR_NUMBER: the cell does not have the format. */
CRD_MUST_USE crd_status crd_i_schema_read_cell(crd_context *context, const crd_i_schema_column *column,
                                               crd_column_type type, crd_text cell, crd_value *out, crd_error *error);
/* Returns the index of a column, or SIZE_MAX. Takes linear time: for many names, build a dictionary. */
size_t crd_i_schema_find(const crd_i_schema *schema, crd_text name);

/* Fails with CRD_ERROR_COLUMN because a column contains texts. The message is `description`, such as "a table counts",
 * followed by "numbers and categories only". */
crd_status crd_i_fail_text(crd_error *error, crd_text column, const char *description);

#endif
