/* SPDX-License-Identifier: MIT */
/* pair_counts.h - counts of values and value pairs: the interface of the pair-counts joint tally for densities. */
#ifndef CRD_STATS_PAIR_COUNTS_H
#define CRD_STATS_PAIR_COUNTS_H

#include "stats/joint_tally.h"
#include "stats/pair_axis.h"

/* Returns the bins of a numeric column; NULL if it has none. */
const crd_i_axis *crd_i_pairs_axis(const crd_i_joint_tally *joint_tally, size_t column);

/* Returns the number of rows under a condition with this value or bin; 0 if it is unknown. */
double crd_i_pairs_single(const crd_i_joint_tally *joint_tally, size_t column, size_t cell, size_t condition);

/* A mapping from the values, or axis bins, of a column to bins; negative: none. */
typedef struct crd_i_pairs_bins {
    size_t column;
    const int32_t *bins;
    size_t bin_count;
} crd_i_pairs_bins;

/* Computes out[bin * conditions + place], the number of rows in the bin, summed exactly and rounded once. `places`
 * maps each condition to its place; negative: none. false: out of memory. */
CRD_MUST_USE bool crd_i_pairs_gather_singles(const crd_i_joint_tally *joint_tally, const crd_i_pairs_bins *column,
                                             const int32_t *places, size_t conditions, double *out);
/* Computes out[(bin of a * b's bins + bin of b) * conditions + place] for two columns, a before b. false: out of
 * memory. */
CRD_MUST_USE bool crd_i_pairs_gather(const crd_i_joint_tally *joint_tally, const crd_i_pairs_bins *a,
                                     const crd_i_pairs_bins *b, const int32_t *places, size_t conditions, double *out);

/* The maximum number of counts in a joint tally, including zeros. */
#define CRD_I_PAIRS_MOST_COUNTS 0x1p26

#endif
