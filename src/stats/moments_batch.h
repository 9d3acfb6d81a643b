/* SPDX-License-Identifier: MIT */
/* moments_batch.h - numbers on their way into tallies of moments: many columns, and frame after frame, at once.
 *
 * A batch adds rows to sums in plain doubles that are exact for 1,024 rows of a condition (see math/exact/slices.h), and
 * pours them into the tallies' wide integers when these are full, or at the end. So what a value costs does not depend
 * on how many rows come at a time, nor on how many conditions they are spread over; where memory for all those sums
 * would be too much, values go to the tallies one by one. Until it is poured, the tallies lack what is in the batch: it
 * belongs to whoever fills them, and is poured before anybody else looks at them.
 *
 * What is tallied does not depend on any of this. */
#ifndef CRD_STATS_MOMENTS_BATCH_H
#define CRD_STATS_MOMENTS_BATCH_H

#include "math/exact/slices.h"
#include "stats/tally.h"

typedef struct crd_i_batch crd_i_batch;

/* NULL: out of memory. No slicer: values go to the tallies one by one. */
crd_i_batch *crd_i_batch_create(crd_context *context, const crd_i_slicer *slicer);
/* What was not poured is lost. NULL is fine. */
void crd_i_batch_destroy(crd_i_batch *batch);

/* The calls that return bool give false when memory ran out; a part may have been added then. */

/* Makes a tally of moments the batch's next column, if it is none yet. It must outlive the batch. */
CRD_MUST_USE bool crd_i_batch_join(crd_i_batch *batch, crd_i_tally *tally);

/* Adds rows that lie one after the other, `stride` doubles apart, each with a number for every column in the order in
 * which they joined; NaN is missing. Negative conditions leave their row out; the others are less than
 * condition_count. CRD_ERROR_NUMBER where a number is infinite, also in rows that are left out; CRD_ERROR_MEMORY. */
CRD_MUST_USE crd_status crd_i_batch_add_rows(crd_i_batch *batch, const double *values, size_t stride, size_t rows,
                                             const int32_t *conditions, size_t condition_count);

/* Keeps the cells of one column, which joins, until the next call adds those of all columns together. They are numbers
 * and never infinite. */
CRD_MUST_USE bool crd_i_batch_offer(crd_i_batch *batch, crd_i_tally *tally, const crd_i_cells *cells);
CRD_MUST_USE bool crd_i_batch_add_offered(crd_i_batch *batch, size_t rows, const int32_t *conditions,
                                          size_t condition_count);

/* Brings the tallies up to date. */
CRD_MUST_USE bool crd_i_batch_pour(crd_i_batch *batch);

#endif
