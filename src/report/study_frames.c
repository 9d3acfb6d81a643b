/* SPDX-License-Identifier: MIT */
/* study_frames.c - see study_frames.h. */
#include "report/study_frames.h"

#include "base/error.h"
#include "base/memory.h"

static crd_status study_frames_next(crd_i_study *study, const crd_frame **frame, crd_error *error) {
    crd_status status = study->source != NULL ? crd_row_source_next(study->source, frame, error)
                                              : crd_reader_next(study->reader, frame, error);
    if (status == CRD_RESTART)
        return crd_i_fail(error, CRD_ERROR_SCHEMA_DIFFERS, "the rows changed while they were read");
    return status;
}

crd_status crd_i_study_each_frame(crd_i_study *study, crd_i_study_take *take, void *user, crd_error *error) {
    uint64_t before = 0;
    crd_status status = study->source != NULL ? crd_row_source_rewind(study->source, error)
                                              : crd_reader_begin_again(study->reader, error);
    while (status == CRD_OK) {
        const crd_frame *frame = NULL;
        status = study_frames_next(study, &frame, error);
        if (status != CRD_OK || frame == NULL) break;
        if (crd_i_context_cancelled(study->page.context)) return crd_i_fail_cancelled(error);
        status = take(user, frame, before, error);
        before += crd_frame_rows(frame);
    }
    return status;
}
