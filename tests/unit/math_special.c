/* SPDX-License-Identifier: MIT */
/* Special functions against MPFR: its own where it has one, else power series summed to 1,200 bits, which serve both
 * tails down to 1e-300. The bounds are those that special.h states. */
#include "math/functions/special.h"

#include "math/functions/elementary.h"
#include "sanitizer_support.h"
#include "unit/math_random.h"

#include <math.h>
#include <mpfr.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { BITS = 1200 };

static double unit(void) {
    return (double)(random_bits() >> 11) * 0x1p-53;
}

/* 10 to a power between the two. */
static double decades(double start, double upper) {
    return exp((start + (upper - start) * unit()) * 2.302585092994046);
}

/* |value - exact| / |exact|; results that a double cannot hold to full precision do not count. */
static double relative_error(double value, mpfr_t exact) {
    double nearest = fabs(mpfr_get_d(exact, MPFR_RNDN));
    if (nearest < 1e-300) return value >= 0 && value < 2e-300 ? 0 : INFINITY;
    mpfr_t difference;
    mpfr_init2(difference, BITS);
    mpfr_sub_d(difference, exact, value, MPFR_RNDN);
    mpfr_div(difference, difference, exact, MPFR_RNDN);
    double error = fabs(mpfr_get_d(difference, MPFR_RNDN));
    mpfr_clear(difference);
    return error;
}

typedef struct special_worst {
    double error, cursor[3];
} special_worst;

static void note(special_worst *w, double error, double a, double b, double x) {
    if (error <= w->error) return; /* a NaN is kept */
    *w = (special_worst){error, {a, b, x}};
}

static void check(const char *description, const special_worst *w, double bound) {
    print_message("%s: %.3g at %.17g %.17g %.17g\n", description, w->error, w->cursor[0], w->cursor[1], w->cursor[2]);
    assert_true(w->error <= bound);
}

/* ---- Pairs ---- */

static void test_pairs(void **state) {
    (void)state;
    mpfr_t exact, low;
    mpfr_inits2(300, exact, low, (mpfr_ptr)0);
    for (int i = 0; i < FEWER_IF_SANITIZED(20000); i++) {
        double x = i % 2 ? decades(-300, 300) : 1 + ldexp(unit() - 0.5, -(int)random_below(53));
        crd_i_pair log_x = crd_i_pair_log(crd_i_pair_of(x));
        mpfr_set_d(exact, x, MPFR_RNDN);
        mpfr_log(exact, exact, MPFR_RNDN);
        mpfr_set_d(low, log_x.high, MPFR_RNDN);
        mpfr_add_d(low, low, log_x.low, MPFR_RNDN);
        mpfr_sub(low, low, exact, MPFR_RNDN);
        if (!mpfr_zero_p(exact)) mpfr_div(low, low, exact, MPFR_RNDN);
        assert_true(fabs(mpfr_get_d(low, MPFR_RNDN)) < 0x1p-98);
        /* There and back again, to the bit. */
        assert_true(crd_i_pair_exp(log_x) == x);
    }
    for (int i = 0; i < FEWER_IF_SANITIZED(20000); i++) {
        double x = i % 2 ? decades(-300, -0.3) : -decades(-300, 1);
        mpfr_set_d(exact, x, MPFR_RNDN);
        mpfr_expm1(exact, exact, MPFR_RNDN);
        assert_true(relative_error(crd_i_pair_expm1(crd_i_pair_of(x)), exact) < 0x1p-51);
    }
    assert_true(crd_i_pair_exp(crd_i_pair_of(-INFINITY)) == 0 && isinf(crd_i_pair_exp(crd_i_pair_of(INFINITY))));
    mpfr_clears(exact, low, (mpfr_ptr)0);
}

/* ---- Gamma ---- */

