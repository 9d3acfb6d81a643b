/* SPDX-License-Identifier: MIT */
/* simd_trellis.h - vectorized loops over the steps of a hidden Markov model, with one state per lane. Forward-backward,
 * Viterbi and Baum-Welch spend their time in them (Rabiner 1989).
 *
 * A row holds one number per node at [0, nodes), followed by zeros up to the stride, a multiple of CRD_I_SIMD. The rows
 * of consecutive steps are contiguous. One row of zeros follows the last row of a matrix. If rows contain logarithms,
 * these zeros are logarithms of zero. Sums over nodes are computed from CRD_I_SIMD partial sums. Sums of a matrix
 * product run in ascending order; with up to CRD_I_SIMD nodes, even and odd ones are summed separately. All
 * implementations therefore perform the same operations, without contraction, and give the same bits. */
#ifndef CRD_MATH_SIMD_SIMD_TRELLIS_H
#define CRD_MATH_SIMD_SIMD_TRELLIS_H

#include "math/simd/simd_columns.h"

/* The steps of a forward pass; it also computes posteriors if rows of the backward pass are given. With the predicted
 * probabilities p of a step, its emissions e and its row u of the backward pass:
 *     p_t = (a_{t-1} A) / c_{t-1}, a_t = p_t e_t, c_t = sum of a_t, s_t = sum of p_t u_t, posterior_t = p_t u_t / s_t. */
typedef struct crd_i_forward_pass {
    size_t nodes, stride;
    const double *matrix; /* A: row i, column j */
    const double *start;  /* p of the first step, a row; NULL: computed from the step before */
    double *filtered;     /* a of the step before; afterwards a of the last step */
    double sum;           /* c of the step in `filtered` */
    double *predicted;    /* room for a row */
    size_t steps;
    double *emissions;   /* rows e; replaced by posteriors if `tails` is given */
    const double *tails; /* rows u, or NULL */
    double *weighted;    /* rows a_{t-1} / (c_{t-1} s_t), zeros for the very first step; NULL: not needed */
    double *sums;        /* c of each step */
    double least;        /* minimum of c_{t-1} s_t; the caller initializes it to INFINITY */
    double overlap;      /* s of the last step */
} crd_i_forward_pass;

typedef struct crd_i_simd_trellis {
    const char *name;
    bool (*is_supported)(void);
    /* Replaces each row of log emissions, with -INFINITY after `count` numbers, by exp(log - maximum), and stores the
     * maximum of the row. A row that contains only -INFINITY becomes zeros. */
    void (*scale)(double *logs, size_t count, size_t stride, size_t steps, double *greatest);
    /* Returns whether all numbers are neither INFINITY nor NaN. `count` is a multiple of CRD_I_SIMD. */
    bool (*are_below_infinity)(const double *x, size_t count);
    void (*forward)(crd_i_forward_pass *pass);
    /* Computes u_t = e_t (A u_{t+1}) / (sum of u_{t+1}), from the last step to the first. `matrix` is A transposed.
     * `next` is u of the step after the last one. */
    void (*backward)(const double *matrix, size_t nodes, size_t stride, const double *emissions, size_t steps,
                     const double *next, double *rows);
    /* Computes totals[i * stride + j] += weighted_t[i] * tails_t[j], summed over the steps in order. */
    void (*count)(const double *weighted, const double *tails, size_t nodes, size_t stride, size_t steps,
                  double *totals);
    /* Computes totals[f][j] += sum over t of weights_t[j] * values[f * value_stride + t], over the steps in order, for
     * j below the stride: sums of functions f of the steps for all states. */
    void (*sum)(const double *weights, size_t weight_stride, size_t stride, size_t steps, const double *values,
                size_t value_stride, size_t functions, double *const *totals);
    /* Computes v_t = log e_t + max_j (log A_ij + v_{t+1, j}) - m, where m is the maximum of v_{t+1}, or 0 if that is
     * -INFINITY. `matrix` is log A transposed, with -INFINITY after the nodes, as in the rows. */
    void (*backward_max)(const double *matrix, size_t nodes, size_t stride, const double *logs, size_t steps,
                         const double *next, double *rows);
    /* Returns the first j at which row[j] + more[j] is the maximum. */
    size_t (*greatest_at)(const double *row, const double *more, size_t stride);
    /* Computes out[j] = sum over i, in order, of x[i] M[rows[i]][j], and the maximum of x[i] + M[rows[i]][j]. Rows of
     * the matrix have length `stride`. */
    void (*multiply)(const double *matrix, size_t stride, const uint32_t *rows, const double *x, size_t count,
                     double *out);
    void (*multiply_max)(const double *matrix, size_t stride, const uint32_t *rows, const double *x, size_t count,
                         double *out);
} crd_i_simd_trellis;

/* The compiled implementations, fastest first, terminated by NULL; and the first one that this machine supports. */
extern const crd_i_simd_trellis *const crd_i_simd_trellis_ways[];
const crd_i_simd_trellis *crd_i_simd_trellis_best(void);

#if defined(__x86_64__)
extern const crd_i_simd_trellis crd_i_simd_trellis_avx2;
#endif
extern const crd_i_simd_trellis crd_i_simd_trellis_plain;

#endif
