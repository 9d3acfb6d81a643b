/* Blocks of doubles added by slices, by every way that this machine has: the limbs of adding one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "math/slices.h"
#include "math_random.h"

#include <float.h>
#include <math.h>
#include <string.h>

static crd_context *context;

static int set_up(void **state) {
    (void)state;
    return crd_context_create(NULL, &context) != CRD_OK;
}

static int tear_down(void **state) {
    (void)state;
    crd_context_destroy(context);
    return 0;
}

/* ---- Equal to the bit ---- */

typedef struct pair {
    crd_i_sums sums, squares;
    size_t count;
} pair;

static pair pair_by(const crd_i_slicer *slicer, const double *values, size_t count) {
    pair made;
    crd_i_sums_init(&made.sums, context);
    crd_i_sums_init(&made.squares, context);
    assert_true(crd_i_sums_extend(&made.sums, 2) && crd_i_sums_extend(&made.squares, 2));
    /* In another order, with values between that must not count. */
    static double spread[3 * CRD_I_BLOCK];
    static uint16_t which[CRD_I_BLOCK];
    for (size_t i = 0; i < 3 * CRD_I_BLOCK; i++) spread[i] = 1e9;
    for (size_t i = 0; i < count; i++) {
        which[i] = (uint16_t)(3 * (count - 1 - i) + 1);
        spread[which[i]] = values[i];
    }
    made.count = count;
    assert_true(crd_i_slices_add(slicer, spread, which, &made.count, &made.sums, &made.squares, 1));
    return made;
}

static void assert_equal(const crd_i_sums *a, const crd_i_sums *b) {
    int32_t base, other_base;
    uint32_t width, other_width;
    crd_i_sums_trimmed(a, &base, &width);
    crd_i_sums_trimmed(b, &other_base, &other_width);
    assert_int_equal(base, other_base);
    assert_int_equal(width, other_width);
    for (size_t cell = 0; cell < 2; cell++)
        for (int32_t limb = base; limb < base + (int32_t)width; limb++)
            assert_true(crd_i_sums_limb(a, cell, limb) == crd_i_sums_limb(b, cell, limb));
}

static void clear(pair *made) {
    crd_i_sums_clear(&made->sums);
    crd_i_sums_clear(&made->squares);
}

static void assert_every_way(const double *values, size_t count) {
    pair wanted = pair_by(NULL, values, count);
    for (size_t i = 0; crd_i_slicers[i] != NULL; i++) {
        if (!crd_i_slicers[i]->is_supported()) continue;
        pair made = pair_by(crd_i_slicers[i], values, count);
        assert_equal(&made.sums, &wanted.sums);
        assert_equal(&made.squares, &wanted.squares);
        assert_int_equal(made.count, wanted.count);
        clear(&made);
    }
    clear(&wanted);
}

/* ---- Values of all sorts ---- */

/* Any sign and fraction; exponents from `least` on. */
static double random_double(int least, int spread) {
    uint64_t field = (uint64_t)(least + 1023) + random_below((size_t)spread + 1);
    return from_bits((random_bits() & ~(UINT64_C(0x7ff) << 52)) | field << 52);
}

static double random_any(void) {
    for (;;) {
        double x = from_bits(random_bits());
        if (isfinite(x)) return x;
    }
}

static double random_denormal(void) {
    return from_bits(random_bits() & ~(UINT64_C(0x7ff) << 52));
}

static double random_whole(void) {
    return (double)random_below(2001) - 1000;
}

/* One of several ranges for the whole block, now and then broken by a value from anywhere. */
static void fill(double *values, size_t count, unsigned kind) {
    int least = (int)random_below(1900) - 1000, spread = (int)random_below(140);
    double offset = kind == 3 ? 1e12 : 1e300;
    for (size_t i = 0; i < count; i++) {
        switch (kind) {
        case 0: values[i] = random_double(-2, 3); break;
        case 1: values[i] = random_double(least, spread > 1023 - least ? 1023 - least : spread); break;
        case 2: values[i] = random_any(); break;
        case 3:
        case 4: values[i] = offset + random_double(-10, 20); break;
        case 5: values[i] = random_denormal(); break;
        case 6: values[i] = random_whole(); break;
        case 7: values[i] = random_double(900, 123); break;
        case 8: values[i] = random_below(2) ? 0.0 : -0.0; break;
        default: values[i] = random_below(2) ? random_denormal() : random_double(-1, 40); break;
        }
        if (kind != 8 && random_below(500) == 0) values[i] = random_any();
    }
}

enum { KINDS = 10 };

static void random_blocks(void **state) {
    (void)state;
    double values[CRD_I_BLOCK];
    for (size_t count = 0; count <= CRD_I_BLOCK; count += count < 40 ? 1 : 1 + random_below(60))
        for (unsigned kind = 0; kind < KINDS; kind++) {
            fill(values, count, kind);
            assert_every_way(values, count);
        }
}

/* Every exponent that a block's largest value can have, the ends of the range that is sliced among them, beside values
 * around the last bit of the third slice. */
static void every_exponent(void **state) {
    (void)state;
    double values[24];
    for (int exponent = -1074; exponent <= 1023; exponent++) {
        values[0] = ldexp(random_below(2) ? 1 : -1, exponent);
        values[1] = nextafter(values[0], random_below(2) ? INFINITY : 0);
        if (!isfinite(values[1])) values[1] = values[0];
        for (int i = 2; i < 24; i++) values[i] = ldexp(random_double(0, 0), exponent - 6 * (i - 2) - 1);
        assert_every_way(values, 24);
    }
}

