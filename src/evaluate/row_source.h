/* SPDX-License-Identifier: MIT */
/* row_source.h - what a source of rows for several passes is made of. See credence/evaluate.h. */
#ifndef CRD_EVALUATE_ROW_SOURCE_H
#define CRD_EVALUATE_ROW_SOURCE_H

#include "table/column_schema.h"
#include "table/frame.h"

#include <credence/evaluate.h>

struct crd_row_source {
    crd_context *context;
    crd_reader *reader;     /* NULL: frames of the caller */
    crd_i_schema *schema;   /* owned: the reader's before its first pass, which settles kinds; NULL with frames */
    crd_text target;        /* owned */
    crd_text weight;        /* owned; bytes NULL: none */
    bool has_passed;        /* the first pass is over */
    bool keeps;             /* the reader's input can be read once only: the first pass keeps copies of its frames */
    const crd_frame **kept; /* those copies, or the caller's frames */
    size_t kept_count, kept_capacity, next;
    size_t most_rows; /* of a frame; 0: as many as come */
    crd_frame *piece; /* the rows of kept[next] before `from` that were handed out last; NULL: none */
    size_t first;
    crd_i_dictionary **declared; /* owned: of the copies, values that cells need not have */
    size_t declared_count, declared_capacity;
};

/* Where the target is among a frame's columns, and the weight; SIZE_MAX: nowhere. */
size_t crd_i_row_source_target(const crd_row_source *source, const crd_frame *frame);
size_t crd_i_row_source_weight(const crd_row_source *source, const crd_frame *frame);
/* A row's weight: 1 where `weights` is SIZE_MAX. NaN where its cell is missing. */
double crd_i_row_weight(const crd_frame *frame, size_t row, size_t weights);

/* Whether each process of a group has a part of the rows, rather than all of them. */
bool crd_i_row_source_is_part(const crd_row_source *source);

/* Of the first `among` rows of a reader, which has been read before, at most `most`, evenly spread, kept in memory. NULL
 * where the reader cannot be read again. */
CRD_MUST_USE crd_status crd_i_row_source_sample(crd_reader *reader, size_t most, size_t among, crd_row_source **out,
                                                crd_error *error);
/* Rows of a later pass that are not those of the first. */
crd_status crd_i_row_source_fail_changed(const crd_row_source *source, crd_error *error);

#endif
