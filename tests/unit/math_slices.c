/* SPDX-License-Identifier: MIT */
/* Doubles added by slices, by every way that this machine has: the limbs of adding one by one. */
#include "math/exact/slices.h"
#include "math_random.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "counted_fixture.h"

/* ---- Equal to the bit ---- */

enum { SLOTS = 3, MOST_ROWS = CRD_I_MOST_SLICED };

/* Rows of numbers, as far apart as a row has columns, and where each goes. */
typedef struct table {
    size_t rows, columns;
    double *values; /* exactly as long as it must be, so that reading more is found out */
    uint32_t slots[MOST_ROWS];
    crd_i_scales scales;
} table;

static void table_init(table *new_table, size_t rows, size_t columns) {
    new_table->rows = rows;
    new_table->columns = columns;
    new_table->values = malloc((rows * columns > 0 ? rows * columns : 1) * sizeof(double));
    assert_non_null(new_table->values);
    for (size_t row = 0; row < rows; row++) new_table->slots[row] = (uint32_t)random_below(SLOTS);
    for (size_t column = 0; column < CRD_I_PANEL; column++) crd_i_scales_set(&new_table->scales, column, 0);
}

typedef struct slices_slice {
    crd_i_parts_row parts[SLOTS];
    size_t left_count;
    uint32_t left[MOST_ROWS * CRD_I_PANEL]; /* CRD_I_PANEL * row + column */
} slices_slice;

static int by_number(const void *a, const void *b) {
    return (int)*(const uint16_t *)a - (int)*(const uint16_t *)b;
}

/* What `add` does, but of one slot after the other. */
static size_t add_groups(const crd_i_slicer *slicer, const table *source_table, size_t begin, size_t count,
                         crd_i_parts_row *parts, uint16_t *left) {
    uint16_t order[CRD_I_MOST_TILE];
    size_t left_count = 0;
    for (uint32_t slot = 0; slot < SLOTS; slot++) {
        size_t matches = 0;
        for (size_t row = 0; row < count; row++)
            if (source_table->slots[begin + row] == slot) order[matches++] = (uint16_t)row;
        left_count += slicer->add_group(&source_table->scales, source_table->values + begin * source_table->columns,
                                        source_table->columns, random_below(2) * 1000, order, matches,
                                        source_table->columns, &parts[slot], left + left_count);
    }
    qsort(left, left_count, sizeof *left, by_number);
    return left_count;
}

static slices_slice *slice_by(const crd_i_slicer *slicer, bool grouped, const table *source_table) {
    static uint16_t left[CRD_I_MOST_TILE * CRD_I_PANEL];
    slices_slice *slice = calloc(1, sizeof *slice);
    assert_non_null(slice);
    for (size_t row = 0; row < source_table->rows; row += CRD_I_MOST_TILE) {
        size_t count = source_table->rows - row < CRD_I_MOST_TILE ? source_table->rows - row : CRD_I_MOST_TILE;
        size_t misfits = grouped
                             ? add_groups(slicer, source_table, row, count, slice->parts, left)
                             : slicer->add(&source_table->scales, source_table->values + row * source_table->columns,
                                           source_table->columns, count, source_table->columns,
                                           source_table->slots + row, slice->parts, left);
        for (size_t i = 0; i < misfits; i++) slice->left[slice->left_count++] = (uint32_t)(CRD_I_PANEL * row) + left[i];
    }
    return slice;
}

static void assert_equal(const crd_i_sums *a, const crd_i_sums *b) {
    int32_t base, other_base;
    uint32_t width, other_width;
    crd_i_sums_trimmed(a, &base, &width);
    crd_i_sums_trimmed(b, &other_base, &other_width);
    assert_int_equal(base, other_base);
    assert_int_equal(width, other_width);
    for (size_t cell = 0; cell < SLOTS; cell++)
        for (int32_t limb = base; limb < base + (int32_t)width; limb++)
            assert_true(crd_i_sums_limb(a, cell, limb) == crd_i_sums_limb(b, cell, limb));
}

static void sums_init(crd_i_sums sums[2]) {
    for (int i = 0; i < 2; i++) {
        crd_i_sums_init(&sums[i], context);
        assert_true(crd_i_sums_extend(&sums[i], SLOTS));
    }
}

static void add_value(crd_i_sums sums[2], size_t cell, double value) {
    if (!isfinite(value)) return;
    assert_true(crd_i_sums_add(&sums[0], cell, value) && crd_i_sums_add_product(&sums[1], cell, value, value));
}

