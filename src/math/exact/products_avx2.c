/* SPDX-License-Identifier: MIT */
/* products_avx2.c - multiplication for x86 CPUs with AVX2 and fused multiply-add. */
#include "math/exact/products_dispatch.h"

#include "base/processor.h"

#ifdef CRD_I_SLICES_AVX2

#include <immintrin.h>

#define LANES 4
#define TARGET __attribute__((target("avx2,fma")))
#define MULTIPLY_ADD(a, b, c) _mm256_fmadd_pd(a, b, c)
#define MARKS(a, b, c, d) ((unsigned)_mm256_movemask_pd((__m256d)((a != b) | (c >= d))))
#define SPREAD(from) _mm256_broadcast_sd(from)
/* Converts doubles to integers, for which AVX2 has no instruction. Adding 1.5 * 2^52 to an integer below 2^51 puts the
 * integer into the low bits; an integer of up to 2^53 is split into two such parts. */
#define OFFSET 0x1.8p52
#define NEAR_OFFSET(a) (_mm256_castpd_si256((a) + _mm256_set1_pd(OFFSET)) - _mm256_castpd_si256(_mm256_set1_pd(OFFSET)))
#define UPPER(a) ((a)*_mm256_set1_pd(0x1p-10) + _mm256_set1_pd(OFFSET) - _mm256_set1_pd(OFFSET))
#define TO_INTEGERS(a)                                                                                                 \
    ((lane_bits)(_mm256_slli_epi64(NEAR_OFFSET(UPPER(a)), 10) + NEAR_OFFSET((a)-UPPER(a) * _mm256_set1_pd(0x1p10))))
#define BLOCKS 1
#define COLUMNS 4
#include "math/exact/products_kernel.h"

static bool products_avx2_is_supported(void) {
    return crd_i_processor_has(CRD_I_PROCESSOR_AVX2 | CRD_I_PROCESSOR_FMA);
}

const crd_i_multiplier crd_i_multiplier_avx2 = {"avx2", products_avx2_is_supported, evaluate, multiply};

#endif
