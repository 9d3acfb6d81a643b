/* SPDX-License-Identifier: MIT */
/* pair_axis.h - the few cells of a number column that pairs of columns are counted by.
 *
 * As in a grid (grid.c), cells are of one width, 2^level, with the least level that leaves no more of them than there
 * may be; up to that, the values themselves. So the level and the set of cells are functions of the set of numbers.
 * Cells are numbered in the order in which they were met. */
#ifndef CRD_STATS_PAIR_AXIS_H
#define CRD_STATS_PAIR_AXIS_H

#include "stats/grid_internal.h"

enum { CRD_I_AXIS_MOST = 128, CRD_I_AXIS_PLACES = 4 * CRD_I_AXIS_MOST };

typedef struct crd_i_axis {
    int32_t level;
    size_t count;
    uint64_t keys[CRD_I_AXIS_MOST + 1];
    uint8_t places[CRD_I_AXIS_PLACES]; /* by hash: 1 + a cell, or 0 */
} crd_i_axis;

void crd_i_axis_init(crd_i_axis *axis);
/* The cell that has this key at the axis's level; the count where there is none. */
size_t crd_i_axis_find(const crd_i_axis *axis, uint64_t key);
/* A cell of its level, unless it is there; there is room for it. */
void crd_i_axis_append(crd_i_axis *axis, uint64_t key);
/* The number, or a cell of a level that is not higher, becomes a part of it: at most `most` cells, CRD_I_AXIS_MOST or
 * fewer. Numbers of cells change only with the level. */
void crd_i_axis_meet(crd_i_axis *axis, uint64_t bits, size_t most);
/* Cells of this level, if it is higher. */
void crd_i_axis_coarsen(crd_i_axis *axis, int32_t level);
/* Only those cells that are marked, renumbered in the same order. Without any, the level means nothing any more. */
void crd_i_axis_keep(crd_i_axis *axis, const bool *marked);
/* The cells in the order of numbers. */
void crd_i_axis_order(const crd_i_axis *axis, int32_t order[CRD_I_AXIS_MOST]);
/* The least and the greatest double of a cell. */
void crd_i_axis_ends(const crd_i_axis *axis, size_t cell, double *least, double *greatest);

#endif
