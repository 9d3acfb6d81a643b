/* SPDX-License-Identifier: MIT */
/* mixture_em.c - fits a mixture of multivariate normal densities by EM (Dempster, Laird and Rubin 1977):
 *
 *   p(x) = sum_k w_k N(x; m_k, C_k)
 *
 * The E step distributes rows over the components in proportion to w_k N(x; m_k, C_k). The M step updates the
 * components from their parts of the rows. Let W_k be the weight of component k's rows, and A_k the sum of products of
 * their deviations from m_k:
 *
 *   w_k = W_k / n     C_k = (A_k + a T) / (W_k + a)     T = (sum_k A_k + b f S) / (n + b)
 *
 * S is the pooled covariance within classes. The factor f = K^(-2/d) assumes that each of K components fills an equal
 * part of the space. T is the common covariance of this class's components. It begins as S and is soon dominated by the
 * rows. T has an equivalent sample size of a = 2 (d + 1) rows in each component, and S has b = 3 (d + 1) rows in T. So
 * no component can collapse onto a point or a plane, and few rows are enough for a component, but with many rows the
 * shrinkage becomes negligible. The idea is a conjugate prior (Fraley and Raftery: Bayesian regularization for normal
 * mixture estimation and model-based clustering; 2007). The constants were chosen by cross-validation on the data sets
 * pendigits, satellite and letter.
 *
 * Starts are drawn by k-means++ (Arthur and Vassilvitskii 2007), followed by a few steps of k-means and a few steps of
 * EM. EM continues from the most likely start, with T fixed. From then on, no step decreases the objective
 *
 *   log likelihood - a/2 sum_k (log |C_k| + trace of C_k^-1 T)
 *
 * The fit has settled when a step adds at most 0.0001 per row to it.
 *
 * The random numbers depend only on the number of components and the start. Rows are sorted by their hashes, and all
 * sums have a fixed order. So the same rows give bit-identical results.
 *
 * Contents:
 *   1. Mixtures
 *   2. Working memory
 *   3. M step
 *   4. Initialization
 *   5. E step
 *   6. Imputation
 *   7. Storage */
#include "density/multivariate/joint_density.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "math/cholesky.h"
#include "math/functions/elementary.h"
#include "math/random.h"

#include <math.h>
#include <string.h>

/* ======== 1. Mixtures ======== */

enum { LANES = 8, STARTS = 3, STEPS_OF_MEANS = 5, STEPS_OF_STARTS = 4 };

static const double OWN_ROWS = 2, SHARED_ROWS = 3; /* a and b, as multiples of d + 1 */
static const double SETTLED = 1e-4;
static const double LEAST_PART = 1e-8; /* smaller parts of a row are ignored */
static const double LOG_ROOT_TWO_PI = 0x1.d67f1c864beb5p-1;

void crd_i_mixture_clear(crd_i_mixture *mixture) {
    crd_i_arena_destroy(mixture->arena);
    memset(mixture, 0, sizeof *mixture);
}

/* Allocates a mixture of `count` components, for the caller to fill in. Returns false if memory runs out. The caller
 * clears the mixture in both cases. */
static bool mixture_init(crd_i_mixture *mixture, crd_context *context, size_t count, size_t columns) {
    crd_i_arena *arena = crd_i_arena_create(context);
    *mixture = (crd_i_mixture){.arena = arena, .count = count, .columns = columns};
    mixture->shares = crd_i_arena_alloc_zeroed(arena, count, sizeof *mixture->shares);
    mixture->log_shares = crd_i_arena_alloc_zeroed(arena, count, sizeof *mixture->log_shares);
    mixture->means = crd_i_arena_alloc_zeroed(arena, count * columns, sizeof *mixture->means);
    mixture->matrices = crd_i_arena_alloc_zeroed(arena, count, sizeof *mixture->matrices);
    mixture->cells = crd_i_arena_alloc_zeroed(arena, count * columns * columns, sizeof *mixture->cells);
    mixture->variances = crd_i_arena_alloc_zeroed(arena, count * columns, sizeof *mixture->variances);
    mixture->likelihood = mixture->objective = -INFINITY;
    if (crd_i_arena_failed(arena)) return false;
    for (size_t k = 0; k < count; k++) {
        mixture->matrices[k].cells = mixture->cells + k * columns * columns;
        mixture->matrices[k].variances = mixture->variances + k * columns;
    }
    return true;
}

