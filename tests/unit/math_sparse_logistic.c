/* SPDX-License-Identifier: MIT */
/* Multinomial logistic regression on sparse rows: as scikit-learn finds it, where the gradient is zero. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "math/logistic_newton.h"

#include <math.h>

static const size_t starts[] = {0, 2, 4, 6, 8, 9, 11};
static const uint32_t indices[] = {0, 2, 1, 2, 0, 1, 0, 1, 2, 0, 2};
static const double values[] = {1, 0.5, 1, 0.5, 0.5, 0.5, 1, 1, 1, 0.25, 0.75};
static const int32_t truths[] = {0, 1, 2, 0, 1, 2};
static const double weights[] = {1, 2, 1, 1, 1, 3};
static const crd_i_sparse_logistic problem = {.rows = 6,
                                              .classes = 3,
                                              .features = 3,
                                              .starts = starts,
                                              .indices = indices,
                                              .values = values,
                                              .truths = truths,
                                              .weights = weights,
                                              .ridge = 0.5,
                                              .enough = 1e-15,
                                              .most_steps = 500};

/* LogisticRegression(C=2, fit_intercept=False, tol=1e-12) of scikit-learn 1.9.1. */
static void finds_the_least(void **state) {
    (void)state;
    static const double expected[] = {1.0255238,   -1.23909291, 0.2135691, -0.23732027, 0.74602586,
                                      -0.50870558, -0.89810515, 0.3786521, 0.51945305};
    double solution[9] = {0};
    crd_context *context;
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    assert_true(crd_i_sparse_logistic_fit(context, &problem, solution));
    for (size_t i = 0; i < 9; i++) assert_true(fabs(solution[i] - expected[i]) < 1e-5);
    double loss, half;
    const double some[] = {1, 2, 1, 0, 0, 0}, others[] = {0, 0, 0, 1, 1, 3};
    assert_true(crd_i_sparse_logistic_loss(context, &problem, solution, weights, &loss));
    assert_true(crd_i_sparse_logistic_loss(context, &problem, solution, some, &half));
    loss -= half;
    assert_true(crd_i_sparse_logistic_loss(context, &problem, solution, others, &half));
    assert_true(fabs(loss - half) < 1e-12);
    crd_context_destroy(context);
}

/* A row without weight counts nothing, and no features leave the classes as the base has them. */
static void takes_what_is_degenerate(void **state) {
    (void)state;
    const size_t none[] = {0, 0, 0};
    const double base[] = {log(0.25), log(0.75), log(0.25), log(0.75)}, row_weights[] = {1, 0};
    const int32_t classes[] = {1, 0};
    const crd_i_sparse_logistic empty = {.rows = 2,
                                         .classes = 2,
                                         .features = 0,
                                         .starts = none,
                                         .base = base,
                                         .truths = classes,
                                         .weights = row_weights,
                                         .ridge = 1,
                                         .most_steps = 5};
    double loss, nothing = 0;
    crd_context *context;
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    assert_true(crd_i_sparse_logistic_fit(context, &empty, &nothing));
    assert_true(crd_i_sparse_logistic_loss(context, &empty, &nothing, row_weights, &loss));
    assert_true(fabs(loss + log(0.75)) < 1e-12);
    crd_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(finds_the_least), cmocka_unit_test(takes_what_is_degenerate)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
