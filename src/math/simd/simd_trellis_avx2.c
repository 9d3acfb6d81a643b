/* SPDX-License-Identifier: MIT */
/* simd_trellis_avx2.c - lanes for x86 CPUs with AVX2, without fused multiply-add: see simd_columns_avx2.c. Vectors of
 * eight doubles (AVX-512) were measured, and gain nothing from 5 to 50 states. */
#include "math/simd/simd_trellis.h"

#include "base/processor.h"

#ifdef CRD_I_SIMD_AVX2

#include <immintrin.h>

#define LANES 4
#define TARGET __attribute__((target("avx2")))
#define SELECT(test, a, b) ((lanes)_mm256_blendv_pd(b, a, (__m256d)(test)))
#define ANY(v) (_mm256_movemask_pd((__m256d)(v)) != 0)
#define SAME(x) ((lanes)_mm256_set1_pd(x))
#define MAXIMUM(a, b) ((lanes)_mm256_max_pd(a, b))
#define GROUP 4
#include "math/simd/simd_trellis_kernel.h"

static bool simd_trellis_avx2_is_supported(void) {
    return crd_i_processor_has(CRD_I_PROCESSOR_AVX2);
}

const crd_i_simd_trellis crd_i_simd_trellis_avx2 = {
    .name = "avx2",
    .is_supported = simd_trellis_avx2_is_supported,
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

#endif