double crd_i_mixture_log_density(const crd_i_mixture *mixture, const double *x, double peak, double degrees,
                                 double *work) {
    double logs[CRD_I_MIXTURE_MOST];
    size_t columns = mixture->columns;
    for (size_t k = 0; k < mixture->count; k++) {
        const double *mean = mixture->means + k * columns;
        for (size_t i = 0; i < columns; i++) work[i] = x[i] - mean[i];
        double squares = crd_i_factor_squares(mixture->matrices[k].cells, columns, work);
        logs[k] = mixture->log_shares[k] + peak - mixture->matrices[k].half_log_determinant -
                  crd_i_normal_fall(squares, columns, degrees);
    }
    return crd_i_log_sum_exp(logs, mixture->count);
}

/* ======== 2. Working memory ======== */

typedef struct em_fitting {
    crd_i_arena *arena;
    crd_context *context;
    const crd_i_mixture_rows *rows;
    const double *shared;    /* S */
    double *values;          /* T, as upper triangle */
    double *best_values;     /* T of the best start */
    double *own_lower;       /* the Cholesky factor of T, after T is fixed */
    double *class_variances; /* variances of the class, which scale the distances of k-means */
    double *blocks;          /* a copy of the rows, in blocks of LANES rows side by side */
    double *lanes;           /* the deviations of a block, while they are multiplied by the inverse factor */
    double *logs;            /* for each component and lane: the log density */
    double *weights;         /* W_k */
    /* for each component: sums of deviations from its previous mean, and of their products, as upper triangle */
    double *sums, *products;
    double *distances; /* for each row: distance to the nearest mean; then their cumulative sums */
    size_t *nearest;   /* for each row: the nearest mean */
} em_fitting;

/* Computes the variances of the class, by which k-means scales distances. */
static void measure_class(em_fitting *fit) {
    const crd_i_mixture_rows *rows = fit->rows;
    size_t columns = rows->columns;
    for (size_t i = 0; i < columns; i++) {
        double sum = 0, squares = 0;
        for (size_t row = 0; row < rows->rows; row++) sum += rows->weights[row] * rows->x[row * columns + i];
        double mean = sum / rows->sum;
        for (size_t row = 0; row < rows->rows; row++) {
            double away = rows->x[row * columns + i] - mean;
            squares += rows->weights[row] * (away * away);
        }
        /* A column in which all rows agree must have no influence, but its variance must not be zero. */
        fit->class_variances[i] = squares / rows->sum + 0x1p-20 * fit->shared[i * columns + i];
    }
}

/* Allocates the working memory, and copies the rows into blocks. false: out of memory. */
static bool begin_fitting(em_fitting *fit, crd_context *context, const crd_i_mixture_rows *rows, const double *shared,
                          size_t count) {
    size_t columns = rows->columns, square = columns * columns, blocks = (rows->rows + LANES - 1) / LANES;
    crd_i_arena *arena = crd_i_arena_create(context);
    *fit = (em_fitting){.arena = arena, .context = context, .rows = rows, .shared = shared};
    fit->values = crd_i_arena_alloc_zeroed(arena, square, sizeof(double));
    fit->own_lower = crd_i_arena_alloc_zeroed(arena, square, sizeof(double));
    fit->class_variances = crd_i_arena_alloc(arena, columns, sizeof(double));
    fit->blocks = crd_i_arena_alloc_zeroed(arena, blocks * LANES, columns * sizeof(double));
    fit->lanes = crd_i_arena_alloc(arena, columns * LANES, sizeof(double));
    fit->logs = crd_i_arena_alloc(arena, count * LANES, sizeof(double));
    fit->weights = crd_i_arena_alloc(arena, count, sizeof(double));
    fit->sums = crd_i_arena_alloc(arena, count * columns, sizeof(double));
    fit->products = crd_i_arena_alloc(arena, count * square, sizeof(double));
    fit->distances = crd_i_arena_alloc(arena, rows->rows, sizeof(double));
    fit->nearest = crd_i_arena_alloc(arena, rows->rows, sizeof *fit->nearest);
    fit->best_values = crd_i_arena_alloc(arena, square, sizeof(double));
    if (crd_i_arena_failed(arena)) return false;
    for (size_t row = 0; row < rows->rows; row++)
        for (size_t i = 0; i < columns; i++)
            fit->blocks[(row / LANES * columns + i) * LANES + row % LANES] = rows->x[row * columns + i];
    measure_class(fit);
    return true;
}

