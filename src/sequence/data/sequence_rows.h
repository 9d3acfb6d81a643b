/* SPDX-License-Identifier: MIT */
/* sequence_rows.h - converts the rows of a reader's frames into the steps of a batch of sequences. */
#ifndef CRD_SEQUENCE_SEQUENCE_ROWS_H
#define CRD_SEQUENCE_SEQUENCE_ROWS_H

#include "sequence/data/sequences.h"

/* Maps the codes of a frame's dictionary to the codes shared by all batches. */
typedef struct crd_i_code_map {
    uint64_t serial; /* serial number of the dictionary */
    int32_t *codes;
    size_t count, capacity;
} crd_i_code_map;

/* The source of rows. Initialize to zero with `context` and `reader` set. */
typedef struct crd_i_row_source {
    crd_context *context;
    crd_reader *reader;
    crd_i_sequence_columns *columns; /* NULL: no frame has been read yet */
    crd_i_code_map *maps;            /* for each column, and for the target */
    size_t id, time;                 /* columns of the id and the time in frames; SIZE_MAX: none */
    const crd_frame *frame;          /* the latest frame */
    size_t input;                    /* index of the frame's file */
    uint64_t *lines;                 /* line numbers of the frame's rows */
    size_t lines_capacity;
    size_t memory_bytes;         /* memory limit of a batch */
    crd_sequence_options source; /* how sequences are found; the reader owns the texts */
} crd_i_row_source;

void crd_i_row_source_clear(crd_i_row_source *source);
/* Resets the source: all rows will be read again. */
void crd_i_row_source_restart(crd_i_row_source *source);
/* Reads the next frame; NULL at the end. Returns CRD_RESTART under the same conditions as crd_reader_next. */
CRD_MUST_USE crd_status crd_i_row_source_next(crd_i_row_source *source, crd_error *error);

/* Sets up the columns from the reader if no frame has been read. The frame then has no rows. */
CRD_MUST_USE crd_status crd_i_row_source_take_columns(crd_i_row_source *source, crd_error *error);

/* Optional areas of a batch, in addition to observations and labels. */
typedef struct crd_i_extra_areas {
    bool time, row, inserted;
} crd_i_extra_areas;

/* Create a batch without steps: for rows like the source's frame, or for steps like another batch. */
CRD_MUST_USE crd_status crd_i_row_source_begin(const crd_i_row_source *source, crd_i_extra_areas extra,
                                               crd_sequences **out, crd_error *error);
CRD_MUST_USE crd_status crd_i_row_source_begin_like(const crd_sequences *like, crd_i_extra_areas extra,
                                                    crd_sequences **out, crd_error *error);
/* Appends the rows from `origin` to `target` - 1 of the frame as steps. */
CRD_MUST_USE crd_status crd_i_row_source_add(crd_i_row_source *source, size_t origin, size_t target,
                                             crd_sequences *into, crd_error *error);
/* Appends steps without observations. */
CRD_MUST_USE crd_status crd_i_row_source_insert(crd_sequences *into, uint64_t steps, crd_error *error);
/* Finishes the batch after its last step. */
CRD_MUST_USE crd_status crd_i_row_source_end(crd_sequences *into, crd_error *error);

/* Adds the file and line of a frame row to an error. */
void crd_i_row_source_place(const crd_i_row_source *source, size_t row, crd_error *error);

#endif
