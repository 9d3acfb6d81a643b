/* SPDX-License-Identifier: MIT */
/* Exact sums against MPFR, which is given enough bits to be exact too. */
#include "math/exact/exact_sums.h"
#include "math/exact/limbs.h"
#include "unit/math_random.h"

#include <math.h>
#define MPFR_USE_INTMAX_T
#include <mpfr.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Products of three doubles span 2^-3222 .. 2^3072. */
#define EXACT_BITS 7000

/* Any finite double, or one of the kinds of number that real columns and hostile ones hold. */
static double random_double(void) {
    static const double edges[] = {0,
                                   -0.0,
                                   1,
                                   -1,
                                   5e-324,
                                   -5e-324,
                                   2.2250738585072014e-308,
                                   1e308,
                                   -1e308,
                                   1e-300,
                                   1e300,
                                   1.7976931348623157e308,
                                   -1.7976931348623157e308,
                                   1e12,
                                   9007199254740992.0};
    switch (random_below(6)) {
    case 0: return edges[random_below(sizeof edges / sizeof *edges)];
    case 1: return (double)(int64_t)random_below(2000) - 1000;
    case 2: return 1e12 + (double)random_below(1000) / 64;
    case 3: return from_bits(random_bits() & UINT64_C(0x800fffffffffffff));
    default:
        for (;;) {
            double x = from_bits(random_bits());
            if (isfinite(x)) return x;
        }
    }
}

/* An allocator that counts what lives and fails at the call numbered fail_at (from 1; 0: never). */
typedef struct allocator {
    size_t calls, fail_at, living;
} allocator;

static void *resize(void *user, void *block, size_t bytes) {
    allocator *a = user;
    if (bytes == 0) {
        a->living -= block != NULL;
        free(block);
        return NULL;
    }
    if (++a->calls == a->fail_at) return NULL;
    void *result = realloc(block, bytes);
    a->living += result != NULL && block == NULL;
    return result;
}

static crd_context *context_with(allocator *a) {
    crd_context_options options = CRD_CONTEXT_OPTIONS_INIT;
    options.resize = resize;
    options.resize_user = a;
    crd_context *context = NULL;
    assert_int_equal(crd_context_create(&options, &context), CRD_OK);
    return context;
}

static int setup(void **state) {
    crd_context *context = NULL;
    if (crd_context_create(NULL, &context) != CRD_OK) return -1;
    *state = context;
    return 0;
}

static int teardown(void **state) {
    crd_context_destroy(*state);
    return 0;
}

/* Equal as numbers, whatever their windows are: the same least window and the same limbs in it. */
static void assert_same(const crd_i_sums *a, const crd_i_sums *b) {
    int32_t base_a, base_b;
    uint32_t width_a, width_b;
    crd_i_sums_trimmed(a, &base_a, &width_a);
    crd_i_sums_trimmed(b, &base_b, &width_b);
    assert_int_equal(a->cells, b->cells);
    assert_int_equal(base_a, base_b);
    assert_int_equal(width_a, width_b);
    for (size_t cell = 0; cell < a->cells; cell++)
        for (int32_t i = base_a - 2; i < base_a + (int32_t)width_a + 2; i++)
            assert_true(crd_i_sums_limb(a, cell, i) == crd_i_sums_limb(b, cell, i));
}

/* The sum as text, read by MPFR, is the reference exactly. */
static void assert_exactly(const crd_i_sums *sums, size_t cell, mpfr_t reference) {
    char *text = crd_i_sums_text(sums, cell);
    assert_non_null(text);
    mpfr_t read;
    mpfr_init2(read, EXACT_BITS);
    assert_int_equal(mpfr_strtofr(read, text, NULL, 0, MPFR_RNDN), 0);
    assert_int_equal(mpfr_cmp(read, reference), 0);
    assert_int_equal(crd_i_sums_sign(sums, cell), mpfr_sgn(reference) > 0 ? 1 : mpfr_sgn(reference) < 0 ? -1 : 0);
    double value = crd_i_sums_value(sums, cell);
    double expected = mpfr_get_d(reference, MPFR_RNDN);
    if (expected == 0) expected = mpfr_sgn(reference) < 0 ? -0.0 : 0.0;
    assert_memory_equal(&value, &expected, sizeof value);
    mpfr_clear(read);
    crd_free(sums->context, text);
}

