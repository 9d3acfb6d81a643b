/* SPDX-License-Identifier: MIT */
/* Means and variances to the last bit, against MPFR with more bits than any of these sums has. */
#include "math/exact/exact_moments.h"

#include "unit/math_random.h"

#include <float.h>
#include <math.h>
#include <mpfr.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define EXACT_BITS 16000

typedef struct allocator {
    size_t calls, fail_at;
} allocator;

static void *resize(void *user, void *block, size_t bytes) {
    allocator *a = user;
    if (bytes == 0) {
        free(block);
        return NULL;
    }
    return ++a->calls == a->fail_at ? NULL : realloc(block, bytes);
}

static allocator memory;

static int setup(void **state) {
    crd_context_options options = CRD_CONTEXT_OPTIONS_INIT;
    options.resize = resize;
    options.resize_user = &memory;
    crd_context *context = NULL;
    if (crd_context_create(&options, &context) != CRD_OK) return -1;
    *state = context;
    return 0;
}

static int teardown(void **state) {
    crd_context_destroy(*state);
    return 0;
}

/* The sums of one cell, kept twice: exactly, and in MPFR. */
typedef struct moments {
    crd_i_sums n, s, q;
    mpfr_t exact_n, exact_s, exact_q;
} moments;

static void moments_init(moments *m, crd_context *context) {
    crd_i_sums *sums[3] = {&m->n, &m->s, &m->q};
    for (int i = 0; i < 3; i++) {
        crd_i_sums_init(sums[i], context);
        assert_true(crd_i_sums_extend(sums[i], 2));
    }
    mpfr_inits2(EXACT_BITS, m->exact_n, m->exact_s, m->exact_q, (mpfr_ptr)NULL);
    mpfr_set_zero(m->exact_n, 1);
    mpfr_set_zero(m->exact_s, 1);
    mpfr_set_zero(m->exact_q, 1);
}

static void moments_clear(moments *m) {
    crd_i_sums_clear(&m->n);
    crd_i_sums_clear(&m->s);
    crd_i_sums_clear(&m->q);
    mpfr_clears(m->exact_n, m->exact_s, m->exact_q, (mpfr_ptr)NULL);
}

static crd_i_moment_cell cell_of(const moments *m) {
    crd_i_moment_cell cell = {&m->n, &m->s, &m->q, 1};
    return cell;
}

static void add(moments *m, double weight, double x) {
    assert_true(crd_i_sums_add(&m->n, 1, weight));
    assert_true(crd_i_sums_add_product(&m->s, 1, weight, x));
    assert_true(crd_i_sums_add_product3(&m->q, 1, weight, x, x));
    mpfr_t term;
    mpfr_init2(term, EXACT_BITS);
    mpfr_set_d(term, weight, MPFR_RNDN);
    mpfr_add(m->exact_n, m->exact_n, term, MPFR_RNDN);
    mpfr_mul_d(term, term, x, MPFR_RNDN);
    mpfr_add(m->exact_s, m->exact_s, term, MPFR_RNDN);
    mpfr_mul_d(term, term, x, MPFR_RNDN);
    mpfr_add(m->exact_q, m->exact_q, term, MPFR_RNDN);
    mpfr_clear(term);
}

/* The ratio rounded to 53 bits with an exponent of any size. */
static void assert_scaled_ratio(crd_i_scaled scaled, mpfr_srcptr above, mpfr_srcptr below) {
    mpfr_t ratio;
    mpfr_init2(ratio, 53);
    mpfr_div(ratio, above, below, MPFR_RNDN);
    if (mpfr_zero_p(ratio)) {
        assert_true(scaled.mantissa == 0);
    } else {
        long exponent;
        double mantissa = mpfr_get_d_2exp(&exponent, ratio, MPFR_RNDN);
        assert_true(scaled.mantissa == mantissa);
        assert_int_equal(scaled.exponent, exponent);
        /* As a double, and its root. */
        double value = mpfr_get_d(ratio, MPFR_RNDN);
        assert_true(crd_i_scaled_value(scaled) == value);
        mpfr_sqrt(ratio, ratio, MPFR_RNDN);
        value = mpfr_get_d(ratio, MPFR_RNDN);
        assert_true(crd_i_scaled_root(scaled) == value);
    }
    mpfr_clear(ratio);
}

