/* SPDX-License-Identifier: MIT */
/* mixture_imputation.c - imputes the missing cells of the rows that mixtures are fitted to. Each is drawn from its
 * distribution given the present cells of its row (stochastic regression imputation; Little and Rubin, Statistical
 * Analysis with Missing Data).
 *
 * For this purpose, the rows of a class are assumed to be normal. Their means are the means of the present cells. Their
 * covariance S is the pooled covariance within classes over the rows with both cells of each pair, made positive
 * definite (normal_covariance.c):
 *
 *   x_missing ~ N(m + S_mp S_pp^-1 (x_p - m_p), S_mm - S_mp S_pp^-1 S_pm)
 *
 * Conditional means without the random part would make the variance too small. The random numbers depend on the row's
 * position, and rows are sorted by their hashes, so results are reproducible. */
#include "density/multivariate/mixture_em.h"

#include "base/memory.h"
#include "math/cholesky.h"
#include "math/random.h"

#include <math.h>
#include <string.h>

typedef struct imputation {
    size_t columns, classes;
    double *rows, *means, *products, *pairs; /* as in normal.h */
    crd_i_normal_matrix pooled, part;
    double *solved; /* for each missing column: U^-T S_pm, where S_pp = U'U; then the deviations multiplied by U^-T */
    double *left;   /* conditional covariance of the missing cells, and its Cholesky factor `lower` */
    double *lower;
    double *least;
    size_t *present, *missing;
    double *workspace;
} imputation;

/* Allocates one block of memory for all arrays. false: out of memory. */
static bool mixture_imputation_allocate(crd_context *context, imputation *source_imputation) {
    size_t d = source_imputation->columns, square = d * d, k = source_imputation->classes, doubles = 0;
    const struct {
        double **block;
        size_t count;
    } parts[] = {{&source_imputation->rows, k},
                 {&source_imputation->means, k * d},
                 {&source_imputation->products, k * square},
                 {&source_imputation->pairs, k * square},
                 {&source_imputation->pooled.cells, square},
                 {&source_imputation->part.cells, square},
                 {&source_imputation->solved, square + d},
                 {&source_imputation->left, square},
                 {&source_imputation->lower, square},
                 {&source_imputation->pooled.variances, d},
                 {&source_imputation->part.variances, d},
                 {&source_imputation->least, d}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) doubles += parts[i].count;
    source_imputation->workspace = crd_i_alloc_zeroed(context, doubles, sizeof *source_imputation->workspace);
    source_imputation->present = crd_i_alloc(context, 2 * d, sizeof *source_imputation->present);
    if (source_imputation->workspace == NULL || source_imputation->present == NULL) return false;
    source_imputation->missing = source_imputation->present + d;
    for (size_t i = 0, index = 0; i < sizeof parts / sizeof *parts; index += parts[i++].count)
        *parts[i].block = source_imputation->workspace + index;
    return true;
}

/* Computes the means of the present cells of a class. For each pair of columns, computes the weight of the rows that
 * have both cells, and the sum of products of deviations from the means of these rows. */
static void sum_class(const crd_i_mixture_rows *class, double *mean, double *products, double *pairs) {
    size_t d = class->columns;
    for (size_t i = 0; i < d; i++) {
        double sum = 0, weight = 0;
        for (size_t row = 0; row < class->rows; row++) {
            double x = class->x[row * d + i];
            if (isnan(x)) continue;
            sum += class->weights[row] * x;
            weight += class->weights[row];
        }
        mean[i] = weight > 0 ? sum / weight : 0;
    }
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j <= i; j++) {
            double n = 0, s = 0, t = 0, q = 0;
            for (size_t row = 0; row < class->rows; row++) {
                double x = class->x[row * d + i] - mean[i], y = class->x[row * d + j] - mean[j];
                if (isnan(x) || isnan(y)) continue;
                double weight = class->weights[row];
                n += weight;
                s += weight * x;
                t += weight * y;
                q += weight * (x * y);
            }
            pairs[i * d + j] = pairs[j * d + i] = n;
            products[i * d + j] = products[j * d + i] = n > 0 ? q - s * t / n : 0;
        }
}

