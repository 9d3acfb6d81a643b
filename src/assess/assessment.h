/* SPDX-License-Identifier: MIT */
/* assessment.h - what an assessment is made of. See credence/assess.h. */
#ifndef CRD_ASSESS_ASSESSMENT_H
#define CRD_ASSESS_ASSESSMENT_H

#include <credence/assess.h>
#include <stdbool.h>

/* What is passed to options.each of a row that was judged, beside what its evaluation keeps. */
typedef struct crd_i_listed_row {
    uint64_t row;
    uint32_t tied;
    crd_decision decision;
} crd_i_listed_row;

struct crd_assessment {
    crd_context *context;
    crd_text target, weight; /* owned; the weight's bytes NULL: none */
    crd_text *classes;       /* whose bytes are those of the classifier or the validation */
    size_t class_count;
    const crd_classifier *classifier; /* of all rows; NULL: of their folds */
    crd_settings *settings;           /* owned; NULL: the classifier's */
    bool has_run;

    /* A model on the rows of a reader. */
    const crd_model *model;
    crd_reader *reader;
    double model_rows; /* that it has learned; a sum of weights where there are some */
    crd_model *seen; /* of the rows at hand, to be compared with what the model learned; NULL once they are too many */

    /* Rows of a source, by the models without their folds. */
    crd_row_source *source;
    crd_split *split;
    crd_cross_validation *validation;

    /* Rows of a source, each by the model of all others. */
    crd_model *learned;
    crd_leave_one_out **leaving; /* one for each thread, NULL until it is needed but for the first */
    unsigned leaving_count;

    crd_assessment_options options;
    crd_evaluation *evaluation, *before; /* without calibration, NULL until a row has both */
    crd_outcomes *outcomes;
    crd_importance *importance;
    crd_assessment_facts facts;
    uint64_t last_row; /* the last that was passed to options.each */

    /* Of several processes: rows to be listed once all are judged, and the folds that are this process's to test. */
    bool is_shared;
    crd_i_listed_row *listed;
    size_t listed_count, listed_capacity;
    uint32_t *own_folds;
};

/* Takes the options of a run, which is the first, and starts. */
CRD_MUST_USE crd_status crd_i_assessment_begin(crd_assessment *assessment, const crd_assessment_options *options,
                                               crd_error *error);
/* How a run ends, of all processes, once all rows were judged. */
CRD_MUST_USE crd_status crd_i_assessment_end(crd_assessment *assessment, crd_status status, crd_error *error);
/* Marks the folds that this process tests, where several have the same rows. */
CRD_MUST_USE crd_status crd_i_assessment_choose_folds(crd_assessment *assessment, crd_error *error);
/* The rows of all processes, in their order, in process 0; the others keep their own. status: how judging these has ended. */
CRD_MUST_USE crd_status crd_i_assessment_share(crd_assessment *assessment, crd_status status, crd_error *error);
/* Rows for permutation importance, of those that all processes have judged, so many of them this one. */
CRD_MUST_USE crd_status crd_i_assessment_share_importance(crd_assessment *assessment, uint64_t judged,
                                                          crd_error *error);
/* The place of a column of that name in a frame; SIZE_MAX: it has none, or there is no name. */
size_t crd_i_assessment_column(const crd_frame *frame, crd_text name);
/* From the first row on: at the beginning, and again where a reader begins again. */
CRD_MUST_USE crd_status crd_i_assessment_start(crd_assessment *assessment, crd_error *error);
/* Judges the posteriors of a frame's rows; those in no fold are left out. folds may be NULL. */
CRD_MUST_USE crd_status crd_i_assessment_judge(crd_assessment *assessment, const crd_frame *frame,
                                               const crd_posteriors *posteriors, const uint32_t *folds,
                                               crd_error *error);

#endif
