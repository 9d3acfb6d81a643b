/* lanes_kernel.h - the loops of lanes.h, written once for vectors of any length. Each way includes it after defining
 *
 *   LANES                     doubles in a vector
 *   TARGET                    the attribute of functions that asks for the processor's instructions, or nothing
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
#define SELECT(test, a, b) ((lanes)(((lane_tests)(test) & (lane_tests)(a)) | (~(lane_tests)(test) & (lane_tests)(b))))
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

/* Within the bounds of `usual` the power of two is a normal double, and so is the result. Outside are mostly numbers so
 * low that all of a vector become 0. */
TARGET static inline lanes exp_of(lanes x) {
    lane_tests usual = (x > -708.0) & (x < 709.0);
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

TARGET static bool all_finite(const double *x, size_t count) {
    size_t i = 0;
    lane_tests wrong = {0};
    for (; i + LANES <= count; i += LANES) {
        lanes v = load(x + i);
        wrong |= (v - v) != all(0);
    }
    bool some = ANY(wrong);
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

TARGET static inline void count_tie(lanes below_greatest, size_t column, double margin, lanes *decision, lanes *tied) {
    lane_tests ties = below_greatest >= -margin;
    *decision = SELECT(ties & (*decision < 0), all((double)column), *decision);
    *tied += SELECT(ties, all(1), all(0));
}

TARGET static void decide(const double *sums, size_t stride, size_t count, size_t columns, double margin,
                          const crd_i_concluded *out) {
    for (size_t i = 0; i < count; i += LANES) {
        const double *at = sums + i;
        lanes greatest = greatest_of(at, stride, columns), decision = all(-1), tied = all(0);
        for (size_t k = 0; k < columns; k++) count_tie(load(at + k * stride) - greatest, k, margin, &decision, &tied);
        store(out->decision + i, decision);
        store(out->tied + i, tied);
    }
}

TARGET static void conclude(double *sums, size_t stride, size_t count, size_t columns, const double *starts,
                            double margin, const crd_i_concluded *out) {
    for (size_t i = 0; i < count; i += LANES) {
        double *at = sums + i;
        lanes greatest = greatest_of(at, stride, columns), decision = all(-1), tied = all(0), total = all(0);
        lane_tests possible = greatest > -INFINITY, said = {0};
        /* The greatest first: sums may be so large that the logarithm of how many there are would be lost in them.
         * Where all are -INFINITY, nothing is taken away. */
        lanes taken = SELECT(possible, greatest, all(0));
        for (size_t k = 0; k < columns; k++) {
            lanes sum = load(at + k * stride);
            said |= sum != all(starts[k]);
            sum -= taken;
            store(at + k * stride, sum);
            count_tie(sum, k, margin, &decision, &tied);
            total += exp_of(sum);
        }
        lanes rest = SELECT(possible, log_of(SELECT(possible, total, all(1))), all(0));
        for (size_t k = 0; k < columns; k++) store(at + k * stride, load(at + k * stride) - rest);
        store(out->evidence + i, SELECT(possible, SELECT(said, greatest + rest, all(0)), greatest));
        store(out->decision + i, decision);
        store(out->tied + i, tied);
    }
}
