/* SPDX-License-Identifier: MIT */
/* exact_products.h - exact cross-moments of rows of numbers: the sums of weights w, of w x_i and of w x_i x_j for all columns
 * i and j, under one condition.
 *
 * Nothing is rounded, so what is held is a function of the multiset of weighted rows alone: adding in any order, in any
 * batches and by any way, combining what was added apart, and taking out what was put in, give the same sums.
 *
 * The sums are kept in arrays (see exact_sums.h) of eight columns or of eight by eight, each with a window of limbs of its
 * own: columns of other scales, and outliers, widen the few arrays that they touch. Three to five limbs a sum are
 * usual. */
#ifndef CRD_MATH_EXACT_EXACT_PRODUCTS_H
#define CRD_MATH_EXACT_EXACT_PRODUCTS_H

#include "math/exact/exact_moments.h"
#include "math/exact/exact_sums.h"

enum { CRD_I_PRODUCTS_BLOCK = 8 }; /* columns whose sums share a window */

typedef struct crd_i_products crd_i_products;

/* At zero; NULL: out of memory. NULL is fine to destroy. */
crd_i_products *crd_i_products_create(crd_context *context, size_t columns);
void crd_i_products_destroy(crd_i_products *products);

/* A way to multiply, made for one kind of processor: see products_dispatch.h. The fastest that this machine
 * supports; NULL where there is none. */
typedef struct crd_i_multiplier crd_i_multiplier;
const crd_i_multiplier *crd_i_multiplier_best(void);

/* What adding fast needs besides the sums, to be used again for any products: 20 * columns^2 + 10,000 * columns bytes
 * or so, once it is used. Not for two threads at once. NULL: out of memory. NULL is fine to destroy. */
typedef struct crd_i_products_scratch crd_i_products_scratch;
crd_i_products_scratch *crd_i_products_scratch_create(crd_context *context, const crd_i_multiplier *way);
void crd_i_products_scratch_destroy(crd_i_products_scratch *scratch);

/* Adds (sign 1) or takes out (sign -1) `count` rows of finite numbers, one for each column, `stride` doubles apart,
 * each with its weight (weights NULL: all 1). Without weights and with a scratch it is fast, the faster the more rows
 * come in one call: a thousand or more are best. false: out of memory; a part may have been added. */
CRD_MUST_USE bool crd_i_products_add(crd_i_products *products, crd_i_products_scratch *scratch, const double *rows,
                                     size_t stride, size_t count, const double *weights, int sign);

/* products += sign * other, of as many columns. false: out of memory; a part may then have been done. */
CRD_MUST_USE bool crd_i_products_combine(crd_i_products *products, const crd_i_products *other, int sign);

/* products += sign * the sums of `other`'s rows put into other columns: column c has that of number from[c], or 1 in every
 * row (CRD_I_COLUMN_OF_ONES), or 0 (CRD_I_COLUMN_OF_ZEROS). false: out of memory; a part may then have been done. */
#define CRD_I_COLUMN_OF_ONES SIZE_MAX
#define CRD_I_COLUMN_OF_ZEROS (SIZE_MAX - 1)
CRD_MUST_USE bool crd_i_products_embed(crd_i_products *products, const crd_i_products *other, const size_t *from,
                                       int sign);

bool crd_i_products_is_zero(const crd_i_products *products);
/* Whether the weights sum to no less than 0, to 0 only where all is 0, and no column has a negative variance, nor a
 * covariance with another that its variance does not allow: what every multiset of rows fulfils, though not it alone.
 */
CRD_MUST_USE bool crd_i_products_possible(const crd_i_products *products, bool *possible);

/* The arrays of sums, in the order of files: the total; for each block of eight columns, their sums; for each block,
 * and each one up to it, the sums of products. A file has the cells of each in turn, and reading fills them in. */
size_t crd_i_products_array_count(const crd_i_products *products);
crd_i_sums *crd_i_products_array(crd_i_products *products, size_t array);
const crd_i_sums *crd_i_products_array_const(const crd_i_products *products, size_t array);

/* The sum of weights, in cell 0; and the sums behind the means and the covariance of two columns, or of one and itself,
 * from which exact_moments.h derives what is rounded once. */
const crd_i_sums *crd_i_products_total(const crd_i_products *products);
crd_i_comoment_cell crd_i_products_cell(const crd_i_products *products, size_t i, size_t j);

#endif
