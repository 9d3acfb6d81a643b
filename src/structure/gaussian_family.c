/* SPDX-License-Identifier: MIT */
/* gaussian_family.c - see gaussian_family.h.
 *
 * Contents:
 *   1. Family scores
 *   2. Covariances and likelihoods */
#include "structure/gaussian_family.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "math/functions/elementary.h"
#include "math/functions/special.h"

#include <math.h>
#include <string.h>

/* ======== 1. Family scores ======== */

enum {
    MOST_NUMBERS = 2048
}; /* with at most this many numeric columns, the scatter of all pairs is computed once:
                               * 32 MiB */

/* A residual variance below the share NOTHING of the variance is zero. A parent with a residual variance below the
 * share LINEAR is a linear function of other parents. */
static const double NOTHING = 1e-13, LINEAR = 0x1p-36;

static const double LOG_2_PI = 1.8378770664093453, LOG_PI = 1.1447298858494002;

struct crd_i_gaussians {
    crd_i_arena *arena;
    crd_context *context;
    const crd_i_case_table *table;
    size_t count;     /* number of numeric columns */
    uint32_t *places; /* for each column, its position among the numeric columns */
    double *scatter;  /* count x count; NULL: each family computes its own */
};

/* ---- Scatter of all numeric columns ---- */

/* Returns the weighted mean. The sum is compensated (Kahan 1965), so it is as accurate for many rows as for few. */
static double gaussian_family_mean(const crd_i_case_table *table, const double *numbers) {
    double sum = 0, remainder = 0;
    for (size_t row = 0; row < table->rows; row++) {
        const double term = crd_i_case_weight(table, row) * numbers[row] - remainder, next = sum + term;
        remainder = (next - sum) - term;
        sum = next;
    }
    return table->total > 0 ? sum / table->total : 0;
}

/* Returns the weighted sum of products of two centered columns. Four partial sums let the compiler vectorize the
 * loop. */
