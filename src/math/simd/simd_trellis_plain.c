/* SPDX-License-Identifier: MIT */
/* simd_trellis_plain.c - lanes for every CPU: see simd_columns_plain.c. */
#define LANES 2
#define TARGET
#define SELECT(test, a, b) ((lanes)(((lane_tests)(test) & (lane_tests)(a)) | (~(lane_tests)(test) & (lane_tests)(b))))
#define ANY(v) (((v)[0] | (v)[1]) != 0)
#define MAXIMUM(a, b) SELECT((a) > (b), a, b)
#define GROUP 2
#include "math/simd/simd_trellis_kernel.h"

static bool simd_trellis_plain_is_supported(void) {
    return true;
}

const crd_i_simd_trellis crd_i_simd_trellis_plain = {
    .name = "plain",
    .is_supported = simd_trellis_plain_is_supported,
    .scale = scale,
    .are_below_infinity = are_below_infinity,
    .forward = forward,
    .backward = backward,
    .count = count,
    .sum = sum,
    .backward_max = backward_max,
    .greatest_at = greatest_at,
    .multiply = multiply,
    .multiply_max = multiply_max,
};
