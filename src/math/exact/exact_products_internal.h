/* SPDX-License-Identifier: MIT */
/* exact_products_internal.h - the layout of the sums of exact_products.h, for the files that add to them. */
#ifndef CRD_MATH_EXACT_EXACT_PRODUCTS_INTERNAL_H
#define CRD_MATH_EXACT_EXACT_PRODUCTS_INTERNAL_H

#include "math/exact/exact_products.h"

struct crd_i_products {
    crd_context *context;
    size_t columns;
    crd_i_sums *arrays;
};

static inline size_t crd_i_products_blocks(size_t columns) {
    return (columns + CRD_I_PRODUCTS_BLOCK - 1) / CRD_I_PRODUCTS_BLOCK;
}

/* Returns the number of columns in a block. */
static inline size_t crd_i_products_width(const crd_i_products *products, size_t block) {
    size_t left = products->columns - block * CRD_I_PRODUCTS_BLOCK;
    return left < CRD_I_PRODUCTS_BLOCK ? left : CRD_I_PRODUCTS_BLOCK;
}

/* Return the sums of a block of columns, and the sums of products of two blocks, first <= second. */
static inline crd_i_sums *crd_i_products_sums(const crd_i_products *products, size_t block) {
    return &products->arrays[1 + block];
}

static inline crd_i_sums *crd_i_products_tile(const crd_i_products *products, size_t first, size_t second) {
    size_t blocks = crd_i_products_blocks(products->columns);
    return &products->arrays[1 + blocks + second * (second + 1) / 2 + first];
}

/* Returns the index in a tile of the product of column i of the first block and column j of the second. i <= j if the
 * two blocks are the same. */
static inline size_t crd_i_products_tile_cell(size_t first, size_t second, size_t i, size_t j) {
    return first < second ? j * CRD_I_PRODUCTS_BLOCK + i : j * (j + 1) / 2 + i;
}

/* Returns whether `count` rows are added by the fast path. The next function adds them. */
bool crd_i_products_can_slice(const crd_i_products_scratch *scratch, size_t count);
CRD_MUST_USE bool crd_i_products_add_sliced(crd_i_products *products, crd_i_products_scratch *scratch,
                                            const double *rows, size_t stride, size_t count, int sign);

#endif
