/* SPDX-License-Identifier: MIT */
/* sequence_rows.h - rows of a reader's frames become steps of a batch of sequences. */
#ifndef CRD_SEQUENCE_SEQUENCE_ROWS_H
#define CRD_SEQUENCE_SEQUENCE_ROWS_H

#include "sequence/data/sequences.h"

/* From the codes of a frame's dictionary to those of all batches. */
typedef struct crd_i_code_map {
    uint64_t serial; /* of the dictionary */
    int32_t *codes;
    size_t count, capacity;
} crd_i_code_map;

/* Where rows come from. Zero-initialise but for context and reader. */
typedef struct crd_i_row_source {
    crd_context *context;
    crd_reader *reader;
    crd_i_sequence_columns *columns; /* NULL: no frame has come */
    crd_i_code_map *maps;            /* of each column and of the target */
    size_t id, time;                 /* their columns in frames; SIZE_MAX: none */
    const crd_frame *frame;          /* the latest */
    size_t input;                    /* its file */
    uint64_t *lines;                 /* of its rows */
    size_t lines_capacity;
    size_t memory_bytes;         /* of a batch */
    crd_sequence_options source; /* how sequences are found; texts are the reader's */
} crd_i_row_source;

void crd_i_row_source_clear(crd_i_row_source *source);
/* All rows come again. */
void crd_i_row_source_restart(crd_i_row_source *source);
/* The next frame; NULL at the end. CRD_RESTART as of crd_reader_next. */
CRD_MUST_USE crd_status crd_i_row_source_next(crd_i_row_source *source, crd_error *error);

/* Where no frame has come: the columns of the reader's, without rows. */
CRD_MUST_USE crd_status crd_i_row_source_take_columns(crd_i_row_source *source, crd_error *error);

/* What a batch has beside observations and labels. */
typedef struct crd_i_extra_areas {
    bool time, row, inserted;
} crd_i_extra_areas;

/* A batch without steps, for rows as those of the frame; or, like another, for steps as its own. */
CRD_MUST_USE crd_status crd_i_row_source_begin(const crd_i_row_source *source, crd_i_extra_areas extra,
                                               crd_sequences **out, crd_error *error);
CRD_MUST_USE crd_status crd_i_row_source_begin_like(const crd_sequences *like, crd_i_extra_areas extra,
                                                    crd_sequences **out, crd_error *error);
/* Rows [from .. to) of the frame are the next steps. */
CRD_MUST_USE crd_status crd_i_row_source_add(crd_i_row_source *source, size_t origin, size_t target,
                                             crd_sequences *into, crd_error *error);
/* Steps without observations. */
CRD_MUST_USE crd_status crd_i_row_source_insert(crd_sequences *into, uint64_t steps, crd_error *error);
/* The last step has been added. */
CRD_MUST_USE crd_status crd_i_row_source_end(crd_sequences *into, crd_error *error);

/* Adds the file and the line of a row of the frame to an error. */
void crd_i_row_source_place(const crd_i_row_source *source, size_t row, crd_error *error);

#endif
