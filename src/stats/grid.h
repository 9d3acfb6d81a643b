/* SPDX-License-Identifier: MIT */
/* grid.h - access to the adaptive histogram (grid) of a numeric column, for density families. */
#ifndef CRD_STATS_GRID_H
#define CRD_STATS_GRID_H

#include "math/exact/ieee754.h"
#include "stats/tally.h"

enum {
    CRD_I_GRID_MOST = 4096,   /* maximum number of bins of a column */
    CRD_I_GRID_EXACT = -1074, /* the level at which every double has its own bin */
};

/* The nonempty bins, in ascending order. */
typedef struct crd_i_grid_view {
    crd_context *context;
    size_t count, conditions;
    bool is_exact;  /* the bins are the values themselves; otherwise they are intervals of equal width */
    double width;   /* width of each bin; 0 if the bins are values */
    double *values; /* for each bin: the value, or the midpoint of the interval */
    double *counts; /* [bin][condition], rounded sums of weights; conditions by their position in the view */
} crd_i_grid_view;

/* Fills in the view. false: out of memory; it must be cleared then, too. */
CRD_MUST_USE bool crd_i_grid_view_init(crd_i_grid_view *cells, crd_context *context, const crd_i_tally *tally,
                                       const crd_i_view *view);
void crd_i_grid_view_clear(crd_i_grid_view *cells);

/* Returns the level k, at which bins are 2^k wide; CRD_I_GRID_EXACT if they are values. For tests. */
int32_t crd_i_grid_level(const crd_i_tally *tally);
size_t crd_i_grid_count(const crd_i_tally *tally);

/* ======== Histogram bins ========
 *
 * Bins have a width that is a power of two, and are represented by the bits of a double. See grid.c for the reasons. */

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
