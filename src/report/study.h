/* SPDX-License-Identifier: MIT */
/* study.h - a report about rows and what was learned from them: what its sections share, and the sections. */
#ifndef CRD_REPORT_STUDY_H
#define CRD_REPORT_STUDY_H

#include "report/page.h"

#include <credence/assess.h>
#include <credence/profile.h>

/* A row that is explained: by the model without its fold, or by the model that was given. */
typedef struct crd_i_study_row {
    uint64_t row; /* of those judged, from 1; 0: there is none such */
    double probability;
} crd_i_study_row;

enum { CRD_I_STUDY_SURE, CRD_I_STUDY_UNSURE, CRD_I_STUDY_WRONG, CRD_I_STUDY_ROWS };

typedef struct crd_i_study {
    crd_i_page page;
    crd_reader *reader;     /* of all rows; NULL: there are none */
    crd_profile *profile;   /* likewise */
    uint64_t rows;          /* that were read */
    crd_row_source *source; /* the rows that are judged, in memory; NULL: a model was given */
    size_t stride;          /* every so many rows are */
    crd_split_options split;
    crd_settings *settings;
    crd_comparison *comparison; /* NULL: methods were not compared */
    size_t chosen;              /* of its candidates; CRD_NONE: the settings were stated */
    crd_recommendation recommendation;
    crd_assessment *assessment;       /* NULL: no row could be judged */
    const crd_evaluation *evaluation; /* of the rows that were judged */
    const crd_text *classes;          /* as it lists them */
    size_t class_count;
    crd_scores *scores; /* of the evaluation; NULL: there are none */
    crd_totals totals;
    crd_i_study_row picked[CRD_I_STUDY_ROWS];
    const crd_model *model; /* of all rows, or the one that was given */
    crd_model *trained;     /* the same where it is to be destroyed */
    crd_summary *summary;
    crd_classifier *classifier;
    crd_text telling[3]; /* the attributes that answers lose most without */
    size_t telling_count;
} crd_i_study;

/* ---- Steps, in this order ---- */

/* What the columns of the reader are like; the reader is at its first row again. */
CRD_MUST_USE crd_status crd_i_study_profile(crd_i_study *study, crd_error *error);
/* Methods compared on the source's folds; sets the settings, unless they are stated. */
CRD_MUST_USE crd_status crd_i_study_compare(crd_i_study *study, crd_error *error);
/* Runs the assessment, which is there, and adds scores and curves. */
CRD_MUST_USE crd_status crd_i_study_assess(crd_i_study *study, crd_error *error);
/* The scores and curves alone. */
CRD_MUST_USE crd_status crd_i_study_scores(crd_i_study *study, crd_error *error);
/* What the classifier has of each attribute, and what that is worth. */
CRD_MUST_USE crd_status crd_i_study_attributes(crd_i_study *study, crd_error *error);
/* Pairs of attributes that depend on each other within classes. */
CRD_MUST_USE crd_status crd_i_study_pairs(crd_i_study *study, crd_error *error);
/* Three rows explained. */
CRD_MUST_USE crd_status crd_i_study_explain(crd_i_study *study, crd_error *error);
/* What it takes to repeat the report. */
CRD_MUST_USE crd_status crd_i_study_repeat(crd_i_study *study, crd_error *error);
/* The sentences that open it. */
void crd_i_study_summarize(crd_i_study *study);

/* ---- Shared by sections ---- */

/* The number in the table of a row that was judged. */
uint64_t crd_i_study_row_number(const crd_i_study *study, uint64_t judged);
/* Adds a list of names to warnings and sentences: "a, b and 3 more", of which `count` has how many there are so far. */
void crd_i_study_list_name(crd_i_html *out, crd_text name, size_t count);
void crd_i_study_end_list(crd_i_html *out, size_t count);
enum { CRD_I_STUDY_LISTED = 8 };
/* Settings that are not at their defaults: "method=pairs, calibration=isotonic"; "the defaults". */
void crd_i_study_settings(crd_i_html *out, const crd_settings *settings);

#endif
