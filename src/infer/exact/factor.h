/* SPDX-License-Identifier: MIT */
/* factor.h - loops over a table of several variables together with a table of some of these variables.
 *
 * A table has one cell per combination of states; the state of its last variable varies fastest. The larger table is
 * traversed once, cell by cell, with a matching position in the smaller table. The position does not change along
 * variables that the smaller table lacks. A walk describes the traversal. Adjacent variables that are in both
 * tables, or only in the larger one, are merged into one dimension. */
#ifndef CRD_INFER_EXACT_FACTOR_H
#define CRD_INFER_EXACT_FACTOR_H

#include <stddef.h>
#include <stdint.h>

enum { CRD_I_MOST_DIMENSIONS = 64 }; /* a table with more variables, each of at least two states, exceeds any memory */

typedef struct crd_i_walk {
    size_t count; /* number of dimensions, the fastest first; at least one */
    size_t extents[CRD_I_MOST_DIMENSIONS], strides[CRD_I_MOST_DIMENSIONS];
} crd_i_walk;

/* Adds the next slower variable: its state count and the distance of its states in the smaller table, which is 0 if
 * the smaller table lacks it. Variables with one state may be skipped. Call crd_i_walk_begin first and
 * crd_i_walk_end last. */
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

/* Representation of numbers. Logarithms cannot underflow but are slow. */
typedef enum crd_i_factor_scale { CRD_I_PLAIN, CRD_I_LOGS } crd_i_factor_scale;

/* Compute large = small and large *= small. The smaller table contains plain numbers (a factor) or numbers in the
 * given scale (a message). */
void crd_i_factor_set(crd_i_factor_scale scale, const crd_i_walk *walk, double *large, const double *factor);
void crd_i_factor_times(crd_i_factor_scale scale, const crd_i_walk *walk, double *large, const double *factor);
void crd_i_message_times(crd_i_factor_scale scale, const crd_i_walk *walk, double *large, const double *message);

/* Sets small to the sums, or maxima, of the corresponding cells of the large table. `cells` is the size of the small
 * table. */
void crd_i_message_sum(crd_i_factor_scale scale, const crd_i_walk *walk, const double *large, double *small,
                       size_t cells);
void crd_i_message_most(crd_i_factor_scale scale, const crd_i_walk *walk, const double *large, double *small,
                        size_t cells);

/* Adds the sums of the corresponding cells of the large table to small, or takes the maximum with them. */
void crd_i_message_add(crd_i_factor_scale scale, const crd_i_walk *walk, const double *large, double *small);
void crd_i_message_raise(crd_i_factor_scale scale, const crd_i_walk *walk, const double *large, double *small);

/* Sets cells to the neutral value of sums and maxima. */
void crd_i_message_clear(crd_i_factor_scale scale, double *cells, size_t count);

/* sums[r] = sum over j of large[r * width + j] * message[j]. */
void crd_i_message_dots(crd_i_factor_scale scale, const double *large, size_t rows, size_t width, const double *message,
                        double *sums);

/* Replaces before[i] by after[i] * factor / before[i]. Zeros stay 0. In log scale there is no factor. */
void crd_i_message_divide(crd_i_factor_scale scale, const double *after, double *before, size_t cells, double factor);

#endif
