/* SPDX-License-Identifier: MIT */
/* products_sliced.c - adds the products of many rows, nearly as fast as a few rounded matrix products.
 *
 * As in slices.h, a value of a column with magnitudes below 2^e is split without error into three slices. In units of
 * 2^(e - 64) it is p(2^22), where p(z) = s2 + s1 z + s0 z^2 has integer coefficients of at most 2^21, 2^21 and 2^20.
 * The product of two values is the product of their polynomials. It has degree four, so its values at five points
 * determine it (Toom-Cook multiplication). At a point, the value of a product is the product of the values. Summed over
 * rows, it is an entry of a symmetric matrix product X' X, where X holds the values at that point. Five symmetric
 * products of doubles therefore suffice; multiplying slices by slices would take nine.
 *
 * The points are 0, 1, -1, 2 and infinity. There |p| is at most 2^21, 5 * 2^20, 5 * 2^20, 5 * 2^21 and 2^20. Sums of up
 * to 2,048, 327, 327, 81 and 8,192 products are therefore at most 2^53 and exact, with or without fused multiply-add.
 * Such sums are accumulated in 64-bit integers for up to 4,096 rows. At the point 2 they are below 2^59, and the
 * coefficients derived from the five values are at most 2^55. Only then are they added to the wide integers.
 *
 * A value that does not fit, because it is too large or has bits below the third slice, counts as zero here. Its
 * products with its row are added one by one. In normally distributed data this is one value in a thousand. */
#include "math/exact/exact_products_internal.h"
#include "math/exact/products_dispatch.h"

#include "base/memory.h"
#include "math/exact/ieee754.h"

#include <string.h>

typedef int64_t tile_totals[CRD_I_PRODUCTS_BLOCK][CRD_I_PRODUCTS_BLOCK];
typedef double slice_sums[CRD_I_SLICES][CRD_I_PRODUCTS_BLOCK];

enum {
    MOST_ROWS = 4096, /* rows before the sums go to the wide integers */
    FEWEST_ROWS = 4,  /* minimum number of rows for which this path is faster */
    SAMPLE = 128,     /* values of a column that determine its scale */
    NEAR_BLOCKS = 24, /* blocks whose panels at one point fit in a cache of half a megabyte */
    CACHE_LINE = 64
};

/* The number of rows whose products at a point are summed in doubles. A panel has three times 80 rows. */
static const size_t exact_rows[CRD_I_POINTS] = {CRD_I_PRODUCTS_ROWS, CRD_I_PRODUCTS_ROWS, CRD_I_PRODUCTS_ROWS, 80,
                                                CRD_I_PRODUCTS_ROWS};
_Static_assert(CRD_I_PRODUCTS_ROWS <= 327, "sums of products at 1 are exact");
_Static_assert(CRD_I_PRODUCTS_ROWS *CRD_I_PRODUCTS_BLOCK <= MOST_ROWS, "the remainder of a panel can be listed");

struct crd_i_products_scratch {
    crd_context *context;
    const crd_i_multiplier *way;
    size_t columns;                           /* the exact number of columns that fit */
    void *memory;                             /* the block that contains the arrays below */
    crd_i_points_panel *points[CRD_I_POINTS]; /* one panel per block */
    tile_totals *totals[CRD_I_POINTS];        /* one per tile */
    crd_i_points_scales *scales;              /* one per block, like the sums */
    slice_sums *sums;
    uint8_t *misfits;                                         /* for each row and block, one bit per column */
    double padded[CRD_I_PRODUCTS_ROWS][CRD_I_PRODUCTS_BLOCK]; /* the last block, padded with zeros */
    uint16_t left[MOST_ROWS];
};

const crd_i_multiplier *const crd_i_multipliers[] = {
#ifdef CRD_I_SLICES_AVX2
    &crd_i_multiplier_avx512,
    &crd_i_multiplier_avx2,
#endif
#ifdef CRD_I_SLICES_PLAIN
    &crd_i_multiplier_plain,
#endif
    NULL,
};

const crd_i_multiplier *crd_i_multiplier_best(void) {
    size_t i = 0;
    while (crd_i_multipliers[i] != NULL && !crd_i_multipliers[i]->is_supported()) i++;
    return crd_i_multipliers[i];
}

crd_i_products_scratch *crd_i_products_scratch_create(crd_context *context, const crd_i_multiplier *way) {
    crd_i_products_scratch *scratch = crd_i_alloc_zeroed(context, 1, sizeof *scratch);
    if (scratch == NULL) return NULL;
    scratch->context = context;
    scratch->way = way;
    return scratch;
}

