/* SPDX-License-Identifier: MIT */
/* simd_trellis.c - see simd_trellis.h: selects the implementation. */
#include "math/simd/simd_trellis.h"

const crd_i_simd_trellis *const crd_i_simd_trellis_ways[] = {
#ifdef CRD_I_SIMD_AVX2
    &crd_i_simd_trellis_avx2,
#endif
    &crd_i_simd_trellis_plain,
    NULL,
};

const crd_i_simd_trellis *crd_i_simd_trellis_best(void) {
    size_t i = 0;
    while (!crd_i_simd_trellis_ways[i]->is_supported()) i++;
    return crd_i_simd_trellis_ways[i];
}
