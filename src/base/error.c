/* SPDX-License-Identifier: MIT */
/* error.c - see error.h. */
#include "base/error.h"

#include "base/os.h"

#include <credence/result.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Programs that are already compiled rely on this size: see credence/base.h. */
_Static_assert(sizeof(crd_error) == 1536, "the size of crd_error never changes");

static void error_fill(crd_error *error, crd_status status, const char *format, va_list arguments) {
    memset(error, 0, sizeof *error);
    error->status = status;
    vsnprintf(error->message, sizeof error->message, format, arguments);
}

crd_status crd_i_fail(crd_error *error, crd_status status, const char *format, ...) {
    if (error == NULL) return status;
    va_list arguments;
    va_start(arguments, format);
    error_fill(error, status, format, arguments);
    va_end(arguments);
    return status;
}

crd_status crd_i_fail_system(crd_error *error, int system_error, const char *format, ...) {
    if (error == NULL) return CRD_ERROR_SYSTEM;
    va_list arguments;
    va_start(arguments, format);
    error_fill(error, CRD_ERROR_SYSTEM, format, arguments);
    va_end(arguments);
    error->system_error = system_error;
    /* The message is in the language of the process. */
    char words[128];
    crd_i_os_describe(system_error, words, sizeof words);
    size_t used = strlen(error->message);
    snprintf(error->message + used, sizeof error->message - used, ": %s", words);
    return CRD_ERROR_SYSTEM;
}

crd_status crd_i_fail_memory(crd_error *error) {
    return crd_i_fail(error, CRD_ERROR_MEMORY, "out of memory");
}

void crd_i_error_hint(crd_error *error, const char *format, ...) {
    if (error == NULL) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->hint, sizeof error->hint, format, arguments);
    va_end(arguments);
}

void crd_i_error_place(crd_error *error, const char *place, uint64_t line, uint64_t field) {
    if (error == NULL) return;
    snprintf(error->place, sizeof error->place, "%s", place == NULL ? "" : place);
    error->line = line;
    error->field = field;
}

void crd_i_error_subject(crd_error *error, crd_text subject) {
    if (error == NULL) return;
    size_t length = subject.length < sizeof error->subject ? subject.length : sizeof error->subject - 1;
    if (length > 0) memcpy(error->subject, subject.bytes, length);
    error->subject[length] = '\0';
}

/* Appends at most 60 bytes of a text to the first `used` bytes of the buffer, as crd_text_show writes them. Each byte of
 * the text needs at most four bytes. */
static size_t error_add_shown(crd_text text, bool doubles_quotes, char buffer[CRD_I_QUOTED_ROOM], size_t used) {
    enum { SHOWN = 60 };
    size_t shown = text.length, begin = 0;
    if (text.bytes == NULL) text.bytes = "";
    if (shown > SHOWN) {
        shown = SHOWN;
        /* Never cuts inside a UTF-8 character. */
        while (shown > SHOWN - 4 && ((unsigned char)text.bytes[shown] & 0xC0) == 0x80) shown--;
    }
    for (size_t i = 0; doubles_quotes && i < shown; i++) {
        if (text.bytes[i] != '"') continue;
        used += crd_text_show((crd_text){text.bytes + begin, i + 1 - begin}, buffer + used);
        begin = i;
    }
    used += crd_text_show((crd_text){text.bytes + begin, shown - begin}, buffer + used);
    if (shown < text.length) {
        memcpy(buffer + used, "...", 3);
        used += 3;
    }
    return used;
}

const char *crd_i_quote(crd_text text, char buffer[CRD_I_QUOTED_ROOM]) {
    buffer[error_add_shown(text, false, buffer, 0)] = '\0';
    return buffer;
}

static bool error_is_blank(char byte) {
    return byte == ' ' || byte == '\t';
}

const char *crd_i_quote_item(crd_text text, char buffer[CRD_I_QUOTED_ROOM]) {
    bool open = text.length == 0 || error_is_blank(text.bytes[0]) || error_is_blank(text.bytes[text.length - 1]);
    for (size_t i = 0; i < text.length && !open; i++) open = text.bytes[i] == ',' || text.bytes[i] == '"';
    if (!open) return crd_i_quote(text, buffer);
    buffer[0] = '"';
    size_t used = error_add_shown(text, true, buffer, 1);
    buffer[used++] = '"';
    buffer[used] = '\0';
    return buffer;
}

void crd_i_error_item(crd_error *error, size_t index, crd_text item) {
    static const char cut[] = ", ...";
    char shown[CRD_I_QUOTED_ROOM];
    if (error == NULL) return;
    size_t used = strlen(error->message), left = sizeof error->message - used, length = sizeof cut - 1;
    if (used >= length && strcmp(error->message + used - length, cut) == 0) return;
    const char *gap = index == 0 ? "" : ", ", *name = crd_i_quote_item(item, shown);
    if (strlen(gap) + strlen(name) + sizeof cut > left) gap = "", name = index == 0 ? cut + 2 : cut;
    snprintf(error->message + used, left, "%s%s", gap, name);
}

const char *crd_status_name(crd_status status) {
    switch (status) {
    case CRD_OK: return "ok";
    case CRD_ERROR_MEMORY: return "memory";
    case CRD_ERROR_ARGUMENT: return "argument";
    case CRD_ERROR_CANCELLED: return "cancelled";
    case CRD_ERROR_SYSTEM: return "system";
    case CRD_ERROR_SYNTAX: return "syntax";
    case CRD_ERROR_NUMBER: return "number";
    case CRD_ERROR_TYPE: return "type";
    case CRD_ERROR_COLUMN: return "column";
    case CRD_ERROR_EMPTY: return "empty";
    case CRD_ERROR_LIMIT: return "limit";
    case CRD_ERROR_SETTING: return "setting";
    case CRD_ERROR_SETTINGS_DIFFER: return "settings differ";
    case CRD_ERROR_SCHEMA_DIFFERS: return "schema differs";
    case CRD_ERROR_NOT_LEARNED: return "not learned";
    case CRD_ERROR_NOT_A_MODEL: return "not a model";
    case CRD_ERROR_DAMAGED: return "damaged";
    case CRD_ERROR_TOO_NEW: return "too new";
    case CRD_ERROR_PROBABILITY: return "probability";
    case CRD_ERROR_WEIGHT: return "weight";
    case CRD_ERROR_CANNOT_FORGET: return "cannot forget";
    case CRD_ERROR_NOT_CONVERGED: return "not converged";
    case CRD_ERROR_CYCLE: return "cycle";
    case CRD_ERROR_DEADLINE: return "deadline";
    case CRD_ERROR_DUPLICATE: return "duplicate";
    case CRD_ERROR_OVERLAP: return "overlap";
    }
    return "unknown";
}

const char *crd_i_describe_bytes(double bytes, char buffer[CRD_I_BYTES_ROOM]) {
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    size_t unit = 0;
    for (; bytes >= 1024 && unit + 1 < sizeof units / sizeof units[0]; unit++) bytes /= 1024;
    snprintf(buffer, CRD_I_BYTES_ROOM, bytes >= 100 && bytes < 1e6 ? "%.0f %s" : "%.3g %s", bytes, units[unit]);
    return buffer;
}
