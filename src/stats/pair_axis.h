/* SPDX-License-Identifier: MIT */
/* pair_axis.h - the bins of a numeric column for pair counts.
 *
 * As in the adaptive histogram (grid.c), all bins have width 2^level, with the smallest level that needs no more
 * than the allowed number of bins. Until then, bins are the values themselves. Therefore the level and the set of
 * bins depend only on the set of numbers. Bins are numbered in order of occurrence. */
#ifndef CRD_STATS_PAIR_AXIS_H
#define CRD_STATS_PAIR_AXIS_H

#include "stats/grid_internal.h"

enum { CRD_I_AXIS_MOST = 128, CRD_I_AXIS_PLACES = 4 * CRD_I_AXIS_MOST };

typedef struct crd_i_axis {
    int32_t level;
    size_t count;
    uint64_t keys[CRD_I_AXIS_MOST + 1];
    uint8_t places[CRD_I_AXIS_PLACES]; /* hash table: 1 + index of a bin, or 0 */
} crd_i_axis;

void crd_i_axis_init(crd_i_axis *axis);
/* Returns the bin with this key at the axis's level; `count` if there is none. */
size_t crd_i_axis_find(const crd_i_axis *axis, uint64_t key);
/* Adds a bin of the axis's level, unless it exists; there must be room. */
void crd_i_axis_append(crd_i_axis *axis, uint64_t key);
/* Adds a number, or a bin of the same or a lower level, using at most `most` bins, CRD_I_AXIS_MOST or fewer. Bin
 * numbers change only when the level changes. */
void crd_i_axis_meet(crd_i_axis *axis, uint64_t bits, size_t most);
/* Raises the level to this one, if it is higher. */
void crd_i_axis_coarsen(crd_i_axis *axis, int32_t level);
/* Keeps only the marked bins, renumbered in the same order. If none remains, the level is meaningless. */
void crd_i_axis_keep(crd_i_axis *axis, const bool *marked);
/* Returns the bins sorted by their numbers. */
void crd_i_axis_order(const crd_i_axis *axis, int32_t order[CRD_I_AXIS_MOST]);
/* Returns the smallest and the largest double of a bin. */
void crd_i_axis_ends(const crd_i_axis *axis, size_t cell, double *least, double *greatest);

#endif
