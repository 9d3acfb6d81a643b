/* SPDX-License-Identifier: MIT */
/* simd_columns.h - loops over columns of numbers, made for the vector unit: what asking about many rows spends its time in.
 *
 * Rows stand side by side in the lanes of a vector, so a row's own sums are made in the same order as for one row
 * alone. All ways do the same operations on each number, without contraction, and so give the same bits, which are
 * those of crd_exp and crd_log too.
 *
 * A table of sums or columns is laid out column by column: number i of column k is table[k * stride + i]. The stride is
 * a multiple of CRD_I_SIMD, columns begin at multiples of CRD_I_SIMD from an aligned start, and behind the last
 * number is room up to the next such multiple, whose content is free to change and has no effect. */
#ifndef CRD_MATH_SIMD_SIMD_COLUMNS_H
#define CRD_MATH_SIMD_SIMD_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CRD_I_SIMD = 8, /* a multiple of every vector's length */
    CRD_I_SIMD_ALIGNMENT = 64
};

/* Parabolas open downwards, one for each column: top - ((x - centre - centre_rest) * slope)^2. */
typedef struct crd_i_parabolas {
    size_t count;
    const double *centres, *centre_rests, *slopes, *tops;
} crd_i_parabolas;

/* A way to compute, made for one kind of processor. */
typedef struct crd_i_simd_columns {
    const char *name;
    bool (*is_supported)(void);
    /* out[i] = crd_exp(x[i]) for any count; out may be x. Nothing needs room. */
    void (*exp)(const double *x, size_t count, double *out);
    /* columns[k * stride + i] = rows[i * row_stride + k], for k below width. Returns whether all of them are finite. */
    bool (*transpose)(const double *rows, size_t row_stride, size_t count, size_t width, double *columns,
                      size_t stride);
    /* Asks for memory that will be read soon to be brought near. */
    void (*fetch)(const double *from, size_t count);
    bool (*all_finite)(const double *x, size_t count);
    /* Adds each column's parabola at x[i] to its sum i; where some may be missing, NaN add nothing. */
    void (*add_parabolas)(const crd_i_parabolas *parabolas, const double *x, size_t count, bool some_missing,
                          double *sums, size_t stride);
    /* Of each row the first column whose sum is the greatest, or less by no more than the margin, and how many such
     * columns there are; -1 and 0 where all sums are -INFINITY. */
    void (*decide)(const double *sums, size_t stride, size_t count, size_t columns, double margin, double *decision,
                   double *tied);
    /* Takes from each row's sums the greatest, and finds the exponentials of what is left, in a table like that of the
     * sums, and their total, column by column. Where all sums are -INFINITY so they stay, and the total is 1. */
    void (*conclude)(double *sums, size_t stride, size_t count, size_t columns, double *greatest, double *exponentials,
                     double *totals);
    /* Exponentials become what part of their row's total they are. */
    void (*share)(double *exponentials, size_t stride, size_t count, size_t columns, const double *totals);
    /* Totals become their logarithms, which are taken from their row's sums. Only now, as sums may be so large that the
     * logarithm of how many there are would be lost in them. */
    void (*divide)(double *sums, size_t stride, size_t count, size_t columns, double *totals);
} crd_i_simd_columns;

/* The ways that were compiled, the fastest first, ended by NULL; and the first that this machine supports. */
extern const crd_i_simd_columns *const crd_i_simd_columns_ways[];
const crd_i_simd_columns *crd_i_simd_columns_best(void);

#if defined(__x86_64__)
#define CRD_I_SIMD_AVX2
extern const crd_i_simd_columns crd_i_simd_columns_avx2;
#endif
extern const crd_i_simd_columns crd_i_simd_columns_plain;

#endif
