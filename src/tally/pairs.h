/* pairs.h - counts of values and of pairs of values: what densities read of a bundle of pairs. */
#ifndef CRD_TALLY_PAIRS_H
#define CRD_TALLY_PAIRS_H

#include "tally/axis.h"
#include "tally/bundle.h"

/* The cells of a number column; NULL where the column has none. */
const crd_i_axis *crd_i_pairs_axis(const crd_i_bundle *bundle, size_t column);

/* Rows under a condition that have this value, or are in this cell; 0 where it is not known. */
double crd_i_pairs_single(const crd_i_bundle *bundle, size_t column, size_t cell, size_t condition);

/* The values, or cells, of a column in some order, and the bin that each is in. */
typedef struct crd_i_pairs_bins {
    size_t column;
    const int32_t *cells;
    size_t cell_count;
    const int32_t *bins; /* of each of the cells; NULL: it is a bin of its own */
    size_t bin_count;
} crd_i_pairs_bins;

/* out[(bin of a * b's bins + bin of b) * conditions + condition] = the rows that have both, in doubles added up in the
 * order of the cells. The columns differ. */
void crd_i_pairs_gather(const crd_i_bundle *bundle, const crd_i_pairs_bins *a, const crd_i_pairs_bins *b,
                        const int32_t *conditions, size_t condition_count, double *out);

/* The most counts that a bundle may have, those of zero included; and how many it has. */
#define CRD_I_PAIRS_MOST_COUNTS 0x1p26
double crd_i_pairs_counts(const crd_i_bundle *bundle);

#endif
