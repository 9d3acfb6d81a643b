/* SPDX-License-Identifier: MIT */
/* Named distributions: identities that each of them has to keep (densities add up to one, quantiles undo tails, moments
 * are those of the density, draws follow the tails), and the lectures' numbers. */
#include "math/distribution_internal.h"

#include "math/cholesky.h"
#include "math/functions/elementary.h"
#include "unit/math_random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "counted_fixture.h"

typedef struct example {
    const char *name;
    double values[2];
} example;

/* Ordinary ones of every kind; those beyond one dimension are apart. */
static const example examples[] = {
    {"uniform", {-2, 3.5}},  {"discrete-uniform", {1, 6}}, {"discrete-uniform", {-4, -4}},
    {"binomial", {10, 0.5}}, {"binomial", {400, 0.03}},    {"binomial", {7, 0}},
    {"binomial", {7, 1}},    {"poisson", {0.2}},           {"poisson", {250}},
    {"normal", {0, 1}},      {"normal", {-1e3, 0.25}},     {"student", {1}},
    {"student", {2.5}},      {"student", {1e6}},           {"exponential", {3}},
    {"gamma", {0.4, 2}},     {"gamma", {7.5, 0.1}},        {"gamma", {1e6, 1}},
    {"chi-squared", {1}},    {"chi-squared", {30}},        {"beta", {0.5, 0.5}},
    {"beta", {2, 7}},        {"beta", {3000, 2000}},       {"beta", {1, 1}},
};
enum { EXAMPLES = sizeof examples / sizeof examples[0] };

static crd_distribution *make(const char *name, double first, double second) {
    const crd_distribution_kind *kind = crd_distribution_kind_named(crd_text_of(name));
    double values[2] = {first, second};
    crd_parameter_value given[2];
    crd_distribution *d = NULL;
    crd_error error;
    assert_non_null(kind);
    for (size_t i = 0; i < kind->parameter_count; i++) {
        given[i] = (crd_parameter_value){crd_text_of(kind->parameters[i].name), &values[i], 1};
    }
    crd_status status = crd_distribution_create(context, crd_text_of(name), given, kind->parameter_count, &d, &error);
    if (status != CRD_OK) print_message("%s: %s\n", name, error.message);
    assert_true(status == CRD_OK && crd_distribution_dimension(d) == 1);
    return d;
}

static double density(const crd_distribution *d, double x) {
    return crd_distribution_density(d, &x);
}

static bool close_to(double result, double expected, double relative) {
    bool is_close = fabs(result - expected) <= relative * fabs(expected) || result == expected;
    if (!is_close) print_message("found %.17g, expected %.17g\n", result, expected);
    return is_close;
}

static void test_density_and_logarithm(void **state) {
    (void)state;
    for (size_t i = 0; i < EXAMPLES; i++) {
        crd_distribution *d = make(examples[i].name, examples[i].values[0], examples[i].values[1]);
        double low, high;
        crd_distribution_support(d, &low, &high);
        for (int j = 0; j <= 40; j++) {
            double x = crd_distribution_quantile(d, j / 40.0);
            double log_density = crd_distribution_log_density(d, &x);
            /* What rounds off the logarithm is relative to it. */
            assert_true(close_to(crd_exp(log_density), density(d, x), 1e-15 + 2.3e-16 * fabs(log_density)));
        }
        const double outside[] = {nextafter(low, -INFINITY), nextafter(high, INFINITY), -INFINITY, INFINITY};
        for (int j = 0; j < 4; j++) {
            if ((outside[j] >= low && outside[j] <= high) && !isinf(outside[j])) continue;
            assert_true(density(d, outside[j]) == 0 && isinf(crd_distribution_log_density(d, &outside[j])));
        }
        assert_true(isnan(density(d, NAN)) && isnan(crd_distribution_below(d, NAN)));
        if (crd_distribution_kind_of(d)->is_discrete) assert_true(density(d, low + 0.5) == 0);
        crd_distribution_destroy(d);
    }
}

