/* SPDX-License-Identifier: MIT */
/* exact_products.c - see exact_products.h: the arrays of sums, adding single rows, combining and queries. The fast path
 * for adding is in products_sliced.c.
 *
 * Columns are divided into blocks of eight. The arrays are, in this order: the total weight; for each block, the sums
 * of its columns; for each block and each block up to it, the sums of products. The latter form a tile of eight by
 * eight, in which diagonal tiles hold each pair once. */
#include "math/exact/exact_products_internal.h"

#include "base/memory.h"

/* With this many columns, the arrays can still be counted in 32 bits. Their contents would exceed any memory. */
static const size_t MOST_COLUMNS = (size_t)1 << 18;

static size_t array_count(size_t columns) {
    size_t blocks = crd_i_products_blocks(columns);
    return 1 + blocks + blocks * (blocks + 1) / 2;
}

crd_i_products *crd_i_products_create(crd_context *context, size_t columns) {
    if (columns > MOST_COLUMNS) return NULL;
    crd_i_products *products = crd_i_alloc_zeroed(context, 1, sizeof *products);
    if (products == NULL) return NULL;
    products->context = context;
    products->columns = columns;
    products->arrays = crd_i_alloc(context, array_count(columns), sizeof *products->arrays);
    if (products->arrays == NULL) {
        crd_free(context, products);
        return NULL;
    }
    for (size_t i = 0; i < array_count(columns); i++) crd_i_sums_init(&products->arrays[i], context);
    /* An array of zeros has no limbs, so none of these calls can fail. */
    bool extended = crd_i_sums_extend(&products->arrays[0], 1);
    for (size_t second = 0; second < crd_i_products_blocks(columns); second++) {
        size_t width = crd_i_products_width(products, second);
        extended = extended && crd_i_sums_extend(crd_i_products_sums(products, second), width);
        for (size_t first = 0; first <= second; first++) {
            size_t cells = first < second ? width * CRD_I_PRODUCTS_BLOCK : width * (width + 1) / 2;
            extended = extended && crd_i_sums_extend(crd_i_products_tile(products, first, second), cells);
        }
    }
    if (extended) return products;
    crd_i_products_destroy(products);
    return NULL;
}

void crd_i_products_destroy(crd_i_products *products) {
    if (products == NULL) return;
    for (size_t i = 0; i < array_count(products->columns); i++) crd_i_sums_clear(&products->arrays[i]);
    crd_free(products->context, products->arrays);
    crd_free(products->context, products);
}

/* ---- Adding ---- */

/* Adds a row with weight 1 or -1. */
static bool exact_products_add_row(crd_i_products *products, const double *row, int sign) {
    if (!crd_i_sums_add_integer(&products->arrays[0], 0, sign)) return false;
    for (size_t j = 0; j < products->columns; j++) {
        double x = sign < 0 ? -row[j] : row[j];
        if (x == 0) continue;
        size_t second = j / CRD_I_PRODUCTS_BLOCK, in_second = j % CRD_I_PRODUCTS_BLOCK;
        if (!crd_i_sums_add(crd_i_products_sums(products, second), in_second, x)) return false;
        for (size_t i = 0; i <= j; i++) {
            size_t first = i / CRD_I_PRODUCTS_BLOCK;
            size_t cell = crd_i_products_tile_cell(first, second, i % CRD_I_PRODUCTS_BLOCK, in_second);
            if (!crd_i_sums_add_product(crd_i_products_tile(products, first, second), cell, row[i], x)) return false;
        }
    }
    return true;
}

static bool exact_products_add_weighted(crd_i_products *products, const double *row, double weight) {
    if (!crd_i_sums_add(&products->arrays[0], 0, weight)) return false;
    for (size_t j = 0; j < products->columns; j++) {
        if (row[j] == 0) continue;
        size_t second = j / CRD_I_PRODUCTS_BLOCK, in_second = j % CRD_I_PRODUCTS_BLOCK;
        if (!crd_i_sums_add_product(crd_i_products_sums(products, second), in_second, weight, row[j])) return false;
        for (size_t i = 0; i <= j; i++) {
            size_t first = i / CRD_I_PRODUCTS_BLOCK;
            size_t cell = crd_i_products_tile_cell(first, second, i % CRD_I_PRODUCTS_BLOCK, in_second);
            if (!crd_i_sums_add_product3(crd_i_products_tile(products, first, second), cell, weight, row[i], row[j]))
                return false;
        }
    }
    return true;
}

bool crd_i_products_add(crd_i_products *products, crd_i_products_scratch *scratch, const double *rows, size_t stride,
                        size_t count, const double *weights, int sign) {
    if (weights == NULL && crd_i_products_can_slice(scratch, count))
        return crd_i_products_add_sliced(products, scratch, rows, stride, count, sign);
    for (size_t row = 0; row < count; row++) {
        const double *values = rows + row * stride;
        bool added = weights == NULL
                         ? exact_products_add_row(products, values, sign)
                         : exact_products_add_weighted(products, values, sign < 0 ? -weights[row] : weights[row]);
        if (!added) return false;
    }
    return true;
}

/* ---- Combining ---- */

bool crd_i_products_combine(crd_i_products *products, const crd_i_products *other, int sign) {
    for (size_t i = 0; i < array_count(products->columns); i++)
        if (!crd_i_sums_combine_all(&products->arrays[i], &other->arrays[i], NULL, sign)) return false;
    return true;
}

