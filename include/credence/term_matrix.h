/* SPDX-License-Identifier: MIT */
/* credence/term_matrix.h - documents of which only the counts of terms are there, as a sparse matrix. */
#ifndef CREDENCE_TERM_MATRIX_H
#define CREDENCE_TERM_MATRIX_H

#include <credence/base.h>
#include <credence/data.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A matrix of counts in compressed sparse rows (CSR): a row for each document, a column for each term. */
typedef struct crd_term_matrix {
    size_t size;
    const crd_text *terms; /* of each column: not empty, all different, in any order */
    size_t term_count;
    const int64_t *offsets; /* row i has the entries offsets[i] to offsets[i + 1] - 1: one more than there are rows */
    const int32_t *columns; /* of each entry, below term_count; in any order, and those of one column add up */
    const double *counts;   /* of each entry: how often the document has the term, a whole number from 0 up */
} crd_term_matrix;

#define CRD_TERM_MATRIX_INIT                                                                                           \
    { sizeof(crd_term_matrix), 0, 0, 0, 0, 0 }

/* A column of documents, CRD_KIND_TEXT, that have these terms so many times: a model learns of it, and classifies it, as of
 * texts in which the tokenizer finds the same terms. A document without terms is one, not a missing cell. All is copied;
 * crd_frame_value has no readable text of such a cell. CRD_ERROR_NUMBER: a count that is negative, not whole, or above
 * 2^32 - 1 in all, with the error's line the row, from 1; CRD_ERROR_ARGUMENT: terms, offsets or columns that are none. */
CRD_API CRD_MUST_USE crd_status crd_frame_add_term_counts(crd_frame *frame, crd_text name,
                                                          const crd_term_matrix *matrix, crd_error *error);

#ifdef __cplusplus
}
#endif
#endif
