/* SPDX-License-Identifier: MIT */
/* case_table.h - the rows of a table, coded in memory, for algorithms that read all rows repeatedly: structure
 * scores, independence tests, EM.
 *
 * Rows are distinct, each with a weight, and sorted by content: column by column, codes before missing cells,
 * numbers ascending, missing numbers last. Columns are sorted by the bytes of their names, states in the order in
 * which models show them. Therefore results computed from a case table do not depend on the order of rows, columns
 * or files, nor on threads. */
#ifndef CRD_TABLE_CASE_TABLE_H
#define CRD_TABLE_CASE_TABLE_H

#include "table/column_schema.h"

/* Codes of a missing cell, by width. */
#define CRD_I_CASE_MISSING8 UINT8_MAX
#define CRD_I_CASE_MISSING16 UINT16_MAX
#define CRD_I_CASE_MISSING32 UINT32_MAX

typedef struct crd_i_case_column {
    crd_text name;        /* owned */
    crd_column_type type; /* CATEGORY or NUMBER; a column without cells is a CATEGORY without states */
    size_t state_count;
    crd_text *states; /* owned; their bytes are in one block: see state_bytes */
    char *state_bytes;
    /* For a CATEGORY exactly one of these is set: the narrowest in which the value with all bits set is not a state.
     * For a NUMBER none is set. */
    uint8_t *codes8;
    uint16_t *codes16;
    uint32_t *codes32;
    double *numbers; /* for a NUMBER; NaN if missing; never -0 */
    crd_text *texts; /* for a TEXT, which only stored training rows have; without bytes if missing; not owned */
    bool has_missing;
    bool has_intervals; /* its states are intervals, sorted */
} crd_i_case_column;

typedef struct crd_i_case_table {
    crd_context *context;
    size_t rows, column_count;
    crd_i_case_column *columns;
    double *weights;         /* one per row, above 0; NULL if all are 1 */
    size_t target;           /* target column; SIZE_MAX: none */
    double total;            /* sum of weights */
    crd_i_group *group;      /* the processes that have the same table and compute from it together; NULL: none */
    bool has_borrowed_names; /* the names and states of the columns belong to another table */
} crd_i_case_table;

void crd_i_case_table_destroy(crd_i_case_table *table); /* NULL is allowed */

/* Drops the columns that are not marked in `stays`. Rows that become equal are merged. On failure the table can only
 * be destroyed. */
CRD_MUST_USE crd_status crd_i_case_table_keep(crd_i_case_table *table, const bool *stays, crd_error *error);

/* Copies `count` rows of a table, in the given order, without their names and states: `table` must outlive *out.
 * `weights` has the weight of each row of `table`; NULL: the table's own. */
CRD_MUST_USE crd_status crd_i_case_table_select(const crd_i_case_table *table, const double *weights,
                                                const uint32_t *rows, size_t count, crd_i_case_table **out,
                                                crd_error *error);

/* Returns the index of the column with this name; SIZE_MAX: none. */
size_t crd_i_case_table_find(const crd_i_case_table *table, crd_text name);

/* Returns the code of a cell of a CATEGORY, CRD_I_CASE_MISSING32 if it is missing. */
static inline uint32_t crd_i_case_code(const crd_i_case_column *column, size_t row) {
    if (column->codes8 != NULL)
        return column->codes8[row] == CRD_I_CASE_MISSING8 ? CRD_I_CASE_MISSING32 : column->codes8[row];
    if (column->codes16 != NULL)
        return column->codes16[row] == CRD_I_CASE_MISSING16 ? CRD_I_CASE_MISSING32 : column->codes16[row];
    return column->codes32[row];
}

static inline double crd_i_case_weight(const crd_i_case_table *table, size_t row) {
    return table->weights == NULL ? 1 : table->weights[row];
}

/* ---- For code that builds case tables ---- */

/* Creates a table with columns without names, types or cells, and without rows. NULL: out of memory. */
crd_i_case_table *crd_i_case_table_create(crd_context *context, size_t columns);
/* Sets a column's name, which is copied. false: out of memory, as in the functions below. */
CRD_MUST_USE bool crd_i_case_column_name(const crd_i_case_table *table, size_t column, crd_text name);
/* Copies the texts with these dictionary codes. They become states 0, 1, ... */
CRD_MUST_USE bool crd_i_case_column_states(const crd_i_case_table *table, size_t column, const crd_i_dictionary *texts,
                                           const int32_t *codes, size_t count);
/* Allocates codes for `rows` rows, as wide as the states of the column require, without initializing them. */
CRD_MUST_USE bool crd_i_case_column_codes(const crd_i_case_table *table, size_t column, size_t rows);
static inline void crd_i_case_put(crd_i_case_column *column, size_t row, uint32_t code) {
    if (column->codes8 != NULL) column->codes8[row] = (uint8_t)code;
    else if (column->codes16 != NULL) column->codes16[row] = (uint16_t)code;
    else column->codes32[row] = code;
}
/* Replaces the rows by the given ones, which may repeat, column by column. The weights stay as they are. On failure the
 * table can only be destroyed. */
CRD_MUST_USE bool crd_i_case_table_gather(crd_i_case_table *table, const uint32_t *rows, size_t count);
/* Sorts the rows, merges equal rows, drops rows with weight 0, and fills in has_missing and total. Sets `weights` to
 * NULL if all are 1. There must be less than 2^32 - 1 rows. On failure the table can only be destroyed. */
CRD_MUST_USE crd_status crd_i_case_table_arrange(crd_i_case_table *table, crd_error *error);

#endif
