/* SPDX-License-Identifier: MIT */
/* Columns of numbers, by every way that this machine has: the bits of one number at a time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "math/functions/elementary.h"
#include "math/simd/simd_columns.h"
#include "math_random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STRIDE = 40, MOST_COLUMNS = 11 };

#define FOR_EACH_WAY(way)                                                                                              \
    for (size_t way##_number = 0; crd_i_simd_columns_ways[way##_number] != NULL; way##_number++)                       \
        for (const crd_i_simd_columns *way = crd_i_simd_columns_ways[way##_number];                                    \
             way != NULL && way->is_supported(); way = NULL)

static double random_unit(void) {
    return (double)(random_bits() >> 11) / 9007199254740992.0;
}

static void same_bits(const double *got, const double *wanted, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (memcmp(&got[i], &wanted[i], sizeof *got) != 0 && !(isnan(got[i]) && isnan(wanted[i])))
            fail_msg("number %zu is %a and should be %a", i, got[i], wanted[i]);
}

static void there_is_a_way(void **state) {
    (void)state;
    assert_true(crd_i_simd_columns_best()->is_supported());
}

/* Numbers of every size, around the ends of each range, where the multiple of ln 2 changes, and those that are none. */
static double hard_exponent(void) {
    static const double special[] = {0,      -0.0, INFINITY, -INFINITY, NAN,    708,   -708,  709,
                                     709.79, 710,  -745.13,  -745.14,   -745.2, -746., 1e308, -1e308};
    switch (random_below(5)) {
    case 0: return special[random_below(sizeof special / sizeof *special)];
    case 1: return from_bits(random_bits());
    case 2: return 1500 * random_unit() - 750;
    case 3: return ((double)random_below(2100) - 1060 + 0.5) * 0.6931471805599453;
    default: return -40 * random_unit();
    }
}

static void exponentials(void **state) {
    (void)state;
    FOR_EACH_WAY(way) {
        for (int round = 0; round < 20000; round++) {
            double x[23], wanted[23], got[24];
            size_t count = random_below(24);
            bool usual = random_below(2);
            for (size_t i = 0; i < count; i++) {
                x[i] = usual ? -708 * random_unit() : hard_exponent();
                wanted[i] = crd_exp(x[i]);
            }
            got[count] = 77;
            way->exp(x, count, got);
            same_bits(got, wanted, count);
            assert_true(got[count] == 77);
            way->exp(x, count, x);
            same_bits(x, wanted, count);
        }
    }
}

static void columns_of_rows(void **state) {
    (void)state;
    FOR_EACH_WAY(way) {
        for (size_t count = 1; count <= 19; count++)
            for (size_t width = 1; width <= MOST_COLUMNS; width++) {
                size_t row_stride = width + random_below(3);
                /* Exactly as long as it must be, so that reading more is found out. */
                double *rows = malloc(((count - 1) * row_stride + width) * sizeof *rows);
                double columns[MOST_COLUMNS * STRIDE];
                assert_non_null(rows);
                for (size_t i = 0; i < (count - 1) * row_stride + width; i++)
                    rows[i] = i % row_stride < width ? (double)i : NAN;
                for (size_t i = 0; i < MOST_COLUMNS * STRIDE; i++) columns[i] = -1;
                assert_true(way->transpose(rows, row_stride, count, width, columns, STRIDE));
                for (size_t k = 0; k < MOST_COLUMNS; k++)
                    for (size_t i = 0; i < STRIDE; i++) {
                        double wanted = k < width && i < count ? (double)(i * row_stride + k) : -1;
                        assert_true(columns[k * STRIDE + i] == wanted);
                    }
                way->fetch(rows, count);
                static const double none[] = {INFINITY, -INFINITY, NAN};
                double *one = &rows[random_below(count) * row_stride + random_below(width)];
                *one = none[random_below(3)];
                assert_false(way->transpose(rows, row_stride, count, width, columns, STRIDE));
                free(rows);
            }
    }
}

static void finite_or_not(void **state) {
    (void)state;
    static const double none[] = {INFINITY, -INFINITY, NAN};
    FOR_EACH_WAY(way) {
        for (size_t count = 0; count <= 19; count++) {
            double x[20];
            for (size_t i = 0; i < 20; i++) x[i] = i < count ? (i % 2 ? -1.7976931348623157e308 : -0.0) : NAN;
            assert_true(way->all_finite(x, count));
            for (size_t i = 0; i < count; i++)
                for (size_t k = 0; k < 3; k++) {
                    double before = x[i];
                    x[i] = none[k];
                    assert_false(way->all_finite(x, count));
                    x[i] = before;
                }
        }
    }
}

