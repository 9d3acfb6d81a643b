/* SPDX-License-Identifier: MIT */
/* simd_columns.c - see simd_columns.h: selects the implementation. */
#include "math/simd/simd_columns.h"

const crd_i_simd_columns *const crd_i_simd_columns_ways[] = {
#ifdef CRD_I_SIMD_AVX2
    &crd_i_simd_columns_avx2,
#endif
    &crd_i_simd_columns_plain,
    NULL,
};

const crd_i_simd_columns *crd_i_simd_columns_best(void) {
    size_t i = 0;
    while (!crd_i_simd_columns_ways[i]->is_supported()) i++;
    return crd_i_simd_columns_ways[i];
}
