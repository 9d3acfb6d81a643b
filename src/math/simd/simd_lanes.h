/* SPDX-License-Identifier: MIT */
/* simd_lanes.h - vectors of doubles of any length, with exp and log. The loops of simd_columns.h and simd_trellis.h use
 * them. Each implementation includes this file, through these loops, after defining
 *
 *
 *   LANES doubles in a vector
 *   TARGET the function attribute that enables the CPU's instructions, or nothing
 *   SELECT(test, a, b) a if the comparison holds, else b
 *   ANY(v) whether a lane of a comparison's result is not zero
 *   SAME(x) x in all lanes; optional, if the compiler finds no single instruction for it */
#include "math/functions/elementary.h"
#include "math/simd/simd_columns.h"

#include <string.h>

typedef double lanes __attribute__((vector_size(8 * LANES)));
typedef int64_t lane_tests __attribute__((vector_size(8 * LANES)));
typedef uint64_t lane_bits __attribute__((vector_size(8 * LANES)));

#define REAL lanes
#define BITS lane_bits
#define BITS_OF(x) ((lane_bits)(x))
#define REAL_OF(bits) ((lanes)(bits))
#include "math/functions/elementary_kernel.h"

TARGET static inline lanes load(const double *source) {
    lanes v;
    memcpy(&v, source, sizeof v);
    return v;
}

TARGET static inline void store(double *destination, lanes v) {
    memcpy(destination, &v, sizeof v);
}

TARGET static inline lanes all(double x) {
#ifdef SAME
    return SAME(x);
#else
    lanes same = {0};
    for (int lane = 0; lane < LANES; lane++) same[lane] = x;
    return same;
#endif
}

/* ---- exp and log ---- */

/* Returns exp(x). Below 708 in magnitude, the power of two and the result are normal doubles. Most other arguments are
 * so low that the result is 0; the few remaining ones are computed one by one. */
TARGET static inline lanes exp_of(lanes x) {
    lane_tests usual = x * x < all(708.0 * 708.0);
    exp_parts parts = exp_split(x);
    lanes result = (parts.leading + parts.correction) * REAL_OF(parts.power);
    if (ANY(~usual)) {
        lane_tests none = x < all(-745.2);
        result = SELECT(none, all(0), result);
        if (ANY(~(usual | none)))
            for (int lane = 0; lane < LANES; lane++)
                if (!usual[lane]) result[lane] = crd_exp(x[lane]);
    }
    return result;
}

/* Returns the logarithm of positive, normal, finite numbers. */
TARGET static inline lanes log_of(lanes x) {
    lane_bits bits = BITS_OF(x);
    lanes k = REAL_OF((bits >> 52) | UINT64_C(0x4330000000000000)) - all(0x1p52 + 1023);
    return log_of_parts(k, bits);
}
