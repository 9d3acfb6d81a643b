/* SPDX-License-Identifier: MIT */
/* ieee754.c - see ieee754.h. */
#include "math/exact/ieee754.h"

/* Returns top >> shift rounded to nearest, ties to even; shift is 11 .. 64. A carry out of the kept bits stays in the
 * result. */
static uint64_t shift_rounded(uint64_t top, bool more, unsigned shift) {
    uint64_t kept = shift == 64 ? 0 : top >> shift;
    uint64_t half = UINT64_C(1) << (shift - 1);
    uint64_t remainder = shift == 64 ? top : top & (2 * half - 1);
    bool up = remainder > half || (remainder == half && (more || (kept & 1) != 0));
    return kept + up;
}

double crd_i_round(bool negative, uint64_t top, bool more, int64_t exponent) {
    const uint64_t infinity = UINT64_C(0x7ff) << 52;
    uint64_t sign = (uint64_t)negative << 63;
    int64_t leading = exponent + 63; /* 2^leading <= |value| < 2^(leading + 1) */
    if (leading > 1023) return crd_i_double_of(sign | infinity);
    if (leading < -1075) return crd_i_double_of(sign);
    if (leading >= -1022) {
        /* The implicit bit adds one to the exponent field, and so does a carry, up to infinity. */
        uint64_t mantissa = shift_rounded(top, more, 11);
        return crd_i_double_of(sign | (((uint64_t)(leading + 1022) << 52) + mantissa));
    }
    return crd_i_double_of(sign | shift_rounded(top, more, (unsigned)(11 + (-1022 - leading))));
}