/* ======== 3. M step ======== */

static void clear_sums(em_fitting *fit, size_t count) {
    size_t columns = fit->rows->columns;
    memset(fit->weights, 0, count * sizeof *fit->weights);
    memset(fit->sums, 0, count * columns * sizeof *fit->sums);
    memset(fit->products, 0, count * columns * columns * sizeof *fit->products);
}

/* Adds a part of a row to the sums of component k. `away` receives the deviations from its mean. */
static void mixture_em_give(em_fitting *fit, const crd_i_mixture *mixture, size_t k, size_t row, double part,
                            double *away) {
    size_t columns = mixture->columns;
    const double *x = fit->rows->x + row * columns, *mean = mixture->means + k * columns;
    double *sums = fit->sums + k * columns, *products = fit->products + k * columns * columns;
    fit->weights[k] += part;
    for (size_t i = 0; i < columns; i++) away[i] = x[i] - mean[i];
    for (size_t i = 0; i < columns; i++) {
        double scaled = part * away[i], *line = products + i * columns;
        sums[i] += scaled;
        for (size_t j = i; j < columns; j++) line[j] += scaled * away[j];
    }
}

/* Centers the sums of products at the components' new means. */
static void center_products(em_fitting *fit, size_t count) {
    size_t columns = fit->rows->columns;
    for (size_t k = 0; k < count; k++) {
        const double *sums = fit->sums + k * columns;
        double *products = fit->products + k * columns * columns;
        if (!(fit->weights[k] > 0)) continue;
        for (size_t i = 0; i < columns; i++)
            for (size_t j = i; j < columns; j++) products[i * columns + j] -= sums[i] * sums[j] / fit->weights[k];
    }
}

/* Updates T. */
static void set_own(em_fitting *fit, size_t count) {
    size_t columns = fit->rows->columns;
    double d = (double)columns, borrowed = SHARED_ROWS * (d + 1);
    double smaller = borrowed * crd_exp(-2 / d * crd_log((double)count)), divisor = fit->rows->sum + borrowed;
    for (size_t i = 0; i < columns; i++)
        for (size_t j = i; j < columns; j++) {
            double sum = smaller * fit->shared[i * columns + j];
            for (size_t k = 0; k < count; k++) sum += fit->products[(k * columns + i) * columns + j];
            fit->values[i * columns + j] = sum / divisor;
        }
}

/* Computes and factors C = (A + a T) / (W + a). T is positive definite, so the sum is too, except for rounding errors.
 * In that case, the second attempt uses only the diagonal. */
static void set_matrix(const em_fitting *fit, const double *products, double weight, crd_i_normal_matrix *matrix) {
    size_t columns = fit->rows->columns;
    double borrowed = OWN_ROWS * ((double)columns + 1), own = weight == 0 ? 1 : borrowed / (weight + borrowed);
    for (int attempt = 0; attempt < 2; attempt++) {
        for (size_t i = 0; i < columns; i++)
            for (size_t j = i; j < columns; j++) {
                double cell = own * fit->values[i * columns + j];
                if (weight > 0) cell += products[i * columns + j] / (weight + borrowed);
                if (attempt > 0 && i != j) cell = 0;
                matrix->cells[i * columns + j] = matrix->cells[j * columns + i] = cell;
                if (i == j) matrix->variances[i] = cell;
            }
        if (crd_i_factor(matrix->cells, columns, matrix->variances, &matrix->half_log_determinant)) return;
    }
}

