/* SPDX-License-Identifier: MIT */
/* study_row.h - explains one row: its posterior, the weight of evidence of each value, and what would change the
 * prediction. */
#ifndef CRD_REPORT_STUDY_ROW_H
#define CRD_REPORT_STUDY_ROW_H

#include "report/study.h"

typedef struct crd_i_row_reasons {
    crd_i_study *study;
    crd_i_html *out;
    const crd_model *model;
    const crd_classifier *classifier; /* classifier derived from the model */
} crd_i_row_reasons;

/* Explains a row of a frame. The target must be a column of the frame. */
CRD_MUST_USE crd_status crd_i_study_explain_row(const crd_i_row_reasons *reasons, const crd_frame *frame, size_t row,
                                                crd_error *error);

#endif
