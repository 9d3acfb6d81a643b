/* SPDX-License-Identifier: MIT */
/* sequences.h - data structures of sequences, for the modules that create them. */
#ifndef CRD_SEQUENCE_SEQUENCES_H
#define CRD_SEQUENCE_SEQUENCES_H

#include "sequence/data/sequences_internal.h"
#include "sequence/data/step_store.h"
#include "table/frame.h"

/* Column information shared by all batches of one reader (reference-counted). */
typedef struct crd_i_sequence_columns {
    crd_context *context;
    atomic_size_t users;
    size_t count;    /* number of observation columns */
    size_t *sources; /* their positions in frames */
    size_t target;   /* position of the target in frames; SIZE_MAX: none */
    /* values of each column and, at index `count`, of the target; NULL: no value yet, or not categorical */
    crd_i_dictionary **values;
    bool owns_values;
    crd_i_schema *schema;   /* owned */
    size_t *schema_columns; /* for each column: its position in the schema */
    const char **places;    /* file names, owned, in the order of reading */
    size_t place_count, place_capacity;
    bool is_part;   /* only a part of the rows was read, which may contain no sequences */
    bool is_shared; /* every process of a group has the same rows */
    bool has_source;
    crd_sequence_options source; /* the texts are owned */
    /* number of text columns of the first file, whose texts are stored; 0: texts are not stored */
    size_t text_columns;
} crd_i_sequence_columns;

/* Creates column information for frames with `frame_columns` columns. The caller decides which of them are
 * observations. Returns NULL if out of memory. */
crd_i_sequence_columns *crd_i_sequence_columns_create(crd_context *context, size_t frame_columns);
void crd_i_sequence_columns_release(crd_i_sequence_columns *columns);
/* Sets the schema and takes ownership of it. Its columns have the names of the frame's columns. */
void crd_i_sequence_columns_set_schema(crd_i_sequence_columns *columns, const crd_frame *frame, crd_i_schema *schema);

/* From `row` on, in reading order, rows are on consecutive lines, beginning with `line`. */
typedef struct crd_i_line_run {
    uint64_t row, line;
    size_t place;
} crd_i_line_run;

struct crd_sequences {
    crd_context *context;
    uint64_t serial;
    crd_i_sequence_columns *columns; /* counted reference */
    crd_kind *kinds;                 /* type of each column */
    size_t count;
    uint64_t *starts; /* first step of each sequence, then the number of steps; `count` + 1 entries */
    size_t starts_capacity;
    crd_i_buffer ids;
    uint64_t *id_ends; /* end of each sequence's id in `ids`; NULL: no ids */
    size_t id_ends_capacity;

    const crd_frame *frame; /* the frame that contains the steps; NULL: the steps are in the store */
    crd_i_step_store store; /* areas: the columns, then the optional areas below; SIZE_MAX: absent */
    size_t label_area, inserted_area, row_area, time_area;
    bool is_in_order;

    crd_i_line_run *runs;
    size_t run_count, run_capacity;
    /* texts of rows, in reading order: for each cell a 4-byte length, then the bytes; and the end of each row's texts */
    crd_i_spool texts, text_ends;
    uint64_t rows_read, crowded;
    /* Median distance between successive rows, in steps and in the unit of times; 0: no row is missing, or there is no
     * step. */
    double distance_steps, distance;
    double *latest; /* latest time of each sequence; NULL: no times, or `whole` has them */
    bool has_dates; /* times are dates, in seconds since 1970 */

    const crd_sequences *whole; /* if this is a selection: the sequences that own the steps and ids; otherwise NULL */
    size_t *chosen;             /* for each selected sequence: its index in `whole` */
};

/* Returns the sequences that own the steps of a sequence, and sets *sequence to its index there. */
static inline const crd_sequences *crd_i_sequences_whole(const crd_sequences *sequences, size_t *sequence) {
    if (sequences->whole == NULL) return sequences;
    *sequence = sequences->chosen[*sequence];
    return sequences->whole;
}

/* Returns the number of bytes per value in an area. A column without any value when the batch began has room for
 * numbers. If it turns out to be categorical, its codes use only part of that room. The values written before are bytes
 * 0xFF, which mean missing both as numbers and as codes. */
static inline size_t crd_i_sequences_cell_bytes(const crd_sequences *sequences, size_t area) {
    bool has_codes = area < sequences->columns->count && sequences->kinds[area] == CRD_KIND_CATEGORY;
    return has_codes ? sizeof(int32_t) : sequences->store.widths[area];
}

/* Returns where the values of the next steps are to be written. */
static inline void *crd_i_sequences_cells(const crd_sequences *sequences, size_t area) {
    const crd_i_step_store *store = &sequences->store;
    return store->current + store->offsets[area] * store->block_steps +
           store->current_steps * crd_i_sequences_cell_bytes(sequences, area);
}

/* Creates an empty batch. */
CRD_MUST_USE crd_status crd_i_sequences_create(crd_i_sequence_columns *columns, crd_sequences **out, crd_error *error);
/* Adds a sequence that begins at step `start`; id.bytes is NULL if there are no ids. Returns false if out of memory. */
CRD_MUST_USE bool crd_i_sequences_add(crd_sequences *sequences, uint64_t start, crd_text id);

/* Returns the line run that contains a row; NULL: none. */
const crd_i_line_run *crd_i_sequences_find_run(const crd_sequences *sequences, uint64_t row);

#endif
