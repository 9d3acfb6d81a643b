/* SPDX-License-Identifier: MIT */
/* cross_validation.h - the state of a cross-validation: learning (cross_validation.c) and classifying
 * (cross_validation.c). */
#ifndef CRD_EVALUATE_CROSS_VALIDATION_H
#define CRD_EVALUATE_CROSS_VALIDATION_H

#include "cases/case_table.h"
#include "classify/posteriors.h"
#include "model/model_internal.h"

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
    crd_unlabelled_options *unlabelled;
    crd_i_case_builder *builder;
    crd_i_case_table *cases; /* after learning has finished */
};

/* Creates a frame with some rows of another frame, which must outlive it. */
CRD_MUST_USE crd_status crd_i_cross_validation_pick(const crd_frame *frame, const size_t *rows, size_t count,
                                                    crd_frame **out, crd_error *error);

/* ---- creates a model for rows in frames, as if it were trained on their reader. */

/* Creates a model without rows, with the columns of a frame. If a reader made the frame, column types are declared
 * only if they were specified by the user: subtracted rows must not leave a column type in the model. If the caller
 * made the frame, its columns define the types. In that case `weight` names its weight column, or has bytes NULL. */
CRD_MUST_USE crd_status crd_i_row_model_create(crd_context *context, const crd_frame *frame, crd_text target,
                                               crd_text weight, const crd_settings *settings, crd_model **out,
                                               crd_error *error);

#endif