/* Adds the sum of products of two columns of `other` as `embed` maps them; neither is a column of zeros. */
static bool embed_product(crd_i_products *products, size_t i, size_t j, const crd_i_products *other, size_t a, size_t b,
                          int sign) {
    crd_i_comoment_cell cell = crd_i_products_cell(products, i, j);
    crd_i_sums *tile = crd_i_products_tile(products, i / CRD_I_PRODUCTS_BLOCK, j / CRD_I_PRODUCTS_BLOCK);
    if (a == CRD_I_COLUMN_OF_ONES && b == CRD_I_COLUMN_OF_ONES)
        return crd_i_sums_combine(tile, cell.q_cell, &other->arrays[0], 0, sign);
    if (a == CRD_I_COLUMN_OF_ONES || b == CRD_I_COLUMN_OF_ONES) {
        size_t column = a == CRD_I_COLUMN_OF_ONES ? b : a;
        crd_i_comoment_cell comoment = crd_i_products_cell(other, column, column);
        return crd_i_sums_combine(tile, cell.q_cell, comoment.s, comoment.s_cell, sign);
    }
    crd_i_comoment_cell comoment = crd_i_products_cell(other, a, b);
    return crd_i_sums_combine(tile, cell.q_cell, comoment.q, comoment.q_cell, sign);
}

bool crd_i_products_embed(crd_i_products *products, const crd_i_products *other, const size_t *source, int sign) {
    if (!crd_i_sums_combine(&products->arrays[0], 0, &other->arrays[0], 0, sign)) return false;
    for (size_t j = 0; j < products->columns; j++) {
        if (source[j] == CRD_I_COLUMN_OF_ZEROS) continue;
        bool is_one = source[j] == CRD_I_COLUMN_OF_ONES;
        const crd_i_sums *sums =
            is_one ? &other->arrays[0] : crd_i_products_sums(other, source[j] / CRD_I_PRODUCTS_BLOCK);
        if (!crd_i_sums_combine(crd_i_products_sums(products, j / CRD_I_PRODUCTS_BLOCK), j % CRD_I_PRODUCTS_BLOCK, sums,
                                is_one ? 0 : source[j] % CRD_I_PRODUCTS_BLOCK, sign))
            return false;
        for (size_t i = 0; i <= j; i++)
            if (source[i] != CRD_I_COLUMN_OF_ZEROS && !embed_product(products, i, j, other, source[i], source[j], sign))
                return false;
    }
    return true;
}

/* ---- Queries ---- */

bool crd_i_products_is_zero(const crd_i_products *products) {
    for (size_t i = 0; i < array_count(products->columns); i++)
        for (size_t cell = 0; cell < products->arrays[i].cells; cell++)
            if (crd_i_sums_sign(&products->arrays[i], cell) != 0) return false;
    return true;
}

size_t crd_i_products_array_count(const crd_i_products *products) {
    return array_count(products->columns);
}

crd_i_sums *crd_i_products_array(crd_i_products *products, size_t array) {
    return &products->arrays[array];
}

const crd_i_sums *crd_i_products_array_const(const crd_i_products *products, size_t array) {
    return &products->arrays[array];
}

const crd_i_sums *crd_i_products_total(const crd_i_products *products) {
    return &products->arrays[0];
}

crd_i_comoment_cell crd_i_products_cell(const crd_i_products *products, size_t i, size_t j) {
    size_t low = i < j ? i : j, high = i < j ? j : i;
    size_t first = low / CRD_I_PRODUCTS_BLOCK, second = high / CRD_I_PRODUCTS_BLOCK;
    crd_i_comoment_cell cell = {
        .n = &products->arrays[0],
        .s = crd_i_products_sums(products, i / CRD_I_PRODUCTS_BLOCK),
        .t = crd_i_products_sums(products, j / CRD_I_PRODUCTS_BLOCK),
        .q = crd_i_products_tile(products, first, second),
        .n_cell = 0,
        .s_cell = i % CRD_I_PRODUCTS_BLOCK,
        .t_cell = j % CRD_I_PRODUCTS_BLOCK,
        .q_cell = crd_i_products_tile_cell(first, second, low % CRD_I_PRODUCTS_BLOCK, high % CRD_I_PRODUCTS_BLOCK),
    };
    return cell;
}

static bool is_greater(crd_i_scaled a, crd_i_scaled b) {
    if (a.mantissa == 0 || b.mantissa == 0 || a.exponent == b.exponent) return a.mantissa > b.mantissa;
    return a.exponent > b.exponent;
}

/* Checks that the squared covariances of column j with the columns before it are at most the products of the variances.
 * It allows a relative excess of 2^-49, because each of the four numbers is rounded, and their products too. */
static bool find_possible(const crd_i_products *products, crd_i_scaled *variances, size_t j, bool *possible) {
    const crd_i_scaled more = crd_i_scaled_of(1 + 0x1p-49);
    for (size_t i = j + 1; i-- > 0 && *possible;) {
        crd_i_signed covariance;
        bool defined;
        if (!crd_i_comoments_covariance(crd_i_products_cell(products, i, j), false, &covariance, &defined))
            return false;
        if (i == j) {
            *possible = covariance.sign >= 0;
            variances[j] = covariance.size;
        } else {
            crd_i_scaled bound = crd_i_scaled_multiply(crd_i_scaled_multiply(variances[i], variances[j]), more);
            *possible = !is_greater(crd_i_scaled_multiply(covariance.size, covariance.size), bound);
        }
    }
    return true;
}

bool crd_i_products_possible(const crd_i_products *products, bool *possible) {
    int total = crd_i_sums_sign(&products->arrays[0], 0);
    *possible = total > 0 || (total == 0 && crd_i_products_is_zero(products));
    if (total <= 0) return true;
    crd_i_scaled *variances = crd_i_alloc(products->context, products->columns, sizeof *variances);
    if (variances == NULL) return false;
    bool is_found = true;
    for (size_t j = 0; is_found && *possible && j < products->columns; j++)
        is_found = find_possible(products, variances, j, possible);
    crd_free(products->context, variances);
    return is_found;
}
