/* SPDX-License-Identifier: MIT */
/* simd_columns.h - vectorized loops over numeric columns, in which prediction for many rows spends its time.
 *
 * Each lane of a vector processes one row, so the sums of a row are computed in the same order as for a single row. All
 * implementations perform the same operations on each number, without contraction, so they give the same bits. These
 * are also the bits of crd_exp and crd_log.
 *
 * A table of sums or columns is stored column by column: number i of column k is table[k * stride + i]. The stride is a
 * multiple of CRD_I_SIMD, and columns begin at multiples of CRD_I_SIMD from an aligned start. After the last number
 * there is room up to the next such multiple; its contents may change and have no effect. */
#ifndef CRD_MATH_SIMD_SIMD_COLUMNS_H
#define CRD_MATH_SIMD_SIMD_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CRD_I_SIMD = 8, /* a multiple of every vector length */
    CRD_I_SIMD_ALIGNMENT = 64
};

/* Parabolas that open downwards, one per column: top - ((x - center - center_rest) * slope)^2. */
typedef struct crd_i_parabolas {
    size_t count;
    const double *centers, *center_rests, *slopes, *tops;
} crd_i_parabolas;

/* An implementation for one instruction set. */
typedef struct crd_i_simd_columns {
    const char *name;
    bool (*is_supported)(void);
    /* Computes out[i] = crd_exp(x[i]) for any count; out may be x. No room after the end is needed. */
    void (*exp)(const double *x, size_t count, double *out);
    /* Sets columns[k * stride + i] = rows[i * row_stride + k] for k below width. Returns whether all numbers are
     * finite. */
    bool (*transpose)(const double *rows, size_t row_stride, size_t count, size_t width, double *columns,
                      size_t stride);
    /* Prefetches memory that will be read soon. */
    void (*fetch)(const double *source, size_t count);
    bool (*all_finite)(const double *x, size_t count);
    /* Adds the parabola of each column at x[i] to its sum i. If some_missing is true, NaN values add nothing. */
    void (*add_parabolas)(const crd_i_parabolas *parabolas, const double *x, size_t count, bool some_missing,
                          double *sums, size_t stride);
    /* For each row, finds the first column whose sum is the maximum or within the margin below it, and the number of
     * such columns. Gives -1 and 0 if all sums are -INFINITY. */
    void (*decide)(const double *sums, size_t stride, size_t count, size_t columns, double margin, double *decision,
                   double *tied);
    /* Subtracts the maximum of each row from its sums. Computes the exponentials of the differences, in a table with
     * the same layout, and their total, column by column. If all sums are -INFINITY, they stay unchanged, and the total
     * is 1. */
    void (*conclude)(double *sums, size_t stride, size_t count, size_t columns, double *greatest, double *exponentials,
                     double *totals);
    /* Divides the exponentials by the total of their row. */
    void (*share)(double *exponentials, size_t stride, size_t count, size_t columns, const double *totals);
    /* Replaces the totals by their logarithms and subtracts these from the sums of their row. This is a separate step,
     * because the sums may be so large that adding the logarithm of the total earlier would lose it. */
    void (*divide)(double *sums, size_t stride, size_t count, size_t columns, double *totals);
} crd_i_simd_columns;

/* The compiled implementations, fastest first, terminated by NULL; and the first one that this machine supports. */
extern const crd_i_simd_columns *const crd_i_simd_columns_ways[];
const crd_i_simd_columns *crd_i_simd_columns_best(void);

#if defined(__x86_64__)
#define CRD_I_SIMD_AVX2
extern const crd_i_simd_columns crd_i_simd_columns_avx2;
#endif
extern const crd_i_simd_columns crd_i_simd_columns_plain;

#endif