static void test_wide_product(void **state) {
    (void)state;
    static const uint64_t edges[] = {0, 1, 2, UINT32_MAX, UINT64_C(1) << 32, UINT64_C(1) << 63, UINT64_MAX};
    for (int i = 0; i < 20000; i++) {
        uint64_t a = i % 3 == 0 ? edges[random_below(7)] : random_bits();
        uint64_t b = i % 2 == 0 ? edges[random_below(7)] : random_bits();
        crd_i_limb fast = crd_i_limb_multiply(a, b), portable = crd_i_limb_multiply_portable(a, b);
        assert_true(fast.low == portable.low && fast.high == portable.high);
        assert_true(fast.low == a * b);
    }
    crd_i_limb most = crd_i_limb_multiply_add(UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX);
    assert_true(most.low == UINT64_MAX && most.high == UINT64_MAX);
    for (unsigned i = 0; i < 64; i++) {
        assert_int_equal(crd_i_limb_leading_zeros(UINT64_MAX >> i), i);
        assert_int_equal(crd_i_limb_leading_zeros_portable(UINT64_MAX >> i), i);
    }
}

static void test_sums_are_exact(void **state) {
    mpfr_t total, term;
    mpfr_init2(total, EXACT_BITS);
    mpfr_init2(term, EXACT_BITS);
    for (int round = 0; round < 300; round++) {
        crd_i_sums sums;
        crd_i_sums_init(&sums, *state);
        assert_true(crd_i_sums_extend(&sums, 3));
        mpfr_set_zero(total, 1);
        size_t terms = random_below(40);
        for (size_t i = 0; i < terms; i++) {
            double x = random_double(), y = random_double(), z = random_double();
            mpfr_set_d(term, x, MPFR_RNDN);
            switch (round % 4) {
            case 0: assert_true(crd_i_sums_add(&sums, 1, x)); break;
            case 1:
                assert_true(crd_i_sums_add_product(&sums, 1, x, y));
                mpfr_mul_d(term, term, y, MPFR_RNDN);
                break;
            case 2:
                assert_true(crd_i_sums_add_product3(&sums, 1, x, y, z));
                mpfr_mul_d(term, term, y, MPFR_RNDN);
                mpfr_mul_d(term, term, z, MPFR_RNDN);
                break;
            default: {
                int64_t integer = (int64_t)random_bits() >> random_below(64);
                assert_true(crd_i_sums_add_integer(&sums, 1, integer));
                mpfr_set_sj(term, integer, MPFR_RNDN);
                break;
            }
            }
            assert_int_equal(mpfr_add(total, total, term, MPFR_RNDN), 0);
        }
        assert_exactly(&sums, 1, total);
        assert_int_equal(crd_i_sums_sign(&sums, 0), 0);
        assert_int_equal(crd_i_sums_sign(&sums, 2), 0);
        crd_i_sums_clear(&sums);
    }
    mpfr_clear(total);
    mpfr_clear(term);
}

