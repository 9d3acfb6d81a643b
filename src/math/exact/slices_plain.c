/* SPDX-License-Identifier: MIT */
/* slices_plain.c - slicing for every CPU: pairs of doubles, which most CPUs support and compilers emulate on the
 * others. */
#include "math/exact/slices_internal.h"

#ifdef CRD_I_SLICES_PLAIN

#define LANES 2
#define TARGET
#define MULTIPLY_ADD(a, b, c) ((a) * (b) + (c))
#ifdef __SSE2__
#include <immintrin.h>
#define MARKS(a, b, c, d) ((unsigned)_mm_movemask_pd(_mm_or_pd(_mm_cmpneq_pd(a, b), _mm_cmpge_pd(c, d))))
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#define MARKS(a, b, c, d) ((unsigned)wasm_i64x2_bitmask((v128_t)((a != b) | (c >= d))))
#else
#define MARKS(a, b, c, d) ((unsigned)(((a != b) | (c >= d))[0] & 1) | (unsigned)(((a != b) | (c >= d))[1] & 2))
#endif
#include "math/exact/slices_kernel.h"
#include "math/exact/slices_weighted.h"

static bool slices_plain_is_supported(void) {
    return true;
}

const crd_i_slicer crd_i_slicer_plain = {"plain", slices_plain_is_supported, add, add_group, add_weighted};

#endif
