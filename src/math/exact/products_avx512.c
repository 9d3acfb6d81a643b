/* SPDX-License-Identifier: MIT */
/* products_avx512.c - multiplication for x86 CPUs with vectors of eight doubles (AVX-512). */
#include "math/exact/products_dispatch.h"

#include "base/processor.h"

#ifdef CRD_I_SLICES_AVX2

#include <immintrin.h>

#define LANES 8
#define TARGET __attribute__((target("avx512f,avx512dq")))
#define MULTIPLY_ADD(a, b, c) _mm512_fmadd_pd(a, b, c)
#define MARKS(a, b, c, d)                                                                                              \
    ((unsigned)_mm512_cmp_pd_mask(a, b, _CMP_NEQ_UQ) | (unsigned)_mm512_cmp_pd_mask(c, d, _CMP_GE_OQ))
#define SPREAD(from) _mm512_set1_pd(*(from))
#define TO_INTEGERS(a) ((lane_bits)_mm512_cvtpd_epi64(a))
#define BLOCKS 3
#define COLUMNS 8
#include "math/exact/products_kernel.h"

static bool products_avx512_is_supported(void) {
    return crd_i_processor_has(CRD_I_PROCESSOR_AVX512F | CRD_I_PROCESSOR_AVX512DQ);
}

const crd_i_multiplier crd_i_multiplier_avx512 = {"avx512", products_avx512_is_supported, evaluate, multiply};

#endif
