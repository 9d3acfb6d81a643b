/* SPDX-License-Identifier: MIT */
/* mixture_em.c - see mixture_em.h. Fits a mixture by EM (Dempster, Laird and Rubin 1977):
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
 * sums have a fixed order. So the same rows give bit-identical results. */
#include "density/multivariate/mixture_em.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/cholesky.h"
#include "math/functions/elementary.h"
#include "math/random.h"

#include <math.h>
#include <string.h>

enum { LANES = 8, STARTS = 3, STEPS_OF_MEANS = 5, STEPS_OF_STARTS = 4 };

static const double OWN_ROWS = 2, SHARED_ROWS = 3; /* a and b, as multiples of d + 1 */
static const double SETTLED = 1e-4;
static const double LEAST_PART = 1e-8; /* smaller parts of a row are ignored */
static const double LOG_ROOT_TWO_PI = 0x1.d67f1c864beb5p-1;

/* ---- Mixtures ---- */

void crd_i_mixture_clear(crd_i_mixture *mixture) {
    crd_context *context = mixture->context;
    if (context == NULL) return;
    crd_free(context, mixture->shares);
    crd_free(context, mixture->log_shares);
    crd_free(context, mixture->means);
    crd_free(context, mixture->matrices);
    crd_free(context, mixture->cells);
    crd_free(context, mixture->variances);
    memset(mixture, 0, sizeof *mixture);
}

bool crd_i_mixture_init(crd_i_mixture *mixture, crd_context *context, size_t count, size_t columns) {
    memset(mixture, 0, sizeof *mixture);
    mixture->context = context;
    mixture->count = count;
    mixture->columns = columns;
    mixture->shares = crd_i_alloc_zeroed(context, count, sizeof *mixture->shares);
    mixture->log_shares = crd_i_alloc_zeroed(context, count, sizeof *mixture->log_shares);
    mixture->means = crd_i_alloc_zeroed(context, count * columns, sizeof *mixture->means);
    mixture->matrices = crd_i_alloc_zeroed(context, count, sizeof *mixture->matrices);
    mixture->cells = crd_i_alloc_zeroed(context, count * columns * columns, sizeof *mixture->cells);
    mixture->variances = crd_i_alloc_zeroed(context, count * columns, sizeof *mixture->variances);
    mixture->likelihood = mixture->objective = -INFINITY;
    if (mixture->shares == NULL || mixture->log_shares == NULL || mixture->means == NULL || mixture->matrices == NULL ||
        mixture->cells == NULL || mixture->variances == NULL)
        return false;
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

/* ---- Working memory ---- */

typedef struct em_fitting {
    crd_context *context;
    const crd_i_mixture_rows *rows;
    const double *shared;    /* S */
    double *values;          /* T, as upper triangle */
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

static void end_fitting(em_fitting *fit) {
    crd_context *context = fit->context;
    double *const blocks[] = {fit->values,  fit->own_lower, fit->class_variances, fit->blocks,   fit->lanes, fit->logs,
                              fit->weights, fit->sums,      fit->products,        fit->distances};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) crd_free(context, blocks[i]);
    crd_free(context, fit->nearest);
}

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
    memset(fit, 0, sizeof *fit);
    fit->context = context;
    fit->rows = rows;
    fit->shared = shared;
    fit->values = crd_i_alloc_zeroed(context, square, sizeof(double));
    fit->own_lower = crd_i_alloc_zeroed(context, square, sizeof(double));
    fit->class_variances = crd_i_alloc(context, columns, sizeof(double));
    fit->blocks = crd_i_alloc_zeroed(context, blocks * LANES, columns * sizeof(double));
    fit->lanes = crd_i_alloc(context, columns * LANES, sizeof(double));
    fit->logs = crd_i_alloc(context, count * LANES, sizeof(double));
    fit->weights = crd_i_alloc(context, count, sizeof(double));
    fit->sums = crd_i_alloc(context, count * columns, sizeof(double));
    fit->products = crd_i_alloc(context, count * square, sizeof(double));
    fit->distances = crd_i_alloc(context, rows->rows, sizeof(double));
    fit->nearest = crd_i_alloc(context, rows->rows, sizeof *fit->nearest);
    if (fit->values == NULL || fit->own_lower == NULL || fit->class_variances == NULL || fit->blocks == NULL ||
        fit->lanes == NULL || fit->logs == NULL || fit->weights == NULL || fit->sums == NULL || fit->products == NULL ||
        fit->distances == NULL || fit->nearest == NULL)
        return false;
    for (size_t row = 0; row < rows->rows; row++)
        for (size_t i = 0; i < columns; i++)
            fit->blocks[(row / LANES * columns + i) * LANES + row % LANES] = rows->x[row * columns + i];
    measure_class(fit);
    return true;
}

/* ---- M step ---- */

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
static void centre_products(em_fitting *fit, size_t count) {
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
    centre_products(fit, mixture->count);
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

/* ---- Initialization ---- */

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

/* ---- E step ---- */

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
    mixture->steps++;
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
    crd_i_mixture mixture = {.context = context};
    size_t columns = rows->columns, square = columns * columns;
    double *entries = crd_i_alloc(context, square, sizeof *entries); /* T of the best start */
    memset(out, 0, sizeof *out);
    bool done = begin_fitting(&fit, context, rows, shared, count) && entries != NULL, goes_on = true;
    for (uint64_t i = 0; done && goes_on && i < (count == 1 ? 1 : STARTS); i++) {
        crd_i_random random = crd_i_random_at(0, count * STARTS + i);
        done = crd_i_mixture_init(&mixture, context, count, columns);
        if (!done) break;
        mixture_em_start(&fit, &random, &mixture);
        for (int j = 0; j < STEPS_OF_STARTS; j++) mixture_em_step(&fit, &mixture, false);
        goes_on = !crd_i_context_cancelled(context);
        if (out->context == NULL || mixture.likelihood > out->likelihood) {
            crd_i_mixture best = mixture;
            mixture = *out;
            *out = best;
            memcpy(entries, fit.values, square * sizeof *entries);
        }
        crd_i_mixture_clear(&mixture);
    }
    if (done && goes_on) {
        memcpy(fit.values, entries, square * sizeof *entries);
        goes_on = mixture_em_settle(&fit, out, steps);
    }
    crd_i_mixture_clear(&mixture);
    end_fitting(&fit);
    crd_free(context, entries);
    if (done && goes_on) return CRD_OK;
    crd_i_mixture_clear(out);
    return done ? crd_i_fail_cancelled(error) : crd_i_fail_memory(error);
}
