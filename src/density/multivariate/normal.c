/* SPDX-License-Identifier: MIT */
/* normal.c - the multivariate normal density of numeric columns under each class. It covers linear and quadratic
 * discriminant analysis (LDA, QDA) and regularized forms between them.
 *
 *   log p(x | k) = -d/2 log 2 pi - 1/2 log |C_k| - 1/2 (x - m_k)' C_k^-1 (x - m_k)
 *
 * m_k is the mean of the rows of class k. Their covariance C_k depends on the setting `normal`:
 *
 *   full      the covariance of the class, shrunk towards its diagonal by S; S = 0 is quadratic discriminant analysis
 *   shared    one covariance for all classes, shrunk towards its diagonal by S; S = 0 is linear discriminant analysis
 *   diagonal  variances only: Gaussian naive Bayes
 *   auto      shrunk towards the shared covariance and the diagonal (compare Friedman 1989), with the tails of
 *             Student's t and an exponent, so that posteriors are calibrated (normal_covariance_selection.c)
 *
 * S is the argument of the setting, as in full:0.1. If it is missing, it is found in the same way as for auto. Without
 * stored rows to fit to, shrinkage is estimated from the moments.
 *
 * Columns that are constant over all rows carry no information and are dropped. For a row with missing cells, the
 * density is the marginal density of its present cells, which uses a submatrix of C_k. All computations have a fixed
 * order, so results are bit-identical on every machine.
 *
 * Contents:
 *   1. Covariances
 *   2. Moments
 *   3. Shrinkage from the moments
 *   4. The density
 *   5. Derivation
 *   6. Evaluation
 *   7. Description */
#include "density/multivariate/joint_density.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "math/cholesky.h"
#include "math/exact/ieee754.h"
#include "math/functions/elementary.h"
#include "math/functions/special.h"
#include "stats/joint_tally.h"

#include <credence/number.h>
#include <math.h>
#include <string.h>

/* ======== 1. Covariances ========
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
 * variance. All variances are at least the square of min-sd.
 *
 * If rows are incomplete, n of each sum of products is the number of rows that have both cells. Let f be the fraction
 * of the rows that the rarest pair of columns lacks. Each class then borrows 4 f more rows. Matrices of such sums may
 * be indefinite or nearly so. The smallest eigenvalue of the correlations must therefore be more than f / 10, and
 * matrices are shrunk as above until it is. */

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

/* Computes and factors the covariance of one class for the setting `diagonal`: a diagonal matrix of the variances that
 * the gaussian family would estimate (gaussian.c). */
static void normal_variances(const crd_i_normal_source *source, const crd_i_normal_rules *rules,
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

/* ======== 2. Moments ========
 *
 * The moments are computed from exact sums, and each is rounded once.
 *
 * If rows are incomplete, the mean and variance of a column are estimated from all rows that have it. The covariance of
 * two columns is estimated from all rows that have both, about their means in these rows. These available-case
 * estimates are consistent if cells are missing completely at random (Little and Rubin, Statistical Analysis with
 * Missing Data). */

/* Maximum distance of a cell from the mean, in overall standard deviations. Cells beyond it are moved to this
 * distance. */
static const double FARTHEST = 0x1p300;

void crd_i_normal_moments_clear(crd_i_normal_moments *normal) {
    void *const blocks[] = {normal->places, normal->exponents, normal->centers, normal->rows,
                            normal->means,  normal->products,  normal->pairs,   normal->shifts};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) crd_free(normal->context, blocks[i]);
    memset(normal, 0, sizeof *normal);
}

static void normal_moments_drop_products(crd_i_normal_moments *normal) {
    double **const blocks[] = {&normal->products, &normal->pairs, &normal->shifts};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        crd_free(normal->context, *blocks[i]);
        *blocks[i] = NULL;
    }
}

void crd_i_normal_whole(const crd_i_normal_moments *normal, double *out) {
    size_t square = normal->columns * normal->columns;
    for (size_t i = 0; i < square; i++) {
        double rows = normal->pairs == NULL ? normal->all_rows : normal->pairs[normal->classes * square + i];
        out[i] = rows > 0 ? normal->products[normal->classes * square + i] / rows : 0;
    }
}

double crd_i_normal_centerd(const crd_i_normal_moments *normal, size_t column, double x) {
    double away = ldexp(x / 2 - normal->centers[column] / 2, 1 - normal->exponents[column]);
    return away > FARTHEST ? FARTHEST : away < -FARTHEST ? -FARTHEST : away;
}

/* Sums of one class or of all classes, over complete rows only or for each pair of columns. */
typedef struct moment_sums {
    const crd_i_products *products; /* NULL: no rows */
    bool by_pairs;
    size_t count; /* number of numeric columns */
} moment_sums;

static crd_i_comoment_cell normal_moments_cell(const moment_sums *source_sums, size_t i, size_t j) {
    return source_sums->by_pairs ? crd_i_cross_pair(source_sums->products, source_sums->count, i, j)
                                 : crd_i_products_cell(source_sums->products, i, j);
}