static bool mixture_em_has_rows(const em_fitting *fit, size_t k) {
    return fit->weights[k] > 1e-6 * fit->rows->sum;
}

/* M step: updates the components from their sums, and drops components without rows. T is updated unless
 * `own_stays`. */
static void mixture_em_follow(em_fitting *fit, crd_i_mixture *mixture, bool own_stays) {
    size_t columns = mixture->columns, kept = 0;
    double sum = 0; /* the weight of the remaining components */
    for (size_t k = 0; k < mixture->count; k++) sum += mixture_em_has_rows(fit, k) ? fit->weights[k] : 0;
    center_products(fit, mixture->count);
    if (!own_stays) set_own(fit, mixture->count);
    for (size_t k = 0; k < mixture->count; k++) {
        double weight = fit->weights[k];
        if (!mixture_em_has_rows(fit, k)) continue;
        for (size_t i = 0; i < columns; i++)
            mixture->means[kept * columns + i] = mixture->means[k * columns + i] + fit->sums[k * columns + i] / weight;
        set_matrix(fit, fit->products + k * columns * columns, weight, &mixture->matrices[kept]);
        mixture->shares[kept] = weight / sum;
        mixture->log_shares[kept] = crd_log(mixture->shares[kept]);
        kept++;
    }
    mixture->count = kept;
}

/* ======== 4. Initialization ======== */

static double mixture_em_distance(const em_fitting *fit, const double *x, const double *mean) {
    double sum = 0;
    for (size_t i = 0; i < fit->rows->columns; i++) {
        double away = x[i] - mean[i];
        sum += away * away / fit->class_variances[i];
    }
    return sum;
}

static void find_nearest(em_fitting *fit, const crd_i_mixture *mixture) {
    size_t columns = mixture->columns;
    for (size_t row = 0; row < fit->rows->rows; row++) {
        double least = INFINITY;
        for (size_t k = 0; k < mixture->count; k++) {
            double here = mixture_em_distance(fit, fit->rows->x + row * columns, mixture->means + k * columns);
            if (here < least) least = here, fit->nearest[row] = k;
        }
    }
}

/* Draws the initial means by k-means++: each with a probability proportional to its squared distance from the nearest
 * mean so far. If all rows coincide with means, fewer means are drawn. */
static void mixture_em_draw_means(em_fitting *fit, crd_i_random *random, crd_i_mixture *mixture) {
    const crd_i_mixture_rows *rows = fit->rows;
    size_t columns = mixture->columns, wanted = mixture->count;
    for (mixture->count = 0; mixture->count < wanted; mixture->count++) {
        double sum = 0;
        for (size_t row = 0; row < rows->rows; row++) {
            double least = mixture->count == 0 ? 1 : INFINITY;
            for (size_t k = 0; k < mixture->count; k++)
                least = fmin(least, mixture_em_distance(fit, rows->x + row * columns, mixture->means + k * columns));
            sum += rows->weights[row] * least;
            fit->distances[row] = sum;
        }
        if (!(sum > 0)) return;
        size_t drawn = crd_i_random_choice(random, fit->distances, rows->rows);
        memcpy(mixture->means + mixture->count * columns, rows->x + drawn * columns, columns * sizeof *mixture->means);
    }
}

/* Computes one start: k-means++, then a few steps of k-means. */
static void mixture_em_start(em_fitting *fit, crd_i_random *random, crd_i_mixture *mixture) {
    const crd_i_mixture_rows *rows = fit->rows;
    mixture_em_draw_means(fit, random, mixture);
    memset(fit->values, 0, mixture->columns * mixture->columns * sizeof *fit->values);
    for (int step = 0; step < STEPS_OF_MEANS && !crd_i_context_cancelled(fit->context); step++) {
        find_nearest(fit, mixture);
        clear_sums(fit, mixture->count);
        for (size_t row = 0; row < rows->rows; row++)
            mixture_em_give(fit, mixture, fit->nearest[row], row, rows->weights[row], fit->lanes);
        mixture_em_follow(fit, mixture, false);
    }
    /* At first, all components have the covariance T. */
    for (size_t k = 0; k < mixture->count; k++) set_matrix(fit, NULL, 0, &mixture->matrices[k]);
}

