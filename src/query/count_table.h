/* SPDX-License-Identifier: MIT */
/* count_table.h - a table of counts: the number of rows for each combination of values in chosen columns.
 *
 * Each distinct combination is stored once, as the codes of its values and the number of rows that have it. There is at
 * most one entry per row, and there are far fewer if the columns are categorical. Every query is a loop over the
 * combinations. */
#ifndef CRD_QUERY_COUNT_TABLE_H
#define CRD_QUERY_COUNT_TABLE_H

#include "model/frame_binding.h"
#include "query/event.h"

#include <string.h>

typedef struct crd_i_table_column {
    crd_text name; /* owned */
    crd_kind kind; /* NONE: no value was present */
    size_t slot;   /* position of the column's code in a combination; SIZE_MAX: the column is not counted */
    /* texts of a categorical column, or the 8 bytes of each number; NULL if the column is not counted */
    crd_i_dictionary *values;
    int32_t *order; /* codes of the values in ascending order */
    size_t *places; /* for each code, its position in `order` */
} crd_i_table_column;

struct crd_table {
    crd_context *context;
    crd_i_table_column *columns;
    size_t column_count;
    size_t slot_count;
    size_t *slots;                  /* the column of each slot */
    crd_i_dictionary *combinations; /* slot_count codes as bytes; -1 for a missing value */
    uint64_t *counts;               /* number of rows of each combination */
    size_t counts_capacity;
    uint64_t rows, left_out;
    crd_i_binding binding; /* finds the columns in the frames that are added */
};

/* Returns the code in one slot of a combination, or -1 for a missing value. */
static inline int32_t crd_i_table_code(const crd_table *table, size_t combination, size_t slot) {
    int32_t code;
    const char *bytes = crd_i_dictionary_text(table->combinations, combination).bytes + slot * sizeof code;
    memcpy(&code, bytes, sizeof code);
    return code;
}

/* Creates an empty table for the named columns. `counted` marks the columns to count; NULL: all of them. */
CRD_MUST_USE crd_status crd_i_table_create(crd_context *context, const crd_text *names, const bool *counted,
                                           size_t count, crd_table **out, crd_error *error);
/* Adds `rows` to the count of a combination of codes, and adds the combination if it is new. Returns false if memory
 * runs out. */
CRD_MUST_USE bool crd_i_table_count_rows(crd_table *table, const int32_t *codes, uint64_t rows);
/* Updates the order of the values. Must be called after rows were added. Returns false if memory runs out. */
CRD_MUST_USE bool crd_i_table_order(crd_table *table);

#endif
