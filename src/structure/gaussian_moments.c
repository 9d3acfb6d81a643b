/* SPDX-License-Identifier: MIT */
/* gaussian_moments.c - see gaussian_moments.h. Sums are taken over the rows in their canonical order, and of
 * deviations from the means, which avoids cancellation. */
#include "structure/gaussian_moments.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/functions/elementary.h"
#include "structure/row_partition.h"

#include <math.h>
#include <string.h>

#define LOG_2_PI 1.8378770664093454836

crd_status crd_i_gaussian_check(const crd_i_case_table *table, crd_error *error) {
    static const double MOST = 1e140;
    for (size_t i = 0; i < table->column_count; i++) {
        const crd_i_case_column *column = &table->columns[i];
        for (size_t row = 0; column->kind == CRD_KIND_NUMBER && row < table->rows; row++) {
            char buffer[CRD_I_QUOTED_ROOM];
            if (!(fabs(column->numbers[row]) > MOST)) continue;
            (void)crd_i_fail(error, CRD_ERROR_NUMBER, "%g is too large to compute variances, in column %s",
                             column->numbers[row], crd_i_quote(column->name, buffer));
            crd_i_error_subject(error, column->name);
            return CRD_ERROR_NUMBER;
        }
    }
    return CRD_OK;
}

static bool has_all(const crd_i_case_table *table, const uint32_t *columns, size_t count, size_t row) {
    for (size_t i = 0; i < count; i++)
        if (isnan(table->columns[columns[i]].numbers[row])) return false;
    return true;
}

void crd_i_covariance(const crd_i_case_table *table, const uint32_t *columns, size_t count, double *covariance,
                      double *means, double *rows) {
    double total = 0;
    memset(means, 0, count * sizeof *means);
    memset(covariance, 0, count * count * sizeof *covariance);
    for (size_t row = 0; row < table->rows; row++) {
        if (!has_all(table, columns, count, row)) continue;
        double weight = crd_i_case_weight(table, row);
        total += weight;
        for (size_t i = 0; i < count; i++)
            means[i] += weight / total * (table->columns[columns[i]].numbers[row] - means[i]);
    }
    for (size_t row = 0; row < table->rows; row++) {
        if (!has_all(table, columns, count, row)) continue;
        double weight = crd_i_case_weight(table, row) / total;
        for (size_t i = 0; i < count; i++) {
            double deviation = weight * (table->columns[columns[i]].numbers[row] - means[i]);
            for (size_t j = 0; j <= i; j++)
                covariance[i * count + j] += deviation * (table->columns[columns[j]].numbers[row] - means[j]);
        }
    }
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++) covariance[j * count + i] = covariance[i * count + j];
    *rows = total;
}

double crd_i_partial_correlation(double *covariance, size_t count) {
    size_t x = count - 2, y = count - 1;
    double least_x = CRD_I_LEAST_RESIDUAL * covariance[x * count + x];
    double least_y = CRD_I_LEAST_RESIDUAL * covariance[y * count + y];
    for (size_t k = 0; k < x; k++) {
        double pivot = covariance[k * count + k];
        if (!(pivot > 0)) continue;
        for (size_t i = k + 1; i < count; i++) {
            double factor = covariance[i * count + k] / pivot, before = covariance[i * count + i];
            for (size_t j = k + 1; j <= i; j++) covariance[i * count + j] -= factor * covariance[j * count + k];
            if (covariance[i * count + i] <= CRD_I_LEAST_RESIDUAL * before) covariance[i * count + i] = 0;
        }
    }
    double variance_x = covariance[x * count + x], variance_y = covariance[y * count + y];
    if (!(variance_x > least_x) || !(variance_y > least_y)) return NAN;
    double r = covariance[y * count + x] / sqrt(variance_x * variance_y);
    return r > 1 ? 1 : r < -1 ? -1 : r;
}

/* ---- Conditional Gaussian distributions ---- */

