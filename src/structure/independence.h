/* SPDX-License-Identifier: MIT */
/* independence.h - tests of conditional independence of columns of a case table.
 *
 *   g2   categories: G-squared (2 N times the mutual information), for large counts chi-squared distributed with
 *        (r - 1)(c - 1) degrees of freedom for each combination of states of what is given, r and c the states of the two that
 *        occur with it: combinations and states that no row has do not count
 *   x2   categories: Pearson's chi-squared, the same degrees
 *   z    numbers: Fisher's z of the partial correlation, atanh(r) sqrt(n - k - 3), standard normal; k numbers are given
 *   cg   both: likelihood ratio of conditional Gaussian distributions, 2 (L(xyz) + L(z) - L(xz) - L(yz)), where L is the
 *        greatest log-likelihood of the numbers being jointly normal for each combination of states of the categories,
 *        chi-squared distributed with as many degrees as parameters differ in number, counted in the same way
 *
 * Rows count that are complete in the columns of a test. */
#ifndef CRD_STRUCTURE_INDEPENDENCE_H
#define CRD_STRUCTURE_INDEPENDENCE_H

#include "structure/contingency_counts.h"

typedef enum crd_i_independence_test {
    CRD_I_TEST_AUTO = 0, /* g2, z or cg, by the kinds of the columns */
    CRD_I_TEST_G2,
    CRD_I_TEST_X2,
    CRD_I_TEST_Z,
    CRD_I_TEST_CG
} crd_i_independence_test;

typedef struct crd_i_independence crd_i_independence;

/* CRD_ERROR_KIND: the test is not for the kinds of these columns. The table has to stay. */
CRD_MUST_USE crd_status crd_i_independence_create(const crd_i_case_table *table, crd_i_independence_test test,
                                                  crd_i_independence **out, crd_error *error);
void crd_i_independence_destroy(crd_i_independence *independence);

/* What a thread tests in. Zero-initialise; crd_i_independence_room_clear frees. */
enum { CRD_I_CRITICAL_VALUES = 64 };
typedef struct crd_i_independence_room {
    crd_i_contingency_room contingency;
    double *numbers;
    size_t capacity;
    /* Critical values of chi-squared distributions, by their degrees of freedom: one at each place of a hash table. */
    struct {
        double alpha, degrees, value;
    } critical[CRD_I_CRITICAL_VALUES];
} crd_i_independence_room;
void crd_i_independence_room_clear(crd_context *context, crd_i_independence_room *workspace);

/* The p-value of x and y being independent given the columns `given`, all different; 1 where one of them is constant or
 * a function of what is given. */
CRD_MUST_USE crd_status crd_i_independence_p(const crd_i_independence *independence, crd_i_independence_room *workspace,
                                             size_t x, size_t y, const uint32_t *given, size_t given_count, double *p,
                                             crd_error *error);
/* Whether that is above alpha, 0 < alpha < 1. The p-value is not computed where the statistic is not near its critical value.
 */
CRD_MUST_USE crd_status crd_i_independence_holds(const crd_i_independence *independence,
                                                 crd_i_independence_room *workspace, size_t x, size_t y,
                                                 const uint32_t *given, size_t given_count, double alpha, bool *holds,
                                                 crd_error *error);
/* An estimate of the mutual information of x and y given the columns `given`, in nats, 0 or more: that of relative
 * frequencies for categories, and of the fitted normal distributions where there are numbers, -log(1 - r^2) / 2 of two
 * numbers by themselves. It is that of the complete rows times their share of all: what is known in few rows tells little. */
CRD_MUST_USE crd_status crd_i_independence_information(const crd_i_independence *independence,
                                                       crd_i_independence_room *workspace, size_t x, size_t y,
                                                       const uint32_t *given, size_t given_count, double *information,
                                                       crd_error *error);

#endif
