/* SPDX-License-Identifier: MIT */
/* cross_validation_rows.c - learning all rows of a source by fold. */
#include "evaluate/row_source.h"

#include "base/error.h"

/* Starts again from the first row when the source restarts, for example because a column turned out to be
 * categorical. Rows that were split before must not change. */
crd_status crd_cross_validation_learn_all(crd_cross_validation *validation, crd_row_source *source, crd_split *split,
                                          crd_error *error) {
    size_t index = 0;
    bool is_split = crd_split_rows(split) > 0;
    for (;;) {
        const crd_frame *frame;
        crd_status status = crd_row_source_next(source, &frame, error);
        if (status == CRD_RESTART) {
            index = 0;
            crd_cross_validation_forget(validation);
            status = crd_split_restart(split, error);
            if (status == CRD_OK) continue;
        }
        if (status == CRD_OK && frame == NULL) break;
        if (status == CRD_OK && !is_split) status = crd_split_add(split, source, frame, error);
        if (status == CRD_OK && frame->rows > crd_split_rows(split) - index)
            status = crd_i_row_source_fail_changed(source, error);
        if (status == CRD_OK)
            status = crd_cross_validation_learn(validation, frame, crd_split_learned(split) + index, error);
        if (status != CRD_OK) return status;
        index += frame->rows;
    }
    if (index < crd_split_rows(split)) return crd_i_row_source_fail_changed(source, error);
    crd_status status = crd_cross_validation_finish(validation, error);
    return status == CRD_OK ? crd_split_finish(split, error) : status;
}
