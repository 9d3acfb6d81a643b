/* SPDX-License-Identifier: MIT */
/* simd_columns_plain.c - lanes for every CPU: pairs of doubles, which most CPUs support and compilers emulate on the
 * others. */
#define LANES 2
#define TARGET
#define SELECT(test, a, b) ((lanes)(((lane_tests)(test) & (lane_tests)(a)) | (~(lane_tests)(test) & (lane_tests)(b))))
#define ANY(v) (((v)[0] | (v)[1]) != 0)
#define TURN(rows, stride, turned)                                                                                     \
    do {                                                                                                               \
        const double *first = (rows), *second = first + (stride);                                                      \
        (turned)[0] = (lanes){first[0], second[0]};                                                                    \
        (turned)[1] = (lanes){first[1], second[1]};                                                                    \
    } while (0)
#include "math/simd/simd_columns_kernel.h"

static bool simd_columns_plain_is_supported(void) {
    return true;
}

const crd_i_simd_columns crd_i_simd_columns_plain = {
    .name = "plain",
    .is_supported = simd_columns_plain_is_supported,
    .exp = exp_all,
    .transpose = transpose,
    .fetch = fetch,
    .all_finite = all_finite,
    .add_parabolas = add_parabolas,
    .decide = decide,
    .conclude = conclude,
    .share = share,
    .divide = divide,
};
