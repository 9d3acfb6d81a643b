/* SPDX-License-Identifier: MIT */
/* gaussian_family.c - see gaussian_family.h. */
#include "structure/gaussian_family.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/functions/elementary.h"
#include "math/functions/special.h"

#include <math.h>
#include <string.h>

enum {
    MOST_NUMBERS = 2048
}; /* with at most this many numeric columns, the scatter of all pairs is computed once:
                               * 32 MiB */

/* A residual variance below the share NOTHING of the variance is zero. A parent with a residual variance below the
 * share LINEAR is a linear function of other parents. */
static const double NOTHING = 1e-13, LINEAR = 0x1p-36;

static const double LOG_2_PI = 1.8378770664093453, LOG_PI = 1.1447298858494002;

struct crd_i_gaussians {
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
static bool gaussian_family_centre(const crd_i_gaussians *gaussians, double **centred) {
    const crd_i_case_table *table = gaussians->table;
    for (size_t i = 0, place = 0; i < table->column_count; i++) {
        const double *numbers = table->columns[i].numbers;
        if (numbers == NULL) continue;
        centred[place] = crd_i_alloc(gaussians->context, table->rows, sizeof **centred);
        if (centred[place] == NULL) return false;
        const double mean = gaussian_family_mean(table, numbers);
        for (size_t row = 0; row < table->rows; row++) centred[place][row] = numbers[row] - mean;
        place++;
    }
    return true;
}

/* Computes the scatter matrix of all numeric columns. */
static crd_status compute_scatter(crd_i_gaussians *gaussians, crd_error *error) {
    const size_t count = gaussians->count;
    double **centred = crd_i_alloc_zeroed(gaussians->context, count, sizeof *centred);
    gaussians->scatter = crd_i_alloc(gaussians->context, count * count, sizeof *gaussians->scatter);
    crd_status status = CRD_OK;
    if (centred == NULL || gaussians->scatter == NULL || !gaussian_family_centre(gaussians, centred))
        status = crd_i_fail_memory(error);
    for (size_t i = 0; status == CRD_OK && i < count; i++) {
        for (size_t j = 0; status == CRD_OK && j <= i; j++) {
            if (crd_i_context_cancelled(gaussians->context)) status = crd_i_fail_cancelled(error);
            gaussians->scatter[i * count + j] = gaussians->scatter[j * count + i] =
                scatter_of(gaussians->table, centred[i], centred[j]);
        }
    }
    for (size_t i = 0; centred != NULL && i < count; i++) crd_free(gaussians->context, centred[i]);
    crd_free(gaussians->context, centred);
    return status;
}

crd_status crd_i_gaussians_create(const crd_i_case_table *table, crd_i_gaussians **out, crd_error *error) {
    *out = NULL;
    crd_i_gaussians *gaussians = crd_i_alloc_zeroed(table->context, 1, sizeof *gaussians);
    if (gaussians == NULL) return crd_i_fail_memory(error);
    gaussians->context = table->context;
    gaussians->table = table;
    gaussians->places = crd_i_alloc(table->context, table->column_count, sizeof *gaussians->places);
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
    if (gaussians == NULL) return;
    crd_free(gaussians->context, gaussians->places);
    crd_free(gaussians->context, gaussians->scatter);
    crd_free(gaussians->context, gaussians);
}

/* ---- Families ---- */

/* The columns of a family, and its complete rows grouped by the combination of its discrete parents. */
typedef struct family_partition {
    crd_context *context;
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
    partition->rows = crd_i_alloc(partition->context, table->rows, sizeof *partition->rows);
    partition->starts = crd_i_alloc_zeroed(partition->context, combinations->count + 2, sizeof *partition->starts);
    if (partition->rows == NULL || partition->starts == NULL) return false;
    for (size_t row = 0; row < table->rows; row++)
        if (combinations->of_rows[row] != UINT32_MAX && gaussian_family_has_cells(table, partition, row))
            partition->starts[combinations->of_rows[row] + 2]++;
    for (size_t i = 2; i < combinations->count + 2; i++) partition->starts[i] += partition->starts[i - 1];
    for (size_t row = 0; row < table->rows; row++)
        if (combinations->of_rows[row] != UINT32_MAX && gaussian_family_has_cells(table, partition, row))
            partition->rows[partition->starts[combinations->of_rows[row] + 1]++] = (uint32_t)row;
    return true;
}

static void parted_clear(family_partition *family) {
    crd_free(family->context, family->numbers);
    crd_free(family->context, family->rows);
    crd_free(family->context, family->starts);
    crd_free(family->context, family->means);
    crd_free(family->context, family->scatter);
    crd_free(family->context, family->diagonal);
}

/* Prepares a family: selects its numeric columns, and groups the rows unless the scatter of all rows can be used. */
static crd_status parted_init(family_partition *partition, const crd_i_gaussians *gaussians, crd_i_counter *counter,
                              const crd_i_node_family *family, crd_error *error) {
    const crd_i_case_table *table = gaussians->table;
    crd_i_row_combinations combinations = {0};
    memset(partition, 0, sizeof *partition);
    partition->context = gaussians->context;
    partition->numbers = crd_i_alloc(partition->context, family->parent_count + 1, sizeof *partition->numbers);
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
    partition->scatter = crd_i_alloc(partition->context, partition->size * partition->size, sizeof *partition->scatter);
    partition->means = crd_i_alloc(partition->context, partition->size, sizeof *partition->means);
    partition->diagonal = crd_i_alloc(partition->context, partition->size, sizeof *partition->diagonal);
    if (partition->scatter == NULL || partition->means == NULL || partition->diagonal == NULL)
        return crd_i_fail_memory(error);
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
    parted_clear(&parts);
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
    parted_clear(&parts);
    return status;
}
