/* SPDX-License-Identifier: MIT */
/* normal_covariance.c - the covariance of each class, regularized so that it always has a Cholesky factor.
 *
 * A_k are the sums of products of deviations of the n_k rows of class k from their mean. P is the pooled covariance,
 * which all classes share. L, H and G are the shrinkage parameters to_shared, target_to_diagonal and to_diagonal of the
 * shape (compare Friedman: Regularized discriminant analysis; 1989). b is the number of rows borrowed from P, and w = L
 * + (1 - L) b / (n_k - 1 + b):
 *
 *   S_k = A_k / (n_k - 1)             P = sum of A_k / sum of (n_k - 1)       (n instead of n - 1: see `variance`)
 *   M_k = (1 - w) S_k + w T           T = (1 - H) P + H diag P           C_k = (1 - G) M_k + G diag M_k
 *
 * C_k is singular if the rows of a class are too few or agree in a column. Then b is the number of columns, or twice
 * that number, and so on, until C_k is regular. P is singular if columns are collinear. Then it is shrunk towards its
 * diagonal: by 1/1024, by 1/512 of the rest, and so on. A class for which S_k is undefined uses P. A class without rows
 * uses the covariance of all rows instead of S_k. The variances of P are at least 1e-9 of their column's overall
 * variance. All variances are at least the square of min-deviation.
 *
 * If rows are incomplete, n of each sum of products is the number of rows that have both cells. Let f be the fraction
 * of the rows that the rarest pair of columns lacks. Each class then borrows 4 f more rows. Matrices of such sums may
 * be indefinite or nearly so. The smallest eigenvalue of the correlations must therefore be more than f / 10, and
 * matrices are shrunk as above until it is. */
#include "density/multivariate/normal.h"

#include "math/cholesky.h"
#include "math/functions/elementary.h"
#include "math/functions/special.h"

#include <math.h>
#include <string.h>

/* The first step of the shrinkage of a singular matrix towards its diagonal. Each step is twice the step before. */
static const double FIRST_STEP = 0x1p-10;
/* If a class borrows more rows than this, it uses the shared covariance. */
static const double MOST_BORROWED = 0x1p40;
/* A variance below this fraction of the shared variance counts as zero: all rows of the class agree. */
static const double VANISHING = 0x1p-36;
/* The minimum eigenvalue of the correlations, and the number of borrowed rows, if a pair of columns has no rows (f =
 * 1). */
static const double MARGIN = 0.1, BORROWED_MISSING = 4;

static double divisor_of(const crd_i_normal_rules *rules, double rows) {
    return !rules->sample ? rows : rows > 1 ? rows - 1 : 0;
}

/* Copies the lower triangle to the upper triangle, and the variances to the diagonal. */
static void normal_covariance_mirror(const crd_i_normal_matrix *matrix, size_t columns) {
    for (size_t i = 0; i < columns; i++) {
        matrix->cells[i * columns + i] = matrix->variances[i];
        for (size_t j = 0; j < i; j++) matrix->cells[j * columns + i] = matrix->cells[i * columns + j];
    }
}

static bool has_factor(crd_i_normal_matrix *matrix, size_t columns) {
    normal_covariance_mirror(matrix, columns);
    return crd_i_factor(matrix->cells, columns, matrix->variances, &matrix->half_log_determinant);
}

/* Returns whether the matrix is still positive definite after subtracting this fraction of its diagonal. */
static bool has_margin(crd_i_normal_matrix *matrix, size_t columns, double margin) {
    if (margin == 0) return true;
    normal_covariance_mirror(matrix, columns);
    for (size_t i = 0; i < columns; i++) matrix->cells[i * columns + i] *= 1 - margin;
    return crd_i_factor(matrix->cells, columns, matrix->variances, &matrix->half_log_determinant);
}

static bool normal_covariance_is_regular(crd_i_normal_matrix *matrix, size_t columns, double margin) {
    return has_margin(matrix, columns, margin) && has_factor(matrix, columns);
}

/* Returns the weight of the rows in a sum of products of a class. */
static double normal_covariance_rows(const crd_i_normal_source *source, size_t class, size_t cell) {
    return source->pairs == NULL ? source->rows[class]
                                 : source->pairs[class * source->columns * source->columns + cell];
}

