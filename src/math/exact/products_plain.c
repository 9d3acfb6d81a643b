/* SPDX-License-Identifier: MIT */
/* products_plain.c - multiplication for every CPU: pairs of doubles, which most CPUs support and compilers emulate on
 * the others. */
#include "math/exact/products_dispatch.h"

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
#define SPREAD(from) ((lanes){*(from), *(from)})
#define TO_INTEGERS(a) ((lane_bits){(int64_t)(a)[0], (int64_t)(a)[1]})
#define BLOCKS 1
#define COLUMNS 2
#include "math/exact/products_kernel.h"

static bool products_plain_is_supported(void) {
    return true;
}

const crd_i_multiplier crd_i_multiplier_plain = {"plain", products_plain_is_supported, evaluate, multiply};

#endif
