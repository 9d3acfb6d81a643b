/* SPDX-License-Identifier: MIT */
/* How many pseudo-counts the family student has: by smoothing, stated, or by marginal likelihood; the last against the
 * integral over mean and variance, and against what mpmath 1.3.0 finds with 30 digits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "density/univariate/family.h"
#include "stats_support.h"

#include <math.h>

static crd_context *context;
static crd_settings *settings;

static void set(const char *name, const char *value) {
    crd_error error;
    assert_int_equal(crd_settings_set(settings, name, crd_text_of(value), &error), CRD_OK);
}

static int set_up(void **state) {
    (void)state;
    if (crd_context_create(NULL, &context) != CRD_OK) return 1;
    return crd_settings_create(context, &settings, NULL) != CRD_OK;
}

static int tear_down(void **state) {
    (void)state;
    crd_settings_destroy(settings);
    crd_context_destroy(context);
    return 0;
}

enum { ROWS = 13, CLASSES = 3 };
static const double numbers[ROWS] = {4.9, 5.1, 5, 5.3, 4.7, 6.2, 5.9, 6.5, 6.1, 6.4, 5.6, 5.2, 5.9};
static const int32_t classes[ROWS] = {0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2};

static crd_i_density *derive_from(const double *cells_of, const int32_t *conditions, size_t count,
                                  const double *weights) {
    static const int32_t order[] = {0, 1, 2, 3};
    crd_i_tally *tally = crd_i_moments.create(context);
    const crd_i_cells cells = {.rows = count, .numbers = cells_of};
    /* The fourth class has no rows. */
    assert_true(tally->type->extend(tally, CLASSES + 1, 0) && add_under(tally, &cells, conditions, weights));
    const crd_i_tallied tallied = {.tally = tally, .view = {order, CLASSES + 1, NULL, 0, NULL}};
    crd_i_density *density;
    crd_error error;
    assert_int_equal(crd_i_family_student.derive(context, &tallied, settings, NULL, &density, &error), CRD_OK);
    crd_i_tally_destroy(tally);
    return density;
}

static double strength_of(const crd_i_density *density) {
    crd_term_parameter parameters[CRD_TERM_PARAMETERS];
    assert_int_equal(crd_i_family_student.parameters(density, 0, parameters), 4);
    assert_string_equal(parameters[3].name, "strength");
    return parameters[3].value;
}

static double find(const double *cells, const int32_t *conditions, size_t count, const double *weights) {
    crd_i_density *density = derive_from(cells, conditions, count, weights);
    double result = strength_of(density);
    crd_i_density_destroy(density);
    return result;
}

/* The logarithm of the integral over mean and variance of the rows' density times the prior's, by the trapezoidal rule
 * in the logarithm of the variance and, for each, in the mean. */
static double integrate(double K, double m0, double V, const double *x, size_t n) {
    enum { VARIANCES = 600, MEANS = 80 };
    static const double PI = 3.14159265358979324;
    double sum = 0, step = 30.0 / VARIANCES, mean = 0;
    for (size_t i = 0; i < n; i++) mean += x[i] / (double)n;
    for (int i = 0; i <= VARIANCES; i++) {
        double variance = V * exp(-15 + i * step), shape = (K - 1) / 2, rate = K * V / 2;
        double center = (K * m0 + (double)n * mean) / (K + (double)n), unit = sqrt(variance / (K + (double)n));
        double inner = 0;
        for (int j = 0; j <= MEANS; j++) {
            double mu = center + unit * 20 * ((double)j / MEANS - 0.5), log_density = 0;
            for (size_t k = 0; k < n; k++)
                log_density -= (x[k] - mu) * (x[k] - mu) / (2 * variance) + log(2 * PI * variance) / 2;
            log_density -= K * (mu - m0) * (mu - m0) / (2 * variance) + log(2 * PI * variance / K) / 2;
            inner += exp(log_density) * unit * 20 / MEANS;
        }
        double log_prior = shape * log(rate) - lgamma(shape) - (shape + 1) * log(variance) - rate / variance;
        sum += inner * exp(log_prior) * variance * step;
    }
    return log(sum);
}

static double integrate_all(double K) {
    double m0 = 0, V = 0;
    for (size_t i = 0; i < ROWS; i++) m0 += numbers[i] / ROWS;
    for (size_t i = 0; i < ROWS; i++) V += (numbers[i] - m0) * (numbers[i] - m0) / ROWS;
    return integrate(K, m0, V, numbers, 5) + integrate(K, m0, V, numbers + 5, 5) + integrate(K, m0, V, numbers + 10, 3);
}

