/* SPDX-License-Identifier: MIT */
/* factor.h - the loops between a table of several variables and one of some of them.
 *
 * A table has a cell for each combination of states, those of its last variable varying fastest. The larger table is
 * gone through once, cell after cell, and beside it a place in the smaller one, which stays where a variable is not in
 * it. A walk says how: runs of variables that both tables, or only the larger one, have side by side are one dimension
 * of it. */
#ifndef CRD_INFER_EXACT_FACTOR_H
#define CRD_INFER_EXACT_FACTOR_H

#include <stddef.h>
#include <stdint.h>

enum { CRD_I_MOST_DIMENSIONS = 64 }; /* a table with more variables of two states is larger than any memory */

typedef struct crd_i_walk {
    size_t count; /* of dimensions, the fastest first; at least one */
    size_t extents[CRD_I_MOST_DIMENSIONS], strides[CRD_I_MOST_DIMENSIONS];
} crd_i_walk;

/* Adds the next slower variable: how many states it has, and how far apart these are in the smaller table; 0 where it
 * is not in it. Variables of one state may be left out. Begin with crd_i_walk_begin, end with crd_i_walk_end. */
static inline void crd_i_walk_begin(crd_i_walk *walk) {
    walk->count = 0;
}

static inline void crd_i_walk_add(crd_i_walk *walk, size_t extent, size_t stride) {
    size_t last = walk->count;
    if (extent == 1) return;
    if (last > 0 && walk->strides[last - 1] * walk->extents[last - 1] == stride &&
        (stride > 0) == (walk->strides[last - 1] > 0)) {
        walk->extents[last - 1] *= extent;
        return;
    }
    walk->extents[last] = extent;
    walk->strides[last] = stride;
    walk->count++;
}

static inline void crd_i_walk_end(crd_i_walk *walk) {
    if (walk->count > 0) return;
    walk->extents[0] = 1;
    walk->strides[0] = 0;
    walk->count = 1;
}

/* How numbers are kept. Logarithms cannot underflow, and are slow. */
typedef enum crd_i_factor_scale { CRD_I_PLAIN, CRD_I_LOGS } crd_i_factor_scale;

/* large = small; large *= small: the smaller table always has plain numbers (a factor), or those of the scale (a
 * message). */
void crd_i_factor_set(crd_i_factor_scale scale, const crd_i_walk *walk, double *large, const double *factor);
void crd_i_factor_times(crd_i_factor_scale scale, const crd_i_walk *walk, double *large, const double *factor);
void crd_i_message_times(crd_i_factor_scale scale, const crd_i_walk *walk, double *large, const double *message);

/* small = sums, or the greatest, of the cells of the large table; `cells` is the size of the small one. */
void crd_i_message_sum(crd_i_factor_scale scale, const crd_i_walk *walk, const double *large, double *small,
                       size_t cells);
void crd_i_message_most(crd_i_factor_scale scale, const crd_i_walk *walk, const double *large, double *small,
                        size_t cells);

/* small += sums of the cells of the large table, or becomes as great as the greatest of them. */
void crd_i_message_add(crd_i_factor_scale scale, const crd_i_walk *walk, const double *large, double *small);
void crd_i_message_raise(crd_i_factor_scale scale, const crd_i_walk *walk, const double *large, double *small);

/* What sums, and the greatest of none, are. */
void crd_i_message_clear(crd_i_factor_scale scale, double *cells, size_t count);

/* sums[r] = sum over j of large[r * width + j] * message[j]. */
void crd_i_message_dots(crd_i_factor_scale scale, const double *large, size_t rows, size_t width, const double *message,
                        double *sums);

/* before[i] becomes after[i] * factor / before[i], and stays 0 where it is. In logarithms there is no factor. */
void crd_i_message_divide(crd_i_factor_scale scale, const double *after, double *before, size_t cells, double factor);

#endif