static void assert_all_right(const moments *m) {
    crd_i_moment_cell cell = cell_of(m);
    double mean, residual, expected;
    bool defined, possible;
    crd_i_scaled variance;
    mpfr_t ratio, spread, square, below;
    mpfr_inits2(EXACT_BITS, ratio, spread, square, below, (mpfr_ptr)NULL);
    assert_true(crd_i_moments_mean(cell, &mean, &residual, &defined));
    assert_true(defined);
    mpfr_div(ratio, m->exact_s, m->exact_n, MPFR_RNDN);
    expected = mpfr_get_d(ratio, MPFR_RNDN);
    assert_true(mean == expected);
    /* With its rest it is good to 2^-62 of itself, or to a denormal step. */
    mpfr_sub_d(ratio, ratio, mean, MPFR_RNDN);
    mpfr_sub_d(ratio, ratio, residual, MPFR_RNDN);
    assert_true(fabs(mpfr_get_d(ratio, MPFR_RNDN)) <= ldexp(fabs(mean), -62) + DBL_TRUE_MIN);

    mpfr_mul(spread, m->exact_n, m->exact_q, MPFR_RNDN);
    mpfr_mul(square, m->exact_s, m->exact_s, MPFR_RNDN);
    assert_int_equal(mpfr_sub(spread, spread, square, MPFR_RNDN), 0);
    mpfr_mul(below, m->exact_n, m->exact_n, MPFR_RNDN);
    assert_true(crd_i_moments_variance(cell, false, &variance, &defined));
    assert_true(defined);
    assert_scaled_ratio(variance, spread, below);
    assert_true(crd_i_moments_deviations(cell, &variance));
    assert_scaled_ratio(variance, spread, m->exact_n);
    assert_true(crd_i_moments_possible(cell, &possible));
    assert_true(possible);

    bool more_than_one = mpfr_cmp_ui(m->exact_n, 1) > 0;
    assert_int_equal(crd_i_moments_variance(cell, true, &variance, &defined), more_than_one);
    assert_int_equal(defined, more_than_one);
    if (more_than_one) {
        mpfr_sub_ui(below, m->exact_n, 1, MPFR_RNDN);
        mpfr_mul(below, below, m->exact_n, MPFR_RNDN);
        assert_scaled_ratio(variance, spread, below);
    }
    mpfr_clears(ratio, spread, square, below, (mpfr_ptr)NULL);
}

static double random_finite(void) {
    for (;;) {
        double x = from_bits(random_bits());
        if (isfinite(x)) return x;
    }
}

static double random_unit(void) {
    return (double)(random_bits() >> 11) / 9007199254740992.0;
}

static double random_value(int kind) {
    switch (kind) {
    case 0: return 1e12 + random_unit();
    case 1: return random_below(2) ? 1e300 * random_unit() : 1e-300 * random_unit();
    case 2: return from_bits(random_bits() & UINT64_C(0x800fffffffffffff)); /* denormal */
    case 3: return (double)random_below(10) / 10 - 0.5;
    case 4: return random_finite();
    case 5: return 1e308 * (random_below(2) ? 1 : -1);
    case 6: return random_below(2) ? 5e-324 : 0;
    case 7: return ldexp(random_unit() - 0.5, (int)random_below(200) - 100); /* exponents of a wide range, mixed */
    default: return 1 + 0x1p-52 * (double)random_below(4);
    }
}