static void test_shuffled_split_and_combined(void **state) {
    enum { COUNT = 60, CELLS = 4 };
    for (int round = 0; round < 200; round++) {
        double x[COUNT];
        size_t cell[COUNT];
        crd_i_sums once, part[3];
        crd_i_sums_init(&once, *state);
        assert_true(crd_i_sums_extend(&once, CELLS));
        for (int p = 0; p < 3; p++) {
            crd_i_sums_init(&part[p], *state);
            assert_true(crd_i_sums_extend(&part[p], CELLS));
        }
        for (size_t i = 0; i < COUNT; i++) {
            x[i] = random_double();
            cell[i] = random_below(CELLS - 1);
            assert_true(crd_i_sums_add_product(&once, cell[i], x[i], x[i]));
            assert_true(crd_i_sums_add(&once, cell[i], x[i]));
        }
        for (size_t i = COUNT; i-- > 0;) {
            size_t j = random_below(i + 1);
            double swap_x = x[i];
            size_t swap_cell = cell[i];
            x[i] = x[j], cell[i] = cell[j];
            x[j] = swap_x, cell[j] = swap_cell;
            crd_i_sums *sum = &part[random_below(3)];
            assert_true(crd_i_sums_add(sum, cell[i], x[i]));
            assert_true(crd_i_sums_add_product(sum, cell[i], -x[i], -x[i]));
        }
        assert_true(crd_i_sums_combine_all(&part[1], &part[2], NULL, 1));
        for (size_t c = 0; c < CELLS; c++) assert_true(crd_i_sums_combine(&part[0], c, &part[1], c, 1));
        assert_same(&once, &part[0]);

        /* Taking the same away again, in one piece and from the whole, leaves nothing. */
        const size_t identity[CELLS] = {0, 1, 2, 3};
        assert_true(crd_i_sums_combine_all(&part[0], &once, identity, -1));
        int32_t base;
        uint32_t width;
        crd_i_sums_trimmed(&part[0], &base, &width);
        assert_int_equal(width, 0);
        assert_int_equal(base, 0);
        crd_i_sums_clear(&once);
        for (int p = 0; p < 3; p++) crd_i_sums_clear(&part[p]);
    }
}

static void test_window_grows_at_both_ends(void **state) {
    crd_i_sums sums;
    crd_i_sums_init(&sums, *state);
    assert_true(crd_i_sums_extend(&sums, 2));
    assert_int_equal(sums.width, 0);
    assert_true(crd_i_sums_add(&sums, 0, -0.0));
    assert_int_equal(sums.width, 0);
    assert_true(crd_i_sums_add(&sums, 0, 3.0));
    assert_int_equal(sums.width, 1); /* an integer needs no limb below the point */
    assert_int_equal(sums.base, 0);
    assert_true(crd_i_sums_add(&sums, 1, -0.5));
    assert_int_equal(sums.base, -1);
    assert_true(crd_i_sums_add(&sums, 1, 1e308));
    assert_true(crd_i_sums_add(&sums, 0, 5e-324));
    assert_true(crd_i_sums_add(&sums, 1, -1e308));
    assert_true(crd_i_sums_value(&sums, 0) == 3.0);
    assert_true(crd_i_sums_value(&sums, 1) == -0.5);
    assert_true(crd_i_sums_add(&sums, 0, -3.0));
    assert_true(crd_i_sums_value(&sums, 0) == 5e-324);
    assert_true(crd_i_sums_extend(&sums, 5));
    assert_int_equal(crd_i_sums_sign(&sums, 4), 0);
    crd_i_sums_clear(&sums);
    assert_int_equal(sums.cells, 0);
}

