/* SPDX-License-Identifier: MIT */
/* part_evidence.h - what the cells of a part of a table show of its fields, by which the kinds, forms and values of the whole are
 * decided.
 *
 * Each piece is a union or an intersection over cells, so that combining parts is associative and commutative, and a part that is
 * counted twice changes nothing. */
#ifndef CRD_TABLE_PART_EVIDENCE_H
#define CRD_TABLE_PART_EVIDENCE_H

#include "base/dictionary.h"
#include "table/forms/form_evidence.h"

/* Of a field whose cells are no plain categories, so many different texts are kept of a part, and of all parts together: more are
 * more values than a column may have. */
enum { CRD_I_MOST_PART_TEXTS = 4096, CRD_I_MOST_TEXTS_OF_PARTS = 1000000 };

typedef struct crd_i_field_evidence {
    bool is_open;  /* the field has the kind and the form that its cells show; all else is of such fields only */
    crd_kind kind; /* that the cells show as they stand: NONE without cells, NUMBER if all are numbers, else CATEGORY */
    crd_i_form_evidence forms;
    crd_i_dictionary *texts; /* owned: of cells, where the part took the field for no plain category; NULL: none */
    bool has_more_texts;     /* than are kept: there are no texts then */
    bool has_infinite;       /* a cell is, which no number of the whole may be */
    /* A cell is missing as a number, or at fault and left out with its row, and a value as a category, such as none and inf, and the part took the
     * field for no category. */
    bool has_words;
    /* It is a number in a part that did not look at how its fractions stand: its forms are of no use where a column has commas. */
    bool has_unread_marks;
} crd_i_field_evidence;

typedef struct crd_i_part_evidence {
    crd_context *context;
    crd_i_field_evidence *fields;
    size_t count;
    bool finds_forms;  /* forms of fields were looked for */
    bool splits_dates; /* a date becomes a column for each of its parts */
    bool has_values;   /* values and texts of cells are known */
    bool is_file;      /* rows are text, whose columns show each other's decimal mark */
    bool by_name;      /* columns are in the order of the bytes of their names */
    char point;        /* begins fractions, as stated; '\0': nothing is stated */
    bool states_comma; /* plain numbers are then of the form that has it */
} crd_i_part_evidence;

/* NULL: out of memory. */
crd_i_part_evidence *crd_i_part_evidence_create(crd_context *context, size_t count);
/* Of rows that were read alike, with no evidence yet; NULL: out of memory. */
crd_i_part_evidence *crd_i_part_evidence_create_like(const crd_i_part_evidence *part, size_t count);
void crd_i_part_evidence_destroy(crd_i_part_evidence *part);

/* The text of a cell, where at most so many are kept. false: out of memory. */
CRD_MUST_USE bool crd_i_field_evidence_add_text(crd_context *context, crd_i_field_evidence *field, crd_text text,
                                                size_t most);
/* The same cells of another part. false: out of memory. */
CRD_MUST_USE bool crd_i_field_evidence_combine(crd_context *context, crd_i_field_evidence *field,
                                               const crd_i_field_evidence *other, size_t most);

/* What keeps two parts from being those of one table, in words; NULL: they were read alike. */
const char *crd_i_part_evidence_difference(const crd_i_part_evidence *a, const crd_i_part_evidence *b);

/* Whether a field without doubt has decimal commas. */
bool crd_i_part_evidence_has_comma(const crd_i_part_evidence *part);
/* The decimal mark that fields without doubt have; '\0': none, or both. */
char crd_i_part_evidence_convention(const crd_i_part_evidence *part);
/* The kind of an open field under that convention, and its form, which is plain where it has none. A field of several parts has no
 * kind. */
crd_kind crd_i_part_evidence_decide(const crd_i_part_evidence *part, size_t field, char convention, bool is_target,
                                    crd_i_form *form);

#endif
