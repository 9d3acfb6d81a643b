/* SPDX-License-Identifier: MIT */
/* distinct_rows.h - the different rows of a joint tally, each once, with the exact sum of its weights.
 *
 * A row is a few words: for each column of the joint tally one word, a category's number, or two, the bits of a number; the
 * last word is the condition. A missing cell has all bits set. Rows are found by a hash that is keyed by where they
 * are kept, so that no input can be made to collide, and that nothing which is seen depends on. */
#ifndef CRD_STATS_DISTINCT_ROWS_H
#define CRD_STATS_DISTINCT_ROWS_H

#include "stats/joint_tally.h"

#define CRD_I_MISSING_WORD UINT32_MAX

typedef struct crd_i_distinct {
    crd_context *context;
    size_t width; /* words of a row */
    size_t count;
    size_t capacity; /* rows that there is room for, in the words and weights */
    uint32_t *words; /* row by row */
    crd_i_sums weights;
    uint32_t *places; /* by hash, at least twice as many as rows: 1 + a row, or 0 */
    unsigned place_bits;
    uint64_t key;
} crd_i_distinct;

void crd_i_distinct_init(crd_i_distinct *distinct, crd_context *context, size_t width);
void crd_i_distinct_clear(crd_i_distinct *distinct);
/* Into what was initialised with the same width. false: out of memory; so with all below that return bool. */
CRD_MUST_USE bool crd_i_distinct_copy(crd_i_distinct *to, const crd_i_distinct *from);

static inline const uint32_t *crd_i_distinct_row(const crd_i_distinct *distinct, size_t row) {
    return distinct->words + row * distinct->width;
}

/* The row with these words; SIZE_MAX: there is none. */
size_t crd_i_distinct_find(const crd_i_distinct *distinct, const uint32_t *words);
/* The same, made with no weight where it is new. */
CRD_MUST_USE bool crd_i_distinct_find_or_add(crd_i_distinct *distinct, const uint32_t *words, size_t *row);
/* Drops the others. The rows that stay keep their order. */
void crd_i_distinct_keep(crd_i_distinct *distinct, const bool *stays);
/* Drops the rows that have no weight. `room` is for as many as there are rows. */
void crd_i_distinct_drop_empty(crd_i_distinct *distinct, bool *room);

/* Other numbers for conditions and values: by a map, or by their places in a view. */
typedef struct crd_i_renumbering {
    crd_context *context;
    size_t column_count;
    uint32_t *conditions;
    uint32_t **values; /* of each column; NULL where it is no category */
} crd_i_renumbering;

CRD_MUST_USE bool crd_i_renumbering_by_map(crd_i_renumbering *made, const crd_i_joint_tally *of,
                                           const crd_i_joint_tally_map *map);
void crd_i_renumbering_clear(crd_i_renumbering *made);
/* One row, whose columns have `span` words each. */
void crd_i_renumber(const crd_i_renumbering *by, size_t span, const uint32_t *from, uint32_t *to);

/* Rows as they are shown and written: numbered by a view, in the order of `ranks`, which may be NULL, then of their
 * words. Numbers of two words stand in no order that means anything, but always the same one. */
typedef struct crd_i_arranged {
    crd_context *context;
    size_t count, width;
    uint32_t *words; /* row by row, as they stand in the distinct rows */
    size_t *order;   /* which of them is first, second, ... */
} crd_i_arranged;

/* Of all rows, or those that are marked in `stays`. */
CRD_MUST_USE bool crd_i_arranged_init(crd_i_arranged *arranged, const crd_i_joint_tally *joint_tally,
                                      const crd_i_distinct *distinct, size_t span, const crd_i_joint_tally_view *view,
                                      const uint64_t *ranks, const bool *stays);
void crd_i_arranged_clear(crd_i_arranged *arranged);

/* In files: u32 rows; of each the cells of the columns whose kind is settled, u32 where a column has one word or is a
 * category, else u64, then u32 condition; then the weights, in a window. */
void crd_i_arranged_write(const crd_i_arranged *arranged, const crd_i_joint_tally *joint_tally,
                          const crd_i_distinct *distinct, size_t span, crd_i_encoder *encoder);
/* Into an empty set of a joint tally that is settled and extended. What no row can be is CRD_ERROR_DAMAGED; whether
 * they are in order is for the caller to see. */
CRD_MUST_USE crd_status crd_i_distinct_read(crd_i_distinct *distinct, const crd_i_joint_tally *joint_tally, size_t span,
                                            size_t most, crd_i_cursor *cursor, crd_error *error);

/* What joint tallies of distinct rows do alike: known conditions and values. */
void crd_i_joint_tally_note_extent(crd_i_joint_tally *joint_tally, size_t conditions, const size_t *value_counts);
/* The parts settle, unsettle and extend of types whose distinct rows need nothing to be done then. */
bool crd_i_distinct_settle(crd_i_joint_tally *joint_tally, size_t column, crd_kind kind);
bool crd_i_distinct_unsettle(crd_i_joint_tally *joint_tally, size_t column);
bool crd_i_distinct_extend(crd_i_joint_tally *joint_tally, size_t conditions, const size_t *value_counts);
/* Known conditions, values and kinds of another, for a copy; and of a second one by a map. */
void crd_i_distinct_copy_extent(crd_i_joint_tally *to, const crd_i_joint_tally *from);
CRD_MUST_USE bool crd_i_distinct_take_extent(crd_i_joint_tally *to, const crd_i_joint_tally *second,
                                             const crd_i_joint_tally_map *map);
/* Room for what a map leads to, beside what a joint tally knows; value_counts has a place for each of its columns. */
size_t crd_i_joint_tally_map_extent(const crd_i_joint_tally *joint_tally, const crd_i_joint_tally_map *map,
                                    size_t *value_counts);

#endif