typedef struct moments_gaussian {
    const crd_i_case_table *table;
    const bool *is_complete;
    uint32_t *numbers; /* the numeric columns */
    size_t size;       /* number of numeric columns */
    crd_i_row_partition partition;
    double *weights;          /* weight of each part */
    double *means, *squares;  /* by part: `size` means; the lower triangle of a size x size scatter matrix */
    double *mean, *variances; /* of all rows */
    double *whole, *within;   /* covariance of all rows, and pooled covariance within parts */
    double *few, *singular;   /* scatter of the parts that use `whole` and of the parts that use `within` instead of
                               * their own covariance */
    double *workspace;
    double total;
} moments_gaussian;

/* Factors matrix = L D L', with D on the diagonal and L, which has a unit diagonal, below it. Returns false if a
 * residual variance is below the share CRD_I_LEAST_RESIDUAL of its element of `variances`. With `is_floored` the
 * residual variance is raised to this minimum instead, and the variable is not used to explain others. */
static bool gaussian_moments_factor(double *matrix, size_t size, const double *variances, bool is_floored) {
    for (size_t k = 0; k < size; k++) {
        double pivot = matrix[k * size + k], least = CRD_I_LEAST_RESIDUAL * variances[k];
        bool is_linear = !(pivot > least);
        if (is_linear && !is_floored) return false;
        if (is_linear) matrix[k * size + k] = least > 0 ? least : 1;
        for (size_t i = k + 1; i < size; i++) {
            double ratio = is_linear ? 0 : matrix[i * size + k] / pivot;
            for (size_t j = k + 1; j <= i; j++) matrix[i * size + j] -= ratio * matrix[j * size + k];
        }
        for (size_t i = k + 1; i < size; i++) matrix[i * size + k] = is_linear ? 0 : matrix[i * size + k] / pivot;
    }
    return true;
}

static double log_determinant(const double *factored, size_t size) {
    double sum = 0;
    for (size_t k = 0; k < size; k++) sum += crd_log(factored[k * size + k]);
    return sum;
}

/* Returns trace(A^-1 R) for the factored matrix A = L D L' and a symmetric matrix R: the sum of the diagonal of L^-1
 * R L^-T divided by D. Only the lower triangle of R is read; it is overwritten. */
static double trace_of_ratio(const double *factored, double *matrix, size_t size) {
    double trace = 0;
    for (size_t k = 0; k < size; k++) {
        trace += matrix[k * size + k] / factored[k * size + k];
        /* Subtract L[.][k] times row k from the rows and columns after k. */
        for (size_t i = k + 1; i < size; i++)
            for (size_t j = k + 1; j <= i; j++)
                matrix[i * size + j] -= factored[i * size + k] * matrix[j * size + k] +
                                        factored[j * size + k] * matrix[i * size + k] -
                                        factored[i * size + k] * factored[j * size + k] * matrix[k * size + k];
    }
    return trace;
}

/* Computes the weight, the means and the scatter of each part, and the mean of all rows. */
static void sum_parts(moments_gaussian *gaussian) {
    size_t size = gaussian->size;
    for (size_t row = 0; row < gaussian->table->rows; row++) {
        if (!gaussian->is_complete[row]) continue;
        size_t part = gaussian->partition.ids[row];
        double weight = crd_i_case_weight(gaussian->table, row);
        gaussian->weights[part] += weight;
        gaussian->total += weight;
        for (size_t i = 0; i < size; i++) {
            double x = gaussian->table->columns[gaussian->numbers[i]].numbers[row];
            gaussian->means[part * size + i] +=
                weight / gaussian->weights[part] * (x - gaussian->means[part * size + i]);
            gaussian->mean[i] += weight / gaussian->total * (x - gaussian->mean[i]);
        }
    }
    for (size_t row = 0; size > 0 && row < gaussian->table->rows; row++) {
        if (!gaussian->is_complete[row]) continue;
        size_t part = gaussian->partition.ids[row];
        double weight = crd_i_case_weight(gaussian->table, row);
        const double *mean = gaussian->means + part * size;
        double *squares = gaussian->squares + part * size * size;
        for (size_t i = 0; i < size; i++) {
            double deviation = weight * (gaussian->table->columns[gaussian->numbers[i]].numbers[row] - mean[i]);
            for (size_t j = 0; j <= i; j++)
                squares[i * size + j] +=
                    deviation * (gaussian->table->columns[gaussian->numbers[j]].numbers[row] - mean[j]);
        }
    }
}