void crd_i_products_scratch_destroy(crd_i_products_scratch *scratch) {
    if (scratch == NULL) return;
    crd_free(scratch->context, scratch->memory);
    crd_free(scratch->context, scratch);
}

/* Reserves `count` items in a block of which *used bytes are taken, starting at the next cache line. If the block is
 * NULL, it only counts, up to SIZE_MAX if no block could hold the items. */
static void *products_sliced_take(char *block, size_t *used, size_t count, size_t item_size) {
    if (*used > SIZE_MAX - CACHE_LINE || count > (SIZE_MAX - CACHE_LINE - *used) / item_size) {
        *used = SIZE_MAX;
        return NULL;
    }
    *used = (*used + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
    void *taken = block == NULL ? NULL : block + *used;
    *used += count * item_size;
    return taken;
}

static size_t products_sliced_lay_out(crd_i_products_scratch *scratch, size_t columns, char *block) {
    size_t blocks = crd_i_products_blocks(columns), tiles = blocks * (blocks + 1) / 2, used = 0;
    for (int point = 0; point < CRD_I_POINTS; point++) {
        scratch->points[point] = products_sliced_take(block, &used, blocks, sizeof *scratch->points[point]);
        scratch->totals[point] = products_sliced_take(block, &used, tiles, sizeof *scratch->totals[point]);
    }
    scratch->scales = products_sliced_take(block, &used, blocks, sizeof *scratch->scales);
    scratch->sums = products_sliced_take(block, &used, blocks, sizeof *scratch->sums);
    scratch->misfits = products_sliced_take(block, &used, blocks, MOST_ROWS);
    return used;
}

static bool products_sliced_reserve(crd_i_products_scratch *scratch, size_t columns) {
    if (scratch->memory != NULL && scratch->columns == columns) return true;
    crd_free(scratch->context, scratch->memory);
    scratch->memory = NULL;
    size_t bytes = products_sliced_lay_out(scratch, columns, NULL);
    if (bytes > SIZE_MAX - CACHE_LINE) return false;
    char *memory = crd_i_alloc(scratch->context, bytes + CACHE_LINE, 1);
    if (memory == NULL) return false;
    size_t beyond = (uintptr_t)memory % CACHE_LINE;
    (void)products_sliced_lay_out(scratch, columns, beyond == 0 ? memory : memory + (CACHE_LINE - beyond));
    scratch->memory = memory;
    scratch->columns = columns;
    memset(scratch->padded, 0, sizeof scratch->padded);
    return true;
}

static double products_sliced_power_of_two(int exponent) {
    return crd_i_double_of((uint64_t)(exponent + 1023) << 52);
}

/* Chooses the scale of each column. Any scale is right for columns of zeros, including the padding after the last
 * column. */
static void products_sliced_choose_scales(const crd_i_products *products, crd_i_products_scratch *scratch,
                                          const double *rows, size_t stride, size_t count) {
    size_t step = (count + SAMPLE - 1) / SAMPLE;
    for (size_t column = 0; column < crd_i_products_blocks(products->columns) * CRD_I_PRODUCTS_BLOCK; column++) {
        int exponent = 0;
        if (column >= products->columns ||
            !crd_i_scales_choose(rows + column, step * stride, (count + step - 1) / step, &exponent))
            exponent = 0;
        crd_i_points_scales *scales = &scratch->scales[column / CRD_I_PRODUCTS_BLOCK];
        crd_i_scales_set(&scales->scales, column % CRD_I_PRODUCTS_BLOCK, exponent);
        for (int i = 0; i < CRD_I_SLICES; i++)
            scales->units[i][column % CRD_I_PRODUCTS_BLOCK] =
                products_sliced_power_of_two(20 + i * CRD_I_DIGIT_BITS - exponent);
    }
}

/* ---- A panel ---- */

/* Marks the values that do not fit. Returns whether there are any. */
static bool products_sliced_evaluate(const crd_i_products *products, crd_i_products_scratch *scratch,
                                     const double *rows, size_t stride, size_t count, uint8_t *misfits) {
    size_t blocks = crd_i_products_blocks(products->columns);
    bool any_left = false;
    memset(misfits, 0, blocks * count);
    for (size_t block = 0; block < blocks; block++) {
        const double *values = rows + block * CRD_I_PRODUCTS_BLOCK;
        size_t width = crd_i_products_width(products, block), block_stride = stride;
        if (width < CRD_I_PRODUCTS_BLOCK) {
            for (size_t row = 0; row < count; row++)
                memcpy(scratch->padded[row], values + row * stride, width * sizeof *values);
            values = scratch->padded[0];
            block_stride = CRD_I_PRODUCTS_BLOCK;
        }
        crd_i_points_panel *points[CRD_I_POINTS];
        for (int point = 0; point < CRD_I_POINTS; point++) points[point] = &scratch->points[point][block];
        size_t left = scratch->way->evaluate(&scratch->scales[block], values, block_stride, count, points,
                                             scratch->sums[block], scratch->left);
        for (size_t i = 0; i < left; i++)
            misfits[scratch->left[i] / CRD_I_PRODUCTS_BLOCK * blocks + block] |=
                (uint8_t)(1 << scratch->left[i] % CRD_I_PRODUCTS_BLOCK);
        any_left = any_left || left > 0;
    }
    return any_left;
}

/* Multiplies all pairs of blocks at one point. As many first blocks as fit in the cache stay there while all second
 * blocks pass by. */
static void multiply_point(crd_i_products_scratch *scratch, size_t blocks, int point, size_t begin, size_t end) {
    crd_i_points_panel *panels = scratch->points[point];
    for (size_t near = 0; near < blocks; near += NEAR_BLOCKS)
        for (size_t second = near; second < blocks; second++) {
            tile_totals *totals = scratch->totals[point] + second * (second + 1) / 2;
            size_t near_end = second < near + NEAR_BLOCKS ? second + 1 : near + NEAR_BLOCKS;
            for (size_t first = near; first < near_end; first += CRD_I_PRODUCTS_MOST_BLOCKS) {
                size_t left = near_end - first;
                scratch->way->multiply(panels + first,
                                       left < CRD_I_PRODUCTS_MOST_BLOCKS ? left : CRD_I_PRODUCTS_MOST_BLOCKS,
                                       panels + second, begin, end, totals + first);
            }
        }
}

static void products_sliced_multiply(crd_i_products_scratch *scratch, size_t blocks, size_t count) {
    for (int point = 0; point < CRD_I_POINTS; point++)
        for (size_t begin = 0; begin < count; begin += exact_rows[point])
            multiply_point(scratch, blocks, point, begin,
                           count - begin < exact_rows[point] ? count : begin + exact_rows[point]);
}

/* ---- Values that do not fit ---- */

/* Adds the products of x, which is in column i of a block, with its row. A product with a misfit in a later column is
 * left to that column, so each pair is added once. */
static bool add_times_row(crd_i_products *products, size_t block, size_t i, double x, const double *row,
                          const uint8_t *misfits) {
    if (!crd_i_sums_add(crd_i_products_sums(products, block), i, x)) return false;
    for (size_t other = 0; other < crd_i_products_blocks(products->columns); other++, row += CRD_I_PRODUCTS_BLOCK) {
        size_t first = other < block ? other : block, second = other < block ? block : other;
        crd_i_sums *sums = crd_i_products_tile(products, first, second);
        unsigned later = other < block ? 0 : other > block ? misfits[other] : misfits[other] & ~0u << (i + 1);
        for (size_t j = 0; j < crd_i_products_width(products, other); j++) {
            if (row[j] == 0 || (later >> j & 1) != 0) continue;
            bool is_before = other < block || (other == block && j < i);
            size_t cell = crd_i_products_tile_cell(first, second, is_before ? j : i, is_before ? i : j);
            if (!crd_i_sums_add_product(sums, cell, x, row[j])) return false;
        }
    }
    return true;
}

/* Adds the misfits column by column, so the sums of a column stay in the cache. */
static bool products_sliced_add_left(crd_i_products *products, crd_i_products_scratch *scratch, const double *rows,
                                     size_t stride, size_t count, int sign) {
    size_t blocks = crd_i_products_blocks(products->columns);
    for (size_t block = 0; block < blocks; block++) {
        size_t left = 0;
        for (size_t row = 0; row < count; row++)
            if (scratch->misfits[row * blocks + block] != 0) scratch->left[left++] = (uint16_t)row;
        for (size_t i = 0; left > 0 && i < crd_i_products_width(products, block); i++)
            for (size_t k = 0; k < left; k++) {
                const uint8_t *misfits = scratch->misfits + scratch->left[k] * blocks;
                const double *row = rows + scratch->left[k] * stride;
                double x = row[block * CRD_I_PRODUCTS_BLOCK + i];
                if ((misfits[block] >> i & 1) != 0 &&
                    !add_times_row(products, block, i, sign < 0 ? -x : x, row, misfits))
                    return false;
            }
    }
    return true;
}

/* ---- Conversion to wide integers ---- */

/* Computes the coefficients of a product of two polynomials, the highest first, from its values. All divisions are
 * exact. */
static void products_sliced_interpolate(const int64_t values[CRD_I_POINTS], int sign, int64_t digits[CRD_I_POINTS]) {
    int64_t constant = values[0], fourth = values[4];
    int64_t even = (values[1] + values[2]) / 2, odd = (values[1] - values[2]) / 2;
    int64_t second = even - constant - fourth;
    int64_t weighted = (values[3] - constant - 4 * second - 16 * fourth) / 2; /* first + 4 * third */
    int64_t third = (weighted - odd) / 3;
    digits[0] = sign * fourth;
    digits[1] = sign * third;
    digits[2] = sign * second;
    digits[3] = sign * (odd - third);
    digits[4] = sign * constant;
}

static bool pour_tile(crd_i_products *products, crd_i_products_scratch *scratch, size_t first, size_t second,
                      int sign) {
    crd_i_sums *sums = crd_i_products_tile(products, first, second);
    size_t tile = second * (second + 1) / 2 + first, width = crd_i_products_width(products, second);
    const int *exponents = scratch->scales[first].scales.exponents;
    for (size_t j = 0; j < width; j++)
        for (size_t i = 0; i < (first < second ? CRD_I_PRODUCTS_BLOCK : j + 1); i++) {
            int64_t values[CRD_I_POINTS], digits[CRD_I_POINTS];
            for (int point = 0; point < CRD_I_POINTS; point++) values[point] = scratch->totals[point][tile][j][i];
            products_sliced_interpolate(values, sign, digits);
            int exponent = exponents[i] + scratch->scales[second].scales.exponents[j] - 128;
            if (!crd_i_sums_add_digits(sums, crd_i_products_tile_cell(first, second, i, j), digits, CRD_I_POINTS,
                                       exponent))
                return false;
        }
    return true;
}

static bool products_sliced_pour(crd_i_products *products, crd_i_products_scratch *scratch, int sign) {
    for (size_t second = 0; second < crd_i_products_blocks(products->columns); second++) {
        for (size_t i = 0; i < crd_i_products_width(products, second); i++) {
            int64_t digits[CRD_I_SLICES];
            for (int slice = 0; slice < CRD_I_SLICES; slice++)
                digits[slice] = sign * (int64_t)scratch->sums[second][slice][i];
            if (!crd_i_sums_add_digits(crd_i_products_sums(products, second), i, digits, CRD_I_SLICES,
                                       scratch->scales[second].scales.exponents[i] - 64))
                return false;
        }
        for (size_t first = 0; first <= second; first++)
            if (!pour_tile(products, scratch, first, second, sign)) return false;
    }
    return true;
}

/* Adds at most MOST_ROWS rows. */
static bool add_some(crd_i_products *products, crd_i_products_scratch *scratch, const double *rows, size_t stride,
                     size_t count, int sign) {
    size_t blocks = crd_i_products_blocks(products->columns);
    bool any_left = false;
    products_sliced_choose_scales(products, scratch, rows, stride, count);
    for (int point = 0; point < CRD_I_POINTS; point++)
        memset(scratch->totals[point], 0, blocks * (blocks + 1) / 2 * sizeof *scratch->totals[point]);
    memset(scratch->sums, 0, blocks * sizeof *scratch->sums);
    for (size_t begin = 0; begin < count; begin += CRD_I_PRODUCTS_ROWS) {
        size_t panel_rows = count - begin < CRD_I_PRODUCTS_ROWS ? count - begin : CRD_I_PRODUCTS_ROWS;
        if (products_sliced_evaluate(products, scratch, rows + begin * stride, stride, panel_rows,
                                     scratch->misfits + begin * blocks))
            any_left = true;
        products_sliced_multiply(scratch, blocks, panel_rows);
    }
    return products_sliced_pour(products, scratch, sign) &&
           (!any_left || products_sliced_add_left(products, scratch, rows, stride, count, sign));
}

bool crd_i_products_can_slice(const crd_i_products_scratch *scratch, size_t count) {
    return scratch != NULL && scratch->way != NULL && count >= FEWEST_ROWS;
}

bool crd_i_products_add_sliced(crd_i_products *products, crd_i_products_scratch *scratch, const double *rows,
                               size_t stride, size_t count, int sign) {
    if (!products_sliced_reserve(scratch, products->columns)) return false;
    for (size_t begin = 0; begin < count; begin += MOST_ROWS) {
        size_t some = count - begin < MOST_ROWS ? count - begin : MOST_ROWS;
        if (!crd_i_sums_add_integer(&products->arrays[0], 0, sign < 0 ? -(int64_t)some : (int64_t)some) ||
            !add_some(products, scratch, rows + begin * stride, stride, some, sign))
            return false;
    }
    return true;
}
