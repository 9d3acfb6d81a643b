/* SPDX-License-Identifier: MIT */
/* row_block.h - classifies a block of rows together. Their sums are stored class by class in a table that fits into
 * the cache. Attributes are added in schema order, and results are delivered row by row. Each row is bit-identical
 * to crd_classifier_probabilities. */
#ifndef CRD_CLASSIFY_ROW_BLOCK_H
#define CRD_CLASSIFY_ROW_BLOCK_H

#include "classify/classifier_internal.h"

/* Number of numeric columns transposed together: one cache line of each row. */
enum { CRD_I_ROW_BLOCK_WIDTH = 8 };

typedef struct crd_i_row_block {
    const crd_classifier *classifier;
    crd_i_block block;                           /* block.stride is the maximum number of rows */
    double *columns;                             /* CRD_I_ROW_BLOCK_WIDTH of them */
    double *exponentials;                        /* exponentials of the sums, in the same layout */
    double *decision, *tied, *greatest, *totals; /* by row: see simd_columns.h */
    bool *is_certain;                            /* by row: true if it has no evidence */
    uint32_t *unseen;                            /* by row: number of unseen values */
    crd_i_one_cell *cells;                       /* rows x attributes, if rows are scored one by one; otherwise NULL */
    double *scratch;                             /* scratch of the scorer, if rows are scored one by one */
    crd_text *texts;                             /* by row: texts of the current column */
    bool are_bags;                               /* the texts are bags of terms, see text/bag.h */
    double *text_logs; /* log densities of texts, rows x classes, for each text column if `cells` is used */
} crd_i_row_block;

/* Requested results of a block; NULL arrays are skipped. */
typedef struct crd_i_wanted {
    double *log_posteriors, *probabilities; /* rows x classes */
    double *found_logs, *result;            /* values before calibration */
    crd_answer *answers;
    int32_t *decisions;
} crd_i_wanted;

/* Returns the bytes needed for a block; SIZE_MAX if they exceed the address space. The owner zeroes the memory,
 * which serves one block at a time. */
size_t crd_i_row_block_room(const crd_classifier *classifier);
void crd_i_row_block_init(crd_i_row_block *row, const crd_classifier *classifier, void *workspace);

/* Starts a block of `rows` rows, at most block.stride, without any values. */
void crd_i_row_block_begin(crd_i_row_block *row_block, size_t rows);
/* Adds the next attribute in schema order. The numbers are in one of the block's columns. Numbers that no class can
 * have become missing. NaN means missing and is allowed only if some_missing is true. */
void crd_i_row_block_add_numbers(crd_i_row_block *row, size_t attribute, double *column, bool some_missing);
void crd_i_row_block_add_codes(crd_i_row_block *row_block, size_t attribute, const int32_t *codes);
/* Adds the texts in row_block->texts; bytes NULL: missing. */
CRD_MUST_USE crd_status crd_i_row_block_add_texts(crd_i_row_block *row_block, size_t attribute, crd_error *error);
/* Computes the results. Fails like the scorer, at row *failed of the block; all rows before it are done. */
CRD_MUST_USE crd_status crd_i_row_block_conclude(crd_i_row_block *row_block, const crd_i_wanted *wanted, size_t *failed,
                                                 crd_error *error);

#endif