/* What was sliced and what was left are together what one by one gives, in each column. */
static void assert_complete(const table *source_table, slices_slice *slice) {
    for (size_t column = 0; column < source_table->columns; column++) {
        crd_i_sums wanted[2], sums[2];
        sums_init(wanted);
        sums_init(sums);
        for (size_t row = 0; row < source_table->rows; row++)
            add_value(wanted, source_table->slots[row], source_table->values[row * source_table->columns + column]);
        for (size_t i = 0; i < slice->left_count; i++) {
            size_t row = slice->left[i] / CRD_I_PANEL;
            if (slice->left[i] % CRD_I_PANEL != column) continue;
            add_value(sums, source_table->slots[row], source_table->values[row * source_table->columns + column]);
        }
        for (size_t slot = 0; slot < SLOTS; slot++)
            assert_true(
                crd_i_slices_pour(&source_table->scales, column, &slice->parts[slot], &sums[0], &sums[1], slot));
        for (int i = 0; i < 2; i++) {
            assert_equal(&sums[i], &wanted[i]);
            crd_i_sums_clear(&sums[i]);
            crd_i_sums_clear(&wanted[i]);
        }
    }
}

/* All ways agree on the sums themselves, and on what is left, with rows grouped or not. Returns how many were. */
static size_t assert_every_way(const table *source_table) {
    slices_slice *first = NULL;
    size_t left_count = 0;
    for (size_t i = 0; crd_i_slicers[i / 2] != NULL; i++) {
        if (!crd_i_slicers[i / 2]->is_supported()) continue;
        slices_slice *slice = slice_by(crd_i_slicers[i / 2], i % 2 == 1, source_table);
        if (first == NULL) first = slice;
        assert_memory_equal(slice->parts, first->parts, sizeof first->parts);
        assert_int_equal(slice->left_count, first->left_count);
        assert_memory_equal(slice->left, first->left, first->left_count * sizeof *first->left);
        if (slice != first) free(slice);
    }
    if (first != NULL) {
        left_count = first->left_count;
        assert_complete(source_table, first);
        for (size_t slot = 0; slot < SLOTS; slot++)
            for (int i = 0; i < CRD_I_PARTS; i++)
                for (size_t column = 0; column < CRD_I_PANEL; column++)
                    assert_true(first->parts[slot].sums[i][column] == 0);
    }
    free(first);
    return left_count;
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

/* One of several ranges for the whole column, now and then broken by a value from anywhere. */
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

/* Columns of all kinds, under the scale that is chosen for them or under any. */
static void random_tables(void **state) {
    (void)state;
    double column_values[MOST_ROWS];
    for (size_t rows = 0; rows <= MOST_ROWS; rows += rows < 40 ? 1 : 1 + random_below(60))
        for (size_t columns = CRD_I_PANEL / 2; columns <= CRD_I_PANEL; columns += CRD_I_PANEL / 2) {
            table new_table;
            table_init(&new_table, rows, columns);
            for (size_t column = 0; column < columns; column++) {
                int exponent = (int)random_below(941) - 440;
                fill(column_values, rows, (unsigned)random_below(KINDS));
                for (size_t row = 0; row < rows; row++) new_table.values[row * columns + column] = column_values[row];
                int chosen;
                bool is_chosen = crd_i_scales_choose(new_table.values + column, columns, rows, &chosen);
                crd_i_scales_set(&new_table.scales, column, is_chosen && random_below(4) > 0 ? chosen : exponent);
            }
            (void)assert_every_way(&new_table);
            free(new_table.values);
        }
}

/* By other means than slicing: how many values are too large, or have bits below the third slice. */
static size_t misfits_under(const double *values, size_t count, int exponent) {
    size_t misfits = 0;
    for (size_t i = 0; i < count; i++)
        misfits += fabs(values[i]) >= ldexp(1, exponent) || remainder(values[i], ldexp(1, exponent - 64)) != 0;
    return misfits;
}

/* Every exponent that there are scales for, beside values around the largest that fit and around the last bit of the
 * third slice: those that do not fit are left, and no others. */
static void every_exponent(void **state) {
    (void)state;
    for (int exponent = -440; exponent <= 500; exponent++) {
        table new_table;
        table_init(&new_table, 48, CRD_I_PANEL);
        for (size_t column = 0; column < CRD_I_PANEL; column++) {
            crd_i_scales_set(&new_table.scales, column, exponent);
            double *values = new_table.values + column;
            values[0] = ldexp(random_below(2) ? 1 : -1, exponent);
            values[CRD_I_PANEL] = nextafter(values[0], 0);
            values[2 * CRD_I_PANEL] = ldexp(1, exponent - 64);
            values[3 * CRD_I_PANEL] = ldexp(3, exponent - 65);
            for (int i = 4; i < 48; i++)
                values[i * CRD_I_PANEL] = ldexp(random_double(0, 0), exponent - 3 * (i - 4) + 3);
        }
        size_t misfits = misfits_under(new_table.values, 48 * CRD_I_PANEL, exponent);
        assert_int_equal(assert_every_way(&new_table), crd_i_slicer_best() == NULL ? 0 : misfits);
        free(new_table.values);
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

/* As many of the largest slices as sums can take, no two values quite alike: where a sum needed more than 53 bits, this
 * would round it, and where one left the range of doubles, it would overflow. */
static void fullest_sums(void **state) {
    (void)state;
    static const int exponents[] = {0, 400, 490, 498, 499, -437, -441, -441};
    for (unsigned first = 17; first < 23; first++)
        for (int round = 0; round < 12; round++) {
            table new_table;
            table_init(&new_table, MOST_ROWS, CRD_I_PANEL);
            memset(new_table.slots, 0, sizeof new_table.slots);
            uint64_t bits;
            double full = full_slices(first);
            memcpy(&bits, &full, sizeof bits);
            for (size_t i = 0; i < MOST_ROWS * CRD_I_PANEL; i++) {
                double x = ldexp(from_bits(bits ^ UINT64_C(1) << random_below(40)), exponents[i % CRD_I_PANEL]);
                new_table.values[i] = round % 3 == 0 && i / CRD_I_PANEL % 2 == 0 ? -x : x;
            }
            for (size_t column = 0; column < CRD_I_PANEL; column++)
                crd_i_scales_set(&new_table.scales, column, exponents[column] + 1);
            assert_int_equal(assert_every_way(&new_table), 0);
            free(new_table.values);
        }
}

/* NaN, of either sign and any fraction, and infinities are left wherever they stand; nothing else is, here. */
static void no_numbers_are_left(void **state) {
    (void)state;
    for (size_t rows = 0; rows < 60; rows++) {
        table new_table;
        table_init(&new_table, rows, CRD_I_PANEL);
        size_t expected = 0;
        for (size_t i = 0; i < rows * CRD_I_PANEL; i++) {
            bool is_number = random_below(3) > 0;
            new_table.values[i] = random_below(5) == 0 ? -0.0 : random_whole() / 1024;
            if (!is_number) new_table.values[i] = from_bits(random_bits() | UINT64_C(0x7ff) << 52);
            if (!is_number && random_below(4) == 0) new_table.values[i] = random_below(2) ? INFINITY : -INFINITY;
            expected += !is_number;
        }
        assert_int_equal(assert_every_way(&new_table), crd_i_slicer_best() == NULL ? 0 : expected);
        free(new_table.values);
    }
}

/* No other exponent would leave fewer values. */
static void best_scale(void **state) {
    (void)state;
    double values[60];
    for (int round = 0; round < 400; round++) {
        size_t count = 1 + random_below(60);
        for (size_t i = 0; i < count; i++)
            values[i] = round % 2 == 0 ? random_double(-30, 40 + round / 10) : random_whole() * random_double(0, 60);
        int exponent;
        if (!crd_i_scales_choose(values, 1, count, &exponent)) {
            for (size_t i = 0; i < count; i++) assert_true(values[i] == 0);
            continue;
        }
        size_t misfits = misfits_under(values, count, exponent);
        for (int other = -40; other < 160; other++) assert_true(misfits_under(values, count, other) >= misfits);
    }
}

static void no_scale(void **state) {
    (void)state;
    const double nothing[] = {0, -0.0, NAN, INFINITY, -INFINITY, 0x1p-1000, 0x1p600};
    int exponent;
    assert_false(crd_i_scales_choose(nothing, 1, 0, &exponent));
    assert_false(crd_i_scales_choose(nothing, 1, 7, &exponent));
}

static void digits(void **state) {
    (void)state;
    for (int round = 0; round < 3000; round++) {
        crd_i_sums sums[2];
        sums_init(sums);
        int64_t drawn[5];
        size_t count = 1 + random_below(5);
        int32_t exponent = (int32_t)random_below(1500) - 1000;
        for (size_t i = 0; i < count; i++) {
            drawn[i] = (int64_t)(random_bits() >> (10 + random_below(54))) * (random_below(2) ? 1 : -1);
            double high = (double)(drawn[i] / 1024), low = (double)(drawn[i] % 1024);
            int unit = exponent + CRD_I_DIGIT_BITS * (int)(count - 1 - i);
            assert_true(crd_i_sums_add_product3(&sums[0], 1, high, 1024, ldexp(1, unit)) &&
                        crd_i_sums_add_product(&sums[0], 1, low, ldexp(1, unit)));
        }
        assert_true(crd_i_sums_add_digits(&sums[1], 1, drawn, count, exponent));
        assert_equal(&sums[0], &sums[1]);
        crd_i_sums_clear(&sums[0]);
        crd_i_sums_clear(&sums[1]);
    }
}

/* Slicing is wrong where doubles are not rounded after every operation, so nothing of it may be compiled there. */
static void best_is_supported(void **state) {
    (void)state;
    const crd_i_slicer *best = crd_i_slicer_best();
    if (FLT_EVAL_METHOD != 0) assert_null(crd_i_slicers[0]);
    if (best != NULL) assert_true(best->is_supported());
    else assert_null(crd_i_slicers[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_tables),     cmocka_unit_test(every_exponent), cmocka_unit_test(fullest_sums),
        cmocka_unit_test(best_is_supported), cmocka_unit_test(best_scale),     cmocka_unit_test(no_numbers_are_left),
        cmocka_unit_test(no_scale),          cmocka_unit_test(digits),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
