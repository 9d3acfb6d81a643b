/* lanes_kernel.h - the loops of lanes.h, written once for vectors of any length. Each way includes it after defining
 *
 *   LANES                     doubles in a vector
 *   TARGET                    the attribute of functions that asks for the processor's instructions, or nothing
 *   SELECT(test, a, b)        a where the comparison holds, else b
 *   ANY(v)                    whether a lane of a comparison's result is not zero
 *   TURN(rows, stride, turned)  LANES rows of LANES numbers each become as many vectors, one for each column */
#include "math/elementary.h"
#include "math/lanes.h"

#include <math.h>
#include <string.h>

typedef double lanes __attribute__((vector_size(8 * LANES)));
typedef int64_t lane_tests __attribute__((vector_size(8 * LANES)));
typedef uint64_t lane_bits __attribute__((vector_size(8 * LANES)));

#define REAL lanes
#define BITS lane_bits
#define BITS_OF(x) ((lane_bits)(x))
#define REAL_OF(bits) ((lanes)(bits))
#include "math/elementary_kernel.h"

TARGET static inline lanes load(const double *from) {
    lanes v;
    memcpy(&v, from, sizeof v);
    return v;
}

TARGET static inline void store(double *to, lanes v) {
    memcpy(to, &v, sizeof v);
}

TARGET static inline lanes all(double x) {
    return (lanes){0} + x;
}

/* ---- exp and log ---- */

/* Below 708 in magnitude the power of two is a normal double, and so is the result. Above are mostly numbers so low
 * that all of a vector become 0. */
TARGET static inline lanes exp_of(lanes x) {
    lane_tests usual = x * x < 708.0 * 708.0;
    exp_parts parts = exp_split(x);
    lanes result = (parts.leading + parts.correction) * REAL_OF(parts.power);
    if (ANY(~usual)) {
        if (!ANY(~(x < -745.2))) return all(0);
        for (int lane = 0; lane < LANES; lane++)
            if (!usual[lane]) result[lane] = crd_exp(x[lane]);
    }
    return result;
}

/* Of positive, normal, finite numbers. */
TARGET static inline lanes log_of(lanes x) {
    lane_bits bits = BITS_OF(x);
    lanes k = REAL_OF((bits >> 52) | UINT64_C(0x4330000000000000)) - (0x1p52 + 1023);
    return log_of_parts(k, bits);
}

TARGET static void exp_all(const double *x, size_t count, double *out) {
    size_t i = 0;
    for (; i + LANES <= count; i += LANES) store(out + i, exp_of(load(x + i)));
    for (; i < count; i++) out[i] = crd_exp(x[i]);
}

/* ---- Columns ---- */

TARGET static void transpose(const double *rows, size_t row_stride, size_t count, size_t width, double *columns,
                             size_t stride) {
    size_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        const double *from = rows + i * row_stride;
        size_t k = 0;
        for (; k + LANES <= width; k += LANES) {
            lanes turned[LANES];
            TURN(from + k, row_stride, turned);
            for (int lane = 0; lane < LANES; lane++) store(columns + (k + (size_t)lane) * stride + i, turned[lane]);
        }
        for (; k < width; k++)
            for (size_t lane = 0; lane < LANES; lane++) columns[k * stride + i + lane] = from[lane * row_stride + k];
    }
    for (; i < count; i++)
        for (size_t k = 0; k < width; k++) columns[k * stride + i] = rows[i * row_stride + k];
}

TARGET static void fetch(const double *from, size_t count) {
    enum { LINE = 64 / sizeof(double), FIRST_LEVEL = 3 };
    for (size_t i = 0; i < count; i += LINE) __builtin_prefetch(from + i, 0, FIRST_LEVEL);
}

TARGET static bool all_finite(const double *x, size_t count) {
    size_t i = 0;
    lane_bits bits = {0};
    /* Finite numbers times zero are zero, others NaN. */
    for (; i + LANES <= count; i += LANES) bits |= BITS_OF(load(x + i) * 0.0);
    bits &= UINT64_C(0x7ff0000000000000);
    bool some = ANY(bits != 0);
    for (; i < count; i++) some |= x[i] - x[i] != 0;
    return !some;
}

TARGET static void add_parabolas(const crd_i_parabolas *parabolas, const double *x, size_t count, bool some_missing,
                                 double *sums, size_t stride) {
    for (size_t k = 0; k < parabolas->count; k++) {
        lanes centre = all(parabolas->centres[k]), centre_rest = all(parabolas->centre_rests[k]);
        lanes slope = all(parabolas->slopes[k]), top = all(parabolas->tops[k]);
        double *to = sums + k * stride;
        for (size_t i = 0; i < count; i += LANES) {
            lanes at = load(x + i), sum = load(to + i);
            lanes z = (at - centre - centre_rest) * slope;
            lanes more = sum + (top - z * z);
            store(to + i, some_missing ? SELECT(at == at, more, sum) : more);
        }
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
        const double *at = sums + i;
        lanes greatest = greatest_of(at, stride, columns), first = all(-1), ties = all(0);
        for (size_t k = columns; k-- > 0;) {
            lane_tests is_near = load(at + k * stride) - greatest >= all(-margin);
            first = SELECT(is_near, all((double)k), first);
            ties += SELECT(is_near, all(1), all(0));
        }
        store(decision + i, first);
        store(tied + i, ties);
    }
}

/* Exponentials of all rows before logarithms of all, as the processor finds more to do side by side then. */
TARGET static void conclude(double *sums, size_t stride, size_t count, size_t columns, double *greatest, double *left) {
    for (size_t i = 0; i < count; i += LANES) {
        lanes most = greatest_of(sums + i, stride, columns), total = all(0);
        lanes taken = SELECT(most > all(-INFINITY), most, all(0));
        for (size_t k = 0; k < columns; k++) {
            double *at = sums + k * stride + i;
            lanes sum = load(at) - taken;
            store(at, sum);
            total += exp_of(sum);
        }
        store(greatest + i, most);
        store(left + i, SELECT(most > all(-INFINITY), total, all(1)));
    }
    for (size_t i = 0; i < count; i += LANES) store(left + i, log_of(load(left + i)));
    for (size_t k = 0; k < columns; k++)
        for (size_t i = 0; i < count; i += LANES) {
            double *at = sums + k * stride + i;
            store(at, load(at) - load(left + i));
        }
}