static double random_weight(int kind) {
    switch (kind) {
    case 0:
    case 1: return 1;
    case 2: return random_unit() + 1e-9;
    case 3: return 1e-300 * (1 + random_unit());
    case 4: return 0x1p64 * (double)(1 + random_below(5));
    default: return (double)(1 + random_below(1000));
    }
}

/* How many mixes of numbers are tried; the environment may ask for more: CREDENCE_MIXES=1000000. */
static long mixes(void) {
    const char *requested = getenv("CREDENCE_MIXES");
    long count = requested == NULL ? 0 : strtol(requested, NULL, 10);
    return count > 0 ? count : 1920;
}

static void test_correctly_rounded(void **state) {
    for (long round = 0; round < mixes(); round++) {
        moments m;
        moments_init(&m, *state);
        size_t rows = 1 + random_below(round % 3 == 0 ? 3 : 30);
        for (size_t i = 0; i < rows; i++) add(&m, random_weight((int)(round / 9 % 6)), random_value((int)(round % 9)));
        assert_all_right(&m);
        moments_clear(&m);
    }
}

/* Whatever the offset, a spread of 1 apart is a spread of 1 apart. */
static void test_offset_cancels_nothing(void **state) {
    for (double offset = 1; offset < 1e16; offset *= 10) {
        moments m;
        moments_init(&m, *state);
        add(&m, 1, offset - 1);
        add(&m, 1, offset);
        add(&m, 1, offset + 1);
        crd_i_scaled variance;
        bool defined;
        assert_true(crd_i_moments_variance(cell_of(&m), true, &variance, &defined));
        if (offset < 9e15) assert_true(crd_i_scaled_value(variance) == 1.0);
        moments_clear(&m);
    }
}

/* 1 less 2^-106 or so: the mantissa of all ones rounds up to the next power of two. */
static void test_rounds_up_to_a_power_of_two(void **state) {
    moments m;
    moments_init(&m, *state);
    add(&m, 1 + 0x1p-52, 1);
    add(&m, 1, -1);
    assert_all_right(&m);
    crd_i_scaled variance;
    bool defined;
    assert_true(crd_i_moments_variance(cell_of(&m), false, &variance, &defined));
    assert_true(variance.mantissa == 0.5);
    assert_int_equal(variance.exponent, 1);
    moments_clear(&m);
}

static void test_undefined_and_impossible(void **state) {
    moments m;
    moments_init(&m, *state);
    crd_i_moment_cell cell = cell_of(&m);
    double mean;
    bool defined = true, possible = false;
    crd_i_scaled variance = {1, 1};
    assert_false(crd_i_moments_mean(cell, &mean, NULL, &defined));
    assert_false(defined);
    assert_false(crd_i_moments_variance(cell, false, &variance, &defined));
    assert_false(defined);
    assert_true(crd_i_moments_deviations(cell, &variance));
    assert_true(variance.mantissa == 0);
    assert_true(crd_i_moments_possible(cell, &possible));
    assert_true(possible);

    /* n = 0 and something left. */
    assert_true(crd_i_sums_add(&m.q, 1, 5e-324));
    assert_true(crd_i_moments_possible(cell, &possible));
    assert_false(possible);
    /* n = 1, s = 2, q = 4: one row of 2; any less in q is impossible. */
    assert_true(crd_i_sums_add(&m.q, 1, 4));
    assert_true(crd_i_sums_add(&m.s, 1, 2));
    assert_true(crd_i_sums_add_integer(&m.n, 1, 1));
    assert_true(crd_i_moments_possible(cell, &possible));
    assert_true(possible);
    assert_true(crd_i_sums_add(&m.q, 1, -5e-324));
    assert_true(crd_i_moments_possible(cell, &possible));
    assert_true(possible);
    assert_true(crd_i_moments_variance(cell, false, &variance, &defined));
    assert_true(variance.mantissa == 0);
    assert_true(crd_i_sums_add(&m.q, 1, -5e-324));
    assert_true(crd_i_moments_possible(cell, &possible));
    assert_false(possible);
    assert_true(crd_i_moments_variance(cell, false, &variance, &defined));
    assert_true(variance.mantissa == 0);
    /* One row has no sample variance. */
    assert_false(crd_i_moments_variance(cell, true, &variance, &defined));
    assert_false(defined);
    /* A negative q, a negative n. */
    assert_true(crd_i_sums_add(&m.q, 1, -8));
    assert_true(crd_i_moments_possible(cell, &possible));
    assert_false(possible);
    assert_true(crd_i_sums_add_integer(&m.n, 1, -2));
    assert_true(crd_i_moments_possible(cell, &possible));
    assert_false(possible);
    assert_false(crd_i_moments_mean(cell, &mean, NULL, &defined));
    assert_false(defined);
    moments_clear(&m);
}

