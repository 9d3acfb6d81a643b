/* SPDX-License-Identifier: MIT */
/* posteriors.h - the results of many rows.
 *
 * Contents:
 *   1. Results
 *   2. Blocks of rows */
#ifndef CRD_CLASSIFY_POSTERIORS_H
#define CRD_CLASSIFY_POSTERIORS_H

#include "classify/classifier_internal.h"
#include "model/model_internal.h"

/* ======== 1. Results ======== */

struct crd_posteriors {
    crd_context *context;
    crd_i_binding binding;
    size_t rows, classes;
    double *logs, *probabilities;             /* rows x classes */
    double *uncalibrated_logs, *uncalibrated; /* values before calibration, if there is one */
    bool is_calibrated;
    crd_answer *answers;
    size_t logs_capacity, probabilities_capacity, uncalibrated_logs_capacity, uncalibrated_capacity, answers_capacity;
    void *memory; /* memory of the current block of rows */
    size_t room_size;
};

/* Allocates room for `rows` rows and `classes` classes. posteriors->rows stays the number of valid rows. Returns false
 * if memory runs out. */
CRD_MUST_USE bool crd_i_posteriors_open(crd_posteriors *posteriors, size_t rows, size_t classes);

/* Also allocates room for the values before calibration. */
CRD_MUST_USE bool crd_i_posteriors_open_uncalibrated(crd_posteriors *posteriors, size_t rows);

/* Rejects a column whose type differs from the attribute's, unless it has no values. */
CRD_MUST_USE crd_status crd_i_attribute_check_type(const crd_i_attribute *attribute, const crd_i_column *column,
                                                   size_t rows, crd_error *error);

/* Returns the destinations of the results from row `first` on. */
crd_results crd_i_results_from(const crd_results *results, size_t first, size_t classes);

/* Prepares for the rows of a frame: finds its columns and checks their types. */
CRD_MUST_USE crd_status crd_i_posteriors_bind(crd_posteriors *posteriors, const crd_classifier *classifier,
                                              const crd_frame *frame, crd_error *error);
/* Classifies rows [first .. end) of the bound frame. The results of row r are stored at index r of each array. Reports
 * the first row that fails. */
CRD_MUST_USE crd_status crd_i_posteriors_answer(crd_posteriors *posteriors, const crd_classifier *classifier,
                                                const crd_frame *frame, size_t first, size_t end,
                                                const crd_results *results, crd_error *error);

/* ======== 2. Blocks of rows ========
 *
 * A block of rows is classified together. The sums are stored class by class in a table that fits into the cache.
 * Attributes are added in schema order, and results are delivered row by row. Each row is bit-identical to
 * crd_classifier_posterior. */

/* Number of numeric columns transposed together: one cache line of each row. */
enum { CRD_I_ROW_BLOCK_WIDTH = 8 };

typedef struct crd_i_row_block {
    const crd_classifier *classifier;
    crd_i_block block;                           /* block.stride is the maximum number of rows */
    double *columns;                             /* CRD_I_ROW_BLOCK_WIDTH of them */
    double *exponentials;                        /* exponentials of the sums, in the same layout */
    double *decision, *tied, *greatest, *totals; /* by row: see simd_columns.h */
    bool *lacks_evidence;                        /* by row: true if it has no evidence */
    uint32_t *unseen;                            /* by row: number of unseen values */
    crd_i_one_cell *cells;                       /* rows x attributes, if rows are scored one by one; otherwise NULL */
    double *scratch;                             /* scratch of the scorer, if rows are scored one by one */
    crd_text *texts;                             /* by row: texts of the current column */
    bool are_bags;                               /* the texts are bags of terms, see text/tokens.h */
    double *text_logs; /* log densities of texts, rows x classes, for each text column if `cells` is used */
} crd_i_row_block;

/* Returns the bytes needed for a block; SIZE_MAX if they exceed the address space. The owner zeroes the memory,
 * which serves one block at a time. */
size_t crd_i_row_block_room(const crd_classifier *classifier);
void crd_i_row_block_init(crd_i_row_block *row, const crd_classifier *classifier, void *workspace);

/* Starts a block of `rows` rows, at most block.stride, without any values. */
void crd_i_row_block_begin(crd_i_row_block *row_block, size_t rows);
/* Adds the next attribute in schema order. The numbers are in one of the block's columns. Numbers that no class can
 * have become missing. NaN means missing and is allowed only if some_missing is true. */
void crd_i_row_block_add_numbers(crd_i_row_block *row, size_t attribute, double *column, bool some_missing);
/* Computes the requested results; NULL arrays are skipped. Fails like the scorer, at row *failed of the block; all rows before it are done. */
CRD_MUST_USE crd_status crd_i_row_block_conclude(crd_i_row_block *row_block, const crd_results *results, size_t *failed,
                                                 crd_error *error);

/* Returns the log posteriors of a row before calibration, as crd_classifier_uncalibrated computes them. Returns NULL if
 * the classifier is not calibrated. */
const double *crd_i_posteriors_uncalibrated_log(const crd_posteriors *posteriors, size_t row);

/* Returns the probabilities of a row before calibration, as crd_classifier_uncalibrated computes them. Returns NULL if
 * the classifier is not calibrated. */
const double *crd_i_posteriors_uncalibrated(const crd_posteriors *posteriors, size_t row);

#endif