/* ======== 5. E step ======== */

/* Computes logs[k * LANES + lane] = log(w_k N(x; m_k, C_k)) for the rows x of a block. */
static void mixture_em_find_logs(em_fitting *fit, const crd_i_mixture *mixture, const double *block) {
    size_t columns = mixture->columns;
    double *z = fit->lanes;
    for (size_t k = 0; k < mixture->count; k++) {
        const double *mean = mixture->means + k * columns;
        double squares[LANES] = {0}, peak = mixture->log_shares[k] - mixture->matrices[k].half_log_determinant -
                                            (double)columns * LOG_ROOT_TWO_PI;
        for (size_t i = 0; i < columns; i++)
            for (size_t worker = 0; worker < LANES; worker++)
                z[i * LANES + worker] = block[i * LANES + worker] - mean[i];
        for (size_t i = 0; i < columns; i++) {
            const double *line = mixture->matrices[k].cells + i * columns;
            double here[LANES];
            for (size_t worker = 0; worker < LANES; worker++) {
                here[worker] = z[i * LANES + worker] * line[i];
                squares[worker] += here[worker] * here[worker];
            }
            for (size_t j = i + 1; j < columns; j++)
                for (size_t worker = 0; worker < LANES; worker++) z[j * LANES + worker] -= here[worker] * line[j];
        }
        for (size_t worker = 0; worker < LANES; worker++) fit->logs[k * LANES + worker] = peak - squares[worker] / 2;
    }
}

/* E step for one row: adds its parts to the components and returns its log density. */
static double mixture_em_share_out(em_fitting *fit, const crd_i_mixture *mixture, size_t row, double *away) {
    size_t worker = row % LANES;
    double parts[CRD_I_MIXTURE_MOST], most = -INFINITY, sum = 0;
    for (size_t k = 0; k < mixture->count; k++)
        if (fit->logs[k * LANES + worker] > most) most = fit->logs[k * LANES + worker];
    for (size_t k = 0; k < mixture->count; k++) {
        parts[k] = crd_exp(fit->logs[k * LANES + worker] - most);
        sum += parts[k];
    }
    for (size_t k = 0; k < mixture->count; k++)
        if (parts[k] > LEAST_PART * sum)
            mixture_em_give(fit, mixture, k, row, fit->rows->weights[row] * (parts[k] / sum), away);
    return most + crd_log(sum);
}

/* Returns the penalty of the objective: a/2 sum_k (log |C_k| + trace of C_k^-1 T). */
static double mixture_em_penalty(em_fitting *fit, const crd_i_mixture *mixture) {
    size_t columns = mixture->columns;
    double sum = 0;
    for (size_t k = 0; k < mixture->count; k++) {
        sum += 2 * mixture->matrices[k].half_log_determinant;
        for (size_t column = 0; column < columns; column++) {
            for (size_t i = 0; i < columns; i++) fit->lanes[i] = fit->own_lower[i * columns + column];
            sum += crd_i_factor_squares(mixture->matrices[k].cells, columns, fit->lanes);
        }
    }
    return OWN_ROWS * ((double)columns + 1) / 2 * sum;
}

/* Makes one step of EM. The likelihood and the objective are computed for the parameters before the step. After
 * cancellation, the step is incomplete. */