static bool has_incomplete(const crd_i_joint_source *joint_source) {
    bool has = false;
    for (size_t k = 0; k < joint_source->view.condition_count; k++)
        has =
            has || crd_i_cross_incomplete(joint_source->joint_tally, (size_t)joint_source->view.conditions[k]) != NULL;
    return has;
}

/* Adds the sums of a class to `products`. `twice` maps the columns of complete rows to the columns of incomplete rows,
 * which have every column twice. false: out of memory. */
static bool gather_class(const crd_i_joint_source *joint_source, size_t class, bool by_pairs, const size_t *twice,
                         crd_i_products *products) {
    size_t condition = (size_t)joint_source->view.conditions[class];
    const crd_i_products *complete = crd_i_cross_products(joint_source->joint_tally, condition);
    const crd_i_products *incomplete = crd_i_cross_incomplete(joint_source->joint_tally, condition);
    if (!by_pairs) return complete == NULL || crd_i_products_combine(products, complete, 1);
    return (complete == NULL || crd_i_products_embed(products, complete, twice, 1)) &&
           (incomplete == NULL || crd_i_products_combine(products, incomplete, 1));
}

/* Adds up the sums of the classes from `first` to `end` - 1. The caller destroys the result. NULL: out of memory. */
static crd_i_products *normal_moments_gather(crd_context *context, const crd_i_joint_source *joint_source, size_t first,
                                             size_t end, size_t columns, bool by_pairs) {
    size_t *twice = crd_i_alloc(context, 2 * columns, sizeof *twice);
    crd_i_products *products = crd_i_products_create(context, by_pairs ? 2 * columns : columns);
    bool done = twice != NULL && products != NULL;
    for (size_t i = 0; done && i < columns; i++) twice[i] = i, twice[columns + i] = CRD_I_COLUMN_OF_ONES;
    for (size_t k = first; done && k < end; k++) done = gather_class(joint_source, k, by_pairs, twice, products);
    crd_free(context, twice);
    if (done) return products;
    crd_i_products_destroy(products);
    return NULL;
}

static bool normal_moments_allocate(crd_i_normal_moments *normal, size_t columns) {
    size_t classes = normal->classes;
    normal->places = crd_i_alloc(normal->context, columns, sizeof *normal->places);
    normal->exponents = crd_i_alloc(normal->context, columns, sizeof *normal->exponents);
    normal->centers = crd_i_alloc_zeroed(normal->context, columns, sizeof *normal->centers);
    normal->rows = crd_i_alloc_zeroed(normal->context, classes, sizeof *normal->rows);
    return normal->places != NULL && normal->exponents != NULL && normal->centers != NULL && normal->rows != NULL;
}

/* Chooses the columns that vary, with their center and scale. `numbers` are the indices of all numeric columns. Sets
 * `chosen` to the positions in `numbers` of the columns that vary. false: out of memory. */
static bool choose_columns(crd_i_normal_moments *normal, const moment_sums *all, const size_t *numbers,
                           size_t *chosen) {
    for (size_t i = 0; i < all->count; i++) {
        crd_i_comoment_cell cell = normal_moments_cell(all, i, i);
        crd_i_signed variance;
        bool defined;
        if (!crd_i_comoments_covariance(cell, false, &variance, &defined)) {
            if (!defined) continue;
            return false;
        }
        if (variance.sign <= 0) continue;
        size_t index = normal->columns++;
        chosen[index] = i;
        normal->places[index] = numbers[i];
        normal->exponents[index] = (int)((variance.size.exponent - (variance.size.exponent < 0)) / 2);
        if (!crd_i_comoments_mean(cell, &normal->centers[index], NULL, &defined)) return false;
    }
    return true;
}

/* Computes the sums of products of deviations, scaled like the columns. Returns false if memory runs out or the context
 * is cancelled. */
static bool normal_moments_read_products(const crd_i_normal_moments *normal, const moment_sums *source_sums,
                                         const size_t *chosen, double *out) {
    size_t columns = normal->columns;
    for (size_t i = 0; i < columns; i++) {
        if (crd_i_context_cancelled(normal->context)) return false;
        for (size_t j = i; j < columns; j++) {
            crd_i_signed sum;
            if (!crd_i_comoments_deviations(normal_moments_cell(source_sums, chosen[i], chosen[j]), &sum)) return false;
            sum.size.exponent -= normal->exponents[i] + normal->exponents[j];
            out[i * columns + j] = out[j * columns + i] = crd_i_signed_value(sum);
        }
    }
    return true;
}

