/* SPDX-License-Identifier: MIT */
/* pair_counts.h - counts of values and of pairs of values: what densities read of a joint tally of pairs. */
#ifndef CRD_STATS_PAIR_COUNTS_H
#define CRD_STATS_PAIR_COUNTS_H

#include "stats/joint_tally.h"
#include "stats/pair_axis.h"

/* The cells of a number column; NULL where the column has none. */
const crd_i_axis *crd_i_pairs_axis(const crd_i_joint_tally *joint_tally, size_t column);

/* Rows under a condition that have this value, or are in this cell; 0 where it is not known. */
double crd_i_pairs_single(const crd_i_joint_tally *joint_tally, size_t column, size_t cell, size_t condition);

/* A bin for each value, or cell, of a column; negative: none. */
typedef struct crd_i_pairs_bins {
    size_t column;
    const int32_t *bins;
    size_t bin_count;
} crd_i_pairs_bins;

/* out[bin * conditions + place] = the rows in the bin, added up exactly and rounded once, where `places` has the place
 * of each condition; negative: none. false: out of memory. */
CRD_MUST_USE bool crd_i_pairs_gather_singles(const crd_i_joint_tally *joint_tally, const crd_i_pairs_bins *column,
                                             const int32_t *places, size_t conditions, double *out);
/* The same for two columns, a before b: out[(bin of a * b's bins + bin of b) * conditions + place]. */
CRD_MUST_USE bool crd_i_pairs_gather(const crd_i_joint_tally *joint_tally, const crd_i_pairs_bins *a,
                                     const crd_i_pairs_bins *b, const int32_t *places, size_t conditions, double *out);

/* The most counts that a joint tally may have, those of zero included. */
#define CRD_I_PAIRS_MOST_COUNTS 0x1p26

#endif
