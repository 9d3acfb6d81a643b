/* SPDX-License-Identifier: MIT */
/* form_evidence.h - which forms all the cells of a column have.
 *
 * Each cell has a set of readings that it fits, and a column has the intersection of those of its cells: the order of rows
 * changes nothing. A column has a form where one reading is left that is not plain, or where those that are left give
 * every cell the same value. */
#ifndef CRD_TABLE_FORMS_FORM_EVIDENCE_H
#define CRD_TABLE_FORMS_FORM_EVIDENCE_H

#include "table/forms/form.h"

#include <stdint.h>

/* Zero-initialised, no cell was added. */
typedef struct crd_i_form_evidence {
    uint64_t cells;
    uint64_t decimals;    /* of these, numbers, codes of digits among them */
    unsigned fits;        /* bit r: all cells fit reading r; CRD_I_READING_PLAIN: plain numbers */
    bool decimals_differ; /* a cell is another number with a decimal point than with a comma */
    bool days_differ;     /* a cell is another date with the day first than with the month first */
    bool has_mark;        /* an amount is one with a decimal point, or a comma, alone */
    bool has_time;        /* a date has a time */
    bool has_hundreds;    /* a plain number has three digits or more, and no point */
    bool has_currencies;  /* there are several */
    int currency;         /* 0: none yet */
    unsigned char spellings[CRD_I_BOOLEAN_WORDS]; /* of each word: lower case, upper case, capitalised, other */
} crd_i_form_evidence;

typedef enum crd_i_form_doubt { CRD_I_DOUBT_NONE, CRD_I_DOUBT_DECIMAL, CRD_I_DOUBT_DAY } crd_i_form_doubt;

/* A present cell. point: what is known to begin fractions; '\0': a point for plain numbers, and either for others. is_text:
 * the file states that it is no number. */
void crd_i_form_evidence_add(crd_i_form_evidence *evidence, crd_text text, char point, bool is_text);
/* Whether the cell, as nearly all of a column of numbers once the first are known, would change nothing: a quick check, which may be
 * false where it would not. */
bool crd_i_form_evidence_has_settled(const crd_i_form_evidence *evidence, crd_text text, char point);
/* The cells of another part of the column. */
void crd_i_form_evidence_combine(crd_i_form_evidence *evidence, const crd_i_form_evidence *other);
/* Whether a further cell could still lead to a form. */
bool crd_i_form_evidence_is_open(const crd_i_form_evidence *evidence);
/* Whether all cells are plain numbers, of which there is one. */
bool crd_i_form_evidence_is_plain(const crd_i_form_evidence *evidence);
/* Whether all cells are truth values, of which there is one. */
bool crd_i_form_evidence_is_truth(const crd_i_form_evidence *evidence);
/* Whether all cells are plain numbers that have groups of three digits behind their points, if any (1.234, 999): other
 * numbers in a file that has decimal commas. */
bool crd_i_form_evidence_may_be_grouped(const crd_i_form_evidence *evidence);
/* Whether these cells and further ones could prove that the file has decimal commas. */
bool crd_i_form_evidence_may_prove_comma(const crd_i_form_evidence *evidence);
/* The decimal marks that the columns of a file show: amounts with a point, with a comma, and plain numbers such as 11.5, whose point
 * is the decimal mark. */
typedef struct crd_i_form_marks {
    bool has_point, has_comma, has_fraction;
} crd_i_form_marks;
void crd_i_form_marks_add(crd_i_form_marks *marks, const crd_i_form_evidence *evidence);
/* The mark that columns without doubt have: '\0' where they have none, or both. */
char crd_i_form_marks_convention(const crd_i_form_marks *marks);
/* The form of the field where the mark of its file is known, or '\0'; plain where there is none, or *doubt. */
crd_i_form crd_i_form_evidence_decide(const crd_i_form_evidence *evidence, char convention, crd_i_form_doubt *doubt);
/* The form of the field; plain where there is none, or *doubt. */
crd_i_form crd_i_form_evidence_form(const crd_i_form_evidence *evidence, crd_i_form_doubt *doubt);
/* The same of amounts whose decimal mark is in doubt, and of plain numbers, where the mark is known from elsewhere. */
crd_i_form crd_i_form_evidence_resolve(const crd_i_form_evidence *evidence, char point);

#endif
