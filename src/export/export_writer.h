/* SPDX-License-Identifier: MIT */
/* export_writer.h - buffers output for a sink in parts of 4 KiB. After the sink has rejected a part, all output is
 * discarded. */
#ifndef CRD_EXPORT_EXPORT_WRITER_H
#define CRD_EXPORT_EXPORT_WRITER_H

#include "base/context.h"

#include <credence/export.h>

enum { CRD_I_EXPORT_PART = 4096 };

/* Initialize to zero, except for the sink and its argument. */
typedef struct crd_i_export_writer {
    crd_export_sink sink;
    void *user;
    /* the sink has rejected a part */
    bool is_refused;
    size_t length;
    char part[CRD_I_EXPORT_PART];
} crd_i_export_writer;

void crd_i_export_bytes(crd_i_export_writer *writer, const char *bytes, size_t length);
void crd_i_export_text(crd_i_export_writer *writer, const char *text);
/* Writes formatted text. Longer results are truncated to 499 bytes. */
void crd_i_export_format(crd_i_export_writer *writer, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Writes the shortest decimal that reads back as the same double. Infinity is written as `infinity`, after a minus sign
 * if negative. */
void crd_i_export_number(crd_i_export_writer *writer, double number, const char *infinity);
/* Passes all buffered bytes to the sink. */
void crd_i_export_flush(crd_i_export_writer *writer);

#endif
