/* SPDX-License-Identifier: MIT */
/* simd_columns_avx2.c - lanes for x86 CPUs with AVX2. Fused multiply-add is deliberately not used: it would round
 * differently. Vectors of eight doubles (AVX-512) were measured twice and gain at most 5 %, too little for another
 * implementation. */
#include "math/simd/simd_columns.h"

#include "base/processor.h"

#ifdef CRD_I_SIMD_AVX2

#include <immintrin.h>

#define LANES 4
#define TARGET __attribute__((target("avx2")))
#define SELECT(test, a, b) ((lanes)_mm256_blendv_pd(b, a, (__m256d)(test)))
#define ANY(v) (_mm256_movemask_pd((__m256d)(v)) != 0)
/* Loads two numbers of one row and two of another into one vector. */
#define BESIDE(low, high) _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(low)), _mm_loadu_pd(high), 1)
#define TURN(rows, stride, turned)                                                                                     \
    do {                                                                                                               \
        const double *row0 = (rows), *row1 = row0 + (stride), *row2 = row1 + (stride), *row3 = row2 + (stride);        \
        __m256d first02 = BESIDE(row0, row2), first13 = BESIDE(row1, row3);                                            \
        __m256d last02 = BESIDE(row0 + 2, row2 + 2), last13 = BESIDE(row1 + 2, row3 + 2);                              \
        (turned)[0] = _mm256_unpacklo_pd(first02, first13);                                                            \
        (turned)[1] = _mm256_unpackhi_pd(first02, first13);                                                            \
        (turned)[2] = _mm256_unpacklo_pd(last02, last13);                                                              \
        (turned)[3] = _mm256_unpackhi_pd(last02, last13);                                                              \
    } while (0)
#include "math/simd/simd_columns_kernel.h"

static bool simd_columns_avx2_is_supported(void) {
    return crd_i_processor_has(CRD_I_PROCESSOR_AVX2);
}

const crd_i_simd_columns crd_i_simd_columns_avx2 = {
    .name = "avx2",
    .is_supported = simd_columns_avx2_is_supported,
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

#endif