/* A value in [1, 2) whose slices are about the largest that they can be, all of one sign, where the first one has
 * `first` bits: half a unit, just not rounded up, is left to the second and to the third. */
static double full_slices(unsigned first) {
    uint64_t bits = (UINT64_C(1) << 53) - 1;
    bits &= ~(UINT64_C(1) << (52 - first));
    bits &= ~(UINT64_C(1) << (52 - first - 22));
    return ldexp((double)bits, -52);
}

/* As many of the largest slices as a block holds, no two values quite alike: where a sum needed more than 53 bits, this
 * would round it, and where one left the range of doubles, it would overflow. */
static void fullest_blocks(void **state) {
    (void)state;
    static const int exponents[] = {0,   400,  490,  498,  499,  500,  505,  511,
                                    512, 1023, -437, -441, -442, -450, -480, -1000};
    double values[CRD_I_BLOCK];
    for (size_t k = 0; k < sizeof exponents / sizeof *exponents; k++)
        for (unsigned first = 18; first < 24; first++)
            for (int round = 0; round < 12; round++) {
                uint64_t bits;
                double full = full_slices(first);
                memcpy(&bits, &full, sizeof bits);
                for (size_t i = 0; i < CRD_I_BLOCK; i++) {
                    double x = ldexp(from_bits(bits ^ UINT64_C(1) << random_below(40)), exponents[k]);
                    values[i] = round % 3 == 0 && i % 2 == 0 ? -x : x;
                }
                assert_every_way(values, CRD_I_BLOCK);
            }
}

/* The ways agree on the seven sums themselves, and on what is left. */
static void same_sums(void **state) {
    (void)state;
    double values[CRD_I_BLOCK];
    const double constants[CRD_I_SLICES] = {0x1.8p34, 0x1.8p12, 0x1.8p-10}; /* for magnitudes below 2^2 */
    for (int round = 0; round < 20; round++) {
        for (size_t i = 0; i < CRD_I_BLOCK; i++) values[i] = random_double(-20, 21);
        crd_i_sliced first = {0};
        for (size_t i = 0, seen = 0; crd_i_slicers[i] != NULL; i++) {
            if (!crd_i_slicers[i]->is_supported()) continue;
            crd_i_sliced sliced = {0};
            crd_i_slicers[i]->slice(values, CRD_I_BLOCK, constants, &sliced);
            if (seen++ == 0) first = sliced;
            assert_memory_equal(sliced.sums, first.sums, sizeof first.sums);
            assert_memory_equal(sliced.squares, first.squares, sizeof first.squares);
            assert_int_equal(sliced.left_count, first.left_count);
            assert_memory_equal(sliced.left, first.left, first.left_count * sizeof *first.left);
        }
    }
}

/* NaN, of either sign and any fraction, are left out wherever they stand, and counted out. */
static void nan_is_left_out(void **state) {
    (void)state;
    double values[CRD_I_BLOCK] = {0};
    for (size_t count = 0; count < 300; count += 7)
        for (size_t nans = 0; nans <= count; nans += 1 + nans / 2) {
            fill(values, count, 0);
            size_t left = count;
            for (size_t i = 0; i < count; i++)
                if (random_below(count) < nans) {
                    values[i] = from_bits(random_bits() | UINT64_C(0x7ff) << 52 | 1);
                    left--;
                }
            assert_every_way(values, count);
            pair made = pair_by(crd_i_slicer_best(), values, count);
            assert_int_equal(made.count, left);
            clear(&made);
        }
}

static void gathering(void **state) {
    (void)state;
    double values[CRD_I_BLOCK], block[CRD_I_BLOCK];
    uint16_t which[CRD_I_BLOCK];
    for (int round = 0; round < 2000; round++) {
        unsigned wanted = 0;
        size_t count = random_below(40);
        for (size_t i = 0; i < CRD_I_BLOCK; i++)
            values[i] =
                from_bits(random_bits() & ~(random_below(2) == 0 ? UINT64_C(0x700) << 52 : UINT64_C(0x7fe) << 52));
        for (size_t i = 0; i < count; i++) {
            which[i] = (uint16_t)random_below(CRD_I_BLOCK);
            uint64_t bits;
            memcpy(&bits, &values[which[i]], sizeof bits);
            if ((bits >> 52 & 0x7ff) > wanted) wanted = (unsigned)(bits >> 52 & 0x7ff);
        }
        for (size_t k = 0; crd_i_slicers[k] != NULL; k++) {
            if (!crd_i_slicers[k]->is_supported()) continue;
            assert_int_equal(crd_i_slicers[k]->gather(values, which, count, block), wanted);
            for (size_t i = 0; i < count; i++) assert_true(block[i] == values[which[i]]);
        }
    }
}

static void best_is_supported(void **state) {
    (void)state;
    const crd_i_slicer *best = crd_i_slicer_best();
    if (best != NULL) assert_true(best->is_supported());
    else assert_true(FLT_EVAL_METHOD != 0 || crd_i_slicers[0] == NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_blocks), cmocka_unit_test(every_exponent),    cmocka_unit_test(fullest_blocks),
        cmocka_unit_test(same_sums),     cmocka_unit_test(best_is_supported), cmocka_unit_test(nan_is_left_out),
        cmocka_unit_test(gathering),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