static void normal_covariance_bound(const crd_i_normal_matrix *matrix, size_t columns,
                                    const crd_i_normal_rules *rules) {
    for (size_t i = 0; i < columns; i++)
        if (!(matrix->variances[i] >= rules->least[i])) matrix->variances[i] = rules->least[i];
}

/* Shrinks a matrix towards its diagonal by the fraction `part`. */
static void normal_covariance_draw(const crd_i_normal_matrix *matrix, double part, size_t columns) {
    for (size_t i = 0; i < columns; i++)
        for (size_t j = 0; j < i; j++) matrix->cells[i * columns + j] *= 1 - part;
}

void crd_i_normal_pool(const crd_i_normal_source *source, const crd_i_normal_rules *rules, crd_i_normal_matrix *out) {
    size_t columns = source->columns;
    for (size_t i = 0; i < columns; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = 0, divisor = 0;
            for (size_t k = 0; k < source->classes; k++) {
                sum += source->products[(k * columns + i) * columns + j];
                divisor += divisor_of(rules, normal_covariance_rows(source, k, i * columns + j));
            }
            sum = divisor > 0 ? sum / divisor : source->whole[i * columns + j];
            out->cells[i * columns + j] = sum;
            if (i == j) out->variances[i] = sum;
        }
    normal_covariance_bound(out, columns, rules);
    for (double step = FIRST_STEP; !normal_covariance_is_regular(out, columns, MARGIN * source->missing); step *= 2)
        normal_covariance_draw(out, step < 1 ? step : 1, columns);
}

/* Returns w, the weight of the shared covariance in an entry of the covariance of a class. */
static double part_of_shared(const crd_i_normal_shape *shape, double rows, double divisor, double borrowed) {
    if (borrowed > MOST_BORROWED || (!(divisor > 0) && rows > 0)) return 1;
    if (!(divisor > 0)) divisor = 1;
    double more = (1 - shape->to_shared) * (borrowed > 0 ? borrowed / (divisor + borrowed) : 0);
    return rows > 0 ? shape->to_shared + more : more;
}

/* Computes C_k with `borrowed` rows of the shared covariance. Returns the smallest weight w of its entries. */
static double normal_covariance_mix(const crd_i_normal_source *source, const crd_i_normal_rules *rules,
                                    const crd_i_normal_matrix *pooled, const crd_i_normal_shape *shape, size_t class,
                                    double borrowed, crd_i_normal_matrix *out) {
    size_t columns = source->columns;
    double rows = source->rows[class], least = 1;
    const double *entries = divisor_of(rules, rows) > 0 ? source->products + class * columns * columns : source->whole;
    for (size_t i = 0; i < columns; i++)
        for (size_t j = 0; j <= i; j++) {
            size_t index = i * columns + j;
            double divisor =
                divisor_of(rules, entries == source->whole ? rows : normal_covariance_rows(source, class, index));
            double shared = part_of_shared(shape, rows, divisor, borrowed);
            if (!(divisor > 0)) divisor = 1;
            if (shared < least) least = shared;
            if (i == j) {
                out->variances[i] = (1 - shared) * (entries[index] / divisor) + shared * pooled->variances[i];
                continue;
            }
            double target = (1 - shape->target_to_diagonal) * pooled->cells[index];
            double mixed = (1 - shared) * (entries[index] / divisor) + shared * target;
            out->cells[index] = (1 - shape->to_diagonal) * mixed;
        }
    return least;
}

static bool has_spread(const crd_i_normal_matrix *matrix, const crd_i_normal_matrix *pooled, size_t columns) {
    for (size_t i = 0; i < columns; i++)
        if (!(matrix->variances[i] > VANISHING * pooled->variances[i])) return false;
    return true;
}

void crd_i_normal_of_class(const crd_i_normal_source *source, const crd_i_normal_rules *rules,
                           const crd_i_normal_matrix *pooled, const crd_i_normal_shape *shape, size_t class,
                           crd_i_normal_matrix *out) {
    size_t columns = source->columns;
    for (double borrowed = shape->borrowed + BORROWED_MISSING * source->missing;;
         borrowed = borrowed < (double)columns ? (double)columns : 2 * borrowed) {
        double shared = normal_covariance_mix(source, rules, pooled, shape, class, borrowed, out);
        bool spreads = has_spread(out, pooled, columns);
        normal_covariance_bound(out, columns, rules);
        if (spreads && normal_covariance_is_regular(out, columns, MARGIN * source->missing)) return;
        if (shared >= 1) break;
    }
    /* The shared covariance has a factor, and so has every matrix between it and its diagonal, except for rounding
     * errors. */
    for (double step = FIRST_STEP; !has_factor(out, columns); step *= 2) normal_covariance_draw(out, step, columns);
}

