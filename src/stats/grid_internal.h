/* SPDX-License-Identifier: MIT */
/* grid_internal.h - histogram bins whose width is a power of two, represented by the bits of a double: grid.c gives
 * the reasons. */
#ifndef CRD_STATS_GRID_INTERNAL_H
#define CRD_STATS_GRID_INTERNAL_H

#include "math/exact/ieee754.h"
#include "stats/grid.h"

#define CRD_I_SIGN_BIT (UINT64_C(1) << 63)

/* Doubles are below 2^1024 and have no bit that high. */
enum { CRD_I_GRID_BEYOND = 1024 };

/* Returns the lowest level at which all doubles fit into `most` bins, 2 or more: at level k there are 2^(1024 - k)
 * of each sign. A search for a level with few enough bins need not exceed it, but must reach it. */
static inline int32_t crd_i_grid_highest(size_t most) {
    int32_t level = CRD_I_GRID_BEYOND;
    for (size_t cells = 2; cells <= most / 2; cells *= 2) level--;
    return level;
}

/* Returns the bin of width 2^level that contains a number, or a bin of a lower level: its end towards zero. */
static inline uint64_t crd_i_grid_key_at(uint64_t bits, int32_t level) {
    int32_t field = (int32_t)(bits >> 52 & 0x7ff);
    int32_t cleared = level + 1075 - (field == 0 ? 1 : field);
    if (cleared <= 0) return bits;
    return cleared > 52 ? bits & CRD_I_SIGN_BIT : bits & UINT64_MAX << cleared;
}

/* Returns the bin of a finite number; -0 counts as 0. */
static inline uint64_t crd_i_grid_key_of(double x, int32_t level) {
    return crd_i_grid_key_at(crd_i_bits_of(x + 0.0), level);
}

/* Returns the exponent of the lowest set bit of a key; CRD_I_GRID_BEYOND for zero. */
static inline int32_t crd_i_grid_key_lowest_bit(uint64_t key) {
    crd_i_parts parts = crd_i_parts_of(crd_i_double_of(key));
    if (parts.mantissa == 0) return CRD_I_GRID_BEYOND;
    while ((parts.mantissa & 1) == 0) parts.mantissa >>= 1, parts.exponent++;
    return parts.exponent;
}

/* Returns an integer that sorts keys like their numbers. */
static inline uint64_t crd_i_grid_key_rank(uint64_t key) {
    return (key & CRD_I_SIGN_BIT) != 0 ? ~key : key | CRD_I_SIGN_BIT;
}

#endif
