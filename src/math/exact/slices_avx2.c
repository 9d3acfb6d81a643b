/* SPDX-License-Identifier: MIT */
/* slices_avx2.c - slicing for x86 CPUs with AVX2 and fused multiply-add: twice as fast as pairs. If rows are not
 * grouped, the seven stores per vector are the bottleneck. */
#include "math/exact/slices_internal.h"

#include "base/processor.h"

#ifdef CRD_I_SLICES_AVX2

#include <immintrin.h>

#define LANES 4
#define TARGET __attribute__((target("avx2,fma")))
#define MULTIPLY_ADD(a, b, c) _mm256_fmadd_pd(a, b, c)
#define MARKS(a, b, c, d) ((unsigned)_mm256_movemask_pd((__m256d)((a != b) | (c >= d))))
#include "math/exact/slices_kernel.h"
#include "math/exact/slices_weighted.h"

static bool slices_avx2_is_supported(void) {
    return crd_i_processor_has(CRD_I_PROCESSOR_AVX2 | CRD_I_PROCESSOR_FMA);
}

const crd_i_slicer crd_i_slicer_avx2 = {"avx2", slices_avx2_is_supported, add, add_group, add_weighted};

#endif