static void test_tails(void **state) {
    (void)state;
    for (size_t i = 0; i < EXAMPLES; i++) {
        crd_distribution *d = make(examples[i].name, examples[i].values[0], examples[i].values[1]);
        double last = 0, middle = crd_distribution_quantile(d, 0.5);
        assert_true(crd_distribution_below(d, -INFINITY) == 0 && crd_distribution_above(d, -INFINITY) == 1);
        assert_true(crd_distribution_below(d, INFINITY) == 1 && crd_distribution_above(d, INFINITY) == 0);
        for (int j = 0; j <= 200; j++) {
            double x = crd_distribution_quantile(d, j / 200.0), below = crd_distribution_below(d, x);
            assert_true(below >= last && below >= j / 200.0 - 1e-12);
            assert_true(close_to(crd_distribution_above(d, x), 1 - below, 1e-13) || below > 0.99);
            last = below;
            /* P(X = x) lies between what is under x and what is at most x; a fraction splits no whole number. */
            double mass = crd_distribution_kind_of(d)->is_discrete ? density(d, x) : 0;
            assert_true(close_to(crd_distribution_less(d, x) + mass, below, 1e-12));
            assert_true(close_to(crd_distribution_at_least(d, x) - mass, crd_distribution_above(d, x), 1e-12));
        }
        assert_true(close_to(crd_distribution_between(d, -INFINITY, INFINITY), 1, 0));
        double both = crd_distribution_between(d, -INFINITY, middle) + crd_distribution_above(d, middle);
        assert_true(close_to(both, 1, 1e-14));
        assert_true(crd_distribution_between(d, 2, 1) == 0);
        crd_distribution_destroy(d);
    }
}

static void test_quantiles_undo_tails(void **state) {
    (void)state;
    for (size_t i = 0; i < EXAMPLES; i++) {
        crd_distribution *d = make(examples[i].name, examples[i].values[0], examples[i].values[1]);
        bool is_discrete = crd_distribution_kind_of(d)->is_discrete != 0;
        for (int j = 0; j < 60; j++) {
            double p = j % 2 ? ((double)random_below(9999) + 0.5) / 10000 : ldexp(0.7, -(int)random_below(200));
            double x = crd_distribution_quantile(d, p), from_above = crd_distribution_quantile_above(d, p);
            if (is_discrete) {
                assert_true(x == floor(x) && crd_distribution_below(d, x) >= p && crd_distribution_below(d, x - 1) < p);
                assert_true(crd_distribution_above(d, from_above) <= p);
                assert_true(crd_distribution_above(d, from_above - 1) > p);
                /* Of a value that is likely enough to move the tail, the tail leads back to it. */
                if (density(d, x) > 1e-10 && crd_distribution_below(d, x) < 1) {
                    assert_true(crd_distribution_quantile(d, crd_distribution_below(d, x)) == x);
                }
                continue;
            }
            double rounding = 4 * fabs(x) * 0x1p-52 * density(d, x) / p;
            if (isinf(density(d, x))) rounding = 0.01;
            assert_true(close_to(crd_distribution_below(d, x), p, 2e-13 + rounding));
            rounding = 4 * fabs(from_above) * 0x1p-52 * density(d, from_above) / p;
            assert_true(isinf(rounding) || close_to(crd_distribution_above(d, from_above), p, 2e-13 + rounding));
        }
        assert_true(isnan(crd_distribution_quantile(d, -0.1)) && isnan(crd_distribution_quantile(d, 1.1)));
        double low, high, least, most;
        crd_distribution_support(d, &least, &most);
        crd_distribution_interval(d, 1, &low, &high);
        assert_true(low == least && high == most);
        crd_distribution_interval(d, 0.9, &low, &high);
        assert_true(crd_distribution_between(d, low, high) >= 0.9 - 1e-12);
        crd_distribution_destroy(d);
    }
}

