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

#include "math/independence_tests.h"
#include "structure/counted_rows.h"

/* ---- contingency tables of two categorical columns x and y of a case table, one table for each
 * configuration z of other columns, and their test statistics for the independence of x and y given z:
 *
 *   X^2 = sum_xyz (N_xyz - E_xyz)^2 / E_xyz,   G^2 = 2 sum_xyz N_xyz log(N_xyz / E_xyz),   E_xyz = N_xz N_yz / N_z
 *
 * with (|X_z| - 1)(|Y_z| - 1) degrees of freedom for each z, where only rows and columns with a positive total count.
 *
 * A row counts if no value is missing in x, y and the other columns. There are three counting methods, chosen by
 * estimated cost: intersecting bit sets of rows for small tables; one pass over the rows for larger tables; and
 * hashing of the combinations that occur if the tables would have far more entries than there are rows. */

/* Work memory of one thread. Initialize it with zeros and free it with crd_i_contingency_room_clear. */
typedef struct crd_i_contingency_room {
    double *cells;
    uint64_t *masks;
    uint32_t *ids; /* numbers of the combinations that the rows have */
    size_t cell_capacity, mask_capacity, id_capacity;
} crd_i_contingency_room;
void crd_i_contingency_room_clear(crd_context *context, crd_i_contingency_room *workspace);

/* Computes the row count, X^2, G^2 and the degrees of freedom for columns x and y given the columns `given`. All
 * columns must be categorical and distinct. The other members of *out are not meaningful. */
CRD_MUST_USE crd_status crd_i_contingency_of(const crd_i_counted_rows *counted, crd_i_contingency_room *workspace,
                                             size_t x, size_t y, const uint32_t *given, size_t given_count,
                                             crd_i_contingency *out, crd_error *error);

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
