/* SPDX-License-Identifier: MIT */
/* export_writer.h - text on its way to a sink, in parts of some kilobytes. After the sink has refused a part, nothing
 * more is written. */
#ifndef CRD_EXPORT_EXPORT_WRITER_H
#define CRD_EXPORT_EXPORT_WRITER_H

#include "base/context.h"

#include <credence/export.h>

enum { CRD_I_EXPORT_PART = 4096 };

typedef struct crd_i_export_writer {
    crd_export_sink sink;
    void *user;
    bool is_refused;
    size_t length;
    char part[CRD_I_EXPORT_PART];
} crd_i_export_writer;

void crd_i_export_bytes(crd_i_export_writer *writer, const char *bytes, size_t length);
void crd_i_export_text(crd_i_export_writer *writer, const char *text);
/* At most 500 bytes. */
void crd_i_export_format(crd_i_export_writer *writer, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The shortest decimal that reads back to the same bits; infinities as `infinity` with their sign before it. */
void crd_i_export_number(crd_i_export_writer *writer, double number, const char *infinity);
void crd_i_export_flush(crd_i_export_writer *writer);

#endif
