/* SPDX-License-Identifier: MIT */
/* counted_rows.h - contingency tables of a case table's categories.
 *
 * The rows of each state are a set of bits, where there are few states: cells are then counted by intersection, 64 rows at a
 * time and more. Else rows are counted one by one, through the number of their cell. Rows whose weights are whole numbers
 * that are not much more than rows stand for themselves, as often as their weight has it.
 *
 * Rows with a missing cell in one of the columns are in no cell of a table. */
#ifndef CRD_STRUCTURE_COUNTED_ROWS_H
#define CRD_STRUCTURE_COUNTED_ROWS_H

#include "cases/case_table.h"
#include "math/simd/bit_counts.h"

typedef struct crd_i_state_rows {
    size_t states; /* at least 1 */
    bool has_missing;
    /* One of them, as in case tables: the case table's, or of repeated rows. */
    const uint8_t *codes8;
    const uint16_t *codes16;
    const uint32_t *codes32;
    void *owned;
    uint64_t *sets; /* of each state, `words` words; NULL: too many states */
} crd_i_state_rows;

/* Immutable. */
typedef struct crd_i_counted_rows {
    crd_context *context;
    const crd_i_case_table *table;
    size_t rows, words;
    bool is_whole;             /* weights are whole numbers, and all together below 2^32 */
    uint32_t *weights;         /* of each row, where they are whole; NULL: all 1 */
    crd_i_state_rows *columns; /* without states for numbers */
    crd_i_bit_counts *count_bits;
    size_t most_sets; /* to intersect, in the time that counting rows one by one takes */
} crd_i_counted_rows;

/* The table outlives it. */
CRD_MUST_USE crd_status crd_i_counted_rows_create(const crd_i_case_table *table, crd_i_counted_rows **out,
                                                  crd_error *error);
void crd_i_counted_rows_destroy(crd_i_counted_rows *counted); /* NULL is fine */

/* What one thread counts in: tables of the same columns, its base, each with a further one. */
typedef struct crd_i_counter crd_i_counter;

CRD_MUST_USE crd_status crd_i_counter_create(const crd_i_counted_rows *counted, crd_i_counter **out, crd_error *error);
void crd_i_counter_destroy(crd_i_counter *counter); /* NULL is fine */

/* Cells of a table that is worth counting densely. */
size_t crd_i_counter_most_cells(const crd_i_counted_rows *counted);

/* Sets the base; weights have to be whole and its cells no more than most_cells and 65,534. The last column's states come
 * first: cell (i, j) of columns a and b is i * states of b + j. No columns are one cell. `cells` is how many rows each has;
 * it lives until the next base. */
CRD_MUST_USE crd_status crd_i_counter_set_base(crd_i_counter *counter, const uint32_t *columns, size_t count,
                                               const uint32_t **cells, size_t *cell_count, crd_error *error);
/* The table of the base and another column: counts[cell * states + state]; it lives until the next call. */
CRD_MUST_USE crd_status crd_i_counter_count(crd_i_counter *counter, size_t column, const uint32_t **counts,
                                            crd_error *error);

/* Combinations of any columns' states that rows have, numbered in the order of the rows of the case table, whatever the order
 * of the columns; in memory of a few words a row. */
typedef struct crd_i_row_combinations {
    size_t count;
    const uint32_t *of_rows; /* of each row of the case table; UINT32_MAX: a cell is missing */
    const double *weights;   /* of each combination */
} crd_i_row_combinations;

/* Lives until the next call. Extends the latest one by a column, or begins with one where `extends` is false; SIZE_MAX: by
 * none, all rows are of one combination. */
CRD_MUST_USE crd_status crd_i_counter_combine(crd_i_counter *counter, size_t column, bool extends,
                                              crd_i_row_combinations *out, crd_error *error);

#endif
