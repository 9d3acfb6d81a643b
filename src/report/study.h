/* SPDX-License-Identifier: MIT */
/* study.h - the report about rows and what was learned from them: data shared by its sections, and the sections. */
#ifndef CRD_REPORT_STUDY_H
#define CRD_REPORT_STUDY_H

#include "report/page.h"

#include <credence/assess.h>
#include <credence/profile.h>

/* A row that is explained, either by the model trained without its fold or by the given model. */
typedef struct crd_i_study_row {
    uint64_t row; /* number among the rows that are predicted, from 1; 0: none */
    double probability;
} crd_i_study_row;

enum { CRD_I_STUDY_SURE, CRD_I_STUDY_UNSURE, CRD_I_STUDY_WRONG, CRD_I_STUDY_ROWS };

typedef struct crd_i_study {
    crd_i_page page;
    crd_reader *reader;     /* reads all rows; NULL: only a model is given */
    crd_profile *profile;   /* profile of all rows; NULL: only a model is given */
    uint64_t rows;          /* number of rows read */
    crd_row_source *source; /* the rows that are predicted, in memory; NULL: a model was given */
    size_t stride;          /* one in `stride` rows is predicted */
    crd_split_options split;
    crd_settings *settings;
    crd_comparison *comparison; /* NULL: methods were not compared */
    size_t chosen;              /* chosen candidate of the comparison; CRD_NONE: the settings were specified */
    crd_recommendation recommendation;
    crd_assessment *assessment;       /* NULL: no row could be predicted */
    const crd_evaluation *evaluation; /* predictions for these rows */
    const crd_text *classes;          /* classes in the order of the evaluation */
    size_t class_count;
    crd_scores *scores; /* scores of the evaluation; NULL: none */
    crd_totals totals;
    crd_i_study_row picked[CRD_I_STUDY_ROWS];
    const crd_model *model; /* trained on all rows, or given */
    crd_model *trained;     /* the same model if the study owns it; otherwise NULL */
    crd_summary *summary;
    crd_classifier *classifier;
    crd_text telling[3]; /* the most informative attributes */
    size_t telling_count;
} crd_i_study;

/* ---- Steps, in this order ---- */

/* Adds the section about the data, from a profile of the reader's columns. */
CRD_MUST_USE crd_status crd_i_study_profile(crd_i_study *study, crd_error *error);
/* Compares methods on the folds of the source. Sets the settings to the best method unless they were specified. */
CRD_MUST_USE crd_status crd_i_study_compare(crd_i_study *study, crd_error *error);
/* Runs study->assessment, which must exist, and adds scores and curves. */
CRD_MUST_USE crd_status crd_i_study_assess(crd_i_study *study, crd_error *error);
/* Adds only the scores and curves. */
CRD_MUST_USE crd_status crd_i_study_scores(crd_i_study *study, crd_error *error);
/* Adds the section about attributes: their importance, and their distributions in each class. */
CRD_MUST_USE crd_status crd_i_study_attributes(crd_i_study *study, crd_error *error);
/* Adds the section about pairs of attributes that depend on each other within classes. */
CRD_MUST_USE crd_status crd_i_study_pairs(crd_i_study *study, crd_error *error);
/* Adds the section that explains three rows. */
CRD_MUST_USE crd_status crd_i_study_explain(crd_i_study *study, crd_error *error);
/* Adds the section with everything needed to reproduce the report. */
CRD_MUST_USE crd_status crd_i_study_repeat(crd_i_study *study, crd_error *error);
/* Adds the sentences of the summary. */
void crd_i_study_summarize(crd_i_study *study);

/* ---- Shared by sections ---- */

/* Returns the row number in the table of a row that was predicted. */
uint64_t crd_i_study_row_number(const crd_i_study *study, uint64_t judged);
/* Append a list of names to a warning or sentence: "a, b and 3 more". `count` is the number of names so far. Only the
 * first CRD_I_STUDY_LISTED names are written. */
void crd_i_study_list_name(crd_i_html *out, crd_text name, size_t count);
void crd_i_study_end_list(crd_i_html *out, size_t count);
enum { CRD_I_STUDY_LISTED = 8 };

/* ---- reads the rows that a study predicts, frame by frame. */

/* Processes a frame. `before` is the number of rows in earlier frames. */
typedef crd_status crd_i_study_take(void *user, const crd_frame *frame, uint64_t before, crd_error *error);
/* Calls `take` for every frame, from the first row on. Fails if the rows have changed since the last pass. */
CRD_MUST_USE crd_status crd_i_study_each_frame(crd_i_study *study, crd_i_study_take *take, void *user,
                                               crd_error *error);

#endif
