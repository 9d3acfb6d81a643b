/* SPDX-License-Identifier: MIT */
/* form_evidence.h - collects evidence about the forms that all cells of a column have.
 *
 * Each cell fits a set of readings, and a column has the intersection of its cells' sets, so row order does not
 * matter. A column has a form if exactly one reading other than plain is left, or if all remaining readings give
 * every cell the same value. */
#ifndef CRD_TABLE_FORMS_FORM_EVIDENCE_H
#define CRD_TABLE_FORMS_FORM_EVIDENCE_H

#include "table/forms/form.h"

#include <stdint.h>

/* Zero-initialize it: no cell was added. */
typedef struct crd_i_form_evidence {
    uint64_t cells;
    uint64_t decimals;    /* number of cells that are numbers, including codes of digits */
    unsigned fits;        /* bit r: all cells fit reading r; bit CRD_I_READING_PLAIN: plain numbers */
    bool decimals_differ; /* a cell has different values with a decimal point and with a decimal comma */
    bool days_differ;     /* a cell is a different date with the day first than with the month first */
    bool has_mark;        /* an amount is valid only with a decimal point, or only with a decimal comma */
    bool has_time;        /* a date has a time */
    bool has_hundreds;    /* a plain number has three or more digits and no point */
    bool has_currencies;  /* several currencies occur */
    int currency;         /* 0: none yet */
    /* of each word: bits for lower case, upper case, capitalized, other */
    unsigned char spellings[CRD_I_BOOLEAN_WORDS];
} crd_i_form_evidence;

typedef enum crd_i_form_doubt { CRD_I_DOUBT_NONE, CRD_I_DOUBT_DECIMAL, CRD_I_DOUBT_DAY } crd_i_form_doubt;

/* Adds a present cell. `point` is the known decimal mark; '\0': a point for plain numbers, either for others.
 * is_text: the file declares that the cell is not a number. */
void crd_i_form_evidence_add(crd_i_form_evidence *evidence, crd_text text, char point, bool is_text);
/* Returns true if the cell surely changes nothing, as nearly all cells of a numeric column do after the first ones.
 * This is a quick check: false means it may or may not. */
bool crd_i_form_evidence_has_settled(const crd_i_form_evidence *evidence, crd_text text, char point);
/* Adds the evidence of another part of the column. */
void crd_i_form_evidence_combine(crd_i_form_evidence *evidence, const crd_i_form_evidence *other);
/* Returns whether a further cell could still lead to a form. */
bool crd_i_form_evidence_is_open(const crd_i_form_evidence *evidence);
/* Returns whether there are cells and all of them are plain numbers. */
bool crd_i_form_evidence_is_plain(const crd_i_form_evidence *evidence);
/* Returns whether there are cells and all of them are truth values. */
bool crd_i_form_evidence_is_truth(const crd_i_form_evidence *evidence);
/* Returns whether all cells are plain numbers that have groups of three digits after any point (1.234, 999). In a
 * file with decimal commas they are other numbers. */
bool crd_i_form_evidence_may_be_grouped(const crd_i_form_evidence *evidence);
/* Returns whether these cells and further ones could prove that the file has decimal commas. */
bool crd_i_form_evidence_may_prove_comma(const crd_i_form_evidence *evidence);
/* The decimal marks in the columns of a file: amounts with a point, amounts with a comma, and plain numbers such as
 * 11.5, whose point is the decimal mark. */
typedef struct crd_i_form_marks {
    bool has_point, has_comma, has_fraction;
} crd_i_form_marks;
void crd_i_form_marks_add(crd_i_form_marks *marks, const crd_i_form_evidence *evidence);
/* Returns the decimal mark of the unambiguous columns; '\0' if they have none, or both. */
char crd_i_form_marks_convention(const crd_i_form_marks *marks);
/* Returns the form of the field, given the decimal mark of its file or '\0'. Returns a plain form if there is none,
 * or if *doubt is set. */
crd_i_form crd_i_form_evidence_decide(const crd_i_form_evidence *evidence, char convention, crd_i_form_doubt *doubt);
/* Returns the form of the field; a plain form if there is none, or if *doubt is set. */
crd_i_form crd_i_form_evidence_form(const crd_i_form_evidence *evidence, crd_i_form_doubt *doubt);
/* Returns the form of amounts whose decimal mark is in doubt, or of plain numbers, if the decimal mark is known from
 * elsewhere. */
crd_i_form crd_i_form_evidence_resolve(const crd_i_form_evidence *evidence, char point);

#endif
