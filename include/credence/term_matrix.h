/* SPDX-License-Identifier: MIT */
/* credence/term_matrix.h - documents given as a sparse matrix of term counts, instead of as texts. */
#ifndef CREDENCE_TERM_MATRIX_H
#define CREDENCE_TERM_MATRIX_H

#ifndef CRD_EXPERIMENTAL
#error "credence/term_matrix.h is experimental: define CRD_EXPERIMENTAL before you include it"
#endif

#include <credence/credence.h>
#include <credence/data.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A matrix of term counts in compressed sparse row format (CSR): one row per document, one column per term. Initialize
 * it with CRD_TERM_MATRIX_INIT. */
typedef struct crd_term_matrix {
    size_t size;
    const crd_text *terms; /* the term of each column: not empty, all different, in any order */
    size_t term_count;
    const int64_t *offsets; /* rows + 1 offsets: row i has the entries offsets[i] to offsets[i + 1] - 1 */
    /* the column of each entry, below term_count; in any order, and counts of equal columns are added */
    const int32_t *columns;
    const double *counts; /* how often the document contains the term of each entry, an integer, not negative */
} crd_term_matrix;

#define CRD_TERM_MATRIX_INIT                                                                                           \
    { sizeof(crd_term_matrix), 0, 0, 0, 0, 0 }

/* Adds a text column (CRD_TYPE_TEXT) to a frame, whose documents contain the terms with these counts. Training and
 * prediction treat them like texts from which the tokenizer gets the same terms. A document without terms is an empty
 * text, not a missing value. All input is copied. crd_frame_value returns no readable text for such a value.
 *
 * Returns CRD_ERROR_NUMBER if a count is negative or not an integer, or if the counts of a document exceed 2^32 - 1 in
 * total. The error's line is then the row, from 1. Returns CRD_ERROR_ARGUMENT if terms, offsets or columns are
 * invalid. */
CRD_API CRD_MUST_USE crd_status crd_frame_add_term_counts(crd_frame *frame, crd_text name,
                                                          const crd_term_matrix *matrix, crd_error *error);

#ifdef __cplusplus
}
#endif
#endif