static void test_out_of_memory(void **state) {
    moments m;
    moments_init(&m, *state);
    add(&m, 1, 0.1);
    add(&m, 1, 0.2);
    crd_i_moment_cell cell = cell_of(&m);
    double mean;
    bool defined = false, possible;
    crd_i_scaled variance;
    memory.fail_at = memory.calls + 1;
    assert_false(crd_i_moments_mean(cell, &mean, NULL, &defined));
    assert_true(defined);
    memory.fail_at = memory.calls + 1;
    assert_false(crd_i_moments_variance(cell, true, &variance, &defined));
    assert_true(defined);
    memory.fail_at = memory.calls + 1;
    assert_false(crd_i_moments_deviations(cell, &variance));
    memory.fail_at = memory.calls + 1;
    assert_false(crd_i_moments_possible(cell, &possible));
    moments_clear(&m);
}

static void test_scaled_arithmetic(void **state) {
    (void)state;
    for (int i = 0; i < 20000; i++) {
        double a = fabs(random_finite()), b = fabs(random_finite());
        if (i % 2 == 0) a = random_unit(), b = random_unit();
        if (i % 7 == 0) a = from_bits(random_bits() & UINT64_C(0xfffffffffffff));
        if (i % 11 == 0) b = 0;
        crd_i_scaled x = crd_i_scaled_of(a), y = crd_i_scaled_of(b);
        assert_true(a == 0 ? x.mantissa == 0 : x.mantissa >= 0.5 && x.mantissa < 1);
        assert_true(crd_i_scaled_value(x) == a);
        assert_true(crd_i_scaled_value(crd_i_scaled_add(x, y)) == a + b);
        if (a != 0 && isnormal(sqrt(a))) assert_true(crd_i_scaled_root(x) == sqrt(a));
        double product = a * b;
        if (isnormal(product) || product == 0 || isinf(product))
            assert_true(crd_i_scaled_value(crd_i_scaled_multiply(x, y)) == product || product == 0);
        if (b != 0 && (isnormal(a / b) || isinf(a / b)))
            assert_true(crd_i_scaled_value(crd_i_scaled_divide(x, y)) == a / b);
    }
    /* Beyond doubles and back: 1e300^2 / 1e300. */
    crd_i_scaled large = crd_i_scaled_of(0x1p1000);
    crd_i_scaled square = crd_i_scaled_multiply(large, large);
    assert_true(crd_i_scaled_value(square) == INFINITY);
    assert_true(crd_i_scaled_root(square) == 0x1p1000);
    assert_true(crd_i_scaled_value(crd_i_scaled_divide(square, large)) == 0x1p1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_correctly_rounded),
        cmocka_unit_test(test_offset_cancels_nothing),
        cmocka_unit_test(test_rounds_up_to_a_power_of_two),
        cmocka_unit_test(test_undefined_and_impossible),
        cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_scaled_arithmetic),
    };
    return cmocka_run_group_tests_name("math_exact_moments", tests, setup, teardown);
}
