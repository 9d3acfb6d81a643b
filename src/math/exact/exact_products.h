/* SPDX-License-Identifier: MIT */
/* exact_products.h - exact cross-products of numeric rows: the sums of w, w x_i and w x_i x_j for all columns i and j,
 * under one condition (a class, for example).
 *
 * Nothing is rounded, so the sums depend only on the multiset of weighted rows. You can add rows in any order, in any
 * batches and by any implementation, combine sums that were computed separately, and remove rows that were added: the
 * sums are the same.
 *
 * The sums are stored in arrays (see exact_sums.h) of eight columns or of eight by eight. Each array has its own window
 * of limbs, so columns with other scales, and outliers, widen only the few arrays that contain them. Three to five
 * limbs per sum are usual. */
#ifndef CRD_MATH_EXACT_EXACT_PRODUCTS_H
#define CRD_MATH_EXACT_EXACT_PRODUCTS_H

#include "math/exact/exact_moments.h"
#include "math/exact/exact_sums.h"

enum { CRD_I_PRODUCTS_BLOCK = 8 }; /* columns whose sums share a window */

typedef struct crd_i_products crd_i_products;

/* Creates sums at zero. Returns NULL if memory runs out. Destroying NULL is allowed. */
crd_i_products *crd_i_products_create(crd_context *context, size_t columns);
void crd_i_products_destroy(crd_i_products *products);

/* An implementation of the multiplication for one instruction set: see products_dispatch.h. crd_i_multiplier_best
 * returns the fastest one that this machine supports, or NULL if there is none. */
typedef struct crd_i_multiplier crd_i_multiplier;
const crd_i_multiplier *crd_i_multiplier_best(void);

/* Work space for fast adding, which can be reused for any products: about 20 * columns^2 + 10,000 * columns bytes after
 * its first use. Two threads cannot share it. Creation returns NULL if memory runs out. Destroying NULL is allowed. */
typedef struct crd_i_products_scratch crd_i_products_scratch;
crd_i_products_scratch *crd_i_products_scratch_create(crd_context *context, const crd_i_multiplier *way);
void crd_i_products_scratch_destroy(crd_i_products_scratch *scratch);

/* Adds (sign 1) or removes (sign -1) `count` rows of finite numbers, one per column, `stride` doubles apart, each with
 * its weight (weights NULL: all 1). Without weights and with a scratch it is fast, and faster with more rows per call:
 * a thousand or more are best. Returns false if memory runs out; some rows may have been added. */
CRD_MUST_USE bool crd_i_products_add(crd_i_products *products, crd_i_products_scratch *scratch, const double *rows,
                                     size_t stride, size_t count, const double *weights, int sign);

/* Computes products += sign * other, with the same number of columns. Returns false if memory runs out; some sums may
 * have been combined. */
CRD_MUST_USE bool crd_i_products_combine(crd_i_products *products, const crd_i_products *other, int sign);

/* Computes products += sign * the sums of other's rows with rearranged columns. Column c is column from[c] of `other`,
 * or 1 in every row (CRD_I_COLUMN_OF_ONES), or 0 (CRD_I_COLUMN_OF_ZEROS). Returns false if memory runs out; some sums
 * may have been combined. */
#define CRD_I_COLUMN_OF_ONES SIZE_MAX
#define CRD_I_COLUMN_OF_ZEROS (SIZE_MAX - 1)
CRD_MUST_USE bool crd_i_products_embed(crd_i_products *products, const crd_i_products *other, const size_t *source,
                                       int sign);

bool crd_i_products_is_zero(const crd_i_products *products);
/* Sets *possible to whether the sums satisfy necessary conditions of every multiset of rows. The total weight must not
 * be negative, and may be 0 only if all sums are 0. No column may have a negative variance, or a covariance that
 * exceeds the bound from the variances. These conditions are not sufficient. */
CRD_MUST_USE bool crd_i_products_possible(const crd_i_products *products, bool *possible);

/* The arrays of sums, in file order: the total weight; for each block of eight columns, their sums; for each block and
 * each block up to it, the sums of products. A file stores the entries of each array in turn, and reading fills them
 * in. */
size_t crd_i_products_array_count(const crd_i_products *products);
crd_i_sums *crd_i_products_array(crd_i_products *products, size_t array);
const crd_i_sums *crd_i_products_array_const(const crd_i_products *products, size_t array);

/* Return the sum of weights, in entry 0, and the sums for the means and the covariance of two columns (or of one column
 * with itself). exact_moments.h computes correctly rounded results from them. */
const crd_i_sums *crd_i_products_total(const crd_i_products *products);
crd_i_comoment_cell crd_i_products_cell(const crd_i_products *products, size_t i, size_t j);

#endif
