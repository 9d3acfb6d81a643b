/* SPDX-License-Identifier: MIT */
/* cross_validation.h - the state of a cross-validation, which learns and classifies rows by fold, and the state of a
 * row source. */
#ifndef CRD_EVALUATE_CROSS_VALIDATION_H
#define CRD_EVALUATE_CROSS_VALIDATION_H

#include "cases/case_table.h"
#include "classify/posteriors.h"
#include "model/model_internal.h"
#include "table/column_schema.h"
#include "table/frame.h"

#include <credence/evaluate.h>

typedef struct crd_i_fold {
    crd_model *model;           /* model of its rows; NULL: no rows */
    crd_model *others;          /* model of the other rows, kept if several settings are tried; else NULL */
    crd_i_fit_cache posteriors; /* held-out posteriors of the other rows for a calibration; see crd_model */
    crd_classifier *classifier; /* classifier of the other rows, created when it is first needed */
    int32_t *classes;           /* maps classes of the classifier to classes of all rows */
} crd_i_fold;

struct crd_cross_validation {
    crd_context *context;
    crd_text target; /* owned */
    crd_text weight; /* owned; weight column of frames that were not made by a reader; bytes NULL: none */
    crd_settings *settings;
    crd_i_kept kept;  /* statistics to keep in addition to those that the settings need */
    bool is_reused;   /* several settings are tried */
    unsigned threads; /* number of threads that classify */
    crd_model *blank; /* model without rows, created from the columns of the first frame */
    crd_i_fold *folds;
    size_t fold_count, folds_capacity;
    crd_model *whole;          /* model of all rows; NULL until learning has finished */
    crd_i_dictionary *classes; /* classes of all rows, in order */
    crd_posteriors **parts;    /* for each thread, the posteriors of the fold that it classifies */
    unsigned part_count;
    size_t *rows;   /* rows of the current frame, sorted by fold */
    size_t *starts; /* start of each fold in `rows` */
    size_t rows_capacity, starts_capacity;
    uint32_t failed_fold; /* first fold that failed in the last classification */
    /* Only if unlabeled rows are learned: the options, and all rows with an additional fold column. Else NULL. */
    crd_unlabeled_options *unlabeled;
    crd_i_case_builder *builder;
    crd_i_case_table *cases; /* after learning has finished */
};

/* Creates a frame with some rows of another frame, which must outlive it. */
CRD_MUST_USE crd_status crd_i_cross_validation_pick(const crd_frame *frame, const size_t *rows, size_t count,
                                                    crd_frame **out, crd_error *error);

/* ======== Row models ========
 *
 * A row model is created from frames as if it were trained on their reader. */

/* Creates a model without rows, with the columns of a frame. If a reader made the frame, column types are declared
 * only if they were specified by the user: subtracted rows must not leave a column type in the model. If the caller
 * made the frame, its columns define the types. In that case `weight` names its weight column, or has bytes NULL. */
CRD_MUST_USE crd_status crd_i_row_model_create(crd_context *context, const crd_frame *frame, crd_text target,
                                               crd_text weight, const crd_settings *settings, crd_model **out,
                                               crd_error *error);

/* ======== Row source ========
 *
 * The rows of a source can be read several times: see credence/evaluate.h. */

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
