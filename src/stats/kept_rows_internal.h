/* SPDX-License-Identifier: MIT */
/* kept_rows_internal.h - the structure of a joint tally of rows; see kept_rows.c. */
#ifndef CRD_STATS_KEPT_ROWS_INTERNAL_H
#define CRD_STATS_KEPT_ROWS_INTERNAL_H

#include "stats/distinct_rows.h"
#include "stats/kept_bags.h"
#include "stats/kept_rows.h"

enum { CRD_I_SAMPLE_SPAN = 2 }; /* words per column */

typedef struct crd_i_hashes {
    uint64_t *each;
    size_t count, capacity;
} crd_i_hashes;

typedef struct crd_i_rows {
    crd_i_joint_tally base;
    bool is_table; /* all rows are stored */
    size_t most;   /* maximum number of rows to store, or of a table */
    crd_i_distinct rows;
    crd_i_hashes row_hashes;
    bool is_bounded; /* some rows were dropped: those with a hash of at least `bound` */
    uint64_t bound;
    crd_i_sums seen; /* for each condition, the weight of all rows */
    crd_i_hashes condition_names;
    crd_i_hashes *value_names; /* for each column */
    crd_i_kept_bags bags;      /* for texts: a text cell contains the key of its bag */
} crd_i_rows;

static inline uint64_t crd_i_sample_bits(const uint32_t *cell) {
    return (uint64_t)cell[1] << 32 | cell[0];
}

/* Returns the hash of a row's content. */
uint64_t crd_i_rows_hash(const crd_i_rows *joint_tally, const uint32_t *words);
CRD_MUST_USE bool crd_i_rows_note_hash(crd_context *context, crd_i_hashes *hashes, size_t index, uint64_t hash);
/* Returns whether a column contains texts. */
bool crd_i_rows_have_texts(const crd_i_joint_tally *base);

/* Implement write and read of crd_i_joint_tally_type. */
void crd_i_rows_write(const crd_i_joint_tally *base, const crd_i_joint_tally_view *view, crd_i_encoder *encoder);
CRD_MUST_USE crd_status crd_i_rows_read(crd_i_joint_tally *base, crd_i_cursor *cursor, crd_error *error);

/* Returns which rows stay, and the hash bound after all rows were considered; free it with crd_free; NULL: out of
 * memory. */
bool *crd_i_rows_staying(const crd_i_rows *joint_tally, bool *is_bounded, uint64_t *bound);

#endif