static void test_log_gamma(void **state) {
    (void)state;
    mpfr_t exact;
    mpfr_init2(exact, 200);
    special_worst w = {0};
    for (int i = 0; i < FEWER_IF_SANITIZED(20000); i++) {
        double near = ldexp(unit() - 0.5, -(int)random_below(54));
        double x = i % 4 == 0 ? decades(-300, 300) : i % 4 == 1 ? 1 + near : i % 4 == 2 ? 2 + near : 60 * unit();
        int sign;
        mpfr_set_d(exact, x, MPFR_RNDN);
        mpfr_lgamma(exact, &sign, exact, MPFR_RNDN);
        if (!mpfr_zero_p(exact)) note(&w, relative_error(crd_i_log_gamma(x), exact), x, 0, 0);
    }
    mpfr_clear(exact);
    check("log gamma", &w, 0x1p-52);
    assert_true(crd_i_log_gamma(1) == 0 && crd_i_log_gamma(2) == 0);
    assert_true(crd_i_log_gamma(5e-324) > 744.4 && crd_i_log_gamma(1e300) > 6.8e302);
}

/* P = x^a e^-x / Gamma(1 + a) (1 + x/(a+1) + ...) */
static void exact_gamma(double a, double x, mpfr_t below, mpfr_t above) {
    mpfr_t term, next;
    mpfr_inits2(BITS, term, next, (mpfr_ptr)0);
    mpfr_set_d(next, a, MPFR_RNDN);
    mpfr_set_ui(term, 1, MPFR_RNDN);
    mpfr_set_ui(below, 1, MPFR_RNDN);
    do {
        mpfr_add_ui(next, next, 1, MPFR_RNDN);
        mpfr_mul_d(term, term, x, MPFR_RNDN);
        mpfr_div(term, term, next, MPFR_RNDN);
        mpfr_add(below, below, term, MPFR_RNDN);
    } while (mpfr_get_exp(term) > mpfr_get_exp(below) - BITS);
    mpfr_set_d(term, x, MPFR_RNDN);
    mpfr_log(term, term, MPFR_RNDN);
    mpfr_mul_d(term, term, a, MPFR_RNDN);
    mpfr_sub_d(term, term, x, MPFR_RNDN);
    mpfr_set_d(next, a, MPFR_RNDN);
    mpfr_add_ui(next, next, 1, MPFR_RNDN);
    mpfr_lngamma(next, next, MPFR_RNDN);
    mpfr_sub(term, term, next, MPFR_RNDN);
    mpfr_exp(term, term, MPFR_RNDN);
    mpfr_mul(below, below, term, MPFR_RNDN);
    mpfr_ui_sub(above, 1, below, MPFR_RNDN);
    mpfr_clears(term, next, (mpfr_ptr)0);
}

static void compare_gamma(double a, double x, special_worst *w) {
    mpfr_t below, above;
    mpfr_inits2(BITS, below, above, (mpfr_ptr)0);
    exact_gamma(a, x, below, above);
    crd_i_tails tails = crd_i_gamma_tails(a, x);
    note(&w[0], relative_error(tails.below, below), a, x, tails.below);
    note(&w[1], relative_error(tails.above, above), a, x, tails.above);
    mpfr_clears(below, above, (mpfr_ptr)0);
}

static void test_gamma_tails(void **state) {
    (void)state;
    special_worst w[2] = {{0}}, large[2] = {{0}};
    for (int i = 0; i < 100; i++) {
        double a = i % 2 ? decades(-3, 3) : 20 * unit();
        compare_gamma(a, a * exp(6 * unit() - 3), w);
        compare_gamma(decades(-16, 0), decades(-300, 1), w);
        compare_gamma(decades(-300, -16), i % 2 ? decades(-300, 0) : 30 * unit(), w);
        compare_gamma(0.5 * (1 + (double)random_below(60)), 200 * unit() + 1e-3, w); /* chi-squared */
    }
    for (int i = 0; i < 12; i++) {
        double a = decades(3, 6), z = 60 * unit() - 30;
        if (a + z * sqrt(a) > 0) compare_gamma(a, a + z * sqrt(a), w);
    }
    check("P", &w[0], 1e-14);
    check("Q", &w[1], 1e-14);
    /* On both sides of where the uniform expansion takes over, and far beyond. */
    for (int i = 0; i < 3; i++) {
        double deviations[] = {-9, 0.3, 11}, z = deviations[i];
        compare_gamma(9e7, 9e7 + z * sqrt(9e7), large);
        compare_gamma(1.1e8, 1.1e8 + z * sqrt(1.1e8), large);
    }
    check("P, a = 1e8", &large[0], 1e-13);
    check("Q, a = 1e8", &large[1], 1e-13);
}

