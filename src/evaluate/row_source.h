/* SPDX-License-Identifier: MIT */
/* row_source.h - the state of a row source that can be read several times. See credence/evaluate.h. */
#ifndef CRD_EVALUATE_ROW_SOURCE_H
#define CRD_EVALUATE_ROW_SOURCE_H

#include "table/column_schema.h"
#include "table/frame.h"

#include <credence/evaluate.h>

struct crd_row_source {
    crd_context *context;
    crd_reader *reader; /* NULL: the rows are frames of the caller */
    /* owned; the reader's schema before its first pass, which fixes column types; NULL for frames */
    crd_i_schema *schema;
    crd_text target;        /* owned */
    crd_text weight;        /* owned; bytes NULL: none */
    bool has_passed;        /* the first pass has finished */
    bool keeps;             /* the reader's input can be read only once, so the first pass copies its frames */
    const crd_frame **kept; /* the copies, or the caller's frames */
    size_t kept_count, kept_capacity, next;
    size_t most_rows; /* maximum number of rows per frame; 0: no maximum */
    crd_frame *piece; /* the last returned part of kept[next], which ends before row `first`; NULL: none */
    size_t first;
    crd_i_dictionary **declared; /* owned; declared values of the copies, which need not occur in the rows */
    size_t declared_count, declared_capacity;
};

/* Returns the index of the target column or of the weight column in a frame; SIZE_MAX if the frame does not have it. */
size_t crd_i_row_source_target(const crd_row_source *source, const crd_frame *frame);
size_t crd_i_row_source_weight(const crd_row_source *source, const crd_frame *frame);
/* Returns a row's weight: 1 if `weights` is SIZE_MAX, NaN if the value is missing. */
double crd_i_row_weight(const crd_frame *frame, size_t row, size_t weights);

/* Returns whether each process of a group has only a part of the rows. */
bool crd_i_row_source_is_part(const crd_row_source *source);

/* Creates a source with at most `most` of the first `among` rows of a reader, evenly spaced and stored in memory.
 * The reader has been read before. *out is NULL if the reader cannot be read again. */
CRD_MUST_USE crd_status crd_i_row_source_sample(crd_reader *reader, size_t most, size_t among, crd_row_source **out,
                                                crd_error *error);
/* Fails because a later pass returned other rows than the first one. Returns CRD_ERROR_SCHEMA_DIFFERS. */
crd_status crd_i_row_source_fail_changed(const crd_row_source *source, crd_error *error);

#endif
