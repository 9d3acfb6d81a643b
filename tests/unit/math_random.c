/* SPDX-License-Identifier: MIT */
/* Random numbers: the generator against the vectors published with it, the rest against what it should be on average.
 * Streams are fixed, so that what passes once passes always; each bound is about five deviations wide. */
#include "math/random.h"

#include "math/functions/elementary.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_known_answers(void **state) {
    (void)state;
    /* Counter, key, result: from the vectors of the authors' own distribution (Random123), philox4x32 with 10 rounds.
     */
    static const uint32_t known[3][10] = {{0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
                                          {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff,
                                           0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
                                          {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0,
                                           0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}};
    for (int i = 0; i < 3; i++) {
        uint32_t out[4];
        crd_i_philox(known[i], known[i] + 4, out);
        assert_memory_equal(out, known[i] + 6, sizeof out);
    }
    /* The first 64 bits of stream 0 under seed 0 are the first two words of the first vector, the lower one first. */
    crd_i_random random = crd_i_random_at(0, 0);
    assert_true(crd_i_random_bits(&random) == UINT64_C(0xe169c58d6627e8d5));
    assert_true(crd_i_random_bits(&random) == UINT64_C(0x9b00dbd8bc57ac4c));
}

static void test_streams_differ(void **state) {
    (void)state;
    crd_i_random a = crd_i_random_at(7, 0), b = crd_i_random_at(7, 1), c = crd_i_random_at(8, 0), again;
    for (int i = 0; i < 100; i++) {
        again = a;
        uint64_t x = crd_i_random_bits(&a), y = crd_i_random_bits(&b), z = crd_i_random_bits(&c);
        assert_true(x != y && y != z && x != z);
        assert_true(crd_i_random_bits(&again) == x);
    }
}

static void test_uniform(void **state) {
    (void)state;
    enum { COUNT = 100000 };
    crd_i_random random = crd_i_random_at(1, 2);
    double sum = 0, squares = 0;
    for (int i = 0; i < COUNT; i++) {
        double closed = crd_i_random_uniform(&random), open = crd_i_random_open(&random);
        assert_true(closed >= 0 && closed < 1 && open > 0 && open < 1 && 1 - open > 0);
        sum += closed;
        squares += closed * closed;
    }
    assert_true(fabs(sum / COUNT - 0.5) < 5 * sqrt(1.0 / 12 / COUNT));
    assert_true(fabs(squares / COUNT - 1.0 / 3) < 5 * sqrt(4.0 / 45 / COUNT));
}

static void test_below(void **state) {
    (void)state;
    enum { COUNT = 60000, SIDES = 6 };
    crd_i_random random = crd_i_random_at(3, 0);
    int seen[SIDES] = {0};
    for (int i = 0; i < COUNT; i++) seen[crd_i_random_below(&random, SIDES)]++;
    for (int i = 0; i < SIDES; i++) assert_true(abs(seen[i] - COUNT / SIDES) < 5 * 92);
    assert_true(crd_i_random_below(&random, 1) == 0);
    /* Of 3 * 2^62 values, two thirds lie under 2^63: taking 64 bits modulo the limit would make that three quarters. */
    int low = 0;
    for (int i = 0; i < COUNT; i++) low += crd_i_random_below(&random, UINT64_C(3) << 62) < UINT64_C(1) << 63;
    assert_true(abs(low - COUNT * 2 / 3) < 5 * 116);
}

static void test_normal(void **state) {
    (void)state;
    enum { COUNT = 100000 };
    double power[4] = {0};
    for (int i = 0; i < COUNT; i++) {
        crd_i_random random = crd_i_random_at(4, (uint64_t)i);
        double z = crd_i_random_normal(&random);
        power[0] += z, power[1] += z * z, power[2] += z * z * z, power[3] += z * z * z * z;
    }
    assert_true(fabs(power[0] / COUNT) < 5 * sqrt(1.0 / COUNT));
    assert_true(fabs(power[1] / COUNT - 1) < 5 * sqrt(2.0 / COUNT));
    assert_true(fabs(power[2] / COUNT) < 5 * sqrt(15.0 / COUNT));
    assert_true(fabs(power[3] / COUNT - 3) < 5 * sqrt(96.0 / COUNT));
}

static void test_gamma(void **state) {
    (void)state;
    enum { COUNT = 50000 };
    const double shapes[] = {0.05, 0.7, 1, 4.5, 1e4};
    for (int s = 0; s < 5; s++) {
        double shape = shapes[s], sum = 0;
        for (int i = 0; i < COUNT; i++) {
            crd_i_random random = crd_i_random_at(5, (uint64_t)(s * COUNT + i));
            sum += crd_exp(crd_i_random_log_gamma(&random, shape));
        }
        assert_true(fabs(sum / COUNT - shape) < 5 * sqrt(shape / COUNT));
    }
    /* A tiny shape: ln x is about ln(u) / shape, far under the range of a double. */
    crd_i_random random = crd_i_random_at(6, 0);
    double log_drawn = crd_i_random_log_gamma(&random, 1e-200);
    assert_true(isfinite(log_drawn) && log_drawn < -1e197);
}

static void test_choice(void **state) {
    (void)state;
    enum { COUNT = 40000 };
    const double cumulative[] = {0, 0.1, 0.1, 0.7, 1, 1};
    int seen[6] = {0};
    crd_i_random random = crd_i_random_at(9, 9);
    for (int i = 0; i < COUNT; i++) seen[crd_i_random_choice(&random, cumulative, 6)]++;
    assert_true(seen[0] == 0 && seen[2] == 0 && seen[5] == 0);
    assert_true(abs(seen[1] - 4000) < 5 * 60 && abs(seen[3] - 24000) < 5 * 98 && abs(seen[4] - 12000) < 5 * 92);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_answers), cmocka_unit_test(test_streams_differ), cmocka_unit_test(test_uniform),
        cmocka_unit_test(test_below),         cmocka_unit_test(test_normal),         cmocka_unit_test(test_gamma),
        cmocka_unit_test(test_choice),
    };
    return cmocka_run_group_tests_name("math_random", tests, NULL, NULL);
}
