/* SPDX-License-Identifier: MIT */
/* independence_tests.c - see independence_tests.h.
 *
 * G-squared is summed as 2 (O log(O / E) + E - O). This gives the same total over a whole table and is never negative
 * in any entry. Nothing cancels between entries, so the result for an almost independent table keeps its digits. */
#include "math/independence_tests.h"

#include "math/functions/elementary.h"
#include "math/functions/special.h"

#include <math.h>

/* Computes x log(x / m) + m - x for x >= 0 and m > 0. With v = (x - m) / (x + m), log(x / m) = 2 (v + v^3/3 + v^5/5 +
 * ...), and the first-order terms cancel without rounding. `difference` is x - m, known more accurately than from x and
 * m. */
static double independence_tests_deviance(double x, double m, double difference) {
    static const double SERIES_FROM = 0.1;
    if (x == 0) return m;
    double v = difference / (x + m);
    if (fabs(v) > SERIES_FROM) return x * crd_log(x / m) - difference;
    double sum = difference * v, power = 2 * x * v;
    for (int j = 3;; j += 2) {
        power *= v * v;
        double next = sum + power / j;
        if (next == sum) return sum;
        sum = next;
    }
}

static size_t count_positive(const double *sums, size_t count) {
    size_t positive = 0;
    for (size_t i = 0; i < count; i++) positive += sums[i] > 0;
    return positive;
}

static void independence_tests_add_cell(crd_i_contingency *contingency, double observed, double row_sum,
                                        double column_sum, double total) {
    double expected = row_sum * column_sum / total;
    /* Exact up to the division as long as the products are integers below 2^53. */
    double difference = (observed * total - row_sum * column_sum) / total;
    if (contingency->cells == 0 || expected < contingency->least_expected) contingency->least_expected = expected;
    contingency->cells++;
    contingency->cells_below += expected < CRD_I_LEAST_EXPECTED;
    contingency->chi_squared += difference * difference / expected;
    contingency->g_squared += 2 * independence_tests_deviance(observed, expected, difference);
}

void crd_i_contingency_add(crd_i_contingency *contingency, const double *counts, size_t rows, size_t columns,
                           double *row_sums, double *column_sums) {
    double total = 0;
    for (size_t j = 0; j < columns; j++) column_sums[j] = 0;
    for (size_t i = 0; i < rows; i++) {
        row_sums[i] = 0;
        for (size_t j = 0; j < columns; j++) {
            row_sums[i] += counts[i * columns + j];
            column_sums[j] += counts[i * columns + j];
        }
        total += row_sums[i];
    }
    if (!(total > 0)) return;
    contingency->tables++;
    contingency->rows += total;
    contingency->degrees +=
        ((double)count_positive(row_sums, rows) - 1) * ((double)count_positive(column_sums, columns) - 1);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            if (row_sums[i] > 0 && column_sums[j] > 0)
                independence_tests_add_cell(contingency, counts[i * columns + j], row_sums[i], column_sums[j], total);
}

double crd_i_contingency_p(double statistic, double degrees) {
    if (!(degrees > 0)) return 1;
    return crd_i_gamma_tails(degrees / 2, statistic / 2).above;
}

double crd_i_contingency_information(const crd_i_contingency *contingency) {
    return contingency->rows > 0 ? contingency->g_squared / (2 * contingency->rows) : 0;
}
