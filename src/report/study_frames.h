/* SPDX-License-Identifier: MIT */
/* study_frames.h - reads the rows that a study predicts, frame by frame. */
#ifndef CRD_REPORT_STUDY_FRAMES_H
#define CRD_REPORT_STUDY_FRAMES_H

#include "report/study.h"

/* Processes a frame. `before` is the number of rows in earlier frames. */
typedef crd_status crd_i_study_take(void *user, const crd_frame *frame, uint64_t before, crd_error *error);
/* Calls `take` for every frame, from the first row on. Fails if the rows have changed since the last pass. */
CRD_MUST_USE crd_status crd_i_study_each_frame(crd_i_study *study, crd_i_study_take *take, void *user,
                                               crd_error *error);

#endif
