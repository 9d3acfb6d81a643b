/* SPDX-License-Identifier: MIT */
/* counted_frames.h - a table of the rows of frames, counted by all columns. */
#ifndef COUNTED_FRAMES_H
#define COUNTED_FRAMES_H

#include <credence/all.h>

static inline crd_status count_frames(crd_context *context, const crd_frame *const *frames, size_t frame_count,
                                      crd_table **out, crd_error *error) {
    const size_t columns[] = {0, 1, 2, 3, 4, 5, 6, 7};
    crd_reader *reader;
    *out = NULL;
    crd_status status = crd_reader_open_frames(context, frames, frame_count, NULL, NULL, &reader, error);
    if (status != CRD_OK) return status;
    status = crd_table_read(context, reader, columns, crd_reader_column_count(reader), out, error);
    crd_reader_close(reader);
    return status;
}

#endif
