/* SPDX-License-Identifier: MIT */
/* Fitting coefficients by conditional likelihood: where the answer is known in closed form, and what a least is. */
#include "math/logistic_newton.h"

#include "math/functions/elementary.h"

#include <math.h>

#include "counted_fixture.h"

/* Two groups of rows that differ in one feature of class 1: the saturated model's coefficients are log odds. */
static void finds_log_odds(void **state) {
    (void)state;
    const double values[] = {0, 0, 0, 1};
    const int32_t truths[] = {0, 1, 0, 1};
    const double weights[] = {30, 10, 5, 20};
    double rows[4][2];
    for (size_t row = 0; row < 4; row++) {
        rows[row][0] = 0;
        rows[row][1] = values[row < 2 ? 0 : 3];
    }
    crd_i_logistic problem = {.rows = 4,
                              .classes = 2,
                              .features = 1,
                              .values = &rows[0][0],
                              .truths = truths,
                              .weights = weights,
                              .has_offsets = true,
                              .ridge = 1e-9,
                              .enough = 1e-14};
    double coefficient = 0, offsets[2] = {0, 0}, loss;
    bool has_converged;
    assert_true(crd_i_logistic_fit(context, &problem, &coefficient, offsets, &loss, &has_converged));
    assert_true(has_converged);
    /* The ridge of 1e-9 moves them by about 1e-10; what is left is where fitting is told to stop. */
    assert_true(fabs(offsets[1] - offsets[0] - (log(10.0 / 30))) < 1e-6);
    assert_true(fabs(coefficient - (log(20.0 / 5) - log(10.0 / 30))) < 1e-6);
    double entropy = -(30 * log(0.75) + 10 * log(0.25) + 5 * log(0.2) + 20 * log(0.8));
    assert_true(fabs(loss - (entropy)) < 1e-8);
}

/* A feature that speaks against the classes is held at zero, and the other is as if it were alone. */
static void holds_above_zero(void **state) {
    (void)state;
    enum { ROWS = 40 };
    double values[ROWS][2][2], alone[ROWS][2], weights[ROWS];
    int32_t truths[ROWS];
    for (int row = 0; row < ROWS; row++) {
        truths[row] = row % 3 == 0;
        double helpful = (truths[row] == 1 ? 0.4 : -0.3) + 0.1 * (row % 7) - 0.3;
        values[row][0][0] = alone[row][0] = 0;
        values[row][1][0] = alone[row][1] = helpful;
        values[row][0][1] = truths[row] == 1 ? 0.5 : 0;
        values[row][1][1] = truths[row] == 1 ? 0 : 0.5;
        weights[row] = 1;
    }
    crd_i_logistic problem = {.rows = ROWS,
                              .classes = 2,
                              .features = 2,
                              .values = &values[0][0][0],
                              .truths = truths,
                              .weights = weights,
                              .holds_above_zero = true,
                              .ridge = 0.01,
                              .enough = 1e-14};
    double coefficients[2] = {1, 1}, single = 1, loss;
    bool has_converged;
    assert_true(crd_i_logistic_fit(context, &problem, coefficients, NULL, &loss, &has_converged));
    assert_true(has_converged);
    assert_true(coefficients[1] == 0);
    problem.features = 1;
    problem.values = &alone[0][0];
    assert_true(crd_i_logistic_fit(context, &problem, &single, NULL, &loss, &has_converged));
    assert_true(fabs(coefficients[0] - (single)) < 1e-5);
}

static double objective(const crd_i_logistic *p, const double *x, const double *start) {
    double sum = 0;
    for (size_t row = 0; row < p->rows; row++) {
        double total = 0, truth_score = 0;
        for (size_t k = 0; k < p->classes; k++) {
            double score = p->base[row * p->classes + k] + x[p->features + k];
            for (size_t j = 0; j < p->features; j++)
                score += x[j] * p->values[(row * p->classes + k) * p->features + j];
            total += exp(score);
            if ((int32_t)k == p->truths[row]) truth_score = score;
        }
        sum += p->weights[row] * (log(total) - truth_score);
    }
    for (size_t i = 0; i < p->features + p->classes; i++) sum += p->ridge / 2 * (x[i] - start[i]) * (x[i] - start[i]);
    return sum;
}

/* Around the point that it found, no small change lowers the objective, computed here from its definition. */
static void ends_at_a_least(void **state) {
    (void)state;
    enum { ROWS = 60, CLASSES = 3, FEATURES = 4 };
    static double values[ROWS * FEATURES * CLASSES], base[ROWS * CLASSES], weights[ROWS];
    static int32_t truths[ROWS];
    uint32_t next = 12345;
    for (size_t i = 0; i < ROWS * FEATURES * CLASSES; i++) {
        next = next * 1664525u + 1013904223u;
        values[i] = (double)(next >> 8) / (1 << 23) - 1;
    }
    for (size_t row = 0; row < ROWS; row++) {
        next = next * 1664525u + 1013904223u;
        truths[row] = (int32_t)(next >> 16) % CLASSES;
        weights[row] = 0.5 + (double)(row % 4);
        for (size_t k = 0; k < CLASSES; k++) base[row * CLASSES + k] = values[row * 5 % 100 + k] / 2;
    }
    crd_i_logistic problem = {.rows = ROWS,
                              .classes = CLASSES,
                              .features = FEATURES,
                              .values = values,
                              .base = base,
                              .truths = truths,
                              .weights = weights,
                              .has_offsets = true,
                              .ridge = 0.1,
                              .enough = 1e-14};
    double start[FEATURES + CLASSES] = {1, 1, 1, 1, 0, 0, 0}, solution[FEATURES + CLASSES], loss;
    bool has_converged;
    for (size_t i = 0; i < FEATURES + CLASSES; i++) solution[i] = start[i];
    assert_true(crd_i_logistic_fit(context, &problem, solution, solution + FEATURES, &loss, &has_converged));
    assert_true(has_converged);
    double least = objective(&problem, solution, start);
    for (size_t i = 0; i < FEATURES + CLASSES; i++)
        for (int sign = -1; sign <= 1; sign += 2) {
            double moved[FEATURES + CLASSES];
            for (size_t j = 0; j < FEATURES + CLASSES; j++) moved[j] = solution[j];
            moved[i] += sign * 1e-3;
            assert_true(objective(&problem, moved, start) > least);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(finds_log_odds), cmocka_unit_test(holds_above_zero),
                                       cmocka_unit_test(ends_at_a_least)};
    return cmocka_run_group_tests_name("math_conditional", tests, set_up, tear_down);
}
