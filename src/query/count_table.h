/* SPDX-License-Identifier: MIT */
/* count_table.h - the rows of a table, counted by what they have in chosen columns.
 *
 * Each different combination of cells is kept once, as the codes of its values side by side, with the number of rows
 * that have it: at most one entry a row, and far fewer where columns are categories. Every question is then a walk over
 * the combinations. */
#ifndef CRD_QUERY_COUNT_TABLE_H
#define CRD_QUERY_COUNT_TABLE_H

#include "model/frame_binding.h"
#include "query/event.h"

#include <string.h>

typedef struct crd_i_table_column {
    crd_text name;            /* owned */
    crd_kind kind;            /* NONE: no cell was present */
    size_t slot;              /* where its code stands in a combination; SIZE_MAX: it is not counted by */
    crd_i_dictionary *values; /* a category's texts, or the eight bytes of a number; NULL where it is not counted by */
    int32_t *order;           /* the values' codes in order */
    size_t *places;           /* of each code, where it stands in that order */
} crd_i_table_column;

struct crd_table {
    crd_context *context;
    crd_i_table_column *columns;
    size_t column_count;
    size_t slot_count;
    size_t *slots;                  /* of each slot, its column */
    crd_i_dictionary *combinations; /* the bytes of slot_count codes, -1 for a missing cell */
    uint64_t *counts;               /* rows of each combination */
    size_t counts_capacity;
    uint64_t rows, left_out;
    crd_i_binding binding; /* to the frames that are added */
};

/* The codes of a combination: one for each slot. */
static inline int32_t crd_i_table_code(const crd_table *table, size_t combination, size_t slot) {
    int32_t code;
    const char *bytes = crd_i_dictionary_text(table->combinations, combination).bytes + slot * sizeof code;
    memcpy(&code, bytes, sizeof code);
    return code;
}

/* A table by the named columns of which `counted` (NULL: all) are chosen. */
CRD_MUST_USE crd_status crd_i_table_create(crd_context *context, const crd_text *names, const bool *counted,
                                           size_t count, crd_table **out, crd_error *error);
/* Adds rows of a combination of codes. */
CRD_MUST_USE bool crd_i_table_count_rows(crd_table *table, const int32_t *codes, uint64_t rows);
/* Puts the values in order again after rows were added. */
CRD_MUST_USE bool crd_i_table_order(crd_table *table);

#endif
