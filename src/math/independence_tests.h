/* SPDX-License-Identifier: MIT */
/* independence_tests.h - chi-squared and G tests of independence for contingency tables.
 *
 *
 *   E = R C / N expected count, from the row sum R and the column sum C
 *   chi-squared sum of (O - E)^2 / E
 *   G-squared 2 sum of O log(O / E)
 *   mutual information G-squared / (2 N), in nats
 *
 * Under independence, for large counts, both statistics follow the chi-squared distribution with (r - 1)(c - 1) degrees
 * of freedom, where r and c are the numbers of nonempty rows and columns. To test conditional independence, add the
 * statistics and the degrees of freedom of several tables, one per value of the conditioning variables. There is no
 * continuity correction. */
#ifndef CRD_MATH_INDEPENDENCE_TESTS_H
#define CRD_MATH_INDEPENDENCE_TESTS_H

#include <stddef.h>

/* The chi-squared distribution is a poor approximation if an expected count is below this number. */
#define CRD_I_LEAST_EXPECTED 5.0

/* Accumulates tables. It begins as all zeros, and tables are added one after another. */
typedef struct crd_i_contingency {
    double rows; /* N, over all tables */
    double chi_squared, g_squared;
    double degrees;
    size_t tables; /* number of nonempty tables */
    /* entries in nonempty rows and columns, and how many of them are expected below CRD_I_LEAST_EXPECTED */
    size_t cells, cells_below;
    double least_expected; /* minimum over these entries */
} crd_i_contingency;

/* Adds a table of rows x columns counts, stored row by row. row_sums and column_sums are work space. */
void crd_i_contingency_add(crd_i_contingency *contingency, const double *counts, size_t rows, size_t columns,
                           double *row_sums, double *column_sums);

/* Returns the p-value: the probability of a statistic at least this large under independence. Returns 1 if there are no
 * degrees of freedom. */
double crd_i_contingency_p(double statistic, double degrees);

double crd_i_contingency_information(const crd_i_contingency *contingency);

#endif
