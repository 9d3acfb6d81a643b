/* SPDX-License-Identifier: MIT */
/* export_writer.c - see export_writer.h. */
#include "export/export_writer.h"

#include <credence/number.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void crd_i_export_flush(crd_i_export_writer *to) {
    if (to->length > 0 && !to->is_refused) to->is_refused = to->sink(to->user, to->part, to->length) != 0;
    to->length = 0;
}

void crd_i_export_bytes(crd_i_export_writer *to, const char *bytes, size_t length) {
    while (length > 0) {
        size_t room = sizeof to->part - to->length, next = length < room ? length : room;
        memcpy(to->part + to->length, bytes, next);
        to->length += next;
        bytes += next;
        length -= next;
        if (to->length == sizeof to->part) crd_i_export_flush(to);
    }
}

void crd_i_export_text(crd_i_export_writer *to, const char *text) {
    crd_i_export_bytes(to, text, strlen(text));
}

void crd_i_export_format(crd_i_export_writer *to, const char *format, ...) {
    char room[500];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(room, sizeof room, format, arguments);
    va_end(arguments);
    if (length > 0) crd_i_export_bytes(to, room, (size_t)length < sizeof room ? (size_t)length : sizeof room - 1);
}

void crd_i_export_number(crd_i_export_writer *to, double number, const char *infinity) {
    char room[CRD_NUMBER_ROOM];
    if (isinf(number)) {
        crd_i_export_text(to, number < 0 ? "-" : "");
        crd_i_export_text(to, infinity);
        return;
    }
    crd_i_export_bytes(to, room, crd_number_format(number, room));
}
