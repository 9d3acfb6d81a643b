/* SPDX-License-Identifier: MIT */
/* split.h - the assignment of rows to folds. */
#ifndef CRD_EVALUATE_SPLIT_H
#define CRD_EVALUATE_SPLIT_H

#include <credence/evaluate.h>

/* ======== Folds: random, stratified and balanced ======== */

/* Assigns rows to folds, one after the other. */
typedef struct crd_i_folds crd_i_folds;

/* Creates an assignment to `folds` folds. The caller destroys *out. See crd_split_options. */
CRD_MUST_USE crd_status crd_i_folds_create(crd_context *context, uint32_t folds, uint64_t seed, crd_i_folds **out,
                                           crd_error *error);
/* Frees an assignment of folds. NULL is allowed. */
void crd_i_folds_destroy(crd_i_folds *folds);
/* Sets *fold to the fold, from 0, of the next row. `class_name` is the row's class. */
CRD_MUST_USE crd_status crd_i_folds_next(crd_i_folds *folds, crd_text class_name, uint32_t *fold, crd_error *error);

/* ======== Splits ======== */

/* Creates a split without rows. `options` may be NULL. The caller destroys *out. */
CRD_MUST_USE crd_status crd_i_split_create(crd_context *context, const crd_split_options *options, crd_split **out,
                                           crd_error *error);
/* Frees a split. NULL is allowed. */
void crd_i_split_destroy(crd_split *split);
/* Discards all rows. */
CRD_MUST_USE crd_status crd_i_split_clear(crd_split *split, crd_error *error);
/* Assigns the rows of the source's latest frame to folds. Rows without a class, or of weight 0, are not in any fold.
 * CRD_ERROR_EMPTY, with the line: a row's value in the fold column is missing. */
CRD_MUST_USE crd_status crd_i_split_add(crd_split *split, const crd_row_source *source, const crd_frame *frame,
                                        crd_error *error);
/* Finishes the split after all rows were added. CRD_ERROR_EMPTY: there is only one fold, or there are no rows to learn
 * from or to test. */
CRD_MUST_USE crd_status crd_i_split_finish(crd_split *split, crd_error *error);

/* Returns the fold of each row, in order, for crd_i_cross_validation_classify. For a holdout, training rows are not
 * tested, so this array differs from crd_split_learned. The array lives until you add rows. */
const uint32_t *crd_i_split_tested(const crd_split *split);

#endif