void crd_i_normal_part(const crd_i_normal_matrix *matrix, size_t columns, const size_t *present, size_t count,
                       crd_i_normal_matrix *out) {
    for (size_t a = 0; a < count; a++) {
        size_t i = present[a];
        for (size_t b = 0; b < a; b++) out->cells[b * count + a] = matrix->cells[i * columns + present[b]];
        out->variances[a] = out->cells[a * count + a] = matrix->variances[i];
    }
    if (crd_i_factor(out->cells, count, out->variances, &out->half_log_determinant)) return;
    /* A submatrix of a positive definite matrix is positive definite, except for rounding errors. Then only the
     * variances are used. */
    out->half_log_determinant = 0;
    memset(out->cells, 0, count * count * sizeof *out->cells);
    for (size_t a = 0; a < count; a++) {
        double deviation = sqrt(out->variances[a]);
        out->cells[a * count + a] = 1 / deviation;
        out->half_log_determinant += crd_log(deviation);
    }
}

void crd_i_normal_variances(const crd_i_normal_source *source, const crd_i_normal_rules *rules,
                            const crd_settings *settings, size_t class, crd_i_normal_matrix *out) {
    size_t columns = source->columns, first = class, end = class + 1;
    double all = source->all_rows;
    bool is_empty = !(source->rows[class] > 0);
    if (settings->share_classes && !is_empty) {
        first = 0;
        end = source->classes;
    }
    for (size_t i = 0; i < columns; i++) {
        size_t index = i * columns + i;
        double overall = source->whole[index] * (rules->sample && all > 1 ? all / (all - 1) : 1), squares = 0;
        double rows = 0, divisor = 0;
        double smoothing = settings->smoothing == CRD_I_SMOOTHING_M && !is_empty ? settings->smoothing_strength : 0;
        for (size_t k = first; k < end; k++) {
            squares += source->products[k * columns * columns + index];
            divisor += divisor_of(rules, normal_covariance_rows(source, k, index));
            rows += normal_covariance_rows(source, k, index);
        }
        if (end - first > 1 && source->pairs == NULL) rows = all;
        if (!(divisor > 0)) rows = 0;
        out->variances[i] = rows > 0 ? squares / divisor : overall;
        if (rows + smoothing > 0)
            out->variances[i] = (rows * out->variances[i] + smoothing * overall) / (rows + smoothing);
        for (size_t j = 0; j < i; j++) out->cells[i * columns + j] = 0;
    }
    normal_covariance_bound(out, columns, rules);
    has_factor(out, columns);
}

double crd_i_normal_peak(size_t columns, double degrees) {
    static const double LOG_PI = 0x1.250d048e7a1bdp+0;     /* 1.1447298858494001741... */
    static const double LOG_TWO_PI = 0x1.d67f1c864beb5p+0; /* 1.8378770664093454835... */
    double d = (double)columns;
    if (columns == 0) return 0;
    if (degrees == INFINITY) return -d / 2 * LOG_TWO_PI;
    return crd_i_log_gamma((degrees + d) / 2) - crd_i_log_gamma(degrees / 2) - d / 2 * (crd_log(degrees) + LOG_PI);
}

double crd_i_normal_fall(double squares, size_t columns, double degrees) {
    if (degrees == INFINITY) return squares / 2;
    return (degrees + (double)columns) / 2 * crd_log(1 + squares / degrees);
}

void crd_i_normal_copy_matrix(const crd_i_normal_matrix *matrix, size_t columns, double *destination) {
    for (size_t i = 0; i < columns; i++) {
        destination[i * columns + i] = matrix->variances[i];
        for (size_t j = 0; j < i; j++)
            destination[i * columns + j] = destination[j * columns + i] = matrix->cells[i * columns + j];
    }
}