/* Carries out of the top limb, towards both signs, from every state the top bits can be in. */
static void test_headroom(void **state) {
    static const int64_t edges[] = {
        INT64_MAX, INT64_MIN, INT64_C(1) << 62, -(INT64_C(1) << 62), (INT64_C(1) << 62) - 1, -(INT64_C(1) << 62) - 1,
        1,         -1};
    mpfr_t total, term;
    mpfr_init2(total, EXACT_BITS);
    mpfr_init2(term, EXACT_BITS);
    for (int round = 0; round < 500; round++) {
        crd_i_sums sums;
        crd_i_sums_init(&sums, *state);
        assert_true(crd_i_sums_extend(&sums, 1));
        mpfr_set_zero(total, 1);
        for (int i = 0; i < 12; i++) {
            int64_t value = edges[random_below(8)];
            mpfr_set_sj(term, value, MPFR_RNDN);
            mpfr_add(total, total, term, MPFR_RNDN);
            assert_true(crd_i_sums_add_integer(&sums, 0, value));
            if (i % 4 == 3) { /* doubling onto itself */
                assert_true(crd_i_sums_combine(&sums, 0, &sums, 0, 1));
                mpfr_mul_ui(total, total, 2, MPFR_RNDN);
            }
            assert_exactly(&sums, 0, total);
        }
        assert_true(crd_i_sums_combine(&sums, 0, &sums, 0, -1));
        assert_int_equal(crd_i_sums_sign(&sums, 0), 0);
        crd_i_sums_clear(&sums);
    }
    /* A window filled to the brim, as a file may bring it. */
    for (int negative = 0; negative < 2; negative++) {
        crd_i_sums full, other;
        crd_i_sums_init(&full, *state);
        assert_true(crd_i_sums_extend(&full, 3));
        assert_true(crd_i_sums_set_window(&full, 0, 1));
        full.limbs[0] = full.limbs[1] = full.limbs[2] = negative ? UINT64_C(1) << 63 : INT64_MAX;
        crd_i_sums_init(&other, *state);
        assert_true(crd_i_sums_extend(&other, 1));
        const size_t together[3] = {0, 0, 0};
        assert_true(crd_i_sums_combine_all(&other, &full, together, 1));
        mpfr_set_sj(total, negative ? INT64_MIN : INT64_MAX, MPFR_RNDN);
        mpfr_mul_ui(total, total, 3, MPFR_RNDN);
        assert_exactly(&other, 0, total);
        assert_true(crd_i_sums_combine_all(&other, &full, together, -1));
        assert_int_equal(crd_i_sums_sign(&other, 0), 0);
        assert_true(crd_i_sums_combine(&other, 0, &full, 0, -1));
        mpfr_set_sj(total, negative ? INT64_MIN : INT64_MAX, MPFR_RNDN);
        mpfr_neg(total, total, MPFR_RNDN);
        assert_exactly(&other, 0, total);
        crd_i_sums_clear(&full);
        crd_i_sums_clear(&other);
    }
    mpfr_clear(total);
    mpfr_clear(term);
}

static void test_rounding_to_double(void **state) {
    /* Ties to even with and without a last straw far below; the edge of overflow; denormals. */
    static const struct {
        double a, b, c, expected;
    } cases[] = {
        {9007199254740992.0, 1, 0, 9007199254740992.0},
        {9007199254740992.0, 1, 5e-324, 9007199254740994.0},
        {9007199254740992.0, 3, 0, 9007199254740996.0},
        {9007199254740992.0, 3, -5e-324, 9007199254740994.0},
        {-9007199254740992.0, -1, -5e-324, -9007199254740994.0},
        {1.7976931348623157e308, 0x1p970, 0, INFINITY},
        {1.7976931348623157e308, 0x1p970, -1, 1.7976931348623157e308},
        {1e308, 1e308, 0, INFINITY},
        {-1e308, -1e308, 0, -INFINITY},
        {2.2250738585072014e-308, -5e-324, 0, 2.225073858507201e-308},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        crd_i_sums sums;
        crd_i_sums_init(&sums, *state);
        assert_true(crd_i_sums_extend(&sums, 1));
        assert_true(crd_i_sums_add(&sums, 0, cases[i].a));
        assert_true(crd_i_sums_add(&sums, 0, cases[i].b));
        assert_true(crd_i_sums_add(&sums, 0, cases[i].c));
        assert_true(crd_i_sums_value(&sums, 0) == cases[i].expected);
        crd_i_sums_clear(&sums);
    }
    /* Products below the least double: half of it is a tie and goes to zero, more goes up. */
    crd_i_sums tiny;
    crd_i_sums_init(&tiny, *state);
    assert_true(crd_i_sums_extend(&tiny, 1));
    assert_true(crd_i_sums_add_product(&tiny, 0, 5e-324, 0.5));
    assert_true(crd_i_sums_value(&tiny, 0) == 0);
    assert_true(crd_i_sums_add_product3(&tiny, 0, 5e-324, 5e-324, 5e-324));
    assert_true(crd_i_sums_value(&tiny, 0) == 5e-324);
    assert_int_equal(tiny.base >= CRD_I_SUMS_LEAST_BASE, 1);
    assert_true(
        crd_i_sums_add_product3(&tiny, 0, 1.7976931348623157e308, 1.7976931348623157e308, 1.7976931348623157e308));
    assert_true(tiny.width + 2 <= CRD_I_SUMS_MOST_WIDTH);
    crd_i_sums_clear(&tiny);
}

