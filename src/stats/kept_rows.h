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

#include "base/buffer.h"
#include "base/byte_codec.h"
#include "stats/joint_tally.h"
#include "table/case_table.h"

enum { CRD_I_ROWS_MOST = 65536, CRD_I_ROWS_MOST_CELLS = 1 << 23, CRD_I_TABLE_MOST_CELLS = 1 << 26 };

/* Returns the maximum number of distinct rows stored for this number of columns. */
size_t crd_i_rows_most(size_t columns);

/* The stored rows in a fixed order, sorted by hash, as a case table. Conditions and values are positions in the view
 * passed to crd_i_sample_init. crd_i_sample_clear frees it and also accepts a zeroed struct. */
typedef struct crd_i_sample {
    crd_context *context;
    /* The columns of the joint tally, without names and states, and then the conditions, which are the target. Codes
     * have 32 bits; texts are bags. A column that never had a cell has no array. The weights are rounded once. */
    crd_i_case_table *table;
    size_t condition_count;
    char *bags;       /* the memory that texts point into */
    uint64_t *hashes; /* of each row's content: names of the condition and values, and numbers */
    double *seen;     /* for each condition, the weight of all rows, stored or not */
    bool is_complete; /* no row was dropped */
} crd_i_sample;

/* Fills in the sample. false: out of memory. */
CRD_MUST_USE bool crd_i_sample_init(crd_i_sample *sample, crd_context *context, const crd_i_joint_tally *rows,
                                    const crd_i_joint_tally_view *view);
void crd_i_sample_clear(crd_i_sample *sample);

/* Codes are the same bits as signed numbers, in which -1 means missing. */
static inline int32_t *crd_i_sample_conditions(const crd_i_sample *sample) {
    return (int32_t *)sample->table->columns[sample->table->target].codes32;
}

static inline crd_i_cells crd_i_sample_cells(const crd_i_sample *sample, size_t column) {
    const crd_i_case_column *source = &sample->table->columns[column];
    return (crd_i_cells){.rows = sample->table->rows,
                         .numbers = source->numbers,
                         .codes = (const int32_t *)source->codes32,
                         .texts = source->texts,
                         .are_bags = source->texts != NULL};
}

/* ======== Stored texts ========
 *
 * The distinct texts of the stored training rows, as bags of terms (text/tokens.h), indexed by a hash of their bytes.
 *
 * A row stores the hash instead of the text, so rows with texts are short. The hash is not keyed, because it is
 * written to files and used to sample rows. If two bags have the same hash, the smaller one by bytes is kept. */

/* Rows are stored while their bags together do not exceed this number of bytes. */
enum { CRD_I_BAGS_MOST_BYTES = 1 << 26 };

typedef struct crd_i_kept_bag {
    uint64_t key;
    size_t offset, length; /* its bytes in `bytes` */
} crd_i_kept_bag;

/* Zero-initialize it, then set the contexts of the struct and of `bytes`. */
typedef struct crd_i_kept_bags {
    crd_context *context;
    crd_i_buffer bytes;
    crd_i_kept_bag *bags; /* in insertion order */
    size_t count, capacity;
    uint32_t *places; /* hash table, at least twice as large as `bags`: 1 + index of a bag, or 0 */
    unsigned place_bits;
} crd_i_kept_bags;

void crd_i_kept_bags_clear(crd_i_kept_bags *bags);
/* Returns the key of a bag; never UINT64_MAX. */
uint64_t crd_i_kept_bag_key(crd_text bag);
/* Stores a copy of a bag. false: out of memory. */
CRD_MUST_USE bool crd_i_kept_bags_add(crd_i_kept_bags *bags, uint64_t key, crd_text bag);
/* Returns the bag of a key; bytes NULL: there is none. */
crd_text crd_i_kept_bags_find(const crd_i_kept_bags *bags, uint64_t key);

/* Writes the bags of these keys, which are distinct and ascending. First come all terms, sorted by bytes and
 * front-coded, then for each bag the delta-coded term numbers and their counts. */
void crd_i_kept_bags_write(const crd_i_kept_bags *bags, const uint64_t *keys, size_t count, crd_i_encoder *encoder);
/* Reads the bags for the keys that were written. CRD_ERROR_DAMAGED: a bag does not match its key. */
CRD_MUST_USE crd_status crd_i_kept_bags_read(crd_i_kept_bags *bags, const uint64_t *keys, size_t count,
                                             crd_i_cursor *cursor, crd_error *error);

/* ======== Distinct rows ========
 *
 * The distinct rows of a joint tally, each with the exact sum of its weights.
 *
 * A row consists of words: for each column of the joint tally one word, a category's number, or two, the bits of a
 * number. The last word is the condition. A missing cell has all bits set. Rows are found with a hash keyed by the
 * address of the table, so no input can force collisions. No result depends on the hash. */

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
bool crd_i_distinct_settle(crd_i_joint_tally *joint_tally, size_t column, crd_column_type type);
bool crd_i_distinct_unsettle(crd_i_joint_tally *joint_tally, size_t column);
bool crd_i_distinct_extend(crd_i_joint_tally *joint_tally, size_t conditions, const size_t *value_counts);
/* Copy the known conditions, values and types of another joint tally; or add those of a second one through a map. */
void crd_i_distinct_copy_extent(crd_i_joint_tally *tally, const crd_i_joint_tally *joint);
CRD_MUST_USE bool crd_i_distinct_take_extent(crd_i_joint_tally *tally, const crd_i_joint_tally *second,
                                             const crd_i_joint_tally_map *map);

#endif
