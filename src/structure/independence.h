/* SPDX-License-Identifier: MIT */
/* independence.h - tests of conditional independence of two columns x and y of a case table given columns z.
 *
 *   g2   categorical: G^2 = 2 N I(x;y|z), with N rows and their empirical mutual information. Its asymptotic
 *        distribution is chi-squared with the sum over z of (r_z - 1)(c_z - 1) degrees of freedom, where r_z and c_z
 *        are the numbers of states of x and y that occur together with z. Only states with rows count.
 *   x2   categorical: Pearson's chi-squared statistic, with the same degrees of freedom
 *   z    numeric: Fisher's z of the partial correlation r, atanh(r) sqrt(n - k - 3), with k given columns; it is
 *        approximately standard normal
 *   cg   any types: likelihood ratio of conditional Gaussian distributions, 2 (L(xyz) + L(z) - L(xz) - L(yz)). L is
 *        the maximized log-likelihood if the numbers are jointly normal for each combination of states of the
 *        categories. Its asymptotic distribution is chi-squared; the degrees of freedom are the same difference of
 *        parameter counts, and only combinations with rows count.
 *
 * See Spirtes, Glymour and Scheines (2000) for g2, x2 and z in structure learning, and Lauritzen and Wermuth (1989)
 * for conditional Gaussian distributions. A test uses the rows that are complete in its columns. */
#ifndef CRD_STRUCTURE_INDEPENDENCE_H
#define CRD_STRUCTURE_INDEPENDENCE_H

#include "structure/contingency_counts.h"

typedef enum crd_i_independence_test {
    CRD_I_TEST_AUTO = 0, /* g2, z or cg, depending on the column types */
    CRD_I_TEST_G2,
    CRD_I_TEST_X2,
    CRD_I_TEST_Z,
    CRD_I_TEST_CG
} crd_i_independence_test;

typedef struct crd_i_independence crd_i_independence;

/* Prepares tests over a table, which must outlive them. Returns CRD_ERROR_KIND if the test does not support a column
 * type. */
CRD_MUST_USE crd_status crd_i_independence_create(const crd_i_case_table *table, crd_i_independence_test test,
                                                  crd_i_independence **out, crd_error *error);
void crd_i_independence_destroy(crd_i_independence *independence);

/* Work memory of one thread. Initialize it with zeros and free it with crd_i_independence_room_clear. */
enum { CRD_I_CRITICAL_VALUES = 64 };
typedef struct crd_i_independence_room {
    crd_i_contingency_room contingency;
    double *numbers;
    size_t capacity;
    /* A hash table of critical values of chi-squared distributions; a new value replaces the old one in its slot. */
    struct {
        double alpha, degrees, value;
    } critical[CRD_I_CRITICAL_VALUES];
} crd_i_independence_room;
void crd_i_independence_room_clear(crd_context *context, crd_i_independence_room *workspace);

/* Computes the p-value of the hypothesis that x and y are independent given the columns `given`. All columns must
 * differ. The p-value is 1 if x or y is constant or a function of the given columns. */
CRD_MUST_USE crd_status crd_i_independence_p(const crd_i_independence *independence, crd_i_independence_room *workspace,
                                             size_t x, size_t y, const uint32_t *given, size_t given_count, double *p,
                                             crd_error *error);
/* Sets *holds to whether the p-value is above alpha, 0 < alpha < 1. Faster than crd_i_independence_p, because the
 * p-value is computed only if the statistic is close to its critical value. */
CRD_MUST_USE crd_status crd_i_independence_holds(const crd_i_independence *independence,
                                                 crd_i_independence_room *workspace, size_t x, size_t y,
                                                 const uint32_t *given, size_t given_count, double alpha, bool *holds,
                                                 crd_error *error);
/* Estimates the mutual information of x and y given the columns `given`, in nats, 0 or more. For categorical columns
 * it is computed from relative frequencies. With numeric columns it is computed from the fitted normal
 * distributions; for two numeric columns without given columns it is -log(1 - r^2) / 2. The value over the complete
 * rows is multiplied by their share of all rows, so columns with few values get little information. */
CRD_MUST_USE crd_status crd_i_independence_information(const crd_i_independence *independence,
                                                       crd_i_independence_room *workspace, size_t x, size_t y,
                                                       const uint32_t *given, size_t given_count, double *information,
                                                       crd_error *error);

#endif
