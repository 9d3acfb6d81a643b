/* SPDX-License-Identifier: MIT */
/* grid.h - access to the adaptive histogram (grid) of a numeric column, for density families. */
#ifndef CRD_STATS_GRID_H
#define CRD_STATS_GRID_H

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

#endif