/* The reference itself, against MPFR's own function where that is quick. */
static void test_gamma_reference(void **state) {
    (void)state;
    mpfr_t below, above, quotient, gamma;
    mpfr_inits2(BITS, below, above, quotient, gamma, (mpfr_ptr)0);
    for (int i = 0; i < 20; i++) {
        double a = 10 * unit() + 0.01, x = 10 * unit();
        exact_gamma(a, x, below, above);
        mpfr_set_d(gamma, a, MPFR_RNDN);
        mpfr_set_d(quotient, x, MPFR_RNDN);
        mpfr_gamma_inc(quotient, gamma, quotient, MPFR_RNDN);
        mpfr_gamma(gamma, gamma, MPFR_RNDN);
        mpfr_div(quotient, quotient, gamma, MPFR_RNDN);
        mpfr_sub(quotient, quotient, above, MPFR_RNDN);
        assert_true(fabs(mpfr_get_d(quotient, MPFR_RNDN)) < 1e-300);
    }
    mpfr_clears(below, above, quotient, gamma, (mpfr_ptr)0);
}

static void test_gamma_edges(void **state) {
    (void)state;
    crd_i_tails zero = crd_i_gamma_tails(2.5, 0), all = crd_i_gamma_tails(2.5, INFINITY);
    assert_true(zero.below == 0 && zero.above == 1 && all.below == 1 && all.above == 0);
    assert_true(crd_i_gamma_tails(3, 1e300).above == 0 && crd_i_gamma_tails(1e12, 1e11).below == 0);
    assert_true(crd_i_gamma_tails(1e12, 1e13).above == 0 && crd_i_gamma_tails(1e300, 1).below == 0);
    /* Never decreasing, over the seams between the methods. */
    for (int i = 0; i < FEWER_IF_SANITIZED(20000); i++) {
        double a = decades(-3, 2), x = i % 2 ? a : 1;
        double left = x * (1 - ldexp(unit(), -(int)random_below(40))), right = x * (1 + ldexp(unit(), -20));
        assert_true(crd_i_gamma_tails(a, left).below <= crd_i_gamma_tails(a, right).below);
    }
}

/* ---- Beta ---- */

/* I_x(a, b) = x^a y^b / (a B(a, b)) (1 + (a+b)/(a+1) x + (a+b)(a+b+1)/((a+1)(a+2)) x^2 + ...); x from a pair. */
static void exact_beta(double a, double b, mpfr_t x, mpfr_t y, mpfr_t below) {
    mpfr_t term, up, down;
    mpfr_inits2(BITS, term, up, down, (mpfr_ptr)0);
    mpfr_set_d(up, a, MPFR_RNDN);
    mpfr_add_d(up, up, b, MPFR_RNDN);
    mpfr_set_d(down, a, MPFR_RNDN);
    mpfr_set_ui(term, 1, MPFR_RNDN);
    mpfr_set_ui(below, 1, MPFR_RNDN);
    do {
        mpfr_add_ui(down, down, 1, MPFR_RNDN);
        mpfr_mul(term, term, up, MPFR_RNDN);
        mpfr_mul(term, term, x, MPFR_RNDN);
        mpfr_div(term, term, down, MPFR_RNDN);
        mpfr_add_ui(up, up, 1, MPFR_RNDN);
        mpfr_add(below, below, term, MPFR_RNDN);
    } while (mpfr_get_exp(term) > mpfr_get_exp(below) - BITS);
    mpfr_log(term, x, MPFR_RNDN);
    mpfr_mul_d(term, term, a, MPFR_RNDN);
    mpfr_log(up, y, MPFR_RNDN);
    mpfr_mul_d(up, up, b, MPFR_RNDN);
    mpfr_add(term, term, up, MPFR_RNDN);
    mpfr_set_d(up, a, MPFR_RNDN);
    mpfr_add_d(up, up, b, MPFR_RNDN);
    mpfr_lngamma(up, up, MPFR_RNDN);
    mpfr_add(term, term, up, MPFR_RNDN);
    mpfr_set_d(up, a, MPFR_RNDN);
    mpfr_add_ui(up, up, 1, MPFR_RNDN);
    mpfr_lngamma(up, up, MPFR_RNDN);
    mpfr_sub(term, term, up, MPFR_RNDN);
    mpfr_set_d(up, b, MPFR_RNDN);
    mpfr_lngamma(up, up, MPFR_RNDN);
    mpfr_sub(term, term, up, MPFR_RNDN);
    mpfr_exp(term, term, MPFR_RNDN);
    mpfr_mul(below, below, term, MPFR_RNDN);
    mpfr_clears(term, up, down, (mpfr_ptr)0);
}