static void parabolas(void **state) {
    (void)state;
    double centers[MOST_COLUMNS], rests[MOST_COLUMNS], slopes[MOST_COLUMNS], tops[MOST_COLUMNS];
    FOR_EACH_WAY(way) {
        for (int round = 0; round < 500; round++) {
            double x[STRIDE], sums[MOST_COLUMNS * STRIDE], wanted[MOST_COLUMNS * STRIDE];
            size_t count = 1 + random_below(STRIDE);
            bool some_missing = random_below(2);
            crd_i_parabolas source_parabolas = {1 + random_below(MOST_COLUMNS), centers, rests, slopes, tops};
            for (size_t i = 0; i < STRIDE; i++)
                x[i] = some_missing && random_below(3) == 0 ? NAN : 100 * random_unit() - 50;
            for (size_t k = 0; k < source_parabolas.count; k++) {
                centers[k] = 100 * random_unit() - 50;
                rests[k] = random_below(2) ? 1e-15 * random_unit() : 0;
                slopes[k] = random_unit();
                tops[k] = -random_unit();
                for (size_t i = 0; i < STRIDE; i++) {
                    double z = (x[i] - centers[k] - rests[k]) * slopes[k], *destination = &wanted[k * STRIDE + i];
                    sums[k * STRIDE + i] = *destination = i % 5 == 0 ? -0.0 : -random_unit();
                    if (!isnan(x[i])) *destination += tops[k] - z * z;
                }
            }
            way->add_parabolas(&source_parabolas, x, count, some_missing, sums, STRIDE);
            for (size_t k = 0; k < source_parabolas.count; k++)
                same_bits(sums + k * STRIDE, wanted + k * STRIDE, count);
        }
    }
}

/* A table of sums: far apart, near, tied, and some rows of nothing but -INFINITY. */
static void draw_sums(double *sums, size_t columns) {
    for (size_t i = 0; i < STRIDE; i++) {
        double spread = i % 4 == 0 ? 1e-12 : i % 4 == 1 ? 3 : 3000;
        for (size_t k = 0; k < columns; k++) {
            double sum = -1000 - spread * random_unit();
            if (i % 7 == 3 && random_below(2)) sum = -1000;
            if (i % 9 == 5 || random_below(10) == 0) sum = -INFINITY;
            sums[k * STRIDE + i] = sum;
        }
    }
}

static void conclusions(void **state) {
    (void)state;
    const double margin = 1e-12;
    FOR_EACH_WAY(way) {
        for (int round = 0; round < 500; round++) {
            double sums[MOST_COLUMNS * STRIDE], decision[STRIDE], tied[STRIDE], greatest[STRIDE], totals[STRIDE];
            double before[MOST_COLUMNS * STRIDE], shares[MOST_COLUMNS * STRIDE];
            size_t columns = 1 + random_below(MOST_COLUMNS), count = 1 + random_below(STRIDE);
            draw_sums(sums, columns);
            memcpy(before, sums, sizeof sums);
            way->decide(sums, STRIDE, count, columns, margin, decision, tied);
            way->conclude(sums, STRIDE, count, columns, greatest, shares, totals);
            way->share(shares, STRIDE, count, columns, totals);
            way->divide(sums, STRIDE, count, columns, totals);
            for (size_t i = 0; i < count; i++) {
                double most = -INFINITY, parts[MOST_COLUMNS], first = -1, ties = 0, log_sum = 0, total = 0;
                for (size_t k = 0; k < columns; k++) most = fmax(most, before[k * STRIDE + i]);
                for (size_t k = 0; k < columns; k++) {
                    parts[k] = most == -INFINITY ? -INFINITY : before[k * STRIDE + i] - most;
                    total += crd_exp(parts[k]);
                    if (parts[k] < -margin) continue;
                    if (first < 0) first = (double)k;
                    ties++;
                }
                if (most > -INFINITY) log_sum = crd_i_log_sum_exp(parts, columns);
                assert_true(greatest[i] == most && totals[i] == log_sum);
                assert_true(decision[i] == first && tied[i] == ties);
                for (size_t k = 0; k < columns; k++) {
                    assert_true(sums[k * STRIDE + i] == parts[k] - log_sum);
                    assert_true(shares[k * STRIDE + i] == (total > 0 ? crd_exp(parts[k]) / total : 0));
                }
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_is_a_way), cmocka_unit_test(exponentials), cmocka_unit_test(columns_of_rows),
        cmocka_unit_test(finite_or_not),  cmocka_unit_test(parabolas),    cmocka_unit_test(conclusions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
