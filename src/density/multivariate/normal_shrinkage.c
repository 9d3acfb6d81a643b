/* SPDX-License-Identifier: MIT */
/* normal_shrinkage.c - how far covariances are to be drawn, told by the moments alone: where no rows are kept.
 *
 * Each class's covariance is taken to have an inverse Wishart distribution about a target T, as sure of itself as v
 * rows are; its mean may be anything. Then the rows of all classes have, up to a constant, the probability
 *
 *   product over k of  G((f + n_k - 1) / 2) / G(f / 2) * |v T|^(f / 2) / |v T + A_k|^((f + n_k - 1) / 2)
 *
 * with f = v + d - 1, d columns, G the multivariate gamma function and A_k the sums of products of deviations. The v,
 * and the T on the way from the shared covariance to its diagonal, that make it greatest are taken. */
#include "density/multivariate/normal.h"

#include "base/memory.h"
#include "math/cholesky.h"
#include "math/functions/special.h"

#include <math.h>

static const double TARGETS[] = {0, 0.01, 0.03, 0.1, 0.3, 1};
enum { TARGET_COUNT = sizeof TARGETS / sizeof *TARGETS };
static const double MOST_BORROWED = 0x1p20;

typedef struct asking {
    const crd_context *context;
    const crd_i_normal_source *source;
    const crd_i_normal_matrix *pooled;
    crd_i_normal_matrix sum; /* room */
} asking;

/* The logarithm of G((f + more) / 2) / G(f / 2), without powers of pi, which cancel. */
static double gamma_ratio(double f, double more, size_t columns) {
    double sum = 0;
    for (size_t i = 0; i < columns; i++)
        sum += crd_i_log_gamma((f + more - (double)i) / 2) - crd_i_log_gamma((f - (double)i) / 2);
    return sum;
}

/* Half the log determinant of v T + products; NaN: it is singular. */
static double half_log_determinant(asking *of, double v, double to_diagonal, const double *products) {
    size_t columns = of->source->columns;
    for (size_t i = 0; i < columns; i++) {
        for (size_t j = 0; j < i; j++) {
            double target = (1 - to_diagonal) * of->pooled->cells[i * columns + j];
            of->sum.cells[j * columns + i] = v * target + (products == NULL ? 0 : products[i * columns + j]);
        }
        of->sum.variances[i] = v * of->pooled->variances[i] + (products == NULL ? 0 : products[i * columns + i]);
        of->sum.cells[i * columns + i] = of->sum.variances[i];
    }
    double half;
    return crd_i_factor(of->sum.cells, columns, of->sum.variances, &half) ? half : (double)NAN;
}

static double log_evidence(asking *of, double v, double to_diagonal) {
    const crd_i_normal_source *source = of->source;
    size_t columns = source->columns;
    double f = v + (double)columns - 1, sum = 0, prior = half_log_determinant(of, v, to_diagonal, NULL);
    for (size_t k = 0; k < source->classes; k++) {
        double more = source->rows[k] - 1;
        if (!(more > 0)) continue;
        double posterior = half_log_determinant(of, v, to_diagonal, source->products + k * columns * columns);
        sum += gamma_ratio(f, more, columns) + f * prior - (f + more) * posterior;
    }
    return sum;
}

/* The v, a power of two, at which it is greatest. */
static double best_strength(asking *of, double to_diagonal, double *greatest) {
    double best = 1;
    *greatest = log_evidence(of, best, to_diagonal);
    for (double v = 2; v <= MOST_BORROWED && !crd_i_context_cancelled(of->context); v *= 2) {
        double found = log_evidence(of, v, to_diagonal);
        if (!(found > *greatest)) break;
        *greatest = found;
        best = v;
    }
    return best;
}

static void choose(asking *of, crd_i_normal_free wanted, crd_i_normal_shape *shape) {
    double greatest = -INFINITY, found;
    shape->target_to_diagonal = 1;
    if (!wanted.to_shared) {
        shape->borrowed = best_strength(of, 1, &found);
        return;
    }
    shape->to_shared = 0;
    for (size_t i = 0; i < TARGET_COUNT && !crd_i_context_cancelled(of->context); i++) {
        double strength = best_strength(of, TARGETS[i], &found);
        if (!(found > greatest)) continue;
        greatest = found;
        shape->borrowed = strength;
        shape->target_to_diagonal = TARGETS[i];
    }
}

bool crd_i_normal_evidence(const crd_i_normal_moments *moments, const crd_i_normal_rules *rules,
                           crd_i_normal_free wanted, crd_i_normal_shape *shape) {
    size_t columns = moments->columns, square = columns * columns;
    crd_context *context = moments->context;
    const double *whole = moments->products + moments->classes * square;
    double *cells = crd_i_alloc(context, 3 * square + 2 * columns, sizeof *cells), rows = 0;
    if (cells == NULL) return false;
    crd_i_normal_matrix pooled = {cells, cells + 3 * square, 0};
    asking of = {context, NULL, &pooled, {cells + square, cells + 3 * square + columns, 0}};
    crd_i_normal_source source = {moments->classes,  columns, moments->rows,
                                  moments->products, whole,   moments->all_rows};
    of.source = &source;
    crd_i_normal_pool(&source, rules, &pooled);
    if (shape->to_shared < 1 || wanted.to_shared) {
        choose(&of, wanted, shape);
    } else {
        /* The classes' deviations together are those of one class with as many rows as they have, less their means. */
        double *sums = cells + 2 * square;
        for (size_t i = 0; i < square; i++) {
            sums[i] = 0;
            for (size_t k = 0; k < moments->classes; k++) sums[i] += moments->products[k * square + i];
        }
        for (size_t k = 0; k < moments->classes; k++) rows += moments->rows[k] > 1 ? moments->rows[k] - 1 : 0;
        const double one_more = rows + 1;
        source = (crd_i_normal_source){1, columns, &one_more, sums, whole, moments->all_rows};
        double found, strength = best_strength(&of, 1, &found);
        shape->to_diagonal = strength / (strength + rows);
    }
    crd_free(context, cells);
    return true;
}
