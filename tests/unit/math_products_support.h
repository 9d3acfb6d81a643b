/* SPDX-License-Identifier: MIT */
/* math_products_support.h - tables of all sorts, and their exact products added one by one. */
#ifndef CRD_TESTS_MATH_PRODUCTS_SUPPORT_H
#define CRD_TESTS_MATH_PRODUCTS_SUPPORT_H

#include "math/exact/exact_products.h"
#include "unit/math_random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct allocator {
    size_t calls, fail_at, living;
} allocator;

static inline void *resize(void *user, void *block, size_t bytes) {
    allocator *a = user;
    if (bytes == 0) {
        a->living -= block != NULL;
        free(block);
        return NULL;
    }
    if (++a->calls == a->fail_at) return NULL;
    void *result = realloc(block, bytes);
    a->living += result != NULL && block == NULL;
    return result;
}

static allocator memory;
static crd_context *context;

static inline int set_up(void **state) {
    (void)state;
    crd_context_options options = CRD_CONTEXT_OPTIONS_INIT;
    options.resize = resize;
    options.resize_user = &memory;
    return crd_context_create(&options, &context) == CRD_OK ? 0 : -1;
}

static inline int tear_down(void **state) {
    (void)state;
    crd_context_destroy(context);
    return memory.living == 0 ? 0 : -1;
}

/* ---- Tables ---- */

typedef struct table {
    size_t rows, columns;
    double *values;  /* row by row */
    double *weights; /* NULL: all 1 */
} table;

static inline double random_normal(void) {
    double sum = -6;
    for (int i = 0; i < 12; i++) sum += (double)(random_bits() >> 11) * 0x1p-53;
    return sum * 0.98765432109876543;
}

static inline double random_finite(void) {
    for (;;) {
        double x = from_bits(random_bits());
        if (isfinite(x)) return x;
    }
}

/* What one column is like; 0 to 4 are such as most data are, the rest is hostile. */
enum { KINDS = 12, TAME_KINDS = 5 };
static inline double random_value(unsigned kind) {
    switch (kind) {
    case 0: return random_normal();
    case 1: return (double)random_below(1000) / 10 - 30;
    case 2: return 1023.9 + random_normal() / 50;
    case 3: return (double)random_below(3);
    case 4: return random_normal() * 1e-20;
    case 5: return random_below(2) ? 1e308 : -1e308;
    case 6: return from_bits(random_bits() & UINT64_C(0x800fffffffffffff)); /* denormal */
    case 7: return random_below(2) ? 0.0 : -0.0;
    case 8: return random_finite();
    case 9: return random_below(2) ? 1e300 * random_normal() : 1e-300 * random_normal();
    case 10: return ldexp(random_normal(), (int)random_below(200) - 100);
    default: return random_below(30) == 0 ? random_finite() : random_normal();
    }
}

static inline table table_of(size_t rows, size_t columns, unsigned kinds, bool weighted) {
    table matrix = {rows, columns, malloc((rows * columns + 1) * sizeof(double)), NULL};
    assert_non_null(matrix.values);
    for (size_t column = 0; column < columns; column++) {
        unsigned kind = (unsigned)random_below(kinds);
        for (size_t row = 0; row < rows; row++) matrix.values[row * columns + column] = random_value(kind);
    }
    if (!weighted) return matrix;
    matrix.weights = malloc((rows + 1) * sizeof(double));
    assert_non_null(matrix.weights);
    for (size_t row = 0; row < rows; row++)
        matrix.weights[row] = random_below(3) ? fabs(random_normal()) : ldexp(1 + random_normal() / 9, -900);
    return matrix;
}

static inline void table_clear(table *source_table) {
    free(source_table->values);
    free(source_table->weights);
}

static inline void swap(double *a, double *b) {
    double kept = *a;
    *a = *b;
    *b = kept;
}

static inline void shuffle(table *source_table) {
    for (size_t row = source_table->rows; row-- > 1;) {
        size_t other = random_below(row + 1);
        for (size_t i = 0; i < source_table->columns; i++)
            swap(&source_table->values[row * source_table->columns + i],
                 &source_table->values[other * source_table->columns + i]);
        if (source_table->weights != NULL) swap(&source_table->weights[row], &source_table->weights[other]);
    }
}

/* ---- Products ---- */

static inline crd_i_products *fresh(size_t columns) {
    crd_i_products *products = crd_i_products_create(context, columns);
    assert_non_null(products);
    assert_true(crd_i_products_is_zero(products));
    return products;
}

static inline void add_rows(crd_i_products *products, crd_i_products_scratch *scratch, const table *source_table,
                            size_t begin, size_t end, int sign) {
    assert_true(crd_i_products_add(products, scratch, source_table->values + begin * source_table->columns,
                                   source_table->columns, end - begin,
                                   source_table->weights == NULL ? NULL : source_table->weights + begin, sign));
}

static inline crd_i_products *one_by_one(const table *source_table) {
    crd_i_products *products = fresh(source_table->columns);
    add_rows(products, NULL, source_table, 0, source_table->rows, 1);
    return products;
}

/* As files have them. */
static inline void assert_same(const crd_i_products *a, const crd_i_products *b) {
    assert_int_equal(crd_i_products_array_count(a), crd_i_products_array_count(b));
    for (size_t i = 0; i < crd_i_products_array_count(a); i++) {
        const crd_i_sums *x = crd_i_products_array_const(a, i), *y = crd_i_products_array_const(b, i);
        int32_t base, other_base;
        uint32_t width, other_width;
        crd_i_sums_trimmed(x, &base, &width);
        crd_i_sums_trimmed(y, &other_base, &other_width);
        assert_int_equal(base, other_base);
        assert_int_equal(width, other_width);
        assert_int_equal(x->cells, y->cells);
        for (size_t cell = 0; cell < x->cells; cell++)
            for (int32_t limb = base; limb < base + (int32_t)width; limb++)
                assert_true(crd_i_sums_limb(x, cell, limb) == crd_i_sums_limb(y, cell, limb));
    }
}

#endif
