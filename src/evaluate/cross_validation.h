/* SPDX-License-Identifier: MIT */
/* cross_validation.h - what a cross-validation is made of: learning (cross_validation.c) and asking
 * (cross_validation_classify.c). */
#ifndef CRD_EVALUATE_CROSS_VALIDATION_H
#define CRD_EVALUATE_CROSS_VALIDATION_H

#include "cases/case_table.h"
#include "classify/posteriors.h"
#include "model/model_internal.h"

#include <credence/evaluate.h>

typedef struct crd_i_fold {
    crd_model *model;           /* of its rows; NULL: it has none */
    crd_model *others;          /* of the other rows, where it is asked under several settings; else NULL */
    crd_i_fit_cache posteriors; /* of the other rows, held out for a calibration: see crd_model */
    crd_classifier *classifier; /* of the other rows; made when it is first asked for */
    int32_t *classes;           /* the classifier's classes in those of all rows */
} crd_i_fold;

struct crd_cross_validation {
    crd_context *context;
    crd_text target; /* owned */
    crd_text weight; /* owned: of frames that no reader made; bytes NULL: none */
    crd_settings *settings;
    crd_i_kept kept;  /* beyond what the settings read */
    bool is_reused;   /* asked under several settings */
    unsigned threads; /* that answer */
    crd_model *blank; /* as the first frame's reader describes it, with nothing learned */
    crd_i_fold *folds;
    size_t fold_count, folds_capacity;
    crd_model *whole;          /* all rows; NULL until learning is over */
    crd_i_dictionary *classes; /* of the whole, in order */
    crd_posteriors **parts;    /* of each thread, the answers of the rows of the fold that it is at */
    unsigned part_count;
    size_t *rows;   /* the rows of the frame at hand, fold by fold */
    size_t *starts; /* where each fold's begin */
    size_t rows_capacity, starts_capacity;
    uint32_t failed_fold; /* of the last call that could not answer: the first that has failed */
    /* Rows without a label are learned from: all rows, with their folds in a column more; else NULL. */
    crd_unlabelled_options *unlabelled;
    crd_i_case_builder *builder;
    crd_i_case_table *cases; /* once learning is over */
};

/* Adds a frame's rows to those that models of folds are made of, where rows without a label count. */
CRD_MUST_USE crd_status crd_i_cross_validation_gather(crd_cross_validation *validation, const crd_frame *frame,
                                                      const uint32_t *folds, crd_error *error);
CRD_MUST_USE crd_status crd_i_cross_validation_gathered(crd_cross_validation *validation, crd_error *error);
/* A model of all rows but the fold's, those without a label among them. */
CRD_MUST_USE crd_status crd_i_cross_validation_unlabelled_model(const crd_cross_validation *validation, uint32_t f,
                                                                crd_model **out, crd_error *error);
/* Lets the rows go. */
void crd_i_cross_validation_scatter(crd_cross_validation *validation);

/* CRD_ERROR_ARGUMENT where a fold is not below `limit`; *most is one more than the greatest. */
CRD_MUST_USE crd_status crd_i_cross_validation_check(const uint32_t *folds, size_t rows, size_t limit, size_t *most,
                                                     crd_error *error);
/* Lists the rows of each fold in their order: those of fold f from starts[f] up to below starts[f + 1]. */
CRD_MUST_USE crd_status crd_i_cross_validation_part(crd_cross_validation *validation, size_t rows,
                                                    const uint32_t *folds, crd_error *error);
/* A frame of some rows of another, which must outlive it. */
CRD_MUST_USE crd_status crd_i_cross_validation_pick(const crd_frame *frame, const size_t *rows, size_t count,
                                                    crd_frame **out, crd_error *error);
/* Lets the classifiers of all folds go. */
void crd_i_cross_validation_drop(crd_cross_validation *validation);

#endif
