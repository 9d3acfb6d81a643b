/* SPDX-License-Identifier: MIT */
/* independence.c - see independence.h. */
#include "structure/independence.h"

#include "base/error.h"
#include "base/hash_key.h"
#include "base/memory.h"
#include "math/functions/elementary.h"
#include "math/functions/special.h"
#include "structure/gaussian_moments.h"

#include <math.h>
#include <string.h>

struct crd_i_independence {
    const crd_i_case_table *table;
    crd_i_independence_test test;
    crd_i_counted_rows *counted; /* for the tests g2, x2 and cg */
    double *covariance;          /* for the test z if no value is missing; else NULL */
};

/* Computes the covariance of all columns, from which every test can be computed if no value is missing. */
static crd_status prepare_covariance(crd_i_independence *independence, crd_error *error) {
    const crd_i_case_table *table = independence->table;
    size_t count = table->column_count;
    crd_status status = CRD_OK;
    double rows;
    for (size_t i = 0; i < count; i++)
        if (table->columns[i].has_missing) return CRD_OK;
    uint32_t *columns = crd_i_alloc(table->context, count, sizeof *columns);
    double *means = crd_i_alloc(table->context, count, sizeof *means);
    independence->covariance = crd_i_alloc(table->context, count * count, sizeof *independence->covariance);
    if (columns == NULL || means == NULL || independence->covariance == NULL) {
        status = crd_i_fail_memory(error);
    } else {
        for (size_t i = 0; i < count; i++) columns[i] = (uint32_t)i;
        crd_i_covariance(table, columns, count, independence->covariance, means, &rows);
    }
    crd_free(table->context, means);
    crd_free(table->context, columns);
    return status;
}

/* Replaces the test `auto` by the test for the column types, and checks that the test supports all columns. */
static crd_status choose_test(const crd_i_case_table *table, crd_i_independence_test *test, crd_error *error) {
    size_t numbers = 0, first_number = 0, first_category = 0;
    for (size_t i = table->column_count; i-- > 0;) {
        if (table->columns[i].kind == CRD_KIND_NUMBER) first_number = i;
        else first_category = i;
        numbers += table->columns[i].kind == CRD_KIND_NUMBER;
    }
    char buffer[CRD_I_QUOTED_ROOM];
    if (*test == CRD_I_TEST_AUTO)
        *test = numbers == 0 ? CRD_I_TEST_G2 : numbers == table->column_count ? CRD_I_TEST_Z : CRD_I_TEST_CG;
    if ((*test == CRD_I_TEST_G2 || *test == CRD_I_TEST_X2) && numbers > 0) {
        (void)crd_i_fail(error, CRD_ERROR_KIND, "column %s is a number, but %s tests categories",
                         crd_i_quote(table->columns[first_number].name, buffer), *test == CRD_I_TEST_G2 ? "g2" : "x2");
        crd_i_error_hint(error, "use test=auto, which also tests numbers");
        return CRD_ERROR_KIND;
    }
    if (*test == CRD_I_TEST_Z && numbers < table->column_count) {
        (void)crd_i_fail(error, CRD_ERROR_KIND, "column %s is a category, but Fisher's z tests numbers",
                         crd_i_quote(table->columns[first_category].name, buffer));
        crd_i_error_hint(error, "use test=auto, which also tests categories");
        return CRD_ERROR_KIND;
    }
    return CRD_OK;
}

crd_status crd_i_independence_create(const crd_i_case_table *table, crd_i_independence_test test,
                                     crd_i_independence **out, crd_error *error) {
    *out = NULL;
    crd_status status = choose_test(table, &test, error);
    if (status == CRD_OK) status = crd_i_gaussian_check(table, error);
    if (status != CRD_OK) return status;
    crd_i_independence *independence = crd_i_alloc_zeroed(table->context, 1, sizeof *independence);
    if (independence == NULL) return crd_i_fail_memory(error);
    independence->table = table;
    independence->test = test;
    status = test == CRD_I_TEST_Z ? prepare_covariance(independence, error)
                                  : crd_i_counted_rows_create(table, &independence->counted, error);
    if (status == CRD_OK) *out = independence;
    else crd_i_independence_destroy(independence);
    return status;
}