static void test_text(void **state) {
    static const struct {
        double x;
        const char *text;
    } cases[] = {{0, "0x0p+0"}, {26.5, "0x1a8p-4"}, {-26.5, "-0x1a8p-4"},
                 {1, "0x1p+0"}, {16, "0x1p+4"},     {-0.0, "0x0p+0"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        crd_i_sums sums;
        crd_i_sums_init(&sums, *state);
        assert_true(crd_i_sums_extend(&sums, 1));
        assert_true(crd_i_sums_add(&sums, 0, cases[i].x));
        char *text = crd_i_sums_text(&sums, 0);
        assert_string_equal(text, cases[i].text);
        crd_free(*state, text);
        crd_i_sums_clear(&sums);
    }
}

static void test_limbs_written_and_read_back(void **state) {
    crd_i_sums sums, copy;
    crd_i_sums_init(&sums, *state);
    crd_i_sums_init(&copy, *state);
    assert_true(crd_i_sums_extend(&sums, 5));
    assert_true(crd_i_sums_extend(&copy, 5));
    for (int i = 0; i < 50; i++) assert_true(crd_i_sums_add(&sums, random_below(5), random_double()));
    int32_t base;
    uint32_t width;
    crd_i_sums_trimmed(&sums, &base, &width);
    assert_true(crd_i_sums_set_window(&copy, base, width));
    for (size_t cell = 0; cell < 5; cell++)
        for (uint32_t i = 0; i < width; i++)
            copy.limbs[cell * width + i] = crd_i_sums_limb(&sums, cell, base + (int32_t)i);
    assert_same(&sums, &copy);
    for (size_t cell = 0; cell < 5; cell++) assert_true(crd_i_sums_value(&sums, cell) == crd_i_sums_value(&copy, cell));
    assert_true(crd_i_sums_set_window(&copy, 0, 0));
    assert_int_equal(crd_i_sums_sign(&copy, 3), 0);
    crd_i_sums_clear(&sums);
    crd_i_sums_clear(&copy);
}

/* The n-th of a fixed run of changes that grow the window at both ends and add cells. */
enum { STEPS = 11 };
static bool take_step(crd_i_sums *sums, const crd_i_sums *other, int step) {
    switch (step) {
    case 0: return crd_i_sums_extend(sums, 3);
    case 1: return crd_i_sums_add_integer(sums, 2, 1);
    case 2: return crd_i_sums_add(sums, 0, 1e308);
    case 3: return crd_i_sums_add(sums, 1, -5e-324);
    case 4: return crd_i_sums_extend(sums, 9);
    case 5: return crd_i_sums_add_product(sums, 7, 1e-300, -1e-300);
    case 6: return crd_i_sums_add_product3(sums, 7, 1e200, 1e200, 1e200);
    case 7: return crd_i_sums_combine(sums, 8, other, 1, -1);
    case 8: return crd_i_sums_combine_all(sums, other, NULL, 1);
    case 9: return crd_i_sums_extend(sums, 200);
    default: return crd_i_sums_combine_all(sums, other, NULL, -1);
    }
}

static void test_failed_allocations_change_nothing(void **state) {
    crd_i_sums other;
    crd_i_sums_init(&other, *state);
    assert_true(crd_i_sums_extend(&other, 2));
    assert_true(crd_i_sums_add_product3(&other, 0, 1e-308, 1e-308, 1e-308));
    assert_true(crd_i_sums_add_product3(&other, 1, 1e308, 1e308, -1e308));
    bool any_failed = true;
    for (size_t fail_at = 2; any_failed; fail_at++) { /* the first allocation is the context */
        allocator memory = {0, fail_at, 0};
        crd_context *context = context_with(&memory);
        crd_i_sums sums, expected;
        crd_i_sums_init(&sums, context);
        crd_i_sums_init(&expected, *state);
        any_failed = false;
        for (int step = 0; step < STEPS; step++) {
            if (!take_step(&sums, &other, step)) {
                assert_false(any_failed);
                any_failed = true;
                assert_same(&sums, &expected);
                assert_true(take_step(&sums, &other, step));
            }
            assert_true(take_step(&expected, &other, step));
            assert_same(&sums, &expected);
        }
        if (!any_failed) {
            memory.fail_at = memory.calls + 1;
            assert_null(crd_i_sums_text(&sums, 0));
            assert_true(fail_at > 5);
        }
        crd_i_sums_clear(&sums);
        crd_i_sums_clear(&expected);
        crd_context_destroy(context);
        assert_int_equal(memory.living, 0);
    }
    /* More cells than can be counted in bytes. */
    assert_false(crd_i_sums_extend(&other, SIZE_MAX / 16));
    assert_int_equal(other.cells, 2);
    crd_i_sums_clear(&other);
}

/* Once room is made, combining with either sign and undoing it need no memory, however full the limbs are. */
static void test_reserved_room_suffices(void **state) {
    (void)state;
    for (int round = 0; round < 2000; round++) {
        allocator memory = {0, 0, 0};
        crd_context *context = context_with(&memory);
        crd_i_sums sums, other, before;
        crd_i_sums *all[3] = {&sums, &other, &before};
        for (int i = 0; i < 3; i++) {
            crd_i_sums_init(all[i], context);
            assert_true(crd_i_sums_extend(all[i], 1));
        }
        for (int i = 0; i < 2; i++) {
            uint32_t width = (uint32_t)random_below(3);
            assert_true(crd_i_sums_set_window(all[i], (int32_t)random_below(3) - 1, width));
            for (uint32_t k = 0; k < width; k++) all[i]->limbs[k] = random_bits() >> random_below(64);
            if (width > 0 && random_below(2)) all[i]->limbs[width - 1] = 0 - (UINT64_C(1) << (60 + random_below(4)));
        }
        assert_true(crd_i_sums_combine(&before, 0, &sums, 0, 1));
        assert_true(crd_i_sums_reserve(&sums, 0, &other, 0));
        assert_same(&sums, &before);
        memory.fail_at = memory.calls + 1;
        int sign = random_below(2) ? 1 : -1;
        assert_true(crd_i_sums_combine(&sums, 0, &other, 0, sign));
        assert_true(crd_i_sums_combine(&sums, 0, &other, 0, -sign));
        assert_same(&sums, &before);
        for (int i = 0; i < 3; i++) crd_i_sums_clear(all[i]);
        crd_context_destroy(context);
        assert_int_equal(memory.living, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wide_product),
        cmocka_unit_test(test_sums_are_exact),
        cmocka_unit_test(test_shuffled_split_and_combined),
        cmocka_unit_test(test_window_grows_at_both_ends),
        cmocka_unit_test(test_headroom),
        cmocka_unit_test(test_rounding_to_double),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_limbs_written_and_read_back),
        cmocka_unit_test(test_failed_allocations_change_nothing),
        cmocka_unit_test(test_reserved_room_suffices),
    };
    return cmocka_run_group_tests_name("math_sums", tests, setup, teardown);
}
