/* SPDX-License-Identifier: MIT */
/* distinct_rows.h - the distinct rows of a joint tally, each with the exact sum of its weights.
 *
 * A row consists of words: for each column of the joint tally one word, a category's number, or two, the bits of a
 * number. The last word is the condition. A missing cell has all bits set. Rows are found with a hash keyed by the
 * address of the table, so no input can force collisions. No result depends on the hash. */
#ifndef CRD_STATS_DISTINCT_ROWS_H
#define CRD_STATS_DISTINCT_ROWS_H

#include "stats/joint_tally.h"

#define CRD_I_MISSING_WORD UINT32_MAX

typedef struct crd_i_distinct {
    crd_context *context;
    size_t width; /* words per row */
    size_t count;
    size_t capacity; /* capacity in rows of the words and weights */
    uint32_t *words; /* row by row */
    crd_i_sums weights;
    uint32_t *places; /* hash table, at least twice as large as the number of rows: 1 + a row, or 0 */
    unsigned place_bits;
    uint64_t key;
} crd_i_distinct;

void crd_i_distinct_init(crd_i_distinct *distinct, crd_context *context, size_t width);
void crd_i_distinct_clear(crd_i_distinct *distinct);
/* Copies to a struct that was initialized with the same width. false: out of memory, as in all functions below that
 * return bool. */
CRD_MUST_USE bool crd_i_distinct_copy(crd_i_distinct *distinct, const crd_i_distinct *source_distinct);

static inline const uint32_t *crd_i_distinct_row(const crd_i_distinct *distinct, size_t row) {
    return distinct->words + row * distinct->width;
}

/* Returns the row with these words; SIZE_MAX: there is none. */
size_t crd_i_distinct_find(const crd_i_distinct *distinct, const uint32_t *words);
/* Finds the row with these words, or adds it with weight zero. */
CRD_MUST_USE bool crd_i_distinct_find_or_add(crd_i_distinct *distinct, const uint32_t *words, size_t *row);
/* Keeps only the marked rows, in the same order. */
void crd_i_distinct_keep(crd_i_distinct *distinct, const bool *stays);
/* Drops the rows with weight zero. `room` has one element per row. */
void crd_i_distinct_drop_empty(crd_i_distinct *distinct, bool *room);

/* New numbers for conditions and values: from a map, or their positions in a view. */
typedef struct crd_i_renumbering {
    crd_context *context;
    size_t column_count;
    uint32_t *conditions;
    uint32_t **values; /* of each column; NULL if it is not a category */
} crd_i_renumbering;

CRD_MUST_USE bool crd_i_renumbering_by_map(crd_i_renumbering *renumbering, const crd_i_joint_tally *tally,
                                           const crd_i_joint_tally_map *map);
void crd_i_renumbering_clear(crd_i_renumbering *renumbering);
/* Renumbers one row, whose columns have `span` words each. */
void crd_i_renumber(const crd_i_renumbering *renumbering, size_t span, const uint32_t *source, uint32_t *destination);

/* Rows as they are shown and written: numbered by a view, sorted by `ranks`, which may be NULL, then by their words.
 * The order of two-word numbers has no meaning but is always the same. */
typedef struct crd_i_arranged {
    crd_context *context;
    size_t count, width;
    uint32_t *words; /* row by row, in the order of the distinct rows */
    size_t *order;   /* the indices of the rows in sorted order */
} crd_i_arranged;

/* Arranges all rows, or the rows marked in `stays`. */
CRD_MUST_USE bool crd_i_arranged_init(crd_i_arranged *arranged, const crd_i_joint_tally *joint_tally,
                                      const crd_i_distinct *distinct, size_t span, const crd_i_joint_tally_view *view,
                                      const uint64_t *ranks, const bool *stays);
void crd_i_arranged_clear(crd_i_arranged *arranged);

/* Writes the rows: u32 row count; for each row the cells of the settled columns, u32 if a column has one word or is
 * a category, otherwise u64, then u32 condition; then the weights, in a window. */
void crd_i_arranged_write(const crd_i_arranged *arranged, const crd_i_joint_tally *joint_tally,
                          const crd_i_distinct *distinct, size_t span, crd_i_encoder *encoder);
/* Reads rows into an empty set of a joint tally that is settled and extended. CRD_ERROR_DAMAGED: an impossible row.
 * The caller must check the order. */
CRD_MUST_USE crd_status crd_i_distinct_read(crd_i_distinct *distinct, const crd_i_joint_tally *joint_tally, size_t span,
                                            size_t most, crd_i_cursor *cursor, crd_error *error);

/* Stores the known conditions and values. Shared by the joint tallies of distinct rows. */
void crd_i_joint_tally_note_extent(crd_i_joint_tally *joint_tally, size_t conditions, const size_t *value_counts);
/* Implement settle, unsettle and extend for types whose distinct rows need no change. */
bool crd_i_distinct_settle(crd_i_joint_tally *joint_tally, size_t column, crd_kind kind);
bool crd_i_distinct_unsettle(crd_i_joint_tally *joint_tally, size_t column);
bool crd_i_distinct_extend(crd_i_joint_tally *joint_tally, size_t conditions, const size_t *value_counts);
/* Copy the known conditions, values and kinds of another joint tally; or add those of a second one through a map. */
void crd_i_distinct_copy_extent(crd_i_joint_tally *tally, const crd_i_joint_tally *joint);
CRD_MUST_USE bool crd_i_distinct_take_extent(crd_i_joint_tally *tally, const crd_i_joint_tally *second,
                                             const crd_i_joint_tally_map *map);
/* Computes the conditions and values after those of a map are added to a joint tally. value_counts has one element
 * per column. */
size_t crd_i_joint_tally_map_extent(const crd_i_joint_tally *joint_tally, const crd_i_joint_tally_map *map,
                                    size_t *value_counts);

#endif