static double scatter_of(const crd_i_case_table *table, const double *x, const double *y) {
    double sums[4] = {0, 0, 0, 0};
    size_t row = 0;
    if (table->weights == NULL) {
        for (; row + 4 <= table->rows; row += 4)
            for (size_t i = 0; i < 4; i++) sums[i] += x[row + i] * y[row + i];
    }
    for (; row < table->rows; row++) sums[row % 4] += crd_i_case_weight(table, row) * x[row] * y[row];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/* Allocates and fills the centered values of all numeric columns. Returns false if memory runs out. */
static bool gaussian_family_center(const crd_i_gaussians *gaussians, crd_i_arena *scratch, double **centerd) {
    const crd_i_case_table *table = gaussians->table;
    for (size_t i = 0, place = 0; i < table->column_count; i++) {
        const double *numbers = table->columns[i].numbers;
        if (numbers == NULL) continue;
        centerd[place] = crd_i_arena_alloc(scratch, table->rows, sizeof **centerd);
        if (centerd[place] == NULL) return false;
        const double mean = gaussian_family_mean(table, numbers);
        for (size_t row = 0; row < table->rows; row++) centerd[place][row] = numbers[row] - mean;
        place++;
    }
    return true;
}

/* Computes the scatter matrix of all numeric columns. */
static crd_status compute_scatter(crd_i_gaussians *gaussians, crd_error *error) {
    const size_t count = gaussians->count;
    crd_i_arena *scratch = crd_i_arena_create(gaussians->context);
    double **centerd = crd_i_arena_alloc(scratch, count, sizeof *centerd);
    gaussians->scatter = crd_i_arena_alloc(gaussians->arena, count * count, sizeof *gaussians->scatter);
    crd_status status = CRD_OK;
    if (centerd == NULL || gaussians->scatter == NULL || !gaussian_family_center(gaussians, scratch, centerd))
        status = crd_i_fail_memory(error);
    for (size_t i = 0; status == CRD_OK && i < count; i++) {
        for (size_t j = 0; status == CRD_OK && j <= i; j++) {
            if (crd_i_context_cancelled(gaussians->context)) status = crd_i_fail_cancelled(error);
            gaussians->scatter[i * count + j] = gaussians->scatter[j * count + i] =
                scatter_of(gaussians->table, centerd[i], centerd[j]);
        }
    }
    crd_i_arena_destroy(scratch);
    return status;
}

crd_status crd_i_gaussians_create(const crd_i_case_table *table, crd_i_gaussians **out, crd_error *error) {
    *out = NULL;
    crd_i_gaussians *gaussians = crd_i_arena_object(table->context, sizeof *gaussians);
    if (gaussians == NULL) return crd_i_fail_memory(error);
    gaussians->context = table->context;
    gaussians->table = table;
    gaussians->places = crd_i_arena_alloc(gaussians->arena, table->column_count, sizeof *gaussians->places);
    crd_status status = gaussians->places == NULL ? crd_i_fail_memory(error) : CRD_OK;
    bool has_missing = false;
    for (size_t i = 0; status == CRD_OK && i < table->column_count; i++) {
        gaussians->places[i] = (uint32_t)gaussians->count;
        if (table->columns[i].numbers == NULL) continue;
        gaussians->count++;
        has_missing = has_missing || table->columns[i].has_missing;
    }
    if (status == CRD_OK && !has_missing && gaussians->count <= MOST_NUMBERS)
        status = compute_scatter(gaussians, error);
    if (status == CRD_OK) *out = gaussians;
    else crd_i_gaussians_destroy(gaussians);
    return status;
}

void crd_i_gaussians_destroy(crd_i_gaussians *gaussians) {
    if (gaussians != NULL) crd_i_arena_destroy(gaussians->arena);
}

/* ---- Families ---- */

/* The columns of a family, and its complete rows grouped by the combination of its discrete parents. */
typedef struct family_partition {
    crd_i_arena *arena;
    uint32_t *numbers; /* columns: the numeric parents, then the node */
    size_t size;       /* number of elements of `numbers` */
    bool has_discrete, is_shared;
    const crd_i_case_column *further; /* rows must also have a value in this column; NULL: no such column */
    uint32_t *rows;                   /* complete rows, grouped by combination */
    size_t *starts;                   /* first row of each combination, and the end */
    size_t count;                     /* number of combinations */
    double *means;                    /* means of the current combination */
    double *scatter;                  /* scatter of the current combination; only the lower triangle is used */
    double *diagonal;                 /* diagonal of the scatter before elimination */
} family_partition;

static bool gaussian_family_has_cells(const crd_i_case_table *table, const family_partition *family, size_t row) {
    for (size_t i = 0; i < family->size; i++)
        if (isnan(table->columns[family->numbers[i]].numbers[row])) return false;
    if (family->further == NULL) return true;
    return family->further->numbers != NULL ? !isnan(family->further->numbers[row])
                                            : crd_i_case_code(family->further, row) != CRD_I_CASE_MISSING32;
}

/* Sorts the complete rows by combination. The sort is stable. */
static bool gaussian_family_part_rows(family_partition *partition, const crd_i_case_table *table,
                                      const crd_i_row_combinations *combinations) {
    partition->count = combinations->count;
    partition->rows = crd_i_arena_alloc(partition->arena, table->rows, sizeof *partition->rows);
    partition->starts = crd_i_arena_alloc_zeroed(partition->arena, combinations->count + 2, sizeof *partition->starts);
    if (crd_i_arena_failed(partition->arena)) return false;
    for (size_t row = 0; row < table->rows; row++)
        if (combinations->of_rows[row] != UINT32_MAX && gaussian_family_has_cells(table, partition, row))
            partition->starts[combinations->of_rows[row] + 2]++;
    for (size_t i = 2; i < combinations->count + 2; i++) partition->starts[i] += partition->starts[i - 1];
    for (size_t row = 0; row < table->rows; row++)
        if (combinations->of_rows[row] != UINT32_MAX && gaussian_family_has_cells(table, partition, row))
            partition->rows[partition->starts[combinations->of_rows[row] + 1]++] = (uint32_t)row;
    return true;
}

/* Prepares a family: selects its numeric columns, and groups the rows unless the scatter of all rows can be used. */
static crd_status parted_init(family_partition *partition, const crd_i_gaussians *gaussians, crd_i_counter *counter,
                              const crd_i_node_family *family, crd_error *error) {
    const crd_i_case_table *table = gaussians->table;
    crd_i_row_combinations combinations = {0};
    memset(partition, 0, sizeof *partition);
    partition->arena = crd_i_arena_create(gaussians->context);
    partition->numbers = crd_i_arena_alloc(partition->arena, family->parent_count + 1, sizeof *partition->numbers);
    if (partition->numbers == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < family->parent_count; i++) {
        if (table->columns[family->parents[i]].numbers != NULL)
            partition->numbers[partition->size++] = family->parents[i];
        else partition->has_discrete = true;
    }
    partition->numbers[partition->size++] = (uint32_t)family->node;
    if (family->has_further && table->columns[family->further].has_missing)
        partition->further = &table->columns[family->further];
    partition->is_shared = !partition->has_discrete && partition->further == NULL && gaussians->scatter != NULL;
    partition->scatter =
        crd_i_arena_alloc(partition->arena, partition->size * partition->size, sizeof *partition->scatter);
    partition->means = crd_i_arena_alloc(partition->arena, partition->size, sizeof *partition->means);
    partition->diagonal = crd_i_arena_alloc(partition->arena, partition->size, sizeof *partition->diagonal);
    if (crd_i_arena_failed(partition->arena)) return crd_i_fail_memory(error);
    partition->count = 1;
    if (partition->is_shared) return CRD_OK;
    crd_status status = crd_i_counter_combine(counter, SIZE_MAX, false, &combinations, error);
    for (size_t i = 0; status == CRD_OK && i < family->parent_count; i++)
        if (table->columns[family->parents[i]].numbers == NULL)
            status = crd_i_counter_combine(counter, family->parents[i], true, &combinations, error);
    if (status == CRD_OK && !gaussian_family_part_rows(partition, table, &combinations))
        status = crd_i_fail_memory(error);
    return status;
}

/* Computes the means and the scatter of the rows of a combination. Returns their weight. */
static double take_scatter(family_partition *family, const crd_i_gaussians *gaussians, size_t combination) {
    const crd_i_case_table *table = gaussians->table;
    const size_t size = family->size;
    double total = 0;
    if (family->is_shared) {
        for (size_t i = 0; i < size; i++)
            for (size_t j = 0; j <= i; j++)
                family->scatter[i * size + j] =
                    gaussians->scatter[gaussians->places[family->numbers[i]] * gaussians->count +
                                       gaussians->places[family->numbers[j]]];
        total = table->total;
    } else {
        const size_t first = family->starts[combination], end = family->starts[combination + 1];
        memset(family->scatter, 0, size * size * sizeof *family->scatter);
        memset(family->means, 0, size * sizeof *family->means);
        for (size_t index = first; index < end; index++) {
            const double weight = crd_i_case_weight(table, family->rows[index]);
            total += weight;
            for (size_t i = 0; i < size; i++)
                family->means[i] += weight * table->columns[family->numbers[i]].numbers[family->rows[index]];
        }
        for (size_t i = 0; i < size && total > 0; i++) family->means[i] /= total;
        for (size_t index = first; index < end; index++) {
            const size_t row = family->rows[index];
            for (size_t i = 0; i < size; i++) {
                const double x = crd_i_case_weight(table, row) *
                                 (table->columns[family->numbers[i]].numbers[row] - family->means[i]);
                for (size_t j = 0; j <= i; j++)
                    family->scatter[i * size + j] +=
                        x * (table->columns[family->numbers[j]].numbers[row] - family->means[j]);
            }
        }
    }
    for (size_t i = 0; i < size; i++) family->diagonal[i] = family->scatter[i * size + i];
    return total;
}

/* Eliminates the first `count` variables from the variables after them (Gaussian elimination on the scatter matrix).
 * Skips variables that are linear in the variables before them. Returns the number of eliminated variables, and in
 * *log_determinant the sum of the logarithms of their pivots. */
static size_t gaussian_family_eliminate(family_partition *family, size_t count, double *log_determinant) {
    const size_t size = family->size;
    double *scatter = family->scatter;
    size_t rank = 0;
    *log_determinant = 0;
    for (size_t pivot = 0; pivot < count; pivot++) {
        const double left = scatter[pivot * size + pivot];
        if (!(left > LINEAR * family->diagonal[pivot])) continue;
        rank++;
        *log_determinant += crd_log(left);
        for (size_t i = pivot + 1; i < size; i++) {
            const double part = scatter[i * size + pivot] / left;
            for (size_t j = pivot + 1; j <= i; j++) scatter[i * size + j] -= part * scatter[j * size + pivot];
        }
    }
    return rank;
}

crd_status crd_i_gaussian_log_likelihood(const crd_i_gaussians *gaussians, crd_i_counter *counter,
                                         const crd_i_node_family *family, double *value, double *rows,
                                         crd_error *error) {
    family_partition parts;
    crd_status status = parted_init(&parts, gaussians, counter, family, error);
    *value = *rows = 0;
    for (size_t i = 0; status == CRD_OK && i < parts.count; i++) {
        double unused;
        const double total = take_scatter(&parts, gaussians, i);
        if (total == 0) continue;
        *rows += total;
        const size_t last = parts.size * parts.size - 1;
        const double degrees = total - (double)gaussian_family_eliminate(&parts, parts.size - 1, &unused) - 1;
        const double left = parts.scatter[last];
        if (family->parent_count == 0 && parts.diagonal[0] == 0) continue; /* the column does not vary */
        if (!(degrees > 0) || !(left > NOTHING * parts.diagonal[parts.size - 1])) *value = -INFINITY;
        else *value -= 0.5 * (total * (LOG_2_PI + crd_log(left / degrees)) + degrees);
    }
    crd_i_arena_destroy(parts.arena);
    return status;
}

crd_status crd_i_gaussian_marginal(const crd_i_gaussians *gaussians, crd_i_counter *counter,
                                   const crd_i_node_family *family, double sample_size, double *value, double *rows,
                                   crd_error *error) {
    family_partition parts;
    crd_status status = parted_init(&parts, gaussians, counter, family, error);
    *value = *rows = 0;
    if (status == CRD_OK) {
        const double total = take_scatter(&parts, gaussians, 0), members = (double)parts.size;
        const double prior = sample_size / (sample_size + 1); /* t: the prior scatter of each variable, with N + 2
                                                               * degrees of freedom */
        double log_parents;
        for (size_t i = 0; i < parts.size; i++) {
            parts.scatter[i * parts.size + i] += prior;
            parts.diagonal[i] = 0; /* the prior makes all pivots positive, so none is skipped */
        }
        gaussian_family_eliminate(&parts, parts.size - 1, &log_parents);
        const double log_family = log_parents + crd_log(parts.scatter[parts.size * parts.size - 1]);
        *rows = total;
        *value = crd_i_log_gamma((2 + members + total) / 2) - crd_i_log_gamma((2 + members) / 2) - total / 2 * LOG_PI +
                 crd_log(sample_size / (sample_size + total)) / 2 + (1 + 2 * members) / 2 * crd_log(prior) -
                 (2 + total + members) / 2 * log_family + (1 + total + members) / 2 * log_parents;
    }
    crd_i_arena_destroy(parts.arena);
    return status;
}

/* ======== 2. Covariances and likelihoods ========
 *
 * Sums are taken over the rows in their canonical order, and of deviations from the means, which avoids
 * cancellation. */

/* log(2 pi), rounded to the nearest double. LOG_2_PI of the family scores is the next smaller double. */
static const double NEAREST_LOG_2_PI = 1.8378770664093454836;

crd_status crd_i_gaussian_check(const crd_i_case_table *table, crd_error *error) {
    static const double MOST = 1e140;
    for (size_t i = 0; i < table->column_count; i++) {
        const crd_i_case_column *column = &table->columns[i];
        for (size_t row = 0; column->type == CRD_TYPE_NUMERIC && row < table->rows; row++) {
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
    return -rows / 2 * ((double)gaussian->size * NEAREST_LOG_2_PI + log_determinant(covariance, gaussian->size)) -
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
            sum -= weight / 2 * ((double)size * (NEAREST_LOG_2_PI + 1) + log_determinant(gaussian->workspace, size));
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
        if (column->type == CRD_TYPE_NUMERIC) {
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
    crd_i_arena *arena = crd_i_arena_create(table->context);
    moments_gaussian gaussian = {.table = table, .is_complete = is_complete};
    memset(out, 0, sizeof *out);
    uint32_t *ids = crd_i_arena_alloc(arena, 2 * table->rows, sizeof *ids);
    uint64_t *keys = crd_i_arena_alloc(arena, table->rows, sizeof *keys);
    uint32_t *slots = crd_i_arena_alloc(arena, crd_i_row_partition_slots(table->rows), sizeof *slots);
    gaussian.numbers = crd_i_arena_alloc(arena, count, sizeof *gaussian.numbers);
    crd_status status = crd_i_arena_check(arena, error);
    if (status != CRD_OK) goto done;
    gaussian_moments_divide(&gaussian, columns, count, ids, keys, slots);
    size_t size = gaussian.size, square = size * size;
    gaussian.weights = crd_i_arena_alloc_zeroed(
        arena, gaussian.partition.parts * (1 + size + square) + 5 * square + 2 * size, sizeof *gaussian.weights);
    status = crd_i_arena_check(arena, error);
    if (status != CRD_OK) goto done;
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
done:
    crd_i_arena_destroy(arena);
    return status;
}
