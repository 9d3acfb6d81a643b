/* SPDX-License-Identifier: MIT */
/* cross_validation.h - cross-validation, which learns and classifies rows by fold, and the state of a row source. */
#ifndef CRD_EVALUATE_CROSS_VALIDATION_H
#define CRD_EVALUATE_CROSS_VALIDATION_H

#include "cases/case_builder.h"
#include "classify/posteriors.h"
#include "model/model_internal.h"
#include "table/column_schema.h"
#include "table/frame.h"
#include "table/read/reader.h"

#include <credence/evaluate.h>

typedef struct crd_i_fold {
    crd_model *model;           /* model of its rows; NULL: no rows */
    crd_model *others;          /* model of the other rows, kept if several settings are tried; else NULL */
    crd_i_fit_cache posteriors; /* held-out posteriors of the other rows for a calibration; see crd_model */
    crd_classifier *classifier; /* classifier of the other rows, created when it is first needed */
    int32_t *classes;           /* maps classes of the classifier to classes of all rows */
} crd_i_fold;

/* A cross-validation: the statistics of each fold, and the settings that predict. */
typedef struct crd_i_cross_validation {
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
} crd_i_cross_validation;

/* Creates a cross-validation for the column `target`. `settings` may be NULL (defaults). The caller destroys *out. */
CRD_MUST_USE crd_status crd_i_cross_validation_create(crd_context *context, crd_text target,
                                                      const crd_settings *settings, crd_i_cross_validation **out,
                                                      crd_error *error);
/* Frees a cross-validation. NULL is allowed. */
void crd_i_cross_validation_destroy(crd_i_cross_validation *validation);

/* Collects the named sufficient statistics in addition, for settings that are used later. Names are the same as for
 * crd_model_keep. Call it before the first row. */
CRD_MUST_USE crd_status crd_i_cross_validation_keep(crd_i_cross_validation *validation, crd_text tallies,
                                                    crd_error *error);
/* Sets the column of weights for frames that do not come from a reader. A reader's frames already name their weight
 * column. Call it before the first row. */
CRD_MUST_USE crd_status crd_i_cross_validation_set_weight(crd_i_cross_validation *validation, crd_text weight,
                                                          crd_error *error);
/* Sets the number of threads for predictions from now on; 0: one for each CPU core. The initial value is 1. Results do
 * not depend on it. */
void crd_i_cross_validation_threads(crd_i_cross_validation *validation, unsigned threads);

/* Adds each row of a frame to the statistics of its fold: the first pass. `folds` contains the fold of each row. Rows
 * whose target is missing are skipped. After a failure, you can only call crd_i_cross_validation_forget or destroy the
 * object. */
CRD_MUST_USE crd_status crd_i_cross_validation_learn(crd_i_cross_validation *validation, const crd_frame *frame,
                                                     const uint32_t *folds, crd_error *error);
/* Discards all rows. */
void crd_i_cross_validation_forget(crd_i_cross_validation *validation);

/* Ends learning. Later calls to crd_i_cross_validation_learn fail. */
CRD_MUST_USE crd_status crd_i_cross_validation_finish(crd_i_cross_validation *validation, crd_error *error);
/* Returns the number of classes of all rows. */
size_t crd_i_cross_validation_class_count(const crd_i_cross_validation *validation);
/* Returns the name of a class of all rows, in order. The text lives as long as the cross-validation. */
crd_text crd_i_cross_validation_class(const crd_i_cross_validation *validation, size_t class_index);
/* Creates the model of all rows outside a fold. It is byte-identical to a model trained on these rows, provided that
 * columns have the types that all rows show. The caller destroys *out. */
CRD_MUST_USE crd_status crd_i_cross_validation_model(const crd_i_cross_validation *validation, uint32_t fold,
                                                     crd_model **out, crd_error *error);

/* Predicts each row of a frame by the model without the row's fold: the second pass. Posteriors list the classes of all
 * rows; a class that the other folds lack has probability 0. Rows without a fold have no prediction. */
CRD_MUST_USE crd_status crd_i_cross_validation_classify(crd_i_cross_validation *validation, const crd_frame *frame,
                                                        const uint32_t *folds, crd_posteriors *posteriors,
                                                        crd_error *error);

/* Predicts with other settings from now on; NULL: the defaults. Results are the same as for a new cross-validation with
 * these settings, but nothing is learned again. The statistics that the settings need must have been collected, except
 * pair counts: a stacked ensemble works without them. The models without each fold are computed once for all
 * settings. */
CRD_MUST_USE crd_status crd_i_cross_validation_use(crd_i_cross_validation *validation, const crd_settings *settings,
                                                   crd_error *error);
/* Makes the models of folds learn from unlabeled rows too, as crd_unlabeled_train does. All unlabeled rows are in the
 * training part of every fold. Tested rows are in no training part, with or without their labels. `options` may be
 * NULL. Call it before the first row. */
CRD_MUST_USE crd_status crd_i_cross_validation_use_unlabeled(crd_i_cross_validation *validation,
                                                             const crd_unlabeled_options *options, crd_error *error);
/* Returns the classifier that predicts a fold's rows, or NULL if none was needed yet. It lives until other settings are
 * used. */
const crd_classifier *crd_i_cross_validation_classifier(const crd_i_cross_validation *validation, uint32_t fold);

/* Runs the first pass of a cross-validation over a source. It assigns the rows to folds unless the split already
 * contains them, learns them, and finishes both the split and the learning. */
CRD_MUST_USE crd_status crd_i_cross_validation_learn_all(crd_i_cross_validation *validation, crd_row_source *source,
                                                         crd_split *split, crd_error *error);

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

/* Returns the processes that each have a part of the rows; NULL: this process has all rows. */
crd_i_group *crd_i_row_source_group(const crd_row_source *source);

/* Creates a source with at most `most` of the first `among` rows of a reader, evenly spaced and stored in memory.
 * The reader has been read before. *out is NULL if the reader cannot be read again. */
CRD_MUST_USE crd_status crd_i_row_source_sample(crd_reader *reader, size_t most, size_t among, crd_row_source **out,
                                                crd_error *error);
/* Makes passes that read the rows with crd_i_row_source_take: see crd_i_reader_make_passes. The source is at its first
 * row. */
CRD_MUST_USE crd_status crd_i_row_source_make_passes(crd_row_source *source, crd_i_reader_pass *pass, void *state,
                                                     crd_error *error);
/* Fails because a later pass returned other rows than the first one. Returns CRD_ERROR_SCHEMA_DIFFERS. */
crd_status crd_i_row_source_fail_changed(const crd_row_source *source, crd_error *error);

/* Sets *frame to the next frame, or to NULL at the end of the pass. It works like crd_reader_next.
 * CRD_ERROR_SCHEMA_DIFFERS: rows differ from the rows of the first pass. */
CRD_MUST_USE crd_status crd_i_row_source_take(crd_row_source *source, const crd_frame **frame, crd_error *error);

/* Returns whether later passes read the reader's inputs again. If so, threads can process the reader after a rewind. */
int crd_i_row_source_reads_again(const crd_row_source *source);

/* Creates a row source from frames of the caller, which must outlive the source and stay unchanged. `target` is the
 * target column. `weight` is the weight column; bytes NULL: none. The caller destroys *out. */
CRD_MUST_USE crd_status crd_i_row_source_of_frames(crd_context *context, const crd_frame *const *frames, size_t count,
                                                   crd_text target, crd_text weight, crd_row_source **out,
                                                   crd_error *error);

#endif
