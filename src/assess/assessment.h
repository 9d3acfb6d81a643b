/* SPDX-License-Identifier: MIT */
/* assessment.h - what an assessment is made of. See credence/assess.h. */
#ifndef CRD_ASSESS_ASSESSMENT_H
#define CRD_ASSESS_ASSESSMENT_H

#include <credence/assess.h>
#include <stdbool.h>

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
};

/* From the first row on: at the beginning, and again where a reader begins again. */
CRD_MUST_USE crd_status crd_i_assessment_start(crd_assessment *assessment, crd_error *error);
/* Judges the posteriors of a frame's rows; those in no fold are left out. folds may be NULL. */
CRD_MUST_USE crd_status crd_i_assessment_judge(crd_assessment *assessment, const crd_frame *frame,
                                               const crd_posteriors *posteriors, const uint32_t *folds,
                                               crd_error *error);

#endif
