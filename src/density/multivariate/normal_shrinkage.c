/* SPDX-License-Identifier: MIT */
/* normal_shrinkage.c - shrinkage of covariances from the moments only, if no rows are stored: by maximum marginal
 * likelihood (empirical Bayes).
 *
 * Each class's covariance has an inverse Wishart prior about a target T, with equivalent sample size v. The prior of
 * its mean is flat. Up to a constant, the marginal likelihood of the rows of all classes is
 *
 *   prod_k  G((f + n_k - 1) / 2) / G(f / 2) * |v T|^(f / 2) / |v T + A_k|^((f + n_k - 1) / 2)
 *
 * with f = v + d - 1, d columns, G the multivariate gamma function, and A_k the sums of products of deviations. The
 * result is the pair of v and T that maximizes it, where T is on a grid between the shared covariance and its diagonal.
 *
 * If rows are incomplete, n_k is the mean number of rows in a sum of products, and all sums are scaled to it. Values of
 * v for which v T + A_k is not positive definite are skipped. */
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
    crd_i_normal_matrix sum; /* workspace for a matrix */
} asking;

/* Returns log(G((f + more) / 2) / G(f / 2)), without the powers of pi, which cancel. */
static double gamma_ratio(double f, double more, size_t columns) {
    double sum = 0;
    for (size_t i = 0; i < columns; i++)
        sum += crd_i_log_gamma((f + more - (double)i) / 2) - crd_i_log_gamma((f - (double)i) / 2);
    return sum;
}

/* Returns half the log determinant of v T + products, where `products` may be NULL; NaN if the matrix is not positive
 * definite. */
static double half_log_determinant(asking *query, double v, double to_diagonal, const double *products) {
    size_t columns = query->source->columns;
    for (size_t i = 0; i < columns; i++) {
        for (size_t j = 0; j < i; j++) {
            double target = (1 - to_diagonal) * query->pooled->cells[i * columns + j];
            query->sum.cells[j * columns + i] = v * target + (products == NULL ? 0 : products[i * columns + j]);
        }
        query->sum.variances[i] = v * query->pooled->variances[i] + (products == NULL ? 0 : products[i * columns + i]);
        query->sum.cells[i * columns + i] = query->sum.variances[i];
    }
    double half;
    return crd_i_factor(query->sum.cells, columns, query->sum.variances, &half) ? half : (double)NAN;
}

/* Returns the log marginal likelihood, up to a constant. */
static double log_evidence(asking *query, double v, double to_diagonal) {
    const crd_i_normal_source *source = query->source;
    size_t columns = source->columns;
    double f = v + (double)columns - 1, sum = 0, prior = half_log_determinant(query, v, to_diagonal, NULL);
    for (size_t k = 0; k < source->classes; k++) {
        double more = source->rows[k] - 1;
        if (!(more > 0)) continue;
        double posterior = half_log_determinant(query, v, to_diagonal, source->products + k * columns * columns);
        sum += gamma_ratio(f, more, columns) + f * prior - (f + more) * posterior;
    }
    return sum;
}

/* Returns the power of two v that maximizes the marginal likelihood for a target, and its log in *greatest. */
static double best_strength(asking *query, double to_diagonal, double *greatest) {
    double best = 1;
    *greatest = log_evidence(query, best, to_diagonal);
    for (double v = 2; v <= MOST_BORROWED && !crd_i_context_cancelled(query->context); v *= 2) {
        double result = log_evidence(query, v, to_diagonal);
        if (!(result > *greatest) && !isnan(*greatest)) break;
        *greatest = result;
        best = v;
    }
    return best;
}

/* Chooses v and T. If the covariance need not be shrunk towards the shared one, T is the diagonal. */
static void normal_shrinkage_choose(asking *query, crd_i_normal_free wanted, crd_i_normal_shape *shape) {
    double greatest = -INFINITY, result;
    shape->target_to_diagonal = 1;
    if (!wanted.to_shared) {
        shape->borrowed = best_strength(query, 1, &result);
        return;
    }
    shape->to_shared = 0;
    for (size_t i = 0; i < TARGET_COUNT && !crd_i_context_cancelled(query->context); i++) {
        double strength = best_strength(query, TARGETS[i], &result);
        if (!(result > greatest)) continue;
        greatest = result;
        shape->borrowed = strength;
        shape->target_to_diagonal = TARGETS[i];
    }
}

/* Scales each sum of products of a class to the mean number of rows of the sums. Writes the mean numbers of rows to
 * `rows` and the scaled sums to `products`. */
static void even_out(const crd_i_normal_moments *moments, double *rows, double *products) {
    size_t square = moments->columns * moments->columns;
    for (size_t k = 0; k < moments->classes; k++) {
        const double *pairs = moments->pairs + k * square;
        double sum = 0;
        for (size_t i = 0; i < square; i++) sum += pairs[i];
        rows[k] = sum / (double)square;
        for (size_t i = 0; i < square; i++)
            products[k * square + i] = pairs[i] > 0 ? moments->products[k * square + i] * (rows[k] / pairs[i]) : 0;
    }
}

/* Estimates the shrinkage of the shared covariance towards its diagonal. The deviations of all classes together are
 * treated as one class with sum of (n_k - 1) + 1 rows. `workspace` has room for a matrix. */
static void choose_shared(asking *query, double *workspace, crd_i_normal_shape *shape) {
    const crd_i_normal_source *by_class = query->source;
    size_t square = by_class->columns * by_class->columns;
    double rows = 0, result;
    for (size_t i = 0; i < square; i++) {
        workspace[i] = 0;
        for (size_t k = 0; k < by_class->classes; k++) workspace[i] += by_class->products[k * square + i];
    }
    for (size_t k = 0; k < by_class->classes; k++) rows += by_class->rows[k] > 1 ? by_class->rows[k] - 1 : 0;
    const double one_more = rows + 1;
    crd_i_normal_source together = *by_class;
    together.classes = 1;
    together.rows = &one_more;
    together.products = workspace;
    query->source = &together;
    double strength = best_strength(query, 1, &result);
    query->source = by_class;
    shape->to_diagonal = strength / (strength + rows);
}

bool crd_i_normal_evidence(const crd_i_normal_moments *moments, const crd_i_normal_rules *rules,
                           crd_i_normal_free wanted, crd_i_normal_shape *shape) {
    size_t columns = moments->columns, square = columns * columns;
    size_t evened = moments->pairs == NULL ? 0 : moments->classes * (square + 1);
    crd_context *context = moments->context;
    double *cells = crd_i_alloc(context, 4 * square + 2 * columns + evened, sizeof *cells);
    if (cells == NULL) return false;
    double *whole = cells + 3 * square, *variances = cells + 4 * square, *rows = variances + 2 * columns;
    crd_i_normal_matrix pooled = {cells, variances, 0};
    crd_i_normal_whole(moments, whole);
    crd_i_normal_source source = {moments->classes, columns, moments->rows,     moments->products,
                                  moments->pairs,   whole,   moments->all_rows, moments->missing};
    asking query = {context, &source, &pooled, {cells + square, variances + columns, 0}};
    crd_i_normal_pool(&source, rules, &pooled);
    if (evened > 0) {
        even_out(moments, rows, rows + moments->classes);
        source.rows = rows;
        source.products = rows + moments->classes;
    }
    if (shape->to_shared < 1 || wanted.to_shared) normal_shrinkage_choose(&query, wanted, shape);
    else choose_shared(&query, cells + 2 * square, shape);
    crd_free(context, cells);
    return true;
}