/* Computes s - n c exactly, where s is the sum of a column, n its weight and c a number. false: out of memory. */
static bool shift_sum(crd_i_sums *sums_workspace, crd_i_sums *count, crd_i_comoment_cell cell, double c) {
    if (!crd_i_sums_extend(sums_workspace, 1) || !crd_i_sums_extend(count, 1) ||
        !crd_i_sums_combine(sums_workspace, 0, cell.s, cell.s_cell, 1) ||
        !crd_i_sums_combine(count, 0, cell.n, cell.n_cell, 1))
        return false;
    /* The sum of weights may have more digits than a double, but not many more. */
    for (int part = 0; part < 3; part++) {
        double n = crd_i_sums_value(count, 0);
        if (!crd_i_sums_add(count, 0, -n) || !crd_i_sums_add_product(sums_workspace, 0, -n, c)) return false;
    }
    return true;
}

/* Computes the mean of a column of a class minus its center, rounded once. false: out of memory. */
static bool mean_from_center(crd_context *context, crd_i_comoment_cell cell, double center, double *mean) {
    crd_i_sums sum, count;
    bool defined = false;
    crd_i_sums_init(&sum, context);
    crd_i_sums_init(&count, context);
    bool done = shift_sum(&sum, &count, cell, center);
    cell.s = &sum;
    cell.s_cell = 0;
    done = done && crd_i_comoments_mean(cell, mean, NULL, &defined);
    crd_i_sums_clear(&sum);
    crd_i_sums_clear(&count);
    return done;
}

/* Reads the weight of the rows that have both of two columns, for a class or (SIZE_MAX) for all classes. */
static void normal_moments_read_pairs(crd_i_normal_moments *normal, const moment_sums *source_sums,
                                      const size_t *chosen, size_t class) {
    size_t columns = normal->columns;
    double *pairs = normal->pairs + (class == SIZE_MAX ? normal->classes : class) * columns * columns;
    for (size_t i = 0; i < columns; i++)
        for (size_t j = 0; j < columns; j++) {
            crd_i_comoment_cell cell = normal_moments_cell(source_sums, chosen[i], chosen[j]);
            pairs[i * columns + j] = crd_i_sums_value(cell.n, cell.n_cell);
        }
}

/* Computes `shifts` (joint_density.h) of a class. false: out of memory. */
static bool read_shifts(crd_i_normal_moments *normal, const moment_sums *source_sums, const size_t *chosen,
                        size_t class) {
    size_t columns = normal->columns;
    for (size_t i = 0; i < columns; i++)
        for (size_t j = 0; j < columns; j++) {
            size_t index = (class * columns + i) * columns + j;
            if (!(normal->pairs[index] > 0) || i == j) continue;
            double mean;
            if (!mean_from_center(normal->context, normal_moments_cell(source_sums, chosen[i], chosen[j]),
                                  normal->centers[i], &mean))
                return false;
            normal->shifts[index] =
                normal->pairs[index] * (ldexp(mean, -normal->exponents[i]) - normal->means[class * columns + i]);
        }
    return true;
}

/* Reads the moments of one class: rows, means, pairs and products. Returns false if memory runs out or the context is
 * cancelled. */
static bool normal_moments_read_class(crd_i_normal_moments *normal, const moment_sums *source_sums,
                                      const size_t *chosen, size_t class) {
    size_t columns = normal->columns;
    normal->rows[class] = crd_i_sums_value(crd_i_products_total(source_sums->products), 0);
    if (normal->pairs != NULL) normal_moments_read_pairs(normal, source_sums, chosen, class);
    for (size_t i = 0; i < columns; i++) {
        crd_i_comoment_cell cell = normal_moments_cell(source_sums, chosen[i], chosen[i]);
        double mean;
        if (crd_i_sums_sign(cell.n, cell.n_cell) <= 0) continue; /* the class uses the overall mean */
        if (!mean_from_center(normal->context, cell, normal->centers[i], &mean)) return false;
        normal->means[class * columns + i] = ldexp(mean, -normal->exponents[i]);
    }
    if (normal->pairs != NULL && !read_shifts(normal, source_sums, chosen, class)) return false;
    return normal_moments_read_products(normal, source_sums, chosen, normal->products + class * columns * columns);
}

static void normal_moments_set_missing(crd_i_normal_moments *normal) {
    size_t columns = normal->columns;
    const double *pairs = normal->pairs + normal->classes * columns * columns;
    double fewest = INFINITY, most = 0;
    for (size_t i = 0; i < columns * columns; i++) {
        fewest = fmin(fewest, pairs[i]);
        most = fmax(most, pairs[i]);
    }
    normal->missing = most > 0 ? 1 - fewest / most : 0;
}

static bool allocate_moments(crd_i_normal_moments *normal, bool by_pairs) {
    size_t columns = normal->columns, square = columns * columns;
    normal->means = crd_i_alloc_zeroed(normal->context, normal->classes, columns * sizeof *normal->means);
    normal->products = crd_i_alloc_zeroed(normal->context, normal->classes + 1, square * sizeof *normal->products);
    if (normal->means == NULL || normal->products == NULL) return false;
    if (!by_pairs) return true;
    normal->pairs = crd_i_alloc_zeroed(normal->context, normal->classes + 1, square * sizeof *normal->pairs);
    normal->shifts = crd_i_alloc_zeroed(normal->context, normal->classes, square * sizeof *normal->shifts);
    return normal->pairs != NULL && normal->shifts != NULL;
}