/* Sums over whole numbers, or Simpson's rule between quantiles close to the ends: total, mean and variance. */
static void integrate(const crd_distribution *d, double sums[3]) {
    bool is_discrete = crd_distribution_kind_of(d)->is_discrete != 0;
    double low = crd_distribution_quantile(d, 1e-15), high = crd_distribution_quantile_above(d, 1e-15);
    int steps = is_discrete ? (int)(high - low) : 40000;
    double width = is_discrete ? 1 : (high - low) / steps, center = crd_distribution_quantile(d, 0.5);
    sums[0] = sums[1] = sums[2] = 0;
    for (int i = 0; i <= steps; i++) {
        double x = low + i * width, weight = is_discrete ? 1 : (i == 0 || i == steps ? 1 : i % 2 ? 4 : 2) * width / 3;
        double mass = weight * density(d, x), off = x - center;
        sums[0] += mass, sums[1] += mass * off, sums[2] += mass * off * off;
    }
    sums[2] -= sums[1] * sums[1];
    sums[1] += center;
}

static void test_moments_are_those_of_the_density(void **state) {
    (void)state;
    for (size_t i = 0; i < EXAMPLES; i++) {
        crd_distribution *d = make(examples[i].name, examples[i].values[0], examples[i].values[1]);
        double sums[3], mean, variance, end = crd_distribution_quantile(d, 1e-15);
        crd_distribution_mean(d, &mean);
        crd_distribution_variance(d, &variance);
        bool has_pole = isinf(density(d, 0)) || density(d, end) > 1e3;
        bool is_heavy = !(crd_distribution_quantile_above(d, 1e-15) < 100 * sqrt(variance) + fabs(mean));
        if (!has_pole && !is_heavy) {
            integrate(d, sums);
            assert_true(close_to(sums[0], 1, 1e-10));
            assert_true(fabs(sums[1] - mean) < 1e-9 * (sqrt(variance) + fabs(mean)));
            assert_true(fabs(sums[2] - variance) <= 1e-8 * variance);
        }
        crd_distribution_destroy(d);
    }
    crd_distribution *cauchy = make("student", 1, 0), *heavy = make("student", 2, 0);
    double moment;
    crd_distribution_mean(cauchy, &moment);
    assert_true(isnan(moment));
    crd_distribution_variance(heavy, &moment);
    assert_true(isinf(moment));
    crd_distribution_destroy(cauchy);
    crd_distribution_destroy(heavy);
}

/* The tails at the draws are uniform (Kolmogorov's distance); of discrete ones each value has its share. */
static void test_draws_follow_the_tails(void **state) {
    (void)state;
    enum { COUNT = 2000 };
    double draws[COUNT], again[10];
    for (size_t i = 0; i < EXAMPLES; i++) {
        crd_distribution *d = make(examples[i].name, examples[i].values[0], examples[i].values[1]);
        crd_distribution_sample(d, 11, 0, COUNT, draws);
        crd_distribution_sample(d, 11, 500, 10, again);
        for (int j = 0; j < 10; j++) assert_true(again[j] == draws[500 + j]);
        for (int j = 1; j < 20; j++) {
            double x = crd_distribution_quantile(d, j / 20.0), expected = crd_distribution_below(d, x);
            int below = 0;
            for (int k = 0; k < COUNT; k++) below += draws[k] <= x;
            assert_true(fabs((double)below / COUNT - expected) <= 5 * sqrt(expected * (1 - expected) / COUNT) + 1e-12);
        }
        crd_distribution_destroy(d);
    }
}

