/* SPDX-License-Identifier: MIT */
/* scan_delimiters_simd128.c - finds marks in WebAssembly with SIMD: 64 bytes are four vectors. */
#include "table/parse/scan_delimiters.h"

#ifdef CRD_I_MARKS_SIMD128

#include <wasm_simd128.h>

#define TARGET

enum { VECTORS = CRD_I_MARKS_STEP / 16 };

typedef struct step {
    v128_t vectors[VECTORS];
} step;

static inline step load(const char *at) {
    step loaded;
    for (unsigned i = 0; i < VECTORS; i++) loaded.vectors[i] = wasm_v128_load(at + 16 * i);
    return loaded;
}

typedef v128_t pattern;

static inline pattern spread(char byte) {
    return wasm_i8x16_splat(byte);
}

static inline uint64_t find_byte(step here, pattern all) {
    uint64_t mask = 0;
    for (unsigned i = 0; i < VECTORS; i++)
        mask |= (uint64_t)wasm_i8x16_bitmask(wasm_i8x16_eq(here.vectors[i], all)) << 16 * i;
    return mask;
}

static inline bool has_odd(step here, pattern quotes) {
    v128_t quoted = wasm_i8x16_eq(here.vectors[0], quotes), least = here.vectors[0];
    for (unsigned i = 1; i < VECTORS; i++) {
        quoted = wasm_v128_or(quoted, wasm_i8x16_eq(here.vectors[i], quotes));
        /* The minimum of several bytes is zero if one of them is zero. */
        least = wasm_u8x16_min(least, here.vectors[i]);
    }
    return wasm_v128_any_true(wasm_v128_or(quoted, wasm_i8x16_eq(least, wasm_i8x16_splat(0))));
}

static inline size_t count_bits(uint64_t bits) {
    return (size_t)__builtin_popcountll(bits);
}

/* Stores four offsets at a time, because the number of marks is hard to predict. Extra offsets cost less than a branch.
 * After the last mark, the offset of the top bit is stored, which is not read. */
static inline uint32_t *store(uint64_t marks, uint32_t base, uint32_t *to) {
    enum { TOGETHER = CRD_I_MARKS_SPARE / 2 };
    uint32_t *end = to + count_bits(marks);
    for (; to < end; to += TOGETHER)
        for (unsigned i = 0; i < TOGETHER; i++) {
            to[i] = base + (uint32_t)__builtin_ctzll(marks | UINT64_C(1) << 63);
            marks &= marks - 1;
        }
    return end;
}

#include "table/parse/scan_delimiters_kernel.h"

static bool is_supported(void) {
    return true;
}

const crd_i_marker crd_i_marker_simd128 = {"simd128", is_supported, find};

#endif