static void mixture_em_step(em_fitting *fit, crd_i_mixture *mixture, bool own_stays) {
    const crd_i_mixture_rows *rows = fit->rows;
    mixture->objective = own_stays ? -mixture_em_penalty(fit, mixture) : 0;
    mixture->likelihood = 0;
    clear_sums(fit, mixture->count);
    for (size_t row = 0; row < rows->rows; row++) {
        if (row % LANES == 0) {
            if (crd_i_context_cancelled(fit->context)) return;
            mixture_em_find_logs(fit, mixture, fit->blocks + row * mixture->columns);
        }
        mixture->likelihood += rows->weights[row] * mixture_em_share_out(fit, mixture, row, fit->lanes);
    }
    mixture->objective += mixture->likelihood;
    mixture_em_follow(fit, mixture, own_stays);
}

/* Runs EM with T fixed until it settles, with at most `steps` steps. false: cancelled. */
static bool mixture_em_settle(em_fitting *fit, crd_i_mixture *mixture, size_t steps) {
    double before = -INFINITY;
    size_t columns = mixture->columns, count = mixture->count;
    /* T is fixed from here. crd_i_cholesky reads its lower triangle. */
    for (size_t i = 0; i < columns; i++)
        for (size_t j = 0; j < i; j++) fit->values[i * columns + j] = fit->values[j * columns + i];
    if (!crd_i_cholesky(fit->values, columns, fit->own_lower))
        for (size_t i = 0; i < columns; i++) fit->own_lower[i * columns + i] = sqrt(fit->values[i * columns + i]);
    for (size_t i = 0; i < steps && !mixture->settled; i++) {
        mixture_em_step(fit, mixture, true);
        if (crd_i_context_cancelled(fit->context)) return false;
        mixture->settled = mixture->count == count && mixture->objective - before < SETTLED * fit->rows->sum;
        before = mixture->count == count ? mixture->objective : -INFINITY;
        count = mixture->count;
    }
    return true;
}

crd_status crd_i_mixture_fit(crd_context *context, const crd_i_mixture_rows *rows, const double *shared, size_t count,
                             size_t steps, crd_i_mixture *out, crd_error *error) {
    em_fitting fit;
    crd_i_mixture mixture = {.count = 0};
    size_t columns = rows->columns, square = columns * columns;
    memset(out, 0, sizeof *out);
    bool done = begin_fitting(&fit, context, rows, shared, count), goes_on = true;
    for (uint64_t i = 0; done && goes_on && i < (count == 1 ? 1 : STARTS); i++) {
        crd_i_random random = crd_i_random_at(0, count * STARTS + i);
        done = mixture_init(&mixture, context, count, columns);
        if (!done) break;
        mixture_em_start(&fit, &random, &mixture);
        for (int j = 0; j < STEPS_OF_STARTS; j++) mixture_em_step(&fit, &mixture, false);
        goes_on = !crd_i_context_cancelled(context);
        if (out->arena == NULL || mixture.likelihood > out->likelihood) {
            crd_i_mixture best = mixture;
            mixture = *out;
            *out = best;
            memcpy(fit.best_values, fit.values, square * sizeof *fit.values);
        }
        crd_i_mixture_clear(&mixture);
    }
    if (done && goes_on) {
        memcpy(fit.values, fit.best_values, square * sizeof *fit.values);
        goes_on = mixture_em_settle(&fit, out, steps);
    }
    crd_i_mixture_clear(&mixture);
    crd_i_arena_destroy(fit.arena);
    if (done && goes_on) return CRD_OK;
    crd_i_mixture_clear(out);
    return done ? crd_i_fail_cancelled(error) : crd_i_fail_memory(error);
}

/* ======== 6. Imputation ========
 *
 * Each missing cell is drawn from its distribution given the present cells of its row (stochastic regression
 * imputation; Little and Rubin, Statistical Analysis with Missing Data).
 *
 * For this purpose, the rows of a class are assumed to be normal. Their means are the means of the present cells. Their
 * covariance S is the pooled covariance within classes over the rows with both cells of each pair, made positive
 * definite (normal.c):
 *
 *   x_missing ~ N(m + S_mp S_pp^-1 (x_p - m_p), S_mm - S_mp S_pp^-1 S_pm)
 *
 * Conditional means without the random part would make the variance too small. The random numbers depend on the row's
 * position, and rows are sorted by their hashes, so results are reproducible. */