/* Draw from a normal distribution, estimate it, and find it again. */
static void test_sample_fit_recover(void **state) {
    (void)state;
    enum { COUNT = 20000 };
    static double draws[COUNT];
    crd_distribution *d = make("normal", 21.64, 2.35);
    double sum = 0, squares = 0;
    crd_distribution_sample(d, 1, 0, COUNT, draws);
    for (int i = 0; i < COUNT; i++) sum += draws[i];
    for (int i = 0; i < COUNT; i++) squares += (draws[i] - sum / COUNT) * (draws[i] - sum / COUNT);
    assert_true(fabs(sum / COUNT - 21.64) < 5 * 2.35 / sqrt(COUNT));
    assert_true(fabs(sqrt(squares / (COUNT - 1)) - 2.35) < 5 * 2.35 / sqrt(2 * COUNT));
    crd_distribution_destroy(d);
}

/* Whatever parameters and points are allowed: probabilities that are some, in time, and no NaN. */
static void test_extremes(void **state) {
    (void)state;
    const double parameters[] = {0, 1e-300, 1e-17, 0.999999, 1, 30, 1e6, 1.1e8, 1e12, 1e300};
    const double points[] = {-INFINITY, -1e300, -1,  0,   5e-324, 1e-20, 0.3,    0.9999999,
                             1,         2,      1e4, 1e8, 1e12,   1e150, 1.7e308};
    enum { PARAMETERS = sizeof parameters / sizeof parameters[0], POINTS = sizeof points / sizeof points[0] };
    const crd_distribution_kind *kind;
    for (size_t t = 0; (kind = crd_distribution_kind_at(t)) != NULL; t++) {
        for (int i = 0; i < PARAMETERS * PARAMETERS; i++) {
            const double values[2] = {parameters[i / PARAMETERS], parameters[i % PARAMETERS]};
            crd_parameter_value given[2];
            if (kind->parameters[0].form == CRD_PARAMETER_LIST || (kind->parameter_count == 1 && i % PARAMETERS > 0))
                continue;
            for (size_t j = 0; j < kind->parameter_count; j++) {
                given[j] = (crd_parameter_value){crd_text_of(kind->parameters[j].name), &values[j], 1};
            }
            crd_distribution *d = NULL;
            crd_text name = crd_text_of(kind->name);
            if (crd_distribution_create(context, name, given, kind->parameter_count, &d, NULL) != CRD_OK) continue;
            for (int j = 0; j < POINTS; j++) {
                double below = crd_distribution_below(d, points[j]), above = crd_distribution_above(d, points[j]);
                bool fits = below >= 0 && below <= 1 && above >= 0 && above <= 1 && fabs(below + above - 1) < 1e-12;
                fits = fits && density(d, points[j]) >= 0 && !isnan(crd_distribution_log_density(d, &points[j]));
                if (!fits) print_message("%s %g %g at %g\n", kind->name, values[0], values[1], points[j]);
                assert_true(fits);
            }
            double low, high, draw;
            crd_distribution_support(d, &low, &high);
            crd_distribution_sample(d, 1, (uint64_t)i, 1, &draw);
            assert_true(draw >= low && draw <= high);
            for (int j = 0; j < 3; j++) {
                double p = j == 0 ? 1e-300 : j == 1 ? 0.3 : 1 - 0x1p-53, x = crd_distribution_quantile(d, p);
                assert_true(x >= low && x <= high && (!kind->is_discrete || crd_distribution_below(d, x) >= p));
            }
            crd_distribution_destroy(d);
        }
    }
}

/* ---- Values from elsewhere ---- */

