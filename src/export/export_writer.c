/* SPDX-License-Identifier: MIT */
/* export_writer.c - see export_writer.h. */
#include "export/export_writer.h"

#include <credence/number.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void crd_i_export_flush(crd_i_export_writer *writer) {
    if (writer->length > 0 && !writer->is_refused)
        writer->is_refused = writer->sink(writer->user, writer->part, writer->length) != 0;
    writer->length = 0;
}

void crd_i_export_bytes(crd_i_export_writer *writer, const char *bytes, size_t length) {
    while (length > 0) {
        size_t capacity = sizeof writer->part - writer->length, next = length < capacity ? length : capacity;
        memcpy(writer->part + writer->length, bytes, next);
        writer->length += next;
        bytes += next;
        length -= next;
        if (writer->length == sizeof writer->part) crd_i_export_flush(writer);
    }
}

void crd_i_export_text(crd_i_export_writer *writer, const char *text) {
    crd_i_export_bytes(writer, text, strlen(text));
}

void crd_i_export_format(crd_i_export_writer *writer, const char *format, ...) {
    char buffer[500];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(buffer, sizeof buffer, format, arguments);
    va_end(arguments);
    if (length > 0)
        crd_i_export_bytes(writer, buffer, (size_t)length < sizeof buffer ? (size_t)length : sizeof buffer - 1);
}

void crd_i_export_number(crd_i_export_writer *writer, double number, const char *infinity) {
    char buffer[CRD_NUMBER_ROOM];
    if (isinf(number)) {
        crd_i_export_text(writer, number < 0 ? "-" : "");
        crd_i_export_text(writer, infinity);
        return;
    }
    crd_i_export_bytes(writer, buffer, crd_number_format(number, buffer));
}
