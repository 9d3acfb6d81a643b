/* SPDX-License-Identifier: MIT */
/* simd_trellis.h - loops over the steps of a hidden Markov chain, with the states in the lanes of vectors: what forward-backward,
 * Viterbi and Baum-Welch spend their time in.
 *
 * A row has a number for each node, at [0, nodes), and zeros behind them up to the stride, a multiple of CRD_I_SIMD; rows of
 * steps stand one after the other. Behind the last row of a matrix is one of zeros. Where rows are logarithms, so are these zeros. Sums over
 * nodes are made of CRD_I_SIMD partial sums, and those of a matrix product in ascending order (of up to CRD_I_SIMD nodes even and odd ones
 * apart), so that all ways do the same operations, without contraction, and give the same bits. */
#ifndef CRD_MATH_SIMD_SIMD_TRELLIS_H
#define CRD_MATH_SIMD_SIMD_TRELLIS_H

#include "math/simd/simd_columns.h"

/* Steps of a forward pass, with posteriors where rows of the backward pass are given. With the predicted probabilities p of a step,
 * its emissions e and its row u of the backward pass:
 *     p_t = (a_{t-1} A) / c_{t-1},   a_t = p_t e_t,   c_t = sum of a_t,   s_t = sum of p_t u_t,   posterior_t = p_t u_t / s_t. */
typedef struct crd_i_forward_pass {
    size_t nodes, stride;
    const double *matrix; /* A: row i, column j */
    const double *start;  /* p of the first step, a row; NULL: it follows the step before */
    double *filtered;     /* a of the step before; afterwards of the last one */
    double sum;           /* its c */
    double *predicted;    /* room for a row */
    size_t steps;
    double *emissions;   /* rows e; posteriors take their place where `tails` is given */
    const double *tails; /* rows u, or NULL */
    double *weighted;    /* rows a_{t-1} / (c_{t-1} s_t), zeros for the first step of all; NULL: not wanted */
    double *sums;        /* c of each step */
    double least;        /* the least c_{t-1} s_t; the caller begins with INFINITY */
    double overlap;      /* s of the last step */
} crd_i_forward_pass;

typedef struct crd_i_simd_trellis {
    const char *name;
    bool (*is_supported)(void);
    /* Each row of log emissions, with -INFINITY behind `count` numbers, becomes exp(log - greatest), and its greatest is kept. A row of
     * nothing but -INFINITY becomes zeros. */
    void (*scale)(double *logs, size_t count, size_t stride, size_t steps, double *greatest);
    /* Whether all of a multiple of CRD_I_SIMD numbers are neither INFINITY nor NaN. */
    bool (*are_below_infinity)(const double *x, size_t count);
    void (*forward)(crd_i_forward_pass *pass);
    /* u_t = e_t (A u_{t+1}) / (sum of u_{t+1}), from the last step to the first; `matrix` is A transposed. `next` is u of the step
     * behind the last one. */
    void (*backward)(const double *matrix, size_t nodes, size_t stride, const double *emissions, size_t steps,
                     const double *next, double *rows);
    /* totals[i * stride + j] += weighted_t[i] * tails_t[j], over the steps in their order. */
    void (*count)(const double *weighted, const double *tails, size_t nodes, size_t stride, size_t steps,
                  double *totals);
    /* totals[f][j] += sum over the steps, in their order, of weights_t[j] * values[f * value_stride + t], for j below the stride: sums
     * of functions f of the steps under all states. */
    void (*sum)(const double *weights, size_t weight_stride, size_t stride, size_t steps, const double *values,
                size_t value_stride, size_t functions, double *const *totals);
    /* v_t = log e_t + max_j (log A_ij + v_{t+1, j}) - (the greatest of v_{t+1}, or 0 where that is -INFINITY); `matrix` is log A
     * transposed, with -INFINITY behind the nodes, as rows have. */
    void (*backward_max)(const double *matrix, size_t nodes, size_t stride, const double *logs, size_t steps,
                         const double *next, double *rows);
    /* The first j at which row[j] + more[j] is the greatest. */
    size_t (*greatest_at)(const double *row, const double *more, size_t stride);
    /* out[j] = sum over i, in its order, of x[i] M[rows[i]][j], and the greatest of x[i] + M[rows[i]][j]; rows of the matrix have a
     * length of `stride`. */
    void (*multiply)(const double *matrix, size_t stride, const uint32_t *rows, const double *x, size_t count,
                     double *out);
    void (*multiply_max)(const double *matrix, size_t stride, const uint32_t *rows, const double *x, size_t count,
                         double *out);
} crd_i_simd_trellis;

/* The ways that were compiled, the fastest first, ended by NULL; and the first that this machine supports. */
extern const crd_i_simd_trellis *const crd_i_simd_trellis_ways[];
const crd_i_simd_trellis *crd_i_simd_trellis_best(void);

#if defined(__x86_64__)
extern const crd_i_simd_trellis crd_i_simd_trellis_avx2;
#endif
extern const crd_i_simd_trellis crd_i_simd_trellis_plain;

#endif
