/* SPDX-License-Identifier: MIT */
/* sequences.h - what sequences are made of, for those who make them. */
#ifndef CRD_SEQUENCE_SEQUENCES_H
#define CRD_SEQUENCE_SEQUENCES_H

#include "sequence/data/sequences_internal.h"
#include "sequence/data/step_store.h"
#include "table/frame.h"

/* What the batches of one reader have in common. */
typedef struct crd_i_sequence_columns {
    crd_context *context;
    atomic_size_t users;
    size_t count;              /* columns of observations */
    size_t *sources;           /* where they are in frames */
    size_t target;             /* the same of the target; SIZE_MAX: none */
    crd_i_dictionary **values; /* of each column and, at `count`, of the target; NULL: none yet, or no category */
    bool owns_values;
    crd_i_schema *schema;   /* owned */
    size_t *schema_columns; /* of each column */
    const char **places;    /* owned, in the order of files */
    size_t place_count, place_capacity;
    bool is_part;   /* of the rows, which may have no sequences */
    bool is_shared; /* every process of a group has the same rows */
    bool has_source;
    crd_sequence_options source; /* its texts are owned */
    size_t text_columns;         /* of the first file, whose texts are kept; 0: they are not */
} crd_i_sequence_columns;

/* NULL: out of memory. `frame_columns`: columns that frames have; which of them are observations is left open. */
crd_i_sequence_columns *crd_i_sequence_columns_create(crd_context *context, size_t frame_columns);
void crd_i_sequence_columns_release(crd_i_sequence_columns *columns);
/* Takes over the schema, whose columns have the names of the frame's. */
void crd_i_sequence_columns_set_schema(crd_i_sequence_columns *columns, const crd_frame *frame, crd_i_schema *schema);

/* From `row` on, in the order of reading, rows stand on lines that follow each other, from `line` on. */
typedef struct crd_i_line_run {
    uint64_t row, line;
    size_t place;
} crd_i_line_run;

struct crd_sequences {
    crd_context *context;
    uint64_t serial;
    crd_i_sequence_columns *columns; /* one of its users */
    crd_kind *kinds;                 /* of each column */
    size_t count;
    uint64_t *starts; /* the first step of each sequence, and the number of steps; `count` + 1 */
    size_t starts_capacity;
    crd_i_buffer ids;
    uint64_t *id_ends; /* of each sequence; NULL: there are no ids */
    size_t id_ends_capacity;

    const crd_frame *frame; /* whose rows they are; NULL: they are in the store */
    crd_i_step_store store; /* areas: the columns, and those below; SIZE_MAX: there is none */
    size_t label_area, inserted_area, row_area, time_area;
    bool is_in_order;

    crd_i_line_run *runs;
    size_t run_count, run_capacity;
    crd_i_spool texts,
        text_ends; /* of rows in the order of reading: for each cell its length, in 4 bytes, and its bytes */
    uint64_t rows_read, crowded;
    /* The median distance of successive rows, in steps and in the unit of times; 0: no row is missing, or there is no step. */
    double distance_steps, distance;
    double *latest; /* time of each sequence; NULL: there are no times, or they are those of `whole` */
    bool has_dates; /* times are dates, in seconds since 1970 */

    const crd_sequences *whole; /* that this is a selection of, which has steps and ids; NULL: none */
    size_t *chosen;             /* of each sequence its number there */
};

/* The sequences that have the steps of a sequence, whose number becomes that among them. */
static inline const crd_sequences *crd_i_sequences_whole(const crd_sequences *sequences, size_t *sequence) {
    if (sequences->whole == NULL) return sequences;
    *sequence = sequences->chosen[*sequence];
    return sequences->whole;
}

/* Bytes of a cell as it is written. A column that had no cell when the batch began has room for numbers: if it is a category, its codes
 * stand closer. What was written before are bytes that are all ones, a missing number and missing codes. */
static inline size_t crd_i_sequences_cell_bytes(const crd_sequences *sequences, size_t area) {
    bool has_codes = area < sequences->columns->count && sequences->kinds[area] == CRD_KIND_CATEGORY;
    return has_codes ? sizeof(int32_t) : sequences->store.widths[area];
}

/* Where the cells of the next steps go. */
static inline void *crd_i_sequences_cells(const crd_sequences *sequences, size_t area) {
    const crd_i_step_store *store = &sequences->store;
    return store->current + store->offsets[area] * store->block_steps +
           store->current_steps * crd_i_sequences_cell_bytes(sequences, area);
}

/* No sequence yet. */
CRD_MUST_USE crd_status crd_i_sequences_create(crd_i_sequence_columns *columns, crd_sequences **out, crd_error *error);
/* One more begins at the next step; id: bytes NULL where there are none. false: out of memory. */
CRD_MUST_USE bool crd_i_sequences_add(crd_sequences *sequences, uint64_t start, crd_text id);

/* The line run that has a row; NULL: none does. */
const crd_i_line_run *crd_i_sequences_find_run(const crd_sequences *sequences, uint64_t row);

#endif