/* Computes the means of the classes and the pooled covariance. */
static void find_covariance(imputation *source_imputation, const crd_i_mixture_rows *classes, double least) {
    size_t d = source_imputation->columns, square = d * d;
    double fewest = INFINITY, most = 0;
    for (size_t k = 0; k < source_imputation->classes; k++) {
        source_imputation->rows[k] = classes[k].sum;
        sum_class(&classes[k], source_imputation->means + k * d, source_imputation->products + k * square,
                  source_imputation->pairs + k * square);
    }
    for (size_t i = 0; i < square; i++) {
        double rows = 0;
        for (size_t k = 0; k < source_imputation->classes; k++) rows += source_imputation->pairs[k * square + i];
        fewest = fmin(fewest, rows);
        most = fmax(most, rows);
    }
    for (size_t i = 0; i < d; i++) source_imputation->least[i] = least;
    const crd_i_normal_rules rules = {false, source_imputation->least};
    /* If no row has both columns of a pair, their covariance is 0: `left` is still all zero here. */
    const crd_i_normal_source source = {.classes = source_imputation->classes,
                                        .columns = d,
                                        .rows = source_imputation->rows,
                                        .products = source_imputation->products,
                                        .pairs = source_imputation->pairs,
                                        .whole = source_imputation->left,
                                        .missing = most > 0 ? 1 - fewest / most : 0};
    crd_i_normal_pool(&source, &rules, &source_imputation->pooled);
}

/* Replaces x by U^-T x. */
static void mixture_imputation_solve(const crd_i_normal_matrix *part, size_t count, double *x) {
    for (size_t i = 0; i < count; i++) {
        x[i] *= part->cells[i * count + i];
        for (size_t j = i + 1; j < count; j++) x[j] -= x[i] * part->cells[i * count + j];
    }
}

static double covariance_of(const crd_i_normal_matrix *matrix, size_t columns, size_t i, size_t j) {
    return i == j ? matrix->variances[i] : matrix->cells[(i > j ? i : j) * columns + (i > j ? j : i)];
}

static double mixture_imputation_dot(const double *a, const double *b, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += a[i] * b[i];
    return sum;
}

/* Draws the missing cells of a row. Returns false if the row is complete. */
static bool impute_row(imputation *source_imputation, const double *mean, double *x, uint64_t place) {
    size_t d = source_imputation->columns, present = 0, missing = 0;
    for (size_t i = 0; i < d; i++)
        if (isnan(x[i])) source_imputation->missing[missing++] = i;
        else source_imputation->present[present++] = i;
    if (missing == 0) return false;
    crd_i_random random = crd_i_random_at(0, place);
    crd_i_normal_part(&source_imputation->pooled, d, source_imputation->present, present, &source_imputation->part);
    double *away = source_imputation->solved + missing * present;
    for (size_t a = 0; a < present; a++)
        away[a] = x[source_imputation->present[a]] - mean[source_imputation->present[a]];
    mixture_imputation_solve(&source_imputation->part, present, away);
    for (size_t a = 0; a < missing; a++) {
        double *column = source_imputation->solved + a * present;
        for (size_t b = 0; b < present; b++)
            column[b] = covariance_of(&source_imputation->pooled, d, source_imputation->missing[a],
                                      source_imputation->present[b]);
        mixture_imputation_solve(&source_imputation->part, present, column);
        x[source_imputation->missing[a]] =
            mean[source_imputation->missing[a]] + mixture_imputation_dot(column, away, present);
        for (size_t b = 0; b <= a; b++)
            source_imputation->left[a * missing + b] = source_imputation->left[b * missing + a] =
                covariance_of(&source_imputation->pooled, d, source_imputation->missing[a],
                              source_imputation->missing[b]) -
                mixture_imputation_dot(column, source_imputation->solved + b * present, present);
    }
    bool has_factor = crd_i_cholesky(source_imputation->left, missing, source_imputation->lower);
    for (size_t a = 0; a < missing; a++) source_imputation->part.variances[a] = crd_i_random_normal(&random);
    for (size_t a = 0; a < missing; a++)
        x[source_imputation->missing[a]] +=
            has_factor ? mixture_imputation_dot(source_imputation->lower + a * missing,
                                                source_imputation->part.variances, a + 1)
                       : sqrt(fmax(source_imputation->left[a * missing + a], 0)) * source_imputation->part.variances[a];
    return true;
}

bool crd_i_mixture_impute(crd_context *context, const crd_i_mixture_rows *classes, size_t class_count, double least,
                          double *x, bool *is_imputed) {
    imputation source_imputation = {.columns = classes[0].columns, .classes = class_count};
    size_t next = 0;
    bool done = mixture_imputation_allocate(context, &source_imputation);
    if (done) find_covariance(&source_imputation, classes, least);
    for (size_t k = 0; done && k < class_count; k++)
        for (size_t row = 0; row < classes[k].rows; row++, next++)
            is_imputed[next] = impute_row(&source_imputation, source_imputation.means + k * source_imputation.columns,
                                          x + next * source_imputation.columns, next);
    crd_free(context, source_imputation.workspace);
    crd_free(context, source_imputation.present);
    return done;
}
