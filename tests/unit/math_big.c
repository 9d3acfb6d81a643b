/* SPDX-License-Identifier: MIT */
/* Natural numbers against identities that hold at any length, and division against MPFR. */
#include "math/exact/big_integer.h"

#include "math/exact/ieee754.h"
#include "unit/math_random.h"

#include <mpfr.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { ROOM = 64, LENGTH = 12 };

/* Up to LENGTH limbs, many of them all ones or all zeros: that is where carries and digit estimates go wrong. */
static crd_i_big random_big(uint32_t *workspace) {
    crd_i_big a = {workspace, random_below(LENGTH + 1)};
    for (size_t i = 0; i < a.count; i++) {
        switch (random_below(4)) {
        case 0: workspace[i] = 0; break;
        case 1: workspace[i] = UINT32_MAX; break;
        case 2: workspace[i] = UINT32_C(1) << random_below(32); break;
        default: workspace[i] = (uint32_t)random_bits(); break;
        }
    }
    crd_i_big_trim(&a);
    return a;
}

static void to_mpfr(mpfr_t out, const crd_i_big *a) {
    mpfr_set_zero(out, 1);
    for (size_t i = a->count; i-- > 0;) {
        mpfr_mul_2ui(out, out, 32, MPFR_RNDN);
        mpfr_add_ui(out, out, a->limbs[i], MPFR_RNDN);
    }
}

static void test_add_and_subtract(void **state) {
    (void)state;
    for (int i = 0; i < 20000; i++) {
        uint32_t rooms[3][ROOM];
        crd_i_big a = random_big(rooms[0]), b = random_big(rooms[1]), sum = {rooms[2], 0};
        crd_i_big_copy(&sum, &a);
        crd_i_big_add(&sum, &b);
        assert_true(crd_i_big_compare(&sum, &a) >= 0);
        assert_int_equal(crd_i_big_compare(&sum, &a) == 0, b.count == 0);
        assert_true(sum.count == 0 || sum.limbs[sum.count - 1] != 0);
        crd_i_big_subtract(&sum, &b);
        assert_int_equal(crd_i_big_compare(&sum, &a), 0);
        crd_i_big_subtract(&sum, &a);
        assert_int_equal(sum.count, 0);
    }
}

/* (a + b) c = a c + b c; shifting is multiplying by a power of two; so are powers of five and ten. */
static void test_multiply(void **state) {
    (void)state;
    for (int i = 0; i < 5000; i++) {
        uint32_t rooms[6][ROOM];
        crd_i_big a = random_big(rooms[0]), b = random_big(rooms[1]), c = random_big(rooms[2]);
        crd_i_big left = {rooms[3], 0}, right = {rooms[4], 0}, factor = {rooms[5], 0};
        crd_i_big_multiply(&left, &a, &c);
        crd_i_big_multiply(&right, &b, &c);
        crd_i_big_add(&left, &right);
        crd_i_big_add(&a, &b);
        crd_i_big_multiply(&right, &a, &c);
        assert_int_equal(crd_i_big_compare(&left, &right), 0);

        size_t shift = random_below(200);
        unsigned power = (unsigned)random_below(60);
        crd_i_big_set(&factor, 1);
        crd_i_big_shift_left(&factor, shift);
        assert_int_equal(crd_i_big_bits(&factor), shift + 1);
        crd_i_big_multiply(&left, &c, &factor);
        crd_i_big_copy(&right, &c);
        crd_i_big_shift_left(&right, shift);
        assert_int_equal(crd_i_big_compare(&left, &right), 0);
        if (c.count > 0) assert_int_equal(crd_i_big_bits(&right), crd_i_big_bits(&c) + shift);

        crd_i_big_set(&factor, 1);
        for (unsigned k = 0; k < power; k++) crd_i_big_multiply_small(&factor, 10, 0);
        crd_i_big_multiply(&left, &c, &factor);
        crd_i_big_copy(&right, &c);
        crd_i_big_multiply_power_of_10(&right, power);
        assert_int_equal(crd_i_big_compare(&left, &right), 0);
    }
}

static void test_divide(void **state) {
    (void)state;
    mpfr_t above, below, ratio;
    mpfr_inits2(32 * ROOM, above, below, (mpfr_ptr)NULL);
    mpfr_init2(ratio, 53);
    for (int i = 0; i < 60000; i++) {
        uint32_t rooms[3][ROOM], scratch[2 * ROOM + 3];
        crd_i_big a = random_big(rooms[0]), b = random_big(rooms[1]);
        if (b.count == 0) continue;
        if (i % 3 == 0 && a.count > 0) { /* a quotient that comes out, or all but */
            crd_i_big quotient = {rooms[2], 0};
            crd_i_big_set(&quotient, random_bits() >> random_below(64));
            a.limbs = rooms[0];
            crd_i_big copy = b;
            crd_i_big_multiply(&a, &copy, &quotient);
            if (i % 2 == 0) crd_i_big_multiply_small(&a, 1, 1);
        }
        if (a.count == 0) continue;
        crd_i_ratio division = crd_i_big_divide(&a, &b, scratch);
        assert_true(division.top >> 63 == 1);
        to_mpfr(above, &a);
        to_mpfr(below, &b);
        int inexact = mpfr_div(ratio, above, below, MPFR_RNDN);
        assert_true(crd_i_round(false, division.top, division.more, division.exponent) == mpfr_get_d(ratio, MPFR_RNDN));
        if (inexact == 0) assert_true(!division.more && (division.top & 0x7ff) == 0);
    }
    mpfr_clears(above, below, ratio, (mpfr_ptr)NULL);
}

/* All roundings of a 64-bit number and more at the edges of the range, against MPFR's emulation of doubles. */
static void test_round(void **state) {
    (void)state;
    mpfr_t exact;
    mpfr_init2(exact, 80);
    for (int i = 0; i < 40000; i++) {
        uint64_t top = random_bits() | UINT64_C(1) << 63;
        if (i % 2 == 0) top &= UINT64_MAX << random_below(63); /* ties */
        if (i % 5 == 0) top = UINT64_MAX << random_below(13);  /* carries */
        top |= UINT64_C(1) << 63;
        bool more = random_below(2) != 0, negative = random_below(2) != 0;
        int64_t exponent = i % 3 == 0 ? -1140 + (int64_t)random_below(70) : (int64_t)random_below(2200) - 1200;
        mpfr_set_ui(exact, (unsigned long)(top >> 32), MPFR_RNDN);
        mpfr_mul_2ui(exact, exact, 32, MPFR_RNDN);
        mpfr_add_ui(exact, exact, (unsigned long)(top & UINT32_MAX), MPFR_RNDN);
        if (more) mpfr_add_d(exact, exact, 0.25, MPFR_RNDN);
        mpfr_mul_2si(exact, exact, (long)exponent, MPFR_RNDN);
        if (negative) mpfr_neg(exact, exact, MPFR_RNDN);
        double expected = mpfr_get_d(exact, MPFR_RNDN), value = crd_i_round(negative, top, more, exponent);
        assert_memory_equal(&value, &expected, sizeof value);
    }
    mpfr_clear(exact);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_add_and_subtract),
        cmocka_unit_test(test_multiply),
        cmocka_unit_test(test_divide),
        cmocka_unit_test(test_round),
    };
    return cmocka_run_group_tests_name("math_big", tests, NULL, NULL);
}
