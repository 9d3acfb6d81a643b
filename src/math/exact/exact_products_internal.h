/* SPDX-License-Identifier: MIT */
/* exact_products_internal.h - how the sums of exact_products.h lie, for the files that add to them. */
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

/* How many columns a block has. */
static inline size_t crd_i_products_width(const crd_i_products *products, size_t block) {
    size_t left = products->columns - block * CRD_I_PRODUCTS_BLOCK;
    return left < CRD_I_PRODUCTS_BLOCK ? left : CRD_I_PRODUCTS_BLOCK;
}

/* The sums of a block of columns; of the products of two blocks, first <= second. */
static inline crd_i_sums *crd_i_products_sums(const crd_i_products *products, size_t block) {
    return &products->arrays[1 + block];
}

static inline crd_i_sums *crd_i_products_tile(const crd_i_products *products, size_t first, size_t second) {
    size_t blocks = crd_i_products_blocks(products->columns);
    return &products->arrays[1 + blocks + second * (second + 1) / 2 + first];
}

/* Where in a tile the product of column i of the first block and j of the second is; i <= j where the two are one. */
static inline size_t crd_i_products_tile_cell(size_t first, size_t second, size_t i, size_t j) {
    return first < second ? j * CRD_I_PRODUCTS_BLOCK + i : j * (j + 1) / 2 + i;
}

/* Whether so many rows are added fast, and adding them so. */
bool crd_i_products_can_slice(const crd_i_products_scratch *scratch, size_t count);
CRD_MUST_USE bool crd_i_products_add_sliced(crd_i_products *products, crd_i_products_scratch *scratch,
                                            const double *rows, size_t stride, size_t count, int sign);

#endif