static void normal_moments_count_rows(crd_i_normal_moments *normal, const crd_i_joint_source *joint_source) {
    for (size_t k = 0; k < normal->classes; k++) {
        size_t condition = (size_t)joint_source->view.conditions[k];
        const crd_i_products *incomplete = crd_i_cross_incomplete(joint_source->joint_tally, condition);
        double used = incomplete == NULL ? 0 : crd_i_sums_value(crd_i_products_total(incomplete), 0);
        normal->incomplete += used;
        normal->left_out += crd_i_cross_left_out(joint_source->joint_tally, condition) - used;
    }
}

/* Reads the moments of each class and of all rows. Returns false if memory runs out or the context is cancelled. */
static bool normal_moments_read_all(crd_i_normal_moments *normal, const crd_i_joint_source *joint_source,
                                    const moment_sums *all, const size_t *chosen) {
    size_t columns = normal->columns;
    normal->all_rows = crd_i_sums_value(crd_i_products_total(all->products), 0);
    if (!allocate_moments(normal, all->by_pairs)) return false;
    normal_moments_count_rows(normal, joint_source);
    for (size_t k = 0; k < normal->classes; k++) {
        crd_i_products *own_products =
            normal_moments_gather(normal->context, joint_source, k, k + 1, all->count, all->by_pairs);
        bool done =
            own_products != NULL &&
            (crd_i_products_is_zero(own_products) ||
             normal_moments_read_class(normal, &(moment_sums){own_products, all->by_pairs, all->count}, chosen, k));
        crd_i_products_destroy(own_products);
        if (!done) return false;
    }
    if (all->by_pairs) {
        normal_moments_read_pairs(normal, all, chosen, SIZE_MAX);
        normal_moments_set_missing(normal);
    }
    return normal_moments_read_products(normal, all, chosen, normal->products + normal->classes * columns * columns);
}

crd_status crd_i_normal_moments_read(crd_context *context, const crd_i_joint_source *joint_source,
                                     crd_i_normal_moments *out, crd_error *error) {
    const size_t *numbers;
    size_t count = crd_i_cross_columns(joint_source->joint_tally, &numbers);
    memset(out, 0, sizeof *out);
    out->context = context;
    out->classes = joint_source->view.condition_count;
    size_t *chosen = crd_i_alloc(context, count, sizeof *chosen);
    bool by_pairs = has_incomplete(joint_source);
    crd_i_products *gathered = normal_moments_gather(context, joint_source, 0, out->classes, count, by_pairs);
    const moment_sums all = {gathered, by_pairs, count};
    bool done = chosen != NULL && gathered != NULL && normal_moments_allocate(out, count) &&
                choose_columns(out, &all, numbers, chosen) && normal_moments_read_all(out, joint_source, &all, chosen);
    crd_i_products_destroy(gathered);
    crd_free(context, chosen);
    if (done) return CRD_OK;
    crd_i_normal_moments_clear(out);
    bool is_cancelled = crd_i_context_cancelled(context);
    return is_cancelled ? crd_i_fail_cancelled(error) : crd_i_fail_memory(error);
}

/* ======== 3. Shrinkage from the moments ========
 *
 * If no rows are stored, the shrinkage maximizes the marginal likelihood (empirical Bayes).
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

static const double TARGETS[] = {0, 0.01, 0.03, 0.1, 0.3, 1};
enum { TARGET_COUNT = sizeof TARGETS / sizeof *TARGETS };
static const double LARGEST_STRENGTH = 0x1p20;

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
    for (double v = 2; v <= LARGEST_STRENGTH && !crd_i_context_cancelled(query->context); v *= 2) {
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

/* Estimates the shape from the moments only, without stored rows. Sets to_shared, to_diagonal, borrowed and
 * target_to_diagonal. false: out of memory. */