static void test_known_values(void **state) {
    (void)state;
    crd_distribution *d = make("chi-squared", 1, 0);
    /* The 5 % points of the usual tables, to the digits that they print. */
    assert_true(fabs(crd_distribution_quantile_above(d, 0.05) - 3.841) < 5e-4);
    /* One degree of freedom is a squared normal number. */
    assert_true(close_to(crd_distribution_above(d, 1e2), 2 * crd_i_normal_tails(10).above, 1e-14));
    crd_distribution_destroy(d);
    d = make("student", 10, 0);
    assert_true(fabs(crd_distribution_quantile_above(d, 0.025) - 2.228) < 5e-4);
    crd_distribution_destroy(d);
    /* Cauchy: 1/2 - arctan(t) / pi; at 1 a quarter, far out 1 / (pi t), further than t^2 goes. */
    d = make("student", 1, 0);
    assert_true(close_to(crd_distribution_above(d, 1), 0.25, 1e-15));
    assert_true(close_to(crd_distribution_above(d, 1e200), 0.3183098861837907e-200, 1e-14));
    assert_true(close_to(crd_distribution_below(d, -1e90), 0.3183098861837907e-90, 1e-14));
    assert_true(close_to(density(d, 2), 0.3183098861837907 / 5, 1e-15));
    crd_distribution_destroy(d);
    /* Many degrees: nearly normal, by about (z^3 + z) / (4 v) times the density. */
    d = make("student", 1e10, 0);
    assert_true(close_to(crd_distribution_above(d, 3), crd_i_normal_tails(3).above, 1e-8));
    crd_distribution_destroy(d);
    /* Two degrees: 1/2 - t / (2 sqrt(2 + t^2)). */
    d = make("student", 2, 0);
    assert_true(close_to(crd_distribution_above(d, 1), 0.5 - 0.5 / sqrt(3), 1e-14));
    crd_distribution_destroy(d);
    /* A beta distribution of whole shapes is a binomial tail. */
    d = make("beta", 3, 8);
    crd_distribution *trials = make("binomial", 10, 0.3);
    assert_true(close_to(crd_distribution_below(d, 0.3), crd_distribution_above(trials, 2), 1e-14));
    crd_distribution_destroy(d);
    crd_distribution_destroy(trials);
    d = make("poisson", 0, 0);
    assert_true(density(d, 0) == 1 && density(d, 1) == 0 && crd_distribution_quantile(d, 0.99) == 0);
    crd_distribution_destroy(d);
}

/* Digits of 1 - P are left in the upper tail where P itself has all but rounded to one. From sums and integrals of 40
 * digits. */
static void test_far_quantiles(void **state) {
    (void)state;
    const double p = 1 - 0x1p-53;
    crd_distribution *d = make("gamma", 0.3, 1);
    assert_true(close_to(crd_distribution_quantile(d, p), 33.169553612604870583, 1e-14));
    assert_true(crd_distribution_quantile(d, p) == crd_distribution_quantile_above(d, 0x1p-53));
    /* Of a point so far out the logarithm is still a number. */
    double far = 1e308;
    assert_true(crd_distribution_log_density(d, &far) == -1e308 && density(d, far) == 0);
    crd_distribution_destroy(d);
    d = make("poisson", 1e5, 0);
    assert_true(crd_distribution_quantile(d, p) == 102607);
    assert_true(crd_distribution_quantile_above(d, 0x1p-53) == 102607);
    crd_distribution_destroy(d);
    d = make("beta", 2, 30);
    assert_true(crd_distribution_quantile(d, p) == crd_distribution_quantile_above(d, 0x1p-53));
    assert_true(close_to(crd_distribution_above(d, crd_distribution_quantile(d, p)), 0x1p-53, 1e-12));
    crd_distribution_destroy(d);
}

/* Differences and squares of numbers that fit may not. */
static void test_ends_of_the_range(void **state) {
    (void)state;
    crd_distribution *d = make("normal", 1e308, 1e308);
    assert_true(close_to(crd_distribution_below(d, -1e308), crd_i_normal_tails(-2).below, 1e-14));
    assert_true(close_to(crd_distribution_quantile_above(d, crd_i_normal_tails(0.5).above), 1.5e308, 1e-14));
    crd_distribution_destroy(d);
    d = make("normal", -1.5e308, 1e308);
    assert_true(close_to(crd_distribution_quantile(d, crd_i_normal_tails(2.5).below), 1e308, 1e-13));
    crd_distribution_destroy(d);
    const struct {
        const char *name;
        double values[2], deviation;
    } wide[] = {{"normal", {0, 1e200}, 1e200},
                {"normal", {0, 1e-200}, 1e-200},
                {"exponential", {1e-200, 0}, 1e200},
                {"gamma", {4, 1e200}, 2e200},
                {"gamma", {4, 1e-200}, 2e-200},
                {"chi-squared", {8, 0}, 4},
                {"uniform", {0, 1e200}, 1e200 / sqrt(12)}};
    for (size_t i = 0; i < sizeof wide / sizeof wide[0]; i++) {
        d = make(wide[i].name, wide[i].values[0], wide[i].values[1]);
        assert_true(close_to(crd_distribution_deviation(d), wide[i].deviation, 1e-15));
        crd_distribution_destroy(d);
    }
    d = make("student", 1.5, 0);
    assert_true(isinf(crd_distribution_deviation(d)));
    crd_distribution_destroy(d);
}

