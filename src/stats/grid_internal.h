/* SPDX-License-Identifier: MIT */
/* grid_internal.h - cells of one width, a power of two, as the bits of a double: see grid.c, which says why. */
#ifndef CRD_STATS_GRID_INTERNAL_H
#define CRD_STATS_GRID_INTERNAL_H

#include "math/exact/ieee754.h"
#include "stats/grid.h"

#define CRD_I_SIGN_BIT (UINT64_C(1) << 63)

/* Doubles are below 2^1024 and have no bit that high. */
enum { CRD_I_GRID_BEYOND = 1024 };

/* The least level at which all doubles fit into `most` cells, 2 or more: at level k there are 2^(1024 - k) of each
 * sign. Looking for a level with few enough cells need not go beyond it, and must not stop before it. */
static inline int32_t crd_i_grid_highest(size_t most) {
    int32_t level = CRD_I_GRID_BEYOND;
    for (size_t cells = 2; cells <= most / 2; cells *= 2) level--;
    return level;
}

/* The cell of width 2^level that a number is in, or a cell of a lower level: its end towards zero. */
static inline uint64_t crd_i_grid_key_at(uint64_t bits, int32_t level) {
    int32_t field = (int32_t)(bits >> 52 & 0x7ff);
    int32_t cleared = level + 1075 - (field == 0 ? 1 : field);
    if (cleared <= 0) return bits;
    return cleared > 52 ? bits & CRD_I_SIGN_BIT : bits & UINT64_MAX << cleared;
}

/* Of a finite number; -0 is 0. */
static inline uint64_t crd_i_grid_key_of(double x, int32_t level) {
    return crd_i_grid_key_at(crd_i_bits_of(x + 0.0), level);
}

/* The exponent of the lowest bit of a key that is set; CRD_I_GRID_BEYOND for a zero, which has none. */
static inline int32_t crd_i_grid_key_lowest_bit(uint64_t key) {
    crd_i_parts parts = crd_i_parts_of(crd_i_double_of(key));
    if (parts.mantissa == 0) return CRD_I_GRID_BEYOND;
    while ((parts.mantissa & 1) == 0) parts.mantissa >>= 1, parts.exponent++;
    return parts.exponent;
}

/* In the order of numbers. */
static inline uint64_t crd_i_grid_key_rank(uint64_t key) {
    return (key & CRD_I_SIGN_BIT) != 0 ? ~key : key | CRD_I_SIGN_BIT;
}

#endif
