/* SPDX-License-Identifier: MIT */
/* Numbers with weights added by slices, by every way that this machine has: the limbs of adding one by one. */
#include "math/exact/slices.h"
#include "math_random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "counted_fixture.h"

enum { POWERS = 3 };

typedef struct sample {
    size_t count;
    double numbers[CRD_I_MOST_WEIGHTED], weights[CRD_I_MOST_WEIGHTED];
} sample;

static void sums_init(crd_i_sums *sums) {
    for (int i = 0; i < POWERS; i++) {
        crd_i_sums_init(&sums[i], context);
        assert_true(crd_i_sums_extend(&sums[i], 1));
    }
}

static void add_one(crd_i_sums *sums, double x, double w) {
    if (!isfinite(x)) return;
    assert_true(crd_i_sums_add(&sums[0], 0, w) && crd_i_sums_add_product(&sums[1], 0, w, x) &&
                crd_i_sums_add_product3(&sums[2], 0, w, x, x));
}

/* Adds the sample by one way, and returns how many were left. */
static size_t add_by(const crd_i_slicer *slicer, const sample *source_sample, int exponent, crd_i_sums *sums) {
    double buffer[CRD_I_SLICES * CRD_I_MOST_WEIGHTED];
    uint16_t left[CRD_I_MOST_WEIGHTED];
    crd_i_sliced_weights weights;
    crd_i_weighted_scales scales;
    crd_i_weighted_parts parts = {0};
    assert_true(crd_i_slice_weights(source_sample->weights, source_sample->count, buffer, &weights));
    assert_true(crd_i_weighted_scales_set(&scales, exponent, weights.exponent));
    size_t count = slicer->add_weighted(&scales, source_sample->numbers, &weights, source_sample->count, &parts, left);
    for (size_t i = 0; i < count; i++) add_one(sums, source_sample->numbers[left[i]], source_sample->weights[left[i]]);
    assert_true(crd_i_weighted_pour(&scales, &parts, sums, 0));
    return count;
}

/* The most that any way left. */
static size_t assert_every_way(const sample *source_sample, int exponent) {
    crd_i_sums singly[POWERS];
    size_t most = 0;
    sums_init(singly);
    for (size_t i = 0; i < source_sample->count; i++)
        add_one(singly, source_sample->numbers[i], source_sample->weights[i]);
    for (size_t way = 0; crd_i_slicers[way] != NULL; way++) {
        crd_i_sums sliced[POWERS];
        if (!crd_i_slicers[way]->is_supported()) continue;
        sums_init(sliced);
        size_t left = add_by(crd_i_slicers[way], source_sample, exponent, sliced);
        most = left > most ? left : most;
        for (int i = 0; i < POWERS; i++) {
            assert_true(crd_i_sums_combine(&sliced[i], 0, &singly[i], 0, -1));
            assert_int_equal(crd_i_sums_sign(&sliced[i], 0), 0);
            crd_i_sums_clear(&sliced[i]);
        }
    }
    for (int i = 0; i < POWERS; i++) crd_i_sums_clear(&singly[i]);
    return most;
}

static double uniform(void) {
    return ldexp((double)(random_bits() >> 11), -53);
}

static double draw(unsigned kind) {
    switch (kind) {
    case 0: return uniform();
    case 1: return (double)random_below(4);
    case 2: return (double)(float)uniform();
    case 3: return ldexp(uniform(), (int)random_below(200) - 100);
    case 4: return 1e9 + (double)random_below(1000000) / 1024;
    default: return ldexp(1, (int)random_below(80) - 70);
    }
}

enum { KINDS = 6 };

static void random_samples(void **state) {
    (void)state;
    sample new_sample;
    for (unsigned round = 0; round < 2000; round++) {
        const unsigned kind = (unsigned)random_below(KINDS), weights = (unsigned)random_below(KINDS);
        new_sample.count = round < 40 ? round : random_below(CRD_I_MOST_WEIGHTED + 1);
        for (size_t i = 0; i < new_sample.count; i++) {
            new_sample.numbers[i] = random_below(2) ? draw(kind) : -draw(kind);
            new_sample.weights[i] = draw(weights);
            if (random_below(100) == 0) new_sample.numbers[i] = random_below(2) ? NAN : ldexp(uniform(), 900);
        }
        int exponent = (int)random_below(501) - 250, chosen;
        if (random_below(4) > 0 && crd_i_scales_choose(new_sample.numbers, 1, new_sample.count, &chosen) &&
            abs(chosen) <= 250)
            exponent = chosen;
        (void)assert_every_way(&new_sample, exponent);
    }
}

/* As many of the greatest slices as sums can take: where one needed more than 53 bits, it would be rounded. Slices are
 * greatest where rounding leaves half a unit, to either side. */
static void fullest_sums(void **state) {
    (void)state;
    static const int exponents[][2] = {{0, 0}, {249, 250}, {-250, -250}, {250, -250}};
    sample new_sample = {.count = CRD_I_MOST_WEIGHTED};
    for (unsigned bit = 17; bit < 23; bit++)
        for (unsigned round = 0; round < 16; round++) {
            const int *powers = exponents[round % 4];
            const uint64_t bits =
                ((UINT64_C(1) << 53) - 1) & ~(UINT64_C(1) << (53 - bit)) & ~(UINT64_C(1) << (53 - bit - 22));
            const double full = round < 8 ? ldexp((double)bits, -53) : 1 - ldexp(1, -(int)bit) - ldexp(1, -43);
            for (size_t i = 0; i < new_sample.count; i++) {
                const double last = ldexp((double)random_below(4), -53);
                new_sample.numbers[i] = ldexp(full - last, powers[0]);
                new_sample.weights[i] = ldexp(full - last, powers[1]);
            }
            assert_int_equal(assert_every_way(&new_sample, powers[0]), 0);
        }
}

/* Weights that others are not to be compared with are refused, or left. */
static void weights_of_any_size(void **state) {
    (void)state;
    sample new_sample = {.count = 20};
    double buffer[CRD_I_SLICES * CRD_I_MOST_WEIGHTED];
    crd_i_sliced_weights weights;
    for (size_t i = 0; i < new_sample.count; i++) {
        new_sample.numbers[i] = (double)i + 0.1;
        new_sample.weights[i] = i % 2 == 0 ? 1 : 0x1.123456789abcdp-60;
    }
    if (crd_i_slicer_best() == NULL) return;
    assert_int_equal(assert_every_way(&new_sample, 6), 10);
    new_sample.weights[3] = 1e300;
    assert_false(crd_i_slice_weights(new_sample.weights, new_sample.count, buffer, &weights));
    memset(new_sample.weights, 0, sizeof new_sample.weights);
    assert_int_equal(assert_every_way(&new_sample, 6), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_samples),
        cmocka_unit_test(fullest_sums),
        cmocka_unit_test(weights_of_any_size),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
