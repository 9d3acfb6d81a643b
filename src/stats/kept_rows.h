/* SPDX-License-Identifier: MIT */
/* kept_rows.h - the rows that a joint tally of rows has kept, for what is fitted to rows rather than derived from sums.
 *
 * The joint tally keeps every different row with its exact weight, while there are no more than CRD_I_ROWS_MOST, or so many
 * that they have CRD_I_ROWS_MOST_CELLS cells together. Beyond that those of the least hashes of their content stay: a
 * sample in which every different row is as likely as any other, whatever the order of rows. Texts are kept as bags of
 * terms, of CRD_I_BAGS_MOST_BYTES together. One of the type `table` has all
 * rows, and is given up where they have more than CRD_I_TABLE_MOST_CELLS cells. */
#ifndef CRD_STATS_KEPT_ROWS_H
#define CRD_STATS_KEPT_ROWS_H

#include "stats/joint_tally.h"

enum { CRD_I_ROWS_MOST = 65536, CRD_I_ROWS_MOST_CELLS = 1 << 23, CRD_I_TABLE_MOST_CELLS = 1 << 26 };

/* How many different rows of so many columns are kept. */
size_t crd_i_rows_most(size_t columns);

/* The kept rows in an order that is always the same, that of their hashes; conditions and values by their places in the
 * view that it was made with. Filled by init, emptied by clear, which also takes what is all zero. */
typedef struct crd_i_sample {
    crd_context *context;
    size_t rows, column_count, condition_count;
    crd_i_cells *columns; /* of a column that never had a cell: no numbers, codes or texts; texts are bags */
    char *bags;           /* what texts point into */
    int32_t *conditions;  /* of each row */
    double *weights;      /* of each row, rounded once */
    uint64_t *hashes;     /* of each row's content: the condition's and the values' names, and numbers */
    double *seen;         /* of each condition, the weight of all rows, kept or not */
    bool is_complete;     /* nothing was left out */
} crd_i_sample;

/* false: out of memory. */
CRD_MUST_USE bool crd_i_sample_init(crd_i_sample *sample, crd_context *context, const crd_i_joint_tally *rows,
                                    const crd_i_joint_tally_view *view);
void crd_i_sample_clear(crd_i_sample *sample);

#endif
