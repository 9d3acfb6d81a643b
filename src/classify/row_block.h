/* SPDX-License-Identifier: MIT */
/* row_block.h - a block of rows answered together: their sums stand class by class in a table small enough to stay
 * near the processor, attributes are added one after another in the order of the schema, and what the sums become is
 * handed over row by row. Each row's bits are those of crd_classifier_probabilities. */
#ifndef CRD_CLASSIFY_ROW_BLOCK_H
#define CRD_CLASSIFY_ROW_BLOCK_H

#include "classify/classifier_internal.h"

/* How many columns of numbers are turned together: a line of the cache of each row. */
enum { CRD_I_ROW_BLOCK_WIDTH = 8 };

typedef struct crd_i_row_block {
    const crd_classifier *classifier;
    crd_i_block block;                           /* block.stride is the most rows that it can have */
    double *columns;                             /* CRD_I_ROW_BLOCK_WIDTH of them */
    double *exponentials;                        /* of what is left of the sums, laid out as they are */
    double *decision, *tied, *greatest, *totals; /* of each row: see simd_columns.h */
    bool *is_certain;                            /* of each row, that it has no evidence */
    uint32_t *unseen;                            /* of each row */
    crd_i_one_cell *cells;                       /* rows x attributes, where rows are scored one by one; else NULL */
    double *scratch;                             /* of the scorer, likewise */
    crd_text *texts;                             /* of each row, those of the column at hand */
    bool are_bags;                               /* these are bags of terms, see text/bag.h */
    double *text_logs; /* of texts: rows x classes, for each such column where cells are kept */
} crd_i_row_block;

/* What is asked of a block; NULL: not asked for. */
typedef struct crd_i_wanted {
    double *log_posteriors, *probabilities; /* rows x classes */
    double *found_logs, *found;             /* likewise, before calibration */
    crd_answer *answers;
    int32_t *decisions;
} crd_i_wanted;

/* How many bytes a block works in; SIZE_MAX: more than there can be. The memory is zeroed by its owner, and serves one
 * block at a time. */
size_t crd_i_row_block_room(const crd_classifier *classifier);
void crd_i_row_block_init(crd_i_row_block *batch, const crd_classifier *classifier, void *room);

/* So many rows, at most block.stride, of which nothing is known yet. */
void crd_i_row_block_begin(crd_i_row_block *batch, size_t rows);
/* The next attribute in the order of the schema. Numbers stand in one of the batch's columns, where those that no class
 * can have become missing, and are missing where they are NaN, which none may be unless some_missing. */
void crd_i_row_block_add_numbers(crd_i_row_block *batch, size_t attribute, double *column, bool some_missing);
void crd_i_row_block_add_codes(crd_i_row_block *batch, size_t attribute, const int32_t *codes);
/* Texts of the batch's rows, as in batch->texts; bytes NULL: missing. */
CRD_MUST_USE crd_status crd_i_row_block_add_texts(crd_i_row_block *batch, size_t attribute, crd_error *error);
/* Fails as the scorer does, at row *failed of the block; the rows before it are answered. */
CRD_MUST_USE crd_status crd_i_row_block_conclude(crd_i_row_block *batch, const crd_i_wanted *wanted, size_t *failed,
                                                 crd_error *error);

#endif