/* ---- The lectures ---- */

static void test_areas_under_the_normal_curve(void **state) {
    (void)state;
    crd_distribution *d = make("normal", 100, 15);
    const double areas[] = {0.6827, 0.9545, 0.9973};
    for (int k = 1; k <= 3; k++) {
        assert_true(fabs(crd_distribution_between(d, 100 - 15 * k, 100 + 15 * k) - areas[k - 1]) < 5e-5);
    }
    crd_distribution_destroy(d);
}

static void test_coins(void **state) {
    (void)state;
    crd_distribution *ten = make("binomial", 10, 0.5), *three = make("binomial", 3, 0.5);
    assert_true(close_to(density(ten, 5) * density(ten, 7), 252.0 * 120 / 1048576, 1e-15));
    assert_true(density(ten, 0) == 1.0 / 1024);
    assert_true(density(three, 2) == 3.0 / 8);
    assert_true(close_to(crd_distribution_between(three, 2, 3), 4.0 / 8, 1e-15));
    crd_distribution_destroy(ten);
    crd_distribution_destroy(three);
}

static void test_two_dice(void **state) {
    (void)state;
    crd_distribution *die = make("discrete-uniform", 1, 6);
    double total = 0, mean = 0, square = 0;
    for (int i = 1; i <= 6; i++) {
        for (int j = 1; j <= 6; j++) {
            double p = density(die, i) * density(die, j);
            total += p, mean += p * (i + j), square += p * (i + j) * (i + j);
        }
    }
    assert_true(close_to(total, 1, 1e-14) && close_to(mean, 7, 1e-14));
    assert_true(close_to(square - mean * mean, 35.0 / 6, 1e-13));
    /* And as twice that of one die. */
    double of_one, variance;
    crd_distribution_mean(die, &of_one);
    crd_distribution_variance(die, &variance);
    assert_true(2 * of_one == 7 && close_to(2 * variance, 35.0 / 6, 1e-15));
    crd_distribution_destroy(die);
}

/* ---- Several dimensions ---- */