void crd_i_independence_destroy(crd_i_independence *independence) {
    if (independence == NULL) return;
    crd_i_counted_rows_destroy(independence->counted);
    crd_free(independence->table->context, independence->covariance);
    crd_free(independence->table->context, independence);
}

void crd_i_independence_room_clear(crd_context *context, crd_i_independence_room *workspace) {
    crd_i_contingency_room_clear(context, &workspace->contingency);
    crd_free(context, workspace->numbers);
    workspace->numbers = NULL;
    workspace->capacity = 0;
}

/* The result of a test of two columns. */
typedef struct independence_finding {
    double statistic;
    double degrees; /* degrees of freedom. 0: no dependence is possible. Below 0: `statistic` is the absolute value
                     * of a standard normal variable. */
    double information;
} independence_finding;

static double p_of(const independence_finding *finding) {
    if (finding->degrees < 0) return 2 * crd_i_normal_tails(finding->statistic).above;
    /* With far more degrees of freedom than rows, the statistic cannot reach its expectation. Summing the
     * distribution function would be wasted. */
    return finding->degrees > CRD_I_GREATEST_SHAPE ? 1 : crd_i_contingency_p(finding->statistic, finding->degrees);
}

/* Returns the statistic whose p-value is alpha, found by bisection. The value is cached in the workspace. */
static double critical_value(crd_i_independence_room *workspace, double alpha, double degrees) {
    uint64_t bits;
    memcpy(&bits, &degrees, sizeof bits);
    size_t index = (size_t)crd_i_hash_scatter(bits) % CRD_I_CRITICAL_VALUES;
    if (workspace->critical[index].degrees == degrees && workspace->critical[index].alpha == alpha)
        return workspace->critical[index].value;
    double low = 0, high = degrees;
    while (crd_i_contingency_p(high, degrees) > alpha) high *= 2;
    for (double middle = (low + high) / 2; low < middle && middle < high; middle = (low + high) / 2) {
        if (high - low < 1e-6 * high) break;
        if (crd_i_contingency_p(middle, degrees) > alpha) low = middle;
        else high = middle;
    }
    workspace->critical[index].alpha = alpha;
    workspace->critical[index].degrees = degrees;
    return workspace->critical[index].value = high;
}

/* Returns whether the p-value exceeds alpha. Compares the statistic with the critical value, and computes the
 * p-value only if they nearly agree. */
static bool independence_is_above(crd_i_independence_room *workspace, const independence_finding *finding,
                                  double alpha) {
    static const double MOST_DEGREES = 1e5;
    if (finding->degrees > 0 && finding->degrees < MOST_DEGREES) {
        double critical = critical_value(workspace, alpha, finding->degrees);
        if (finding->statistic > 1.00001 * critical) return false;
        if (finding->statistic < 0.99999 * critical) return true;
    }
    return p_of(finding) > alpha;
}

/* ---- Categorical columns ---- */

static crd_status test_categories(const crd_i_independence *independence, crd_i_independence_room *workspace, size_t x,
                                  size_t y, const uint32_t *given, size_t given_count, independence_finding *out,
                                  crd_error *error) {
    crd_i_contingency found_contingency;
    crd_status status = crd_i_contingency_of(independence->counted, &workspace->contingency, x, y, given, given_count,
                                             &found_contingency, error);
    if (status != CRD_OK) return status;
    out->statistic = independence->test == CRD_I_TEST_X2 ? found_contingency.chi_squared : found_contingency.g_squared;
    out->degrees = found_contingency.degrees;
    out->information = found_contingency.g_squared / (2 * independence->table->total);
    return CRD_OK;
}

/* ---- Numeric columns ---- */

