/* SPDX-License-Identifier: MIT */
/* independence_tests.h - how far a table of counts is from what independence of its rows and columns expects.
 *
 *   E = R C / N         what a cell expects, from the sums of its row and its column
 *   chi-squared         sum of (O - E)^2 / E
 *   G-squared           2 sum of O log(O / E)
 *   mutual information  G-squared / (2 N), in nats
 *
 * Under independence both statistics follow, for large counts, the chi-squared distribution with (r - 1)(c - 1)
 * degrees of freedom, r and c the rows and columns that count anything. Of several tables, one for each value of what
 * is known, statistics and degrees add up: the test of conditional independence. No correction for continuity. */
#ifndef CRD_MATH_INDEPENDENCE_TESTS_H
#define CRD_MATH_INDEPENDENCE_TESTS_H

#include <stddef.h>

/* Below so many rows expected in a cell the distribution is a poor approximation. */
#define CRD_I_LEAST_EXPECTED 5.0

/* Begins as all zero; tables are added one after the other. */
typedef struct crd_i_contingency {
    double rows; /* N, over all tables */
    double chi_squared, g_squared;
    double degrees;
    size_t tables;             /* that count anything */
    size_t cells, cells_below; /* in rows and columns that count; of these, below CRD_I_LEAST_EXPECTED */
    double least_expected;     /* of any such cell */
} crd_i_contingency;

/* Adds a table of rows x columns counts, row by row. row_sums and column_sums are room for the work. */
void crd_i_contingency_add(crd_i_contingency *to, const double *counts, size_t rows, size_t columns, double *row_sums,
                           double *column_sums);

/* The chance of a statistic at least as great under independence; 1 where there are no degrees of freedom. */
double crd_i_contingency_p(double statistic, double degrees);

double crd_i_contingency_information(const crd_i_contingency *of);

#endif