/* x at most 0.99 or so, lest the series take long; small_only: compares the tail on x's side of the mean. */
static void compare_beta(double a, double b, double x, bool small_only, special_worst *w) {
    mpfr_t t, mpfr, below, above;
    mpfr_inits2(BITS, t, mpfr, below, above, (mpfr_ptr)0);
    mpfr_set_d(t, x, MPFR_RNDN);
    mpfr_ui_sub(mpfr, 1, t, MPFR_RNDN);
    exact_beta(a, b, t, mpfr, below);
    mpfr_ui_sub(above, 1, below, MPFR_RNDN);
    crd_i_tails tails = crd_i_beta_tails(a, b, crd_i_pair_of(x), crd_i_pair_sum(1, -x));
    bool is_under = x < a / (a + b);
    if (!small_only || is_under) note(w, relative_error(tails.below, below), a, b, x);
    if (!small_only || !is_under) note(w, relative_error(tails.above, above), a, b, x);
    mpfr_clears(t, mpfr, below, above, (mpfr_ptr)0);
}

static void test_beta_tails(void **state) {
    (void)state;
    special_worst w = {0}, tiny = {0}, large = {0};
    for (int i = 0; i < 60; i++) {
        double a = decades(-1, 3), b = decades(-1, 3), spread = sqrt(a * b / (a + b + 1)) / (a + b);
        double x = i % 3 == 0 ? 0.95 * unit() : a / (a + b) + (20 * unit() - 10) * spread;
        if (x > 0 && x < 0.99) compare_beta(a, b, x, false, &w);
        compare_beta(decades(-3, 2), decades(-3, 2), decades(-8, 0) * 0.8, true, &tiny);
        compare_beta(decades(-250, 0), decades(-250, 0), 0.8 * unit(), true, &tiny);
        if (i % 5 == 0) compare_beta(decades(0, 3) / 2, 0.5, 1 - decades(-1.7, -0.2), true, &tiny); /* Student's t */
    }
    check("beta", &w, 1e-13);
    check("beta, tiny shapes", &tiny, 1e-13);
    for (int i = 0; i < 10; i++) {
        double a = decades(4, 6), b = decades(4, 6), spread = sqrt(a * b / (a + b + 1)) / (a + b);
        double x = a / (a + b) + (50 * unit() - 25) * spread;
        if (x > 0 && x < 0.99) compare_beta(a, b, x, false, &large);
    }
    check("beta, large shapes", &large, 1e-13);
}

static void test_beta_edges(void **state) {
    (void)state;
    crd_i_tails zero = crd_i_beta_tails(2, 3, crd_i_pair_of(0), crd_i_pair_of(1));
    crd_i_tails one = crd_i_beta_tails(2, 3, crd_i_pair_of(1), crd_i_pair_of(0));
    assert_true(zero.below == 0 && zero.above == 1 && one.below == 1 && one.above == 0);
    for (int i = 0; i < 3000; i++) {
        double a = decades(-2, 4), b = decades(-2, 4), x = unit();
        crd_i_pair y = crd_i_pair_sum(1, -x);
        crd_i_tails tails = crd_i_beta_tails(a, b, crd_i_pair_of(x), y);
        crd_i_tails mirrored = crd_i_beta_tails(b, a, y, crd_i_pair_of(x));
        assert_true(fabs(tails.below - mirrored.above) <= 1e-14 && fabs(tails.below + tails.above - 1) < 1e-15);
        /* I_x(1, b) = 1 - y^b */
        double closed = -crd_i_pair_expm1(crd_i_pair_times(crd_i_pair_log(y), b));
        assert_true(fabs(crd_i_beta_tails(1, b, crd_i_pair_of(x), y).below - closed) < 1e-14);
    }
}

/* ---- Normal ---- */