static bool normal_evidence(const crd_i_normal_moments *moments, const crd_i_normal_rules *rules,
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

/* ======== 4. The density ======== */

/* The minimum variance, relative to the column's overall variance, as in the gaussian family. */
static const double NARROWEST = 1e-9;
/* Degrees of freedom if they cannot be fitted to rows. Rows are rarely as normal as the model assumes, and tails that
 * are too short harm posteriors far more than tails that are too long. */
static const double USUAL_DEGREES = 10;
/* Equivalent sample size of the shared covariance in each class under `auto`, so that a class with one row has the
 * shared covariance. */
static const double BORROWED = 2;

enum { FITTED = 4 }; /* number of shape parameters that are fitted to rows */

typedef struct normal {
    crd_i_joint base;
    crd_i_normal_moments moments; /* without the products after derivation */
    crd_i_covariance_form form;
    bool is_fitted; /* the shape was fitted to rows; otherwise it was estimated from the moments */
    crd_i_normal_shape shape;
    double fitted[FITTED];
    bool *takes;
    bool is_one; /* all classes use the matrix of the first class */
    crd_i_normal_matrix *matrices;
    double *cells, *variances; /* memory of all matrices */
    double *peaks;             /* for each number of columns: the log density at the mean, without the determinant */
} normal;

/* ======== 5. Derivation ======== */

static void normal_destroy(crd_i_joint *joint) {
    crd_i_normal_moments_clear(&((normal *)joint)->moments);
    crd_i_arena_destroy(joint->arena);
}

/* Computes the minimum variance of each column, on the scale of its divided cells. */
static void find_least(const normal *source_normal, const crd_settings *settings, const double *whole, double *least) {
    const crd_i_normal_moments *moments = &source_normal->moments;
    size_t columns = moments->columns;
    for (size_t i = 0; i < columns; i++) {
        double deviation = ldexp(settings->min_sd, -moments->exponents[i]);
        if (deviation > 0x1p500) deviation = 0x1p500;
        least[i] = NARROWEST * whole[i * columns + i];
        if (deviation * deviation > least[i]) least[i] = deviation * deviation;
    }
}

static bool normal_asks_rows(const crd_settings *settings) {
    if (settings->covariance == CRD_I_COVARIANCE_AUTO) return true;
    return settings->covariance != CRD_I_COVARIANCE_DIAG && isnan(settings->covariance_shrinkage);
}

/* Stores the fitted parameters of the shape as finite numbers. */
static void keep_fitted(normal *source_normal) {
    const double kept[FITTED] = {source_normal->shape.to_shared, source_normal->shape.to_diagonal,
                                 source_normal->shape.degrees < INFINITY ? source_normal->shape.degrees : 0,
                                 source_normal->shape.exponent};
    memcpy(source_normal->fitted, kept, sizeof kept);
}

/* Restores the parameters of the shape that an earlier derivation fitted. Returns false if there are none, or if they
 * are out of range. */
static bool restore_fitted(normal *source_normal, const crd_i_joint_source *joint_source) {
    const double *kept = joint_source->fitted;
    if (kept == NULL || joint_source->fitted_count != FITTED) return false;
    bool is_possible = kept[0] >= 0 && kept[0] <= 1 && kept[1] >= 0 && kept[1] <= 1 && kept[2] >= 0 && kept[2] <= 1e6 &&
                       kept[3] > 0 && kept[3] <= 1;
    if (!is_possible) return false;
    source_normal->shape.to_shared = kept[0];
    source_normal->shape.to_diagonal = kept[1];
    source_normal->shape.degrees = kept[2] > 0 ? kept[2] : INFINITY;
    source_normal->shape.exponent = kept[3];
    return true;
}

/* Sets the shape of the covariances: as given by the settings, restored, fitted to the stored rows, or estimated from
 * the moments. */
static crd_status choose_shape(normal *source_normal, const crd_i_joint_source *joint_source,
                               const crd_i_normal_rules *rules, const crd_settings *settings, crd_error *error) {
    const crd_i_normal_shape plain = {.degrees = INFINITY, .exponent = 1};
    bool is_auto = source_normal->form == CRD_I_COVARIANCE_AUTO, has_shrinkage = !isnan(settings->covariance_shrinkage);
    crd_i_normal_free wanted = {.to_shared = is_auto, .to_diagonal = true, .tails = is_auto};
    source_normal->shape = plain;
    source_normal->shape.to_shared = source_normal->form == CRD_I_COVARIANCE_TIED ? 1 : 0;
    if (source_normal->form == CRD_I_COVARIANCE_DIAG || (!is_auto && has_shrinkage)) {
        source_normal->shape.to_diagonal = has_shrinkage ? settings->covariance_shrinkage : 1;
        return CRD_OK;
    }
    source_normal->is_fitted = crd_i_normal_can_fit(&source_normal->moments, joint_source);
    if (source_normal->is_fitted) {
        if (is_auto) source_normal->shape.borrowed = BORROWED;
        crd_status status = CRD_OK;
        if (!restore_fitted(source_normal, joint_source))
            status = crd_i_normal_fit(&source_normal->moments, joint_source, rules, settings, wanted,
                                      &source_normal->shape, error);
        keep_fitted(source_normal);
        return status;
    }
    if (is_auto) source_normal->shape.degrees = USUAL_DEGREES;
    if (!normal_evidence(&source_normal->moments, rules, wanted, &source_normal->shape))
        return crd_i_fail_memory(error);
    /* the search stops early in this case */
    bool is_cancelled = crd_i_context_cancelled(source_normal->moments.context);
    return is_cancelled ? crd_i_fail_cancelled(error) : CRD_OK;
}

/* Allocates the matrices of the classes. With `is_one`, all classes share the memory of one matrix. false: out of
 * memory. */
static bool normal_allocate(normal *source_normal) {
    crd_i_arena *arena = source_normal->base.arena;
    size_t columns = source_normal->moments.columns, count = source_normal->is_one ? 1 : source_normal->moments.classes;
    source_normal->matrices =
        crd_i_arena_alloc_zeroed(arena, source_normal->moments.classes, sizeof *source_normal->matrices);
    source_normal->cells = crd_i_arena_alloc_zeroed(arena, count, columns * columns * sizeof *source_normal->cells);
    source_normal->variances = crd_i_arena_alloc_zeroed(arena, count, columns * sizeof *source_normal->variances);
    source_normal->peaks = crd_i_arena_alloc_zeroed(arena, columns + 1, sizeof *source_normal->peaks);
    if (crd_i_arena_failed(arena)) return false;
    for (size_t k = 0; k < source_normal->moments.classes; k++) {
        size_t index = source_normal->is_one ? 0 : k;
        source_normal->matrices[k].cells = source_normal->cells + index * columns * columns;
        source_normal->matrices[k].variances = source_normal->variances + index * columns;
    }
    return true;
}

static void set_matrices(normal *source_normal, const crd_i_normal_source *source, const crd_i_normal_rules *rules,
                         const crd_settings *settings, crd_i_normal_matrix *pooled) {
    crd_i_normal_pool(source, rules, pooled);
    for (size_t k = 0; k < (source_normal->is_one ? 1 : source->classes); k++) {
        crd_i_normal_matrix *matrix = &source_normal->matrices[k];
        if (source_normal->form == CRD_I_COVARIANCE_DIAG) normal_variances(source, rules, settings, k, matrix);
        else crd_i_normal_of_class(source, rules, pooled, &source_normal->shape, k, matrix);
    }
    for (size_t k = 1; source_normal->is_one && k < source->classes; k++)
        source_normal->matrices[k] = source_normal->matrices[0];
    for (size_t m = 0; m <= source->columns; m++)
        source_normal->peaks[m] = crd_i_normal_peak(m, source_normal->shape.degrees);
}

/* Chooses the shape, computes the factored covariances, and frees the sums of products, which are no longer needed. */
static crd_status derive_matrices(normal *source_normal, const crd_i_joint_source *joint_source,
                                  const crd_settings *settings, crd_error *error) {
    crd_i_normal_moments *moments = &source_normal->moments;
    crd_context *context = source_normal->base.context;
    size_t columns = moments->columns, square = columns * columns;
    /* Memory for the covariance of all rows, the shared covariance, its variances, and the minimum variances. */
    double *workspace = crd_i_alloc(context, 2 * square + 2 * columns, sizeof *workspace);
    if (workspace == NULL) return crd_i_fail_memory(error);
    double *whole = workspace, *least = workspace + 2 * square + columns;
    crd_i_normal_matrix pooled = {workspace + square, workspace + 2 * square, 0};
    crd_i_normal_whole(moments, whole);
    find_least(source_normal, settings, whole, least);
    const crd_i_normal_rules rules = {source_normal->form == CRD_I_COVARIANCE_AUTO || settings->sample_variance, least};
    const crd_i_normal_source source = {moments->classes, columns, moments->rows,     moments->products,
                                        moments->pairs,   whole,   moments->all_rows, moments->missing};
    crd_status status = choose_shape(source_normal, joint_source, &rules, settings, error);
    source_normal->is_one = source_normal->form != CRD_I_COVARIANCE_DIAG && source_normal->shape.to_shared == 1;
    for (size_t k = 0; k < moments->classes; k++) source_normal->is_one = source_normal->is_one && moments->rows[k] > 0;
    if (status == CRD_OK && !normal_allocate(source_normal)) status = crd_i_fail_memory(error);
    if (status == CRD_OK) set_matrices(source_normal, &source, &rules, settings, &pooled);
    crd_free(context, workspace);
    normal_moments_drop_products(moments);
    return status;
}

/* Derives the density from a joint tally of cross-moments, and from stored rows if there are any. Errors:
 * CRD_ERROR_MEMORY, CRD_ERROR_CANCELLED. */
static crd_status normal_derive(crd_context *context, const crd_i_joint_source *joint_source,
                                const crd_settings *settings, crd_i_joint **out, crd_error *error) {
    *out = NULL;
    normal *new_normal = crd_i_arena_object(context, sizeof *new_normal);
    if (new_normal == NULL) return crd_i_fail_memory(error);
    new_normal->base.type = &crd_i_joint_normal;
    new_normal->base.context = context;
    new_normal->base.conditions = joint_source->view.condition_count;
    new_normal->base.column_count = joint_source->joint_tally->column_count;
    new_normal->form = settings->covariance;
    new_normal->takes =
        crd_i_arena_alloc_zeroed(new_normal->base.arena, new_normal->base.column_count, sizeof *new_normal->takes);
    new_normal->base.takes = new_normal->takes;
    crd_status status = crd_i_arena_check(new_normal->base.arena, error);
    if (status == CRD_OK) status = crd_i_normal_moments_read(context, joint_source, &new_normal->moments, error);
    if (status == CRD_OK) status = derive_matrices(new_normal, joint_source, settings, error);
    if (status != CRD_OK) {
        normal_destroy(&new_normal->base);
        return status;
    }
    size_t columns = new_normal->moments.columns;
    for (size_t i = 0; i < columns; i++) new_normal->takes[new_normal->moments.places[i]] = true;
    new_normal->base.rows = new_normal->moments.all_rows;
    new_normal->base.incomplete_rows = new_normal->moments.incomplete;
    new_normal->base.capacity = columns * (columns + 3) + crd_i_normal_indices_room(columns);
    *out = &new_normal->base;
    return CRD_OK;
}

/* ======== 6. Evaluation ======== */

/* Adds the log density of the present cells of a row to the sum of each class. Computes on divided cells, so log 2
 * times the sum of their exponents is subtracted. */
static void normal_add(const crd_i_joint *joint, const crd_i_joint_cell *cells, double *sums, double *workspace) {
    static const double LOG_TWO = 0x1.62e42fefa39efp-1; /* 0.69314718055994530942... */
    const normal *source_normal = (const normal *)joint;
    const crd_i_normal_moments *moments = &source_normal->moments;
    size_t columns = moments->columns, count = 0;
    double *x = workspace, *work = workspace + columns, doublings = 0;
    size_t *present = (size_t *)(workspace + columns * (columns + 3));
    for (size_t i = 0; i < columns; i++) {
        const crd_i_joint_cell *cell = &cells[moments->places[i]];
        if (!cell->is_present) continue;
        present[count] = i;
        x[count++] = crd_i_normal_centerd(moments, i, cell->number);
        doublings += moments->exponents[i];
    }
    if (count == 0) return;
    crd_i_normal_matrix part = {workspace + 3 * columns, workspace + 2 * columns, 0};
    double peak = source_normal->peaks[count] - LOG_TWO * doublings;
    for (size_t k = 0; k < joint->conditions; k++) {
        const double *mean = moments->means + k * columns;
        const crd_i_normal_matrix *matrix = &source_normal->matrices[k];
        if (count == columns) {
            for (size_t i = 0; i < columns; i++) work[i] = x[i] - mean[i];
        } else {
            for (size_t a = 0; a < count; a++) work[a] = x[a] - mean[present[a]];
            if (k == 0 || !source_normal->is_one) crd_i_normal_part(matrix, columns, present, count, &part);
            matrix = &part;
        }
        double squares = crd_i_factor_squares(matrix->cells, count, work);
        double fall = crd_i_normal_fall(squares, count, source_normal->shape.degrees);
        sums[k] += source_normal->shape.exponent * (peak - matrix->half_log_determinant - fall);
    }
}

/* Draws a row as mean + L z. L is the transpose of the inverse factor, whose diagonal stores inverses. For Student's t,
 * L z is divided by the square root of a chi-squared variable divided by its degrees of freedom. */
static void normal_draw(const crd_i_joint *joint, size_t condition, crd_i_random *random, crd_i_joint_cell *cells) {
    const normal *source_normal = (const normal *)joint;
    const crd_i_normal_moments *moments = &source_normal->moments;
    const size_t columns = moments->columns;
    const double *factor = source_normal->matrices[condition].cells, *mean = moments->means + condition * columns;
    const double degrees = source_normal->shape.degrees;
    for (size_t i = 0; i < columns; i++) cells[moments->places[i]].number = crd_i_random_normal(random);
    double wide = 1;
    if (isfinite(degrees)) wide = sqrt(degrees / 2 / crd_exp(crd_i_random_log_gamma(random, degrees / 2)));
    for (size_t i = columns; i-- > 0;) {
        double sum = cells[moments->places[i]].number / factor[i * columns + i];
        for (size_t j = 0; j < i; j++) sum += factor[j * columns + i] * cells[moments->places[j]].number;
        crd_i_joint_cell *cell = &cells[moments->places[i]];
        cell->number = moments->centers[i] +
                       ldexp(mean[i] + wide * sum / sqrt(source_normal->shape.exponent), moments->exponents[i]);
        cell->is_present = true;
    }
}

/* ======== 7. Description ======== */

static const double *normal_fitted(const crd_i_joint *joint, size_t *count) {
    const normal *source_normal = (const normal *)joint;
    *count = FITTED;
    return source_normal->is_fitted ? source_normal->fitted : NULL;
}

/* Lists the parameters for export. Covariances are full symmetric matrices of divided cells. */
static bool normal_list_parameters(const crd_i_joint *joint, crd_i_parameter_list *parameter) {
    const normal *source_normal = (const normal *)joint;
    size_t columns = source_normal->moments.columns, matrices = columns == 0 ? 0
                                                                : source_normal->is_one
                                                                    ? 1
                                                                    : source_normal->moments.classes;
    double *places = crd_i_parameter_list_vector(parameter, "place", columns);
    double *exponents = places == NULL ? NULL : crd_i_parameter_list_vector(parameter, "binary_exponent", columns);
    for (size_t i = 0; exponents != NULL && i < columns; i++) {
        places[i] = (double)source_normal->moments.places[i];
        exponents[i] = source_normal->moments.exponents[i];
    }
    if (exponents == NULL ||
        !crd_i_parameter_list_copy(parameter, "center", source_normal->moments.centers, columns, 1))
        return false;
    double *means = crd_i_parameter_list_matrix(parameter, "mean", joint->conditions, columns);
    double *covariances =
        means == NULL ? NULL : crd_i_parameter_list_matrix(parameter, "covariance", matrices * columns, columns);
    if (covariances == NULL) return false;
    if (columns > 0) memcpy(means, source_normal->moments.means, joint->conditions * columns * sizeof *means);
    for (size_t k = 0; k < matrices; k++)
        crd_i_normal_copy_matrix(&source_normal->matrices[k], columns, covariances + k * columns * columns);
    return crd_i_parameter_list_number(parameter, "degrees", source_normal->shape.degrees) &&
           crd_i_parameter_list_number(parameter, "exponent", source_normal->shape.exponent);
}

static bool normal_estimates(const crd_i_joint *joint, crd_i_estimates *out) {
    const normal *source_normal = (const normal *)joint;
    uint64_t classes = joint->conditions, columns = source_normal->moments.columns, pairs = columns * (columns + 1) / 2;
    uint64_t fitted = source_normal->form == CRD_I_COVARIANCE_AUTO ? (source_normal->is_fitted ? 4 : 2) : 0;
    if (source_normal->form == CRD_I_COVARIANCE_DIAG) pairs = columns;
    return crd_i_estimates_add(out, "means", classes * columns) &&
           crd_i_estimates_add(out, source_normal->form == CRD_I_COVARIANCE_DIAG ? "variances" : "covariances",
                               (source_normal->is_one ? 1 : classes) * pairs) &&
           (fitted == 0 || crd_i_estimates_add(out, "parameters of the shape", fitted));
}

typedef struct text {
    char *out;
    size_t size, length;
} text;

static void normal_put(text *target_text, const char *words) {
    while (*words != '\0' && target_text->length + 1 < target_text->size)
        target_text->out[target_text->length++] = *words++;
    if (target_text->size > 0) target_text->out[target_text->length] = '\0';
}

/* Appends a number, rounded to three decimal places. */
static void normal_put_number(text *target_text, double number) {
    char digits[CRD_NUMBER_ROOM];
    crd_number_format(floor(number * 1000 + 0.5) / 1000, digits);
    normal_put(target_text, digits);
}

/* Writes for example "full covariances, shrunk to the diagonal by 0.1; 150 complete rows". */
static void normal_describe(const crd_i_joint *joint, char *out, size_t size) {
    static const char *const forms[] = {
        [CRD_I_COVARIANCE_AUTO] = "covariances between full and shared",
        [CRD_I_COVARIANCE_FULL] = "full covariances",
        [CRD_I_COVARIANCE_TIED] = "one covariance for all classes",
        [CRD_I_COVARIANCE_DIAG] = "variances only",
    };
    const normal *source_normal = (const normal *)joint;
    const crd_i_normal_shape *shape = &source_normal->shape;
    const struct {
        const char *before;
        double number;
        const char *after;
        bool is_said;
    } parts[] = {
        {", shrunk to the shared one by ", shape->to_shared, "",
         source_normal->form == CRD_I_COVARIANCE_AUTO && source_normal->is_fitted},
        {", with ", shape->borrowed, " rows of the shared one", shape->borrowed > 0 && !source_normal->is_fitted},
        {", shrunk to the diagonal by ", shape->to_diagonal, "", source_normal->form != CRD_I_COVARIANCE_DIAG},
        {", tails of ", shape->degrees, " degrees", shape->degrees < INFINITY},
        {", weight ", shape->exponent, "", shape->exponent != 1},
        {"; ", source_normal->moments.all_rows - source_normal->moments.incomplete, " complete rows", true},
        {" and ", source_normal->moments.incomplete, " incomplete ones", source_normal->moments.incomplete > 0},
        {", ", source_normal->moments.left_out, " skipped for missing values", source_normal->moments.left_out > 0},
    };
    text target_text = {out, size, 0};
    normal_put(&target_text, forms[source_normal->form]);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (!parts[i].is_said) continue;
        normal_put(&target_text, parts[i].before);
        normal_put_number(&target_text, parts[i].number);
        normal_put(&target_text, parts[i].after);
    }
}

const crd_i_joint_type crd_i_joint_normal = {
    .name = "normal",
    .summary = "multivariate normal density of each class",
    .reads = &crd_i_cross_moments,
    .asks_rows = normal_asks_rows,
    .derive = normal_derive,
    .destroy = normal_destroy,
    .add = normal_add,
    .draw = normal_draw,
    .fitted = normal_fitted,
    .estimates = normal_estimates,
    .list_parameters = normal_list_parameters,
    .describe = normal_describe,
};
