/* SPDX-License-Identifier: MIT */
/* grid.h - where on the line the numbers of a column lie: what families read of a tally of the grid. */
#ifndef CRD_STATS_GRID_H
#define CRD_STATS_GRID_H

#include "stats/tally.h"

enum {
    CRD_I_GRID_MOST = 4096,   /* cells that a column has at most */
    CRD_I_GRID_EXACT = -1074, /* the level at which every double is a cell of its own */
};

/* The cells that some rows are in, in ascending order. */
typedef struct crd_i_grid_view {
    crd_context *context;
    size_t count, conditions;
    bool is_exact;  /* the cells are the values themselves; else they are intervals of one width */
    double width;   /* of each cell; 0 where they are values */
    double *values; /* of each cell: the value, or its middle */
    double *counts; /* [cell][condition], rounded sums of weights, conditions by their place in the view */
} crd_i_grid_view;

/* false: out of memory; then too it is to be cleared. */
CRD_MUST_USE bool crd_i_grid_view_init(crd_i_grid_view *cells, crd_context *context, const crd_i_tally *tally,
                                       const crd_i_view *view);
void crd_i_grid_view_clear(crd_i_grid_view *cells);

/* The level k, so that cells are 2^k wide; CRD_I_GRID_EXACT where they are values. For tests. */
int32_t crd_i_grid_level(const crd_i_tally *tally);
size_t crd_i_grid_count(const crd_i_tally *tally);

#endif