/* Adds the scatter of a part about the mean of all rows. */
static void add_scatter(const moments_gaussian *gaussian, size_t part, double *destination) {
    size_t size = gaussian->size;
    const double *mean = gaussian->means + part * size, *squares = gaussian->squares + part * size * size;
    for (size_t i = 0; i < size; i++)
        for (size_t j = 0; j <= i; j++)
            destination[i * size + j] += squares[i * size + j] + gaussian->weights[part] *
                                                                     (mean[i] - gaussian->mean[i]) *
                                                                     (mean[j] - gaussian->mean[j]);
}

/* Returns whether a part has enough rows for its own covariance. */
static bool gaussian_moments_has_rows(const moments_gaussian *gaussian, size_t part) {
    return gaussian->weights[part] > (double)gaussian->size + 1;
}

/* Computes the covariance of all rows about their mean, and the pooled covariance of the parts with enough rows
 * about the means of the parts. */
static void sum_covariances(moments_gaussian *gaussian) {
    size_t square = gaussian->size * gaussian->size;
    double within = 0;
    for (size_t part = 0; part < gaussian->partition.parts; part++) {
        if (!(gaussian->weights[part] > 0)) continue;
        add_scatter(gaussian, part, gaussian->whole);
        if (!gaussian_moments_has_rows(gaussian, part)) continue;
        within += gaussian->weights[part];
        for (size_t i = 0; i < square; i++) gaussian->within[i] += gaussian->squares[part * square + i];
    }
    for (size_t i = 0; i < square; i++) gaussian->whole[i] /= gaussian->total;
    for (size_t i = 0; i < square && within > 0; i++) gaussian->within[i] /= within;
}

/* Returns the log-likelihood of rows with this scatter under a covariance, which is factored in place: -rows / 2
 * (size log(2 pi) + log|C|) - trace(C^-1 scatter) / 2. */
static double likelihood_under(const moments_gaussian *gaussian, double *covariance, double *scatter, double rows) {
    if (rows == 0) return 0;
    (void)gaussian_moments_factor(covariance, gaussian->size, gaussian->variances, true);
    return -rows / 2 * ((double)gaussian->size * LOG_2_PI + log_determinant(covariance, gaussian->size)) -
           trace_of_ratio(covariance, scatter, gaussian->size) / 2;
}

/* Returns the maximized log-likelihood; see crd_i_gaussian_fit. Parts with too few rows use the covariance of all
 * rows, and parts with a singular covariance use the pooled covariance. */
static double gaussian_moments_log_likelihood(moments_gaussian *gaussian) {
    size_t size = gaussian->size, square = size * size;
    double sum = 0, few = 0, singular = 0;
    sum_covariances(gaussian);
    for (size_t i = 0; i < size; i++) gaussian->variances[i] = gaussian->whole[i * size + i];
    for (size_t part = 0; part < gaussian->partition.parts; part++) {
        double weight = gaussian->weights[part];
        if (!(weight > 0)) continue;
        sum += weight * crd_log(weight / gaussian->total);
        if (size == 0) continue;
        for (size_t i = 0; i < square; i++) gaussian->workspace[i] = gaussian->squares[part * square + i] / weight;
        if (!gaussian_moments_has_rows(gaussian, part)) {
            add_scatter(gaussian, part, gaussian->few);
            few += weight;
        } else if (gaussian_moments_factor(gaussian->workspace, size, gaussian->variances, false)) {
            sum -= weight / 2 * ((double)size * (LOG_2_PI + 1) + log_determinant(gaussian->workspace, size));
        } else {
            for (size_t i = 0; i < square; i++) gaussian->singular[i] += gaussian->squares[part * square + i];
            singular += weight;
        }
    }
    return sum + likelihood_under(gaussian, gaussian->whole, gaussian->few, few) +
           likelihood_under(gaussian, gaussian->within, gaussian->singular, singular);
}

