/* SPDX-License-Identifier: MIT */
/* kept_rows_internal.h - what a joint tally of rows is made of; see kept_rows.c. */
#ifndef CRD_STATS_KEPT_ROWS_INTERNAL_H
#define CRD_STATS_KEPT_ROWS_INTERNAL_H

#include "stats/distinct_rows.h"
#include "stats/kept_rows.h"

enum { CRD_I_SAMPLE_SPAN = 2 }; /* words of a column */

typedef struct crd_i_hashes {
    uint64_t *each;
    size_t count, capacity;
} crd_i_hashes;

typedef struct crd_i_rows {
    crd_i_joint_tally base;
    bool is_table; /* all rows stay */
    size_t most;   /* rows that may stay, or that a table may have */
    crd_i_distinct rows;
    crd_i_hashes row_hashes;
    bool is_bounded; /* something was left out: what has a hash of `bound` or more */
    uint64_t bound;
    crd_i_sums seen; /* of each condition, the weight of all rows */
    crd_i_hashes condition_names;
    crd_i_hashes *value_names; /* of each column */
} crd_i_rows;

/* Which rows stay, and the bound when all have been looked at; freed with crd_free; NULL: out of memory. */
bool *crd_i_rows_staying(const crd_i_rows *joint_tally, bool *is_bounded, uint64_t *bound);

#endif
