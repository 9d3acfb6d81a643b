/* SPDX-License-Identifier: MIT */
/* kept_rows_internal.h - what a joint tally of rows is made of; see kept_rows.c. */
#ifndef CRD_STATS_KEPT_ROWS_INTERNAL_H
#define CRD_STATS_KEPT_ROWS_INTERNAL_H

#include "stats/distinct_rows.h"
#include "stats/kept_bags.h"
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
    crd_i_kept_bags bags;      /* of texts: a cell of a text is the key of its bag */
} crd_i_rows;

static inline uint64_t crd_i_sample_bits(const uint32_t *cell) {
    return (uint64_t)cell[1] << 32 | cell[0];
}

/* The hash of a row's content. */
uint64_t crd_i_rows_hash(const crd_i_rows *joint_tally, const uint32_t *words);
CRD_MUST_USE bool crd_i_rows_note_hash(crd_context *context, crd_i_hashes *to, size_t at, uint64_t hash);
/* Whether a column is of texts. */
bool crd_i_rows_have_texts(const crd_i_joint_tally *base);

/* See crd_i_joint_tally_type. */
void crd_i_rows_write(const crd_i_joint_tally *base, const crd_i_joint_tally_view *view, crd_i_encoder *encoder);
CRD_MUST_USE crd_status crd_i_rows_read(crd_i_joint_tally *base, crd_i_cursor *cursor, crd_error *error);

/* Which rows stay, and the bound when all have been looked at; freed with crd_free; NULL: out of memory. */
bool *crd_i_rows_staying(const crd_i_rows *joint_tally, bool *is_bounded, uint64_t *bound);

#endif
