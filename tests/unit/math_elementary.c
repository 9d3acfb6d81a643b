/* SPDX-License-Identifier: MIT */
/* exp and log against MPFR: special values, identities, and the error over random and hard arguments. */
#include "math/functions/elementary.h"

#include "unit/math_random.h"

#include <math.h>
#include <mpfr.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

/* What the head of elementary.c states, in units in the last place. */
#define EXP_ERROR 0.55
#define LOG_ERROR 0.55

/* |value - exact| in units in the last place of a double of the size of `exact`, denormals included. */
static double error_in_places(double value, mpfr_t exact) {
    mpfr_t difference;
    mpfr_init2(difference, 200);
    mpfr_sub_d(difference, exact, value, MPFR_RNDN);
    long place = mpfr_get_exp(exact) - 53;
    if (place < -1074) place = -1074;
    mpfr_mul_2si(difference, difference, -place, MPFR_RNDN);
    double error = fabs(mpfr_get_d(difference, MPFR_RNDN));
    mpfr_clear(difference);
    return error;
}

static double exp_error(double x) {
    mpfr_t exact;
    mpfr_init2(exact, 160);
    mpfr_set_d(exact, x, MPFR_RNDN);
    mpfr_exp(exact, exact, MPFR_RNDN);
    double value = crd_exp(x), error;
    if (isinf(value)) {
        error = isinf(mpfr_get_d(exact, MPFR_RNDN)) ? 0 : INFINITY;
    } else {
        error = error_in_places(value, exact);
    }
    mpfr_clear(exact);
    return error;
}

static double log_error(double x) {
    mpfr_t exact;
    mpfr_init2(exact, 160);
    mpfr_set_d(exact, x, MPFR_RNDN);
    mpfr_log(exact, exact, MPFR_RNDN);
    double value = crd_log(x);
    double error = mpfr_zero_p(exact) ? fabs(value) : error_in_places(value, exact);
    mpfr_clear(exact);
    return error;
}

static double random_unit(void) {
    return (double)(random_bits() >> 11) / 9007199254740992.0;
}

static double greater(double a, double b) {
    return a > b || isnan(a) ? a : b;
}

static void test_exp_special_values(void **state) {
    (void)state;
    assert_true(crd_exp(0) == 1 && crd_exp(-0.0) == 1);
    assert_true(crd_exp(INFINITY) == INFINITY);
    assert_true(crd_exp(-INFINITY) == 0 && !signbit(crd_exp(-INFINITY)));
    assert_true(isnan(crd_exp(NAN)));
    assert_true(crd_exp(1) == 2.718281828459045);
    assert_true(crd_exp(5e-324) == 1 && crd_exp(-5e-324) == 1 && crd_exp(1e-17) == 1);
    assert_true(crd_exp(1e308) == INFINITY && crd_exp(-1e308) == 0);
    /* The last finite and the first infinite, the last denormal and the first zero. */
    assert_true(isfinite(crd_exp(0x1.62e42fefa39efp+9)));
    assert_true(crd_exp(nextafter(0x1.62e42fefa39efp+9, INFINITY)) == INFINITY);
    assert_true(crd_exp(-745.1332191019411) == 5e-324);
    assert_true(crd_exp(-745.1332191019412) == 0);
}

static void test_log_special_values(void **state) {
    (void)state;
    assert_true(crd_log(1) == 0 && !signbit(crd_log(1)));
    assert_true(crd_log(0) == -INFINITY && crd_log(-0.0) == -INFINITY);
    assert_true(isnan(crd_log(-1)) && isnan(crd_log(-5e-324)) && isnan(crd_log(-INFINITY)) && isnan(crd_log(NAN)));
    assert_true(crd_log(INFINITY) == INFINITY);
    assert_true(crd_log(2) == 0.6931471805599453);
    assert_true(crd_log(0.5) == -0.6931471805599453);
    assert_true(crd_log(5e-324) == -744.4400719213812);
    assert_true(crd_log(1.7976931348623157e308) == 709.782712893384);
}

static void test_exp_error(void **state) {
    (void)state;
    double worst = 0;
    for (int i = 0; i < 60000; i++) {
        worst = greater(exp_error(1500 * random_unit() - 750), worst);
        worst = greater(exp_error(2 * random_unit() - 1), worst);
        worst = greater(exp_error(-708 - 38 * random_unit()), worst); /* denormal results */
        /* Small ones of every size, and where the multiple of ln 2 changes. */
        worst = greater(exp_error(ldexp(random_unit() - 0.5, -(int)random_below(70))), worst);
        double turn = ((double)random_below(2100) - 1060 + 0.5) * 0.6931471805599453;
        worst = greater(exp_error(turn + ldexp(random_unit() - 0.5, -(int)random_below(50))), worst);
    }
    print_message("exp: %.4f units in the last place\n", worst);
    assert_true(worst < EXP_ERROR);
}

