/* SPDX-License-Identifier: MIT */
/* study_frames.h - the rows that a study judges, frame by frame. */
#ifndef CRD_REPORT_STUDY_FRAMES_H
#define CRD_REPORT_STUDY_FRAMES_H

#include "report/study.h"

/* Takes a frame, before which there were so many rows. */
typedef crd_status crd_i_study_take(void *user, const crd_frame *frame, uint64_t before, crd_error *error);
/* A whole pass over them, from the first row. */
CRD_MUST_USE crd_status crd_i_study_each_frame(crd_i_study *study, crd_i_study_take *take, void *user,
                                               crd_error *error);

#endif
