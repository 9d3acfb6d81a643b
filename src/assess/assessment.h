/* SPDX-License-Identifier: MIT */
/* assessment.h - the structure of an assessment. See credence/assess.h. */
#ifndef CRD_ASSESS_ASSESSMENT_H
#define CRD_ASSESS_ASSESSMENT_H

#include <credence/assess.h>
#include <stdbool.h>

/* Data of a judged row that options.each receives in addition to the data in the evaluation. */
typedef struct crd_i_listed_row {
    uint64_t row;
    uint32_t tied;
    crd_decision decision;
} crd_i_listed_row;

struct crd_assessment {
    crd_context *context;
    crd_text target, weight; /* owned; the weight's bytes are NULL if there are no weights */
    crd_text *classes;       /* the texts belong to the classifier or the validation */
    size_t class_count;
    const crd_classifier *classifier; /* classifier of all rows; NULL if each fold has its own */
    crd_settings *settings;           /* owned; NULL: use the classifier's settings */
    bool has_run;

    /* Only for a model that is tested on the rows of a reader. */
    const crd_model *model;
    crd_reader *reader;
    double model_rows; /* number of training rows, or the sum of their weights */
    crd_model *seen;   /* model of the rows read so far, to detect training rows; NULL after too many rows */

    /* Only for cross-validation and holdouts: rows are classified by models without their fold. */
    crd_row_source *source;
    crd_split *split;
    crd_cross_validation *validation;

    /* Only for leave-one-out: each row is classified by the model of all other rows. */
    crd_model *learned;
    crd_leave_one_out **leaving; /* one for each thread; created when needed, except the first one */
    unsigned leaving_count;

    crd_assessment_options options;
    /* before: without calibration; NULL until a row has an uncalibrated posterior */
    crd_evaluation *evaluation, *before;
    crd_outcomes *outcomes;
    crd_importance *importance;
    crd_assessment_facts facts;
    uint64_t last_row; /* number of the last row that was passed to options.each */

    /* Only for several processes: listed rows, which are passed on after all rows were judged, and the fold of each
     * row that this process tests. */
    bool is_shared;
    crd_i_listed_row *listed;
    size_t listed_count, listed_capacity;
    uint32_t *own_folds;
};

/* Copies the options and starts the run. Returns CRD_ERROR_ARGUMENT if it was started before. */
CRD_MUST_USE crd_status crd_i_assessment_begin(crd_assessment *assessment, const crd_assessment_options *options,
                                               crd_error *error);
/* Ends a run after all rows were judged. Every process of a group must call it. */
CRD_MUST_USE crd_status crd_i_assessment_end(crd_assessment *assessment, crd_status status, crd_error *error);
/* Assigns folds to processes that have the same rows, and stores the folds of this process. */
CRD_MUST_USE crd_status crd_i_assessment_choose_folds(crd_assessment *assessment, crd_error *error);
/* Merges the results of all processes in process 0, in row order. Other processes keep their own results. `status`
 * is the status of judging the rows in this process. */
CRD_MUST_USE crd_status crd_i_assessment_share(crd_assessment *assessment, crd_status status, crd_error *error);
/* Chooses rows for permutation importance from the rows that all processes have judged. `judged` is the number of
 * rows that this process has judged. */
CRD_MUST_USE crd_status crd_i_assessment_share_importance(crd_assessment *assessment, uint64_t judged,
                                                          crd_error *error);
/* Returns the index of a frame's column; SIZE_MAX if there is none, or if the name has bytes NULL. */
size_t crd_i_assessment_column(const crd_frame *frame, crd_text name);
/* Discards all results, so that judging begins with the first row. Called at the beginning and when a reader
 * restarts. */
CRD_MUST_USE crd_status crd_i_assessment_start(crd_assessment *assessment, crd_error *error);
/* Judges the rows of a frame. Rows in no fold are skipped. `folds` may be NULL. */
CRD_MUST_USE crd_status crd_i_assessment_judge(crd_assessment *assessment, const crd_frame *frame,
                                               const crd_posteriors *posteriors, const uint32_t *folds,
                                               crd_error *error);

#endif