/* Tests numeric columns by Fisher's z of their partial correlation. */
static crd_status test_numbers(const crd_i_independence *independence, crd_i_independence_room *workspace, size_t x,
                               size_t y, const uint32_t *given, size_t given_count, independence_finding *out,
                               crd_error *error) {
    const crd_i_case_table *table = independence->table;
    size_t count = given_count + 2, all = table->column_count;
    if (!crd_i_reserve(table->context, &workspace->numbers, &workspace->capacity, count * count + 2 * count,
                       sizeof *workspace->numbers))
        return crd_i_fail_memory(error);
    double *matrix = workspace->numbers, *means = matrix + count * count, rows = table->total;
    uint32_t *columns = (uint32_t *)(means + count);
    for (size_t i = 0; i < given_count; i++) columns[i] = given[i];
    columns[given_count] = (uint32_t)x;
    columns[given_count + 1] = (uint32_t)y;
    if (independence->covariance != NULL) {
        for (size_t i = 0; i < count; i++)
            for (size_t j = 0; j < count; j++)
                matrix[i * count + j] = independence->covariance[columns[i] * all + columns[j]];
    } else {
        crd_i_covariance(table, columns, count, matrix, means, &rows);
    }
    double r = crd_i_partial_correlation(matrix, count), degrees = rows - (double)given_count - 3;
    if (isnan(r)) return CRD_OK;
    double unexplained = 1 - r * r;
    out->information =
        -crd_log(unexplained < CRD_I_LEAST_RESIDUAL ? CRD_I_LEAST_RESIDUAL : unexplained) / 2 * rows / table->total;
    if (!(degrees > 0)) return CRD_OK;
    /* atanh(|r|), which is infinite at 1. */
    out->statistic = fabs(r) == 1 ? INFINITY : crd_log((1 + fabs(r)) / (1 - fabs(r))) / 2 * sqrt(degrees);
    out->degrees = -1;
    return CRD_OK;
}

/* ---- Categorical and numeric columns ---- */

/* Marks the rows that are complete in the columns. */
static void mark_complete(const crd_i_case_table *table, const uint32_t *columns, size_t count, bool *is_complete) {
    memset(is_complete, true, table->rows * sizeof *is_complete);
    for (size_t i = 0; i < count; i++) {
        const crd_i_case_column *column = &table->columns[columns[i]];
        for (size_t row = 0; column->has_missing && row < table->rows; row++)
            if (column->kind == CRD_KIND_NUMBER ? isnan(column->numbers[row])
                                                : crd_i_case_code(column, row) == CRD_I_CASE_MISSING32)
                is_complete[row] = false;
    }
}

/* Computes the degrees of freedom for two categorical columns given categorical and numeric columns: the degrees of
 * freedom of the contingency tables, times the number of parameters that each combination of categories has for the
 * given numbers. All states of x and of y that occur count, whether or not they occur together. */
static crd_status degrees_of_categories(const crd_i_independence *independence, crd_i_independence_room *workspace,
                                        size_t x, size_t y, const uint32_t *given, size_t given_count, double *degrees,
                                        crd_error *error) {
    const crd_i_case_table *table = independence->table;
    crd_i_contingency found_contingency = {0};
    size_t categories = 0;
    uint32_t *columns = crd_i_alloc(table->context, given_count, sizeof *columns);
    if (columns == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < given_count; i++)
        if (table->columns[given[i]].kind == CRD_KIND_CATEGORY) columns[categories++] = given[i];
    const crd_status status = crd_i_contingency_of(independence->counted, &workspace->contingency, x, y, columns,
                                                   categories, &found_contingency, error);
    const double numbers = (double)(given_count - categories);
    *degrees = found_contingency.degrees * (1 + numbers + numbers * (numbers + 1) / 2);
    crd_free(table->context, columns);
    return status;
}

