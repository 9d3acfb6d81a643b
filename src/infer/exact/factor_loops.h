/* SPDX-License-Identifier: MIT */
/* factor_loops.h - the innermost loops of junction_types.h, over contiguous cells.
 *
 * All implementations perform the same operations on the same cells and sum in the same four parts, so their results
 * are bit-identical. */
#ifndef CRD_INFER_EXACT_FACTOR_LOOPS_H
#define CRD_INFER_EXACT_FACTOR_LOOPS_H

#include <stdbool.h>
#include <stddef.h>

/* An implementation for one kind of CPU. */
typedef struct crd_i_factor_loops {
    const char *name;
    bool (*is_supported)(void);
    void (*times)(double *large, const double *small, size_t count);      /* large[i] *= small[i] */
    void (*scale)(double *large, double factor, size_t count);            /* large[i] *= factor */
    void (*add)(double *small, const double *large, size_t count);        /* small[i] += large[i] */
    void (*raise)(double *small, const double *large, size_t count);      /* small[i] = max(small[i], large[i]) */
    double (*sum)(const double *cells, size_t count);                     /* sum of all cells */
    double (*dot)(const double *left, const double *right, size_t count); /* sum of all products (dot product) */
} crd_i_factor_loops;

/* The compiled implementations, fastest first, terminated by NULL. The last one runs on every CPU. */
extern const crd_i_factor_loops *const crd_i_factor_loops_ways[];
/* Returns the first implementation that this machine supports. */
const crd_i_factor_loops *crd_i_factor_loops_best(void);

extern const crd_i_factor_loops crd_i_factor_loops_plain;
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define CRD_I_FACTOR_LOOPS_AVX2
extern const crd_i_factor_loops crd_i_factor_loops_avx2;
#endif

#endif