static void test_log_error(void **state) {
    (void)state;
    double worst = 0;
    for (int i = 0; i < 60000; i++) {
        worst = greater(log_error(from_bits(random_bits() % UINT64_C(0x7ff0000000000000))), worst);
        worst = greater(log_error(0.5 + random_unit()), worst);
        worst =
            greater(log_error(from_bits(1 + (random_bits() & UINT64_C(0xfffffffffffff) >> random_below(52)))), worst);
        /* Around 1, where the result is small, and around sqrt(2), where the power of two changes. */
        worst = greater(log_error(1 + ldexp(random_unit() - 0.5, -(int)random_below(53))), worst);
        double turn = ldexp(1.4142135623730951, (int)random_below(2000) - 1000);
        worst = greater(log_error(turn * (1 + ldexp(random_unit() - 0.5, -(int)random_below(50)))), worst);
    }
    print_message("log: %.4f units in the last place\n", worst);
    assert_true(worst < LOG_ERROR);
}

static void test_never_decrease(void **state) {
    (void)state;
    for (int i = 0; i < 100000; i++) {
        double x = 1490 * random_unit() - 745, y = nextafter(x, INFINITY);
        assert_true(crd_exp(x) <= crd_exp(y));
        double a = from_bits(random_bits() % UINT64_C(0x7ff0000000000000)), b = nextafter(a, INFINITY);
        assert_true(crd_log(a) <= crd_log(b));
    }
}

/* Every compiler, level of optimization and machine gives these very bits. */
static void test_same_bits_everywhere(void **state) {
    (void)state;
    uint64_t digest = 0;
    for (int i = -100000; i <= 100000; i++) {
        double results[2] = {crd_exp(i / 128.0), crd_log((i + 100001) / 1024.0)};
        for (int k = 0; k < 2; k++) {
            uint64_t bits;
            memcpy(&bits, &results[k], sizeof bits);
            digest = (digest ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
            digest ^= digest >> 29;
        }
    }
    if (digest != UINT64_C(0x34213ed55e1e0f43)) fail_msg("digest is %016llx", (unsigned long long)digest);
}

static void test_log_scaled(void **state) {
    (void)state;
    mpfr_t exact;
    mpfr_init2(exact, 200);
    for (int i = 0; i < 20000; i++) {
        double mantissa = 0.5 + random_unit() / 2;
        long exponent = (long)random_below(16000) - 8000;
        mpfr_set_d(exact, mantissa, MPFR_RNDN);
        mpfr_mul_2si(exact, exact, exponent, MPFR_RNDN);
        mpfr_log(exact, exact, MPFR_RNDN);
        assert_true(error_in_places(crd_i_log_scaled(mantissa, exponent), exact) < LOG_ERROR);
    }
    mpfr_clear(exact);
    assert_true(crd_i_log_scaled(0.75, 3) == crd_log(6));
    assert_true(crd_i_log_scaled(5e-324, 1074) == 0);
    assert_true(fabs(crd_i_log_scaled(0.5, INT64_C(1) << 40) / (0.6931471805599453 * 0x1p40) - 1) < 1e-11);
}

static void test_log_sum_exp(void **state) {
    (void)state;
    const double none[] = {-INFINITY, -INFINITY}, far[] = {-1e5, -1e5 - 1, -2e5}, large[] = {1e300, 1e300, -INFINITY};
    assert_true(crd_i_log_sum_exp(NULL, 0) == -INFINITY);
    assert_true(crd_i_log_sum_exp(none, 2) == -INFINITY);
    assert_true(crd_i_log_sum_exp(far, 1) == -1e5);
    assert_true(fabs(crd_i_log_sum_exp(far, 3) - (-1e5 + log1p(exp(-1)))) < 1e-10);
    assert_true(crd_i_log_sum_exp(large, 3) == 1e300);
    const double with_nan[] = {NAN, -INFINITY, 3}, infinite[] = {1, INFINITY, INFINITY};
    assert_true(isnan(crd_i_log_sum_exp(with_nan, 3)));
    assert_true(crd_i_log_sum_exp(infinite, 3) == INFINITY);
    /* Normalized by it, probabilities add up to one; a shift of all moves it by as much. */
    for (int round = 0; round < 1000; round++) {
        double x[20], shifted[20], total = 0;
        for (int i = 0; i < 20; i++) {
            x[i] = 50 * random_unit() - 25;
            shifted[i] = x[i] - 4096;
        }
        double norm = crd_i_log_sum_exp(x, 20);
        for (int i = 0; i < 20; i++) total += crd_exp(x[i] - norm);
        assert_true(fabs(total - 1) < 1e-14);
        assert_true(fabs(crd_i_log_sum_exp(shifted, 20) + 4096 - norm) < 1e-11);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exp_special_values),
        cmocka_unit_test(test_log_special_values),
        cmocka_unit_test(test_exp_error),
        cmocka_unit_test(test_log_error),
        cmocka_unit_test(test_same_bits_everywhere),
        cmocka_unit_test(test_never_decrease),
        cmocka_unit_test(test_log_scaled),
        cmocka_unit_test(test_log_sum_exp),
    };
    return cmocka_run_group_tests_name("math_elementary", tests, NULL, NULL);
}