/* Tests columns of any type by the likelihood ratio of conditional Gaussian distributions. */
static crd_status test_both(const crd_i_independence *independence, crd_i_independence_room *workspace, size_t x,
                            size_t y, const uint32_t *given, size_t given_count, independence_finding *out,
                            crd_error *error) {
    const crd_i_case_table *table = independence->table;
    crd_context *context = table->context;
    crd_status status = CRD_OK;
    crd_i_gaussian_fit all, with_x, with_y, gaussian;
    /* In the order x, given, y every set that is needed is contiguous. */
    uint32_t *columns = crd_i_alloc(context, given_count + 2, sizeof *columns);
    bool *is_complete = crd_i_alloc(context, table->rows, sizeof *is_complete);
    if (columns == NULL || is_complete == NULL) {
        status = crd_i_fail_memory(error);
        goto done;
    }
    columns[0] = (uint32_t)x;
    for (size_t i = 0; i < given_count; i++) columns[i + 1] = given[i];
    columns[given_count + 1] = (uint32_t)y;
    mark_complete(table, columns, given_count + 2, is_complete);
    status = crd_i_conditional_gaussian(table, columns, given_count + 2, is_complete, &all, error);
    if (status == CRD_OK)
        status = crd_i_conditional_gaussian(table, columns, given_count + 1, is_complete, &with_x, error);
    if (status == CRD_OK)
        status = crd_i_conditional_gaussian(table, columns + 1, given_count + 1, is_complete, &with_y, error);
    if (status == CRD_OK)
        status = crd_i_conditional_gaussian(table, columns + 1, given_count, is_complete, &gaussian, error);
    if (status != CRD_OK) goto done;
    double ratio = 2 * (all.log_likelihood + gaussian.log_likelihood - with_x.log_likelihood - with_y.log_likelihood);
    /* A difference of equal likelihoods, as with a number that does not vary, is only rounding error. */
    if (!(ratio > 1e-12 * (fabs(all.log_likelihood) + fabs(gaussian.log_likelihood)) + 1e-12)) goto done;
    out->statistic = ratio;
    out->degrees = all.parameters + gaussian.parameters - with_x.parameters - with_y.parameters;
    out->information = ratio / (2 * table->total);
    if (table->columns[x].kind == CRD_KIND_CATEGORY && table->columns[y].kind == CRD_KIND_CATEGORY)
        status = degrees_of_categories(independence, workspace, x, y, given, given_count, &out->degrees, error);
done:
    crd_free(context, is_complete);
    crd_free(context, columns);
    return status;
}

static crd_status test_columns(const crd_i_independence *independence, crd_i_independence_room *workspace, size_t x,
                               size_t y, const uint32_t *given, size_t given_count, independence_finding *out,
                               crd_error *error) {
    const crd_i_case_column *columns = independence->table->columns;
    *out = (independence_finding){0, 0, 0};
    if (independence->test == CRD_I_TEST_Z)
        return test_numbers(independence, workspace, x, y, given, given_count, out, error);
    bool has_number = columns[x].kind == CRD_KIND_NUMBER || columns[y].kind == CRD_KIND_NUMBER;
    for (size_t i = 0; i < given_count; i++) has_number |= columns[given[i]].kind == CRD_KIND_NUMBER;
    if (has_number) return test_both(independence, workspace, x, y, given, given_count, out, error);
    return test_categories(independence, workspace, x, y, given, given_count, out, error);
}

crd_status crd_i_independence_p(const crd_i_independence *independence, crd_i_independence_room *workspace, size_t x,
                                size_t y, const uint32_t *given, size_t given_count, double *p, crd_error *error) {
    independence_finding finding;
    crd_status status = test_columns(independence, workspace, x, y, given, given_count, &finding, error);
    *p = p_of(&finding);
    return status;
}

crd_status crd_i_independence_holds(const crd_i_independence *independence, crd_i_independence_room *workspace,
                                    size_t x, size_t y, const uint32_t *given, size_t given_count, double alpha,
                                    bool *holds, crd_error *error) {
    independence_finding finding;
    crd_status status = test_columns(independence, workspace, x, y, given, given_count, &finding, error);
    *holds = status == CRD_OK && independence_is_above(workspace, &finding, alpha);
    return status;
}

crd_status crd_i_independence_information(const crd_i_independence *independence, crd_i_independence_room *workspace,
                                          size_t x, size_t y, const uint32_t *given, size_t given_count,
                                          double *information, crd_error *error) {
    independence_finding finding;
    crd_status status = test_columns(independence, workspace, x, y, given, given_count, &finding, error);
    *information = finding.information;
    return status;
}