static void strength_makes_rows_most_likely(void **state) {
    (void)state;
    static const double WANTED = 7.7609694908537403;
    set("student", "likelihood");
    double strength = find(numbers, classes, ROWS, NULL);
    assert_true(fabs(strength - WANTED) < 1e-5 * WANTED);
    /* The integral is that of mpmath's closed form, and less on either side. */
    double greatest = integrate_all(strength);
    assert_true(fabs(greatest - -10.7302410921722) < 1e-9);
    assert_true(fabs(integrate_all(2) - -12.0252702879074) < 1e-9);
    for (double factor = 0.2; factor < 6; factor *= 1.1)
        if (fabs(factor - 1) > 0.01) assert_true(integrate_all(1 + (strength - 1) * factor) < greatest);
    /* Smoothing has no say any more. */
    set("smoothing", "none");
    assert_true(find(numbers, classes, ROWS, NULL) == strength);
    set("smoothing", "laplace:3");
    assert_true(find(numbers, classes, ROWS, NULL) == strength);
    set("smoothing", "m:1");
}

/* Neither where zero is nor how long a unit is matters, nor the order of rows, nor whether they come as weights. */
static void strength_has_no_unit(void **state) {
    (void)state;
    double moved[ROWS], weights[ROWS];
    int32_t turned[ROWS];
    set("student", "likelihood");
    double strength = find(numbers, classes, ROWS, NULL);
    static const double factors[] = {0x1p-200, 0x1p-1000, 0x1p900, 0x1p40};
    for (size_t f = 0; f < sizeof factors / sizeof *factors; f++) {
        for (size_t i = 0; i < ROWS; i++) moved[i] = numbers[i] * factors[f];
        assert_true(find(moved, classes, ROWS, NULL) == strength);
    }
    for (size_t i = 0; i < ROWS; i++) {
        moved[i] = numbers[ROWS - 1 - i];
        turned[i] = classes[ROWS - 1 - i];
        weights[i] = 1;
    }
    assert_true(find(moved, turned, ROWS, weights) == strength);
}

static void strength_has_ends(void **state) {
    (void)state;
    static const double alike[] = {1, 2, 3, 1, 2, 3}, one[] = {1, 2, 3, 5}, apart[] = {1, 2, 3, 1001, 1002, 1003};
    static const double still[] = {1, 1, 2, 2}, constant[] = {4, 4, 4, 4};
    static const int32_t two[] = {0, 0, 0, 1, 1, 1}, halves[] = {0, 0, 1, 1}, none[] = {0, 0, 0, 0};
    set("student", "likelihood");
    assert_true(find(alike, two, 6, NULL) == 0x1p20 + 1);
    assert_true(find(one, none, 4, NULL) == 0x1p20 + 1);
    double far = find(apart, two, 6, NULL), narrow = find(still, halves, 4, NULL);
    assert_true(far > 1 && far < 0x1p20 && narrow > 1 && narrow <= 0x1p20 + 1);
    /* What says nothing has nothing to find, and no rows have nothing either. */
    crd_i_density *silent = derive_from(constant, halves, 4, NULL), *empty = derive_from(NULL, NULL, 0, NULL);
    assert_true(silent->is_silent && empty->is_silent);
    crd_i_density_destroy(silent);
    crd_i_density_destroy(empty);
}

/* A number is what smoothing of so many rows would be, and is shown. */
static void strength_can_be_stated(void **state) {
    (void)state;
    static const char *const pairs[][2] = {{"0", "none"}, {"1", "m:1"}, {"2.5", "m:2.5"}};
    crd_term_parameter parameters[CRD_TERM_PARAMETERS];
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        set("smoothing", "laplace:7");
        set("student", pairs[i][0]);
        crd_i_density *stated = derive_from(numbers, classes, ROWS, NULL);
        set("smoothing", pairs[i][1]);
        set("student", "smoothing");
        crd_i_density *smoothed = derive_from(numbers, classes, ROWS, NULL);
        assert_int_equal(crd_i_family_student.parameters(smoothed, 0, parameters), 3);
        for (size_t k = 0; k <= CLASSES; k++)
            for (double x = 3; x < 8; x += 0.37)
                assert_true(crd_i_family_student.log_density(stated, k, x) ==
                            crd_i_family_student.log_density(smoothed, k, x));
        crd_i_density_destroy(stated);
        crd_i_density_destroy(smoothed);
    }
    set("student", "2.5");
    assert_true(find(numbers, classes, ROWS, NULL) == 2.5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(strength_makes_rows_most_likely, set_up, tear_down),
        cmocka_unit_test_setup_teardown(strength_has_no_unit, set_up, tear_down),
        cmocka_unit_test_setup_teardown(strength_has_ends, set_up, tear_down),
        cmocka_unit_test_setup_teardown(strength_can_be_stated, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