static void test_multivariate_normal(void **state) {
    (void)state;
    const double mean[] = {1, -2, 0.5}, covariance[] = {4, 1, 0.5, 1, 2, -0.3, 0.5, -0.3, 1};
    crd_parameter_value given[] = {{crd_text_of("mean"), mean, 3}, {crd_text_of("covariance"), covariance, 9}};
    crd_text name = crd_text_of("multivariate-normal");
    crd_distribution *d = NULL;
    crd_error error;
    assert_true(crd_distribution_create(context, name, given, 2, &d, &error) == CRD_OK);
    assert_true(crd_distribution_dimension(d) == 3);
    double back[9];
    crd_distribution_variance(d, back);
    assert_memory_equal(back, covariance, sizeof back);
    /* At the mean: (2 pi)^(-3/2) / sqrt(det), the determinant by hand: 4 (2 - 0.09) - 1 (1 + 0.15) + 0.5 (-0.3 - 1). */
    double determinant = 4 * (2 - 0.09) - (1 + 0.15) + 0.5 * (-0.3 - 1), pi2 = 6.283185307179586;
    assert_true(close_to(crd_distribution_density(d, mean), 1 / sqrt(pi2 * pi2 * pi2 * determinant), 1e-14));
    assert_true(isnan(crd_distribution_below(d, 0)) && isnan(crd_distribution_quantile(d, 0.5)));
    /* Draw, estimate, recover. */
    enum { COUNT = 20000 };
    double *draws = malloc(COUNT * 3 * sizeof *draws);
    crd_distribution_sample(d, 5, 0, COUNT, draws);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = 0;
            for (int k = 0; k < COUNT; k++) sum += (draws[3 * k + i] - mean[i]) * (draws[3 * k + j] - mean[j]);
            assert_true(fabs(sum / COUNT - covariance[3 * i + j]) < 5 * 6.0 / sqrt(COUNT));
        }
    }
    free(draws);
    crd_distribution_destroy(d);

    /* Without covariances it is the product of its dimensions. */
    const double middle[] = {3, -1}, apart[] = {0.25, 0, 0, 9}, x[] = {3.4, 2};
    crd_parameter_value two[] = {{crd_text_of("covariance"), apart, 4}, {crd_text_of("mean"), middle, 2}};
    assert_true(crd_distribution_create(context, name, two, 2, &d, &error) == CRD_OK);
    crd_distribution *first = make("normal", 3, 0.5), *second = make("normal", -1, 3);
    assert_true(close_to(crd_distribution_density(d, x), density(first, x[0]) * density(second, x[1]), 1e-14));
    crd_distribution_destroy(first);
    crd_distribution_destroy(second);
    crd_distribution_destroy(d);
}

static void test_cholesky(void **state) {
    (void)state;
    enum { SIZE = 12 };
    double root[SIZE * SIZE], matrix[SIZE * SIZE], lower[SIZE * SIZE], inverse[SIZE * SIZE];
    for (int i = 0; i < SIZE * SIZE; i++) root[i] = (double)random_below(2000) / 1000 - 1;
    for (int i = 0; i < SIZE * SIZE; i++) {
        matrix[i] = i / SIZE == i % SIZE ? 0.1 : 0;
        for (int k = 0; k < SIZE; k++) matrix[i] += root[i / SIZE * SIZE + k] * root[i % SIZE * SIZE + k];
    }
    assert_true(crd_i_cholesky(matrix, SIZE, lower));
    crd_i_invert_lower(lower, SIZE, inverse);
    for (int i = 0; i < SIZE * SIZE; i++) {
        double product = 0, one = 0;
        for (int k = 0; k < SIZE; k++) {
            product += lower[i / SIZE * SIZE + k] * lower[i % SIZE * SIZE + k];
            one += lower[i / SIZE * SIZE + k] * inverse[k * SIZE + i % SIZE];
        }
        assert_true(fabs(product - matrix[i]) < 1e-14 && fabs(one - (i / SIZE == i % SIZE)) < 1e-12);
    }
    const double singular[] = {1, 2, 2, 4}, negative[] = {1, 2, 2, 1};
    assert_false(crd_i_cholesky(singular, 2, lower) || crd_i_cholesky(negative, 2, lower));
}

/* ---- What is refused ---- */

static void refuse(const char *name, const char *parameter, const double *values, size_t count, const char *message) {
    crd_parameter_value given = {crd_text_of(parameter), values, count};
    crd_distribution *d = (crd_distribution *)&given;
    crd_error error;
    assert_int_equal(crd_distribution_create(context, crd_text_of(name), &given, 1, &d, &error), CRD_ERROR_SETTING);
    assert_null(d);
    assert_string_equal(error.message, message);
}

