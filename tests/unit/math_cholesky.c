/* SPDX-License-Identifier: MIT */
/* The factor of a covariance that is asked many rows: against the plain one, several rows side by side against one, and
 * matrices that have none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "math/cholesky.h"
#include "math_random.h"

#include <math.h>
#include <string.h>

enum { MOST = 20 };

static double random_signed(void) {
    return (double)(int64_t)random_bits() * 0x1p-63;
}

/* A product of a random matrix and its transpose, with the diagonal beside it. */
static void draw(size_t size, double *matrix, double *variances) {
    double root[MOST * MOST];
    for (size_t i = 0; i < size * size; i++) root[i] = random_signed();
    for (size_t i = 0; i < size; i++)
        for (size_t j = 0; j < size; j++) {
            matrix[i * size + j] = i == j ? 0.01 : 0;
            for (size_t k = 0; k < size; k++) matrix[i * size + j] += root[i * size + k] * root[j * size + k];
            if (i == j) variances[i] = matrix[i * size + i];
        }
}

static void same_factor(void **state) {
    (void)state;
    for (size_t size = 1; size <= MOST; size++) {
        double matrix[MOST * MOST], factor[MOST * MOST], lower[MOST * MOST], variances[MOST], half, logs = 0;
        draw(size, matrix, variances);
        memcpy(factor, matrix, sizeof matrix);
        assert_true(crd_i_cholesky(matrix, size, lower));
        for (size_t i = 0; i < size; i++)
            for (size_t j = 0; j < i; j++) factor[i * size + j] = NAN; /* is not looked at */
        assert_true(crd_i_factor(factor, size, variances, &half));
        for (size_t i = 0; i < size; i++) {
            logs += log(lower[i * size + i]);
            for (size_t j = i; j < size; j++) {
                double wanted = i == j ? 1 / lower[i * size + i] : lower[j * size + i];
                assert_true(fabs(factor[i * size + j] - wanted) <= 1e-12 * (1 + fabs(wanted)));
            }
            for (size_t j = 0; j < i; j++) assert_true(isnan(factor[i * size + j]));
        }
        assert_true(fabs(half - logs) <= 1e-12 * (1 + fabs(logs)));

        double x[CRD_I_FACTOR_LANES][MOST], many[MOST * CRD_I_FACTOR_LANES], squares[CRD_I_FACTOR_LANES];
        for (size_t worker = 0; worker < CRD_I_FACTOR_LANES; worker++)
            for (size_t i = 0; i < size; i++) x[worker][i] = many[i * CRD_I_FACTOR_LANES + worker] = random_signed();
        crd_i_factor_squares_of_many(factor, size, many, squares);
        for (size_t vector = 0; vector < CRD_I_FACTOR_LANES; vector++) {
            /* The length of the inverse of the lower triangle times x, by rows. */
            double z[MOST], wanted = 0;
            for (size_t i = 0; i < size; i++) {
                z[i] = x[vector][i];
                for (size_t k = 0; k < i; k++) z[i] -= lower[i * size + k] * z[k];
                z[i] /= lower[i * size + i];
                wanted += z[i] * z[i];
            }
            assert_true(fabs(squares[vector] - wanted) <= 1e-10 * wanted);
            assert_true(crd_i_factor_squares(factor, size, x[vector]) == squares[vector]);
        }
    }
}

static void no_factor(void **state) {
    (void)state;
    double half, variances[2] = {1, 4};
    double singular[4] = {1, 2, 2, 4}, negative[4] = {1, 3, 3, 4}, nearly[4] = {1, 2 - 0x1p-40, 2 - 0x1p-40, 4};
    double far_enough[4] = {1, 2 - 0x1p-30, 2 - 0x1p-30, 4}, nothing[1] = {NAN}, one = 1;
    assert_false(crd_i_factor(singular, 2, variances, &half));
    assert_false(crd_i_factor(negative, 2, variances, &half));
    assert_false(crd_i_factor(nearly, 2, variances, &half));
    assert_true(crd_i_factor(far_enough, 2, variances, &half));
    assert_false(crd_i_factor(nothing, 1, &one, &half));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_factor),
        cmocka_unit_test(no_factor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
