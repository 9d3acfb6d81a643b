/* SPDX-License-Identifier: MIT */
/* simd_columns_kernel.h - the loops of simd_columns.h, written once for vectors of any length. Each implementation
 * includes it after defining the macros of simd_lanes.h, and
 *
 *
 *   TURN(rows, stride, turned) transposes LANES rows of LANES numbers each into one vector per column */
#include "math/simd/simd_lanes.h"

#include <math.h>

/* ---- Exponentials ---- */

TARGET static void exp_all(const double *x, size_t count, double *out) {
    size_t i = 0;
    for (; i + LANES <= count; i += LANES) store(out + i, exp_of(load(x + i)));
    for (; i < count; i++) out[i] = crd_exp(x[i]);
}

/* ---- Columns ---- */

/* Accumulates in its bits whether numbers are not finite. Times zero, such numbers are NaN; all others are zero. */
TARGET static inline lane_bits not_finite(lanes x) {
    return BITS_OF(x * 0.0);
}

TARGET static inline bool none_set(lane_bits collected) {
    return !ANY((collected & UINT64_C(0x7ff0000000000000)) != 0);
}

TARGET static bool transpose(const double *rows, size_t row_stride, size_t count, size_t width, double *columns,
                             size_t stride) {
    lane_bits collected = {0};
    bool all_are = true;
    size_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        const double *from = rows + i * row_stride;
        size_t k = 0;
        for (; k + LANES <= width; k += LANES) {
            lanes turned[LANES];
            TURN(from + k, row_stride, turned);
            for (int lane = 0; lane < LANES; lane++) {
                store(columns + (k + (size_t)lane) * stride + i, turned[lane]);
                collected |= not_finite(turned[lane]);
            }
        }
        for (; k < width; k++)
            for (size_t lane = 0; lane < LANES; lane++) {
                double x = columns[k * stride + i + lane] = from[lane * row_stride + k];
                all_are &= x - x == 0;
            }
    }
    for (; i < count; i++)
        for (size_t k = 0; k < width; k++) {
            double x = columns[k * stride + i] = rows[i * row_stride + k];
            all_are &= x - x == 0;
        }
    return all_are && none_set(collected);
}

TARGET static void fetch(const double *source, size_t count) {
    enum { LINE = 64 / sizeof(double), FIRST_LEVEL = 3 };
    for (size_t i = 0; i < count; i += LINE) __builtin_prefetch(source + i, 0, FIRST_LEVEL);
}

TARGET static bool all_finite(const double *x, size_t count) {
    size_t i = 0;
    lane_bits collected = {0};
    bool all_are = true;
    for (; i + LANES <= count; i += LANES) collected |= not_finite(load(x + i));
    for (; i < count; i++) all_are &= x[i] - x[i] == 0;
    return all_are && none_set(collected);
}

/* Adds one parabola, CRD_I_SIMD numbers at a time, so the CPU can work on several vectors at once. */
TARGET static inline void add_parabola(const crd_i_parabolas *parabolas, size_t k, bool has_rest, bool some_missing,
                                       const double *restrict x, size_t count, double *restrict sums) {
    lanes center = all(parabolas->centers[k]), center_rest = all(parabolas->center_rests[k]);
    lanes slope = all(parabolas->slopes[k]), top = all(parabolas->tops[k]);
    for (size_t i = 0; i < count; i += CRD_I_SIMD)
        for (size_t j = 0; j < CRD_I_SIMD; j += LANES) {
            lanes at = load(x + i + j), sum = load(sums + i + j);
            lanes away = has_rest ? at - center - center_rest : at - center;
            lanes z = away * slope;
            lanes more = sum + (top - z * z);
            store(sums + i + j, some_missing ? SELECT(at == at, more, sum) : more);
        }
}

TARGET static void add_parabolas(const crd_i_parabolas *parabolas, const double *x, size_t count, bool some_missing,
                                 double *sums, size_t stride) {
    for (size_t k = 0; k < parabolas->count; k++) {
        double *destination = sums + k * stride;
        if (some_missing) add_parabola(parabolas, k, true, true, x, count, destination);
        else if (parabolas->center_rests[k] != 0) add_parabola(parabolas, k, true, false, x, count, destination);
        else add_parabola(parabolas, k, false, false, x, count, destination);
    }
}

/* ---- Conclusions ---- */

TARGET static inline lanes greatest_of(const double *sums, size_t stride, size_t columns) {
    lanes greatest = all(-INFINITY);
    for (size_t k = 0; k < columns; k++) {
        lanes sum = load(sums + k * stride);
        greatest = SELECT(sum > greatest, sum, greatest);
    }
    return greatest;
}

TARGET static void decide(const double *sums, size_t stride, size_t count, size_t columns, double margin,
                          double *decision, double *tied) {
    for (size_t i = 0; i < count; i += LANES) {
        const double *cursor = sums + i;
        lanes greatest = greatest_of(cursor, stride, columns), first = all(-1), ties = all(0);
        for (size_t k = columns; k-- > 0;) {
            lane_tests is_near = load(cursor + k * stride) - greatest >= all(-margin);
            first = SELECT(is_near, all((double)k), first);
            ties += SELECT(is_near, all(1), all(0));
        }
        store(decision + i, first);
        store(tied + i, ties);
    }
}

/* Makes several passes over all rows rather than one per row, so the CPU always has independent work. Until the totals
 * are known, `totals` holds the numbers that are subtracted from the sums. */
TARGET static void conclude(double *sums, size_t stride, size_t count, size_t columns, double *greatest,
                            double *exponentials, double *totals) {
    for (size_t i = 0; i < count; i += LANES) {
        lanes most = greatest_of(sums + i, stride, columns);
        store(greatest + i, most);
        store(totals + i, SELECT(most > all(-INFINITY), most, all(0)));
    }
    for (size_t k = 0; k < columns; k++)
        for (size_t i = 0; i < count; i += LANES) {
            lanes sum = load(sums + k * stride + i) - load(totals + i);
            store(sums + k * stride + i, sum);
            store(exponentials + k * stride + i, exp_of(sum));
        }
    for (size_t i = 0; i < count; i += LANES) {
        lanes total = all(0);
        for (size_t k = 0; k < columns; k++) total += load(exponentials + k * stride + i);
        store(totals + i, SELECT(load(greatest + i) > all(-INFINITY), total, all(1)));
    }
}

TARGET static void share(double *exponentials, size_t stride, size_t count, size_t columns, const double *totals) {
    for (size_t k = 0; k < columns; k++)
        for (size_t i = 0; i < count; i += LANES) {
            double *cursor = exponentials + k * stride + i;
            store(cursor, load(cursor) / load(totals + i));
        }
}

TARGET static void divide(double *sums, size_t stride, size_t count, size_t columns, double *totals) {
    for (size_t i = 0; i < count; i += LANES) store(totals + i, log_of(load(totals + i)));
    for (size_t k = 0; k < columns; k++)
        for (size_t i = 0; i < count; i += LANES) {
            double *cursor = sums + k * stride + i;
            store(cursor, load(cursor) - load(totals + i));
        }
}