static void test_refusals(void **state) {
    (void)state;
    const double one = 1, half = 0.5, minus = -1, two[] = {1, 2}, skew[] = {1, 0.5, 0.4, 1}, none = NAN;
    refuse("gauss", "mean", &one, 1, "unknown distribution 'gauss'");
    refuse("normal", "spread", &one, 1, "normal has no parameter 'spread'");
    refuse("normal", "sd", &minus, 1, "sd must be a positive number, not -1");
    refuse("normal", "mean", &none, 1, "mean must be a finite number, not nan");
    refuse("normal", "mean", two, 2, "mean must be one number");
    refuse("normal", "mean", two, 0, "mean has no value");
    refuse("binomial", "p", &half, 1, "n is missing");
    refuse("binomial", "n", &half, 1, "n must be a whole number, not 0.5");
    refuse("binomial", "p", &minus, 1, "p must be from 0 to 1, not -1");
    refuse("gamma", "shape", &minus, 1, "shape must be a positive number of at most 1000000000000, not -1");
    refuse("uniform", "to", &minus, 1, "from must be less than to");
    refuse("discrete-uniform", "to", &minus, 1, "from is greater than to");
    refuse("multivariate-normal", "covariance", two, 2,
           "covariance must be a square matrix, row by row: 1, 4, 9, ... numbers");
    const double mean[] = {0, 0}, flat[] = {1, 1, 1, 1};
    crd_parameter_value given[] = {{crd_text_of("mean"), mean, 2}, {crd_text_of("covariance"), skew, 4}};
    crd_distribution *d;
    crd_text name = crd_text_of("multivariate-normal");
    crd_error error;
    assert_int_equal(crd_distribution_create(context, name, given, 2, &d, &error), CRD_ERROR_SETTING);
    given[1].values = flat;
    assert_int_equal(crd_distribution_create(context, name, given, 2, &d, &error), CRD_ERROR_SETTING);
    given[1] = given[0];
    assert_int_equal(crd_distribution_create(context, name, given, 2, &d, &error), CRD_ERROR_SETTING);
    assert_string_equal(error.message, "mean is specified twice");
}

typedef struct distribution_countdown {
    size_t left;
} distribution_countdown;

static void *failing_resize(void *user, void *block, size_t bytes) {
    distribution_countdown *c = user;
    if (bytes == 0) {
        free(block);
        return NULL;
    }
    if (c->left == 0) return NULL;
    c->left--;
    return realloc(block, bytes);
}

static void test_every_allocation_may_fail(void **state) {
    (void)state;
    const double mean[] = {0, 0}, covariance[] = {1, 0, 0, 1};
    crd_parameter_value given[] = {{crd_text_of("mean"), mean, 2}, {crd_text_of("covariance"), covariance, 4}};
    crd_status status = CRD_ERROR_MEMORY;
    for (size_t allowed = 1; status != CRD_OK; allowed++) {
        distribution_countdown count = {allowed};
        crd_context_options options = CRD_CONTEXT_OPTIONS_INIT;
        options.resize = failing_resize;
        options.resize_user = &count;
        crd_context *failing = NULL;
        crd_distribution *d = NULL;
        assert_int_equal(crd_context_create(&options, &failing), CRD_OK);
        status = crd_distribution_create(failing, crd_text_of("multivariate-normal"), given, 2, &d, NULL);
        assert_true(status == CRD_OK ? d != NULL : status == CRD_ERROR_MEMORY && d == NULL);
        assert_true(allowed < 20);
        crd_distribution_destroy(d);
        crd_context_destroy(failing);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_density_and_logarithm),
        cmocka_unit_test(test_tails),
        cmocka_unit_test(test_quantiles_undo_tails),
        cmocka_unit_test(test_moments_are_those_of_the_density),
        cmocka_unit_test(test_draws_follow_the_tails),
        cmocka_unit_test(test_sample_fit_recover),
        cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_known_values),
        cmocka_unit_test(test_far_quantiles),
        cmocka_unit_test(test_ends_of_the_range),
        cmocka_unit_test(test_areas_under_the_normal_curve),
        cmocka_unit_test(test_coins),
        cmocka_unit_test(test_two_dice),
        cmocka_unit_test(test_multivariate_normal),
        cmocka_unit_test(test_cholesky),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("math_distribution", tests, set_up, tear_down);
}
