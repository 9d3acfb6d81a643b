/* SPDX-License-Identifier: MIT */
/* Densities of any shape on more numbers than a few: boxes of kernels against sums over all rows, mixtures against
 * scikit-learn, and columns at the ends of the doubles. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "density/univariate/family.h"
#include "math_random.h"
#include "stats_support.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

static crd_context *context;
static crd_settings *settings;
static const int32_t order[] = {0, 1};

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

static crd_i_density *density_of(const crd_i_family *family, const double *numbers, const int32_t *under, size_t rows) {
    crd_i_tally *grid = crd_i_grid.create(context);
    const crd_i_cells cells = {.rows = rows, .numbers = numbers};
    const crd_i_tallied tallied = {.tally = grid, .view = {order, 2, NULL, 0, NULL}};
    crd_i_density *density;
    crd_error error;
    assert_true(crd_i_grid.extend(grid, 2, 0) && add_under(grid, &cells, under, NULL));
    assert_int_equal(family->derive(context, &tallied, settings, NULL, &density, &error), CRD_OK);
    crd_i_tally_destroy(grid);
    return density;
}

static double uniform(void) {
    return (double)(random_bits() >> 11) * 0x1p-53;
}

/* Two heaps, a gap between them, and a number far away. */
static void kernels_are_sums_over_rows(void **state) {
    (void)state;
    enum { ROWS = 600 };
    static const double h = 0.25, constant = 0.91893853320467274178; /* log(sqrt(2 pi)) */
    double numbers[ROWS];
    for (size_t row = 0; row < ROWS; row++)
        numbers[row] = uniform() + uniform() + uniform() + (row % 3 == 0 ? 12 : 0) + (row == 7 ? 90 : 0);
    set("smoothing", "none");
    set("bandwidth", "0.25");
    crd_i_density *density = density_of(&crd_i_family_kernel, numbers, NULL, ROWS);
    for (double x = -30; x < 140; x += 0.0817) {
        double nearest = INFINITY, sum = 0;
        for (size_t row = 0; row < ROWS; row++) nearest = fmin(nearest, fabs(x - numbers[row]) / h);
        for (size_t row = 0; row < ROWS; row++) {
            double z = fabs(x - numbers[row]) / h;
            sum += exp((nearest * nearest - z * z) / 2);
        }
        double wanted = log(sum) - nearest * nearest / 2 - log(ROWS * h) - constant;
        double got = density->family->log_density(density, 0, x);
        if (!(fabs(got - wanted) <= 1e-10 * (1 + fabs(wanted)))) fail_msg("at %g: %.17g, not %.17g", x, got, wanted);
    }
    crd_i_density_destroy(density);
}

/* SciPy 1.17.1: P = (histogram(x, e)[0] + 1/3) / 5 over e = [0, 2.5, 4.5, 11], x = [.5, 1.5, 2, 4], which the marginal
 * likelihood by gammaln prefers to other numbers of bins; 1/8 of the first and 1/6 of the last lie beyond the ends. */
static void histograms_have_the_likeliest_number_of_bins(void **state) {
    (void)state;
    static const double numbers[] = {0.5, 1.5, 2, 4, 3, 5, 9};
    static const int32_t under[] = {0, 0, 0, 0, 1, 1, 1};
    static const double wanted[][2] = {
        {-1, -3.8011973816621554}, {3.25, -2.0149030205422647}, {12, -6.525458001078011}};
    set("histogram", "likelihood");
    crd_i_density *density = density_of(&crd_i_family_histogram, numbers, under, 7);
    for (size_t i = 0; i < 3; i++)
        assert_true(fabs(density->family->log_density(density, 0, wanted[i][0]) - wanted[i][1]) < 1e-12);
    crd_i_density_destroy(density);
}

/* sklearn.mixture.GaussianMixture(2, tol=1e-14, max_iter=10000, reg_covar=0, random_state=0), scikit-learn 1.9.1, by
 * score_samples; steps end where they add a ten-thousandth to a row. */
static void mixtures_are_those_of_scikit_learn(void **state) {
    (void)state;
    static const double numbers[] = {1, 1.5, 2, 2.5, 3, 1.8, 2.2, 7, 7.5, 8, 8.5, 9, 7.9, 8.1};
    static const double wanted[][2] = {{2, -1.1130253387037587}, {5, -12.758952649626224}, {8, -1.1012600899986427}};
    set("smoothing", "none");
    set("mixture", "2");
    crd_i_density *density = density_of(&crd_i_family_mixture, numbers, NULL, 14);
    for (size_t i = 0; i < 3; i++)
        assert_true(fabs(density->family->log_density(density, 0, wanted[i][0]) - wanted[i][1]) < 1e-6);
    crd_i_density_destroy(density);
}

/* Whatever the numbers and the settings: no NaN, quantiles that are finite, distribution functions that rise. */
static void no_scale_is_too_large(void **state) {
    (void)state;
    enum { ROWS = 6000 };
    static const crd_i_family *const families[] = {&crd_i_family_histogram, &crd_i_family_kernel,
                                                   &crd_i_family_mixture};
    static const char *const rules[] = {"likelihood", "width:7", "frequency:9", "edges:-1:0:2",
                                        "sturges",    "scott",   "freedman"};
    static const char *const widths[] = {"weka", "scott", "silverman", "1e-3", "1e300", "weka", "scott"};
    double *numbers = malloc(ROWS * sizeof *numbers);
    int32_t *under = malloc(ROWS * sizeof *under);
    for (int kind = 0; kind < 7; kind++) {
        for (size_t row = 0; row < ROWS; row++) {
            double x = uniform() - 0.5;
            under[row] = (int32_t)random_below(2);
            numbers[row] = kind == 0   ? x
                           : kind == 1 ? x * 1.9 * DBL_MAX
                           : kind == 2 ? x * 0x1p-1060
                           : kind == 3 ? ldexp(x, (int)random_below(2000) - 1000)
                           : kind == 4 ? (double)random_below(3)
                           : kind == 5 ? 1e15 + floor(x * 8)
                                       : (row == 0 ? 1e300 : x);
        }
        set("histogram", rules[kind]);
        set("bandwidth", widths[kind]);
        set("smoothing", kind % 2 == 0 ? "m:1" : "none");
        for (size_t f = 0; f < 3; f++) {
            crd_i_density *density = density_of(families[f], numbers, under, ROWS);
            for (size_t k = 0; k < 2; k++) {
                double before = 0, mean, deviation;
                families[f]->moments(density, k, &mean, &deviation);
                if (isnan(mean) || isnan(deviation)) fail_msg("%s %d: moments", families[f]->name, kind);
                for (size_t row = 0; row < 50; row++)
                    if (isnan(families[f]->log_density(density, k, numbers[row])))
                        fail_msg("%s %d: NaN at %g", families[f]->name, kind, numbers[row]);
                for (double p = 0.05; p < 1; p += 0.15) {
                    double x = families[f]->quantile(density, k, p), below = families[f]->below(density, k, x);
                    if (!isfinite(x) || !(below >= before - 1e-9))
                        fail_msg("%s %d: %g at %g", families[f]->name, kind, below, x);
                    before = below;
                }
            }
            crd_i_density_destroy(density);
        }
    }
    free(numbers);
    free(under);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(kernels_are_sums_over_rows, set_up, tear_down),
        cmocka_unit_test_setup_teardown(histograms_have_the_likeliest_number_of_bins, set_up, tear_down),
        cmocka_unit_test_setup_teardown(mixtures_are_those_of_scikit_learn, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_scale_is_too_large, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
