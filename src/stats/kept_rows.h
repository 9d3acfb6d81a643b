/* SPDX-License-Identifier: MIT */
/* kept_rows.h - the stored training rows in a joint tally, for methods that are fitted to rows rather than derived
 * from sums.
 *
 * The joint tally stores every distinct row with its exact weight, up to CRD_I_ROWS_MOST rows and
 * CRD_I_ROWS_MOST_CELLS cells in total. Beyond that, the rows with the smallest content hashes stay. This is a
 * uniform sample of the distinct rows, whatever their order. Texts are stored as bags of terms, up to
 * CRD_I_BAGS_MOST_BYTES in total. The type `table` stores all rows and is dropped if they have more than
 * CRD_I_TABLE_MOST_CELLS cells. */
#ifndef CRD_STATS_KEPT_ROWS_H
#define CRD_STATS_KEPT_ROWS_H

#include "stats/joint_tally.h"

enum { CRD_I_ROWS_MOST = 65536, CRD_I_ROWS_MOST_CELLS = 1 << 23, CRD_I_TABLE_MOST_CELLS = 1 << 26 };

/* Returns the maximum number of distinct rows stored for this number of columns. */
size_t crd_i_rows_most(size_t columns);

/* The stored rows in a fixed order, sorted by hash. Conditions and values are positions in the view passed to
 * crd_i_sample_init. crd_i_sample_clear frees it and also accepts a zeroed struct. */
typedef struct crd_i_sample {
    crd_context *context;
    size_t rows, column_count, condition_count;
    crd_i_cells *columns; /* a column that never had a cell has no numbers, codes or texts; texts are bags */
    char *bags;           /* the memory that texts point into */
    int32_t *conditions;  /* of each row */
    double *weights;      /* of each row, rounded once */
    uint64_t *hashes;     /* of each row's content: names of the condition and values, and numbers */
    double *seen;         /* for each condition, the weight of all rows, stored or not */
    bool is_complete;     /* no row was dropped */
} crd_i_sample;

/* Fills in the sample. false: out of memory. */
CRD_MUST_USE bool crd_i_sample_init(crd_i_sample *sample, crd_context *context, const crd_i_joint_tally *rows,
                                    const crd_i_joint_tally_view *view);
void crd_i_sample_clear(crd_i_sample *sample);

#endif