typedef struct imputation {
    size_t columns, classes;
    double *rows, *means, *products, *pairs; /* as in joint_density.h */
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

/* ======== 7. Storage ========
 *
 * A mixture is stored as a list of numbers, so that a mixture that was fitted once need not be fitted again. Shares,
 * means and covariances are stored as they were fitted. Their factors are computed again, with bit-identical results. */

static size_t mixture_store_size(size_t count, size_t columns) {
    return 2 + count * (1 + columns + columns * (columns + 1) / 2);
}

size_t crd_i_mixture_stored_size(const crd_i_mixture *mixture) {
    return mixture_store_size(mixture->count, mixture->columns);
}

/* Writes the numbers of a mixture to `destination`, and returns their end. */
double *crd_i_mixture_store(const crd_i_mixture *mixture, double *destination) {
    size_t columns = mixture->columns;
    *destination++ = mixture->settled;
    *destination++ = (double)mixture->count;
    for (size_t k = 0; k < mixture->count; k++) {
        const crd_i_normal_matrix *matrix = &mixture->matrices[k];
        *destination++ = mixture->shares[k];
        for (size_t i = 0; i < columns; i++) *destination++ = mixture->means[k * columns + i];
        for (size_t i = 0; i < columns; i++) {
            for (size_t j = 0; j < i; j++) *destination++ = matrix->cells[i * columns + j];
            *destination++ = matrix->variances[i];
        }
    }
    return destination;
}

/* Reads component k. Returns false if its share or covariance is invalid. */
static bool restore_component(crd_i_mixture *mixture, size_t k, const double *source) {
    size_t columns = mixture->columns;
    crd_i_normal_matrix *matrix = &mixture->matrices[k];
    mixture->shares[k] = *source++;
    if (!(mixture->shares[k] > 0 && mixture->shares[k] <= 1)) return false;
    mixture->log_shares[k] = crd_log(mixture->shares[k]);
    for (size_t i = 0; i < columns; i++) mixture->means[k * columns + i] = *source++;
    for (size_t i = 0; i < columns; i++) {
        for (size_t j = 0; j < i; j++) matrix->cells[i * columns + j] = matrix->cells[j * columns + i] = *source++;
        matrix->variances[i] = matrix->cells[i * columns + i] = *source++;
        /* Columns are scaled, so the variances of a fitted mixture are far inside this range. */
        if (!(matrix->variances[i] > 0x1p-200 && matrix->variances[i] < 0x1p300)) return false;
        if (!(fabs(mixture->means[k * columns + i]) < 0x1p300)) return false;
    }
    return crd_i_factor(matrix->cells, columns, matrix->variances, &matrix->half_log_determinant) &&
           isfinite(matrix->half_log_determinant);
}

bool crd_i_mixture_restore(crd_i_mixture *mixture, crd_context *context, size_t columns, const double **source,
                           const double *end, bool *is_one) {
    const crd_i_mixture none = {.arena = NULL};
    const double *cursor = *source;
    *mixture = none;
    *is_one = end - cursor >= 2 && cursor[1] >= 1 && cursor[1] <= CRD_I_MIXTURE_MOST && cursor[1] == floor(cursor[1]) &&
              (cursor[0] == 0 || cursor[0] == 1);
    size_t count = *is_one ? (size_t)cursor[1] : 0;
    *is_one = *is_one && (size_t)(end - cursor) >= mixture_store_size(count, columns);
    if (!*is_one) return true;
    if (!mixture_init(mixture, context, count, columns)) return false;
    mixture->settled = cursor[0] == 1;
    double sum = 0;
    size_t each = (mixture_store_size(count, columns) - 2) / count;
    for (size_t k = 0; *is_one && k < count; k++) {
        *is_one = restore_component(mixture, k, cursor + 2 + k * each);
        sum += mixture->shares[k];
    }
    *is_one = *is_one && fabs(sum - 1) < 1e-9;
    if (*is_one) *source = cursor + mixture_store_size(count, columns);
    else crd_i_mixture_clear(mixture);
    return true;
}
