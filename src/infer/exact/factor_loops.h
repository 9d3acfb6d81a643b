/* SPDX-License-Identifier: MIT */
/* factor_loops.h - the innermost loops of factor.h: over cells that lie side by side.
 *
 * Every way does the same operations on the same cells, and sums in the same four parts, so all give the same bits. */
#ifndef CRD_INFER_EXACT_FACTOR_LOOPS_H
#define CRD_INFER_EXACT_FACTOR_LOOPS_H

#include <stdbool.h>
#include <stddef.h>

/* A way that is made for one kind of processor. */
typedef struct crd_i_factor_loops {
    const char *name;
    bool (*is_supported)(void);
    void (*times)(double *large, const double *small, size_t count);      /* large[i] *= small[i] */
    void (*scale)(double *large, double factor, size_t count);            /* large[i] *= factor */
    void (*add)(double *small, const double *large, size_t count);        /* small[i] += large[i] */
    void (*raise)(double *small, const double *large, size_t count);      /* small[i] = the greater of both */
    double (*sum)(const double *cells, size_t count);                     /* of all */
    double (*dot)(const double *left, const double *right, size_t count); /* of all products */
} crd_i_factor_loops;

/* The ways that were compiled, the fastest first, ended by NULL; the last works everywhere. */
extern const crd_i_factor_loops *const crd_i_factor_loops_ways[];
/* The first that this machine supports. */
const crd_i_factor_loops *crd_i_factor_loops_best(void);

extern const crd_i_factor_loops crd_i_factor_loops_plain;
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define CRD_I_FACTOR_LOOPS_AVX2
extern const crd_i_factor_loops crd_i_factor_loops_avx2;
#endif

#endif