/* Divides the rows by the categorical columns, and lists the numeric columns. */
static void gaussian_moments_divide(moments_gaussian *gaussian, const uint32_t *columns, size_t count, uint32_t *ids,
                                    uint64_t *keys, uint32_t *slots) {
    crd_i_row_partition partition = {ids, 1}, row = {ids + gaussian->table->rows, 0};
    memset(ids, 0, gaussian->table->rows * sizeof *ids);
    for (size_t i = 0; i < count; i++) {
        const crd_i_case_column *column = &gaussian->table->columns[columns[i]];
        if (column->kind == CRD_KIND_NUMBER) {
            gaussian->numbers[gaussian->size++] = columns[i];
            continue;
        }
        crd_i_row_partition_divide(gaussian->table, &partition, columns[i], &row, keys, slots);
        crd_i_row_partition swapped = partition;
        partition = row;
        row = swapped;
    }
    gaussian->partition = partition;
}

/* Returns the number of parameters: for each part that occurs, a probability, means and a covariance matrix. The
 * probabilities sum to 1. */
static double gaussian_moments_parameters(const moments_gaussian *gaussian) {
    const double size = (double)gaussian->size;
    size_t combinations = 0;
    for (size_t part = 0; part < gaussian->partition.parts; part++) combinations += gaussian->weights[part] > 0;
    return (double)combinations * (1 + size + size * (size + 1) / 2) - 1;
}

crd_status crd_i_conditional_gaussian(const crd_i_case_table *table, const uint32_t *columns, size_t count,
                                      const bool *is_complete, crd_i_gaussian_fit *out, crd_error *error) {
    crd_context *context = table->context;
    crd_status status = CRD_OK;
    moments_gaussian gaussian = {.table = table, .is_complete = is_complete};
    double *workspace = NULL;
    memset(out, 0, sizeof *out);
    uint32_t *ids = crd_i_alloc(context, 2 * table->rows, sizeof *ids);
    uint64_t *keys = crd_i_alloc(context, table->rows, sizeof *keys);
    uint32_t *slots = crd_i_alloc(context, crd_i_row_partition_slots(table->rows), sizeof *slots);
    gaussian.numbers = crd_i_alloc(context, count, sizeof *gaussian.numbers);
    if (ids == NULL || keys == NULL || slots == NULL || gaussian.numbers == NULL) goto memory;
    gaussian_moments_divide(&gaussian, columns, count, ids, keys, slots);
    size_t size = gaussian.size, square = size * size;
    workspace = crd_i_alloc_zeroed(context, gaussian.partition.parts * (1 + size + square) + 5 * square + 2 * size,
                                   sizeof *workspace);
    if (workspace == NULL) goto memory;
    gaussian.weights = workspace;
    gaussian.means = gaussian.weights + gaussian.partition.parts;
    gaussian.squares = gaussian.means + gaussian.partition.parts * size;
    gaussian.whole = gaussian.squares + gaussian.partition.parts * square;
    gaussian.within = gaussian.whole + square;
    gaussian.few = gaussian.within + square;
    gaussian.singular = gaussian.few + square;
    gaussian.workspace = gaussian.singular + square;
    gaussian.mean = gaussian.workspace + square;
    gaussian.variances = gaussian.mean + size;
    sum_parts(&gaussian);
    if (gaussian.total > 0) {
        out->log_likelihood = gaussian_moments_log_likelihood(&gaussian);
        out->parameters = gaussian_moments_parameters(&gaussian);
    }
    goto done;

memory:
    status = crd_i_fail_memory(error);
done:
    crd_free(context, workspace);
    crd_free(context, gaussian.numbers);
    crd_free(context, slots);
    crd_free(context, keys);
    crd_free(context, ids);
    return status;
}
