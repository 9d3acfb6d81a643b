/* SPDX-License-Identifier: MIT */
/* moments.h - the structure of a moments tally, for code that adds to it. */
#ifndef CRD_STATS_MOMENTS_H
#define CRD_STATS_MOMENTS_H

#include "math/exact/slices.h"
#include "stats/tally.h"

enum { CRD_I_POWERS = 3 };

typedef struct crd_i_moments_tally {
    crd_i_tally base;
    crd_i_sums sums[CRD_I_POWERS]; /* sums of w, w x, w x^2; one cell per condition */
    /* its column in the batch that fills it; a hint that the batch verifies, see moments.c */
    size_t column;
    /* The exponent of the scale of weighted numbers (see math/exact/slices.h), if one was chosen. A wrong choice costs
     * only time. */
    bool has_exponent;
    int exponent;
} crd_i_moments_tally;

/* Add one finite number, unweighted or with a weight. false: out of memory. */
CRD_MUST_USE bool crd_i_moments_add_value(crd_i_moments_tally *tally, size_t condition, double value);
CRD_MUST_USE bool crd_i_moments_add_weighted(crd_i_moments_tally *tally, size_t condition, double value, double weight);

/* ======== Buffers ========
 *
 * Buffers collect numbers for moments tallies: many columns, frame after frame, at once.
 *
 * A batch adds rows to sums in plain doubles, which are exact for 1,024 rows of a condition (see
 * math/exact/slices.h). It adds these sums to the tallies' wide integers when they are full, or at the end. Therefore
 * the cost per value depends neither on the number of rows per call nor on the number of conditions. If these sums
 * would need too much memory, values are added to the tallies one by one. Until the batch is poured, the tallies lack
 * its contents: it belongs to the code that fills them, which must pour it before anything else reads them.
 *
 * The resulting statistics do not depend on any of this. */

typedef struct crd_i_batch crd_i_batch;

/* Creates a batch; NULL: out of memory. Without a slicer, values are added to the tallies one by one. */
crd_i_batch *crd_i_batch_create(crd_context *context, const crd_i_slicer *slicer);
/* Destroys a batch and discards values that were not poured. NULL is allowed. */
void crd_i_batch_destroy(crd_i_batch *batch);

/* Functions that return bool return false if memory ran out; some values may have been added then. */

/* Makes a moments tally the batch's next column, if it is not a column yet. It must outlive the batch. */
CRD_MUST_USE bool crd_i_batch_join(crd_i_batch *batch, crd_i_tally *tally);

/* Adds consecutive rows, `stride` doubles apart, each with a number for every column in joining order; NaN is
 * missing. Rows with negative conditions are skipped; other conditions are less than condition_count.
 * CRD_ERROR_NUMBER: a number is infinite, also in skipped rows; CRD_ERROR_MEMORY. */
CRD_MUST_USE crd_status crd_i_batch_add_rows(crd_i_batch *batch, const double *values, size_t stride, size_t rows,
                                             const int32_t *conditions, size_t condition_count);

/* Registers the cells of one column, which joins the batch. crd_i_batch_add_offered adds the cells of all columns
 * together. They must be numbers and finite or missing. */
CRD_MUST_USE bool crd_i_batch_offer(crd_i_batch *batch, crd_i_tally *tally, const crd_i_cells *cells);
CRD_MUST_USE bool crd_i_batch_add_offered(crd_i_batch *batch, size_t rows, const int32_t *conditions,
                                          size_t condition_count);

/* Adds all buffered sums to the tallies. */
CRD_MUST_USE bool crd_i_batch_pour(crd_i_batch *batch);

#endif