static void test_normal_tails(void **state) {
    (void)state;
    mpfr_t exact, root;
    mpfr_inits2(200, exact, root, (mpfr_ptr)0);
    mpfr_sqrt_ui(root, 2, MPFR_RNDN);
    special_worst w = {0};
    for (int i = 0; i < 4000; i++) {
        double z = i % 2 ? 74 * unit() - 37 : 4 * unit() - 2;
        mpfr_d_div(exact, z, root, MPFR_RNDN);
        mpfr_erfc(exact, exact, MPFR_RNDN);
        mpfr_div_2ui(exact, exact, 1, MPFR_RNDN);
        note(&w, relative_error(crd_i_normal_tails(z).above, exact), z, 0, 0);
        note(&w, relative_error(crd_i_normal_tails(-z).below, exact), z, 0, 0);
    }
    mpfr_clears(exact, root, (mpfr_ptr)0);
    check("normal", &w, 1e-14);
    assert_true(crd_i_normal_tails(0).below == 0.5 && crd_i_normal_tails(INFINITY).below == 1);
    assert_true(crd_i_normal_tails(-INFINITY).below == 0 && crd_i_normal_tails(-39).below == 0);
}

static void test_normal_quantile(void **state) {
    (void)state;
    special_worst w = {0};
    for (int i = 0; i < FEWER_IF_SANITIZED(20000); i++) {
        double z = i % 2 ? -37 * unit() : -unit();
        double back = crd_i_normal_quantile(crd_i_normal_tails(z).below);
        note(&w, fabs(back - z) / fmax(1, -z), z, 0, 0);
    }
    check("normal quantile", &w, 1e-14);
    assert_true(crd_i_normal_quantile(0.5) == 0 && isinf(crd_i_normal_quantile(0)) && isinf(crd_i_normal_quantile(1)));
    assert_true(fabs(crd_i_normal_quantile(0.975) - 1.959963984540054) < 1e-14);
    assert_true(crd_i_normal_quantile(5e-324) < -38.46 && crd_i_normal_quantile(5e-324) > -38.48);
    for (int i = 0; i < 2000; i++) {
        double p = unit();
        assert_true(crd_i_normal_quantile(p) <= crd_i_normal_quantile(p + 1e-12));
    }
}

/* ---- Inverses ---- */

static crd_i_tails gamma_at(const void *a, double x) {
    return crd_i_gamma_tails(*(const double *)a, x);
}

static double gamma_density(const void *parameters, double x) {
    double a = *(const double *)parameters;
    return crd_i_pair_exp(crd_i_gamma_log_power(a, x)) * a / x;
}

static void test_inverse(void **state) {
    (void)state;
    special_worst w = {0};
    for (int i = 0; i < 2000; i++) {
        double a = decades(-2, 5), p = i % 2 ? unit() : decades(-200, -1);
        bool from_above = random_below(2) == 1;
        crd_i_continuous gamma = {gamma_at, gamma_density, &a, INFINITY};
        double x = crd_i_continuous_quantile(&gamma, p, from_above);
        crd_i_tails tails = crd_i_gamma_tails(a, x);
        double tail = from_above ? tails.above : tails.below;
        /* What rounding x to a double moves the tail by is no fault of the inverse. */
        double unavoidable = x * 0x1p-52 * gamma_density(&a, x) / p;
        if (x > 1e-290) note(&w, fabs(tail - p) / p - 2 * unavoidable, a, p, x);
    }
    check("inverse", &w, 1e-13);
    double a = 3;
    crd_i_continuous gamma = {gamma_at, gamma_density, &a, INFINITY};
    assert_true(crd_i_continuous_quantile(&gamma, 0, false) == 0 && isinf(crd_i_continuous_quantile(&gamma, 1, false)));
    assert_true(isinf(crd_i_continuous_quantile(&gamma, 0, true)) && crd_i_continuous_quantile(&gamma, 1, true) == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs),           cmocka_unit_test(test_log_gamma),
        cmocka_unit_test(test_gamma_tails),     cmocka_unit_test(test_gamma_reference),
        cmocka_unit_test(test_gamma_edges),     cmocka_unit_test(test_beta_tails),
        cmocka_unit_test(test_beta_edges),      cmocka_unit_test(test_normal_tails),
        cmocka_unit_test(test_normal_quantile), cmocka_unit_test(test_inverse),
    };
    return cmocka_run_group_tests_name("math_special", tests, NULL, NULL);
}
