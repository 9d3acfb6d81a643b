/* SPDX-License-Identifier: MIT */
/* counted_rows.h - contingency tables of the categorical columns of a case table.
 *
 * If a column has few states, the rows of each state are stored as a bit set. Table entries are then counted by
 * intersection, 64 rows or more at a time. Otherwise the rows are counted one by one, using the number of each row's
 * table entry. Rows whose weights are whole numbers are repeated by weight, unless that would multiply their number too
 * much.
 *
 * A row with a missing value in a column of the table is not counted. */
#ifndef CRD_STRUCTURE_COUNTED_ROWS_H
#define CRD_STRUCTURE_COUNTED_ROWS_H

#include "math/simd/bit_counts.h"

#include "base/arena.h"
#include "table/case_table.h"

typedef struct crd_i_state_rows {
    size_t states; /* at least 1 */
    bool has_missing;
    /* The codes of the states; exactly one pointer is not NULL, as in case tables. They belong to the case table,
     * unless rows are repeated. */
    const uint8_t *codes8;
    const uint16_t *codes16;
    const uint32_t *codes32;
    uint64_t *sets; /* for each state a set of `words` words; NULL: not represented by sets */
} crd_i_state_rows;

/* The rows of a case table, prepared for counting. Immutable. */
typedef struct crd_i_counted_rows {
    crd_i_arena *arena;
    crd_context *context;
    const crd_i_case_table *table;
    size_t rows, words;
    bool is_whole;             /* all weights are whole numbers, and their sum is below 2^32 */
    uint32_t *weights;         /* row weights if they are whole numbers and rows are not repeated; NULL: every row
                                * counts 1 */
    crd_i_state_rows *columns; /* one per table column; `states` is 0 for numeric columns */
    crd_i_bit_counts *count_bits;
    size_t most_sets; /* with more intersections than this, counting row by row is faster */
} crd_i_counted_rows;

/* Prepares the rows of `table` for counting. The table must outlive the result. */
CRD_MUST_USE crd_status crd_i_counted_rows_create(const crd_i_case_table *table, crd_i_counted_rows **out,
                                                  crd_error *error);
void crd_i_counted_rows_destroy(crd_i_counted_rows *counted); /* NULL is allowed */

/* A counter, used by one thread. It counts tables of the same columns, its base, each with one additional column. */
typedef struct crd_i_counter crd_i_counter;

CRD_MUST_USE crd_status crd_i_counter_create(const crd_i_counted_rows *counted, crd_i_counter **out, crd_error *error);
void crd_i_counter_destroy(crd_i_counter *counter); /* NULL is allowed */

/* Returns the largest number of table entries for which dense counting pays. */
size_t crd_i_counter_most_cells(const crd_i_counted_rows *counted);

/* Sets the base columns. Weights must be whole numbers, and the base table must have at most 65,534 entries and at
 * most crd_i_counter_most_cells. The states of the last column vary fastest: with columns a and b, entry (i, j) is
 * number i * (states of b) + j. Without columns there is one entry. Sets *cells to the row counts of the entries,
 * which are valid until the next base is set, and *cell_count to their number. Returns CRD_ERROR_ARGUMENT if the
 * base has no dense table. */
CRD_MUST_USE crd_status crd_i_counter_set_base(crd_i_counter *counter, const uint32_t *columns, size_t count,
                                               const uint32_t **cells, size_t *cell_count, crd_error *error);
/* Counts the table of the base and one more column: counts[entry * states + state]. *counts is valid until the next
 * call. */
CRD_MUST_USE crd_status crd_i_counter_count(crd_i_counter *counter, size_t column, const uint32_t **counts,
                                            crd_error *error);

/* The combinations of states of any number of columns that occur in the rows. They are numbered in the order in
 * which they first occur in the case table, whatever the order of the columns. The memory is a few words per row. */
typedef struct crd_i_row_combinations {
    size_t count;
    const uint32_t *of_rows; /* combination of each row of the case table; UINT32_MAX: a value is missing */
    const double *weights;   /* weight of each combination */
} crd_i_row_combinations;

/* Extends the last combinations by a column. If `extends` is false, starts from one combination for all rows
 * instead; with column SIZE_MAX no column is added. *out is valid until the next call. */
CRD_MUST_USE crd_status crd_i_counter_combine(crd_i_counter *counter, size_t column, bool extends,
                                              crd_i_row_combinations *out, crd_error *error);

/* ======== Partitions of rows ========
 *
 * The rows of a case table are divided by the states of categorical columns. */

#define CRD_I_NO_PART UINT32_MAX

/* ids[row] is the part of a row; CRD_I_NO_PART if a value is missing. */
typedef struct crd_i_row_partition {
    uint32_t *ids;
    size_t parts;
} crd_i_row_partition;

/* Returns the number of hash table slots for the parts of `rows` rows. */
size_t crd_i_row_partition_slots(size_t rows);
/* Divides the parts of `partition` by the states of one more column. The result, in row_partition, numbers the parts
 * in the order of their first rows. `slots` has room for crd_i_row_partition_slots numbers, `keys` for one number
 * per row. `partition` and `row_partition` must not share their ids. */
void crd_i_row_partition_divide(const crd_i_case_table *table, const crd_i_row_partition *partition, size_t column,
                                crd_i_row_partition *row_partition, uint64_t *keys, uint32_t *slots);

/* ======== Complete rows ======== */

/* Creates a table of the complete rows, if some rows are incomplete and the complete rows are at least half of all.
 * Otherwise sets *out to NULL. `table` must outlive *out.
 *
 * All families then use the same rows, and scores behave as for complete tables: equivalent structures have equal
 * scores. Differences between rows are not mistaken for differences between structures; such differences grow with
 * the square root of the number of rows, while penalties grow with its logarithm. If fewer rows are complete, too
 * many would be lost: see structure_search.h. */
CRD_MUST_USE crd_status crd_i_complete_rows_create(const crd_i_case_table *table, crd_i_case_table **out,
                                                   crd_error *error);

#endif
