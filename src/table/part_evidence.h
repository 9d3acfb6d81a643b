/* SPDX-License-Identifier: MIT */
/* part_evidence.h - evidence about the fields of a table from the cells of one part. Combined evidence determines
 * the column types, formats and values.
 *
 * All evidence consists of unions and intersections over cells. Therefore combining parts is associative and
 * commutative, and combining a part twice changes nothing. */
#ifndef CRD_TABLE_PART_EVIDENCE_H
#define CRD_TABLE_PART_EVIDENCE_H

#include "base/dictionary.h"
#include "table/values/column_format.h"

/* Limits on the distinct texts stored for a field that is not a plain category, per part and for all parts together.
 * More texts exceed the number of values a column may have. */
enum { CRD_I_MOST_PART_TEXTS = 4096, CRD_I_MOST_TEXTS_OF_PARTS = 1000000 };

typedef struct crd_i_field_evidence {
    /* the cells determine the type and format of the field; the other members are used for such fields only */
    bool is_open;
    /* type of the unconverted cells: NONE without cells, NUMBER if all are numbers, otherwise CATEGORY */
    crd_column_type type;
    crd_i_column_format_evidence formats;
    /* owned: texts of cells, if the part did not read the field as a plain category; NULL: none */
    crd_i_dictionary *texts;
    bool has_more_texts; /* there are more texts than the limit, and none is stored */
    bool has_infinite;   /* a cell is infinite, which is an error if the whole column is numeric */
    /* The part did not read the field as a category, and a cell such as none or inf is missing as a number, or
     * invalid and skipped with its row, but would be a value of a category. */
    bool has_words;
    /* The field is numeric in a part that did not check decimal marks, so `formats` is unusable if a column has
     * decimal commas. */
    bool has_unread_marks;
} crd_i_field_evidence;

typedef struct crd_i_part_evidence {
    crd_context *context;
    crd_i_field_evidence *fields;
    size_t count;
    bool finds_formats; /* format detection is enabled */
    bool splits_dates;  /* a date becomes one column per part */
    bool has_values;    /* values and texts of cells are known */
    bool is_file;       /* rows are text, and columns share their decimal mark */
    bool by_name;       /* columns are sorted by the bytes of their names */
    char point;         /* decimal mark given by the user; '\0': none */
    bool states_comma;  /* the user gave a decimal comma, and plain numbers have its format */
} crd_i_part_evidence;

/* Creates evidence for `count` fields; NULL: out of memory. */
crd_i_part_evidence *crd_i_part_evidence_create(crd_context *context, size_t count);
/* Creates evidence without cells, for rows that were read with the same settings; NULL: out of memory. */
crd_i_part_evidence *crd_i_part_evidence_create_like(const crd_i_part_evidence *part, size_t count);
void crd_i_part_evidence_destroy(crd_i_part_evidence *part);

/* Adds the text of a cell, up to `most` texts. false: out of memory. */
CRD_MUST_USE bool crd_i_field_evidence_add_text(crd_context *context, crd_i_field_evidence *field, crd_text text,
                                                size_t most);
/* Adds the evidence of the same field in another part. false: out of memory. */
CRD_MUST_USE bool crd_i_field_evidence_combine(crd_context *context, crd_i_field_evidence *field,
                                               const crd_i_field_evidence *other, size_t most);

/* Returns a description of why two parts cannot belong to one table; NULL: they were read with the same settings. */
const char *crd_i_part_evidence_difference(const crd_i_part_evidence *a, const crd_i_part_evidence *b);

/* Returns whether a field certainly has decimal commas. */
bool crd_i_part_evidence_has_comma(const crd_i_part_evidence *part);
/* Returns the decimal mark of the unambiguous fields; '\0': none, or both. */
char crd_i_part_evidence_convention(const crd_i_part_evidence *part);
/* Returns the type of an open field, given the decimal mark `convention`, and sets its format, which is plain if it
 * has none. A field with several parts has type NONE. */
crd_column_type crd_i_part_evidence_decide(const crd_i_part_evidence *part, size_t field, char convention,
                                           bool is_target, crd_i_column_format *format);

#endif
